"""Whether a model fits the memory, with the arithmetic. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.hub.kv_cost import KVCost

HEADROOM_SHARE = 1 / 32
"""Of the budget: for beginnings of prompts that are kept, and buffers that come and go."""
LEAST_TOKENS = 4096
"""A model that has room for one chat of so many tokens is tight; with less room it is too large."""


class Verdict(Enum):
    """Whether it fits."""

    YES = "yes"
    TIGHT = "tight"
    NO = "no"


@dataclass(frozen=True)
class Fit:
    """The verdict and its sum, in bytes.

    Attributes:
        kv: of all chats together; None where the model's config does not tell it.
        tokens, chats: what that was reckoned for.
        budget: what models and chats may take together.
    """

    verdict: Verdict
    weights: int
    kv: int | None
    tokens: int
    chats: int
    headroom: int
    budget: int

    @property
    def needed(self) -> int:
        """Bytes in all."""
        return self.weights + (self.kv or 0) + self.headroom


def fit(
    weights: int, kv: KVCost | None, budget: int, tokens: int, chats: int, context: int = 0
) -> Fit:
    """Reckon whether a model fits.

    Args:
        weights: bytes of its weights.
        kv: what one chat costs, None where that is not known.
        budget: bytes that models and chats may take.
        tokens, chats: how long each chat is to become, and how many there are to be.
        context: the model's own limit; chats are not reckoned longer. 0 where it names none.
    """
    tokens = min(tokens, context) if context else tokens
    headroom = round(budget * HEADROOM_SHARE)
    cost = chats * kv.bytes(tokens) if kv is not None else None
    least = kv.bytes(min(tokens, LEAST_TOKENS)) if kv is not None else 0
    if weights + (cost or 0) + headroom <= budget:
        verdict = Verdict.YES
    elif weights + least + headroom <= budget:
        verdict = Verdict.TIGHT
    else:
        verdict = Verdict.NO
    return Fit(verdict, weights, cost, tokens, chats, headroom, budget)
