"""The about window, and the licences behind it."""

from concurrent.futures import Future
from dataclasses import asdict
from typing import Any

import pytest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton

from app.ui.dialogs.licences_window import LicencesWindow
from app.ui.dialogs.measured_ways import MeasuredWays, lines_of
from engine import EngineError
from engine.model.choices import Choices
from tests.app.conftest import Start


def test_about_says_what_the_program_is_made_of(start: Start):
    run = start()
    run.window.commands["about"].trigger()
    about = next(d for d in run.window.findChildren(QDialog) if d.objectName() == "about")
    words = " ".join(label.text() for label in about.findChildren(QLabel))
    assert "Version" in words
    assert "Qt 6" in words
    button = next(b for b in about.findChildren(QPushButton) if b.text() == "Licences…")
    button.click()
    window = about.findChild(LicencesWindow)
    names = [window.list.item(row).text().split()[0] for row in range(window.list.count())]
    assert "Python" in names
    assert names == sorted(names, key=str.lower)
    window.list.setCurrentRow(names.index("PySide6_Essentials"))
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in window.text.toPlainText()
    window.close()
    about.close()


CHOICES = Choices(
    below={2: 0, 4: 4096, 8: None},
    shared_from={4: 1024, 8: 512},
    mixed_most={1: 0, 4: 64, 8: 2048},
    chunk_most=512,
    kernels={4: True, 8: False},
)


def test_what_was_measured_is_told_by_the_number_of_chats():
    assert lines_of(asdict(CHOICES)) == [
        "1 chat: prompts read between answers’ tokens",
        "2 chats: no slots",
        "4 chats: slots below 4,096 tokens, beginnings shared from 1,024 tokens, "
        "small pieces of prompts read along with answers’ tokens, own attention kernels",
        "8 chats: slots at any length, beginnings shared from 512 tokens, "
        "prompts read along with answers’ tokens, no attention kernels",
        "Prompts are read at most 512 tokens at a time",
    ]


def test_about_opens_though_the_engine_has_stopped(start: Start, monkeypatch: pytest.MonkeyPatch):
    run = start()
    run.ready()
    assert run.engine is not None

    def stopped() -> Future[dict[str, Any]]:
        raise EngineError("engine_stopped", "The engine has stopped.")

    monkeypatch.setattr(run.engine, "stats_later", stopped)
    run.window.commands["about"].trigger()
    (shown,) = run.window.findChildren(MeasuredWays)
    assert shown.text.text().startswith("Nothing yet.")
    shown.window().close()
    run.window.commands["models"].trigger()
    assert run.window.models.window is not None
    run.window.models.window.close()


def test_about_shows_what_was_measured_and_before_that_what_will_be(
    start: Start, monkeypatch: pytest.MonkeyPatch
):
    run = start()
    run.ready()
    run.window.commands["about"].trigger()
    (shown,) = run.window.findChildren(MeasuredWays)
    assert shown.text.text().startswith("Nothing yet. After a model was loaded")
    shown.window().close()
    run.until(lambda: not run.window.findChildren(MeasuredWays))
    model = run.app.loader.get("guide").model
    assert model is not None
    assert run.engine is not None
    told: Future[dict[str, Any]] = Future()
    ways = {model.id: asdict(CHOICES), "one that has gone": asdict(CHOICES)}
    monkeypatch.setattr(run.engine, "stats_later", lambda: told)
    run.window.commands["about"].trigger()
    (shown,) = run.window.findChildren(MeasuredWays)
    told.set_result({"models": [model], "ways": ways})
    run.until(lambda: shown.text.text().startswith("Guide\n1 chat: prompts"))
    assert len(shown.text.text().splitlines()) == 6
    monkeypatch.undo()
    shown.window().close()
