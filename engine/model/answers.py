"""What a pass must know of an answer: its tokens, and what comes next."""

from __future__ import annotations

from typing import Any, Protocol

import mlx.core as mx

from engine.model.constraint import Constraint
from engine.model.odds import Odds
from engine.model.sampling import Sampler
from engine.params import SamplingParams


class Answer(Protocol):
    """What the runner must know of a reply.

    Attributes:
        tokens: the prompt and everything generated and read so far.
        next: the lazy id after them, sampled but not read yet; None where there is none.
        index: which token of the answer is chosen next.
        odds: takes note of how probable each token is; None where nobody asked.
    """

    tokens: list[int]
    next: Any
    params: SamplingParams
    sampler: Sampler
    constraint: Constraint | None
    odds: Odds | None

    @property
    def index(self) -> int: ...


def pending(answer: Answer) -> mx.array:
    """The pending token as `[1, 1]`: sampled and still lazy, or the last one known."""
    if answer.next is not None:
        following: mx.array = answer.next.reshape(1, 1)
        return following
    return mx.array([[answer.tokens[-1]]], mx.uint32)


def recent(answer: Answer) -> mx.array | None:
    """The latest token ids, the pending one included, for a sampler with penalties."""
    if not answer.params.uses_history:
        return None
    window = answer.params.penalty_window
    if answer.next is None:
        return mx.array(answer.tokens[-window:], mx.uint32)
    known = answer.tokens[-(window - 1) :] if window > 1 else []
    return mx.concatenate([mx.array(known, mx.uint32), answer.next.astype(mx.uint32).reshape(1)])


def recent_after(answer: Answer, fed: mx.array) -> mx.array | None:
    """As `recent` once `fed`, which begins with the pending token, has been accepted."""
    if not answer.params.uses_history:
        return None
    window = answer.params.penalty_window
    known = answer.tokens[max(0, len(answer.tokens) - window) :]
    return mx.concatenate([mx.array(known, mx.uint32), fed])[-window:]
