"""Answers whose tool calls are bound to their tools' schemas (`SamplingParams.tool_form`)."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from engine.model.constraint import Constraint
from engine.model.loaded import TextSide
from engine.params import SamplingParams
from engine.text import recognition
from engine.text.splitter import ReplyText


class RequiredCalls(Constraint):
    """The answer is calls and nothing else. Their markers stay markers: what they frame is told."""

    def _begin_answer(self) -> str:
        # Without what the template or the model has written around the reasoning.
        return self._text.without_reasoning


class HeadedCalls(Constraint):
    """Required calls where headers say what a part is: all is bound, thoughts as free text."""

    def accept(self, token: int) -> None:
        """As `Constraint.accept`."""
        self._follow([token])

    def allowed(self, vocab: int) -> mx.array:
        """As `Constraint.allowed`."""
        return self._next(vocab)


class FreeCalls(Constraint):
    """What is no call is free; in a call only what its tool takes may come.

    A header may name a tool that was not offered. That call stays free, and is told as broken.

    Args:
        opens: the token that opens a call, -1 where several make its marker.
        closes: a marker closes each call; without one they last until the answer ends.
        headed: a header says that a call comes, and which tool it calls.
    """

    def __init__(
        self,
        matcher: Any,
        tokenizer: Any,
        text: ReplyText,
        opens: int,
        closes: bool,
        headed: bool = False,
    ) -> None:
        super().__init__(matcher, tokenizer, text, -1)
        self._headed = headed
        self._opens = opens
        self._closes = closes
        self._calling = False
        self._closed = 0  # calls; the text of the last one may come a token later

    def accept(self, token: int) -> None:
        """As `Constraint.accept`."""
        kind = self._text.kind
        if self._calling:
            self._follow([token])
            if self.complete and self._closes:
                self._calling = self.complete = False
                self._closed += 1
        elif (kind == "tool" and len(self._text.calls) >= self._closed) or (
            kind == "answer" and token == self._opens
        ):
            self._matcher.reset()
            begun = self._tokenizer.tokenize_str(self._text.call)
            if self._headed and self._matcher.validate_tokens(begun) < len(begun):
                self._closed += 1
                return
            self._calling = True
            self._follow(begun)

    def allowed(self, vocab: int) -> mx.array:
        """As `Constraint.allowed`."""
        if self._calling:
            return self._next(vocab)
        return mx.array(np.ones(vocab, bool))


def of_calls(
    matcher: Any, model: TextSide, params: SamplingParams, text: ReplyText, opens_reasoning: int
) -> Constraint:
    """The constraint of a `tool_form`, whose grammar the matcher follows."""
    assert params.tool_form is not None
    known = model.forms.tokenizer
    markers = recognition.of(model.tokenizer).markers
    if params.tool_form.required:
        if markers.header is not None:
            return HeadedCalls(matcher, known, text, -1)
        return RequiredCalls(matcher, known, text, opens_reasoning)
    start, end = markers.call
    ids = model.tokenizer.encode(start, add_special_tokens=False) if start else []
    opens = int(ids[0]) if len(ids) == 1 else -1
    return FreeCalls(matcher, known, text, opens, bool(end), not start)
