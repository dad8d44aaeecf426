"""Slot buffer: keys and values of several sessions of similar length in one array per layer."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import mlx.core as mx

from engine.cache import slot_layer
from engine.cache.slot_layer import Form
from engine.cache.slot_policy import BLOCK, SlotPolicy
from engine.cache.state_stack import StackableState

log = logging.getLogger(__name__)


class Occupant(StackableState, Protocol):
    slot_buffer: SlotBuffer | None  # buffer that holds the keys and values, or None


class SlotBuffer:
    """Slots for sessions of similar length whose caches have the same forms."""

    def __init__(self, policy: SlotPolicy, forms: tuple[Form, ...]) -> None:
        self.policy = policy
        self.forms = forms  # form of each layer in the slots
        # First layer of each form, because all have the same position (`has_equal_positions`).
        self.firsts = {form: forms.index(form) for form in forms}
        self.occupants: list[Occupant] = []  # indexed by slot number
        self.caches: list[list[Any]] = []  # cache objects of each occupant, by layer
        # For each layer, arrays `[slots * key heads, capacity, width]`, keys before values. The
        # heads of a slot are adjacent, so that a single scatter can write a step's tokens. The
        # first `len(occupants)` slots are in use. The capacity can differ between layers.
        self.layers: list[list[mx.array]] = []
        self._slots = 0
        self._nbytes: int | None = 0  # cached total size; None if outdated

    @property
    def lengths(self) -> tuple[int, ...]:
        """Length of each session in tokens, ignoring windows."""
        return tuple(_longest(caches) for caches in self.caches)

    @property
    def offsets(self) -> tuple[int, ...]:
        """Position of each session's next token, including shared prefixes."""
        return tuple(int(caches[0].offset) for caches in self.caches)

    @property
    def nbytes_each(self) -> int:
        if self._nbytes is None:
            self._nbytes = sum(a.nbytes for arrays in self.layers for a in arrays)
        return self._nbytes // max(1, len(self.occupants))

    def split_slots(self, array: mx.array) -> mx.array:
        """Reshape one of the layers' arrays to `[slots, key heads, capacity, width]`."""
        return array.reshape(self._slots, -1, *array.shape[1:])

    def add(self, entering: Sequence[Occupant]) -> None:
        """Add sessions, and make room for one more token in all slots."""
        before = len(self.occupants)
        count, self._nbytes = self._slots, None
        if entering:
            arriving = [slot_caches(kv.layers, self.policy)[0] for kv in entering]
            if not self.layers:
                self.layers = [
                    [mx.zeros((0, 0, a.shape[3]), a.dtype) for a in slot_layer.arrays(c)]
                    for c in arriving[0]
                ]
            if before + len(entering) > count:
                # Allocate 25% extra, to avoid copying the buffer for every new session.
                count = (before + len(entering)) * 5 // 4
            # First, so that these sessions are found in the slots after an error, and dropped.
            self.occupants.extend(entering)
            self.caches.extend(arriving)
            for kv in entering:
                kv.slot_buffer = self
        needed = {
            form: max(slot_layer.tokens_after(caches[first], 1) for caches in self.caches)
            for form, first in self.firsts.items()
        }
        slots, self._slots = self._slots, count
        for layer in range(len(self.layers)):
            self._grow(layer, slots, needed[self.forms[layer]])
            for slot in range(before, len(self.occupants)):
                self._fill_slot(layer, slot, self.caches[slot][layer])
            if entering and self.policy.classes:
                # Evaluate layer by layer, so that only one layer of a long session exists twice.
                mx.eval(self.layers[layer])

    def _fill_slot(self, layer: int, slot: int, cache: Any) -> None:
        length = slot_layer.tokens_after(cache)
        for array, source in zip(self.layers[layer], slot_layer.take_arrays(cache), strict=True):
            # Overwrite the whole slot, because the previous occupant may have left NaNs.
            heads, room = source.shape[1], array.shape[1] - length
            array[slot * heads : (slot + 1) * heads] = _pad(source[0, :, :length], 0, room)

    def _grow(self, layer: int, slots: int, needed: int) -> None:
        """Grow a layer's arrays to `self._slots` slots with room for `needed` tokens each."""
        block = self.policy.growth_tokens(needed)
        # Stagger the layers, because copying all of them in the same step is slow.
        shift = 2 * layer * (block // BLOCK) % block
        capacity = -(-(needed + shift) // block) * block - shift
        capacity = min(capacity, self.forms[layer].window or capacity)
        arrays = self.layers[layer]
        heads = arrays[0].shape[0] // slots if slots else self._heads(layer)
        padding = (self._slots - slots) * heads, max(0, capacity - arrays[0].shape[1])
        if any(padding):
            arrays[:] = [_pad(array, *padding) for array in arrays]

    def _heads(self, layer: int) -> int:
        return int(slot_layer.arrays(self.caches[0][layer])[0].shape[1])

    def leave(self, kv: Occupant) -> None:
        """Copy a session's keys and values back to its caches, and free its slot.

        After an error, e.g. for lack of memory, the session loses its caches and prefills again.
        """
        slot = self.occupants.index(kv)
        try:
            for arrays, cache in zip(self.layers, self.caches[slot], strict=True):
                region = slice(slot, slot + 1), slice(None), slice(slot_layer.tokens_after(cache))
                copies = [mx.contiguous(self.split_slots(array)[region]) for array in arrays]
                slot_layer.return_arrays(cache, copies)
                # Evaluate now. While a lazy copy references the buffer, each step copies it.
                mx.eval(cache.keys, cache.values)
        except Exception as error:
            log.warning("lost a session's caches while moving them: %s", error)
            kv.drop()
            return
        self.free(kv)

    def free(self, kv: Occupant) -> None:
        """Free a session's slot and its contents. The last occupant moves to the slot.

        The buffer shrinks if at most half of its slots are in use.
        """
        slot, last = self.occupants.index(kv), len(self.occupants) - 1
        kv.slot_buffer, self._nbytes = None, None
        self.occupants[slot], self.caches[slot] = self.occupants[last], self.caches[last]
        self.occupants.pop()
        self.caches.pop()
        if not self.occupants:
            self.layers.clear()
            self._slots = 0
            return
        try:
            if slot != last:
                self._move_slot(last, slot)
            if 2 * last <= self._slots:
                slots = last * 5 // 4
                for arrays in self.layers:  # one by one, so that only one layer exists twice
                    arrays[:] = [self._copy_slots(array, 0, slots) for array in arrays]
                    mx.eval(arrays)
                self._slots = slots
        except Exception as error:
            log.warning("lost sessions' caches while moving them: %s", error)
            self.layers = []
            for occupant in list(self.occupants):
                occupant.drop()

    def _move_slot(self, last: int, slot: int) -> None:
        moving = [
            [self._copy_slots(array, last, last + 1) for array in arrays] for arrays in self.layers
        ]
        mx.eval(moving)
        for arrays, moved in zip(self.layers, moving, strict=True):
            for array, source in zip(arrays, moved, strict=True):
                heads = source.shape[0]
                array[slot * heads : (slot + 1) * heads] = source

    def _copy_slots(self, array: mx.array, begin: int, end: int) -> mx.array:
        heads = array.shape[0] // self._slots
        return mx.contiguous(array[begin * heads : end * heads])

    def write(
        self, layer: int, places: tuple[mx.array, mx.array], keys: mx.array, values: mx.array
    ) -> None:
        """Write the keys and values of one new token per slot.

        Args:
            places: row indices and positions to write to, `[occupants * key heads]` each.
            keys, values: `[occupants, key heads, 1, head dim]`.
        """
        token_arrays = slot_layer.to_slot_arrays(self.forms[layer], keys, values)
        for array, source in zip(self.layers[layer], token_arrays, strict=True):
            array[places] = source.reshape(-1, source.shape[-1])


def slot_caches(layers: Sequence[Any], policy: SlotPolicy) -> tuple[list[Any], tuple[Form, ...]]:
    """Return the caches that would be moved to a slot, and their forms. Empty if ineligible."""
    formed = [(cache, slot_layer.form_of(cache)) for cache in layers]
    eligible = [(cache, form) for cache, form in formed if form is not None]
    is_partial = len(eligible) < len(layers) and not policy.classes
    if is_partial or (not policy.bits and any(form.bits for _, form in eligible)):
        return [], ()
    return [cache for cache, _ in eligible], tuple(form for _, form in eligible)


def length_of(kv: Occupant) -> int:
    return _longest(c for c in kv.layers if slot_layer.form_of(c) is not None)


def bytes_of(kv: Occupant, policy: SlotPolicy) -> int:
    return sum(
        a.nbytes // a.shape[2] * slot_layer.tokens_after(cache)
        for cache in slot_caches(kv.layers, policy)[0]
        for a in slot_layer.arrays(cache)
    )


def _longest(caches: Iterable[Any]) -> int:
    """Return the length of a layer without a window, or of the first layer if all have windows."""
    first = None
    for cache in caches:
        if not hasattr(cache, "max_size"):
            return slot_layer.length_of(cache)
        first = first or cache
    return slot_layer.length_of(first)


def _pad(array: mx.array, rows: int, tokens: int) -> mx.array:
    return mx.pad(array, [(0, rows), (0, tokens), (0, 0)])
