"""Main loop of the engine thread.

An iteration (`Loop.step`) takes commands from callers, makes a plan, executes it, and delivers the
results. Afterwards, it loads models, restores caches from disk, encodes images and embeds texts
for a limited time.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from engine.cluster.leader import Leader
from engine.errors import (
    ENGINE_STOPPED,
    INTERNAL_ERROR,
    EngineError,
    RanksLostError,
    as_engine_error,
    describe_error,
    free_frames,
    run_cleanup,
)
from engine.messages import (
    Cancel,
    CloseSession,
    Command,
    CountTokens,
    Embed,
    Estimate,
    FileWritten,
    Forget,
    Fork,
    GetStats,
    Keep,
    Load,
    OpenSession,
    Pause,
    Prioritise,
    Relieve,
    Send,
    Stop,
    Unload,
    WorkDone,
)
from engine.model import backend
from engine.model.backend import has_openblas
from engine.runtime.cache_restorer import CacheRestorer
from engine.runtime.candidate import as_load_error
from engine.runtime.commands import SessionCommands
from engine.runtime.delivery import Delivery
from engine.runtime.draft_model_loader import DraftModelLoader
from engine.runtime.embedder import Embedder
from engine.runtime.executor import Executor
from engine.runtime.fit_estimator import FitEstimator
from engine.runtime.image_encoder import ImageEncoder
from engine.runtime.mailbox import Mailbox, refuse
from engine.runtime.model_loader import ModelLoader
from engine.runtime.plan import (
    LoadRequest,
    PendingEmbedding,
    Status,
    StepPlan,
    Timing,
    View,
)
from engine.runtime.request import Request
from engine.runtime.scheduler import Scheduler
from engine.runtime.snapshot import RowError, take_snapshot
from engine.runtime.state import State
from engine.runtime.workers import Workers
from engine.sandbox import confined, process

log = logging.getLogger(__name__)


class Loop:
    """Main loop of one engine's thread."""

    def __init__(
        self,
        mailbox: Mailbox,
        memory_budget: int | None = None,
        cache_dir: Path | None = None,
        cache_bytes: int = 0,
        leader: Leader | None = None,
        ways_dir: Path | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._inbox: deque[Command] = deque()
        self._state = State(memory_budget, cache_dir, cache_bytes, leader, mailbox.clock)
        self._state.memory.offload.wake = partial(mailbox.post, FileWritten())
        # BLAS competes with child processes for cores, so the processes are paced while chats are
        # streaming.
        self._shares_cores = has_openblas()
        self._scheduler = Scheduler()
        self._workers = workers or Workers(mailbox)
        self._model_loader = ModelLoader(self._state, self._workers, confined.shared(), ways_dir)
        self._cache_restorer = CacheRestorer(self._state, self._workers)
        self._image_encoder = ImageEncoder(self._state, self._workers)
        self._embedder = Embedder(self._state, self._workers)
        self._executor = Executor(
            self._state,
            self._cache_restorer,
            self._model_loader,
            self._image_encoder,
            self._embedder,
        )
        self._delivery = Delivery(self._state, self._model_loader, self._embedder, self._workers)
        # `Relieve` commands that wait for a plan, with the total cache size when they arrived.
        self._relieving: list[tuple[Relieve, int]] = []
        self._faults_in_a_row = 0  # number of consecutive iterations with errors
        self.is_idle = True
        forget = self._scheduler.drafting.forget
        draft_loader = DraftModelLoader(self._state, self._workers, self._model_loader, forget)
        commands = SessionCommands(self._state, self._workers, self._scheduler)
        self._handlers: dict[type, Callable[[Any], None]] = {
            Load: draft_loader.load,
            Estimate: FitEstimator(self._state, self._workers, confined.shared()).estimate,
            Unload: self._model_loader.unload,
            Relieve: self._relieve,
            OpenSession: commands.open,
            Send: commands.send,
            Cancel: commands.cancel,
            Pause: commands.pause,
            Prioritise: commands.prioritise,
            Fork: commands.fork,
            CloseSession: commands.close,
            Keep: commands.save,
            Forget: commands.forget,
            CountTokens: commands.count,
            Embed: self._embedder.embed,
            GetStats: commands.stats,
            WorkDone: self._workers.done,
            FileWritten: lambda _: self._state.memory.offload.free_written(),
        }

    @property
    def is_writing(self) -> bool:
        return bool(self._state.memory.offload.pending)

    def run(self) -> None:
        error_text = "The engine was stopped."
        try:
            while self.step():
                pass
        except BaseException as error:
            log.exception("the engine thread cannot continue")
            error_text = f"The engine cannot continue: {describe_error(error)}"
            free_frames(error)  # arrays in its frames must be freed before their streams
            raise
        finally:
            self.end(error_text)

    def step(self) -> bool:
        """Run one iteration, blocking only if there's nothing to do. Return False after a `Stop`
        command.

        Each part has its own recovery from errors. Consecutive faults end the engine, sooner if
        the caches may be damaged.
        """
        idle = self.is_idle
        self.is_idle = False  # after an error, the next iteration doesn't block
        try:
            if not self._handle_commands(idle):
                return False
        except BaseException as error:  # includes panics in native libraries, here and below
            return self._recover(error, max_faults=3)
        try:
            if self._model_loader.queue:
                self._model_loader.answer_loaded()
            self._state.memory.prefixes.refresh()
            view = take_snapshot(self._state, *self._pending(), bool(self._relieving))
            plan = self._scheduler.plan(view)
        except BaseException as error:
            return self._recover(error, 2, partial(self._end_planned, error))
        try:
            result = self._executor.run(plan)
            try:
                self._delivery.deliver(plan, result)
            finally:
                result.free_error_frames()
        except BaseException as error:
            return self._recover(error, 1, partial(self._restart_sessions, plan))
        try:
            self._finish(view, plan, result.timing)
        except BaseException as error:
            return self._recover(error, max_faults=3)
        self._faults_in_a_row = 0
        return True

    def _finish(self, view: View, plan: StepPlan, timing: Timing) -> None:
        self._scheduler.observe(view, plan, timing)
        self._state.fail_lost()
        if view.relieve:
            self._end_relief()
        if plan.passes:
            self._state.release_later()
            if self._shares_cores:
                process.record_token()
        pending = self._pending()
        works = self._do_background_work(plan, timing.decode, *pending)
        # A load or an embedding that is pending since the snapshot needs another plan.
        self.is_idle = plan.idle and not works and pending == (view.load, view.embedding)

    def _handle_commands(self, idle: bool) -> bool:
        """Handle all commands, and wait for one if `idle`. Return False after a `Stop` command."""
        if idle and not self._inbox:
            if self._state.leader is not None:
                self._state.leader.rest()
            due_at = self._state.release_at
            timeout = max(0.0, due_at - time.monotonic()) if due_at < math.inf else None
            self._mailbox.take(self._inbox, block=True, timeout=timeout)
            if not self._inbox and time.monotonic() >= due_at:
                self._state.release_at = math.inf
                backend.release_memory()
        self._mailbox.take(self._inbox, block=False)
        while self._inbox:
            # Keep the command in the inbox until it's handled, so that it is always answered.
            command = self._inbox[0]
            if isinstance(command, Stop):
                return False
            try:
                self._handlers[type(command)](command)
            except BaseException as error:
                self._refuse(command, error)
            finally:
                self._inbox.popleft()
        return True

    def _pending(self) -> tuple[LoadRequest | None, PendingEmbedding | None]:
        load = self._model_loader.pending() if self._model_loader.queue else None
        return load, self._embedder.pending() if self._embedder.jobs else None

    def _do_background_work(
        self,
        plan: StepPlan,
        decoding: float,
        load: LoadRequest | None,
        embedding: PendingEmbedding | None,
    ) -> bool:
        """Continue background work. Return True if there was any.

        Args:
            load, embedding: next load and embedding if they wait for memory.
        """
        arrays = self._image_encoder.images or self._cache_restorer.arrived
        embeds = self._embedder.jobs and embedding is None
        loads = load is None and (self._model_loader.queue or self._model_loader.freeing.queue)
        if not (arrays or embeds or loads):
            return False
        self._embedder.step(0.0 if plan.chunk is not None else decoding)
        self._image_encoder.step(decoding)
        self._cache_restorer.step()
        self._model_loader.step(decoding)
        return True

    def _refuse(self, command: Command, error: BaseException) -> None:
        if not isinstance(error, EngineError):
            log.error("%s failed", type(command).__name__, exc_info=error)
            error = EngineError(INTERNAL_ERROR, describe_error(error))
        run_cleanup(partial(refuse, command, error))
        run_cleanup(partial(self._finish_failed, command, error))

    def _relieve(self, command: Relieve) -> None:
        self._relieving.append((command, self._state.memory.cache_bytes))

    def _end_relief(self) -> None:
        """Answer `Relieve` commands with the number of freed bytes, excluding pending disk
        writes.
        """
        backend.release_memory()
        while self._relieving:
            command, before = self._relieving.pop()
            if not command.answer.done():
                command.answer.set_result(max(0, before - self._state.memory.cache_bytes))

    def _finish_failed(self, command: Command, error: EngineError) -> None:
        """Do what must happen even if a command fails."""
        state = self._state
        if isinstance(command, WorkDone):
            self._workers.failed(command, error)
        elif isinstance(command, OpenSession):
            state.session_errors[command.session_id] = (error.code, error.message)
        elif isinstance(command, Fork):
            state.session_errors[command.twin_id] = (error.code, error.message)
        elif isinstance(command, CloseSession):
            session = state.sessions.get(command.session_id)
            if session is not None:
                state.end_session(session, error.code, error.message)
            if command.forget:
                state.memory.erase(command.session_id)
        elif isinstance(command, (Cancel, Pause)):  # otherwise, the caller would wait forever
            request = state.requests.get(command.session_id)
            if request is not None and request.id == command.reply_id:
                state.fail_reply(request, error)
        elif isinstance(command, Forget):
            state.memory.erase(command.session_id)

    def end(self, error_text: str) -> None:
        """End the engine: answer all callers, and free everything.

        Each part runs even if an earlier part raises.
        """
        state = self._state
        parts: list[Callable[[], object]] = [
            # Close the mailbox before reporting, so that a caller that retries starts a new engine.
            lambda: self._inbox.extend(self._mailbox.close()),
            self._workers.close,
            self._cache_restorer.clear,
            self._image_encoder.clear,
            lambda: self._end_replies(error_text),
            lambda: self._inbox.extendleft(self._model_loader.take_unanswered()),
            lambda: self._refuse_all(error_text),
            lambda: self._workers.cancel(EngineError(ENGINE_STOPPED, error_text)),
            state.memory.offload.close,
            state.models.clear,
            state.memory.prefixes.clear,
            backend.release_memory,
        ]
        for part in parts:
            run_cleanup(part)

    def _end_replies(self, error_text: str) -> None:
        state = self._state
        for session in list(state.sessions.values()):
            run_cleanup(partial(state.end_session, session, ENGINE_STOPPED, error_text))
        for reply in list(state.unended):
            run_cleanup(partial(reply.fail, ENGINE_STOPPED, error_text))

    def _refuse_all(self, error_text: str) -> None:
        run_cleanup(lambda: self._inbox.extendleft(self._embedder.take_unanswered()))
        self._inbox.extend(command for command, _ in self._relieving)
        for command in self._inbox:
            run_cleanup(partial(refuse, command, EngineError(ENGINE_STOPPED, error_text)))

    def _recover(
        self,
        error: BaseException,
        max_faults: int,
        repair: Callable[[], None] | None = None,
    ) -> bool:
        """Recover from a fault.

        Args:
            max_faults: number of consecutive faults that the engine survives.
            repair: called unless the fault is in the row of a single request, or ends the engine.
        """
        if isinstance(error, RowError):
            request = error.request
            self._fail_reply(request, error.__cause__ or error)
            if request not in self._state.requests.values():
                return True
        self._faults_in_a_row += 1
        if isinstance(error, RanksLostError) or self._faults_in_a_row > max_faults:
            raise error
        log.error("an iteration of the engine failed", exc_info=error)
        if repair is not None:
            repair()
        self._state.fail_lost()
        return True

    def _restart_sessions(self, plan: StepPlan) -> None:
        ids = {i for step in plan.passes for i in step.rows}
        ids |= {part.session for part in (*plan.chunks, plan.adopt) if part is not None}
        for request in [r for key, r in self._state.requests.items() if key in ids]:
            if request.status not in (Status.PREFILLING, Status.DECODING):
                continue
            try:
                self._state.restart_alone(request)
            except BaseException as fault:
                self._fail_reply(request, fault)

    def _end_planned(self, error: BaseException) -> None:
        """If planning fails repeatedly, end everything that needs a plan, because one of these
        requests is the cause.
        """
        if self._faults_in_a_row < 2:
            return
        for request in list(self._state.requests.values()):
            self._fail_reply(request, error, keep_cache=True)
        load = self._model_loader.pending()
        if load is not None:
            self._model_loader.refuse(load.key, as_load_error(error))
        texts = self._embedder.pending()
        if texts is not None:
            self._embedder.refuse(texts.key, as_engine_error(error))
        while self._relieving:
            refuse(self._relieving.pop()[0], as_engine_error(error))

    def _fail_reply(self, request: Request, error: BaseException, keep_cache: bool = False) -> None:
        try:
            self._state.fail_reply(request, error, keep_cache)
        except BaseException:  # `fail_lost` cleans up the rest
            log.exception("cannot end a reply")
