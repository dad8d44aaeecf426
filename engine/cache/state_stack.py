"""Recurrent states of sessions that decode together: stacked once, and not in every step.

A step reads a state whole and puts another in its place. So the stack has a row for each session of
the step, in the step's order, whatever their lengths; another stack is made where other sessions
decode, or in another order. Meanwhile the sessions' caches hold None.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any, Protocol

import mlx.core as mx

log = logging.getLogger(__name__)


class Stacked(Protocol):
    """What the stack needs to know of a session's caches."""

    stack: StateStack | None  # that holds its recurrent states, or None

    @property
    def layers(self) -> Sequence[Any]:
        """One cache object a layer."""

    def drop(self) -> None:
        """Give up the caches."""


class StateStack:
    """The recurrent states of one model's sessions that decode together."""

    def __init__(self) -> None:
        self.members: list[Stacked] = []  # the sessions' caches, in the order of their rows
        self.caches: list[list[Any]] = []  # of each of them those of its recurrent layers
        # of each of those layers its states `[members, ...]`
        self.layers: list[list[mx.array]] = []

    @property
    def nbytes_each(self) -> int:
        """Bytes of the stack for each member."""
        total = sum(state.nbytes for states in self.layers for state in states)
        return total // max(1, len(self.members))

    def can_hold(self, rows: Sequence[Stacked]) -> bool:
        """Whether sessions have recurrent states, all of them written and of the same shapes."""
        shapes = set()
        for kv in (kv for kv in rows if kv.stack is None):
            own = _shapes(state_caches(kv))
            if own is None:  # of most models nobody has any: one look a step tells it
                return False
            shapes.add(own)
        if shapes and self.members and any(kv.stack is not None for kv in rows):
            shapes.add(tuple(state.shape[1:] for states in self.layers for state in states))
        return len(shapes) <= 1

    def arrange(self, rows: Sequence[Stacked], at_once: bool) -> None:
        """Hold the states of these sessions, in this order, and no others'.

        Args:
            at_once: layer by layer, so that states are there twice of one layer only. If that
                fails, those of all sessions are lost.
        """
        wanted = {id(kv) for kv in rows}
        for kv in [kv for kv in self.members if id(kv) not in wanted]:
            self.leave(kv)
        coming = [kv for kv in rows if kv.stack is None]
        places = {id(kv): place for place, kv in enumerate((*self.members, *coming))}
        order = [places[id(kv)] for kv in rows]
        if order == list(range(len(self.members))):
            return
        new = [state_caches(kv) for kv in coming]
        both = [*self.caches, *new]
        held = self.layers or [[] for _ in both[0]]
        # First: what fails from here on is found in the stack, and given up with it.
        self.members, self.caches, self.layers = list(rows), [both[place] for place in order], []
        for kv in coming:
            kv.stack = self
        stacks = []
        for layer, before in enumerate(held):
            own = [caches[layer].cache for caches in new]
            count = len(before or own[0])
            joined = [[*before[n : n + 1], *(states[n] for states in own)] for n in range(count)]
            stacks.append([_in_order(parts, order) for parts in joined])
            held[layer] = []
            for caches in new:
                caches[layer].cache = [None] * count
            if at_once:
                mx.eval(stacks[-1])
        self.layers = stacks

    def leave(self, kv: Stacked) -> None:
        """Copy a session's states back to its caches.

        If that fails the session loses its caches and reads its tokens again.
        """
        row = self.members.index(kv)
        try:
            for cache, states in zip(self.caches[row], self.layers, strict=True):
                cache.cache = [mx.contiguous(state[row : row + 1]) for state in states]
            mx.eval([cache.cache for cache in self.caches[row]])
            self.free(kv)
        except Exception as error:
            log.warning("A session's caches are lost, they could not be moved: %s", error)
            kv.drop()

    def free(self, kv: Stacked) -> None:
        """Forget a session's states. If that fails, those of the others are lost as well."""
        row = self.members.index(kv)
        kv.stack = None
        del self.members[row], self.caches[row]
        # First: nobody may take a row of those before for its own.
        held, self.layers = self.layers, []
        if not self.members or not held:
            return
        try:
            rest = mx.array([n for n in range(len(self.members) + 1) if n != row], mx.int32)
            self.layers = [[state[rest] for state in states] for states in held]
        except Exception as error:
            log.warning("Sessions' caches are lost, their states could not be moved: %s", error)
            for other in list(self.members):
                other.drop()


def _in_order(parts: list[mx.array], order: list[int]) -> mx.array:
    joined = parts[0] if len(parts) == 1 else mx.concatenate(parts)
    return joined if order == list(range(len(order))) else joined[mx.array(order, mx.int32)]


def state_caches(kv: Stacked) -> list[Any]:
    """Those of a session's caches that hold a recurrent state."""
    return [cache for cache in kv.layers if type(cache) is _kind()]


def _shapes(caches: list[Any]) -> tuple[tuple[int, ...], ...] | None:
    """Of the states of one session; None where one is not there yet, or there are none at all."""
    states = [state for cache in caches for state in cache.cache]
    if not states or any(state is None for state in states):
        return None
    return tuple(state.shape[1:] for state in states)


@functools.cache
def _kind() -> type[Any]:
    # Not at the top of the file: see `backend.file_limit_kept`.
    from mlx_lm.models.cache import ArraysCache

    kind: type[Any] = ArraysCache
    return kind
