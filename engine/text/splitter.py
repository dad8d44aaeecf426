"""Generated tokens to what a person reads: answer, reasoning and tool calls, cut at stops.

Text that may still turn out to be the beginning of a marker or a stop string is held back until
the next tokens decide, so half a marker never leaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from engine.messages import Kind, Message
from engine.text import recognition
from engine.text.dialects import Markers
from engine.text.growing import GrowingText
from engine.text.tool_calls import Calling, Told

Delta = tuple[str, Kind]

_LONGEST_HEADER = 256
"""Characters after which a header without an end is taken for text: it is none."""
_SHORT = 3
"""Characters of a marker's beginning that a finished answer may well end with: a bracket, say."""


class _Part(NamedTuple):
    """What is being written."""

    kind: Kind | None  # None within a header
    ends: tuple[str, ...] = ()  # what ends it; empty where only the turn's end does, or a header


_ANSWER = _Part("answer")
_HEADER = _Part(None)
_NONE = (-1, 0, "")


class TextSplitter:
    """Splits a stream of text into deltas by kind, and finds the stop strings.

    Stop strings end the answer only: a blank line in the reasoning is no reason to fall silent.

    Args:
        reasoning: the prompt ends inside the reasoning.
        after_reasoning: it ends after reasoning that the template has closed.
        offered: tools were offered.

    Attributes:
        calls, call: the tool calls that are complete, each as it was written between its markers,
            and what there is of the next one.
        stop: the stop string that was found.
        unshown: what was left out at the end of text that was cut off, since a marker may have
            begun there.
    """

    def __init__(
        self,
        markers: Markers,
        stops: Iterable[str] = (),
        reasoning: bool = False,
        offered: bool = False,
        after_reasoning: bool = False,
    ) -> None:
        self._stops = tuple(stops)
        self._offered = offered
        self._watch(markers)
        self._part = _ANSWER
        if reasoning:
            ends = [end for f in markers.frames if f.kind == "reasoning" for end in f.ends]
            self._part = _Part("reasoning", tuple(ends))
        self._held = ""
        # The line breaks that templates put around the markers belong to neither side.
        self._strip = reasoning or after_reasoning
        self._begun = False  # some of the answer has been given
        # Blanks at the beginning and after a tool call count if more of the answer follows.
        self._at_start = True
        self._blanks = ""
        self.stop: str | None = None
        self._header = ""
        self._between = False  # a part with a header has ended, and no other has begun
        self.call = GrowingText()
        self.calls: list[str] = []
        self.unshown = ""

    def _watch(self, markers: Markers) -> None:
        self._markers = markers
        self._starts = {frame.start: frame for frame in markers.frames}
        header = markers.header
        self._heads = frozenset((*header.starts, *header.first) if header else ())
        self._closes = frozenset(header.closes if header else ())
        firsts = {start for start, frame in self._starts.items() if frame.first}
        self._firsts = firsts | set(header.first if header else ())
        self._halved = markers.all | self._heads | self._starts.keys()
        self._known: dict[tuple[_Part, bool], tuple[tuple[str, ...], frozenset[str], int]] = {}

    @property
    def kind(self) -> Kind:
        """What the text to come belongs to; a header to the reasoning, before it says otherwise."""
        return "reasoning" if self.in_header else self._part.kind or "answer"

    @property
    def in_header(self) -> bool:
        """Whether what comes is a header, which is not shown, or should be one."""
        return self._part.kind is None or self._between

    @property
    def stopped(self) -> bool:
        """Whether a stop string has been found."""
        return self.stop is not None

    @property
    def may_be_cut(self) -> bool:
        """Whether a marker may have begun that is not whole."""
        return self._is_half_a_marker(ended=False)

    def only_answer(self) -> str:
        """From here on all is answer, whatever it looks like; returns what is held back of it."""
        self._watch(Markers())
        self._part, self._strip, self._at_start, self._between = _ANSWER, False, False, False
        self._held, self._blanks = self._blanks + self._held, ""
        return self._held

    def feed(self, text: str, last: bool = False) -> list[Delta]:
        """The deltas that `text` makes certain. Nothing after a stop string."""
        self._held += text
        out: list[Delta] = []
        while not self.stopped:
            found = self._first_marker()
            if found is None:
                break
            position, marker = found
            if not last and len(self._held) - self._may_begin_marker() <= position:
                break  # one that begins no later and is longer may still come
            self._emit(out, self._held[:position])
            self._held = self._held[position + len(marker) :]
            self._pass(out, marker)
        if self.stopped:
            self._held = ""
            return out
        keep = self._may_begin_marker()
        self._emit(out, self._held[: len(self._held) - keep])
        self._held = self._held[len(self._held) - keep :]
        return out

    def release(self) -> list[Delta]:
        """What is held back, taken for plain text where no marker begins with it; more may come."""
        out: list[Delta] = []
        if not self._is_half_a_marker(ended=False):
            self._emit(out, self._held)
            self._held = ""
        return out

    def finish(self, ended: bool = True) -> list[Delta]:
        """What was held back, now that no more text comes.

        Args:
            ended: the model ended its turn. One that was cut off may have been in the middle of a
                marker, which is not shown.
        """
        out = self.feed("", last=True)
        if self._is_half_a_marker(ended):
            self.unshown, self._held = self._held, ""
        if not self.stopped:
            self._emit(out, self._held)
        self._held = ""
        if ended and self._part.kind == "tool" and not self._part.ends:
            self._end_call()
        return out

    def _is_half_a_marker(self, ended: bool) -> bool:
        held = self._held
        if not held or (ended and (len(held) <= _SHORT or held[0].isalpha())):
            return False
        return any(marker.startswith(held) for marker in (*self._part.ends, *self._halved))

    def _end_call(self) -> None:
        self.calls.append(str(self.call))
        self.call = GrowingText()
        self._at_start = True

    def _watched(self) -> tuple[tuple[str, ...], frozenset[str], int]:
        """What `_wanted` gives, the characters with which it begins, and the longest's length."""
        state = (self._part, self._begun)
        if state not in self._known:
            wanted = tuple(dict.fromkeys(s for s in self._wanted() if s))
            firsts = frozenset(s[0] for s in wanted)
            self._known[state] = (wanted, firsts, max(map(len, wanted), default=0))
        return self._known[state]

    def _wanted(self) -> Iterator[str]:
        """The strings that mean something where the text stands."""
        m, part = self._markers, self._part
        if part.kind is None:
            yield m.header.end if m.header else ""
            return
        yield from part.ends
        if m.header is not None and not (part.kind == "tool" and part.ends):
            yield from (*m.header.starts, *m.header.closes, m.header.end)
        if part.kind == "tool":
            return
        yield from m.dropped
        for frame in m.frames:
            if part.kind == "reasoning":
                if not frame.first and (frame.kind == "reasoning" or m.calls_end_reasoning):
                    yield frame.start
            else:
                yield from () if frame.plain else frame.ends
                if (self._offered or not frame.offered) and not (frame.first and self._begun):
                    yield frame.start
        if part.kind == "answer":
            if m.header is not None and not self._begun:
                yield from m.header.first
            yield from self._stops

    def _first_marker(self) -> tuple[int, str] | None:
        hits = [(self._held.find(w), -len(w), w) for w in self._watched()[0] if w in self._held]
        position, _, marker = min((h for h in hits if self._counts(h[0], h[2])), default=_NONE)
        return (position, marker) if marker else None

    def _counts(self, position: int, marker: str) -> bool:
        """Whether a string is a marker at that place of what is held."""
        return marker not in self._firsts or not self._held[:position].strip()

    def _pass(self, out: list[Delta], marker: str) -> None:
        """Go on after a marker."""
        kind, opened = self._part.kind, self._starts.get(marker)
        if kind is None:
            self._end_header(out)
        elif kind == "answer" and marker in self._stops:
            self.stop = marker
        elif marker in self._part.ends or marker in self._closes:
            self._close()
        elif marker in self._heads:
            self._close()
            self._part, self._header = _HEADER, marker if marker in self._firsts else ""
        elif opened is not None and opened.kind != kind:
            self._open(_Part(opened.kind, opened.ends))
            if opened.kept:
                self._emit(out, marker)
        else:
            self._strip = True

    def _open(self, part: _Part) -> None:
        self._part, self._blanks, self._strip = part, "", part.kind == "reasoning"
        self._between = False

    def _close(self) -> None:
        if self._part.kind == "tool":
            self._end_call()
        self._strip = self._strip or self._part.kind == "reasoning"
        self._part, self._between = _ANSWER, self._markers.header is not None

    def _end_header(self, out: list[Delta]) -> None:
        header = self._markers.header
        assert header is not None
        text, self._header = self._header, ""
        kind = header.kind(text)
        self._open(_Part(kind))
        if kind == "tool":
            self._emit(out, f"{header.tool(text)} ")

    def _may_begin_marker(self) -> int:
        """Length of the longest end of the held text that begins a watched string."""
        watched, firsts, longest = self._watched()
        for at in range(max(0, len(self._held) - longest + 1), len(self._held)):
            if self._held[at] in firsts:
                end = self._held[at:]
                if any(w != end and w.startswith(end) and self._counts(at, w) for w in watched):
                    return len(end)
        return 0

    def _emit(self, out: list[Delta], text: str) -> None:
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
        if text:
            self._between = False
            out.append((text, kind))
            self._begun = self._begun or (kind == "answer" and bool(text.strip()))
            if kind == "tool":
                self.call.add(text)


