"""Splitter of generated text into answer, reasoning and tool calls. Stops at stop strings.

Text that could be the start of a marker or stop string is held back until it's clear, so partial
markers are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field

from engine.messages import Kind
from engine.text.call_notations import NOTATIONS, is_complete
from engine.text.code_spans import Code
from engine.text.dialects import Frame, Markers
from engine.text.tool_calls import CallText

Delta = tuple[str, Kind]

_MAX_HEADER_CHARACTERS = 256
"""Maximum characters of a header. Longer headers are treated as text."""
_SHORT = 3
"""Maximum length of a partial marker, e.g. a bracket, with which a complete answer may end."""
_MAX_CHECKS = 64
"""Maximum number of possible end markers in a call that are parsed individually."""
_MAX_NAME_CHARACTERS = 64  # maximum characters of a call up to the tool's name
_FIRST_WORD = re.compile(r"""[\s{\["']*(\w*)(.?)""", re.DOTALL)
_FIRST_WORDS = ("name", "type", "function")


class _Part(NamedTuple):
    kind: Kind | None  # None inside a header
    # End markers of the part; () if only a header or the end of the turn ends the part.
    ends: tuple[str, ...] = ()


class _OpenCall(Struct):
    """Call that is being generated, or that comes next."""

    blanks: str = ""  # whitespace before the start marker
    start: str = ""  # start marker, or "" after a header
    keeps_start: bool = False  # the start marker is part of the call
    chunks: list[str] = field(default_factory=list)
    # Text from the first end marker on, if the call may only quote that marker.
    doubtful: list[str] = field(default_factory=list)
    was_complete: bool = False  # the call was complete before that marker
    checks: int = 0  # number of possible end markers so far


_ANSWER = _Part("answer")
_HEADER = _Part(None)


class MarkTokens:
    """Mapping that distinguishes markers from lookalike text.

    Tokens of markers are mapped to noncharacters, both in the text passed to the splitter and in
    the markers. A marker spelled out with other tokens is then just text.
    """

    _FIRST = 0xFDD1  # the character after `pieces.GAP`
    _MOST = 31

    def __init__(self, markers: Markers, tokens: Mapping[str, int] = MappingProxyType({})) -> None:
        all_markers = [
            *markers.all,
            *(start for f in markers.frames for start in (f.start, *f.ends)),
        ]
        if markers.header is not None:
            all_markers += markers.header.first
        mark_tokens = {
            t for t in tokens if t.strip() and any(t in marker for marker in all_markers)
        }
        used = sorted(mark_tokens, key=len, reverse=True)
        self._chars = {token: chr(self._FIRST + n) for n, token in enumerate(used[: self._MOST])}
        self._inverse = {ord(char): token for token, char in self._chars.items()}
        self.token_ids = frozenset(tokens.values())
        self._token = re.compile("|".join(map(re.escape, self._chars)) or r"(?!)")
        self.markers = markers.map(self.map_text)

    def map_text(self, text: str) -> str:
        """Return text for the splitter, treating every marker in it as a token."""
        return self._token.sub(lambda match: self._chars[match[0]], text) if self._chars else text

    def unmap(self, text: str) -> str:
        return text.translate(self._inverse) if self._inverse else text

    def has_token(self, marker: str) -> bool:
        return any(ord(char) in self._inverse for char in marker)


class TextSplitter:
    """Splitter of streamed text into deltas by kind.

    Stop strings only apply to the answer.

    A marker only counts where a model would write it. In code spans and closed code blocks, it's
    text. Reasoning must be at the start of a reply. Calls need offered tools and, if their marker
    is ordinary text, must be at the start of a line. A call ends when it's complete, so its
    arguments may contain the end marker.

    Args:
        reasoning: the prompt ends inside reasoning.
        after_reasoning: the prompt ends after reasoning, which the template has already closed.
        judge: called with the text between call markers, and True if the end marker is missing.
            Returns what isn't a call, so that it's shown.

    Attributes:
        calls, call: text of each complete call, and the chunks of the current call.
        dropped_text: text dropped at the end of an interrupted reply because it could be part of a
            marker.
        eager: decide about markers immediately, without waiting for more text.
        pauses: hold back the text after the reasoning until `resume` is called.
        reasoned, opened: number of characters up to the end of the reasoning, and up to the start
            of the latest call.
    """

    def __init__(
        self,
        marks: MarkTokens,
        stops: Iterable[str] = (),
        reasoning: bool = False,
        offered: bool = False,
        after_reasoning: bool = False,
        notation: str = "",
        names: Collection[str] = (),
        judge: Callable[[CallText, bool], str] = lambda written, cut: "",
    ) -> None:
        self._offered = offered
        self._notation, self._names, self._judge = notation, names, judge
        self._marks = marks
        self._stops = frozenset(
            form for stop in stops for form in (stop, self._marks.map_text(stop))
        )
        self._set_markers(self._marks.markers)
        self._part = _ANSWER
        if reasoning:
            ends = [end for f in self._markers.frames if f.kind == "reasoning" for end in f.ends]
            self._part = _Part("reasoning", tuple(ends))
        self._held_text = ""
        self._code = Code()
        self._fed_characters = 0  # number of characters so far
        # Templates put line breaks around markers, which belong to neither part.
        self._strip = reasoning or after_reasoning
        self._has_emitted = False  # part of the answer has been emitted
        # Whitespace at the start and after calls only counts if more of the answer follows.
        self._at_start = True
        self._blanks = ""
        self.stop: str | None = None
        self._header = ""
        self._between = False  # a part with a header has ended, and the next part hasn't started
        self._call = _OpenCall()
        self._dropped: set[str] = set()
        self.calls: list[str] = []
        self.dropped_text = ""
        self.eager = self.pauses = self._paused = False
        self.reasoned = self.opened = 0

    def _set_markers(self, markers: Markers) -> None:
        self._markers = markers
        self._starts = {frame.start: frame for frame in markers.frames}
        self._thought_ends = {e for f in markers.frames if f.kind == "reasoning" for e in f.ends}
        header = markers.header
        self._heads = frozenset((*header.starts, *header.first) if header else ())
        self._closes = frozenset(header.closes if header else ())
        self._firsts = frozenset(header.first if header else ())
        self._halved = markers.all | self._heads | self._starts.keys()
        self._patterns: dict[tuple[_Part, bool, bool], tuple[re.Pattern[str], tuple[str, ...]]] = {}

    @property
    def kind(self) -> Kind:
        """Kind of text that comes next. Headers count as reasoning."""
        return "reasoning" if self.in_header else self._part.kind or "answer"

    @property
    def in_header(self) -> bool:
        """True inside a header (which isn't shown), or if a header must come next."""
        return self._part.kind is None or self._between

    @property
    def call_start(self) -> str:
        """Marker before the latest call, or "" if it's part of the call."""
        return "" if self._call.keeps_start else self._call.start

    @property
    def call(self) -> list[str]:
        return self._call.chunks

    @property
    def in_code(self) -> bool:
        return self._code.after(self._held_text).is_open

    def disable_markers(self) -> str:
        self._set_markers(Markers())
        self._part, self._strip, self._at_start, self._between = _ANSWER, False, False, False
        self._held_text, self._blanks = self._blanks + self._held_text, ""
        return self._marks.unmap(self._held_text)

    @property
    def after_reasoning(self) -> str:
        return self._marks.unmap(self._held_text) if self._paused else ""

    def resume(self, dropped: int = 0) -> None:
        """Resume after the reasoning. Skips `dropped` characters of `after_reasoning`."""
        if self._paused:
            self._held_text = self._marks.map_text(self.after_reasoning[dropped:])
            self.reasoned += dropped
        self._paused = self.pauses = False

    def add(self, token: int, text: str) -> list[Delta]:
        marks = self._marks
        return self.feed(marks.map_text(text) if token in marks.token_ids else text)

    def feed_text(self, text: str) -> list[Delta]:
        """Process the text of several tokens. Added tokens spelled out in it count as tokens."""
        return self.feed(self._marks.map_text(text))

    def feed(self, text: str, last: bool = False) -> list[Delta]:
        """Add text, and return the deltas that are certain now, or no deltas after a stop
        string.
        """
        self._held_text += text
        self._fed_characters += len(self._marks.unmap(text))
        out: list[Delta] = []
        keep = 0
        while self.stop is None and not self._paused:
            position, marker = self._first_marker(last)
            if position < 0:
                break
            if not marker:  # the result depends on the text that follows
                keep = len(self._held_text) - position
                break
            if not last and len(self._held_text) - self._partial_marker_length() <= position:
                break  # a longer marker could start at or before this position
            self._emit(out, self._held_text[:position])
            self._held_text = self._held_text[position + len(marker) :]
            self._handle_marker(out, marker)
        if self.stop is not None:
            self._held_text = ""
        if self.stop is not None or (self._paused and not last):
            return out
        keep = max(keep, self._partial_marker_length())
        self._emit(out, self._held_text[: len(self._held_text) - keep])
        self._held_text = self._held_text[len(self._held_text) - keep :]
        return out

    def release(self) -> list[Delta]:
        """Return the held text, unless it may be the start of a marker. More text may follow."""
        out: list[Delta] = []
        if not self.has_partial_marker():
            self._emit(out, self._held_text)
            self._held_text = ""
        return out

    def finish(self, ended: bool = True) -> list[Delta]:
        """Return the text that is still held after the last token.

        Args:
            ended: True if the model ended its turn. If not, the text may end inside a marker, and
                that part isn't shown.
        """
        out = self.feed("", last=True)
        while self._call.doubtful:
            rest = "".join(self._call.doubtful[1:]) + self._held_text
            if not (
                self._call.was_complete or (ended and not rest.strip()) or self._last_doubtful_end()
            ):
                break
            self._end_doubtful_call(out)
            out += self.feed("", last=True)
        if self.has_partial_marker(ended):
            self.dropped_text, self._held_text = self._marks.unmap(self._held_text), ""
        if self.stop is None:
            self._emit(out, self._held_text)
        self._held_text = ""
        if self._call.doubtful:
            self._treat_as_quoted(out)
        if ended and self._part.kind == "tool":
            cut = bool(self._part.ends) and not is_complete(
                self._notation, "".join(self._call.chunks)
            )
            self._end_call(out, "", cut)
        return out

    def has_partial_marker(self, ended: bool = False) -> bool:
        """Return True if the held text could be part of a marker. `ended`: see `finish`."""
        text = self._held_text
        if not text or (ended and (len(text) <= _SHORT or text[0].isalpha())):
            return False
        if any(marker.startswith(text) for marker in (*self._part.ends, *self._halved)):
            return True
        starts = [
            start for start, f in self._starts.items() if f.keeps_start and text.startswith(start)
        ]
        return not ended and any(self._names_a_tool(text[len(mark) :]) is None for mark in starts)

    def _end_call(self, out: list[Delta], marker: str, cut: bool = False) -> None:
        call, end = self._call, self._marks.unmap(marker)
        self._call = _OpenCall(call.blanks, call.start, call.keeps_start)
        self._part, self._at_start = _ANSWER, True
        inside = "".join(call.chunks)
        written = CallText(inside, self.call_start, end, call.keeps_start, call.chunks)
        plain_text = self._judge(written, cut)
        if plain_text or not cut:
            self.calls.append(inside)
        else:
            self._call.chunks = call.chunks
            self._part = _Part("tool")
        if plain_text:
            self._code = Code()
            self._blanks = ""
            self._emit(out, call.blanks + plain_text)
        self._between = marker in self._closes

    def _treat_as_quoted(self, out: list[Delta]) -> None:
        """Treat the doubtful end marker as quoted. The text after it belongs to the call."""
        self._call.chunks += self._call.doubtful
        out += [(text, "tool") for text in self._call.doubtful]
        self._call.doubtful = []

    def _end_doubtful_call(self, out: list[Delta]) -> None:
        """End the call at the first doubtful end marker, or at the last if there are too many to
        parse.
        """
        at = self._last_doubtful_end()
        marker, rest = self._call.doubtful[at], self._call.doubtful[at + 1 :]
        self._call.doubtful = self._call.doubtful[:at]
        self._treat_as_quoted(out)
        self._held_text = self._marks.map_text("".join(rest)) + self._held_text
        self._end_call(out, self._marks.map_text(marker))

    def _last_doubtful_end(self) -> int:
        """Return the index of the last doubtful end marker, if the call is complete there, else 0.

        Only used if there are too many end markers to parse the call at each.
        """
        if self._call.checks <= _MAX_CHECKS:
            return 0
        doubtful, ends = self._call.doubtful, {self._marks.unmap(end) for end in self._part.ends}
        places = (n for n in range(len(doubtful) - 1, 0, -1) if doubtful[n] in ends)
        at = next(places, 0)
        is_complete_call = at and is_complete(
            self._notation, "".join([*self._call.chunks, *doubtful[:at]])
        )
        return at if is_complete_call else 0

    def _watch_pattern(self) -> tuple[re.Pattern[str], tuple[str, ...]]:
        state = (self._part, self._has_emitted, bool(self._call.doubtful))
        if state not in self._patterns:
            strings = sorted({s for s in self._watched_strings() if s}, key=len, reverse=True)
            expression = "|".join(map(re.escape, strings)) or r"(?!)"
            self._patterns[state] = (re.compile(expression), tuple(strings))
        return self._patterns[state]

    def _watched_strings(self) -> Iterator[str]:
        m, part = self._markers, self._part
        if part.kind is None:
            yield m.header.end if m.header else ""
            return
        yield from part.ends
        if part.kind == "tool":
            yield from (start for start, frame in self._starts.items() if not frame.keeps_start)
            yield from m.header.starts if m.header is not None else ()
            return
        if m.header is not None:
            yield from (*m.header.starts, *m.header.closes, m.header.end)
        yield from m.dropped
        for frame in m.frames:
            if part.kind == "reasoning":
                if not frame.only_first and (frame.kind == "reasoning" or m.calls_end_reasoning):
                    yield frame.start
            elif frame.kind == "reasoning":
                yield from (*(() if self._has_emitted else (frame.start,)), *frame.ends)
            elif self._offered:
                yield from () if frame.is_plain else frame.ends
                yield from () if frame.only_first and self._has_emitted else (frame.start,)
        if part.kind == "answer":
            if m.header is not None and not self._has_emitted:
                yield from m.header.first
            yield from self._stops

    def _first_marker(self, last: bool) -> tuple[int, str]:
        """Return the position (or -1) of the first marker in the held text, and the marker.

        The marker is "" while it's unclear whether it counts.
        """
        pending, (watched, strings) = self._held_text, self._watch_pattern()
        code, at = self._code, 0
        match = watched.search(pending)
        while match is not None:
            code, at = (code.after(pending[at : match.start()]), match.start())
            for marker in strings:
                if pending.startswith(marker, at):
                    counts = self._is_marker(marker, at, code, last)
                    if counts or counts is None:
                        return at, marker if counts else ""
            match = watched.search(pending, at + 1)
        return -1, ""

    def _is_marker(self, marker: str, position: int, code: Code, last: bool) -> bool | None:
        """Return True if a string counts as a marker at this position, or None if that's
        unclear.
        """
        kind, rest = self._part.kind, self._held_text[position + len(marker) :]
        if kind is None or (kind == "answer" and marker in self._stops):
            return True
        blank_before = not self._held_text[:position].strip()
        if marker in self._firsts:
            return blank_before
        if kind == "tool":
            return self._ends_call(marker, position, rest, last)
        if code.is_open:
            closes = code.is_closed_in(rest, last)
            if closes:
                return False
            if closes is None and not last and (kind == "answer" or not self.eager):
                return False if self.eager else None
        if code.open_quote:
            if not rest and not last and not self.eager:
                return None
            if rest.startswith(code.open_quote):
                return False
        if marker in self._part.ends or marker in self._heads or marker in self._closes:
            return True
        frame = self._starts.get(marker)
        if frame is not None and frame.kind == "tool":
            return self._opens_call(frame, blank_before, code, rest, last)
        if frame is not None or marker in self._thought_ends:
            if kind == "reasoning" or (blank_before and not self._has_emitted):
                return True
            return self._is_stray(marker, code, rest, last)
        if marker in self._markers.dropped:
            return self._is_dropped(marker, blank_before, rest, last)
        # The whitespace belongs to a call that has ended.
        return self._at_start and bool(self.calls) and blank_before

    def _opens_call(
        self, frame: Frame, blank_before: bool, code: Code, rest: str, last: bool
    ) -> bool | None:
        if frame.only_first and not (blank_before and not self._has_emitted):
            return False
        if frame.keeps_start:
            return code.at_line_start and self._names_a_tool(rest)
        at_place = self._marks.has_token(frame.start) or code.at_line_start
        notation = NOTATIONS.get(self._notation)
        starts = notation.starts if notation is not None and not frame.is_plain else ""
        follows = rest.lstrip()[:1]
        if starts and not follows and not last and not self.eager:
            return None
        if starts and follows and follows not in starts:
            return at_place and self._calls_in_python(rest.lstrip(), last or self.eager)
        if starts and follows:
            return at_place or follows in "{["
        return at_place

    def _calls_in_python(self, text: str, last: bool) -> bool | None:
        heads = [f"{name}{call}" for name in self._names for call in ("(", ".call(")]
        if text.startswith(tuple(heads)):
            return True
        return None if not last and any(head.startswith(text) for head in heads) else False

    def _names_a_tool(self, text: str) -> bool | None:
        """Return True if text starts like a call of an offered tool, or None if that's unclear."""
        if any(name in text[:_MAX_NAME_CHARACTERS] for name in self._names):
            return True
        match = _FIRST_WORD.match(text)
        word, rest = match.groups() if match is not None else ("", "")
        words = (*_FIRST_WORDS, *self._names)
        if not (word in words if rest else any(offered.startswith(word) for offered in words)):
            return False
        if rest and self.eager:
            return True
        return None if len(text) < _MAX_NAME_CHARACTERS else False

    def _is_stray(self, marker: str, code: Code, rest: str, last: bool) -> bool | None:
        """Return True for an end marker of reasoning on a separate line, without a start marker."""
        if marker not in self._thought_ends or not self._marks.has_token(marker):
            return False
        if not rest and not last and not self.eager:
            return None
        return code.at_line_start and not code.is_indented and rest[:1] in ("", "\n")

    def _is_dropped(self, marker: str, blank_before: bool, rest: str, last: bool) -> bool | None:
        if self._marks.has_token(marker) or self._part.kind == "reasoning":
            return True
        words, dropped = marker.strip(), self._markers.dropped
        if not words.startswith(("</", "[END")):
            return blank_before and not self._has_emitted
        opener = words.replace("</", "<", 1)
        if rest.strip() or (opener != words and opener in dropped and opener not in self._dropped):
            return False
        return True if last else None

    def _ends_call(self, marker: str, position: int, rest: str, last: bool) -> bool | None:
        """Return True if the marker ends the call, or shows that the call has already ended."""
        if marker in self._part.ends:
            return True
        before = self._marks.unmap(self._held_text[:position])
        if marker in self._heads:
            if self._call.doubtful:
                return not "".join([*self._call.doubtful[1:], before]).strip()
            return self._is_complete([*self._call.chunks, before])
        text = self._marks.unmap(rest).lstrip()
        notation = NOTATIONS.get(self._notation)
        head = notation.head.match(text) if notation is not None else None
        if head is not None and head["name"] in self._names and (last or head.end() < len(text)):
            return bool(self._call.doubtful) or self._is_complete([*self._call.chunks, before])
        return None if len(text) < _MAX_NAME_CHARACTERS and not last else False

    def _handle_marker(self, out: list[Delta], marker: str) -> None:
        kind, opened = self._part.kind, self._starts.get(marker)
        if kind is None:
            self._end_header(out)
        elif kind == "answer" and marker in self._stops:
            self.stop = self._marks.unmap(marker)
        elif kind == "tool" and marker in self._part.ends:
            self._end_in_call(out, marker)
        elif kind == "tool":
            self._held_text = marker + self._held_text
            if self._call.doubtful:
                self._end_doubtful_call(out)
            else:
                self._end_call(out, "")
        elif marker in self._part.ends or marker in self._closes:
            self._close_part()
        elif marker in self._heads:
            self._close_part()
            self._part, self._header = _HEADER, marker if marker in self._firsts else ""
        elif opened is not None and opened.kind != kind:
            plain = self._marks.unmap(marker)
            if kind == "reasoning":
                self.reasoned = self._passed_characters() - len(plain)
            self._call = _OpenCall(self._blanks, plain, opened.keeps_start)
            self._open_part(_Part(opened.kind, opened.ends))
            self.opened = self._passed_characters()
            if opened.keeps_start:
                self._emit(out, marker)
        else:
            self._dropped.add(marker)
            self._strip = True

    def _passed_characters(self) -> int:
        return self._fed_characters - len(self._marks.unmap(self._held_text))

    def _open_part(self, part: _Part) -> None:
        self._part, self._blanks, self._strip = part, "", part.kind == "reasoning"
        self._between, self._code = False, Code()

    def _close_part(self) -> None:
        if self._part.kind == "reasoning":
            self._strip, self.reasoned = True, self._passed_characters()
            self._paused = self.pauses and self._markers.header is None
        self._part, self._between = _ANSWER, self._markers.header is not None
        self._code = Code()

    def _end_in_call(self, out: list[Delta], marker: str) -> None:
        """End the call if it's complete. If not, the end marker may be quoted.

        A complete call is followed by its end or another call. Any other text means that the call
        may continue, and that its end was only quoted.
        """
        is_complete_call = self._is_complete([*self._call.chunks, *self._call.doubtful])
        if is_complete_call and (self.eager or not self._may_be_quoted):
            self._treat_as_quoted(out)
            self._end_call(out, marker)
            return
        if is_complete_call:
            self._treat_as_quoted(out)
        if is_complete_call or not self._call.doubtful:
            self._call.was_complete = is_complete_call
        self._call.doubtful.append(self._marks.unmap(marker))

    def _is_complete(self, call: Iterable[str]) -> bool:
        self._call.checks += 1
        return self._call.checks <= _MAX_CHECKS and is_complete(self._notation, "".join(call))

    @property
    def _may_be_quoted(self) -> bool:
        """True if arguments are unescaped text that could contain the end of a call."""
        notation = NOTATIONS.get(self._notation)
        return notation is not None and notation.tags is not None

    def _end_header(self, out: list[Delta]) -> None:
        header = self._markers.header
        assert header is not None
        text, self._header = self._marks.unmap(self._header), ""
        kind = header.kind_of(text)
        self._open_part(_Part(kind, header.closes if kind == "tool" else ()))
        self.opened = self._passed_characters()
        if kind == "tool":
            self._call = _OpenCall()
            self._emit(out, f"{header.tool_name(text)} ")

    def _partial_marker_length(self) -> int:
        _, watched = self._watch_pattern()
        longest = len(watched[0]) if watched else 0
        firsts = {marker[0] for marker in watched}
        for at in range(max(0, len(self._held_text) - longest + 1), len(self._held_text)):
            if self._held_text[at] in firsts:
                end = self._held_text[at:]
                if any(w != end and w.startswith(end) and self._can_occur(w, at) for w in watched):
                    return len(end)
        return 0

    def _can_occur(self, marker: str, position: int) -> bool:
        return marker not in self._firsts or not self._held_text[:position].strip()

    def _emit(self, out: list[Delta], text: str) -> None:
        text = self._marks.unmap(text)
        if self._part.kind is None:
            self._header += text
            if len(self._header) <= _MAX_HEADER_CHARACTERS:
                return
            self._part, text, self._header = _ANSWER, self._header, ""
        kind = self._part.kind or "answer"
        if self._strip:
            text = text.lstrip("\n")
            if not text:
                return
            self._strip = False
        if kind == "answer" and self._at_start:
            text, self._blanks = self._blanks + text, ""
            if not text.strip():
                self._blanks = text
                return
            self._at_start = False
        if not text:
            return
        self._between = False
        if kind == "tool" and self._call.doubtful:
            self._call.doubtful.append(text)
            return
        out.append((text, kind))
        if kind == "tool":
            self._call.chunks.append(text)
            return
        self._code.feed(text)
        self._has_emitted = self._has_emitted or (kind == "answer" and bool(text.strip()))
