"""What happens to an engine while a fault is put into it, and how it must stand afterwards."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import Engine, EngineError, Failed, Finished, Model, Reply, SamplingParams, TextDelta
from engine.bench.random_models import write_model
from tests.engine.families import FAMILIES
from tests.engine.injection import Panic, Switch

PATIENCE = 5.0
"""Seconds after which somebody waits for ever."""

NO_END = {2: -1e9, 3: -1e9, 4: -1e9}
WORDS = "hello there " * 12


def some(tokens: int, **more: Any) -> SamplingParams:
    return SamplingParams(max_tokens=tokens, temperature=0.8, seed=7, logit_bias=NO_END, **more)


@dataclass
class Outcome:
    """What came of one fault.

    Attributes:
        fired_in: the thread in which it was raised; empty where it was not reached.
        failed: how many replies ended with an error.
        restarted: the engine thread ended, and a new one answered.
        problems: what must not be.
    """

    fired_in: str = ""
    failed: int = 0
    restarted: bool = False
    problems: list[str] = field(default_factory=list)


class Stage:
    """One engine with a chat that streams, on which scenes are played."""

    def __init__(self, switch: Switch, folder: Path, caches: Path) -> None:
        self.switch = switch
        self.folder = folder
        self._caches = caches
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

    def play(self, scene: Scene, name: str, call: int, kind: type[BaseException]) -> Outcome:
        """Let a function raise during a scene, and see what has come of it."""
        return scene(self, lambda: self.switch.arm(name, call, kind))

    def trace(self, scene: Scene) -> dict[str, int]:
        """The functions that are called during a scene, and how often."""
        outcome = scene(self, lambda: self.switch.record(True))
        assert not outcome.problems, outcome.problems
        return dict(self.switch.called)

    def quiet(self) -> None:
        self.switch.record(False)
        self.switch.disarm()

    def attempt(self, action: Callable[[], Any]) -> Any:
        """Do something that may be told that the engine has stopped, or hit by the fault itself."""
        try:
            return action()
        except EngineError:
            return None
        except (RuntimeError, Panic) as error:
            if "injected" not in str(error):
                self.problems.append(f"{type(error).__name__}: {error}")
            return None

    def open(self, *args: Any, **options: Any) -> Any:
        return self.attempt(lambda: self.engine.open_session(self.model, *args, **options))

    def send(self, chat: Any, prompt: Any, params: SamplingParams) -> Reply | None:
        reply = self.attempt(lambda: chat.send(prompt, params)) if chat is not None else None
        if reply is not None:
            self.replies.append(reply)
        return reply

    def ends(self, reply: Reply | None, what: str) -> None:
        """Wait for a reply's end."""
        if reply is None:
            return

        def wait() -> bool:
            with contextlib.suppress(EngineError, TimeoutError):
                reply.tokens(PATIENCE)
            return True

        if self.attempt(wait) is None:  # the fault hit who waits
            self.attempt(wait)
        if not reply.done:
            self.problems.append(f"{what}: never ended")

    def begins(self, reply: Reply | None) -> None:
        """Wait for a reply's first text, or its end."""
        until = time.monotonic() + PATIENCE
        while reply is not None and time.monotonic() < until:
            if reply.done or any(isinstance(e, TextDelta) for e in list(reply._events)):
                return
            time.sleep(0.0005)
        if reply is not None:
            self.problems.append("never began")

    def future(self, action: Callable[[], Any], what: str) -> Any:
        answer = self.attempt(action)
        if answer is None:
            return None
        try:
            return answer.result(PATIENCE)
        except TimeoutError:
            self.problems.append(f"{what}: never answered")
        except EngineError:
            return None
        return None

    def close(self, chat: Any, forget: bool = False) -> None:
        if chat is not None:
            self.attempt(lambda: chat.close(forget))

    def judge(self) -> Outcome:
        """How everything stands after a scene."""
        outcome = Outcome(self.switch.fired_in)
        for reply in self.replies:
            last = [e for e in reply._events if isinstance(e, (Finished, Failed))]
            outcome.failed += any(isinstance(e, Failed) for e in last)
            if len(last) != 1 or reply._events[-1] is not last[0]:
                self.problems.append(f"a reply has {len(last)} last events")
        outcome.problems = self.problems
        self.problems, self.replies = [], []
        return outcome

    def fresh(self) -> None:
        """A new engine, after one that cannot be used any more."""
        self.engine = Engine(self._budget, self._caches)
        self.model = self.engine.load(self.folder)


