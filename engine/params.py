"""What a caller may ask of one reply. Validated here, trusted everywhere else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SamplingParams:
    """How the next token is chosen and when a reply ends.

    Attributes:
        max_tokens: longest reply in tokens, reasoning included; at least 1.
        temperature: 0 takes the most probable token; otherwise logits are divided by it. 0 to 10.
        top_p: keep the smallest set of tokens whose probabilities reach this sum. (0, 1].
        top_k: keep this many tokens; 0 keeps all.
        min_p: drop tokens less probable than this share of the most probable one. [0, 1].
        repetition_penalty: divides the positive and multiplies the negative logits of tokens seen
            among the last `penalty_window` tokens (Keskar et al. 2019, arXiv:1909.05858). 1 is off.
        presence_penalty: subtracted once from the logit of every such token. [-2, 2].
        frequency_penalty: subtracted once per occurrence among them. [-2, 2].
        penalty_window: how many of the latest tokens, prompt included, the penalties look at.
        logit_bias: token id to a number added to its logit.
        seed: same seed, same prompt, same text; None takes fresh entropy from the system.
        stop: strings that end the answer; they are not part of it.

    Raises:
        ValueError: names the field and says what it may be.
    """

    max_tokens: int = 2048
    temperature: float = 0.7
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_window: int = 64
    logit_bias: Mapping[int, float] = field(default_factory=dict, hash=False)
    seed: int | None = None
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop", _as_stops(self.stop))
        self._whole("max_tokens", 1)
        self._whole("top_k", 0)
        self._whole("penalty_window", 0)
        self._number("temperature", 0.0, 10.0)
        self._number("top_p", 0.0, 1.0)
        if self.top_p == 0.0:
            raise ValueError("top_p must be above 0 (and at most 1), not 0")
        self._number("min_p", 0.0, 1.0)
        self._number("repetition_penalty", 0.0, 10.0)
        if self.repetition_penalty == 0.0:
            raise ValueError("repetition_penalty must be above 0, not 0")
        self._number("presence_penalty", -2.0, 2.0)
        self._number("frequency_penalty", -2.0, 2.0)
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if self.seed is not None and not whole:
            raise ValueError(f"seed must be a whole number or None, not {self.seed!r}")
        object.__setattr__(self, "logit_bias", _as_bias(self.logit_bias))

    @property
    def uses_history(self) -> bool:
        """Whether choosing a token needs the tokens before it."""
        return (
            self.repetition_penalty != 1.0
            or self.presence_penalty != 0.0
            or self.frequency_penalty != 0.0
        ) and self.penalty_window > 0

    def _whole(self, name: str, low: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"{name} must be a whole number of at least {low}, not {value!r}")

    def _number(self, name: str, low: float, high: float) -> None:
        value = getattr(self, name)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not low <= value <= high  # also refuses NaN
        ):
            raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")


def _as_stops(stop: object) -> tuple[str, ...]:
    """One string, several, or None, as callers of other programs are used to giving them."""
    if stop is None:
        return ()
    stops = [stop] if isinstance(stop, str) else stop
    if isinstance(stops, (list, tuple)):
        good = [s for s in stops if isinstance(s, str) and s]
        if len(good) == len(stops):
            return tuple(good)
    raise ValueError(f"stop must be non-empty strings, not {stop!r}")


def _as_bias(bias: object) -> Mapping[int, float]:
    """A copy: the caller's own may change while the engine reads it."""
    if bias is None:
        return {}
    if not isinstance(bias, Mapping):
        raise ValueError(f"logit_bias must map token ids to numbers, not {bias!r}")
    for token, number in bias.items():
        if isinstance(token, bool) or not isinstance(token, int) or token < 0:
            raise ValueError(f"logit_bias must have token ids as keys, not {token!r}")
        real = isinstance(number, (int, float)) and not isinstance(number, bool)
        if not real or math.isnan(number):
            raise ValueError(f"logit_bias of token {token} must be a number, not {number!r}")
    return dict(bias)
