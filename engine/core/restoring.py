"""Caches on their way back from disk: read by workers, made into arrays between two steps."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass

from engine.core.reply_state import ReplyState
from engine.core.session import SessionState
from engine.core.state import State
from engine.core.workers import Workers
from engine.errors import words_of
from engine.kv.cache_file import Contents, DamagedError, build_caches
from engine.kv.session_kv import SessionKV

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Arrived:
    session: SessionState
    reply: ReplyState
    pieces: Generator[None, None, None]
    then: Callable[[], None]


class Restoring:
    """The caches that are being restored; each for a reply that waits for it."""

    def __init__(self, state: State, workers: Workers) -> None:
        self._state = state
        self._workers = workers
        self._arrived: deque[_Arrived] = deque()

    @property
    def busy(self) -> bool:
        """Whether arrays are to be made."""
        return bool(self._arrived)

    def start(self, session: SessionState, then: Callable[[], None]) -> None:
        """Have a session's file read. `then` is called once its caches are there, or cannot be;
        not where its reply has ended meanwhile.
        """
        reply, offload = session.reply, self._state.offload
        name, fingerprint = session.id, session.fingerprint
        assert reply is not None

        def arrived(contents: Contents | None) -> None:
            if session.reply is not reply:
                return
            if contents is None:
                self._go_on(session, then)
            else:
                pieces = _pieces(session.kv, contents)
                self._arrived.append(_Arrived(session, reply, pieces, then))

        def failed(error: BaseException) -> None:
            log.warning("A KV cache on disk could not be read: %s", error)
            arrived(None)

        self._workers.run("files", lambda: offload.read(name, fingerprint), arrived, failed)

    def step(self) -> None:
        """Make the next piece."""
        if not self._arrived:
            return
        first = self._arrived[0]
        if first.session.reply is first.reply:
            try:
                next(first.pieces)
                return
            except StopIteration:
                first.reply.restored = True
            except BaseException as error:  # its prompt is read instead
                if isinstance(error, DamagedError):
                    self._state.offload.remove(first.session.id, str(error))
                else:
                    log.warning("A KV cache could not be restored: %s", words_of(error))
                    first.session.kv.drop()
            self._go_on(first.session, first.then)  # before it is forgotten here
        self._arrived.popleft()

    def _go_on(self, session: SessionState, then: Callable[[], None]) -> None:
        try:
            then()
        except BaseException as error:
            self._state.fail_reply(session, error)

    def clear(self) -> None:
        """Let go of all."""
        self._arrived.clear()


def _pieces(kv: SessionKV, contents: Contents) -> Generator[None, None, None]:
    record = contents.record
    caches, snapshot = yield from build_caches(contents, kv.make(), kv.make())
    boundary = (snapshot, record.boundary) if snapshot else None
    kv.restore(record.name, caches, record.tokens, record.cuts, boundary)
