"""Fake engine that writes numbers, for programs that will be killed."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from engine import Finished, FinishReason, Fit, Model, ReplyStats, TextDelta
from engine.messages import text_of


class NumberEngine:
    """Fake engine that sends a number to each reply every few milliseconds."""

    TURN_S = 0.004

    def __init__(self) -> None:
        self.running: list[NumberReply] = []
        self.lock = threading.Lock()
        threading.Thread(target=self._run, name="numbers", daemon=True).start()

    def estimate_later(
        self, path: str, context: int | None = None, *, kv_bits: int | None = None, **_: object
    ) -> Future[Fit]:
        """Report that everything fits."""
        future: Future[Fit] = Future()
        future.set_result(Fit(0, 0, 0, 0, 1, 1, kv_bits, free=1))
        return future

    def load_later(self, path: str, on_progress: object = None, **_: object) -> Future[Model]:
        future: Future[Model] = Future()
        future.set_result(Model(path, "Numbers", path, 4096, 1, "float32", "shared", True, {}))
        return future

    def open_session(
        self, model: Model, session_id: str | None = None, **_: object
    ) -> NumberSession:
        return NumberSession(self, session_id or "")

    def forget(self, session_id: str) -> None:
        pass

    def _run(self) -> None:
        for number in itertools.count():
            time.sleep(self.TURN_S)
            with self.lock:
                self.running = [reply for reply in self.running if reply.step(number)]


class NumberSession:
    def __init__(self, engine: NumberEngine, session_id: str) -> None:
        self.engine = engine
        self.id = session_id

    def send(
        self, prompt: Any, params: Any = None, on_event: Any = None, template: Any = None
    ) -> NumberReply:
        reply = NumberReply(self.id, on_event, len(text_of(prompt[-1]["content"])) * 37 % 400)
        with self.engine.lock:
            self.engine.running.append(reply)
        return reply

    def fork(self, session_id: str | None = None) -> NumberSession:
        return NumberSession(self.engine, session_id or "")

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        pass

    def close(self, forget: bool = False) -> None:
        pass


class NumberReply:
    def __init__(self, session_id: str, post: Callable[[object], None], length: int) -> None:
        self.session_id = session_id
        self.post = post
        self.left = length
        self.cancelled = False

    def cancel(self, whole: bool = False) -> None:
        self.cancelled = True

    def pause(self) -> None:
        pass

    def resume(self) -> None:
        pass

    def step(self, number: int) -> bool:
        """Write a number, or return False at the end."""
        if self.cancelled or self.left <= 0:
            reason = FinishReason.CANCELLED if self.cancelled else FinishReason.STOP
            stats = ReplyStats(4, 2, number, 0.2, 1.0, 48.0)
            self.post(Finished(self.session_id, "", reason, stats))
            return False
        self.left -= 1
        self.post(TextDelta(self.session_id, "", f"{number} ", "answer"))
        return True
