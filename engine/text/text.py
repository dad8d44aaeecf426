"""From generated tokens to what a person reads: answer, reasoning and tool calls, cut at stops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.messages import Kind, Message
from engine.text import recognition
from engine.text.dialects import Markers
from engine.text.splitter import Delta, TextSplitter
from engine.text.tool_calls import Calling, Told

__all__ = ["Delta", "Markers", "ReplyText", "TextSplitter"]


_MOST_SILENT = 64
"""Tokens after which text must come. A character has four bytes at most, so at most four tokens."""


class ReplyText:
    """The text of one reply, token by token, with a detokenizer of its own.

    Args:
        opened: what the template rendered.
        opening: what of it comes after the messages; None where that cannot be told.
        tools: those that were offered, in OpenAI's shape.
        one_call: the answer ends after its first call.

    Attributes:
        parts: all text so far by kind.
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
        self.parts: dict[Kind, str] = {"answer": "", "reasoning": "", "tool": ""}
        self._begun = 0  # characters of an answer that is being continued
        self._silent = 0  # tokens since the last text

    def take(self, text: str) -> None:
        """Take all text of an answer that was cut: it counts, but nobody is told."""
        self._note(self._splitter.feed(text) + self._splitter.finish(ended=False))

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

    def said(self) -> Message:
        """The whole answer as the prompts of later turns have it."""
        answer: Message = {"role": "assistant", "content": self.parts["answer"]}
        unshown = self._splitter.unshown
        if self.kind == "answer" and not unshown.endswith((">", "]")):
            # Most often it was text after all, and with it the next prompt fits the cache.
            answer["content"] += unshown
        if self.parts["tool"]:
            self._calling.follow(self.calls, "")
            made = self._calling.made
            whole = sum(map(len, self.calls)) == len(self.parts["tool"])
            if not made or not whole or self._calling.unreadable or not self._dialect.knows_calls:
                # The model must find its call again, in its place and framed as it wrote it.
                answer["content"] = self.without_reasoning
            else:
                answer["tool_calls"] = [call.as_message(name) for name, call in made]
        if self.parts["reasoning"]:
            thought = self.parts["reasoning"]
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

    def only_answer(self) -> str:
        """Take markers in the answer as text from here on; returns the answer so far."""
        return self.parts["answer"] + self._splitter.only_answer()

    @property
    def call(self) -> str:
        """What has come of the tool call that is being written."""
        if self.kind != "tool":
            return ""
        start, _ = self._dialect.markers.call
        return self.raw.rpartition(start)[2] if start else self._splitter.call

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
            self.parts[kind] += text
        return deltas
