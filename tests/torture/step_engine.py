"""Engine without a thread, advanced explicitly so that tests are reproducible.

Commands wait in a mailbox until the next `turn`, as in the real engine: a stopped reply can write
another word before it processes the stop. The answer is in the question, as with
`tests.app.fake_engine`.
"""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import (
    EngineError,
    Failed,
    Finished,
    FinishReason,
    Fit,
    Model,
    PromptProgress,
    ReplyStats,
    TextDelta,
    ToolCallFinished,
)
from engine.messages import text_of
from tests.app.fake_engine import after_results, model_of, script

STOPPED = "engine_stopped"


class StepReply:
    def __init__(self, session: StepSession, number: int, turns: Any, post: Any) -> None:
        self.id = f"reply-{number}"
        self.session = session
        self.post: Callable[[Any], None] = post
        self.paused = False
        self.ended = False
        self.read = False
        self.written = 0
        self.calls: list[dict[str, Any]] = []
        if turns[-1]["role"] == "assistant":
            self.words: Iterator[tuple[str, str]] = iter([("answer", "and more.")])
        elif turns[-1]["role"] == "tool":
            self.words = after_results(turns)
        else:
            self.words = script(text_of(turns[-1]["content"]))

    def cancel(self, whole: bool = False) -> None:
        self.paused = False  # a paused reply must be able to end
        self.session.mail(lambda: self._end(FinishReason.CANCELLED))

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    def go_on(self) -> None:
        for _ in range(1_000 if self.session.engine.released else 1):
            if not self.ended and not self.paused:
                self._step()

    def _step(self) -> None:
        if not self.read:
            self.read = True
            self.post(PromptProgress(self.session.id, self.id, 4, 4, 0, 0))
            return
        kind, word = next(self.words, ("stop", ""))
        if kind == "stop":
            self._end(FinishReason.STOP)
        elif kind == "cut":
            self._end(FinishReason.LENGTH)
        elif kind == "hold":
            if not self.session.engine.released:
                self.words = itertools.chain([("hold", "")], self.words)
        elif kind in {"out_of_memory", "context_overflow"}:
            self.fail(kind, word)
        elif kind == "call":
            name, _, text = word.partition(" ")
            text, key = text.partition("\n\n")[0], f"call{next(self.session.engine.numbers)}"
            with suppress(ValueError):  # more text was written after the arguments
                function = {"name": name, "arguments": json.loads(text)}
                self.calls.append({"id": key, "type": "function", "function": function})
                self.post(ToolCallFinished(self.session.id, self.id, key, name, text))
        elif kind == STOPPED:
            self.session.engine.break_down()
        else:
            self.written += 1
            self.post(TextDelta(self.session.id, self.id, word, kind))

    def fail(self, code: str, words: str) -> None:
        if not self.ended:
            self.ended = True
            self.session.reply = None
            self.post(Failed(self.session.id, self.id, code, words))

    def _end(self, reason: FinishReason) -> None:
        if not self.ended:
            self.ended = True
            self.session.reply = None
            stats = ReplyStats(4, 2, self.written, 0.2, 1.0, 48.0)
            turn: Any = {"role": "assistant", "content": "", "tool_calls": self.calls}
            message = turn if self.calls else None
            self.post(Finished(self.session.id, self.id, reason, stats, message=message))


@dataclass(eq=False)
class StepSession:
    engine: StepEngine
    model: Model
    id: str
    life: int
    reply: StepReply | None = None
    wrong: tuple[str, str] | None = None
    closed: bool = False

    def mail(self, command: Callable[[], object]) -> None:
        if self.life == self.engine.life:
            self.engine.mailbox.append(command)

    def send(
        self, prompt: Any, params: Any = None, on_event: Any = None, template: Any = None
    ) -> StepReply:
        reply = StepReply(self, next(self.engine.numbers), prompt, on_event)
        if self.life != self.engine.life or self.engine.stopped:
            reply.fail(STOPPED, "The engine is not running.")
        else:
            self.engine.asked += 1
            self.engine.take(reply)
            self.mail(lambda: self._begin(reply))
        return reply

    def fork(self, session_id: str | None = None) -> StepSession:
        if self.life != self.engine.life or self.engine.stopped:
            raise EngineError(STOPPED, "The engine is not running.")
        return self.engine.open_session(self.model, session_id)

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        pass

    def close(self, forget: bool = False) -> None:
        self.closed = True
        if forget and not self.engine.stopped:  # a stopped engine has no sessions
            self.engine.forget(self.id)
        self.mail(self._close)

    def _begin(self, reply: StepReply) -> None:
        if self.engine.sessions.get(self.id) is not self:
            reply.fail("session_closed", "This chat's session is closed. Open it again.")
        elif self.wrong is not None:
            reply.fail(*self.wrong)
        elif self.reply is not None:
            self.engine.wrongs.append(f"two replies in session {self.id}")
            reply.fail("session_busy", "This chat is still answering.")
        else:
            self.reply = reply

    def _close(self) -> None:
        if self.engine.sessions.get(self.id) is self:
            del self.engine.sessions[self.id]
        if self.reply is not None:
            self.reply.fail("session_closed", "The chat was closed during the answer.")


