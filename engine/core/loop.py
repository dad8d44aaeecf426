"""The engine thread's loop: every running chat gets a token a turn, and prompts are read between.

Read `step` first. A turn is: take what callers ask (`reception`, `loading`), plan
(`scheduling.Scheduler`), execute the plan (`execution`), finish it (`finishing`). Models that are
loaded and caches that come back from disk are read piece by piece after that.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.core.calibrating import Calibrating
from engine.core.commands import Estimate, Load, Pin, Relieve, Unload, UnloadIdle
from engine.core.confined import confined, pacing
from engine.core.embedding import Embedding
from engine.core.ending import surely
from engine.core.estimating import Estimating
from engine.core.execution import Execution
from engine.core.finishing import Finishing
from engine.core.growing import Growing
from engine.core.idling import Idling
from engine.core.loading import Loading
from engine.core.mailbox import Mailbox, refuse
from engine.core.pairing import Pairing
from engine.core.ranks.leader import Leader
from engine.core.reception import Reception
from engine.core.recovery import Recovery, Stage
from engine.core.relieving import Relieving
from engine.core.resting import Resting
from engine.core.restoring import Restoring
from engine.core.state import State
from engine.core.view import view
from engine.core.workers import Workers
from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError, words_of
from engine.messages import (
    Cancel,
    CloseSession,
    Command,
    CountTokens,
    Embed,
    Forget,
    Fork,
    GetStats,
    OpenSession,
    Pause,
    Prioritise,
    Send,
    Stop,
    WorkDone,
)
from engine.model.backend import openblas
from engine.scheduling.scheduler import Scheduler

log = logging.getLogger(__name__)


class Loop:
    """All sessions and models of one engine, stepped by the thread that calls `run`."""

    def __init__(
        self,
        mailbox: Mailbox,
        memory_budget: int | None = None,
        cache_dir: Path | None = None,
        cache_bytes: int = 0,
        leader: Leader | None = None,
        ways_dir: Path | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._inbox: deque[Command] = deque()
        self._state = State(memory_budget, cache_dir, cache_bytes, leader)
        self._state.offload.wake = partial(mailbox.post, WorkDone(_nothing, _nothing))
        self._scheduler = Scheduler()
        self._workers = Workers(mailbox)
        self._loading = Loading(self._state, self._workers, confined.shared(), ways_dir)
        self._restoring = Restoring(self._state, self._workers)
        self._execution = Execution(self._state, self._restoring, self._loading)
        self._finishing = Finishing(
            self._state, self._loading, Growing(self._state, self._execution.evict)
        )
        self._embedding = Embedding(self._state, self._workers, self._execution.evict)
        self._recovery = Recovery(self._state, self._loading)
        self._idling = Idling(self._state, self._loading.free, lambda: self._embedding.models)
        self._resting = Resting()
        self._calibrating = Calibrating(self._state, ways_dir)
        self._idle, self._in_order = True, False
        forget = self._scheduler.drafting.forget
        self._pairing = Pairing(self._state, self._workers, self._loading, forget)
        reception = Reception(self._state, self._workers, self._scheduler)
        self._handlers: dict[type, Callable[[Any], None]] = {
            Load: self._pairing.load,
            Estimate: Estimating(self._state, self._workers, confined.shared()).estimate,
            Unload: self._loading.unload,
            UnloadIdle: self._idling.set,
            Pin: self._idling.pin,
            Relieve: Relieving(self._state, self._execution.evict).relieve,
            OpenSession: reception.open,
            Send: reception.send,
            Cancel: reception.cancel,
            Pause: reception.pause,
            Prioritise: reception.prioritise,
            Fork: reception.fork,
            CloseSession: reception.close,
            Forget: reception.forget,
            CountTokens: reception.count,
            Embed: self._embedding.embed,
            GetStats: reception.stats,
            WorkDone: self._workers.done,
        }

    def run(self) -> None:
        """Step until a `Stop` arrives or something cannot be fenced; always shuts down in order."""
        why = "The engine was stopped."
        try:
            while self.step():
                pass
            self._in_order = True
        except BaseException as error:
            log.exception("the engine thread cannot go on")
            why = f"The engine cannot go on: {words_of(error)}"
            raise
        finally:
            self.end(why)

    def step(self) -> bool:
        """One turn of the loop; False when it is over. Blocks only when there is nothing to do."""
        try:
            return self._turn()
        except BaseException as error:  # a panic in a native library, too
            self._idle = False
            self._recovery.after(error)
            return True

    def _turn(self) -> bool:
        reached = self._recovery.reached
        reached(Stage.COMMANDS)
        if not self._take_commands():
            return False
        reached(Stage.PLANNING)
        now = view(self._state, self._loading.wanted)
        plan = self._scheduler.plan(now)
        reached(Stage.COMPUTING, plan)
        results = self._execution.execute(plan)
        try:
            self._finishing.finish(plan, results)
        finally:
            results.let_go()
        reached(Stage.AFTERWARDS)
        self._scheduler.observe(now, plan, results.timing)
        self._state.fail_lost()
        if plan.passes:
            self._resting.worked()
            if openblas():
                pacing.streamed()
        # Beside chats that stream, too.
        read = self._next_pieces(results.timing.decode, plan.awaits_disk)
        self._idle = not (self._calibrating.step(read) or read) and plan.idle
        self._recovery.well()
        return True

    def _take_commands(self) -> bool:
        phase = self._state.meter.phase
        if self._idle and not self._inbox:
            if self._state.leader is not None:
                self._state.leader.rest()
            parts = (self._idling, self._resting, self._calibrating)
            due = [part.patience for part in parts if part.patience is not None]
            with phase("idle"):
                self._mailbox.take(self._inbox, block=True, patience=min(due, default=None))
            if not self._inbox:
                self._resting.step()
        with phase("commands"):
            if self._state.offload.settle():
                self._state.memory_changed()
            if not self._drain():
                return False
            self._idling.step()
            return True

    def _next_pieces(self, decoding: float, awaits_disk: bool) -> bool:
        """Read the next pieces of a model or a cache; False where there was none.

        Args:
            decoding: seconds that this turn took for the chats' tokens.
            awaits_disk: the next model cannot be read before caches have been written.
        """
        embeds = self._embedding.busy
        if embeds:
            self._embedding.step()
        if not (self._restoring.busy or self._loading.busy):
            return embeds or (self._loading.wanted is not None and not awaits_disk)
        with self._state.meter.phase("load"):
            self._restoring.step()
            self._loading.step(decoding)
        return True

    def _drain(self) -> bool:
        self._mailbox.take(self._inbox, block=False)
        while self._inbox:
            # Left in the inbox until it is done: whatever happens, somebody answers it.
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
            error = EngineError(INTERNAL_ERROR, words_of(error))
        try:
            self._refuse(command, error)
        except BaseException:  # who waits for an answer must have one
            log.exception("%s could not be refused in order", type(command).__name__)
            refuse(command, error)

    def _refuse(self, command: Command, error: EngineError) -> None:
        """Tell whom it concerns that a command could not be carried out."""
        refuse(command, error)
        state = self._state
        if isinstance(command, WorkDone):
            command.failed(error)
        elif isinstance(command, OpenSession):
            state.ended[command.session_id] = (error.code, error.message)
        elif isinstance(command, Fork):
            state.ended[command.twin_id] = (error.code, error.message)
        elif isinstance(command, CloseSession):
            session = state.sessions.get(command.session_id)
            if session is not None:
                state.end_session(session, error.code, error.message)
            if command.forget:
                state.erase(command.session_id)
        elif isinstance(command, (Cancel, Pause)):  # who asked would wait for it in vain
            session = state.sessions.get(command.session_id)
            if session is not None and session.reply and session.reply.id == command.reply_id:
                state.fail_reply(session, error)
        elif isinstance(command, Forget):
            state.erase(command.session_id)

    def end(self, why: str) -> None:
        """Tell everybody that the engine has ended, and free everything.

        Each part is done whatever comes of the others. Nobody is left waiting, and whatever can
        be kept on disk is.
        """
        state = self._state
        parts: list[Callable[[], object]] = [
            self._workers.close,
            self._restoring.clear,
            self._calibrating.end,
            self._save_all,
            lambda: self._end_all(why),
            lambda: self._inbox.extendleft(self._loading.give_up()),
            lambda: self._inbox.extendleft(self._pairing.give_up()),
            lambda: self._refuse_all(why),
            self._leave_ranks,
            state.offload.close,
            state.models.clear,
            state.prefix_cache.clear,
            mx.synchronize,
            mx.clear_cache,
            # A thread that ends with live streams aborts the process at exit (mlx #4110, #4373).
            mx.clear_streams,
        ]
        for part in parts:
            surely(part)

    def _save_all(self) -> None:
        for session in self._state.sessions.values():
            if session.named and session.reply is None:
                self._state.save(session)

    def _leave_ranks(self) -> None:
        if self._in_order and self._state.leader is not None:
            self._state.leader.leave()

    def _end_all(self, why: str) -> None:
        state = self._state
        for session in list(state.sessions.values()):
            if not session.named:
                state.erase(session.id)  # nobody can come back to it
            surely(partial(state.end_session, session, ENGINE_STOPPED, why))
        for reply in list(state.unended):
            surely(partial(reply.fail, ENGINE_STOPPED, why))

    def _refuse_all(self, why: str) -> None:
        surely(lambda: self._inbox.extendleft(self._embedding.give_up()))
        for command in [*self._inbox, *self._mailbox.close()]:
            surely(partial(refuse, command, EngineError(ENGINE_STOPPED, why)))


def _nothing(*_: object) -> None:
    """Only wakes the engine thread, which frees what has been written before anything else."""
