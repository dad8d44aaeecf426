"""Downloading a first model from a hub on the loopback, and chatting with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.models.suggestions import machine_memory, suggestions_for
from app.settings.paths import Paths
from app.settings.settings import Settings
from tests.desktop.conftest import ROOT, Desk
from tests.hub import Hub, connected

FOUND = "mlx-community/Pocket-4bit"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    with connected(monkeypatch, tmp_path / "home") as running:
        _, suggested = suggestions_for(machine_memory())
        for name in (*(model.repo for model in suggested), FOUND):
            running.add(name, ROOT / "resources" / "guide")
        yield running


def test_first_model_is_downloaded_and_answers(served: Hub, display: str, tmp_path: Path) -> None:
    desk = Desk(display, tmp_path / "profile")
    try:
        desk.start()
        first_model_found(desk, served)
    finally:
        desk.kill()


def first_model_found(desk: Desk, served: Hub) -> None:
    def models() -> tuple[str, ...]:
        return Settings.load(Paths.for_profile(desk.profile).settings).models

    suggested = suggestions_for(machine_memory())[1][0].repo
    desk.keys("ctrl+k")  # the palette
    desk.type("get model")
    desk.keys("Return")
    desk.until(lambda: desk.dialog("Get Model"))
    assert served.asked == []
    desk.keys("Down", "Return")  # the first result
    desk.until(lambda: models() == (suggested,))
    desk.keys("Up")  # back into the field
    desk.type("pocket")
    desk.keys("Return")
    asked = lambda: [one.path for one in served.asked if FOUND in one.path]  # noqa: E731
    desk.until(lambda: f"/api/models/{FOUND}/revision/main" in asked())
    desk.keys("Down")
    desk.until(lambda: any(path.endswith("README.md") for path in asked()))
    desk.keys("Return")
    desk.until(lambda: FOUND in models())
    desk.keys("Down", "Return")  # downloaded by now, so the button opens it
    desk.until(lambda: not desk.dialog("Get Model"))
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    ((model,),) = desk.ask("SELECT model FROM chats WHERE deleted_at IS NULL")
    assert model == FOUND