Scene = Callable[[Stage, Callable[[], None]], Outcome]


def talk(stage: Stage, arm: Callable[[], None]) -> Outcome:
    """Replies are prepared, queued, restored, read, decoded, stopped, forked and closed."""
    before, mailbox = stage.engine._thread, stage.engine._mailbox
    streaming = stage.open()
    neighbour = stage.send(streaming, "neighbour", some(800))
    stage.begins(neighbour)
    arm()
    chats = [streaming]
    kept = stage.open("kept", "Be brief.")
    stage.ends(stage.send(kept, WORDS, some(8)), "the kept chat")
    stage.close(kept)
    kept = stage.open("kept", "Be brief.")
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": WORDS},
        {"role": "user", "content": "and then?"},
    ]
    restored = stage.send(kept, asked, some(6))
    other = stage.open(on_overflow="slide")
    formed = stage.send(other, "yes or no?", SamplingParams(max_tokens=8, choices=["yes", "no"]))
    single = stage.attempt(lambda: stage.engine.ask(stage.model, "a title", some(5)))
    if single is not None:
        stage.replies.append(single)
    long = stage.open()
    running = stage.send(long, WORDS * 4, some(700, stop=("zzz",), repetition_penalty=1.1))
    stage.begins(running)
    twin = stage.attempt(long.fork) if long is not None else None
    forked = stage.send(twin, WORDS * 4 + "more", some(6))
    if running is not None:
        stage.attempt(running.pause)
    stage.future(stage.engine.stats_later, "figures")
    if running is not None:
        stage.attempt(running.resume)
    queued_chats = [stage.open() for _ in range(2)]
    queued = [stage.send(c, WORDS * 3 + "wait", some(300)) for c in queued_chats]
    if queued_chats[1] is not None:
        stage.attempt(lambda: queued_chats[1].prioritise(1))
    for reply, what in ((restored, "restored"), (formed, "formed"), (single, "single")):
        stage.ends(reply, what)
    stage.ends(forked, "forked")
    chats += [kept, other, twin, *queued_chats]
    if running is not None:
        stage.attempt(running.cancel)
    stage.close(long)
    stage.ends(running, "cancelled")
    for reply in queued:
        stage.begins(reply)
        if reply is not None:
            stage.attempt(reply.cancel)
        stage.ends(reply, "queued")
    stage.attempt(lambda: stage.engine.forget("kept"))
    stage.future(lambda: stage.engine.load_later(stage.folder), "loading again")
    stage.close(kept, forget=True)
    late = stage.send(other, "closed while it answers", some(400))
    stage.close(other)
    stage.ends(late, "closed")
    if neighbour is not None:
        stage.attempt(neighbour.cancel)
    stage.ends(neighbour, "the neighbour")
    stage.quiet()
    for chat in chats:
        stage.close(chat)
    _goes_on(stage)
    outcome = stage.judge()
    outcome.restarted = stage.engine._mailbox is not mailbox
    if before is not stage.engine._thread and before is not None and before.is_alive():
        outcome.problems.append("the old thread lives on")
    return outcome


def load(stage: Stage, arm: Callable[[], None]) -> Outcome:
    """A model is loaded beside a chat that streams, and unloaded."""
    mailbox = stage.engine._mailbox
    neighbour = stage.send(stage.open(), "neighbour", some(800))
    stage.begins(neighbour)
    stage.engine.unload(stage.model)
    arm()
    model = stage.future(lambda: stage.engine.load_later(stage.folder), "loading")
    stage.future(lambda: stage.engine.load_later("/no/such/folder"), "loading nothing")
    stage.quiet()
    stage.ends(neighbour, "the neighbour")
    del model
    _goes_on(stage)
    outcome = stage.judge()
    outcome.restarted = stage.engine._mailbox is not mailbox
    return outcome


def stop(stage: Stage, arm: Callable[[], None]) -> Outcome:
    """The engine is stopped while replies are in every state."""
    for _ in range(3):
        stage.begins(stage.send(stage.open(), WORDS, some(500)))
    stage.ends(stage.send(stage.open("named"), WORDS, some(5)), "named")
    stage.send(stage.open(), WORDS, some(700))
    running = stage.engine._thread
    assert running is not None
    arm()
    loading = stage.attempt(lambda: stage.engine.load_later(stage.folder))
    stage.attempt(lambda: stage.engine.stop(PATIENCE))
    running.join(PATIENCE)
    if running.is_alive():
        stage.quiet()
        stage.attempt(lambda: stage.engine.stop(PATIENCE))
        if running.is_alive():
            stage.problems.append("the thread has not ended")
    for reply in stage.replies:
        stage.ends(reply, "stopped")
    if loading is not None:
        stage.future(lambda: loading, "loading")
    stage.quiet()
    outcome = stage.judge()
    stage.fresh()
    return outcome


