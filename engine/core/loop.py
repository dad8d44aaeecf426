"""The engine thread's loop: every running chat gets a token a turn, and prompts are read between.

Read `step` first. A turn is: take what callers ask (`reception`, `loading`), plan
(`scheduling.Scheduler`), execute the plan (`execution`), finish it (`finishing`). Models that are
loaded and caches that come back from disk are read piece by piece after that.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.core.confined import confined
from engine.core.execution import Execution
from engine.core.finishing import Finishing
from engine.core.loading import Loading
from engine.core.mailbox import Mailbox, refuse
from engine.core.reception import Reception
from engine.core.restoring import Restoring
from engine.core.state import State
from engine.core.view import view
from engine.core.workers import Workers
from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError
from engine.messages import (
    Cancel,
    CloseSession,
    Command,
    Forget,
    Fork,
    GetStats,
    Load,
    OpenSession,
    Pause,
    Prioritise,
    Send,
    Stop,
    Unload,
    WorkDone,
)
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
    ) -> None:
        self._mailbox = mailbox
        self._inbox: deque[Command] = deque()
        self._state = State(memory_budget, cache_dir, cache_bytes)
        self._scheduler = Scheduler()
        self._workers = Workers(mailbox)
        self._loading = Loading(self._state, self._workers, confined.shared())
        self._restoring = Restoring(self._state, self._workers)
        self._execution = Execution(self._state, self._restoring, self._loading)
        self._finishing = Finishing(self._state, self._loading)
        self._idle = True
        reception = Reception(self._state, self._workers, self._scheduler)
        self._handlers: dict[type, Callable[[Any], None]] = {
            Load: self._loading.load,
            Unload: self._loading.unload,
            OpenSession: reception.open,
            Send: reception.send,
            Cancel: reception.cancel,
            Pause: reception.pause,
            Prioritise: reception.prioritise,
            Fork: reception.fork,
            CloseSession: reception.close,
            Forget: reception.forget,
            GetStats: reception.stats,
            WorkDone: self._workers.done,
        }

    def run(self) -> None:
        """Step until a `Stop` arrives or something cannot be fenced; always shuts down in order."""
        why = "The engine was stopped."
        try:
            while self.step():
                pass
        except BaseException as error:
            log.exception("the engine thread cannot go on")
            why = f"The engine cannot go on: {type(error).__name__}: {error}"
            raise
        finally:
            self._shut_down(why)

    def step(self) -> bool:
        """One turn of the loop; False when it is over. Blocks only when there is nothing to do."""
        if not self._take_commands():
            return False
        now = view(self._state, self._loading.wanted)
        plan = self._scheduler.plan(now)
        results = self._execution.execute(plan)
        self._finishing.finish(plan, results)
        self._scheduler.observe(now, plan, results.timing)
        pieces = self._next_pieces()  # in every turn: chats that answer do not hold it up
        self._idle = plan.idle and not pieces
        return True

    def _take_commands(self) -> bool:
        phase = self._state.meter.phase
        if self._idle and not self._inbox:
            with phase("idle"):
                self._inbox.extend(self._mailbox.take(block=True))
        with phase("commands"):
            self._state.offload.settle()
            return self._drain()

    def _next_pieces(self) -> bool:
        """Read the next piece of a model or a cache; False where there was none."""
        if not (self._restoring.busy or self._loading.busy):
            return self._loading.wanted is not None
        with self._state.meter.phase("load"):
            self._restoring.step()
            self._loading.step()
        return True

    def _drain(self) -> bool:
        self._inbox.extend(self._mailbox.take(block=False))
        while self._inbox:
            # Left in the inbox until it is done: whatever happens, somebody answers it.
            command = self._inbox[0]
            if isinstance(command, Stop):
                return False
            try:
                self._handlers[type(command)](command)
            except EngineError as error:
                refuse(command, error)
            except Exception as error:
                log.exception("%s failed", type(command).__name__)
                refuse(command, EngineError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
            self._inbox.popleft()
        return True

    def _shut_down(self, why: str) -> None:
        state = self._state
        self._workers.close()
        self._restoring.clear()
        for session in state.sessions.values():
            if session.named and session.reply is None:
                with contextlib.suppress(Exception):  # the end must not fail over a cache
                    state.save(session)
        for session in list(state.sessions.values()):
            if not session.named:
                with contextlib.suppress(Exception):  # nobody can come back to it
                    state.offload.forget(session.id)
            state.end_session(session, ENGINE_STOPPED, why)
        for command in [*self._loading.give_up(), *self._inbox, *self._mailbox.close()]:
            refuse(command, EngineError(ENGINE_STOPPED, why))
        state.offload.close()
        state.models.clear()
        state.prefix_cache.clear()
        mx.synchronize()
        mx.clear_cache()
        # A thread that ends with live streams aborts the process at exit (mlx #4110, #4373).
        mx.clear_streams()
