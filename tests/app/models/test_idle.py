"""Unused models are unloaded after a while and reloaded when a chat sends."""

from __future__ import annotations

import pytest

from app.chats.turn import Event
from app.models.loading import LoadState
from app.models.residency import IdleUnloading
from app.settings.settings import Settings
from tests.app.conftest import Run, Start

SMALL, LARGE = "/models/Small-3B", "/models/Large-70B"


class Clock:
    """Fake clock."""

    def __init__(self, run: Run) -> None:
        self.run, self.now = run, 1_000_000.0
        self.idle.clock = lambda: self.now

    @property
    def idle(self) -> IdleUnloading:
        return self.run.app.models.idle

    def pass_by(self, minutes: float) -> None:
        """Advance the clock, check for idle models, and wait for the results."""
        self.now += 60 * minutes
        self.idle.look()
        self.run.until(lambda: not self.idle._asking.running)


@pytest.fixture
def clock(start: Start) -> Clock:
    """Start with a small model next to the Guide, which has answered."""
    run = start().ready()
    clock = Clock(run)
    run.window.chats.use_model(SMALL)
    run.ready()
    run.ask("say one")
    clock.pass_by(0)
    return clock


def test_idle_model_unloads_and_loads_on_send(clock: Clock):
    run = clock.run
    clock.pass_by(29)
    assert run.engine.unloaded == []
    clock.pass_by(1)
    assert run.engine.unloaded == ["Small-3B"]
    assert run.pane.header.state == "Unloaded, loads when you send"
    run.engine.loading.clear()
    run.say("say two")
    run.until(lambda: run.pane.header.state == "Loading…")
    run.engine.loading.set()
    assert run.answered() == "two "
    clock.pass_by(29)
    assert run.engine.unloaded == ["Small-3B"]


def test_long_or_paused_reply_is_not_idle(clock: Clock):
    run = clock.run
    pane = run.say("hold 3")
    run.until(lambda: run.answer(pane))
    clock.pass_by(300)
    pane.chat.turn.handle(Event.PAUSE)
    clock.pass_by(300)
    assert run.engine.unloaded == []
    pane.chat.turn.handle(Event.STOP)
    run.answered(pane)
    clock.pass_by(29)
    assert run.engine.unloaded == []
    clock.pass_by(31)
    assert run.engine.unloaded == ["Small-3B"]


def test_another_programs_questions_are_use(clock: Clock):
    run = clock.run
    model = run.app.loader.get(SMALL).model
    for _ in range(3):
        clock.pass_by(20)
        session = run.engine.open_session(model)
        heard = []
        session.send([{"role": "user", "content": "say hello"}], None, heard.append)
        run.until(lambda heard=heard: len(heard) > 4)
    clock.pass_by(20)
    assert run.engine.unloaded == []
    clock.pass_by(30)
    assert run.engine.unloaded == ["Small-3B"]


def test_pinned_models_and_the_guide_stay(clock: Clock):
    run = clock.run
    run.window.chats.use_model(LARGE)
    run.ready()
    run.app.settings.set(pinned=(SMALL,))
    clock.pass_by(0)
    clock.pass_by(60)
    assert run.engine.unloaded == ["Large-70B"]
    assert run.app.loader.get("guide").state is LoadState.READY


def test_idle_time_applies_immediately_or_never(clock: Clock):
    run = clock.run
    run.window.settings_commands.show_settings()
    field = run.settings.pages.fields["unload_idle_min"]
    assert field.text() == "30 min"
    field.setValue(0)
    assert field.text() == "Never"
    clock.pass_by(600)
    assert run.engine.unloaded == []
    field.setValue(10)
    assert Settings.load(run.app.paths.settings).unload_idle_min == 10
    clock.pass_by(10)
    assert run.engine.unloaded == ["Small-3B"]


def test_clock_set_back_unloads_nothing(clock: Clock):
    run = clock.run
    clock.pass_by(-100_000)
    clock.pass_by(29)
    assert run.engine.unloaded == []
    clock.pass_by(1)
    assert run.engine.unloaded == ["Small-3B"]
