"""Low system memory: caches are freed first, then unused models, with a notice."""

from __future__ import annotations

import pytest

from app.chats.turn import Event
from engine.runtime.pressure import PAUSE, Pressure
from tests.app.conftest import Run, Start

SMALL, LARGE = "/models/Small-3B", "/models/Large-70B"
SAID = (
    "Small-3B was unloaded because the system is low on memory. It loads again when you send a "
    "message."
)


class Memory:
    """Fake system with controllable memory pressure."""

    def __init__(self, run: Run) -> None:
        self.run, self.now = run, 1_000.0
        self.watch = run.app.models.pressure
        self.watch.clock = lambda: self.now
        self.watch.level = lambda: Pressure.NONE

    def is_short(self, level: Pressure = Pressure.HIGH) -> None:
        """Report pressure that earlier measures didn't relieve."""
        self.now += PAUSE
        self.watch.level = lambda: level
        self.watch.look()


@pytest.fixture
def memory(start: Start) -> Memory:
    """Load two models next to the Guide, the small model used before the large model."""
    run = start().ready()
    memory = Memory(run)
    for ref in (SMALL, LARGE):
        run.window.chats.use_model(ref)
        run.ready()
        run.ask("say one")
        run.window.chats.new()
    return memory


def test_pressure_frees_caches_before_models(memory: Memory):
    run = memory.run
    memory.is_short(Pressure.SOME)
    memory.is_short(Pressure.SOME)
    assert (run.engine.relieved, run.engine.unloaded) == (2, [])
    memory.is_short()
    assert run.engine.unloaded == ["Small-3B"]
    assert run.window.toast.text == SAID
    memory.is_short()
    assert run.engine.unloaded == ["Small-3B", "Large-70B"]
    memory.is_short()  # the Guide stays loaded
    assert run.engine.unloaded == ["Small-3B", "Large-70B"]


def test_pressure_spares_busy_and_pinned_models(memory: Memory):
    run = memory.run
    run.window.chats.use_model(LARGE)
    pane = run.say("hold 3")
    run.until(lambda: run.answer(pane))
    run.app.settings.set(pinned=(SMALL,))
    for _ in range(4):
        memory.is_short()
    assert run.engine.unloaded == []
    pane.chat.turn.handle(Event.STOP)
    run.answered(pane)
    memory.is_short()
    assert run.engine.unloaded == ["Large-70B"]


def test_pressure_without_engine_is_ignored(memory: Memory):
    memory.run.app.library.loader.detach()
    memory.is_short()
    assert memory.run.engine.relieved == 0
