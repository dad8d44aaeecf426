"""One session's KV cache, and the ledger of which tokens it holds.

The caches are `mlx_lm`'s own objects, one per layer. `SessionKV` knows what was fed to them, so
that a follow-up feeds only what is new, and keeps the detached copy that caches which cannot be
trimmed (recurrent states, ring buffers that have wrapped) need to go back to a turn's border.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from engine import stem
from engine.stem import BranchKV, Stem

if TYPE_CHECKING:
    from engine.pool import Pool

Caches = list[Any]

MOST_STEPS = 4
"""Growing further at a time than so many of `Need.STEP` would be felt as well."""


def clone(value: Any) -> Any:
    """A detached copy of caches, or of anything inside them.

    A full slice shares the buffer until either side writes, so this is copy-on-write and costs
    nothing by itself (`mx.array(x)` copies); a reference to the same Python array would see the
    other's updates in place.
    """
    if isinstance(value, mx.array):
        return value[...]
    if isinstance(value, (list, tuple)):
        return type(value)(clone(v) for v in value)
    if isinstance(value, BranchKV) or (
        hasattr(value, "__dict__") and type(value).__module__.startswith("mlx_lm.")
    ):
        copy = object.__new__(type(value))
        for name, part in vars(value).items():
            setattr(copy, name, clone(part))
        return copy
    return value


def leaves(value: Any) -> Iterator[mx.array]:
    """Every array inside caches."""
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    elif hasattr(value, "__dict__"):
        for part in vars(value).values():
            yield from leaves(part)


def nbytes(caches: Any) -> int:
    """Bytes that the caches' arrays take, allocation steps included."""
    return sum(a.nbytes for a in leaves(caches))


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens `a` and `b` begin with in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # slices compare at the speed of C
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Ledger:
    """A conversation's text as it was rendered and shown, and its tokens as read and generated.

    The tokens that a model generated need not be those its tokenizer would make of their text.
    A later prompt that begins with the same text gets the same tokens as far as that goes, so
    that nothing is read twice.

    Attributes:
        borders: ascending (characters, tokens) at which the two are known to be cut alike: the
            ends of the prompts and of the answers.
    """

    text: str = ""
    tokens: Sequence[int] = ()
    borders: tuple[tuple[int, int], ...] = ()

    def match(self, text: str) -> tuple[tuple[int, int], ...]:
        """The borders as far as `text` is the same."""
        for n in range(len(self.borders), 0, -1):
            if text.startswith(self.text[: self.borders[n - 1][0]]):
                return self.borders[:n]
        return ()


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
        pool: where the keys and values are while the session is seated, else None.
        on_disk: how many tokens the file holds that is the same as the caches; -1 for none.
        rebuilt: whether caches that had been dropped were (or are being) made anew.
        branches: whether the model can be given a beginning that several sessions share.
        stem: that beginning, where there is one.
    """

    def __init__(self, make: Callable[[], Caches], branches: bool = False) -> None:
        self.make = make
        self.branches = branches
        self.stem: Stem | None = None
        self._caches: Caches | None = None
        self.pool: Pool | None = None
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
        if self.pool is not None:
            self.pool.leave(self)
        if self.stem is not None:
            self.stem.holders.discard(self)
        first = caches[0] if caches else None
        self.stem = first.stem if isinstance(first, BranchKV) else None
        if self.stem is not None:
            self.stem.holders.add(self)
        self._caches = caches

    def stand_up(self) -> None:
        """Take the keys and values back from the pool, if that is where they are."""
        if self.pool is not None:
            self.pool.stand_up(self)

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
        seat = self.pool.nbytes_each if self.pool is not None else 0
        shared = self.stem.nbytes if self.stem is not None else 0
        return shared + seat + sum(seen.values())

    @property
    def sharers(self) -> int:
        """How many sessions, this one included, have buffers in common since a fork."""
        if self.stem is not None:
            return len(self.stem.holders)
        return len(self._sharers) if self._sharers is not None else 1

    @property
    def saved(self) -> int:
        """Bytes that others account for, of what this session uses."""
        shared = self.stem.nbytes if self.stem is not None else self.nbytes
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
        return all(_can_trim(c) for c in self.layers)

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
        _stagger(self.caches)
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
        _stagger(self.layers, more)

    def note_read(self, tokens: Sequence[int]) -> None:
        """Take note that a chunk of a prompt has been fed."""
        self._part()
        # Attention in two pieces rounds otherwise, so what is read behind a stem has no cuts.
        if self.stem is None and self.length == (self.cuts[-1] if self.cuts else 0):
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
            _detached(cache, surplus, room) if own is None else _detached(own, 0, room)
            for cache, own in zip(self.caches, kept, strict=True)
        ]
        if self.stem is not None:
            copies = _in_one_piece(copies, self.make(), length, room)
        mx.eval(list(leaves(copies)))
        return copies

    def _branch(self, length: int) -> Caches | None:
        """Caches that go on from a stem of the first `length` tokens; None where none is made.

        What this session holds becomes a stem by it, where it is not one already.
        """
        if not self.branches or length < stem.LEAST or not self.is_plain:
            return None
        assert self.caches is not None
        if self.stem is None or length - self.caches[0].base >= stem.LEAST:
            self.become_stem()
        twins = clone(self.caches)
        for twin in twins:
            twin.trim(twin.offset - length)
        return list(twins)

    def become_stem(self) -> bool:
        """Let all that the caches hold be a stem; False where they are of another kind."""
        if self.caches is None or not self.is_plain or not self.caches[0].offset:
            return False
        length = self.caches[0].offset
        if self.stem is not None:
            pairs = [cache.whole(length, 0) for cache in self.caches]
        else:
            pairs = [(c.keys[:, :, :length], c.values[:, :, :length]) for c in self.caches]
        mx.eval(pairs)
        made = Stem([k for k, _ in pairs], [v for _, v in pairs])
        self.caches = [BranchKV(made, layer, length) for layer in range(len(pairs))]
        _stagger(self.caches)
        return True

    @property
    def is_plain(self) -> bool:
        """Whether all layers have ordinary growing caches."""
        from mlx_lm.models.cache import KVCache

        return bool(self.layers) and all(type(c) in (KVCache, BranchKV) for c in self.layers)

    @property
    def in_one_piece(self) -> Caches | None:
        """The caches as the model makes them, copied where they go on from a stem."""
        if self.stem is None:
            return self.caches
        return self.beginning(len(self.tokens), room=False)

    def take_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        """Go on from a copy of the first `length` tokens of another's, in place of one's own."""
        branch = donor._branch(length) if self.branches else None
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
        _stagger(caches)
        self.tokens = list(tokens)
        self.cuts = [c for c in cuts if c <= len(tokens)]
        self._snapshot = Snapshot(*border) if border is not None else None
        self._dropped = False

    def _trim_to(self, length: int) -> bool:
        """Take back the tokens after `length`, where every layer can."""
        if not self.trimmable or (self.stem is not None and not length):
            return False
        if self.stem is not None and length < stem.LEAST:
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
        return any(_may_not_trim(c) for c in self.layers)

    def snapshot(self) -> None:
        """Remember the caches as they are now, at a turn's border."""
        assert self.caches is not None
        kept = [_own(_compact(clone(c))) if _may_not_trim(c) else None for c in self.caches]
        mx.eval(list(leaves(kept)))  # what is cut off is only freed then
        self._snapshot = Snapshot(kept, len(self.tokens))

    def settle(self) -> None:
        """After a reply: stand up, and let go of what recurrent states were cut from."""
        self.stand_up()
        states = [_own(c) for c in self.layers if _may_not_trim(c)]
        mx.eval(list(leaves(states)))

    def drop(self) -> None:
        """Free the caches, keep the ledger: the next turn makes them anew by prefill."""
        self._dropped = self._dropped or self._caches is not None
        self.caches = None
        self._snapshot = None
        self._part()

    def fork(self) -> SessionKV:
        """A twin that shares the buffers until either side writes."""
        twin = SessionKV(self.make, self.branches)
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


