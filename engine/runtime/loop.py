"""Main loop of the engine thread.

Start with `step`. An iteration takes commands from callers (`commands`, `models`), makes a plan
(`scheduler`), executes it (`executor`), and delivers the results (`delivery`). Afterwards, it
spends some time on loading models and restoring caches from disk.
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
    Forget,
    Fork,
    GetStats,
    Keep,
    Load,
    OpenSession,
    Pause,
    Pin,
    Prioritise,
    Relieve,
    Send,
    Stop,
    Unload,
    UnloadIdle,
    WorkDone,
)
from engine.model import backend
from engine.model.backend import has_openblas
from engine.runtime.commands import SessionCommands
from engine.runtime.delivery import Delivery
from engine.runtime.examining import FitEstimator, as_load_error
from engine.runtime.executor import Executor
from engine.runtime.idle import IdleUnloader
from engine.runtime.image_encoder import ImageEncoder
from engine.runtime.jobs import CacheRestorer, Embedder
from engine.runtime.models import DraftModelLoader, ModelLoader
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
from engine.runtime.state import State
from engine.runtime.view import RowError, view
from engine.runtime.workers import Mailbox, Workers, refuse
from engine.sandbox import confined, process

log = logging.getLogger(__name__)


class Loop:
    """Main loop with all sessions and models of one engine, run by one thread."""

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
        self._state = State(memory_budget, cache_dir, cache_bytes, leader, mailbox.clock, mailbox)
        self._state.memory.offload.wake = partial(mailbox.post, WorkDone())
        # BLAS competes with child processes for cores, so these are paced while chats are
        # streaming.
        self._shares_cores = has_openblas()
        self._scheduler = Scheduler()
        self._workers = workers or Workers(mailbox)
        self._loading = ModelLoader(self._state, self._workers, confined.shared(), ways_dir)
        self._restoring = CacheRestorer(self._state, self._workers)
        self._looking = ImageEncoder(self._state, self._workers)
        self._embedding = Embedder(self._state, self._workers)
        self._executor = Executor(
            self._state, self._restoring, self._loading, self._looking, self._embedding
        )
        self._delivery = Delivery(self._state, self._loading, self._embedding, self._workers)
        # `Relieve` commands that wait for a plan, with the total cache size before.
        self._relieving: list[tuple[Relieve, int]] = []
        self._recovery = Recovery(self._state, self._loading, self._embedding, self._relieving)
        self._idling = IdleUnloader(self._state, self._loading.free, lambda: self._embedding.models)
        self.is_idle, self._in_order = True, False
        forget = self._scheduler.drafting.forget
        pairing = DraftModelLoader(self._state, self._workers, self._loading, forget)
        reception = SessionCommands(self._state, self._workers, self._scheduler)
        self._handlers: dict[type, Callable[[Any], None]] = {
            Load: pairing.load,
            Estimate: FitEstimator(self._state, self._workers, confined.shared()).estimate,
            Unload: self._loading.unload,
            UnloadIdle: self._idling.set,
            Pin: self._idling.pin,
            Relieve: self._relieve,
            OpenSession: reception.open,
            Send: reception.send,
            Cancel: reception.cancel,
            Pause: reception.pause,
            Prioritise: reception.prioritise,
            Fork: reception.fork,
            CloseSession: reception.close,
            Keep: reception.save,
            Forget: reception.forget,
            CountTokens: reception.count,
            Embed: self._embedding.embed,
            GetStats: reception.stats,
            WorkDone: self._workers.done,
        }

    @property
    def is_writing(self) -> bool:
        """True while evicted caches are being written to disk."""
        return bool(self._state.memory.offload.pending_bytes())

    def run(self) -> None:
        """Run iterations until `Stop` or an unrecoverable error, and then shut down."""
        why = "The engine was stopped."
        try:
            while self.step():
                pass
            self._in_order = True
        except BaseException as error:
            log.exception("the engine thread cannot continue")
            why = f"The engine cannot continue: {describe_error(error)}"
            free_frames(error)  # frees arrays in its frames before their streams
            raise
        finally:
            self.end(why)

    def step(self) -> bool:
        """Run one iteration. Returns False at the end. Only blocks if there's nothing to do.

        Errors are handled separately for each part, because they need different kinds of recovery.
        """
        recovery, idle = self._recovery, self.is_idle
        self.is_idle = False  # after an error, the next iteration doesn't block
        try:
            if not self._take_commands(idle):
                return False
        except BaseException as error:  # includes panics in native libraries, here and below
            return recovery.after(error, survived=3)
        try:
            self._loading.settle()
            self._state.memory.settle()
            now = view(self._state, *self._pending(), bool(self._relieving))
            plan = self._scheduler.plan(now)
        except BaseException as error:
            return recovery.after(error, survived=2, planning=True)
        try:
            run = self._executor.run(plan)
            try:
                self._delivery.deliver(plan, run)
            finally:
                run.let_go()
        except BaseException as error:
            return recovery.after(error, survived=1, computed=plan)
        try:
            self._finish(now, plan, run.timing)
        except BaseException as error:
            return recovery.after(error, survived=3)
        recovery.reset()
        return True

    def _finish(self, now: View, plan: StepPlan, timing: Timing) -> None:
        """Update the statistics, and continue loading models and restoring caches."""
        self._scheduler.observe(now, plan, timing)
        self._state.fail_lost()
        if now.relieve:
            self._end_relief()
        if plan.passes:
            self._state.release_later()
            if self._shares_cores:
                process.record_token()
        works = self._read_pieces(plan, timing.decode)
        self.is_idle = plan.idle and not works and self._pending() == (now.load, now.embedding)

    def _take_commands(self, idle: bool) -> bool:
        """Handle commands from callers. If there's nothing else to do, block until one arrives."""
        phase = self._state.meter.phase
        if idle and not self._inbox:
            if self._state.leader is not None:
                self._state.leader.rest()
            due = min(self._idling.due, self._state.release_at)
            timeout = max(0.0, due - time.monotonic()) if due < math.inf else None
            with phase("idle"):
                self._mailbox.take(self._inbox, block=True, timeout=timeout)
            if not self._inbox and time.monotonic() >= self._state.release_at:
                self._state.release_at = math.inf
                backend.release_memory()
        with phase("commands"):
            self._state.memory.offload.free_written()
            if not self._drain():
                return False
            self._idling.step()
            return True

    def _pending(self) -> tuple[LoadRequest | None, PendingEmbedding | None]:
        """Return the load and the embedding waiting for memory, if any."""
        return self._loading.pending(), self._embedding.pending()

    def _read_pieces(self, plan: StepPlan, decoding: float) -> bool:
        """Do background work. Returns True if there was any.

        `decoding` is the time that this iteration spent on decoding, in seconds.
        """
        images, restored = self._looking.images, self._restoring.arrived
        if not (self._embedding.busy or self._loading.busy or images or restored):
            return False
        self._embedding.step(0.0 if plan.chunk is not None else decoding)
        self._looking.step(decoding)
        with self._state.meter.phase("load"):
            self._restoring.step()
            self._loading.step(decoding)
        return True

    def _drain(self) -> bool:
        self._mailbox.take(self._inbox, block=False)
        while self._inbox:
            # Keep the command in the inbox until it's handled, so that it is always answered.
            command = self._inbox[0]
            if isinstance(command, Stop):
                return False
            try:
                self._handlers[type(command)](command)
            except BaseException as error:
                self._fail(command, error)
            finally:
                self._inbox.popleft()
        return True

    def _fail(self, command: Command, error: BaseException) -> None:
        if not isinstance(error, EngineError):
            log.error("%s failed", type(command).__name__, exc_info=error)
            error = EngineError(INTERNAL_ERROR, describe_error(error))
        try:
            self._refuse(command, error)
        except BaseException:  # the caller must get an answer
            log.exception("cannot refuse %s", type(command).__name__)
            refuse(command, error)

    def _relieve(self, command: Relieve) -> None:
        self._relieving.append((command, self._state.memory.caches))

    def _end_relief(self) -> None:
        """Answer `Relieve` commands with the number of freed bytes, without pending disk writes."""
        backend.release_memory()
        while self._relieving:
            command, before = self._relieving.pop()
            if not command.answer.done():
                command.answer.set_result(max(0, before - self._state.memory.caches))

    def _refuse(self, command: Command, error: EngineError) -> None:
        refuse(command, error)
        state = self._state
        if isinstance(command, WorkDone):
            self._workers.failed(command, error)
        elif isinstance(command, OpenSession):
            state.ended[command.session_id] = (error.code, error.message)
        elif isinstance(command, Fork):
            state.ended[command.twin_id] = (error.code, error.message)
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

    def end(self, why: str) -> None:
        """End the engine: report this to all callers, and free everything.

        An error in one step doesn't affect the others. All waiting callers get an answer, and
        caches are written to disk if possible.
        """
        state = self._state
        parts: list[Callable[[], object]] = [
            # Close the mailbox before reporting, so that a caller that retries starts a new engine.
            lambda: self._inbox.extend(self._mailbox.close()),
            self._workers.close,
            self._restoring.clear,
            self._looking.clear,
            lambda: self._end_all(why),
            lambda: self._inbox.extendleft(self._loading.give_up()),
            lambda: self._refuse_all(why),
            lambda: self._workers.cancel(EngineError(ENGINE_STOPPED, why)),
            self._leave_ranks,
            state.memory.offload.close,
            state.models.clear,
            state.memory.prefixes.clear,
            backend.release_memory,
            partial(backend.stop, self._mailbox),
        ]
        for part in parts:
            run_cleanup(part)

    def _leave_ranks(self) -> None:
        if self._in_order and self._state.leader is not None:
            self._state.leader.leave()

    def _end_all(self, why: str) -> None:
        state = self._state
        for session in list(state.sessions.values()):
            run_cleanup(partial(state.end_session, session, ENGINE_STOPPED, why))
        for reply in list(state.unended):
            run_cleanup(partial(reply.fail, ENGINE_STOPPED, why))

    def _refuse_all(self, why: str) -> None:
        run_cleanup(lambda: self._inbox.extendleft(self._embedding.give_up()))
        self._inbox.extend(command for command, _ in self._relieving)
        for command in self._inbox:
            run_cleanup(partial(refuse, command, EngineError(ENGINE_STOPPED, why)))


