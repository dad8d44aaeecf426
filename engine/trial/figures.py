"""Shares and differences with the intervals that hold them 95 times of 100."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import comb, inf, sqrt
from statistics import NormalDist

from msgspec import Struct

Z = NormalDist().inv_cdf(0.975)


class Share(Struct, frozen=True):
    """How many of those that were decided have passed; `low` and `high` are shares (Wilson)."""

    passed: int
    of: int
    low: float
    high: float


class Difference(Struct, frozen=True):
    """How a variant differs from another one, prompt by prompt."""

    lost: int  # prompts that only the other one passes
    gained: int  # that only this one passes
    of: int  # prompts that are decided for both
    # low, high: of the difference of the shares, this one's less the other's (Tango)
    low: float
    high: float
    p: float  # how often chance alone would bring at least such a difference (exact McNemar)


def share(passed: int, of: int) -> Share:
    """The share with Wilson's interval (1927); anything between 0 and 1 where none is decided."""
    if not of:
        return Share(0, 0, 0.0, 1.0)
    part = passed / of
    middle = part + Z * Z / (2 * of)
    reach = Z * sqrt(part * (1 - part) / of + Z * Z / (4 * of * of))
    whole = 1 + Z * Z / of
    low, high = (middle - reach) / whole, (middle + reach) / whole
    # The formula is 0 or 1 there, but for rounding.
    return Share(passed, of, 0.0 if not passed else low, 1.0 if passed == of else high)


def difference(pairs: Iterable[tuple[bool | None, bool | None]]) -> Difference:
    """Of pairs (the other variant's, this one's); None is undecided, and such a pair is left out.

    The interval is Tango's score interval (Statistics in Medicine 17, 1998): it keeps to its 95 per
    cent with few prompts, too. The exact p is larger than the interval would have it with few.
    """
    decided = [(a, b) for a, b in pairs if a is not None and b is not None]
    lost = sum(a and not b for a, b in decided)
    gained = sum(b and not a for a, b in decided)
    of = len(decided)
    if not of:
        return Difference(0, 0, 0, -1.0, 1.0, 1.0)
    found = (gained - lost) / of

    def score(delta: float) -> float:
        """How many standard errors what was found lies above a difference of `delta`."""
        b = -gained - lost + (2 * of - gained + lost) * delta
        c = -lost * delta * (1 - delta)
        alone = (sqrt(max(b * b - 8 * of * c, 0.0)) - b) / (4 * of)
        spread = of * (2 * alone + delta * (1 - delta))
        above = gained - lost - of * delta
        return above / sqrt(spread) if spread > 1e-12 else (inf if above > 0 else -inf)

    low = -1.0 if found == -1 else _crossing(lambda d: score(d) > Z, -1.0, found)
    high = 1.0 if found == 1 else _crossing(lambda d: score(d) > -Z, found, 1.0)
    return Difference(lost, gained, of, low, high, _mcnemar(lost, gained))


def _crossing(above: Callable[[float], bool], low: float, high: float) -> float:
    """Where `above` turns from true to false."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return (low + high) / 2


def _mcnemar(lost: int, gained: int) -> float:
    of = lost + gained
    tail = sum(comb(of, k) for k in range(min(lost, gained) + 1))
    return min(1.0, 2 * tail / (1 << of))
