"""What several chats' prompts begin with is read once: caches handed from one chat to another.

Before a prompt's next chunk is read, whoever of the same kind holds more of it gives a copy: a
chat that goes on with the same tokens, or the kept, where system prompts are kept beyond the chats
that read them. Copies are detached, so from then on nobody sees the other's writes; and a cache
holds what its tokens say, whoever read them, so that the answers are those of running alone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence

from engine.core.session import SessionState
from engine.kv.ledger import common_prefix
from engine.kv.session_kv import SessionKV
from engine.scheduling.scheduler import fixed_cuts

log = logging.getLogger(__name__)

MIN_GAIN = 32
"""Tokens that a copy must save: fewer are read about as fast."""

COPY_PER_TOKEN = 64
"""Copying this many tokens' keys counts as much as reading one token."""


class PrefixCache:
    """The kept of beginnings, and the passing on of caches between chats.

    Args:
        limit: bytes that the kept may take.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pool: dict[str, Prefix] = {}
        self._made = 0

    @property
    def kept(self) -> dict[str, Prefix]:
        """What the kept holds, by keys that `drop` takes."""
        return dict(self._pool)

    @property
    def nbytes(self) -> int:
        """Bytes of the kept's caches."""
        return sum(p.kv.owed for p in self._pool.values())

    def drop(self, key: str) -> None:
        """Free one of the kept's entries."""
        self._pool.pop(key, None)

    def clear(self) -> None:
        """Free everything."""
        self._pool.clear()

    def forget(self, model_id: str) -> None:
        """Free what belongs to a model."""
        self._pool = {k: p for k, p in self._pool.items() if p.kind[0] != model_id}

    def adopt(self, session: SessionState, sessions: Iterable[SessionState]) -> int:
        """Give `session` the longest beginning of its prompt that another holds.

        Returns the tokens that it need not read after all. In reproducible mode only what was
        read in the very chunks that it would read itself is taken.
        """
        reply, kv = session.reply, session.kv
        assert reply is not None
        cuts = planned_cuts(session) if session.reproducible else None
        if cuts is not None and kv.length and (kv.cuts or [0])[-1] != kv.length:
            return 0  # it has tokens of its own making, which no other's are the same bits as
        # A fork that has not written yet is copied at its first write anyway.
        least = kv.length + (1 if kv.sharers > 1 else MIN_GAIN)
        start = reply.tokens[:least]
        best, donor = 0, None
        for holder in self._holders(session, sessions):
            if holder.tokens[:least] == start:
                length = holder.reach(reply.tokens, cuts)
                if length > best:
                    best, donor = length, holder
        gain = best - kv.length
        worth = 1 if kv.sharers > 1 else max(MIN_GAIN, best // COPY_PER_TOKEN)
        if donor is None or gain < worth:
            return 0
        try:
            kv.take_from(donor, best)
        except Exception as error:  # the donor's trouble: its own step will find it
            log.debug("no copy of another chat's cache: %s", error)
            return 0
        if kv.needs_snapshot and best == reply.prompt.border:
            kv.snapshot()
        for prefix in self._pool.values():
            if prefix.kv is donor:
                prefix.used_at = time.monotonic()
        return gain

    def _holders(
        self, session: SessionState, sessions: Iterable[SessionState]
    ) -> Iterable[SessionKV]:
        for other in sessions:
            if other is not session and other.kind == session.kind:
                yield other.kv
        for prefix in self._pool.values():
            if prefix.kind == session.kind:
                yield prefix.kv

    def stop_at(self, session: SessionState, waiting: Iterable[SessionState]) -> int | None:
        """Where reading must halt next because others can go on from there, if anywhere.

        Caches that can be trimmed can be copied at any time; others only as they stand. A
        reproducible session halts nowhere but at its own borders.
        """
        reply, kv = session.reply, session.kv
        assert reply is not None
        if session.reproducible or not kv.needs_snapshot:
            return None
        places = [reply.prompt.system, *self._shared(session, waiting)]
        return min((p for p in places if p > kv.length), default=None)

    def _shared(self, session: SessionState, waiting: Iterable[SessionState]) -> Iterable[int]:
        """How much of its prompt `session` has in common with each of those that wait."""
        assert session.reply is not None
        mine = session.reply.tokens
        for other in waiting:
            if other is session or other.kind != session.kind or other.reply is None:
                continue
            theirs = other.reply.tokens
            least = max(session.kv.length, other.kv.length + MIN_GAIN)
            if mine[:least] == theirs[:least]:
                yield min(common_prefix(mine, theirs), len(mine) - 1, len(theirs) - 1)

    def keep(self, session: SessionState, before: int, waiting: Iterable[SessionState]) -> None:
        """After a chunk from `before` on: kept what others can, or may one day, go on from."""
        reply, kv = session.reply, session.kv
        assert reply is not None
        if reply.generated:
            return
        system = reply.prompt.system
        if session.reproducible:
            system = max((c for c in kv.cuts if c <= system), default=0)
        if before < system <= kv.length and system >= MIN_GAIN:
            self._put(session, system)
        if kv.needs_snapshot and kv.length in set(self._shared(session, waiting)):
            self._put(session, kv.length)

    def _put(self, session: SessionState, length: int) -> None:
        kv = session.kv
        tokens = kv.tokens[:length]
        if length != len(kv.tokens) and not kv.trimmable:
            return
        for prefix in self._pool.values():
            if prefix.kind == session.kind and prefix.kv.tokens == tokens:
                return
        entry = SessionKV(kv.make, kv.shares_prefix)
        entry.take_from(kv, length, room=False)
        if entry.nbytes > self._limit:
            return
        self._made += 1
        self._pool[f"prefix {self._made}"] = Prefix(session.kind, entry)
        while self.nbytes > self._limit:
            self.drop(min(self._pool, key=lambda k: self._pool[k].used_at))


class Prefix:
    """A beginning in the kept; `kind` as of `SessionState.kind`."""

    def __init__(self, kind: tuple[object, ...], kv: SessionKV) -> None:
        self.kind = kind
        self.kv = kv
        self.used_at = time.monotonic()


def planned_cuts(session: SessionState) -> Sequence[int]:
    """Where the chunks of a reproducible session end when it reads its prompt from the start."""
    reply = session.reply
    assert reply is not None
    border = reply.prompt.border if session.kv.needs_snapshot else None
    return fixed_cuts(len(reply.tokens) - 1, border)
