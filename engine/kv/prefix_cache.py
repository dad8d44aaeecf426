"""What several chats' prompts begin with is read once: caches handed from one chat to another.

Before the next chunk of a prompt is read, whoever of the same kind holds more of that prompt gives
a copy: another chat, or an entry kept here. Kept are system prompts, beyond the chats that read
them. Copies are detached, so nobody sees the other's writes from then on. A cache holds what its
tokens say, whoever read them, so the answers are those of a chat that runs alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.kv.ledger import MIN_GAIN, CacheKey, Offer, common_prefix, fixed_cuts
from engine.kv.session_kv import SessionKV


@dataclass(frozen=True)
class Reader:
    """A session whose prompt is being read, as the prefix cache sees it.

    Attributes:
        kind: sessions of one kind can go on from each other's caches.
        tokens: the prompt's.
        boundary: how many of them come before the opening of the answer.
        system: how many of them any chat with the same system message begins with.
        fixed: it is reproducible: only what was read in the very chunks that it would read itself
            will do.
    """

    kind: tuple[object, ...]
    kv: SessionKV
    tokens: Sequence[int]
    boundary: int
    system: int
    fixed: bool


class Prefix:
    """A beginning that is kept."""

    def __init__(self, kind: tuple[object, ...], kv: SessionKV) -> None:
        self.kind = kind
        self.kv = kv
        self.used_at = time.monotonic()


class PrefixCache:
    """The beginnings that are kept, and what is passed on between chats.

    Attributes:
        kept: the beginnings, by the keys that `drop` takes.

    Args:
        limit: bytes that the kept beginnings may take.
    """

    def __init__(self, limit: int) -> None:
        self.kept: dict[CacheKey, Prefix] = {}
        self._limit = limit
        self._made = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the caches that are kept."""
        return sum(p.kv.owed for p in self.kept.values())

    def drop(self, key: CacheKey) -> None:
        """Free one of the kept beginnings."""
        self.kept.pop(key, None)

    def clear(self) -> None:
        """Free everything."""
        self.kept.clear()

    def forget(self, model_id: str) -> None:
        """Free what belongs to a model."""
        self.kept = {k: p for k, p in self.kept.items() if p.kind[0] != model_id}

    def offer(self, reader: Reader, others: Iterable[tuple[CacheKey, SessionKV]]) -> Offer | None:
        """The longest beginning of a prompt that somebody else holds.

        Args:
            others: by their keys, the caches of sessions of the same kind.
        """
        kv = reader.kv
        cuts = planned_cuts(reader) if reader.fixed else None
        if cuts is not None and kv.length and (kv.cuts or [0])[-1] != kv.length:
            return None  # it has tokens of its own making, which no other's are the same bits as
        free = kv.sharers > 1  # a fork that has not written yet is copied at its first write
        least = kv.length + (1 if free else MIN_GAIN)
        start = list(reader.tokens[:least])
        best, donor = 0, None
        kept = ((k, p.kv) for k, p in self.kept.items() if p.kind == reader.kind)
        for key, holder in (*others, *kept):
            if holder.tokens[:least] == start:
                length = holder.reach(reader.tokens, cuts)
                if length > best:
                    best, donor = length, key
        return Offer(donor, best) if donor is not None and best > kv.length else None

    def adopt(self, reader: Reader, donor: SessionKV, length: int) -> None:
        """Let a session go on from a copy of a donor's first `length` tokens.

        Raises:
            Exception: whatever ails the donor's caches; the session's own are as before.
        """
        if length <= reader.kv.length or donor.reach(reader.tokens) < length:
            raise ValueError(f"{length} tokens of another chat's are no gain, or not the same")
        reader.kv.take_from(donor, length)
        if reader.kv.needs_snapshot and length == reader.boundary:
            reader.kv.snapshot()
        for prefix in self.kept.values():
            if prefix.kv is donor:
                prefix.used_at = time.monotonic()

    def halt(self, reader: Reader, waiting: Iterable[Reader]) -> int:
        """Where reading must halt next because others can go on from there; -1 for nowhere.

        Caches that can be trimmed can be copied at any time; others only as they stand. A
        reproducible session halts nowhere but where its own chunks end.
        """
        if reader.fixed or not reader.kv.needs_snapshot:
            return -1
        places = [reader.system, *self._common(reader, waiting)]
        return min((p for p in places if p > reader.kv.length), default=-1)

    def keep(self, reader: Reader, before: int, waiting: Iterable[Reader]) -> None:
        """After a chunk from `before` on: keep what others can, or may one day, go on from."""
        kv = reader.kv
        system = reader.system
        if reader.fixed:
            system = max((c for c in kv.cuts if c <= system), default=0)
        if before < system <= kv.length and system >= MIN_GAIN:
            self._put(reader, system)
        if kv.needs_snapshot and kv.length in set(self._common(reader, waiting)):
            self._put(reader, kv.length)

    def _common(self, reader: Reader, waiting: Iterable[Reader]) -> Iterable[int]:
        """How much of its prompt a session has in common with each of those that wait."""
        mine = reader.tokens
        for other in waiting:
            if other.kv is reader.kv or other.kind != reader.kind:
                continue
            least = max(reader.kv.length, other.kv.length + MIN_GAIN)
            if mine[:least] == other.tokens[:least]:
                yield in_common(reader, other)

    def _put(self, reader: Reader, length: int) -> None:
        kv = reader.kv
        tokens = kv.tokens[:length]
        if length != len(kv.tokens) and not kv.trimmable:
            return
        for prefix in self.kept.values():
            if prefix.kind == reader.kind and prefix.kv.tokens == tokens:
                return
        entry = kv.another()
        entry.take_from(kv, length, room=False)
        if entry.nbytes > self._limit:
            return
        self._made += 1
        self.kept[CacheKey("prefix", str(self._made))] = Prefix(reader.kind, entry)
        while self.nbytes > self._limit:
            self.drop(min(self.kept, key=lambda k: self.kept[k].used_at))


def in_common(one: Reader, other: Reader) -> int:
    """How many of its prompt's tokens each of two could go on from, once the other has read them.

    All but a prompt's last: the first step feeds that.
    """
    if one.kind != other.kind:
        return 0
    common = common_prefix(one.tokens, other.tokens)
    return min(common, len(one.tokens) - 1, len(other.tokens) - 1)


def planned_cuts(reader: Reader) -> Sequence[int]:
    """Where the chunks of a reproducible session end when it reads its prompt from the start."""
    boundary = reader.boundary if reader.kv.needs_snapshot else None
    return fixed_cuts(len(reader.tokens) - 1, boundary)
