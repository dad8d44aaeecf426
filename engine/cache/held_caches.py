"""A session's cache objects: where their keys and values are, what they cost, and all together."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import NamedTuple

import mlx.core as mx
from msgspec import Struct

from engine.cache.cache_objects import (
    Caches,
    can_trim,
    grows,
    leaves,
    may_not_trim,
    mixes,
    own_states,
    single,
)
from engine.cache.shared_prefix import SharedPrefix, SharedPrefixKV, numbers
from engine.cache.slot_buffer import SlotBuffer
from engine.cache.state_stack import StateStack


class Snapshot(Struct):
    """The caches that cannot be trimmed, as they were when `length` tokens had been fed.

    None stands for each of the others, also within a layer that has several: they are trimmed to
    `length` instead.
    """

    caches: Caches
    length: int


class Part(NamedTuple):
    """What caches hold, in bytes."""

    own: int  # what comes back when these caches are dropped, whoever else there is
    group: int = 0  # the number of what they hold together with others; 0 for nothing
    shared: int = 0  # bytes of that. They come back with the last of the group.


class Watch:
    """Of which caches the figures may have changed since the last look."""

    def __init__(self) -> None:
        self.changed: set[HeldCaches] = set()  # whose bytes are to be counted again
        self.untold: set[HeldCaches] = set()  # whose figures are to be reported again
        # whose tokens have changed otherwise than by a decode step
        self.moved: set[HeldCaches] = set()

    def forget(self, kv: HeldCaches) -> None:
        """Forget these caches."""
        self.changed.discard(kv)
        self.untold.discard(kv)
        self.moved.discard(kv)


class HeldCaches:
    """The caches of one session, and with whom it shares their memory."""

    def __init__(self) -> None:
        # the buffer whose slots hold the keys and values at the moment, else None
        self.slots: SlotBuffer | None = None
        # the stack that holds the recurrent states at the moment, else None
        self.stack: StateStack | None = None
        # the shared prefix that the caches go on from, else None
        self.shared_prefix: SharedPrefix | None = None
        # the caches wherever their keys and values are; empty when there are none
        self.layers: Caches = []
        self._snapshot: Snapshot | None = None
        self._sharers: weakref.WeakSet[HeldCaches] | None = None
        self._sharing = 0  # the number of those together
        # notified whenever the bytes may have changed; None where no sum is kept
        self.watch: Watch | None = None
        self._measured: int | None = None  # bytes of the arrays; None when they may have changed

    def take_out(self) -> Caches:
        """Leave the slots, which copies; returns the caches with their keys and values in them.

        One a layer; empty when there are none. `layers` gives the same objects as they are.
        """
        self.leave_slots()
        return self.layers

    def set_caches(self, caches: Caches | None) -> None:
        """Hold these caches instead."""
        if self.slots is not None:
            self.slots.free(self)
        if self.stack is not None:
            self.stack.free(self)
        if self.shared_prefix is not None:
            self.shared_prefix.holders.discard(self)
        begun = (cache for cache in single(caches or ()) if isinstance(cache, SharedPrefixKV))
        first = next(begun, None)
        self.shared_prefix = None if first is None else first.shared_prefix
        if self.shared_prefix is not None:
            self.shared_prefix.holders.add(self)
        self.layers = caches or []
        self.touched()

    def leave_slots(self) -> None:
        """Take the keys and values back from the slots, and states from the stack."""
        if self.slots is not None:
            self.slots.leave(self)
            self.touched()
        if self.stack is not None:
            self.stack.leave(self)
            self.touched()

    def drop(self) -> None:
        """Free the caches."""
        self.set_caches(None)
        self._snapshot = None
        self._stop_sharing()

    def settle(self) -> None:
        """After a reply: leave the slots, and free what recurrent states were cut from."""
        self.leave_slots()
        states = [own_states(c) for c in self.layers if may_not_trim(c)]
        mx.eval(list(leaves(states)))
        self.touched()

    # -- what kind of caches they are -------------------------------------------------------

    @property
    def is_plain(self) -> bool:
        """Whether all layers have ordinary growing caches."""
        return bool(self.layers) and all(map(grows, self.layers))

    @property
    def mixes(self) -> bool:
        """Whether chunks can be written to all layers in a pass with others' steps."""
        return bool(self.layers) and all(map(mixes, self.layers))

    @property
    def drafts_together(self) -> bool:
        """Whether a draft can be checked in a pass with others' steps, and be cut off again.

        A recurrent state would be put back, and its session's next step a pass of its own.
        """
        return self.mixes and all(hasattr(cache, "keys") for cache in single(self.layers))

    @property
    def base(self) -> int:
        """Tokens of the shared prefix that the caches go on from; 0 where there is none."""
        return next((c.base for c in single(self.layers) if isinstance(c, SharedPrefixKV)), 0)

    @property
    def trimmable(self) -> bool:
        """Whether the last tokens can be taken back now."""
        return all(can_trim(c) for c in self.layers)

    @property
    def needs_snapshot(self) -> bool:
        """Whether some layers can, or may soon, only go back to a saved copy."""
        return any(may_not_trim(c) for c in self.layers)

    # -- memory -----------------------------------------------------------------------------

    def touched(self) -> None:
        """Note that the caches may take other bytes than before."""
        self._measured = None
        if self.watch is not None:
            self.watch.changed.add(self)
            self.watch.untold.add(self)

    @property
    def nbytes(self) -> int:
        """Bytes of all that this session uses, shared or not."""
        shared = self.shared_prefix.nbytes if self.shared_prefix is not None else 0
        return shared + self._in_arrays

    @property
    def part(self) -> Part:
        """Its own bytes, and those that it holds together with others."""
        if self.shared_prefix is not None:
            return Part(self._in_arrays, self.shared_prefix.number, self.shared_prefix.nbytes)
        if self._sharers is not None:
            return Part(0, self._sharing, self._in_arrays)
        return Part(self._in_arrays)

    @property
    def _in_arrays(self) -> int:
        """Bytes of all but a shared prefix. Going through thirty layers takes 0.2 ms."""
        if self._measured is None or self.slots is not None or self.stack is not None:
            held = [self.layers, self._snapshot.caches if self._snapshot else []]
            seen = {id(a): a.nbytes for a in leaves(held)}
            slot = sum(s.nbytes_each for s in (self.slots, self.stack) if s is not None)
            self._measured = slot + sum(seen.values())
        return self._measured

    @property
    def capacity(self) -> int:
        """Tokens for which there is room where its own keys are, by the layer with the most."""
        first = self.layers[0] if self.layers else None
        keys = getattr(first, "keys", None)
        if isinstance(keys, (list, tuple)):  # in few bits
            keys = keys[0]
        return int(keys.shape[2]) + getattr(first, "base", 0) if keys is not None else 0

    @property
    def sharers(self) -> int:
        """How many sessions, this one included, use the same memory."""
        if self.shared_prefix is not None:
            return len(self.shared_prefix.holders)
        return len(self._sharers) if self._sharers is not None else 1

    @property
    def saved(self) -> int:
        """Bytes of `nbytes` that are counted as other sessions'."""
        shared = self.shared_prefix.nbytes if self.shared_prefix is not None else self.nbytes
        return shared - shared // self.sharers

    @property
    def owed(self) -> int:
        """Bytes that are counted as this session's: its own, and its part of what it shares."""
        return self.nbytes - self.saved

    def _share_with(self, twin: HeldCaches) -> None:
        """Note that `twin` uses the same buffers until either of the two writes."""
        if self._sharers is None:
            self._sharers, self._sharing = weakref.WeakSet([self]), next(numbers)
        self._sharers.add(twin)
        twin._sharers, twin._sharing = self._sharers, self._sharing
        self.touched()
        twin.touched()

    def _stop_sharing(self) -> None:
        """Note that the buffers are written to or given up: MLX copies what others still use."""
        if self._sharers is not None:
            self._sharers.discard(self)
            self._sharers = None
            self.touched()


