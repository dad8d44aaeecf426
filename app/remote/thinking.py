"""Reasoning that a server has left in the text of an answer, between "<think>" and "</think>".

Servers without a parser for the model's reasoning send it so. Only the beginning of an answer is
looked at: what a model quotes later is its answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

Part = tuple[Literal["answer", "reasoning"], str]

OPENS, CLOSES = "<think>", "</think>"


class Thinking:
    """Takes an answer piece by piece. A marker may be cut anywhere."""

    def __init__(self) -> None:
        self._held, self._thought = "", False
        self._place: Literal["begin", "inside", "after", "out"] = "begin"

    def take(self, text: str) -> Iterator[Part]:
        """The parts that are certain by now."""
        self._held += text
        if self._place == "begin":
            self._begin()
        if self._place == "inside":
            yield from self._inside()
        if self._place == "after":
            self._held = self._held.lstrip("\n")
            self._place = "out" if self._held else "after"
        if self._place == "out":
            yield from self.rest()

    def rest(self) -> Iterator[Part]:
        """What was held back, at the end of the answer."""
        held, self._held = self._held, ""
        if held:
            yield ("reasoning" if self._place == "inside" else "answer"), held

    def _begin(self) -> None:
        said = self._held.lstrip()
        if said.startswith(OPENS):
            self._held, self._place = said[len(OPENS) :], "inside"
        elif not OPENS.startswith(said):
            self._place = "out"

    def _inside(self) -> Iterator[Part]:
        if not self._thought:
            self._held = self._held.lstrip("\n")
        thought, closed, after = self._held.partition(CLOSES)
        if closed:
            self._held, self._place = after, "after"
        else:
            kept = _begun(thought)
            thought, self._held = thought[: len(thought) - kept], thought[len(thought) - kept :]
        if thought:
            self._thought = True
            yield "reasoning", thought


def _begun(text: str) -> int:
    """How many characters at the end may begin the closing marker."""
    lengths = range(min(len(CLOSES) - 1, len(text)), 0, -1)
    return next((n for n in lengths if text.endswith(CLOSES[:n])), 0)
