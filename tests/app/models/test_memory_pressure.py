"""Low system memory, which frees caches and then unused models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chats.turn import Event
from app.models.models import Models
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from engine.runtime.pressure import PAUSE, Pressure
from tests.app.desk import Desk

SMALL, LARGE = "/models/Small-3B", "/models/Large-70B"


class Memory(Desk):
    """Library on a fake system. The Guide and two models are loaded, the small one used first."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "chats.db")
        self.settings, self.now = Settings(), 1_000.0
        paths = Paths.for_profile(folder)
        self.watch = Models(self.library, self.settings, paths, self.root).pressure
        self.watch.clock = lambda: self.now
        self.watch.level = lambda: Pressure.NONE
        self.notices: list[str] = []
        self.watch.notice_posted.connect(self.notices.append)
        self.loaded(GUIDE)
        for model in (SMALL, LARGE):
            self.chat = self.loaded(model)
            self.talk(self.chat, "say one")

    def is_short(self, level: Pressure = Pressure.HIGH) -> None:
        """Report pressure that earlier measures didn't relieve."""
        self.now += PAUSE
        self.watch.level = lambda: level
        self.watch.check()


@pytest.fixture
def memory(qapp: object, tmp_path: Path) -> Iterator[Memory]:
    made = Memory(tmp_path)
    yield made
    made.close()


def test_pressure_frees_caches_before_models(memory: Memory) -> None:
    memory.is_short(Pressure.SOME)
    memory.is_short(Pressure.SOME)
    assert (memory.engine.relieved, memory.engine.unloaded) == (2, [])
    memory.is_short()
    assert memory.engine.unloaded == ["Small-3B"]
    assert ["Small-3B" in notice for notice in memory.notices] == [True]
    memory.is_short()
    assert memory.engine.unloaded == ["Small-3B", "Large-70B"]
    memory.is_short()  # the Guide stays loaded
    assert memory.engine.unloaded == ["Small-3B", "Large-70B"]


def test_pressure_spares_busy_and_pinned_models(memory: Memory) -> None:
    chat = memory.chat
    chat.turn.send("hold 3")
    memory.until(lambda: chat.reply.message(chat.reply.message_id).content)
    memory.settings.set(pinned=(SMALL,))
    for _ in range(4):
        memory.is_short()
    assert memory.engine.unloaded == []
    chat.turn.handle(Event.STOP)
    memory.until(lambda: not chat.reply.is_active)
    memory.is_short()
    assert memory.engine.unloaded == ["Large-70B"]


def test_pressure_without_engine_is_ignored(memory: Memory) -> None:
    memory.loader.detach()
    memory.is_short()
    assert memory.engine.relieved == 0
