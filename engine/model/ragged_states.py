"""Recurrent states of many rows, in the shape of one cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx


class RaggedArrays:
    """One layer's recurrent states of N sessions: stacked when read, split when written.

    A session that has been fed nothing yet has none, as with a prompt of one token, and where a
    state is the last few tokens, a short one has fewer. What is missing is made up with zeros, as
    models do it that find no state: the others' may not be lost over it.
    """

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
        known = [state for state in states if state is not None]
        if not known:
            return None
        shape = tuple(map(max, *(s.shape for s in known))) if len(known) > 1 else known[0].shape
        return mx.concatenate([_filled(state, shape, known[0].dtype) for state in states])

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
        return all(cache.empty() for cache in self.rows)


def _filled(state: mx.array | None, shape: tuple[int, ...], dtype: mx.Dtype) -> mx.array:
    """A state with zeros before what it holds."""
    if state is None:
        return mx.zeros(shape, dtype)
    if state.shape == shape:
        return state
    return mx.pad(state, [(most - n, 0) for most, n in zip(shape, state.shape, strict=True)])


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
