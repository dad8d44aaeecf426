"""Stacked recurrent states of sessions that decode together, kept between steps.

A step replaces the states as a whole, so the stack must have exactly the rows of the step, in the
same order, and is rebuilt if these change. While states are stacked, the sessions' caches contain
None.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any, Protocol

import mlx.core as mx

log = logging.getLogger(__name__)


class StackableState(Protocol):
    stack: StateStack | None  # stack that currently holds the states, or None

    @property
    def layers(self) -> Sequence[Any]: ...

    def drop(self) -> None: ...


class StateStack:
    def __init__(self) -> None:
        self.members: list[StackableState] = []  # sessions in row order
        self.caches: list[list[Any]] = []  # recurrent cache objects of each member
        # States `[members, ...]` of each recurrent layer.
        self.layers: list[list[mx.array]] = []

    @property
    def nbytes_each(self) -> int:
        total = sum(state.nbytes for states in self.layers for state in states)
        return total // max(1, len(self.members))

    def can_hold(self, rows: Sequence[StackableState]) -> bool:
        shapes = set()
        for kv in (kv for kv in rows if kv.stack is None):
            own_shapes = _state_shapes(state_caches(kv))
            if own_shapes is None:  # most models have no states
                return False
            shapes.add(own_shapes)
        if shapes and self.members and any(kv.stack is not None for kv in rows):
            shapes.add(tuple(state.shape[1:] for states in self.layers for state in states))
        return len(shapes) <= 1

    def arrange(self, rows: Sequence[StackableState], at_once: bool) -> None:
        """Stack the states of the given sessions, in this order. Other sessions are removed.

        Args:
            at_once: evaluate after each layer, so that only one layer's states exist twice. If this
                raises, all sessions lose their states.
        """
        row_ids = {id(kv) for kv in rows}
        for kv in [kv for kv in self.members if id(kv) not in row_ids]:
            self.leave(kv)
        entering = [kv for kv in rows if kv.stack is None]
        places = {id(kv): index for index, kv in enumerate((*self.members, *entering))}
        order = [places[id(kv)] for kv in rows]
        if order == list(range(len(self.members))):
            return
        new_caches = [state_caches(kv) for kv in entering]
        both = [*self.caches, *new_caches]
        layers = self.layers or [[] for _ in both[0]]
        # First, so that these sessions are found in the stack after an error, and dropped.
        self.members, self.caches, self.layers = list(rows), [both[index] for index in order], []
        for kv in entering:
            kv.stack = self
        stacks = []
        for layer, before in enumerate(layers):
            added = [caches[layer].cache for caches in new_caches]
            count = len(before or added[0])
            joined = [[*before[n : n + 1], *(states[n] for states in added)] for n in range(count)]
            stacks.append([_join_in_order(parts, order) for parts in joined])
            layers[layer] = []
            for caches in new_caches:
                caches[layer].cache = [None] * count
            if at_once:
                mx.eval(stacks[-1])
        self.layers = stacks

    def leave(self, kv: StackableState) -> None:
        """Copy a session's states back to its caches, or drop the caches after an error."""
        row = self.members.index(kv)
        try:
            for cache, states in zip(self.caches[row], self.layers, strict=True):
                cache.cache = [mx.contiguous(state[row : row + 1]) for state in states]
            mx.eval([cache.cache for cache in self.caches[row]])
            self.free(kv)
        except Exception as error:
            log.warning("lost a session's caches while moving them: %s", error)
            kv.drop()

    def free(self, kv: StackableState) -> None:
        """Free a session's states. After an error, the other members lose their states, too."""
        row = self.members.index(kv)
        kv.stack = None
        del self.members[row], self.caches[row]
        # Clear this first, so that no member can use another member's row after an error.
        layers, self.layers = self.layers, []
        if not self.members or not layers:
            return
        try:
            rest = mx.array([n for n in range(len(self.members) + 1) if n != row], mx.int32)
            self.layers = [[state[rest] for state in states] for states in layers]
        except Exception as error:
            log.warning("lost sessions' caches while moving their states: %s", error)
            for member in list(self.members):
                member.drop()


def _join_in_order(parts: list[mx.array], order: list[int]) -> mx.array:
    joined = parts[0] if len(parts) == 1 else mx.concatenate(parts)
    return joined if order == list(range(len(order))) else joined[mx.array(order, mx.int32)]


def state_caches(kv: StackableState) -> list[Any]:
    return [cache for cache in kv.layers if type(cache) is _state_class()]


def _state_shapes(caches: list[Any]) -> tuple[tuple[int, ...], ...] | None:
    states = [state for cache in caches for state in cache.cache]
    if not states or any(state is None for state in states):
        return None
    return tuple(state.shape[1:] for state in states)


@functools.cache
def _state_class() -> type[Any]:
    # Imported here because of `backend.preserved_file_limit`.
    from mlx_lm.models.cache import ArraysCache

    kind: type[Any] = ArraysCache
    return kind
