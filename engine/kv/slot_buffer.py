"""One buffer of slots: the keys and values of sessions of like length, as rows of one array."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from typing import Any, Protocol

import mlx.core as mx

from engine.kv.slot_policy import BLOCK, SlotPolicy

log = logging.getLogger(__name__)


class Occupant(Protocol):
    """What the slots need to know of a session's caches.

    Attributes:
        slots: the buffer that holds its keys and values, or None.
    """

    slots: SlotBuffer | None

    @property
    def layers(self) -> Sequence[Any]:
        """One cache object a layer; `keys` and `values` of plain ones are None while in a slot."""

    def drop(self) -> None:
        """Give up the caches."""


class SlotBuffer:
    """The slots of sessions of like length.

    Attributes:
        occupants: the sessions' caches; the index is the slot.
        keys, values: one buffer `[slots * key heads, capacity, head dim]` for each layer with plain
            caches, in which the heads of a slot follow each other: a step's token is written by
            one operation with one index a row. The first `len(occupants)` slots are in use. Layers
            may differ in capacity.
    """

    def __init__(self, policy: SlotPolicy) -> None:
        self.occupants: list[Occupant] = []
        self.keys: list[mx.array] = []
        self.values: list[mx.array] = []
        self._policy = policy
        self._slots = 0

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens in each slot that is in use."""
        return tuple(length_of(kv) for kv in self.occupants)

    @property
    def nbytes_each(self) -> int:
        """Bytes of the buffers for each occupant: its slot and its part of the free ones."""
        total = sum(a.nbytes for a in (*self.keys, *self.values))
        return total // max(1, len(self.occupants))

    def slots_of(self, buffer: mx.array) -> mx.array:
        """A layer's buffer as `[slots, key heads, capacity, head dim]`."""
        return buffer.reshape(self._slots, -1, *buffer.shape[1:])

    def enter(self, coming: Sequence[Occupant]) -> None:
        """Give slots to sessions, or to none; and room for one more token to all."""
        before = len(self.occupants)
        count = self._slots
        if coming:
            if not self.keys:
                self.keys = [_empty(cache.keys) for cache in plain_layers(coming[0])]
                self.values = [_empty(cache.values) for cache in plain_layers(coming[0])]
            if before + len(coming) > count:
                # A quarter more, so that not every session that enters copies the buffers.
                count = (before + len(coming)) * 5 // 4
            # First: what fails from here on is found in the slots, and given up with them.
            self.occupants.extend(coming)
            for kv in coming:
                kv.slots = self
        needed = max(self.lengths) + 1
        slots, self._slots = self._slots, count
        for layer in range(len(self.keys)):
            self._grow(layer, slots, needed)
            for slot, kv in enumerate(coming, before):
                self._fill(layer, slot, plain_layers(kv)[layer])
            if coming and self._policy.classes:
                # Layer by layer, so that long sessions are never there twice.
                mx.eval(self.keys[layer], self.values[layer])

    def _fill(self, layer: int, slot: int, cache: Any) -> None:
        for buffers, name in ((self.keys, "keys"), (self.values, "values")):
            held = getattr(cache, name)[0, :, : cache.offset]
            # To the slot's end: the occupant before may have left a NaN there.
            room = buffers[layer].shape[1] - cache.offset
            heads = held.shape[0]
            buffers[layer][slot * heads : (slot + 1) * heads] = _padded(held, 0, room)
            setattr(cache, name, None)

    def _grow(self, layer: int, slots: int, needed: int) -> None:
        """Make a layer's buffers, of so many slots, large enough for `needed` tokens in each."""
        block = self._policy.block(needed)
        # The layers grow at different tokens: copying all of them in one step is slow.
        shift = 2 * layer * (block // BLOCK) % block
        capacity = -(-(needed + shift) // block) * block - shift
        for buffers in (self.keys, self.values):
            old = buffers[layer]
            heads = old.shape[0] // max(1, slots) if slots else self._heads(layer)
            more = (self._slots - slots) * heads, max(0, capacity - old.shape[1])
            if any(more):
                buffers[layer] = _padded(old, *more)

    def _heads(self, layer: int) -> int:
        """Key heads of a layer, before there is a slot."""
        return int(plain_layers(self.occupants[0])[layer].keys.shape[1])

    def leave(self, kv: Occupant) -> None:
        """Copy a session's keys and values back to its caches and free its slot.

        If that fails, for lack of memory for instance, the session loses its caches and reads its
        tokens again.
        """
        slot, layers = self.occupants.index(kv), plain_layers(kv)
        for buffers, name in ((self.keys, "keys"), (self.values, "values")):
            for buffer, cache in zip(buffers, layers, strict=True):
                held = self.slots_of(buffer)[slot : slot + 1, :, : cache.offset]
                setattr(cache, name, mx.contiguous(held))
        try:
            # At once: while a lazy copy refers to the buffers, each step would copy them whole.
            mx.eval([a for cache in layers for a in (cache.keys, cache.values)])
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
            self._slots = 0
        elif 4 * last <= self._slots:
            both = (self.keys, self.values)
            self.keys, self.values = ([self._some(b, 0, 2 * last) for b in half] for half in both)
            self._slots = 2 * last
        if self.occupants and slot != last:
            moving = [self._some(buffer, last, last + 1) for buffer in (*self.keys, *self.values)]
            try:
                mx.eval(moving)
            except Exception as error:
                log.warning("A session's caches are lost with the step that failed: %s", error)
                return self.occupants[slot].drop()
            for buffer, moved in zip((*self.keys, *self.values), moving, strict=True):
                heads = moved.shape[0]
                buffer[slot * heads : (slot + 1) * heads] = moved
        return None

    def _some(self, buffer: mx.array, begin: int, end: int) -> mx.array:
        """A copy of some slots."""
        heads = buffer.shape[0] // self._slots
        return mx.contiguous(buffer[begin * heads : end * heads])

    def write(self, layer: int, places: tuple[mx.array, mx.array], keys: Any, values: Any) -> None:
        """Write one token's keys and values into each slot.

        Args:
            places: the rows of the buffers and the positions in them, `[occupants * key heads]`.
            keys, values: `[occupants, key heads, 1, head dim]`.
        """
        self.keys[layer][places] = keys.reshape(-1, keys.shape[-1])
        self.values[layer][places] = values.reshape(-1, values.shape[-1])


def length_of(kv: Occupant) -> int:
    """Tokens of a session, wherever its keys are."""
    plain = _plain()
    first: Any = next(cache for cache in kv.layers if type(cache) is plain)
    return int(first.offset)


def plain_layers(kv: Occupant) -> list[Any]:
    """A session's plain caches, those that can be in slots."""
    plain = _plain()
    return [cache for cache in kv.layers if type(cache) is plain]


@functools.cache
def _plain() -> type[Any]:
    # Not at the top of the file: see `importing.file_limit_kept`.
    from mlx_lm.models.cache import KVCache

    plain: type[Any] = KVCache
    return plain


def _empty(like: mx.array) -> mx.array:
    return mx.zeros((0, 0, like.shape[3]), like.dtype)


def _padded(value: mx.array, rows: int, tokens: int) -> mx.array:
    return mx.pad(value, [(0, rows), (0, tokens), (0, 0)])