SCENES: dict[str, Scene] = {"talk": talk, "load": load, "stop": stop}


def _goes_on(stage: Stage) -> None:
    """The engine answers the next question, and nothing is left of those before."""
    try:
        stage.model = stage.engine.load_later(stage.folder).result(PATIENCE)
        chat = stage.engine.open_session(stage.model)
        if not chat.send("the next question", some(3)).tokens(PATIENCE):
            stage.problems.append("the next answer is empty")
        chat.close()
        figures = stage.engine.stats_later().result(PATIENCE)
        if figures["weights_bytes"] != stage.model.nbytes:
            stage.problems.append(f"weights: {figures['weights_bytes']}")
        for key, session in figures["sessions"].items():
            stage.problems.append(f"session {key} is left, {session['status']}")
            stage.engine._post(_close(key))
    except (EngineError, TimeoutError) as error:
        stage.problems.append(f"the next question: {type(error).__name__} {error}")
        stage.fresh()


def _close(session_id: str) -> Any:
    from engine.messages import CloseSession

    return CloseSession(session_id)


@dataclass(frozen=True)
class Fault:
    """A fault to be put in."""

    scene: str
    name: str
    call: int
    kind: type[BaseException]


def every_fault(called: dict[str, dict[str, int]], whole: bool) -> list[Fault]:
    """All faults; or one for each function, by turns an ordinary one and a panic."""
    made, seen = [], set[str]()
    for scene, counts in called.items():
        for name in sorted(set(counts) - seen):
            seen.add(name)
            if whole:
                calls = [n for n in (1, 3) if n <= counts[name]]
                made += [Fault(scene, name, n, k) for n in calls for k in (RuntimeError, Panic)]
            else:
                made.append(Fault(scene, name, 1, (RuntimeError, Panic)[len(seen) % 2]))
    return made


def run(switch: Switch, whole: bool, only: str = "", seconds: float = 1e9) -> int:
    """Put in all faults, print a table; the exit status."""
    began, bad, missed, restarts, ended = time.monotonic(), 0, 0, 0, 0
    threading.excepthook = lambda _: None  # a thread that ends by a fault tells it on its way
    with tempfile.TemporaryDirectory() as place:
        stage = Stage(
            switch, write_model(Path(place) / "model", FAMILIES["plain"]), Path(place, "kv")
        )
        called: dict[str, dict[str, int]] = {}
        for name, scene in SCENES.items():
            at = time.monotonic()
            called[name] = stage.trace(scene)
            switch.record(False)
            print(
                f"{name}: {len(called[name])} functions, {time.monotonic() - at:.2f} s", flush=True
            )
        faults = [f for f in every_fault(called, whole) if only in f.name]
        print(f"{len({f.name for f in faults})} functions, {len(faults)} faults")
        for number, fault in enumerate(faults):
            at = time.monotonic()
            if at - began > seconds:
                print(f"time is over: {len(faults) - number} faults were left out")
                break
            outcome = stage.play(SCENES[fault.scene], fault.name, fault.call, fault.kind)
            if outcome.problems:
                stage.engine.stop(PATIENCE)
                stage.fresh()
            missed += not outcome.fired_in
            restarts += outcome.restarted
            ended += bool(outcome.failed)
            bad += bool(outcome.problems)
            says = "; ".join(outcome.problems) or (
                "engine restarted"
                if outcome.restarted
                else f"{outcome.failed} replies failed"
                if outcome.fired_in
                else "not reached"
            )
            print(
                f"{fault.scene:5} {fault.name} #{fault.call} {fault.kind.__name__} "
                f"[{outcome.fired_in}] {time.monotonic() - at:.2f} s: {says}",
                flush=True,
            )
        stage.engine.stop(PATIENCE)
    took = time.monotonic() - began
    print(
        f"{len(faults)} faults in {took:.0f} s: {bad} with problems, {ended} ended replies, "
        f"{restarts} ended the engine thread, {missed} not reached"
    )
    alive = [t.name for t in threading.enumerate() if t.name == "stretto-engine"]
    return 1 if bad or alive or missed > len(faults) // 10 else 0