class Tally:
    """The sum over caches that nobody is using: kept, so that no turn goes through all of them.

    What several hold together (a shared prefix, a fork that has not written) is counted once, and
    comes back with the last that holds it.
    """

    def __init__(self) -> None:
        self.watch = Watch()  # tells which of them may have changed
        self.nbytes = 0  # of all of them together
        # by number, how many of them hold something together, and its bytes
        self.groups: dict[int, tuple[int, int]] = {}
        self._counted: dict[HeldCaches, Part] = {}

    def refresh(self, used: Iterable[HeldCaches]) -> None:
        """Count again what has changed. Those that are `used` are in no sum."""
        changed, skipped = self.watch.changed, set(used)
        for kv in skipped:
            self._take_out(kv)
        for kv in list(changed):
            self._take_out(kv)
            if kv not in skipped:
                self._put_in(kv, kv.part)
            changed.discard(kv)

    def forget(self, kv: HeldCaches) -> None:
        """Forget these caches."""
        self._take_out(kv)
        self.watch.forget(kv)

    def _put_in(self, kv: HeldCaches, part: Part) -> None:
        if not part.own and not part.group:
            return
        self._counted[kv] = part
        self.nbytes += part.own
        if part.group:
            count, size = self.groups.get(part.group, (0, part.shared))
            self.nbytes += 0 if count else size
            self.groups[part.group] = count + 1, size

    def _take_out(self, kv: HeldCaches) -> None:
        part = self._counted.pop(kv, None)
        if part is None:
            return
        self.nbytes -= part.own
        if part.group:
            count, size = self.groups.pop(part.group)
            if count > 1:
                self.groups[part.group] = count - 1, size
            else:
                self.nbytes -= size