def _compact(cache: Any) -> Any:
    """Cut off what a ring buffer would drop at its next token: it has kept the last chunk whole."""
    for part in getattr(cache, "caches", [cache]):
        most = getattr(part, "max_size", None)
        if most is not None and getattr(part, "keys", None) is not None:
            surplus = part.keys.shape[2] - most
            if surplus > 0 and part._idx == part.keys.shape[2]:
                part.keys = part._trim(surplus, part.keys)
                part.values = part._trim(surplus, part.values)
                part._idx = most
    return cache


def _own(cache: Any) -> Any:
    """Give a recurrent state buffers of its own.

    Models cut it from the states after every token of a chunk, and a slice keeps all of its buffer:
    a snapshot of jamba's held 64 times what it needed.
    """
    for part in getattr(cache, "caches", [cache]):
        if part is not None and not hasattr(part, "keys"):
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return cache


def _detached(cache: Any, surplus: int, room: bool) -> Any:
    """A copy of one layer's cache without its last `surplus` tokens, in buffers of its own."""
    if cache is None:
        return None
    copy = clone(cache)
    if surplus:
        copy.trim(surplus)
    _compact(copy)
    for part in getattr(copy, "caches", [copy]):
        plain = hasattr(part, "step") and not hasattr(part, "max_size")
        if isinstance(part, BranchKV):
            continue  # put together when all are there
        if plain and getattr(part, "keys", None) is not None:
            held = part.offset - getattr(part, "start_position", 0)
            grow = part.step if room else 0
            part.keys = _resized(part.keys, held, grow)
            part.values = _resized(part.values, held, grow)
        else:
            for name, value in vars(part).items():
                setattr(part, name, _copied(value))
    return copy


