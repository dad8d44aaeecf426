"""Recurrent states of many rows, in the shape of one cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx


class RaggedArrays:
    """One layer's recurrent states of N sessions: stacked when read, split when written."""

    left_padding = None
    lengths = None

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # Some models write a state only into an instance of mlx-lm's class.
        return type(self.rows[0])

    def __getitem__(self, index: int) -> mx.array | None:
        states = [cache[index] for cache in self.rows]
        return None if any(s is None for s in states) else mx.concatenate(states)

    def __setitem__(self, index: int, value: mx.array) -> None:
        for cache, state in zip(self.rows, mx.split(value, len(self.rows)), strict=True):
            cache[index] = state

    @property
    def cache(self) -> list[mx.array | None]:
        return [self[i] for i in range(len(self.rows[0].cache))]

    @property
    def offset(self) -> mx.array:
        return mx.array([cache.offset for cache in self.rows], mx.int32)

    def advance(self, n: int) -> None:
        for cache in self.rows:
            cache.advance(n)

    def make_mask(self, _n: int) -> None:
        return None  # nothing is padded

    def empty(self) -> bool:
        return any(cache.empty() for cache in self.rows)


class StackedArrays(RaggedArrays):
    """One layer's states of N sessions that are stacked already.

    Args:
        states: each `[N, ...]`; the step puts others there.
    """

    def __init__(self, rows: Sequence[Any], states: list[mx.array]) -> None:
        super().__init__(rows)
        self._states = states

    def __getitem__(self, index: int) -> mx.array | None:
        return self._states[index]

    def __setitem__(self, index: int, value: mx.array) -> None:
        self._states[index] = value

    def empty(self) -> bool:
        return False
