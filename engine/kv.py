"""One session's KV cache, and the ledger of which tokens it holds.

The caches are `mlx_lm`'s own objects, one per layer. `SessionKV` knows what was fed to them, so
that a follow-up feeds only what is new, and keeps the detached copy that caches which cannot be
trimmed (recurrent states, ring buffers that have wrapped) need to go back to a turn's border.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

Caches = list[Any]


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
    if hasattr(value, "__dict__") and type(value).__module__.startswith("mlx_lm."):
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
    n = min(len(a), len(b))
    if a[:n] == b[:n]:
        return n
    return next(i for i in range(n) if a[i] != b[i])


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
        tokens: the token ids fed so far, in order. They stay known when the caches are dropped.
        ledger: which text the tokens stand for.
        caches: the layers' caches, or None when dropped or not made yet.
        rebuilt: whether caches that had been dropped were (or are being) made anew.
    """

    def __init__(self, make: Callable[[], Caches]) -> None:
        self._make = make
        self.caches: Caches | None = None
        self.tokens: list[int] = []
        self.ledger = Ledger()
        self.rebuilt = False
        self._dropped = False
        self._snapshot: Snapshot | None = None

    @property
    def length(self) -> int:
        """Tokens that the caches hold now."""
        return len(self.tokens) if self.caches is not None else 0

    @property
    def nbytes(self) -> int:
        held = [self.caches or [], self._snapshot.caches if self._snapshot else []]
        seen = {id(a): a.nbytes for a in leaves(held)}
        return sum(seen.values())

    @property
    def trimmable(self) -> bool:
        """Whether the last tokens can be taken back."""
        return all(_can_trim(c) for c in self.caches or [])

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
            del self.tokens[snapshot.length :]
            return snapshot.length
        self._reset()
        return 0

    def _reset(self) -> None:
        self.caches = self._make()
        _stagger(self.caches)
        self.tokens = []
        self._snapshot = None
        self._dropped = False

    def _trim_to(self, length: int) -> bool:
        """Take back the tokens after `length`, where every layer can."""
        if not self.trimmable:
            return False
        surplus = len(self.tokens) - length
        for cache in self.caches or []:
            if cache is not None and surplus:
                cache.trim(surplus)
        del self.tokens[length:]
        if self._snapshot is not None and self._snapshot.length > length:
            self._snapshot = None
        return True

    @property
    def needs_snapshot(self) -> bool:
        """Whether this kind of cache can only be taken back to a saved copy."""
        return any(_may_not_trim(c) for c in self.caches or [])

    def snapshot(self) -> None:
        """Remember the caches as they are now, at a turn's border."""
        assert self.caches is not None
        kept = [clone(c) if _may_not_trim(c) else None for c in self.caches]
        self._snapshot = Snapshot(kept, len(self.tokens))

    def drop(self) -> None:
        """Free the caches, keep the ledger: the next turn makes them anew by prefill."""
        self._dropped = self._dropped or self.caches is not None
        self.caches = None
        self._snapshot = None

    def fork(self) -> SessionKV:
        """A twin that shares the buffers until either side writes."""
        twin = SessionKV(self._make)
        twin.caches = clone(self.caches)
        twin.tokens = list(self.tokens)
        twin.ledger = self.ledger
        twin._dropped = self._dropped
        if self._snapshot is not None:
            twin._snapshot = Snapshot(clone(self._snapshot.caches), self._snapshot.length)
        return twin


def _stagger(caches: Caches) -> None:
    """Let the layers grow at different tokens.

    An `mlx_lm` cache grows by 256 tokens at a time and copies itself to do so. With all layers at
    the same token that took 200 ms at 1,300 tokens on two cores, and every chat waited for it.
    """
    for layer, cache in enumerate(caches):
        for part in getattr(cache, "caches", [cache]):
            if hasattr(part, "step"):
                part.step = Need.STEP - 4 * (layer % 32)


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
