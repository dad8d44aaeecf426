"""One session's KV cache: the tokens that its caches hold, and how it goes back and goes on.

The caches are mlx-lm's own objects, one a layer. `SessionKV` knows which tokens were fed to them,
so that a follow-up feeds only what is new. Caches that cannot be trimmed (recurrent states, ring
buffers that have wrapped) go back to a snapshot, taken where the last prompt ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.cache import shared_prefix
from engine.cache.cache_objects import (
    MAX_STEPS,
    Caches,
    can_be_put_back,
    can_cut,
    clone,
    cut,
    detached,
    gone_back,
    growing,
    kept_copy,
    leaves,
    may_not_trim,
    replaced,
    single,
    stagger,
)
from engine.cache.estimate import STEP
from engine.cache.held_caches import HeldCaches, Snapshot
from engine.cache.ledger import Ledger, common_prefix
from engine.cache.shared_prefix import SharedPrefix, SharedPrefixKV


class SessionKV(HeldCaches):
    """The caches of one session and the tokens that they hold."""

    def __init__(self, make: Callable[[], Caches], shares_prefix: bool = False) -> None:
        super().__init__()
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

    @property
    def length(self) -> int:
        """Tokens that the caches hold now; 0 when there are none."""
        return len(self.tokens) if self.layers else 0

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
        super().drop()

    def settle(self) -> None:
        """After a reply: leave the slots, and let others go on from all that was generated."""
        super().settle()
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


def _roomy(array: mx.array, length: int) -> mx.array:
    """The first `length` tokens, and place for one more."""
    if array.shape[2] > length:
        return array[:, :, : length + 1]
    return mx.pad(array, [(0, 0), (0, 0), (0, 1), (0, 0)])