class Recovery:
    """Recovery from faults in an iteration."""

    def __init__(
        self,
        state: State,
        loading: ModelLoader,
        embedding: Embedder,
        relieving: list[tuple[Relieve, int]],
    ) -> None:
        self._state = state
        self._loading = loading
        self._embedding = embedding
        self._relieving = relieving
        self._in_a_row = 0

    def reset(self) -> None:
        """Reset the count after an iteration without errors."""
        self._in_a_row = 0

    def after(
        self,
        error: BaseException,
        survived: int,
        planning: bool = False,
        computed: StepPlan | None = None,
    ) -> bool:
        """Recover from a fault.

        Args:
            survived: number of consecutive faults that the engine survives.
            planning: the fault occurred while planning.
            computed: the plan that was being executed.

        Raises:
            BaseException: the error, if the engine can't continue.
        """
        if isinstance(error, RowError):
            request = error.request
            self._fail(request, error.__cause__ or error)
            if request not in self._state.requests.values():
                return True
        self._in_a_row += 1
        if isinstance(error, RanksLostError) or self._in_a_row > survived:
            raise error
        log.error("an iteration of the engine failed", exc_info=error)
        if computed is not None:
            self._begin_again(computed)
        elif planning and self._in_a_row > 1:
            self._give_up(error)
        self._state.fail_lost()
        return True

    def _begin_again(self, plan: StepPlan) -> None:
        """Let the sessions in a plan continue with new caches."""
        ids = {i for step in plan.passes for i in step.rows}
        ids |= {part.session for part in (*plan.chunks, plan.adopt) if part is not None}
        for request in [r for key, r in self._state.requests.items() if key in ids]:
            if request.status not in (Status.PREFILLING, Status.DECODING):
                continue
            try:
                self._state.begin_again(request)
            except BaseException as fault:
                self._fail(request, fault)

    def _give_up(self, error: BaseException) -> None:
        """End everything that needs planning, because some of it makes planning fail."""
        for request in list(self._state.requests.values()):
            self._fail(request, error, keep_cache=True)
        wanted = self._loading.pending()
        if wanted is not None:
            self._loading.refuse(wanted.key, as_load_error(error))
        texts = self._embedding.pending()
        if texts is not None:
            self._embedding.refuse(texts.key, as_engine_error(error))
        while self._relieving:
            refuse(self._relieving.pop()[0], as_engine_error(error))

    def _fail(self, request: Request, error: BaseException, keep_cache: bool = False) -> None:
        try:
            self._state.fail_reply(request, error, keep_cache)
        except BaseException:  # `fail_lost` cleans up the rest
            log.exception("cannot end a reply")
