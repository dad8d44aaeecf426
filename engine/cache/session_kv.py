"""KV cache of a session, with operations to trim, restore and share it.

The caches are mlx-lm's objects, one per layer. `SessionKV` also records their tokens, so that a
follow-up only feeds the new tokens. Caches that can't be trimmed (recurrent states, ring buffers
that have wrapped) are restored from a snapshot, taken at the end of each prompt.

Several caches and a file writer may share an array's buffer. MLX copies a shared buffer before it
writes to it. The C decoder (`engine.model.plain_decoder`) doesn't: it writes to a session's keys
and values beyond `offset`, so nothing else may read there.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mlx.core as mx
from msgspec import Struct

from engine.cache import shared_prefix
from engine.cache.cache_objects import (
    MAX_STEPS,
    Caches,
    can_mix,
    can_remove_last,
    can_roll_back,
    can_trim,
    clone,
    copy_untrimmable,
    copy_without_last,
    detach_buffers,
    detach_states,
    flatten_caches,
    is_plain_kv,
    iterate_arrays,
    may_be_untrimmable,
    plain_kv_caches,
    remove_last,
    replace_some,
    stagger_growth,
)
from engine.cache.estimate import STEP
from engine.cache.ledger import Ledger, common_length
from engine.cache.shared_prefix import SharedPrefix, SharedPrefixKV, numbers
from engine.cache.slot_buffer import SlotBuffer
from engine.cache.state_stack import StateStack


class Snapshot(Struct):
    """Copies of the caches that can't be trimmed, taken at `length` tokens.

    Caches that can be trimmed are replaced by None, even inside layers with several caches.
    """

    caches: Caches
    length: int


class CacheBytes(NamedTuple):
    own: int  # bytes freed when these caches are dropped
    group: int = 0  # number of the group that shares memory; 0 for none
    shared: int = 0  # bytes of the shared memory, freed along with the last cache in the group


class DirtySets:
    """Caches that changed since their memory was counted, or since they were indexed."""

    def __init__(self) -> None:
        self.sizes: set[SessionKV] = set()  # caches whose memory usage must be recounted
        # Caches to update in the prefix index. Tokens added by decode steps do not count.
        self.tokens: set[SessionKV] = set()

    def forget(self, kv: SessionKV) -> None:
        self.sizes.discard(kv)
        self.tokens.discard(kv)


class SessionKV:
    """Caches of a session and their tokens. May share memory with other sessions."""

    def __init__(self, make: Callable[[], Caches], shares_prefix: bool = False) -> None:
        self.make = make  # creates empty caches
        self.shares_prefix = shares_prefix  # the model supports `SharedPrefix`
        self.tokens: list[int] = []  # all tokens fed so far; kept when the caches are dropped
        # Chunk boundaries, up to the first token that wasn't prefilled. Tokens after the last
        # boundary were generated. Only needed by reproducible sessions, see `reusable_length`.
        self.cuts: list[int] = []
        self.ledger = Ledger()
        self.needs_rebuild = False  # `reuse_prefix` found that the caches had been dropped
        self.on_disk = -1  # tokens in the session's file; -1 if the file is missing or outdated
        # Number of leading tokens that haven't changed since the prefix index was updated.
        self.unchanged_length = 0
        self._dropped = False
        self._before_draft: tuple[list[tuple[Any, Any]], int] | None = None
        self.slot_buffer: SlotBuffer | None = None  # holds the keys and values of a slot
        self.stack: StateStack | None = None  # holds the recurrent states
        self.shared_prefix: SharedPrefix | None = None  # extended by these caches
        self.layers: Caches = []  # one cache per layer; empty after a drop
        self.can_mix = False  # mixed steps support all of these caches
        self.needs_snapshot = False  # some layer can't be trimmed, now or later
        self.last_snapshot: Snapshot | None = None
        self._sharers: weakref.WeakSet[SessionKV] | None = None
        self._sharing = 0  # number of the group that shares memory, see `CacheBytes`
        self.dirty: DirtySets | None = None  # records the changes of these caches
        self._measured: int | None = None  # bytes without the shared prefix; None if outdated

    @property
    def length(self) -> int:
        return len(self.tokens) if self.layers else 0

    def set_caches(self, caches: Caches | None) -> None:
        if self.slot_buffer is not None:
            self.slot_buffer.free(self)
        if self.stack is not None:
            self.stack.free(self)
        if self.shared_prefix is not None:
            self.shared_prefix.holders.discard(self)
        shared = (c for c in flatten_caches(caches or ()) if isinstance(c, SharedPrefixKV))
        first = next(shared, None)
        self.shared_prefix = None if first is None else first.shared_prefix
        if self.shared_prefix is not None:
            self.shared_prefix.holders.add(self)
        self.layers = caches or []
        self.can_mix = bool(caches) and all(map(can_mix, self.layers))
        self.needs_snapshot = any(map(may_be_untrimmable, self.layers))
        self.mark_size_changed()

    def leave_slots(self) -> Caches:
        """Move all arrays from the slots and the stack back to the caches, and return the caches.

        While a session is in a slot, the objects in `layers` have no arrays.
        """
        if self.slot_buffer is not None:
            self.slot_buffer.leave(self)
            self.mark_size_changed()
        if self.stack is not None:
            self.stack.leave(self)
            self.mark_size_changed()
        return self.layers

    def reuse_prefix(self, prompt: list[int]) -> int:
        """Trim or restore the caches to the longest possible prefix of `prompt`, and return its
        length.

        The length is less than `len(prompt)`, because a forward pass needs at least one token.
        """
        caches = self.leave_slots()
        if not caches:
            self.needs_rebuild = self._dropped
            self._reset()
            return 0
        self.needs_rebuild = False
        shared = min(common_length(self.tokens, prompt), len(prompt) - 1)
        if shared == len(self.tokens):
            return shared
        if self.trim_to(shared):
            self._shrink_buffers(len(prompt))
            return shared
        snapshot = self.last_snapshot
        if snapshot is not None and snapshot.length <= shared:
            surplus = len(self.tokens) - snapshot.length
            for layer, boundary in enumerate(snapshot.caches):
                caches[layer] = copy_without_last(caches[layer], boundary, surplus)
            self._truncate(snapshot.length)
            return snapshot.length
        self._reset()
        return 0

    def _shrink_buffers(self, length: int) -> None:
        room = self.capacity
        if self.shared_prefix is None and self.is_plain and room > 2 * length + MAX_STEPS * STEP:
            self.set_caches(self.copy_prefix(len(self.tokens), room=True))
            stagger_growth(self.layers)

    def record_chunk(self, tokens: Sequence[int], alone: bool = True) -> None:
        """Record a prompt chunk that was fed to the model.

        A chunk after a shared prefix or in a mixed step adds no cut, because its keys may be
        rounded differently: attention is split over two arrays, or matrix products have more rows.

        Args:
            alone: False if the chunk was part of a mixed step.
        """
        self._mark_written()
        self._mark_tokens_changed(self.length)
        has_all_tokens = alone and self.shared_prefix is None
        if has_all_tokens and self.length == (self.cuts[-1] if self.cuts else 0):
            self.cuts.append(self.length + len(tokens))
        self.tokens.extend(tokens)

    def record_token(self, token: int) -> None:
        self._mark_written()
        self.tokens.append(token)

    def snapshot(self) -> None:
        """Copy the caches that can't be trimmed, so that they can be restored later."""
        boundary_caches = list(map(copy_untrimmable, self.leave_slots()))
        mx.eval(list(iterate_arrays(boundary_caches)))  # free the tokens that `compact` removed
        self.last_snapshot = Snapshot(boundary_caches, len(self.tokens))
        self.mark_size_changed()
        self._mark_tokens_changed(len(self.tokens))

    def drop(self) -> None:
        """Free the caches but keep the tokens."""
        self._dropped = self._dropped or bool(self.layers)
        self._before_draft = None
        self._mark_written()
        self._mark_tokens_changed(0)
        self.set_caches(None)
        self.last_snapshot = None

    def finish_reply(self) -> None:
        """Leave the slots, free the large buffers that recurrent states are slices of, and make new
        tokens available to other sessions.
        """
        self.leave_slots()
        if self.needs_snapshot:
            states = [detach_states(c) for c in self.layers if may_be_untrimmable(c)]
            mx.eval(list(iterate_arrays(states)))
        self.mark_size_changed()
        self._mark_tokens_changed(self.length)

    def _mark_tokens_changed(self, length: int) -> None:
        """Record for the prefix index that only the first `length` tokens are unchanged."""
        self.unchanged_length = min(self.unchanged_length, length)
        if self.dirty is not None:
            self.dirty.tokens.add(self)

    def _mark_written(self) -> None:
        """End the sharing of the buffers, before they are written to or freed."""
        self.on_disk = -1
        if self._sharers is not None:
            self._sharers.discard(self)
            self._sharers = None
        self.mark_size_changed()

    def _reset(self) -> None:
        self._mark_written()
        self._mark_tokens_changed(0)
        self.set_caches(self.make())
        stagger_growth(self.layers)
        self.tokens = []
        self.cuts = []
        self.last_snapshot = None
        self._dropped = False

    def trim_to(self, length: int) -> bool:
        """Trim the caches to `length` tokens. Return False if some layer can't be trimmed."""
        if not self.is_trimmable or (self.shared_prefix is not None and not length):
            return False
        if self.shared_prefix is not None and length < shared_prefix.MIN_TOKENS:
            self.replace_caches(
                self.copy_prefix(length, room=True), self.tokens[:length], self.cuts
            )
            return True
        surplus = len(self.tokens) - length
        for cache in self.leave_slots():
            if cache is not None and surplus:
                cache.trim(surplus)
        self._truncate(length)
        if self.last_snapshot is not None and self.last_snapshot.length > length:
            self.last_snapshot = None
        return True

    @property
    def can_roll_back(self) -> bool:
        return all(map(can_roll_back, flatten_caches(self.layers)))

    def save_before_draft(self, length: int) -> None:
        """Save the state that draft tokens will overwrite.

        Only references are saved, because MLX copies a shared array before it writes to it.
        """
        caches = [
            cache for cache in flatten_caches(self.leave_slots()) if may_be_untrimmable(cache)
        ]
        self._before_draft = [(cache, clone(cache)) for cache in caches], length

    def roll_back(self, length: int) -> None:
        """Roll back to `length` tokens after a draft.

        If some cache can't be cut at `length` (e.g. a recurrent state), all caches return to the
        position of `save_before_draft`, and the next pass has to feed the missing tokens again.

        Raises:
            RuntimeError: if some cache can't be rolled back.
        """
        before, self._before_draft = self._before_draft, None
        surplus = len(self.tokens) - length
        if surplus <= 0:
            return
        caches = [cache for cache in flatten_caches(self.leave_slots()) if cache is not None]
        if not all(can_remove_last(cache, surplus) for cache in caches):
            if before is None or before[1] > length:
                raise RuntimeError("the caches cannot be trimmed")
            for cache, copy in before[0]:
                vars(cache).update(vars(copy))
            length, put_back = before[1], {id(cache) for cache, _ in before[0]}
            surplus = len(self.tokens) - length
            caches = [cache for cache in caches if id(cache) not in put_back]
        for cache in caches:
            remove_last(cache, surplus)
        self._truncate(length)

    def _truncate(self, length: int) -> None:
        self.on_disk = -1
        self.mark_size_changed()
        self._mark_tokens_changed(length)
        del self.tokens[length:]
        self.cuts = [c for c in self.cuts if c <= length]

    def reusable_length(self, prompt: Sequence[int], cuts: Sequence[int] | None = None) -> int:
        """Return the length of the longest prefix of a prompt that the caches can be restored to.

        The result is less than `len(prompt)`.

        Args:
            cuts: chunk boundaries of a reproducible session. The result is then a boundary before
                which all tokens were prefilled with the same boundaries, so that the caches are
                bitwise equal.
        """
        if not self.layers:
            return 0
        shared = min(common_length(self.tokens, prompt), len(prompt) - 1)
        candidates = [shared]
        if cuts is not None:
            alike = common_length(self.cuts, cuts)
            candidates = [c for c in cuts[:alike] if c <= shared]
        snapshot_length = self.last_snapshot.length if self.last_snapshot is not None else 0
        if cuts is None and snapshot_length <= shared:
            candidates.append(snapshot_length)
        own_lengths, anywhere = (len(self.tokens), snapshot_length), self.is_trimmable
        return max((c for c in candidates if anywhere or c in own_lengths), default=0)

    def copy_prefix(self, length: int, room: bool) -> Caches:
        """Copy the first `length` tokens of the caches into new buffers, and evaluate them.

        Args:
            length: at most `reusable_length`.
            room: reserve capacity for the next tokens.
        """
        caches = self.leave_slots()
        surplus, boundary_caches = len(self.tokens) - length, self._snapshot_caches(length)
        copies = [
            detach_buffers(copy_without_last(cache, boundary_cache, surplus), room)
            for cache, boundary_cache in zip(caches, boundary_caches, strict=True)
        ]
        if self.shared_prefix is not None:
            copies = self._to_native(
                copies,
                lambda prefix_view, boundary_cache: prefix_view.copy_into(
                    boundary_cache, length, room
                ),
            )
        mx.eval(list(iterate_arrays(copies)))
        return copies

    @property
    def native_caches(self) -> Caches | None:
        """Caches for writing to disk, as the model's own classes. Arrays aren't copied.

        Keys and values that extend a shared prefix become `PartedArray`.
        """
        caches = self.leave_slots()
        if self.shared_prefix is None:
            return caches or None
        return self._to_native(caches, SharedPrefixKV.fill_with_parts)

    def _to_native(self, caches: Caches, fill: Callable[[SharedPrefixKV, Any], Any]) -> Caches:
        pairs = zip(flatten_caches(caches), flatten_caches(self.make()), strict=True)
        replacements = {id(c): fill(c, size) for c, size in pairs if isinstance(c, SharedPrefixKV)}
        return replace_some(caches, replacements)

    def replace_caches(
        self,
        caches: Caches,
        tokens: Sequence[int],
        cuts: Sequence[int],
        snapshot: Snapshot | None = None,
    ) -> None:
        """Replace the caches with unshared caches of `tokens`.

        Args:
            cuts: cuts beyond the last token are dropped.
        """
        self._mark_written()
        self._mark_tokens_changed(0)
        self.set_caches(caches)
        stagger_growth(caches)
        self.tokens = list(tokens)
        self.cuts = [c for c in cuts if c <= len(tokens)]
        self.last_snapshot = snapshot
        self._dropped = False

    def copy_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        shared = donor._extend_shared_prefix(length) if self.shares_prefix else None
        caches = shared or donor.copy_prefix(length, room)
        self.replace_caches(caches, donor.tokens[:length], donor.cuts)
        boundary = donor.last_snapshot
        if boundary is not None and boundary.length <= length:
            self.last_snapshot = boundary  # safe, because restoring a snapshot copies it

    def new_empty(self) -> SessionKV:
        return SessionKV(self.make, self.shares_prefix)

    def frozen_copy(self) -> SessionKV:
        """Return a copy that can be written to disk while the session continues.

        The copies share their buffers with the session. Only the current tokens may be read.
        """
        return self._copy_with(clone(self.leave_slots()))

    def fork(self) -> SessionKV:
        """Return a copy of the session that shares memory through a prefix or copy-on-write."""
        shared = self._extend_shared_prefix(len(self.tokens))
        caches = self.leave_slots()
        twin = self._copy_with(shared or clone(caches))
        if shared is None and caches:
            self._share_with(twin)
        return twin

    def _copy_with(self, caches: Caches) -> SessionKV:
        twin = self.new_empty()
        twin.set_caches(caches)
        twin.tokens, twin.cuts = list(self.tokens), list(self.cuts)
        twin.ledger, twin.last_snapshot = self.ledger, self.last_snapshot
        twin._dropped = self._dropped
        return twin

    def make_shared_prefix(self) -> bool:
        """Convert the plain KV caches to a shared prefix. Return False if they are empty.

        Windows and recurrent states are small and aren't shared.
        """
        caches = self.leave_slots()
        shared = plain_kv_caches(caches)
        length = shared[0].offset if shared else 0
        if not length:
            return False
        pairs = []
        for cache in shared:
            if isinstance(cache, SharedPrefixKV):
                pairs.append(cache.concatenate(length, 1))
            else:
                pairs.append((cache.keys, cache.values))
        prefix = SharedPrefix(pairs, length)
        replacements = {id(c): SharedPrefixKV(prefix, n, length) for n, c in enumerate(shared)}
        self.set_caches(replace_some(caches, replacements))
        stagger_growth(self.layers)
        return True

    def _extend_shared_prefix(self, length: int) -> Caches | None:
        """Return caches for another session that extend a shared prefix, or None if sharing isn't
        worth it.

        The session's own tokens become a shared prefix if necessary.
        """
        min_tokens = shared_prefix.MIN_TOKENS
        if not self.shares_prefix or length < min_tokens or not plain_kv_caches(self.layers):
            return None
        if self.shared_prefix is None or length - self.shared_prefix_length >= min_tokens:
            self.make_shared_prefix()
        surplus, boundary_caches = len(self.tokens) - length, self._snapshot_caches(length)
        pairs = zip(self.leave_slots(), boundary_caches, strict=True)
        return [copy_without_last(cache, boundary, surplus) for cache, boundary in pairs]

    def _snapshot_caches(self, length: int) -> Sequence[Any]:
        """Return the `boundary` argument of `copy_without_last` for each layer."""
        if length == len(self.tokens) or self.is_trimmable:
            return [None] * len(self.layers)
        assert self.last_snapshot is not None
        assert self.last_snapshot.length == length
        return self.last_snapshot.caches

    @property
    def is_plain(self) -> bool:
        return bool(self.layers) and all(map(is_plain_kv, self.layers))

    @property
    def shared_prefix_length(self) -> int:
        return next(
            (c.base for c in flatten_caches(self.layers) if isinstance(c, SharedPrefixKV)), 0
        )

    @property
    def is_trimmable(self) -> bool:
        return all(can_trim(c) for c in self.layers)

    def mark_size_changed(self) -> None:
        self._measured = None
        if self.dirty is not None:
            self.dirty.sizes.add(self)

    @property
    def nbytes(self) -> int:
        return self.cache_bytes.own + self.cache_bytes.shared

    @property
    def cache_bytes(self) -> CacheBytes:
        # The size is cached, because summing up 30 layers takes 0.2 ms.
        if self._measured is None or self.slot_buffer is not None or self.stack is not None:
            parts = [self.layers, self.last_snapshot.caches if self.last_snapshot else []]
            sizes = {id(a): a.nbytes for a in iterate_arrays(parts)}
            slot = sum(s.nbytes_each for s in (self.slot_buffer, self.stack) if s is not None)
            self._measured = slot + sum(sizes.values())
        if self.shared_prefix is not None:
            return CacheBytes(self._measured, self.shared_prefix.number, self.shared_prefix.nbytes)
        if self._sharers is not None:
            return CacheBytes(0, self._sharing, self._measured)
        return CacheBytes(self._measured)

    @property
    def capacity(self) -> int:
        first = self.layers[0] if self.layers else None
        keys = getattr(first, "keys", None)
        if isinstance(keys, (list, tuple)):  # quantized
            keys = keys[0]
        return int(keys.shape[2]) + getattr(first, "base", 0) if keys is not None else 0

    @property
    def sharer_count(self) -> int:
        if self.shared_prefix is not None:
            return len(self.shared_prefix.holders)
        return len(self._sharers) if self._sharers is not None else 1

    @property
    def is_fully_shared(self) -> bool:
        return self.sharer_count > 1 and self.shared_prefix_length in (0, self.length)

    @property
    def attributed_bytes(self) -> int:
        return self.cache_bytes.own + self.cache_bytes.shared // self.sharer_count

    def _share_with(self, twin: SessionKV) -> None:
        if self._sharers is None:
            self._sharers, self._sharing = weakref.WeakSet([self]), next(numbers)
        self._sharers.add(twin)
        twin._sharers, twin._sharing = self._sharers, self._sharing
        self.mark_size_changed()
        twin.mark_size_changed()
