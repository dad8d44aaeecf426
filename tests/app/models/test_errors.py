"""Errors about models that can't be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from app.models.engine_errors import describe_problem, explain
from app.models.loading import LoadState, ModelStatus, _code_and_message
from app.settings import language
from app.ui.pane.notice import Notice
from app.ui.style import theme
from engine.errors import FOLDER_GONE, MODEL_LOAD_FAILED, EngineError
from engine.hub.inventory import facts_of

WORDS = {
    "The folder no longer exists": "Ordner weg",
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