def _in_one_piece(branches: Caches, fresh: Caches, length: int, room: bool) -> Caches:
    """Fill `fresh` caches of the model with what branches hold."""
    for cache, branch in zip(fresh, branches, strict=True):
        cache.keys, cache.values = branch.whole(length, cache.step if room else 0)
        cache.offset = length
    return fresh


def _resized(value: Any, held: int, grow: int) -> Any:
    """The first `held` tokens of keys or values, and empty room for `grow` more."""
    if isinstance(value, (list, tuple)):
        return type(value)(_resized(v, held, grow) for v in value)
    shape = (*value.shape[:2], grow, *value.shape[3:])
    return mx.concatenate([value[:, :, :held], mx.zeros(shape, value.dtype)], axis=2)


def _copied(value: Any) -> Any:
    if isinstance(value, mx.array):
        return mx.array(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(v) for v in value)
    return value


def _stagger(caches: Caches, more: int = 0) -> None:
    """Let the layers grow at different tokens, and further where so many `more` are to come.

    An `mlx_lm` cache grows by 256 tokens at a time and copies itself to do so. With all layers at
    the same token that took 200 ms at 1,300 tokens on two cores, and every chat waited for it.
    """
    steps = MOST_STEPS if more >= 2 * MOST_STEPS * Need.STEP else 1
    for layer, cache in enumerate(caches):
        for part in getattr(cache, "caches", [cache]):
            if hasattr(part, "step"):
                step = stem.STEP if isinstance(part, BranchKV) else Need.STEP
                part.step = steps * (step - step // 64 * (layer % 32))


def _can_trim(cache: Any) -> bool:
    """Whether a cache can go back now. A chunked one says so even when it has dropped its front."""
    if cache is None:
        return True
    parts = getattr(cache, "caches", [cache])
    return all(c.is_trimmable() and not getattr(c, "start_position", 0) for c in parts)


def _may_not_trim(cache: Any) -> bool:
    """Whether a cache is, or can become, one that cannot be trimmed."""
    if cache is None:
        return False
    if hasattr(cache, "caches"):
        return any(_may_not_trim(c) for c in cache.caches)
    return hasattr(cache, "max_size") or hasattr(cache, "chunk_size") or not cache.is_trimmable()


@dataclass(frozen=True)
class Need:
    """What a session's caches of one model cost, measured on a real one.

    Attributes:
        fixed: bytes that do not grow (recurrent states).
        layers: for each growing layer, bytes per token and the most tokens it keeps.
    """

    fixed: int
    layers: tuple[tuple[int, int], ...]

    STEP = 256  # mlx_lm's caches grow by this many tokens at a time

    def bytes(self, tokens: int) -> int:
        """Bytes for a session of `tokens` tokens."""
        grown = (tokens + self.STEP - 1) // self.STEP * self.STEP
        return self.fixed + sum(per * min(grown, most) for per, most in self.layers)


def measure(caches: Caches) -> Need:
    """The `Need` of a model from caches that have been fed a few tokens."""
    fixed = 0
    layers: list[tuple[int, int]] = []

    def visit(cache: Any, copies: int) -> None:
        nonlocal fixed
        if hasattr(cache, "caches"):
            for inner in cache.caches:
                visit(inner, copies)
        elif hasattr(cache, "keys") and cache.keys is not None:
            arrays = [a for a in leaves([cache.keys, cache.values]) if a.ndim > 2]
            per_token = copies * sum(a.nbytes // a.shape[2] for a in arrays)
            limit = getattr(cache, "max_size", None) or getattr(cache, "chunk_size", None)
            layers.append((per_token, limit + Need.STEP if limit else 1 << 62))
        elif cache is not None:
            fixed += copies * nbytes(cache)

    for cache in caches:
        # What cannot be trimmed has a copy in the snapshot beside the session's own.
        visit(cache, 2 if _may_not_trim(cache) else 1)
    return Need(fixed, tuple(layers))
