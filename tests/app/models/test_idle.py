"""Idle models, which are unloaded and loaded again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chats.turn import Event
from app.models.loading import LoadState
from app.models.models import Models
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from tests.app.desk import Desk

SMALL, LARGE = "/models/Small-3B", "/models/Large-70B"


class Clock(Desk):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "chats.db")
        self.settings, self.now = Settings(), 1_000_000.0
        paths = Paths.for_profile(folder)
        self.idle = Models(self.library, self.settings, paths, self.root).idle
        self.idle.clock = lambda: self.now
        self.loaded(GUIDE)
        self.chat = self.loaded(SMALL)
        self.talk(self.chat, "say one")
        self.pass_by(0)

    def pass_by(self, minutes: float) -> None:
        self.now += 60 * minutes
        self.idle.check()
        self.until(lambda: not self.idle._asking.running)


@pytest.fixture
def clock(qapp: object, tmp_path: Path) -> Iterator[Clock]:
    made = Clock(tmp_path)
    yield made
    made.close()


def test_idle_model_unloads_and_loads_on_send(clock: Clock) -> None:
    clock.pass_by(29)
    assert clock.engine.unloaded == []
    clock.pass_by(1)
    assert clock.engine.unloaded == ["Small-3B"]
    assert clock.loader.get(SMALL).state is LoadState.UNLOADED
    clock.talk(clock.chat, "say two")
    assert clock.chat.transcript.path[-1].content == "two "
    clock.pass_by(29)
    assert clock.engine.unloaded == ["Small-3B"]


def test_long_or_paused_reply_is_not_idle(clock: Clock) -> None:
    chat = clock.chat
    chat.turn.send("hold 3")
    clock.until(lambda: chat.reply.message(chat.reply.message_id).content)
    clock.pass_by(300)
    chat.turn.handle(Event.PAUSE)
    clock.pass_by(300)
    assert clock.engine.unloaded == []
    chat.turn.handle(Event.STOP)
    clock.until(lambda: not chat.reply.is_active)
    clock.pass_by(29)
    assert clock.engine.unloaded == []
    clock.pass_by(31)
    assert clock.engine.unloaded == ["Small-3B"]


def test_another_programs_questions_are_use(clock: Clock) -> None:
    model = clock.loader.get(SMALL).model
    assert model is not None
    for _ in range(3):
        clock.pass_by(20)
        heard: list[object] = []
        session = clock.engine.open_session(model)
        session.send([{"role": "user", "content": "say hello"}], None, heard.append)
        clock.until(lambda heard=heard: len(heard) > 4)
    clock.pass_by(20)
    assert clock.engine.unloaded == []
    clock.pass_by(30)
    assert clock.engine.unloaded == ["Small-3B"]


def test_pinned_models_and_the_guide_stay(clock: Clock) -> None:
    clock.loaded(LARGE)
    clock.settings.set(pinned=(SMALL,))
    clock.pass_by(0)
    clock.pass_by(60)
    assert clock.engine.unloaded == ["Large-70B"]
    assert clock.loader.get(GUIDE).state is LoadState.READY


def test_idle_time_applies_immediately_or_never(clock: Clock) -> None:
    assert clock.settings.unload_idle_min == 30
    clock.settings.set(unload_idle_min=0)
    clock.pass_by(600)
    assert clock.engine.unloaded == []
    clock.settings.set(unload_idle_min=10)
    clock.pass_by(10)
    assert clock.engine.unloaded == ["Small-3B"]


def test_clock_set_back_unloads_nothing(clock: Clock) -> None:
    clock.pass_by(-100_000)
    clock.pass_by(29)
    assert clock.engine.unloaded == []
    clock.pass_by(1)
    assert clock.engine.unloaded == ["Small-3B"]