class StepEngine:
    """Replacement for the engine with the methods that the window uses.

    Attributes:
        sessions: open sessions by id.
        loads: models that were requested and are not loaded yet.
        slow: True if loads don't end.
        released: True if replies on hold continue to their end.
        wrongs: invalid calls by the window.
    """

    def __init__(self) -> None:
        self.mailbox: deque[Callable[[], object]] = deque()
        self.sessions: dict[str, StepSession] = {}
        self.models: dict[str, Model] = {}
        self.loads: list[tuple[str, Future[Model]]] = []
        self.slow = False
        self.released = False
        self._live: list[StepReply] = []
        self.stopped = False
        self.life = 0
        self.asked = 0
        self.numbers = itertools.count(1)
        self.wrongs: list[str] = []

    @property
    def is_running(self) -> bool:
        return not self.stopped

    def estimate_later(
        self, path: str, context: int | None = None, *, kv_bits: int | None = None, **_: object
    ) -> Future[Fit]:
        future: Future[Fit] = Future()
        future.set_result(Fit(0, 0, 0, 0, 1, 1, kv_bits, free=1))
        return future

    def load_later(self, path: str, on_progress: object = None, **_: object) -> Future[Model]:
        self._refuse_if_stopped()
        future: Future[Model] = Future()
        self.loads.append((path, future))
        return future

    def open_session(
        self, model: Model, session_id: str | None = None, **options: Any
    ) -> StepSession:
        self._refuse_if_stopped()
        session = StepSession(self, model, session_id or f"s{next(self.numbers)}", self.life)
        self.mailbox.append(lambda: self._open(session))
        return session

    def _open(self, session: StepSession) -> None:
        namesake = self.sessions.get(session.id)
        if namesake is not None and namesake.reply is not None:
            namesake.reply.fail("session_closed", "Another session has this name.")
        if self.models.get(session.model.id) is not session.model:
            session.wrong = ("unknown_model", "The model of this chat is not loaded.")
        self.sessions[session.id] = session

    def forget(self, session_id: str = "", domain: str = "") -> None:
        self._refuse_if_stopped()

    def ask(self, model: Model, prompt: str, *_: Any, **__: Any) -> StepReply:
        """Refuse to write titles. They would change chats without a user action."""
        raise EngineError("capacity_exhausted", "There is no room for a title.")

    def count_later(
        self,
        model: Model,
        prompt: Any,
        reasoning: bool | None = None,
        template: Any = None,
        slides_in: int | None = None,
        session_id: str = "",
    ) -> Future[int]:
        """Count a token for each word and three for each turn."""
        future: Future[int] = Future()
        future.set_result(sum(len(text_of(turn["content"]).split()) + 3 for turn in prompt))
        return future

    def stats_later(self) -> Future[dict[str, Any]]:
        self._refuse_if_stopped()
        future: Future[dict[str, Any]] = Future()
        figures = {"queue": [], "tokens_per_s": 48.0, "kv_bytes": 0, "prefix_bytes": 0}
        figures |= {"weights_bytes": 1000, "memory_budget": 1_000_000_000}
        figures |= {"process_bytes": 5000, "children_bytes": 400, "buffer_bytes": 2000}
        sessions = {
            session.id: {
                "kv_tokens": 4,
                "kv_bytes": 1000,
                "status": "decoding" if session.reply is not None else "idle",
                "paused": session.reply is not None and session.reply.paused,
                "reply": {"generated_tokens": 1},
            }
            for session in self.sessions.values()
        }
        future.set_result({**figures, "sessions": sessions})
        return future

    def take(self, reply: StepReply) -> None:
        """Register a reply. Its session processes it in the next turn."""
        self._live.append(reply)

    def running(self) -> dict[str, StepReply]:
        self._live = [reply for reply in self._live if not reply.ended]
        return {reply.session.id: reply for reply in self._live}

    def hear(self) -> None:
        while self.mailbox:
            self.mailbox.popleft()()

    def turn(self) -> None:
        self.hear()
        if not self.slow:
            loads, self.loads = self.loads, []
            for path, future in loads:
                self._load(path, future)
        for reply in self.running().values():
            if not reply.paused and not reply.ended:
                reply.go_on()

    def break_down(self) -> None:
        """Let the thread die of a fault. The next use starts another one without any state."""
        self.hear()  # handle pending commands first, so that they are refused, too
        sessions, self.sessions, self.models = self.sessions, {}, {}
        loads, self.loads = self.loads, []
        self.life += 1
        for session in sessions.values():
            if session.reply is not None:
                session.reply.fail(STOPPED, "The engine cannot continue.")
        for _, future in loads:
            if not future.cancelled():
                future.set_exception(EngineError(STOPPED, "The engine cannot continue."))

    def stop(self, timeout: float | None = None) -> None:
        if not self.stopped:
            self.hear()
            self.stopped = True
            for reply in self.running().values():
                reply.fail(STOPPED, "The engine was stopped.")
            for _, future in self.loads:
                if not future.cancelled():
                    future.set_exception(EngineError(STOPPED, "The engine was stopped."))

    def _refuse_if_stopped(self) -> None:
        if self.stopped:
            raise EngineError(STOPPED, "This engine was stopped. Start a new one.")

    def _load(self, path: str, future: Future[Model]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        name = Path(path).name
        if "broken" in name:
            words = f"{name} holds no config.json. Choose a model's folder."
            future.set_exception(EngineError("model_load_failed", words))
            return
        shown = "Guide" if name == "guide" else name
        if path not in self.models:
            self.models[path] = model_of(path, shown)
        future.set_result(self.models[path])
