"""Slots: the keys and values of sessions that decode together, as rows of one buffer a layer.

With a cache of its own for each session, one layer of a shared step is half a dozen small
operations a row, and each costs ten microseconds to dispatch. In one buffer
`[slots, key heads, capacity, head dim]` all rows are written by one operation and attended to by
three. Each row reads its own slot, up to its own length. A slot is overwritten as a whole when a
session takes it, so nothing is left of the session before.

Only sessions whose keys are quick to move take a slot: plain KV caches of fewer than `MAX_TOKENS`
tokens. A session leaves its slot when its reply ends or pauses, when it has grown too long, and
whenever its caches are asked for (by a fork, the next prompt, the offload to disk).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Protocol

import mlx.core as mx

log = logging.getLogger(__name__)

MAX_TOKENS = 1024
"""From this length on attention takes so long that its dispatch does not matter."""
ALWAYS_TOGETHER = 256
"""Tokens. Sessions up to this length share a buffer; longer ones only with those of at least half
their length, because every slot is as long as the longest session's."""
GROWTH_TOKENS = 64
"""Tokens by which the buffers grow."""


class Occupant(Protocol):
    """What the slots need to know of a session's caches.

    Attributes:
        slots: the slots that hold its keys and values, or None.
    """

    slots: Slots | None

    @property
    def layers(self) -> Sequence[Any]:
        """One cache object a layer; their `keys` and `values` are None while in a slot."""

    def drop(self) -> None:
        """Give up the caches."""


class Slots:
    """The slots of one model's sessions.

    Attributes:
        occupants: the sessions' caches; the index is the slot.
        keys, values: one buffer `[slots, key heads, capacity, head dim]` a layer. The first
            `len(occupants)` slots are in use. Layers may differ in capacity.
    """

    def __init__(self) -> None:
        self.occupants: list[Occupant] = []
        self.keys: list[mx.array] = []
        self.values: list[mx.array] = []

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens in each slot that is in use."""
        return tuple(_length(kv) for kv in self.occupants)

    @property
    def nbytes_each(self) -> int:
        """Bytes of the buffers for each occupant: its slot and its part of the free ones."""
        total = sum(a.nbytes for a in (*self.keys, *self.values))
        return total // max(1, len(self.occupants))

    def assign(self, rows: Sequence[Occupant]) -> list[int]:
        """Give slots to those of `rows` that may have one; all others leave theirs.

        Returns the order in which to step the rows, as indices into `rows`: first those in slots,
        slot by slot, then the others.
        """
        chosen = _of_similar_length([kv for kv in rows if _may_enter(kv)])
        wanted = set(map(id, chosen))
        for kv in [kv for kv in self.occupants if id(kv) not in wanted]:
            self.leave(kv)
        self._enter([kv for kv in chosen if kv.slots is None])
        slot_of = {id(kv): slot for slot, kv in enumerate(self.occupants)}
        return sorted(range(len(rows)), key=lambda row: slot_of.get(id(rows[row]), len(rows)))

    def _enter(self, coming: list[Occupant]) -> None:
        before = len(self.occupants)
        if coming:
            count = before + len(coming)
            needed = max(map(_length, (*self.occupants, *coming))) + 1
            if not self.keys:
                self.keys = [_empty(cache.keys) for cache in coming[0].layers]
                self.values = [_empty(cache.values) for cache in coming[0].layers]
            if count > self.keys[0].shape[0]:
                count += count // 4  # so that not every session that enters copies the buffers
            self._grow(count, needed)
            for slot, kv in enumerate(coming, before):
                self._fill(slot, kv)
                kv.slots = self
                self.occupants.append(kv)
        elif self.occupants:
            self._grow(self.keys[0].shape[0], max(self.lengths) + 1)

    def _fill(self, slot: int, kv: Occupant) -> None:
        for buffers, name in ((self.keys, "keys"), (self.values, "values")):
            for layer, cache in enumerate(kv.layers):
                held = getattr(cache, name)[:, :, : cache.offset]
                # To the slot's end: the occupant before may have left a NaN there.
                room = buffers[layer].shape[2] - cache.offset
                buffers[layer][slot : slot + 1] = _padded(held, 0, room)
                setattr(cache, name, None)

    def _grow(self, count: int, needed: int) -> None:
        """Make the buffers large enough for `count` slots of `needed` tokens."""
        for buffers in (self.keys, self.values):
            for layer, old in enumerate(buffers):
                # The layers grow at different tokens: copying all of them in one step is slow.
                shift = 2 * layer % GROWTH_TOKENS
                capacity = -(-(needed + shift) // GROWTH_TOKENS) * GROWTH_TOKENS - shift
                more = max(0, count - old.shape[0]), max(0, capacity - old.shape[2])
                if any(more):
                    buffers[layer] = _padded(old, *more)

    def leave(self, kv: Occupant) -> None:
        """Copy a session's keys and values back to its caches and free its slot.

        If that fails, for lack of memory for instance, the session loses its caches and reads its
        tokens again.
        """
        slot = self.occupants.index(kv)
        for buffers, name in ((self.keys, "keys"), (self.values, "values")):
            for buffer, cache in zip(buffers, kv.layers, strict=True):
                held = buffer[slot : slot + 1, :, : cache.offset]
                setattr(cache, name, mx.contiguous(held))
        try:
            # At once: while a lazy copy refers to the buffers, each step would copy them whole.
            mx.eval([a for cache in kv.layers for a in (cache.keys, cache.values)])
            self.free(kv)
        except Exception as error:
            log.warning("A session's caches are lost, they could not be moved: %s", error)
            kv.drop()

    def free(self, kv: Occupant) -> None:
        """Free a session's slot without copying from it. The last occupant moves there."""
        slot, last = self.occupants.index(kv), len(self.occupants) - 1
        kv.slots = None
        self.occupants[slot] = self.occupants[last]
        self.occupants.pop()
        if not self.occupants:
            self.keys.clear()
            self.values.clear()
        elif 4 * last <= self.keys[0].shape[0]:
            both = (self.keys, self.values)
            self.keys, self.values = ([_some(b, 0, 2 * last) for b in half] for half in both)
        if self.occupants and slot != last:
            moving = [_some(buffer, last, last + 1) for buffer in (*self.keys, *self.values)]
            try:
                mx.eval(moving)
            except Exception as error:
                log.warning("A session's caches are lost with the step that failed: %s", error)
                return self.occupants[slot].drop()
            for buffer, moved in zip((*self.keys, *self.values), moving, strict=True):
                buffer[slot : slot + 1] = moved
        return None

    def write(self, layer: int, slots: mx.array, at: mx.array, keys: Any, values: Any) -> None:
        """Write one token's keys and values into each slot.

        Args:
            slots, at: the slots and the positions in them, `[occupants]`.
            keys, values: `[occupants, key heads, 1, head dim]`.
        """
        self.keys[layer][slots, :, at] = keys[:, :, 0]
        self.values[layer][slots, :, at] = values[:, :, 0]


