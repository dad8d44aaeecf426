"""From generated tokens to what a person reads: answer, reasoning and tool calls, cut at stops.

Text that may still turn out to be the beginning of a marker or a stop string is held back until
the next tokens decide, so half a marker never leaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from engine.messages import Kind


@dataclass(frozen=True)
class Markers:
    """The strings with which a model frames its reasoning and its tool calls; "" where unknown."""

    think_start: str = ""
    think_end: str = ""
    tool_start: str = ""
    tool_end: str = ""

    @classmethod
    def of(cls, tokenizer: Any) -> Markers:
        """What mlx-lm found out about a tokenizer."""
        return cls(
            tokenizer.think_start or "",
            tokenizer.think_end or "",
            (tokenizer.tool_call_start or "") if tokenizer.has_tool_calling else "",
            (tokenizer.tool_call_end or "") if tokenizer.has_tool_calling else "",
        )

    def opens_reasoning(self, prompt: str) -> bool:
        """Whether a rendered prompt ends inside a reasoning block that its template opened."""
        # Only its very end tells: a message may speak of the marker.
        return bool(self.think_start) and prompt.rstrip().endswith(self.think_start)


Delta = tuple[str, Kind]


class TextSplitter:
    """Splits a stream of text into deltas by kind, and finds the stop strings.

    Stop strings end the answer only: a blank line in the reasoning is no reason to fall silent.

    Attributes:
        calls: the tool calls that are complete, each as it was written between its markers.
    """

    def __init__(self, markers: Markers, stops: Iterable[str] = (), reasoning: bool = False):
        self._markers = markers
        self._stops = tuple(stops)
        self._kind: Kind = "reasoning" if reasoning else "answer"
        self._held = ""
        # The line breaks that templates put around the markers belong to neither side.
        self._strip = reasoning
        self._stop: str | None = None
        self._call = ""  # the tool call that is being written
        self.calls: list[str] = []

    @property
    def kind(self) -> Kind:
        """What the text to come belongs to."""
        return self._kind

    @property
    def stopped(self) -> bool:
        """Whether a stop string has been found."""
        return self._stop is not None

    @property
    def stop(self) -> str | None:
        """The stop string that was found."""
        return self._stop

    def only_answer(self) -> str:
        """From here on all is answer, whatever it looks like; returns what is held back of it."""
        self._markers = Markers()
        self._kind, self._strip = "answer", False
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
            self._pass(marker)
        if self.stopped:
            self._held = ""
            return out
        keep = self._may_begin_marker()
        self._emit(out, self._held[: len(self._held) - keep])
        self._held = self._held[len(self._held) - keep :]
        return out

    def release(self) -> list[Delta]:
        """What is held back, taken for plain text; more may come."""
        out: list[Delta] = []
        self._emit(out, self._held)
        self._held = ""
        return out

    def finish(self) -> list[Delta]:
        """What was held back, now that no more text comes."""
        out = self.feed("", last=True)
        if not self.stopped:
            self._emit(out, self._held)
        self._held = ""
        if self._kind == "tool" and not self._markers.tool_end:
            self._end_call()
        return out

    def _end_call(self) -> None:
        self.calls.append(self._call)
        self._call = ""

    def _watched(self) -> tuple[str, ...]:
        m = self._markers
        if self._kind == "reasoning":
            return (m.think_end,) if m.think_end else ()
        if self._kind == "tool":
            return (m.tool_end,) if m.tool_end else ()
        return tuple(s for s in (m.think_start, m.tool_start, *self._stops) if s)

    def _first_marker(self) -> tuple[int, str] | None:
        hits = [(self._held.find(w), -len(w), w) for w in self._watched()]
        hits = [h for h in hits if h[0] >= 0]
        if not hits:
            return None
        position, _, marker = min(hits)
        return position, marker

    def _pass(self, marker: str) -> None:
        m = self._markers
        if self._kind == "answer":
            if marker in self._stops:
                self._stop = marker
            elif marker == m.think_start:
                self._kind, self._strip = "reasoning", True
            else:
                self._kind = "tool"
        else:
            if self._kind == "tool":
                self._end_call()
            self._strip = self._kind == "reasoning"
            self._kind = "answer"

    def _may_begin_marker(self) -> int:
        """Length of the longest end of the held text that begins a watched string."""
        longest = 0
        for watched in self._watched():
            for n in range(min(len(watched) - 1, len(self._held)), longest, -1):
                if self._held.endswith(watched[:n]):
                    longest = n
                    break
        return longest

    def _emit(self, out: list[Delta], text: str) -> None:
        if self._strip:
            text = text.lstrip("\n")
            if not text:
                return
            self._strip = False
        if text:
            out.append((text, self._kind))
            if self._kind == "tool":
                self._call += text


_MOST_SILENT = 64
"""Tokens after which text must come. A character has four bytes at most, so at most four tokens."""


class ReplyText:
    """The text of one reply, token by token, with a detokenizer of its own.

    Attributes:
        parts: all text so far by kind.
    """

    def __init__(self, tokenizer: Any, opened: str, stops: Iterable[str] = ()) -> None:
        self._detokenizer = tokenizer.detokenizer
        self._markers = Markers.of(tokenizer)
        reasoning = self._markers.opens_reasoning(opened)
        self._splitter = TextSplitter(self._markers, stops, reasoning)
        self.parts: dict[Kind, str] = {"answer": "", "reasoning": "", "tool": ""}
        self._begun = 0  # characters of an answer that is being continued
        self._silent = 0  # tokens since the last text

    def take(self, text: str) -> None:
        """Take text that was written before: it counts, but nobody is told."""
        self._note(self._splitter.feed(text) + self._splitter.release())

    def resume(self, tokens: Iterable[int], follow: Callable[[int], None] | None) -> None:
        """Go on after the tokens of an answer's beginning, which were told before.

        `follow` is called with each, its text having been added.
        """
        for token in tokens:
            self.add(token)
            if follow is not None:
                follow(token)
        self._note(self._splitter.release())
        self._begun = len(self._detokenizer.text)

    def after(self, tokens: Iterable[int]) -> None:
        """Go on after tokens that are told to nobody: blanks at the beginning then stay."""
        for token in tokens:
            self._detokenizer.add_token(token)
        self._begun = len(self._detokenizer.last_segment)

    @property
    def detokenizer(self) -> Any:
        """mlx-lm's, which is this reply's own."""
        return self._detokenizer

    @property
    def raw(self) -> str:
        """Everything generated so far as one text, markers and reasoning included."""
        return str(self._detokenizer.text)[self._begun :]

    @property
    def without_reasoning(self) -> str:
        """The raw text from where the reasoning ends, tool calls as they were written."""
        end = self._markers.think_end
        written = str(self._detokenizer.text)
        return written.rpartition(end)[2].lstrip("\n") if end and end in written else written

    @property
    def kind(self) -> Kind:
        """What the text to come belongs to."""
        return self._splitter.kind

    def only_answer(self) -> str:
        """Take markers in the answer as text from here on; returns the answer so far."""
        return self.parts["answer"] + self._splitter.only_answer()

    @property
    def call(self) -> str:
        """What has come of the tool call that is being written."""
        return self.raw.rpartition(self._markers.tool_start)[2] if self.kind == "tool" else ""

    @property
    def stopped(self) -> bool:
        """Whether a stop string has been found."""
        return self._splitter.stopped

    @property
    def stop(self) -> str | None:
        """The stop string that was found."""
        return self._splitter.stop

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

    def finish(self) -> list[Delta]:
        """The rest, including the bytes of an unfinished character."""
        self._flush()
        deltas = self._splitter.feed(self._detokenizer.last_segment)
        return self._note(deltas + self._splitter.finish())

    def _flush(self) -> None:
        """Take what is pending for text, whole characters or not."""
        try:
            self._detokenizer.finalize()
        except KeyError:  # mlx-lm's for bytes: half a character before a token of letters
            self._detokenizer._unflushed = ""

    def _note(self, deltas: list[Delta]) -> list[Delta]:
        for text, kind in deltas:
            self.parts[kind] += text
        return deltas
