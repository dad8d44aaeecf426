"""One session's KV cache: the tokens that its caches hold, and how it goes back and goes on.

The caches are mlx-lm's own objects, one a layer. `SessionKV` knows which tokens were fed to them,
so that a follow-up feeds only what is new. Caches that cannot be trimmed (recurrent states, ring
buffers that have wrapped) go back to a snapshot, taken where the last prompt ended.
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
    can_be_put_back,
    can_cut,
    can_trim,
    clone,
    cut,
    detached,
    gone_back,
    growing,
    grows,
    kept_copy,
    leaves,
    may_not_trim,
    mixes,
    own_states,
    replaced,
    single,
    stagger,
)
from engine.cache.estimate import STEP
from engine.cache.ledger import Ledger, common_prefix
from engine.cache.shared_prefix import SharedPrefix, SharedPrefixKV, numbers
from engine.cache.slot_buffer import SlotBuffer
from engine.cache.state_stack import StateStack


class Snapshot(Struct):
    """The caches that cannot be trimmed, as they were when `length` tokens had been fed.

    A cache that can be trimmed to `length` is None here, also within a layer of several caches.
    """

    caches: Caches
    length: int


class Part(NamedTuple):
    """Bytes of caches."""

    own: int  # freed when these caches are dropped
    group: int = 0  # number of the memory that they share with others; 0 for none
    shared: int = 0  # bytes of that memory, freed with the last cache of the group


class Watch:
    """Set of the caches whose sizes may have changed."""

    def __init__(self) -> None:
        self.changed: set[SessionKV] = set()  # whose bytes are to be counted again
        self.untold: set[SessionKV] = set()  # whose figures are to be reported again
        # whose tokens have changed otherwise than by a decode step
        self.moved: set[SessionKV] = set()

    def forget(self, kv: SessionKV) -> None:
        """Forget these caches."""
        self.changed.discard(kv)
        self.untold.discard(kv)
        self.moved.discard(kv)


class SessionKV:
    """The caches of one session, the tokens that they hold, and with whom they share memory."""

    def __init__(self, make: Callable[[], Caches], shares_prefix: bool = False) -> None:
        self.make = make  # gives empty caches
        self.shares_prefix = shares_prefix  # whether the model can read from a `SharedPrefix`
        # the token ids fed so far, in order. They stay known when the caches are dropped.
        self.tokens: list[int] = []
        # the lengths at which chunks of prompts ended, as far as the tokens from the first on were
        # read in chunks. The tokens after the last cut were generated.
        self.cuts: list[int] = []
        self.ledger = Ledger()  # the text that the tokens stand for
        # whether the last `begin` had to read a prompt again because of a `drop`
        self.rebuilt = False
        # how many tokens the session's file holds, if it is up to date; otherwise -1
        self.on_disk = -1
        # how many of the tokens are as they were when the prefix index looked last
        self.unmoved = 0
        self._dropped = False
        self._before: tuple[list[tuple[Any, Any]], int] | None = None  # as `remember` left it
        # the buffer whose slots hold the keys and values at the moment, else None
        self.slots: SlotBuffer | None = None
        # the stack that holds the recurrent states at the moment, else None
        self.stack: StateStack | None = None
        # the shared prefix that the caches go on from, else None
        self.shared_prefix: SharedPrefix | None = None
        # one cache a layer, in slots or not; [] if there are no caches
        self.layers: Caches = []
        self._snapshot: Snapshot | None = None
        self._sharers: weakref.WeakSet[SessionKV] | None = None
        self._sharing = 0  # the number of those together
        # notified whenever the bytes may have changed; None where no sum is kept
        self.watch: Watch | None = None
        self._measured: int | None = None  # bytes of the arrays; None when they may have changed

    @property
    def length(self) -> int:
        """Tokens that the caches hold now; 0 when there are none."""
        return len(self.tokens) if self.layers else 0

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

    # -- reading ----------------------------------------------------------------------------

    def begin(self, prompt: list[int]) -> int:
        """Make the caches hold a prefix of `prompt` and nothing else.

        Returns its length, which is how many tokens need not be fed again. It is less than
        `len(prompt)`, because a forward pass needs a token to run on.
        """
        caches = self.take_out()
        if not caches:
            self.rebuilt = self._dropped
            self._reset()
            return 0
        self.rebuilt = False
        shared = min(common_prefix(self.tokens, prompt), len(prompt) - 1)
        if shared == len(self.tokens):
            return shared
        if self.trim_to(shared):
            self._make_smaller(len(prompt))
            return shared
        snapshot = self._snapshot
        if snapshot is not None and snapshot.length <= shared:
            surplus = len(self.tokens) - snapshot.length
            for layer, kept in enumerate(snapshot.caches):
                caches[layer] = gone_back(caches[layer], kept, surplus)
            self._forget_after(snapshot.length)
            return snapshot.length
        self._reset()
        return 0

    def _make_smaller(self, length: int) -> None:
        """Give back room that was for more than a prompt of so many tokens, where it is much."""
        room = self.capacity
        if self.shared_prefix is None and self.is_plain and room > 2 * length + MAX_STEPS * STEP:
            self.set_caches(self.beginning(len(self.tokens), room=True))
            stagger(self.layers)

    def expect(self, more: int) -> None:
        """Let the caches grow in larger steps when `more` tokens are still to be read."""
        stagger(self.layers, more)

    def note_read(self, tokens: Sequence[int], alone: bool = True) -> None:
        """Note that a chunk of a prompt has been fed, `alone` in its pass or beside others.

        Attention over two arrays rounds differently, and so may products of more rows: chunks
        after a shared prefix, and those beside others, are no cuts.
        """
        self._changed()
        self._moved(self.length)
        whole = alone and self.shared_prefix is None
        if whole and self.length == (self.cuts[-1] if self.cuts else 0):
            self.cuts.append(self.length + len(tokens))
        self.tokens.extend(tokens)

    def note_fed(self, token: int) -> None:
        """Note that a decode step has fed a token."""
        self._changed()
        self.tokens.append(token)

    def snapshot(self) -> None:
        """Keep copies of the caches that cannot be trimmed, to go back to."""
        kept = list(map(kept_copy, self.take_out()))
        mx.eval(list(leaves(kept)))  # frees what was cut off
        self._snapshot = Snapshot(kept, len(self.tokens))
        self.touched()
        self._moved(len(self.tokens))

    def drop(self) -> None:
        """Free the caches and keep the ledger. The next turn reads its whole prompt."""
        self._dropped = self._dropped or bool(self.layers)
        self._before = None
        self.on_disk = -1
        self._moved(0)
        self.set_caches(None)
        self._snapshot = None
        self._stop_sharing()

    def settle(self) -> None:
        """After a reply: leave the slots, free what recurrent states were cut from, and let others
        go on from all that was generated.
        """
        self.leave_slots()
        states = [own_states(c) for c in self.layers if may_not_trim(c)]
        mx.eval(list(leaves(states)))
        self.touched()
        self._moved(self.length)

    def _moved(self, kept: int) -> None:
        """Note that the tokens after the first `kept` are others, or held no more."""
        self.unmoved = min(self.unmoved, kept)
        if self.watch is not None:
            self.watch.moved.add(self)

    def _changed(self) -> None:
        self.on_disk = -1
        self._stop_sharing()
        self.touched()

    def _reset(self) -> None:
        self._changed()
        self._moved(0)
        self.set_caches(self.make())
        stagger(self.layers)
        self.tokens = []
        self.cuts = []
        self._snapshot = None
        self._dropped = False

    def trim_to(self, length: int) -> bool:
        """Take back the tokens after `length`; False where some layer cannot."""
        if not self.trimmable or (self.shared_prefix is not None and not length):
            return False
        if self.shared_prefix is not None and length < shared_prefix.MIN_TOKENS:
            self.take(self.beginning(length, room=True), self.tokens[:length], self.cuts)
            return True
        surplus = len(self.tokens) - length
        for cache in self.take_out():
            if cache is not None and surplus:
                cache.trim(surplus)
        self._forget_after(length)
        if self._snapshot is not None and self._snapshot.length > length:
            self._snapshot = None
        return True

    @property
    def can_go_back(self) -> bool:
        """Whether `go_back` works, whatever is fed after `remember`."""
        return all(map(can_be_put_back, single(self.layers)))

    def remember(self, length: int) -> None:
        """Keep what the tokens of a draft overwrite; the caches hold `length` tokens now.

        What it keeps are references: a pass puts other arrays in the place of these.
        """
        caches = [cache for cache in single(self.take_out()) if may_not_trim(cache)]
        self._before = [(cache, clone(cache)) for cache in caches], length

    def go_back(self, length: int) -> None:
        """Take back what was fed since `remember`, after the first `length` tokens.

        Where a cache cannot be cut there, as a recurrent state, all go back to what was remembered:
        then they hold fewer, and the next pass has the others fed again.

        Raises:
            RuntimeError: they cannot go back so far.
        """
        before, self._before = self._before, None
        surplus = len(self.tokens) - length
        if surplus <= 0:
            return
        caches = [cache for cache in single(self.take_out()) if cache is not None]
        if not all(can_cut(cache, surplus) for cache in caches):
            if before is None or before[1] > length:
                raise RuntimeError("the caches cannot be taken back")
            for cache, kept in before[0]:
                vars(cache).update(vars(kept))
            length, put_back = before[1], {id(cache) for cache, _ in before[0]}
            surplus = len(self.tokens) - length
            caches = [cache for cache in caches if id(cache) not in put_back]
        for cache in caches:
            cut(cache, surplus)
        self._forget_after(length)

    def _forget_after(self, length: int) -> None:
        self.on_disk = -1
        self.touched()
        self._moved(length)
        del self.tokens[length:]
        self.cuts = [c for c in self.cuts if c <= length]

    # -- handing caches on ------------------------------------------------------------------

    def reach(self, prompt: Sequence[int], cuts: Sequence[int] | None = None) -> int:
        """How many of a prompt's first tokens the caches hold or can go back to.

        Less than `len(prompt)`. With `cuts`, the result is one of them, and only if the tokens
        before it were read in chunks with the same ends: then the caches are the same bits as if
        the prompt had been read so.
        """
        if not self.layers:
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
        """Copies of the caches as of the first `length` tokens, evaluated, in own buffers.

        `length` must be within `reach`. With `room` they have space for the next tokens.
        """
        caches = self.take_out()
        surplus, kept = len(self.tokens) - length, self._kept_at(length)
        copies = [
            detached(gone_back(cache, own, surplus), room)
            for cache, own in zip(caches, kept, strict=True)
        ]
        if self.shared_prefix is not None:
            copies = self._as_made(copies, lambda held, own: held.whole_in(own, length, room))
        mx.eval(list(leaves(copies)))
        return copies

    @property
    def as_made(self) -> Caches | None:
        """The caches as the model makes them, to be written; nothing is copied for that.

        Where they go on from a shared prefix, their keys and values are `Joined`.
        """
        caches = self.take_out()
        if self.shared_prefix is None:
            return caches or None
        return self._as_made(caches, SharedPrefixKV.joined_in)

    def _as_made(self, caches: Caches, fill: Callable[[SharedPrefixKV, Any], Any]) -> Caches:
        """`caches`, but those after a shared prefix as the model makes them, each filled."""
        pairs = zip(single(caches), single(self.make()), strict=True)
        begun = {id(c): fill(c, own) for c, own in pairs if isinstance(c, SharedPrefixKV)}
        return replaced(caches, begun)

    @property
    def goes_back_to(self) -> tuple[int, ...]:
        """Lengths that the caches can go back to, beside what they can be trimmed to."""
        return (self._snapshot.length,) if self._snapshot is not None else ()

    @property
    def snapshot_copy(self) -> tuple[Caches, int] | None:
        """The snapshot's caches and its length in tokens."""
        return (self._snapshot.caches, self._snapshot.length) if self._snapshot else None

    def take(
        self,
        caches: Caches,
        tokens: Sequence[int],
        cuts: Sequence[int],
        boundary: tuple[Caches, int] | None = None,
    ) -> None:
        """Go on from `caches`, which hold `tokens` and are used by nobody else.

        Args:
            cuts: as the attribute; those beyond the tokens are left out.
            boundary: a snapshot, as `snapshot_copy` gives it.
        """
        self._changed()
        self._moved(0)
        self.set_caches(caches)
        stagger(caches)
        self.tokens = list(tokens)
        self.cuts = [c for c in cuts if c <= len(tokens)]
        self._snapshot = Snapshot(*boundary) if boundary is not None else None
        self._dropped = False

    def restore(self, name: str, *taken: Any) -> None:
        """As `take`, with its arguments, from the file of this name."""
        self.take(*taken)
        self.on_disk = self.length

    def take_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        """Go on from the first `length` tokens of `donor`, which are shared or copied."""
        shared = donor._after_shared_prefix(length) if self.shares_prefix else None
        caches = shared or donor.beginning(length, room)
        self.take(caches, donor.tokens[:length], donor.cuts)
        boundary = donor._snapshot
        if boundary is not None and boundary.length <= length:
            self._snapshot = boundary  # never written to: going back copies it

    def another(self) -> SessionKV:
        """Caches of the same kind for another session, empty."""
        return SessionKV(self.make, self.shares_prefix)

    def still(self) -> SessionKV:
        """These caches as they are now, to be written while the session goes on.

        Its next token copies what is still being written: an array's bytes are freed when it is
        assigned to, whoever looks at them.
        """
        twin = self.another()
        caches = self.take_out()
        twin.set_caches(clone(caches) if caches else None)
        twin.tokens, twin.cuts = list(self.tokens), list(self.cuts)
        twin.ledger, twin._snapshot = self.ledger, self._snapshot
        return twin

    def fork(self) -> SessionKV:
        """A twin that shares the memory: as a shared prefix, or until either of the two writes."""
        twin = self.another()
        shared = self._after_shared_prefix(len(self.tokens))
        caches = self.take_out()
        twin.set_caches(shared or (clone(caches) if caches else None))
        twin.tokens = list(self.tokens)
        twin.cuts = list(self.cuts)
        twin.ledger = self.ledger
        twin._dropped = self._dropped
        twin._snapshot = self._snapshot
        if shared is None and caches:
            self._share_with(twin)
        return twin

    def make_shared_prefix(self) -> bool:
        """Turn what the growing caches hold into a shared prefix; False where there are none.

        Windows and recurrent states stay this session's own: they are small.
        """
        caches = self.take_out()
        shared = growing(caches)
        length = shared[0].offset if shared else 0
        if not length:
            return False
        pairs = []
        for cache in shared:
            if isinstance(cache, SharedPrefixKV):
                pairs.append(cache.whole(length, 1))
            else:
                pairs.append((_roomy(cache.keys, length), _roomy(cache.values, length)))
        made = SharedPrefix(pairs, length)
        begun = {id(c): SharedPrefixKV(made, n, length) for n, c in enumerate(shared)}
        self.set_caches(replaced(caches, begun))
        stagger(self.layers)
        return True

    def _after_shared_prefix(self, length: int) -> Caches | None:
        """Caches for another session that go on from a shared prefix of `length` tokens.

        None where that is not possible or does not pay. What this session holds becomes a shared
        prefix where it is not one already.
        """
        least = shared_prefix.MIN_TOKENS
        if not self.shares_prefix or length < least or not growing(self.layers):
            return None
        if self.shared_prefix is None or length - self.base >= least:
            self.make_shared_prefix()
        surplus, kept = len(self.tokens) - length, self._kept_at(length)
        pairs = zip(self.take_out(), kept, strict=True)
        return [gone_back(cache, own, surplus) for cache, own in pairs]

    def _kept_at(self, length: int) -> Sequence[Any]:
        """What `gone_back` needs to make the caches what they were at so many tokens.

        `length` must be within `reach`.
        """
        if length == len(self.tokens) or self.trimmable:
            return [None] * len(self.layers)
        assert self._snapshot is not None
        assert self._snapshot.length == length
        return self._snapshot.caches

    # -- what kind of caches they are -------------------------------------------------------

    @property
    def is_plain(self) -> bool:
        """True if all layers have ordinary growing caches."""
        return bool(self.layers) and all(map(grows, self.layers))

    @property
    def mixes(self) -> bool:
        """True if a pass may write chunks to all layers beside the steps of other sessions."""
        return bool(self.layers) and all(map(mixes, self.layers))

    @property
    def drafts_together(self) -> bool:
        """True if a draft can be verified and trimmed in a pass with the steps of other sessions.

        A recurrent state would be put back, and its session's next step a pass of its own.
        """
        return self.mixes and all(hasattr(cache, "keys") for cache in single(self.layers))

    @property
    def base(self) -> int:
        """Tokens of the shared prefix that the caches go on from; 0 where there is none."""
        return next((c.base for c in single(self.layers) if isinstance(c, SharedPrefixKV)), 0)

    @property
    def trimmable(self) -> bool:
        """True if all layers can be trimmed now."""
        return all(can_trim(c) for c in self.layers)

    @property
    def needs_snapshot(self) -> bool:
        """True if some layer cannot be trimmed, or may soon not be: it needs a saved copy."""
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
        return self.part.own + self.part.shared

    @property
    def part(self) -> Part:
        """Return the bytes of these caches alone, and of the memory that they share."""
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
        """Number of sessions, including this one, that use the same memory."""
        if self.shared_prefix is not None:
            return len(self.shared_prefix.holders)
        return len(self._sharers) if self._sharers is not None else 1

    @property
    def owed(self) -> int:
        """Bytes that are counted as this session's: its own, and its part of what it shares."""
        return self.part.own + self.part.shared // self.sharers

    def _share_with(self, twin: SessionKV) -> None:
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


def _roomy(array: mx.array, length: int) -> mx.array:
    """The first `length` tokens, and place for one more."""
    if array.shape[2] > length:
        return array[:, :, : length + 1]
    return mx.pad(array, [(0, 0), (0, 0), (0, 1), (0, 0)])