_KINDS: tuple[Kind, ...] = ("answer", "reasoning", "tool")

_MOST_SILENT = 64
"""Tokens after which text must come. A character has four bytes at most, so at most four tokens."""


class ReplyText:
    """The text of one reply, token by token, with a detokenizer of its own.

    Args:
        opened: what the template rendered.
        opening: what of it comes after the messages; None where that is not known.
        tools: those that were offered, in OpenAI's shape.
        one_call: the answer ends after its first call.
    """

    def __init__(
        self,
        tokenizer: Any,
        opened: str,
        stops: Iterable[str] = (),
        opening: str | None = None,
        tools: Sequence[dict[str, Any]] = (),
        one_call: bool = False,
    ) -> None:
        self._detokenizer = tokenizer.detokenizer
        self._dialect = recognition.of(tokenizer)
        self._calling = Calling(self._dialect.tool_format, tools, opened, one_call)
        markers = self._dialect.markers
        self._splitter = TextSplitter(
            markers,
            stops,
            markers.opens_reasoning(opened, opening),
            bool(tools),
            markers.closes_reasoning(opened),
        )
        # all text so far by kind
        self._parts = {kind: GrowingText() for kind in _KINDS}
        self._begun = 0  # characters of an answer that is being continued
        self._silent = 0  # tokens since the last text

    def take(self, text: str) -> None:
        """Take all text of an answer that was cut: it counts, but is not reported."""
        self._note(self._splitter.feed(text) + self._splitter.finish(ended=False))

    def resume(self, tokens: Iterable[int], follow: Callable[[int], None] | None) -> None:
        """Go on after the tokens of an answer's beginning, which were reported before.

        `follow` is called with each, its text having been added.
        """
        for token in tokens:
            self.add(token)
            if follow is not None:
                follow(token)
        self._note(self._splitter.release())
        self._begun = len(self._detokenizer.text)

    def after(self, tokens: Iterable[int]) -> None:
        """Go on after tokens that are not reported: blanks at the beginning then stay."""
        for token in tokens:
            self._detokenizer.add_token(token)
        self._begun = len(self._detokenizer.last_segment)

    @property
    def parts(self) -> dict[Kind, str]:
        """All text so far, by kind."""
        return {kind: str(text) for kind, text in self._parts.items()}

    @property
    def detokenizer(self) -> Any:
        """mlx-lm's, which is this reply's own."""
        return self._detokenizer

    @property
    def raw(self) -> str:
        """Everything generated so far as one text, markers and reasoning included."""
        return str(self._detokenizer.text)[self._begun :]

    def said(self) -> Message:
        """The whole answer as the prompts of later turns have it."""
        answer: Message = {"role": "assistant", "content": str(self._parts["answer"])}
        unshown = self._splitter.unshown
        if self.kind == "answer" and not unshown.endswith((">", "]")):
            # Most often it was text after all, and with it the next prompt fits the cache.
            answer["content"] += unshown
        if self._parts["tool"]:
            self._calling.follow(self.calls, "")
            made = self._calling.made
            whole = sum(map(len, self.calls)) == len(self._parts["tool"])
            if not made or not whole or self._calling.unreadable or not self._dialect.knows_calls:
                # The model must find its call again, in its place and framed as it wrote it.
                answer["content"] = self.without_reasoning
            else:
                answer["tool_calls"] = [call.as_message(name) for name, call in made]
        if thought := str(self._parts["reasoning"]):
            # The line break before the marker is the template's to write.
            lines = self._dialect.row.begun is None
            answer["reasoning_content"] = thought.rstrip("\n") if lines else thought
        return answer

    @property
    def without_reasoning(self) -> str:
        """The raw text from where the reasoning ends, tool calls as they were written."""
        written = str(self._detokenizer.text)
        ends = [
            end for f in self._dialect.markers.frames if f.kind == "reasoning" for end in f.ends
        ]
        after = max((written.rfind(end) + len(end) for end in ends if end in written), default=0)
        return written[after:].lstrip("\n") if after else written

    @property
    def kind(self) -> Kind:
        """What the text to come belongs to."""
        return self._splitter.kind

    @property
    def in_header(self) -> bool:
        """Whether what comes says what follows it, and is not shown."""
        return self._splitter.in_header

    @property
    def may_end(self) -> bool:
        """Whether it may be cut off here: not within a marker or a tool call."""
        return not (self.in_header or self.kind == "tool" or self._splitter.may_be_cut)

    def only_answer(self) -> str:
        """Take markers in the answer as text from here on; returns the answer so far."""
        return str(self._parts["answer"]) + self._splitter.only_answer()

    @property
    def call(self) -> str:
        """What has come of the tool call that is being written."""
        if self.kind != "tool":
            return ""
        start, _ = self._dialect.markers.call
        return self.raw.rpartition(start)[2] if start else str(self._splitter.call)

    @property
    def stopped(self) -> bool:
        """Whether a stop string has been found."""
        return self._splitter.stopped

    @property
    def stop(self) -> str | None:
        """The stop string that was found."""
        return self._splitter.stop

    def calls_told(self, over: bool = False) -> list[Told]:
        """What is new of the tool calls.

        Args:
            over: no more text comes.
        """
        return self._calling.follow(self.calls, self._splitter.call, over)

    @property
    def called_enough(self) -> bool:
        """Whether the answer has the only call that is wanted."""
        return self._calling.enough

    @property
    def calls(self) -> list[str]:
        """The tool calls that are complete."""
        return self._splitter.calls

    def add(self, token: int) -> list[Delta]:
        """The deltas that one more token makes certain."""
        self._detokenizer.add_token(token)
        segment = self._detokenizer.last_segment
        self._silent = 0 if segment else self._silent + 1
        if self._silent >= _MOST_SILENT:
            # Bytes that are no character are decoded anew with each token, longer every time.
            self._flush()
            segment, self._silent = self._detokenizer.last_segment, 0
        return self._note(self._splitter.feed(segment))

    def finish(self, ended: bool = True) -> list[Delta]:
        """The rest, including the bytes of an unfinished character.

        Args:
            ended: the model ended its turn, and was not cut off.
        """
        self._flush()
        rest = self._detokenizer.last_segment
        if not ended and self._splitter.may_be_cut and not rest.strip("\ufffd"):
            rest = ""  # half a character of a marker
        deltas = self._splitter.feed(rest)
        return self._note(deltas + self._splitter.finish(ended))

    def _flush(self) -> None:
        """Take what is pending for text, whole characters or not."""
        try:
            self._detokenizer.finalize()
        except KeyError:  # mlx-lm's for bytes: half a character before a token of letters
            self._detokenizer._unflushed = ""

    def _note(self, deltas: list[Delta]) -> list[Delta]:
        for text, kind in deltas:
            self._parts[kind].add(text)
        return deltas
