"""Errors about models that can't be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from PySide6.QtWidgets import QWidget

from app.models.downloads import to_engine_error
from app.models.engine_errors import describe_problem, explain
from app.models.loading import LoadState, ModelStatus, _code_and_message
from app.settings import language
from app.ui.pane.notice import Notice
from app.ui.style import theme
from engine.errors import FOLDER_GONE, MODEL_LOAD_FAILED, NO_SPACE, EngineError
from engine.hub import net
from engine.hub.inventory import facts_of

WORDS = {
    "The folder no longer exists": "Ordner weg",
    "Can’t be loaded": "Geht nicht",
    "The model couldn’t be loaded.": "Nicht geladen.",
    "{name} couldn’t be loaded. {error}": "{name} nicht geladen. {error}",
}


@pytest.fixture
def translated(qapp) -> Iterator[None]:
    theme.install(qapp, "light")
    language.install(lambda text, comment, n: WORDS.get(text, ""))
    yield
    language.install(None)


def test_missing_folder_error_is_translated(translated, tmp_path: Path):
    assert describe_problem(facts_of(tmp_path / "gone")) == "Ordner weg"
    gone = EngineError(MODEL_LOAD_FAILED, "Folder /x does not exist.", FOLDER_GONE)
    assert _code_and_message(gone) == (MODEL_LOAD_FAILED, "Ordner weg (Folder /x does not exist.)")


def test_failure_is_reported_once(translated, qtbot):
    pane = QWidget()
    qtbot.addWidget(pane)
    card = Notice(pane)
    status = ModelStatus("/x/small", state=LoadState.FAILED, code=MODEL_LOAD_FAILED)
    status.error = explain(MODEL_LOAD_FAILED, "small could not be loaded: no weights")
    card.show_failure(status, "small")
    assert card.text == "Nicht geladen. (small could not be loaded: no weights)"
    status.error = explain(FOLDER_GONE, "Folder /x does not exist.")
    card.show_failure(status, "small")
    assert card.text == "small nicht geladen. Ordner weg (Folder /x does not exist.)"


@pytest.mark.parametrize("error", [httpx2.ConnectError("no route"), httpx2.ReadTimeout("late")])
def test_hub_errors_are_translated_as_a_whole(error: Exception):
    message = net.to_engine_error(error, "owner/model").message
    language.install(lambda text, comment, n: f"[{text}]")
    try:
        assert to_engine_error(net.to_engine_error(error, "m")).message == f"[{message}]"
    finally:
        language.install(None)


def test_hub_errors_with_figures_follow_a_translation():
    language.install(lambda text, comment, n: f"[{text}]")
    try:
        error = to_engine_error(EngineError(NO_SPACE, "m needs 2 GB more."))
    finally:
        language.install(None)
    assert error.message == "[Not enough disk space.] (m needs 2 GB more.)"


def test_damaged_folder_error_is_translated(translated, tmp_path: Path):
    assert describe_problem(facts_of(tmp_path)) == "Geht nicht (It has no config.json.)"
