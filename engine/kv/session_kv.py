"""One session's KV cache, and which tokens it holds.

The caches are `mlx_lm`'s own objects, one per layer. `SessionKV` knows what was fed to them, so
that a follow-up feeds only what is new, and keeps the detached copy that caches which cannot be
trimmed (recurrent states, ring buffers that have wrapped) need to go back to a turn's border.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from engine.kv import shared_prefix
from engine.kv.cache_objects import (
    Caches,
    can_trim,
    clone,
    compact,
    detached,
    leaves,
    may_not_trim,
    own_states,
    stagger,
    without_shared_prefix,
)
from engine.kv.ledger import Ledger, common_prefix
from engine.kv.shared_prefix import SharedPrefix, SharedPrefixKV

if TYPE_CHECKING:
    from engine.kv.slots import Slots


@dataclass
class Snapshot:
    """The caches that cannot be trimmed, as they stood when `length` tokens had been fed.

    None stands for those that can: they are trimmed to the length instead of copied.
    """

    caches: Caches
    length: int


class SessionKV:
    """The caches of one session and what they hold.

    Attributes:
        make: gives empty caches.
        tokens: the token ids fed so far, in order. They stay known when the caches are dropped.
        cuts: the lengths at which chunks of prompts ended, as far as the tokens from the first on
            were read in chunks. What follows the last of them was generated.
        ledger: which text the tokens stand for.
        caches: the layers' caches, or None when dropped or not made yet. Asking for them makes
            the session stand up from its seat; who only wants to know about them asks `layers`.
        slots: where the keys and values are while the session is seated, else None.
        on_disk: how many tokens the file holds that is the same as the caches; -1 for none.
        rebuilt: whether caches that had been dropped were (or are being) made anew.
        shares_prefix: whether the model can be given a beginning that several sessions share.
        shared_prefix: that beginning, where there is one.
    """

    def __init__(self, make: Callable[[], Caches], shares_prefix: bool = False) -> None:
        self.make = make
        self.shares_prefix = shares_prefix
        self.shared_prefix: SharedPrefix | None = None
        self._caches: Caches | None = None
        self.slots: Slots | None = None
        self.tokens: list[int] = []
        self.cuts: list[int] = []
        self.ledger = Ledger()
        self.rebuilt = False
        self.on_disk = -1
        self._dropped = False
        self._snapshot: Snapshot | None = None
        self._sharers: weakref.WeakSet[SessionKV] | None = None

    @property
    def caches(self) -> Caches | None:
        self.stand_up()
        return self._caches

    @caches.setter
    def caches(self, caches: Caches | None) -> None:
        if self.slots is not None:
            self.slots.leave(self)
        if self.shared_prefix is not None:
            self.shared_prefix.holders.discard(self)
        first = caches[0] if caches else None
        self.shared_prefix = first.shared_prefix if isinstance(first, SharedPrefixKV) else None
        if self.shared_prefix is not None:
            self.shared_prefix.holders.add(self)
        self._caches = caches

    def stand_up(self) -> None:
        """Take the keys and values back from the slots, if that is where they are."""
        if self.slots is not None:
            self.slots.stand_up(self)

    @property
    def layers(self) -> Caches:
        """The layers' caches wherever their keys and values are; empty when there are none."""
        return self._caches or []

    @property
    def length(self) -> int:
        """Tokens that the caches hold now."""
        return len(self.tokens) if self._caches is not None else 0

    @property
    def nbytes(self) -> int:
        held = [self.layers, self._snapshot.caches if self._snapshot else []]
        seen = {id(a): a.nbytes for a in leaves(held)}
        seat = self.slots.nbytes_each if self.slots is not None else 0
        shared = self.shared_prefix.nbytes if self.shared_prefix is not None else 0
        return shared + seat + sum(seen.values())

    @property
    def sharers(self) -> int:
        """How many sessions, this one included, have buffers in common since a fork."""
        if self.shared_prefix is not None:
            return len(self.shared_prefix.holders)
        return len(self._sharers) if self._sharers is not None else 1

    @property
    def saved(self) -> int:
        """Bytes that others account for, of what this session uses."""
        shared = self.shared_prefix.nbytes if self.shared_prefix is not None else self.nbytes
        return shared - shared // self.sharers

    @property
    def owed(self) -> int:
        """Bytes that are this session's to account for: its part of what it shares."""
        return self.nbytes - self.saved

    def _part(self) -> None:
        """The buffers are written to, or given up: MLX copies what the others still hold."""
        self.on_disk = -1
        if self._sharers is not None:
            self._sharers.discard(self)
            self._sharers = None

    @property
    def trimmable(self) -> bool:
        """Whether the last tokens can be taken back."""
        return all(can_trim(c) for c in self.layers)

    def begin(self, prompt: list[int]) -> int:
        """Get the caches ready for `prompt`: keep what they share with it, make the rest undone.

        Returns how many of its tokens need not be fed again; at most all but the last one, since
        a forward pass needs something to run on.
        """
        if self.caches is None:
            self.rebuilt = self._dropped
            self._reset()
            return 0
        self.rebuilt = False
        shared = min(common_prefix(self.tokens, prompt), len(prompt) - 1)
        if shared == len(self.tokens) or self._trim_to(shared):
            return shared
        snapshot = self._snapshot
        if snapshot is not None and snapshot.length <= shared:
            surplus = len(self.tokens) - snapshot.length
            for layer, kept in enumerate(snapshot.caches):
                if kept is not None:
                    self.caches[layer] = clone(kept)
                elif self.caches[layer] is not None:
                    self.caches[layer].trim(surplus)
            self._forget_after(snapshot.length)
            return snapshot.length
        self._reset()
        return 0

    def _reset(self) -> None:
        self._part()
        self.caches = self.make()
        stagger(self.caches)
        self.tokens = []
        self.cuts = []
        self._snapshot = None
        self._dropped = False

    def _forget_after(self, length: int) -> None:
        self.on_disk = -1
        del self.tokens[length:]
        self.cuts = [c for c in self.cuts if c <= length]

    def expect(self, more: int) -> None:
        """Let the caches grow in larger steps while so many tokens are to be read."""
        stagger(self.layers, more)

    def note_read(self, tokens: Sequence[int]) -> None:
        """Take note that a chunk of a prompt has been fed."""
        self._part()
        # Attention in two pieces rounds otherwise: what is read behind a shared prefix has no cuts.
        if self.shared_prefix is None and self.length == (self.cuts[-1] if self.cuts else 0):
            self.cuts.append(self.length + len(tokens))
        self.tokens.extend(tokens)

    def note_fed(self, token: int) -> None:
        """Take note that a decode step has fed a token."""
        self._part()
        self.tokens.append(token)

    def reach(self, prompt: Sequence[int], cuts: Sequence[int] | None = None) -> int:
        """How many of a prompt's first tokens the caches hold, or can go back to.

        At most all but the last one. With `cuts` only what was read in chunks that ended there,
        and nowhere else, so that the caches are the same bits as if the prompt had been read so.
        """
        if self._caches is None:
            return 0
        shared = min(common_prefix(self.tokens, prompt), len(prompt) - 1)
        within = [shared]
        if cuts is not None:
            alike = common_prefix(self.cuts, cuts)
            within = [c for c in cuts[:alike] if c <= shared]
        own = [len(self.tokens), self._snapshot.length if self._snapshot is not None else 0]
        if cuts is None and self._snapshot is not None and self._snapshot.length <= shared:
            within.append(self._snapshot.length)
        anywhere = self.trimmable
        return max((c for c in within if anywhere or c in own), default=0)

    def beginning(self, length: int, room: bool) -> Caches:
        """Detached copies, already evaluated, of the caches as of the first `length` tokens.

        `length` must be within `reach`. With `room` they are meant to grow.
        """
        assert self.caches is not None
        surplus = len(self.tokens) - length
        kept: Sequence[Any] = [None] * len(self.caches)
        if surplus and not self.trimmable:
            assert self._snapshot is not None
            assert self._snapshot.length == length
            kept = self._snapshot.caches
        copies = [
            detached(cache, surplus, room) if own is None else detached(own, 0, room)
            for cache, own in zip(self.caches, kept, strict=True)
        ]
        if self.shared_prefix is not None:
            copies = without_shared_prefix(copies, self.make(), length, room)
        mx.eval(list(leaves(copies)))
        return copies

    def _branch(self, length: int) -> Caches | None:
        """Caches that go on from a shared prefix of `length` tokens; None where none is made.

        What this session holds becomes a shared prefix by it, where it is not one already.
        """
        if not self.shares_prefix or length < shared_prefix.LEAST or not self.is_plain:
            return None
        assert self.caches is not None
        if self.shared_prefix is None or length - self.caches[0].base >= shared_prefix.LEAST:
            self.become_stem()
        twins = clone(self.caches)
        for twin in twins:
            twin.trim(twin.offset - length)
        return list(twins)

    def become_stem(self) -> bool:
        """Let all that the caches hold be a shared prefix; False where they are of another kind."""
        if self.caches is None or not self.is_plain or not self.caches[0].offset:
            return False
        length = self.caches[0].offset
        if self.shared_prefix is not None:
            pairs = [cache.whole(length, 0) for cache in self.caches]
        else:
            pairs = [(c.keys[:, :, :length], c.values[:, :, :length]) for c in self.caches]
        mx.eval(pairs)
        made = SharedPrefix([k for k, _ in pairs], [v for _, v in pairs])
        self.caches = [SharedPrefixKV(made, layer, length) for layer in range(len(pairs))]
        stagger(self.caches)
        return True

    @property
    def is_plain(self) -> bool:
        """Whether all layers have ordinary growing caches."""
        from mlx_lm.models.cache import KVCache

        return bool(self.layers) and all(type(c) in (KVCache, SharedPrefixKV) for c in self.layers)

    @property
    def in_one_piece(self) -> Caches | None:
        """The caches as the model makes them, copied where they go on from a shared prefix."""
        if self.shared_prefix is None:
            return self.caches
        return self.beginning(len(self.tokens), room=False)

    def take_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        """Go on from a copy of the first `length` tokens of another's, in place of one's own."""
        branch = donor._branch(length) if self.shares_prefix else None
        caches = branch or donor.beginning(length, room)
        self.take(caches, donor.tokens[:length], donor.cuts)
        border = donor._snapshot
        if border is not None and border.length <= length:
            self._snapshot = border  # never written to: going back copies it

    @property
    def border_copy(self) -> tuple[Caches, int] | None:
        """What the caches can go back to besides being trimmed, and how many tokens that holds."""
        return (self._snapshot.caches, self._snapshot.length) if self._snapshot else None

    def take(
        self,
        caches: Caches,
        tokens: Sequence[int],
        cuts: Sequence[int],
        border: tuple[Caches, int] | None = None,
    ) -> None:
        """Go on from caches that hold `tokens` and belong to nobody else."""
        self._part()
        self.caches = caches
        stagger(caches)
        self.tokens = list(tokens)
        self.cuts = [c for c in cuts if c <= len(tokens)]
        self._snapshot = Snapshot(*border) if border is not None else None
        self._dropped = False

    def _trim_to(self, length: int) -> bool:
        """Take back the tokens after `length`, where every layer can."""
        if not self.trimmable or (self.shared_prefix is not None and not length):
            return False
        if self.shared_prefix is not None and length < shared_prefix.LEAST:
            self.take(self.beginning(length, room=True), self.tokens[:length], self.cuts)
            return True
        surplus = len(self.tokens) - length
        for cache in self.caches or []:
            if cache is not None and surplus:
                cache.trim(surplus)
        self._forget_after(length)
        if self._snapshot is not None and self._snapshot.length > length:
            self._snapshot = None
        return True

    @property
    def needs_snapshot(self) -> bool:
        """Whether this kind of cache can only be taken back to a saved copy."""
        return any(may_not_trim(c) for c in self.layers)

    def snapshot(self) -> None:
        """Remember the caches as they are now, at a turn's border."""
        assert self.caches is not None
        kept = [own_states(compact(clone(c))) if may_not_trim(c) else None for c in self.caches]
        mx.eval(list(leaves(kept)))  # what is cut off is only freed then
        self._snapshot = Snapshot(kept, len(self.tokens))

    def settle(self) -> None:
        """After a reply: stand up, and let go of what recurrent states were cut from."""
        self.stand_up()
        states = [own_states(c) for c in self.layers if may_not_trim(c)]
        mx.eval(list(leaves(states)))

    def drop(self) -> None:
        """Free the caches, keep the ledger: the next turn makes them anew by prefill."""
        self._dropped = self._dropped or self._caches is not None
        self.caches = None
        self._snapshot = None
        self._part()

    def fork(self) -> SessionKV:
        """A twin that shares the buffers until either side writes."""
        twin = SessionKV(self.make, self.shares_prefix)
        branch = self._branch(len(self.tokens))
        twin.caches = branch or clone(self.caches)
        twin.tokens = list(self.tokens)
        twin.cuts = list(self.cuts)
        twin.ledger = self.ledger
        twin._dropped = self._dropped
        twin._snapshot = self._snapshot
        if branch is None and self.caches is not None:
            if self._sharers is None:
                self._sharers = weakref.WeakSet([self])
            self._sharers.add(twin)
            twin._sharers = self._sharers
        return twin
