"""The engine thread: it owns every MLX object and gives each running chat one token a turn.

    commands in -> drain -> decode one token for every running session
                         -> prefill one chunk of one prompt -> events out

The two are one pass over the weights where the model can take that (`runner.Ride`).

A model being loaded is read piece by piece after that.

Read `step` first. What it calls has rooms of its own: `reception` takes what callers ask,
`decoding`, `prefilling` and `loading` do the work, `state` holds what they share.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.core.admission_queue import AdmissionQueue
from engine.core.decoding import Decoding
from engine.core.loading import Loading
from engine.core.mailbox import Mailbox, refuse
from engine.core.prefilling import Prefilling
from engine.core.reception import Reception
from engine.core.state import State
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
)

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
        self._loading = Loading(self._state)
        self._prefilling = Prefilling(self._state)
        self._decoding = Decoding(self._state, self._prefilling)
        self._room = AdmissionQueue(self._state)
        reception = Reception(self._state, self._room)
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
        phase = self._state.meter.phase
        if not self._busy() and not self._inbox:
            with phase("idle"):
                self._inbox.extend(self._mailbox.take(block=True))
        with phase("commands"):
            if not self._drain():
                return False
            self._state.offload.settle()
            self._room.step()
        with phase("decode"):
            self._decoding.step()
        with phase("prefill"):
            self._prefilling.step()
        with phase("load"):
            self._loading.step()
        return True

    def _busy(self) -> bool:
        """Whether there is more to do than to wait: what is queued or paused does not count."""
        sessions = self._state.sessions.values()
        return (
            self._loading.busy
            or self._state.released
            or any(s.is_running and not s.paused for s in sessions)
        )

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
        for session in state.sessions.values():
            if session.named and session.reply is None:
                with contextlib.suppress(Exception):  # the end must not fail over a cache
                    state.offload.save(session)
        for session in list(state.sessions.values()):
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
