"""Engine under fault injection, with checks of its state after each fault.

Calls to engine functions that may raise an injected fault go through `attempt`.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import Engine, EngineError, Failed, Finished, Model, Reply, SamplingParams, TextDelta
from engine.messages import CloseSession
from engine.runtime import candidate
from engine.runtime.plan import Status
from engine.runtime.request import Request
from engine.runtime.state import State
from engine.sandbox import confined
from engine.sandbox.confined import Sandbox
from tests.torture.injection import ChildFile, Panic, Switch

PATIENCE = 20.0
"""Seconds until a wait counts as a hang."""

NO_END = {2: -1e9, 3: -1e9, 4: -1e9}
SUBJECT = "subject"
"""Session whose reply state is tracked."""
KEPT = "kept"
"""Another named session, whose caches are kept on disk."""
NAMES = {
    Status.PREPARING: "preparing",
    Status.QUEUED: "queued",
    Status.RESTORING: "restoring",
    Status.PREFILLING: "prefilling",
    Status.DECODING: "decoding",
    Status.FINISHED: "",
}
STATES = ("preparing", "queued", "restoring", "prefilling", "decoding", "paused", "finishing")


@functools.cache
def some(tokens: int, stop: tuple[str, ...] = (), penalty: float = 1.0) -> SamplingParams:
    """Return parameters for `tokens` tokens without an early end."""
    return SamplingParams(
        max_tokens=tokens,
        temperature=0.8,
        seed=7,
        logit_bias=NO_END,
        stop=stop,
        repetition_penalty=penalty,
    )


@functools.cache
def one_of(*choices: str) -> SamplingParams:
    return SamplingParams(max_tokens=8, choices=list(choices))


@dataclass
class Outcome:
    """Outcome of one fault.

    Attributes:
        fired_in: thread in which the fault was raised; empty if it wasn't reached.
        failed: number of replies that ended with an error.
        restarted: True if the engine thread ended and a new thread answered.
        problems: violated expectations.
    """

    fired_in: str = ""
    failed: int = 0
    restarted: bool = False
    problems: list[str] = field(default_factory=list)


class Where:
    def __init__(self) -> None:
        self._reply: Request | None = None
        self._ending: Request | None = None
        made = Request.__init__

        def init(reply: Request, *args: Any, **more: Any) -> None:
            made(reply, *args, **more)
            if reply.session.id == SUBJECT:
                self._reply = reply

        def ending(inner: Callable[..., None]) -> Any:
            def end(state: State, request: Request, *args: Any, **more: Any) -> None:
                before = self._ending
                self._ending = request
                try:
                    inner(state, request, *args, **more)
                finally:
                    self._ending = before

            return end

        Request.__init__ = init  # type: ignore[method-assign]
        State.end_reply = ending(State.end_reply)  # type: ignore[method-assign]
        State.fail_reply = ending(State.fail_reply)  # type: ignore[method-assign]

    def __call__(self) -> str:
        reply = self._reply
        if reply is None:
            return ""
        if reply is self._ending:
            return "finishing"
        if reply._paused_at is not None and reply.status != Status.FINISHED:
            return "paused"
        return NAMES[reply.status]

    def forget(self) -> None:
        self._reply = self._ending = None


class Stage:
    def __init__(self, switch: Switch, child: ChildFile, folder: Path, caches: Path) -> None:
        self.switch, self.child = switch, child
        self.folder = folder
        self.where = Where()
        switch.where = self.where
        self._caches = caches
        self._arm: Callable[[], None] = lambda: None
        with Engine() as probe:
            model = probe.load(folder)
            chat = probe.open_session(model)
            chat.send("hello", some(400)).tokens(60)
            held = probe.stats()["sessions"][chat.id]["kv_bytes"]
        self._budget = model.nbytes + int(held * 9)
        self.engine = Engine(self._budget, caches)
        self.model: Model = self.engine.load(folder)
        self.replies: list[Reply] = []
        self.problems: list[str] = []
        self._chats: list[Any] = []

    def play(self, scene: Scene, arm: Callable[[], None]) -> Outcome:
        """Run a scene, which calls `arm` once the fault may occur."""
        self._arm, self._child_armed = arm, False
        self.where.forget()
        mailbox, before = self.engine._mailbox, self.engine._thread
        engine = self.engine
        scene(self)
        in_child = not self.child.armed
        self.quiet()
        for chat in self._chats:
            self.close(chat, forget=chat.id in (SUBJECT, KEPT))
        self._chats = []
        self._goes_on()
        outcome = self._judge()
        if in_child and self._child_armed:
            outcome.fired_in = "a child"
        if engine is self.engine:
            outcome.restarted = self.engine._mailbox is not mailbox
            if before is not self.engine._thread and before is not None and before.is_alive():
                outcome.problems.append("the old thread lives on")
        return outcome

    def arm(self) -> None:
        """Allow the fault from here on."""
        self._arm()
        self._child_armed = self.child.armed

    def quiet(self) -> None:
        self.switch.record(False)
        self.switch.disarm()
        if self.child.armed:
            self.child.set("")

    def attempt(self, action: Callable[[], Any]) -> Any:
        """Call `action`, tolerating a stopped engine and the injected fault."""
        try:
            return action()
        except EngineError:
            return None
        except (RuntimeError, Panic) as error:
            if "injected" not in str(error):
                self.problems.append(f"{type(error).__name__}: {error}")
            return None

    def open(self, *args: Any, **options: Any) -> Any:
        chat = self.attempt(lambda: self.engine.open_session(self.model, *args, **options))
        if chat is not None:
            self._chats.append(chat)
        return chat

    def fork(self, chat: Any) -> Any:
        twin = self.attempt(chat.fork) if chat is not None else None
        if twin is not None:
            self._chats.append(twin)
        return twin

    def send(self, chat: Any, prompt: Any, params: SamplingParams) -> Reply | None:
        reply = self.attempt(lambda: chat.send(prompt, params)) if chat is not None else None
        if reply is not None:
            self.replies.append(reply)
        return reply

    def ends(self, reply: Reply | None, what: str) -> None:
        if reply is not None and not self.until(lambda: ended(reply)):
            self.problems.append(f"{what}: never ended")

    def begins(self, reply: Reply | None) -> None:
        if reply is not None and not self.until(lambda: ended(reply) or begun(reply)):
            self.problems.append("never began")

    def reaches(self, state: str, reply: Reply | None) -> None:
        """Wait until the subject's reply is in `state` or past it."""
        order = STATES.index(state)

        def there() -> bool:
            now = self.where()
            return reply is None or ended(reply) or (bool(now) and STATES.index(now) >= order)

        if not self.until(there):
            self.problems.append(f"never {state}")

    @staticmethod
    def until(true: Callable[[], bool]) -> bool:
        last = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > last:
                return False
            time.sleep(0.001)
        return True

    def future(self, action: Callable[[], Any], what: str) -> Any:
        answer = self.attempt(action)
        if answer is None:
            return None
        try:
            # The fault may be in this thread's call, too.
            return self.attempt(lambda: answer.result(PATIENCE))
        except TimeoutError:
            self.problems.append(f"{what}: never answered")
        return None

    def close(self, chat: Any, forget: bool = False) -> None:
        if chat is not None:
            self.attempt(lambda: chat.close(forget))

    def fresh(self) -> None:
        """Replace a broken engine with a new engine."""
        self.engine = Engine(self._budget, self._caches)
        self.model = self.engine.load(self.folder)

    def unstarted(self) -> None:
        """Stop the engine and create another that hasn't started yet."""
        self.engine.stop(PATIENCE)
        self.engine = Engine(self._budget, self._caches)

    def unknown_folder(self) -> None:
        """Clear the cache of examined folders, so the model's folder is checked again."""
        candidate._checked.clear()

    def other_children(self) -> None:
        """Give the next engine child processes that haven't been started."""
        if confined.shared.sandbox is not None:
            confined.shared.sandbox.close()
        confined.shared.sandbox = Sandbox()

    def _judge(self) -> Outcome:
        outcome = Outcome(self.switch.fired_in)
        for reply in self.replies:
            last = [e for e in reply._events if isinstance(e, (Finished, Failed))]
            outcome.failed += any(isinstance(e, Failed) for e in last)
            if len(last) != 1 or reply._events[-1] is not last[0]:
                self.problems.append(f"a reply has {len(last)} last events")
        outcome.problems = self.problems
        self.problems, self.replies = [], []
        return outcome

    def _goes_on(self) -> None:
        try:
            # The folder may need another check, by a child process that has to start first.
            self.model = self.engine.load_later(self.folder).result(3 * PATIENCE)
            chat = self.engine.open_session(self.model)
            if not chat.send("the next question", some(3)).tokens(PATIENCE):
                self.problems.append("the next answer is empty")
            chat.close()
            figures = self.engine.stats_later().result(PATIENCE)
            if figures["weights_bytes"] != self.model.nbytes:
                self.problems.append(f"weights: {figures['weights_bytes']}")
            for key, session in figures["sessions"].items():
                self.problems.append(f"session {key} is left, {session['status']}")
                self.engine._post(CloseSession(key, forget=True))
        except (EngineError, TimeoutError) as error:
            self.problems.append(f"the next question: {type(error).__name__} {error}")


Scene = Callable[[Stage], None]


def ended(reply: Reply) -> bool:
    return any(isinstance(e, (Finished, Failed)) for e in reply._events[-1:])


def begun(reply: Reply) -> bool:
    return any(isinstance(e, TextDelta) for e in list(reply._events))