def _of_similar_length(able: list[Occupant]) -> list[Occupant]:
    """The largest set of `able` whose lengths are similar; none when that would be one alone.

    A set with more sessions that have slots already is preferred to a larger one, because
    entering and leaving copies their keys.
    """

    def rank(group: list[Occupant]) -> tuple[int, int]:
        return sum(kv.slots is not None for kv in group), len(group)

    order = sorted(able, key=_length)
    if able and _length(order[-1]) <= max(ALWAYS_TOGETHER, 2 * _length(order[0])):
        return able if len(able) > 1 else []
    best: list[Occupant] = []
    for first, shortest in enumerate(order):
        most = max(ALWAYS_TOGETHER, 2 * _length(shortest))
        group = [kv for kv in order[first:] if _length(kv) <= most]
        if rank(group) > rank(best):
            best = group
    return best if len(best) > 1 else []


def _may_enter(kv: Occupant) -> bool:
    """Whether a slot can hold a session's caches for at least one more token."""
    if kv.slots is not None:
        return _length(kv) < MAX_TOKENS
    from mlx_lm.models.cache import KVCache

    length = kv.layers[0].offset if kv.layers and type(kv.layers[0]) is KVCache else 0
    same = all(type(cache) is KVCache and cache.offset == length for cache in kv.layers)
    return same and 0 < length < MAX_TOKENS


def _length(kv: Occupant) -> int:
    return int(kv.layers[0].offset)


def _empty(like: mx.array) -> mx.array:
    return mx.zeros((0, like.shape[1], 0, like.shape[3]), like.dtype)


def _some(buffer: mx.array, begin: int, end: int) -> mx.array:
    """A copy of some slots."""
    return mx.contiguous(buffer[begin:end])


def _padded(value: mx.array, slots: int, tokens: int) -> mx.array:
    return mx.pad(value, [(0, slots), (0, 0), (0, tokens), (0, 0)])
