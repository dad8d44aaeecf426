"""State of the engine thread, and the ends of replies and sessions.

Every reply has exactly one final event, even after an error.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from engine.cache.offload import Offload
from engine.cluster.leader import Leader
from engine.errors import (
    INTERNAL_ERROR,
    OUT_OF_MEMORY,
    SESSION_CLOSED,
    EngineError,
    describe_error,
    is_out_of_memory,
)
from engine.messages import FinishReason
from engine.model import backend
from engine.model.backend import Backend
from engine.model.loaded_model import LoadedModel
from engine.runtime.admission import BUDGET_SHARE
from engine.runtime.memory import Memory
from engine.runtime.plan import Status
from engine.runtime.request import Request, SessionState

log = logging.getLogger(__name__)

RELEASE_AFTER_S = 5.0


class State:
    def __init__(
        self,
        memory_budget: int | None = None,
        cache_dir: Path | None = None,
        cache_bytes: int = 0,
        leader: Leader | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.clock = clock  # returns the time in seconds, for planning steps
        self.leader = leader  # of the ranks that the models are split over; None without ranks
        self.backend: Backend = backend.start()
        backend.limit_buffers(self.backend.device, 0)
        self.models: dict[str, LoadedModel] = {}
        self.sessions: dict[str, SessionState] = {}  # all sessions by id
        # Requests in progress, by session id. A step only examines these, so that thousands of idle
        # sessions cost nothing.
        self.requests: dict[str, Request] = {}
        self.unended: set[Request] = set()  # requests without a final event, whatever their status
        # Error code and message for sessions that no longer exist or couldn't be opened. Exceptions
        # would keep the objects in their frames alive.
        self.session_errors: dict[str, tuple[str, str]] = {}
        self.release_at = math.inf  # monotonic time at which to free unused buffers
        self.meter = Meter()
        self.memory = Memory(
            memory_budget or int(self.backend.memory * BUDGET_SHARE),
            Offload(cache_dir, cache_bytes),
            self.models,
            self.sessions,
            self.requests,
        )

    def remove_model(self, model_id: str) -> list[LoadedModel]:
        """Remove a model. Return it and its draft model, whose weights the caller has to free."""
        model = self.models.pop(model_id, None)
        if model is None:
            return []
        if self.leader is not None:
            self.leader.unload(model)
        small, model.drafter, model.is_requested = model.drafting_model, None, False
        return [model] if small is None else [model, small]

    def release_later(self) -> None:
        """Free unused buffers after a while without steps. Freeing them delays the next step."""
        self.release_at = time.monotonic() + RELEASE_AFTER_S

    def update_buffer_limit(self) -> None:
        backend.limit_buffers(self.backend.device, self.memory.fixed_bytes)

    def advance_prefill(self, request: Request, prompts_ahead: int = 0) -> None:
        """Report a request's prefill progress, and start decoding if only the last token is left.

        Args:
            prompts_ahead: number of prompts to be read before this prompt.
        """
        if request.status != Status.PREFILLING:
            return
        if request.unread:
            request.progress(request.kv.length, prompts_ahead)
        else:
            request.move(Status.DECODING)
            request.ready_at = self.clock()
            request.progress(request.prompt_length, 0)

    def end_reply(self, request: Request, reason: FinishReason) -> None:
        session = request.session
        try:
            session.kv.finish_reply()
            message = request.conclude(reason)  # last, so that a failed reply isn't in the history
            session.used_at = time.monotonic()
        except BaseException as error:
            return self.fail_reply(request, error)
        request.pending = request.unsampled = None
        try:
            self._detach_request(session)
        finally:
            request.finish(reason, message)
            self.unended.discard(request)
        return None

    def fail_reply(self, request: Request, error: BaseException, keep_cache: bool = False) -> None:
        """End a reply with an error. The session can be used again.

        The caches may be damaged and are dropped, unless `keep_cache` is set.
        """
        session = request.session
        request.pending = request.unsampled = None
        try:
            if not keep_cache:
                self._drop(session)
                self._drop_draft(request)
            self._detach_request(session)
        finally:
            self._fail(request, error)

    def restart_or_fail(self, request: Request, error: BaseException) -> None:
        """Handle a failed pass with a single request.

        The reply fails, unless caches restored from disk may be the cause. They are rebuilt once.
        """
        if not request.restored or isinstance(error, EngineError):
            self.fail_reply(request, error)
            return
        log.warning(
            "caches from disk are unusable (%s); prefilling the prompt", describe_error(error)
        )
        request.restored = False
        self.memory.erase(self.memory.file_of(request.session))
        self.restart_alone(request)

    def restart_alone(self, request: Request) -> None:
        """Requeue a request, and run it in separate passes from then on."""
        self.requeue(request)
        request.apart = True

    def requeue(self, request: Request) -> None:
        """Drop a request's caches, and let the request wait for memory again.

        It has to wait, because without shared memory, it needs more than before.
        """
        request.kv.drop()
        self._drop_draft(request)
        request.pending = request.unsampled = None
        if request.odds is not None:
            request.odds.clear()
        request.reused = 0
        request.rebuilt = True
        request.move(Status.QUEUED)

    def add_session(self, session: SessionState) -> None:
        self.memory.add(session)
        self.sessions[session.id] = session

    def fail_lost(self) -> None:
        """End replies without a session, and detach sessions from ended replies, after errors."""
        if self.unended == set(self.requests.values()):
            return
        for request in [r for r in self.requests.values() if r.status == Status.FINISHED]:
            self._detach_request(request.session)
        for request in self.unended - set(self.requests.values()):
            self._fail(request, EngineError(INTERNAL_ERROR, "The answer failed while ending."))

    def _fail(self, request: Request, error: BaseException) -> None:
        request.fail(*_describe(error))
        self.unended.discard(request)

    def end_session(
        self, session: SessionState, code: str, message: str, forget: bool = False
    ) -> None:
        """Free a session. A reply in progress fails with the error.

        The caches of a named session are written to disk for its next opening. During a reply, an
        earlier file is kept instead. `forget` deletes the file.
        """
        self.sessions.pop(session.id, None)
        request = session.request
        if forget or not session.named:
            self.memory.erase(session.file)
        elif request is None:
            self.memory.save(session)
        try:
            self._drop(session)
            self._detach_request(session)
        finally:
            self.memory.forget(session)
            if request is not None:
                self._fail(request, EngineError(code, message))

    def end_namesake(self, session_id: str) -> None:
        self.session_errors.pop(session_id, None)
        before = self.sessions.get(session_id)
        if before is not None:
            message = "The chat was opened again during the answer."
            self.end_session(before, SESSION_CLOSED, message)

    def _detach_request(self, session: SessionState) -> None:
        session.request = None
        self.requests.pop(session.id, None)
        session.kv.mark_size_changed()
        if session.one_shot:
            self.sessions.pop(session.id, None)
            self._drop(session)
            self.memory.forget(session)

    def _drop_draft(self, request: Request) -> None:
        drafter = request.session.model.drafter
        if drafter is not None:
            drafter.forget_answer(request.tokens)

    def _drop(self, session: SessionState) -> None:
        try:
            session.kv.drop()
        except BaseException:  # the reply must end in any case
            log.exception("cannot drop caches")


def _describe(error: BaseException) -> tuple[str, str, str]:
    if isinstance(error, EngineError):
        if error.code == INTERNAL_ERROR:  # the server hides the message from its clients
            log.error("a reply failed: %s", error.message.partition("\n")[0])
        return error.code, error.message, error.reason
    if is_out_of_memory(error):
        log.error("a reply failed: out of memory", exc_info=error)
        return OUT_OF_MEMORY, "The device ran out of memory. Close a chat and try again.", ""
    log.error("a reply failed", exc_info=error)
    return INTERNAL_ERROR, f"Answering failed: {describe_error(error)}", ""


WINDOW = 2.0  # time window in seconds for averaging current rates


class Meter:
    """Tokens per second, averaged over `WINDOW`."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int, int]] = deque()

    def record(self, decoded: int, read: int) -> None:
        now = time.perf_counter()
        self._recent.append((now, decoded, read))
        while self._recent[0][0] < now - WINDOW:
            self._recent.popleft()

    def rates(self) -> tuple[float, float]:
        """Return the rates of generated tokens and of prompt tokens, except for reused tokens."""
        since = time.perf_counter() - WINDOW
        recent = [(decoded, read) for at, decoded, read in self._recent if at >= since]
        return sum(d for d, _ in recent) / WINDOW, sum(r for _, r in recent) / WINDOW
