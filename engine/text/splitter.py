"""Splitting of generated text into answer, reasoning, and tool calls, up to a stop string.

Text that may be the beginning of a marker or a stop string is held back until further tokens
decide, so partial markers are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.messages import Kind
from engine.text.call_notations import NOTATIONS, is_whole
from engine.text.code_spans import Code
from engine.text.dialects import Frame, Markers
from engine.text.mark_tokens import MarkTokens
from engine.text.tool_calls import Written

Delta = tuple[str, Kind]

_LONGEST_HEADER = 256
"""Length in characters at which a header without an end counts as text."""
_SHORT = 3
"""Length of a partial marker, such as a bracket, with which a complete answer can plausibly end."""
_MOST_DOUBTS = 64
"""Limit on end markers in a call at which it is parsed. The time is proportional to their number
and the length of the call."""
_LONGEST_NAME = 64  # characters within which a call names its tool
_FIRST_WORD = re.compile(r"""[\s{\["']*(\w*)(.?)""", re.DOTALL)
_FIRST_WORDS = ("name", "type", "function")


class _Part(NamedTuple):
    """Part of the reply that is being written."""

    kind: Kind | None  # None within a header
    ends: tuple[str, ...] = ()  # its end markers; () if only a header or the turn's end ends it


_ANSWER = _Part("answer")
_HEADER = _Part(None)


class TextSplitter:
    """Splits a stream of text into deltas by kind, and finds stop strings.

    Stop strings apply to the answer only, not to reasoning.

    A marker counts only in places where a model would write it. In code spans and closed code
    blocks it is text. Reasoning starts at the beginning of a reply. Calls start if tools were
    offered, and at the beginning of a line if their marker is ordinary text. A call ends where it
    is complete, so its arguments can contain its end marker.

    Args:
        reasoning: the prompt ends inside the reasoning.
        after_reasoning: the prompt ends after reasoning that the template has closed.
        offered: tools were offered.
        notation: notation of the tool calls.
        names: names of the offered tools.
        judge: called with each text between call markers, and True if its end is missing. Returns
            the part that is not a call and must be shown.
        tokens: ids of the tokenizer's added tokens.

    Attributes:
        calls, call: texts between markers of complete calls, and the pieces of the next one.
        stop: stop string that was found.
        unshown: text left out at the end of an interrupted reply, because it may begin a marker.
        eager: markers in code count unless the code was closed before them.
        pauses: hold back the text after the reasoning until `go_on`.
        reasoned, opened: characters up to the end of the reasoning, and to the beginning of the
            last call.
    """

    def __init__(
        self,
        markers: Markers,
        stops: Iterable[str] = (),
        reasoning: bool = False,
        offered: bool = False,
        after_reasoning: bool = False,
        notation: str = "",
        names: Collection[str] = (),
        judge: Callable[[Written, bool], str] = lambda written, cut: "",
        tokens: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._offered = offered
        self._notation, self._names, self._judge = notation, names, judge
        self._marks = MarkTokens(markers, tokens)
        self._stops = frozenset(form for stop in stops for form in (stop, self._marks.of(stop)))
        self._watch(self._marks.markers)
        self._part = _ANSWER
        if reasoning:
            ends = [end for f in self._markers.frames if f.kind == "reasoning" for end in f.ends]
            self._part = _Part("reasoning", tuple(ends))
        self._held = ""
        self._code = Code()
        self._fed = 0  # characters
        # The line breaks that templates put around the markers belong to neither side.
        self._strip = reasoning or after_reasoning
        self._begun = False  # some of the answer has been given
        # Blanks at the beginning and after a tool call count if more of the answer follows.
        self._at_start = True
        self._blanks = ""
        self.stop: str | None = None
        self._header = ""
        self._between = False  # a part with a header has ended, and no other has begun
        self._frame = ("", "", False)  # blanks and the marker before the call, and if it is kept
        # what has come of a call from an end marker on that may be quoted in it
        self._doubtful: list[str] = []
        self._was_whole = False  # the call was, before the first of these markers
        self._doubts = 0  # end markers in the call so far
        self._dropped: set[str] = set()
        self.call: list[str] = []
        self.calls: list[str] = []
        self.unshown = ""
        self.eager = self.pauses = self._paused = False
        self.reasoned = self.opened = 0

    def _watch(self, markers: Markers) -> None:
        self._markers = markers
        self._starts = {frame.start: frame for frame in markers.frames}
        self._thought_ends = {e for f in markers.frames if f.kind == "reasoning" for e in f.ends}
        header = markers.header
        self._heads = frozenset((*header.starts, *header.first) if header else ())
        self._closes = frozenset(header.closes if header else ())
        self._firsts = frozenset(header.first if header else ())
        self._halved = markers.all | self._heads | self._starts.keys()
        self._known: dict[tuple[_Part, bool, bool], tuple[re.Pattern[str], tuple[str, ...]]] = {}

    @property
    def kind(self) -> Kind:
        """Kind of the text to come. Headers count as reasoning."""
        return "reasoning" if self.in_header else self._part.kind or "answer"

    @property
    def in_header(self) -> bool:
        """True if a header is being written, which is not shown, or is expected."""
        return self._part.kind is None or self._between

    @property
    def call_start(self) -> str:
        """Marker before the last call; "" if it is part of the call."""
        _, start, kept = self._frame
        return "" if kept else start

    @property
    def in_code(self) -> bool:
        """True if the next text is code, as far as is known."""
        return self._code.after(self._held).is_open

    @property
    def stopped(self) -> bool:
        """True if a stop string has been found."""
        return self.stop is not None

    @property
    def may_be_cut(self) -> bool:
        """True if the held text may be a partial marker."""
        return self._is_half_a_marker(ended=False)

    def only_answer(self) -> str:
        """Treat all further text as the answer. Return the text held back."""
        self._watch(Markers())
        self._part, self._strip, self._at_start, self._between = _ANSWER, False, False, False
        self._held, self._blanks = self._blanks + self._held, ""
        return self._marks.plain(self._held)

    @property
    def after_reasoning(self) -> str:
        """Text held back since the end of the reasoning."""
        return self._marks.plain(self._held) if self._paused else ""

    def go_on(self, dropped: int = 0) -> None:
        """Continue after the reasoning.

        Args:
            dropped: number of leading characters of `after_reasoning` to leave out.
        """
        if self._paused:
            self._held = self._marks.of(self.after_reasoning[dropped:])
            self.reasoned += dropped
        self._paused = self.pauses = False

    def add(self, token: int, text: str) -> list[Delta]:
        """Process a token, and the text that it completes."""
        return self.feed(self._marks.of_token(token, text))

    def take(self, text: str) -> list[Delta]:
        """Process the text of many tokens. Each added token spelled in it counts as one."""
        return self.feed(self._marks.of(text))

    def feed(self, text: str, last: bool = False) -> list[Delta]:
        """Return the deltas that more text makes certain. Returns nothing after a stop string."""
        self._held += text
        self._fed += len(self._marks.plain(text))
        out: list[Delta] = []
        keep = 0
        while not self.stopped and not self._paused:
            position, marker = self._first_marker(last)
            if position < 0:
                break
            if not marker:  # what follows decides about it
                keep = len(self._held) - position
                break
            if not last and len(self._held) - self._may_begin_marker() <= position:
                break  # one that begins no later and is longer may still come
            self._emit(out, self._held[:position])
            self._held = self._held[position + len(marker) :]
            self._pass(out, marker)
        if self.stopped:
            self._held = ""
        if self.stopped or (self._paused and not last):
            return out
        keep = max(keep, self._may_begin_marker())
        self._emit(out, self._held[: len(self._held) - keep])
        self._held = self._held[len(self._held) - keep :]
        return out

    def release(self) -> list[Delta]:
        """Return the held text as plain text, unless it begins a marker. More text may follow."""
        out: list[Delta] = []
        if not self._is_half_a_marker(ended=False):
            self._emit(out, self._held)
            self._held = ""
        return out

    def finish(self, ended: bool = True) -> list[Delta]:
        """Return the held text after the last token.

        Args:
            ended: True if the model ended its turn. Otherwise the text may end within a marker,
                which is not shown.
        """
        out = self.feed("", last=True)
        while self._doubtful:
            rest = "".join(self._doubtful[1:]) + self._held
            if not (self._was_whole or (ended and not rest.strip()) or self._last_end()):
                break
            self._cut_in_doubt(out)
            out += self.feed("", last=True)
        if self._is_half_a_marker(ended):
            self.unshown, self._held = self._marks.plain(self._held), ""
        if not self.stopped:
            self._emit(out, self._held)
        self._held = ""
        self._settle(out)
        if ended and self._part.kind == "tool":
            cut = bool(self._part.ends) and not is_whole(self._notation, "".join(self.call))
            self._end_call(out, "", cut)
        return out

    def _is_half_a_marker(self, ended: bool) -> bool:
        held = self._held
        if not held or (ended and (len(held) <= _SHORT or held[0].isalpha())):
            return False
        if any(marker.startswith(held) for marker in (*self._part.ends, *self._halved)):
            return True
        kept = [start for start, f in self._starts.items() if f.kept and held.startswith(start)]
        return not ended and any(self._names_a_tool(held[len(one) :]) is None for one in kept)

    def _end_call(self, out: list[Delta], marker: str, cut: bool = False) -> None:
        """Continue after a call. Emit it as text if it is not one."""
        blanks, start, kept = self._frame
        pieces, self.call = self.call, []
        inside, end = "".join(pieces), self._marks.plain(marker)
        self._part, self._doubts, self._at_start = _ANSWER, 0, True
        written = Written(inside, "" if kept else start, end, kept, pieces)
        shown = self._judge(written, cut)
        if shown or not cut:
            self.calls.append(inside)
        else:
            self.call = pieces
            self._part = _Part("tool")
        if shown:
            self._code = Code()
            self._blanks = ""
            self._emit(out, blanks + shown)
        self._between = marker in self._closes

    def _settle(self, out: list[Delta]) -> None:
        """Add the text after a quoted end marker to the call."""
        self.call += self._doubtful
        out += [(text, "tool") for text in self._doubtful]
        self._doubtful = []

    def _cut_in_doubt(self, out: list[Delta]) -> None:
        """End the call at the first end marker in doubt.

        If there were too many to parse the call at each, end it at the last one.
        """
        at = self._last_end()
        marker, rest = self._doubtful[at], self._doubtful[at + 1 :]
        self._doubtful = self._doubtful[:at]
        self._settle(out)
        self._held = self._marks.of("".join(rest)) + self._held
        self._end_call(out, self._marks.of(marker))

    def _last_end(self) -> int:
        """Return the index of the last end marker in doubt if the call is complete there, else 0.

        Used after too many markers. Before that, the call is parsed at each.
        """
        if self._doubts <= _MOST_DOUBTS:
            return 0
        doubtful, ends = self._doubtful, {self._marks.plain(end) for end in self._part.ends}
        places = (n for n in range(len(doubtful) - 1, 0, -1) if doubtful[n] in ends)
        at = next(places, 0)
        whole = at and is_whole(self._notation, "".join([*self.call, *doubtful[:at]]))
        return at if whole else 0

    def _watched(self) -> tuple[re.Pattern[str], tuple[str, ...]]:
        """Return the strings of `_wanted` as a pattern, and sorted by length, longest first."""
        state = (self._part, self._begun, bool(self._doubtful))
        if state not in self._known:
            wanted = sorted({s for s in self._wanted() if s}, key=len, reverse=True)
            expression = "|".join(map(re.escape, wanted)) or r"(?!)"
            self._known[state] = (re.compile(expression), tuple(wanted))
        return self._known[state]

    def _wanted(self) -> Iterator[str]:
        """Yield the strings that are markers in the current part."""
        m, part = self._markers, self._part
        if part.kind is None:
            yield m.header.end if m.header else ""
            return
        yield from part.ends
        if part.kind == "tool":
            yield from (start for start, frame in self._starts.items() if not frame.kept)
            yield from m.header.starts if m.header is not None else ()
            return
        if m.header is not None:
            yield from (*m.header.starts, *m.header.closes, m.header.end)
        yield from m.dropped
        for frame in m.frames:
            if part.kind == "reasoning":
                if not frame.first and (frame.kind == "reasoning" or m.calls_end_reasoning):
                    yield frame.start
            elif frame.kind == "reasoning":
                yield from (*(() if self._begun else (frame.start,)), *frame.ends)
            elif self._offered:
                yield from () if frame.plain else frame.ends
                yield from () if frame.first and self._begun else (frame.start,)
        if part.kind == "answer":
            if m.header is not None and not self._begun:
                yield from m.header.first
            yield from self._stops

    def _first_marker(self, last: bool) -> tuple[int, str]:
        """Return the position of the first marker in the held text, or -1, and the marker.

        The marker is "" if further text decides whether it is one.
        """
        held, (watched, strings) = self._held, self._watched()
        code, at = self._code, 0
        found = watched.search(held)
        while found is not None:
            code, at = (code.after(held[at : found.start()]), found.start())
            for marker in strings:
                if held.startswith(marker, at):
                    counts = self._counts(marker, at, code, last)
                    if counts or counts is None:
                        return at, marker if counts else ""
            found = watched.search(held, at + 1)
        return -1, ""

    def _counts(self, marker: str, position: int, code: Code, last: bool) -> bool | None:
        """Return True if a string counts as a marker at this position, or None if undecided."""
        kind, rest = self._part.kind, self._held[position + len(marker) :]
        if kind is None or (kind == "answer" and marker in self._stops):
            return True
        blank_before = not self._held[:position].strip()
        if marker in self._firsts:
            return blank_before
        if kind == "tool":
            return self._counts_in_call(marker, position, rest, last)
        if code.is_open:
            closes = code.closes(rest, last)
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
            if kind == "reasoning" or (blank_before and not self._begun):
                return True
            return self._is_stray(marker, code, rest, last)
        if marker in self._markers.dropped:
            return self._is_dropped(marker, blank_before, rest, last)
        return self._at_start and bool(self.calls) and blank_before  # of a call that has ended

    def _opens_call(
        self, frame: Frame, blank_before: bool, code: Code, rest: str, last: bool
    ) -> bool | None:
        if frame.first and not (blank_before and not self._begun):
            return False
        if frame.kept:
            return code.at_line_start and self._names_a_tool(rest)
        at_place = self._marks.has_token(frame.start) or code.at_line_start
        known = NOTATIONS.get(self._notation)
        starts = known.starts if known is not None and not frame.plain else ""
        follows = rest.lstrip()[:1]
        if starts and not follows and not last and not self.eager:
            return None
        if starts and follows and follows not in starts:
            return at_place and self._calls_in_python(rest.lstrip(), last or self.eager)
        if starts and follows:
            return at_place or follows in "{["
        return at_place

    def _calls_in_python(self, text: str, last: bool) -> bool | None:
        """Return True if a text begins with a call of an offered tool in Python syntax."""
        heads = [f"{name}{call}" for name in self._names for call in ("(", ".call(")]
        if text.startswith(tuple(heads)):
            return True
        return None if not last and any(head.startswith(text) for head in heads) else False

    def _names_a_tool(self, text: str) -> bool | None:
        """Return True if a text begins like a call of an offered tool, or None if undecided."""
        if any(name in text[:_LONGEST_NAME] for name in self._names):
            return True
        found = _FIRST_WORD.match(text)
        word, more = found.groups() if found is not None else ("", "")
        words = (*_FIRST_WORDS, *self._names)
        if not (word in words if more else any(one.startswith(word) for one in words)):
            return False
        if more and self.eager:
            return True
        return None if len(text) < _LONGEST_NAME else False

    def _is_stray(self, marker: str, code: Code, rest: str, last: bool) -> bool | None:
        """Return True for an end marker of reasoning without a start, on its own line."""
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
            return blank_before and not self._begun
        opener = words.replace("</", "<", 1)
        if rest.strip() or (opener != words and opener in dropped and opener not in self._dropped):
            return False
        return True if last else None

    def _counts_in_call(self, marker: str, position: int, rest: str, last: bool) -> bool | None:
        """Return True if a call ends with this marker, or has ended before it."""
        if marker in self._part.ends:
            return True
        before = self._marks.plain(self._held[:position])
        if marker in self._heads:
            if self._doubtful:
                return not "".join([*self._doubtful[1:], before]).strip()
            return self._is_whole([*self.call, before])
        text = self._marks.plain(rest).lstrip()
        known = NOTATIONS.get(self._notation)
        head = known.head.match(text) if known is not None else None
        if head is not None and head["name"] in self._names and (last or head.end() < len(text)):
            return bool(self._doubtful) or self._is_whole([*self.call, before])
        return None if len(text) < _LONGEST_NAME and not last else False

    def _pass(self, out: list[Delta], marker: str) -> None:
        kind, opened = self._part.kind, self._starts.get(marker)
        if kind is None:
            self._end_header(out)
        elif kind == "answer" and marker in self._stops:
            self.stop = self._marks.plain(marker)
        elif kind == "tool" and marker in self._part.ends:
            self._end_in_call(out, marker)
        elif kind == "tool":
            self._held = marker + self._held
            if self._doubtful:
                self._cut_in_doubt(out)
            else:
                self._end_call(out, "")
        elif marker in self._part.ends or marker in self._closes:
            self._close()
        elif marker in self._heads:
            self._close()
            self._part, self._header = _HEADER, marker if marker in self._firsts else ""
        elif opened is not None and opened.kind != kind:
            plain = self._marks.plain(marker)
            if kind == "reasoning":
                self.reasoned = self._passed() - len(plain)
            self._frame = (self._blanks, plain, opened.kept)
            self._open(_Part(opened.kind, opened.ends))
            self.opened = self._passed()
            if opened.kept:
                self._emit(out, marker)
        else:
            self._dropped.add(marker)
            self._strip = True

    def _passed(self) -> int:
        """Return the number of characters before the held text."""
        return self._fed - len(self._marks.plain(self._held))

    def _open(self, part: _Part) -> None:
        self._part, self._blanks, self._strip = part, "", part.kind == "reasoning"
        self._between, self._code = False, Code()

    def _close(self) -> None:
        if self._part.kind == "reasoning":
            self._strip, self.reasoned = True, self._passed()
            self._paused = self.pauses and self._markers.header is None
        self._part, self._between = _ANSWER, self._markers.header is not None
        self._code = Code()

    def _end_in_call(self, out: list[Delta], marker: str) -> None:
        """End the call if it is complete. Otherwise the end marker may be quoted.

        A complete call is followed by its end or another call. Other text may show that the call
        continues, so that its whole end was quoted.
        """
        whole = self._is_whole([*self.call, *self._doubtful])
        if whole and (self.eager or not self._may_be_quoted):
            self._settle(out)
            self._end_call(out, marker)
            return
        if whole:
            self._settle(out)
        if whole or not self._doubtful:
            self._was_whole = whole
        self._doubtful.append(self._marks.plain(marker))

    def _is_whole(self, call: Iterable[str]) -> bool:
        self._doubts += 1
        return self._doubts <= _MOST_DOUBTS and is_whole(self._notation, "".join(call))

    @property
    def _may_be_quoted(self) -> bool:
        """True if arguments are unescaped text, which can contain the end of a call."""
        known = NOTATIONS.get(self._notation)
        return known is not None and known.tags is not None

    def _end_header(self, out: list[Delta]) -> None:
        header = self._markers.header
        assert header is not None
        text, self._header = self._marks.plain(self._header), ""
        kind = header.kind(text)
        self._open(_Part(kind, header.closes if kind == "tool" else ()))
        self.opened = self._passed()
        if kind == "tool":
            self._frame = ("", "", False)
            self._emit(out, f"{header.tool(text)} ")

    def _may_begin_marker(self) -> int:
        """Return the length of the longest end of the held text that begins a watched string."""
        _, watched = self._watched()
        longest = len(watched[0]) if watched else 0
        firsts = {marker[0] for marker in watched}
        for at in range(max(0, len(self._held) - longest + 1), len(self._held)):
            if self._held[at] in firsts:
                end = self._held[at:]
                if any(w != end and w.startswith(end) and self._may_come(w, at) for w in watched):
                    return len(end)
        return 0

    def _may_come(self, marker: str, position: int) -> bool:
        return marker not in self._firsts or not self._held[:position].strip()

    def _emit(self, out: list[Delta], text: str) -> None:
        text = self._marks.plain(text)
        if self._part.kind is None:
            self._header += text
            if len(self._header) <= _LONGEST_HEADER:
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
        if kind == "tool" and self._doubtful:
            self._doubtful.append(text)
            return
        out.append((text, kind))
        if kind == "tool":
            self.call.append(text)
            return
        self._code.feed(text)
        self._begun = self._begun or (kind == "answer" and bool(text.strip()))
