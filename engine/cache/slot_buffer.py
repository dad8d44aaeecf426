"""One buffer of slots: the keys and values of sessions of like length, as rows of one array."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import mlx.core as mx

from engine.cache import slot_layer
from engine.cache.slot_layer import Form
from engine.cache.slot_policy import BLOCK, SlotPolicy
from engine.cache.state_stack import Stacked

log = logging.getLogger(__name__)


class Occupant(Stacked, Protocol):
    """What the slots need to know of a session's caches."""

    slots: SlotBuffer | None  # the buffer that holds its keys and values, or None


class SlotBuffer:
    """The slots of sessions of like length, whose caches are of the same forms."""

    def __init__(self, policy: SlotPolicy, forms: tuple[Form, ...]) -> None:
        self.policy = policy  # which caches have slots, and how the buffer grows
        self.forms = forms  # of the layers that have slots
        # of each form its first layer. The layers of a form are in step (`slot_layer.in_step`), so
        # that one stands for all.
        self.firsts = {form: forms.index(form) for form in forms}
        self.occupants: list[Occupant] = []  # the sessions' caches; the index is the slot
        self.caches: list[list[Any]] = []  # of each occupant the caches of those layers
        # of each of those layers its arrays `[slots * key heads, capacity, width]`, keys before
        # values, in which the heads of a slot follow each other: a step's token is written by one
        # operation with one index a row. The first `len(occupants)` slots are in use. Layers may
        # differ in capacity.
        self.layers: list[list[mx.array]] = []
        self._slots = 0
        self._nbytes: int | None = 0  # of the layers; None when they have changed

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens for which each session needs room where there is no limit."""
        return tuple(_longest(caches) for caches in self.caches)

    @property
    def offsets(self) -> tuple[int, ...]:
        """Tokens that each session has been given in all."""
        return tuple(int(caches[0].offset) for caches in self.caches)

    @property
    def nbytes_each(self) -> int:
        """Bytes of the buffers for each occupant: its slot and its part of the free ones."""
        if self._nbytes is None:
            self._nbytes = sum(a.nbytes for arrays in self.layers for a in arrays)
        return self._nbytes // max(1, len(self.occupants))

    def slots_of(self, array: mx.array) -> mx.array:
        """One of a layer's arrays as `[slots, key heads, capacity, width]`."""
        return array.reshape(self._slots, -1, *array.shape[1:])

    def enter(self, coming: Sequence[Occupant]) -> None:
        """Give slots to sessions, or to none; and room for one more token to all."""
        before = len(self.occupants)
        count, self._nbytes = self._slots, None
        if coming:
            arriving = [slot_caches(kv.layers, self.policy)[0] for kv in coming]
            if not self.layers:
                self.layers = [[_empty(a) for a in slot_layer.arrays(c)] for c in arriving[0]]
            if before + len(coming) > count:
                # A quarter more, so that not every session that enters copies the buffers.
                count = (before + len(coming)) * 5 // 4
            # First: what fails from here on is found in the slots, and given up with them.
            self.occupants.extend(coming)
            self.caches.extend(arriving)
            for kv in coming:
                kv.slots = self
        needed = {
            form: max(slot_layer.held(caches[first], 1) for caches in self.caches)
            for form, first in self.firsts.items()
        }
        slots, self._slots = self._slots, count
        for layer in range(len(self.layers)):
            self._grow(layer, slots, needed[self.forms[layer]])
            for slot in range(before, len(self.occupants)):
                self._fill(layer, slot, self.caches[slot][layer])
            if coming and self.policy.classes:
                # Layer by layer, so that long sessions are never there twice.
                mx.eval(self.layers[layer])

    def _fill(self, layer: int, slot: int, cache: Any) -> None:
        held = slot_layer.held(cache)
        for array, own in zip(self.layers[layer], slot_layer.taken(cache), strict=True):
            # To the slot's end: the occupant before may have left a NaN there.
            heads, room = own.shape[1], array.shape[1] - held
            array[slot * heads : (slot + 1) * heads] = _padded(own[0, :, :held], 0, room)

    def _grow(self, layer: int, slots: int, needed: int) -> None:
        """Make a layer's arrays, of so many slots, large enough for `needed` tokens in each."""
        block = self.policy.block(needed)
        # The layers grow at different tokens: copying all of them in one step is slow.
        shift = 2 * layer * (block // BLOCK) % block
        capacity = -(-(needed + shift) // block) * block - shift
        capacity = min(capacity, self.forms[layer].window or capacity)
        arrays = self.layers[layer]
        heads = arrays[0].shape[0] // slots if slots else self._heads(layer)
        more = (self._slots - slots) * heads, max(0, capacity - arrays[0].shape[1])
        if any(more):
            arrays[:] = [_padded(old, *more) for old in arrays]

    def _heads(self, layer: int) -> int:
        """Key heads of a layer, before there is a slot."""
        return int(slot_layer.arrays(self.caches[0][layer])[0].shape[1])

    def leave(self, kv: Occupant) -> None:
        """Copy a session's keys and values back to its caches and free its slot.

        Where few are left the buffers shrink. Layer by layer: neither the session nor the buffers
        are ever there twice. If that fails, for lack of memory for instance, whoever may have been
        hit loses its caches and reads its tokens again.
        """
        slot, last = self.occupants.index(kv), len(self.occupants) - 1
        caches, left = self.caches[slot], self._slots
        if 2 * last <= self._slots:
            left = last * 5 // 4
        try:
            for arrays, cache in zip(self.layers, caches, strict=True):
                own = slice(slot, slot + 1), slice(None), slice(slot_layer.held(cache))
                copies = [mx.contiguous(self.slots_of(array)[own]) for array in arrays]
                slot_layer.give_back(cache, copies)
                # At once: while a lazy copy refers to the buffers, each step would copy them whole.
                mx.eval(cache.keys, cache.values)
                if left < self._slots:
                    arrays[:] = [self._without(array, slot, left) for array in arrays]
                    mx.eval(arrays)
        except Exception as error:
            log.warning("A session's caches are lost, they could not be moved: %s", error)
            lost = [kv]
            if left < self._slots:  # some layers have fewer slots than others now
                lost, self.layers = list(self.occupants), []
            for one in lost:
                one.drop()
            return
        if left < self._slots:
            self._slots = left
            self._forget(kv)
        else:
            self.free(kv)

    def _without(self, array: mx.array, slot: int, left: int) -> mx.array:
        """A copy with so many slots and without one of them; the last one takes its place."""
        heads, last = array.shape[0] // self._slots, len(self.occupants) - 1
        parts = [array[: slot * heads]]
        if slot != last:
            parts.append(array[last * heads : (last + 1) * heads])
            parts.append(array[(slot + 1) * heads : last * heads])
        parts.append(mx.zeros(((left - last) * heads, *array.shape[1:]), array.dtype))
        return mx.concatenate(parts)

    def _forget(self, kv: Occupant) -> int:
        """Take a session off the slots, and return which it had. The last occupant moves there."""
        slot, last = self.occupants.index(kv), len(self.occupants) - 1
        kv.slots, self._nbytes = None, None
        self.occupants[slot], self.caches[slot] = self.occupants[last], self.caches[last]
        self.occupants.pop()
        self.caches.pop()
        if not self.occupants:
            self.layers.clear()
            self._slots = 0
        return slot

    def free(self, kv: Occupant) -> None:
        """Free a session's slot without copying from it. The last occupant moves there."""
        slot, last = self._forget(kv), len(self.occupants)
        if not self.occupants:
            return None
        try:
            if 4 * last <= self._slots:
                self.layers = self._each(lambda array: self._some(array, 0, 2 * last))
                self._slots = 2 * last
            if slot != last:
                self._move(last, slot)
        except Exception as error:
            log.warning("A session's caches are lost with the step that failed: %s", error)
            if slot != last:
                return self.occupants[slot].drop()
        return None

    def _move(self, last: int, slot: int) -> None:
        moving = self._each(lambda array: self._some(array, last, last + 1))
        mx.eval(moving)
        for arrays, moved in zip(self.layers, moving, strict=True):
            for array, own in zip(arrays, moved, strict=True):
                heads = own.shape[0]
                array[slot * heads : (slot + 1) * heads] = own

    def _each(self, change: Callable[[mx.array], mx.array]) -> list[list[mx.array]]:
        return [[change(array) for array in arrays] for arrays in self.layers]

    def _some(self, array: mx.array, begin: int, end: int) -> mx.array:
        """A copy of some slots."""
        heads = array.shape[0] // self._slots
        return mx.contiguous(array[begin * heads : end * heads])

    def write(
        self, layer: int, places: tuple[mx.array, mx.array], keys: mx.array, values: mx.array
    ) -> None:
        """Write one token's keys and values into each slot.

        Args:
            places: the rows of the buffers and the positions in them, `[occupants * key heads]`.
            keys, values: `[occupants, key heads, 1, head dim]`.
        """
        new = slot_layer.as_kept(self.forms[layer], keys, values)
        for array, own in zip(self.layers[layer], new, strict=True):
            array[places] = own.reshape(-1, own.shape[-1])


def slot_caches(layers: Sequence[Any], policy: SlotPolicy) -> tuple[list[Any], tuple[Form, ...]]:
    """Those of a session's caches that a slot would hold, and their forms; none without a place."""
    formed = [(cache, slot_layer.form_of(cache)) for cache in layers]
    found = [(c, f) for c, f in formed if f is not None and (policy.windows or not f.window)]
    few = len(found) < len(layers) and not policy.some_layers
    if few or (not policy.bits and any(form.bits for _, form in found)):
        return [], ()
    return [cache for cache, _ in found], tuple(form for _, form in found)


def length_of(kv: Occupant) -> int:
    """Tokens for which a session that can be in a slot needs room, wherever its keys are."""
    return _longest(c for c in kv.layers if slot_layer.form_of(c) is not None)


def bytes_of(kv: Occupant, policy: SlotPolicy) -> int:
    """Bytes that a session which is in no slot would bring into one."""
    return sum(
        a.nbytes // a.shape[2] * slot_layer.held(cache)
        for cache in slot_caches(kv.layers, policy)[0]
        for a in slot_layer.arrays(cache)
    )


def _longest(caches: Iterable[Any]) -> int:
    """Those of the layers without a window, which are equally long; else of the first."""
    first = None
    for cache in caches:
        if not hasattr(cache, "max_size"):
            return slot_layer.length_of(cache)
        first = first or cache
    return slot_layer.length_of(first)


def _empty(like: mx.array) -> mx.array:
    return mx.zeros((0, 0, like.shape[3]), like.dtype)


def _padded(array: mx.array, rows: int, tokens: int) -> mx.array:
    return mx.pad(array, [(0, rows), (0, tokens), (0, 0)])
