"""Restoring of caches from disk, between the steps of chats."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator
from functools import partial

from msgspec import Struct

from engine.cache.cache_file import DamagedError, restore_caches
from engine.errors import describe_error
from engine.runtime.request import Request
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers

log = logging.getLogger(__name__)


class _PendingRestore(Struct, frozen=True):
    request: Request
    file: str
    pieces: Generator[None, None, None]
    on_ready: Callable[[], None]


class CacheRestorer:
    """Queue of caches to restore from disk, each with a waiting reply."""

    def __init__(self, state: State, workers: Workers) -> None:
        self._state = state
        self._workers = workers
        # Caches whose files have been read, but whose arrays haven't been created.
        self.arrived: deque[_PendingRestore] = deque()

    def start(self, request: Request, on_ready: Callable[[], None]) -> None:
        """Read a session's file on a worker, and then restore its caches.

        Then call `on_ready`, also after an error, unless the request has ended.
        """

        def on_error(error: BaseException) -> None:
            if request.session.request is request:
                log.warning("a KV cache on disk could not be read: %s", error)
                self._continue(request, on_ready)

        self._workers.start(self._read(request, on_ready), on_error)

    def _read(self, request: Request, on_ready: Callable[[], None]) -> Task:
        session, memory = request.session, self._state.memory
        name = memory.file_of(session)
        contents = yield Work("files", partial(memory.offload.read, name, session.fingerprint))
        if session.request is not request:
            return
        if contents is None:
            self._continue(request, on_ready)
        else:
            pieces = restore_caches(session.kv, contents)
            self.arrived.append(_PendingRestore(request, name, pieces, on_ready))

    def step(self) -> None:
        if not self.arrived:
            return
        first = self.arrived[0]
        request, session = first.request, first.request.session
        if session.request is request:
            try:
                next(first.pieces)
                return
            except StopIteration:
                request.restored = True
            except BaseException as error:  # prefill the prompt instead
                if isinstance(error, DamagedError):
                    self._state.memory.offload.remove_unusable(first.file, str(error))
                else:
                    log.warning("cannot restore a KV cache: %s", describe_error(error))
                    session.kv.drop()
            # Continue before removing the cache from the queue.
            self._continue(request, first.on_ready)
        self.arrived.popleft()

    def _continue(self, request: Request, on_ready: Callable[[], None]) -> None:
        try:
            on_ready()
        except BaseException as error:
            self._state.fail_reply(request, error)

    def clear(self) -> None:
        self.arrived.clear()
