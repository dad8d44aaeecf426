from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app import flows
from app.ui.widgets import standard_dialogs


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def opened(qtbot: QtBot, parent: QWidget, question: Coroutine[Any, Any, Any]) -> tuple[Any, Any]:
    task = flows.start(parent, question)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QDialog))
    return task, QApplication.activeModalWidget()


def type_in(dialog: QFileDialog, name: str) -> None:
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(field, QLineEdit)
    field.setText(name)
    dialog.accept()


@pytest.mark.parametrize(
    ("typed", "chosen", "written"),
    [
        ("table", "CSV (*.csv)", "table.csv"),
        ("table", "Markdown (*.md)", "table.md"),
        ("table.md", "CSV (*.csv)", "table.md"),
        ("table of 2026.11", "CSV (*.csv)", "table of 2026.11.csv"),
    ],
)
def test_chosen_file_gets_its_extension(
    qtbot: QtBot, parent: QWidget, tmp_path: Path, typed: str, chosen: str, written: str
) -> None:
    kinds = "CSV (*.csv);;Markdown (*.md)"
    task, dialog = opened(
        qtbot, parent, standard_dialogs.ask_save_path(parent, "Export", tmp_path / "x.csv", kinds)
    )
    assert isinstance(dialog, QFileDialog)
    dialog.selectNameFilter(chosen)
    dialog.filterSelected.emit(chosen)  # like a manual choice
    type_in(dialog, typed)
    qtbot.waitUntil(task.done)
    assert task.result() == tmp_path / written


def test_chosen_files_and_folders_are_returned(
    qtbot: QtBot, parent: QWidget, tmp_path: Path
) -> None:
    for name in "ab":
        (tmp_path / name).touch()
    task, dialog = opened(
        qtbot, parent, standard_dialogs.ask_for_folder(parent, "Folder", str(tmp_path))
    )
    dialog.accept()
    qtbot.waitUntil(task.done)
    assert task.result() == tmp_path
    for question, wanted in (
        (standard_dialogs.ask_for_file(parent, "File", "All (*)"), tmp_path / "a"),
        (
            standard_dialogs.ask_for_files(parent, "Files", str(tmp_path), "All (*)"),
            [tmp_path / "a"],
        ),
    ):
        task, dialog = opened(qtbot, parent, question)
        type_in(dialog, str(tmp_path / "a"))
        qtbot.waitUntil(task.done)
        assert task.result() == wanted


def test_canceled_question_returns_nothing(qtbot: QtBot, parent: QWidget, tmp_path: Path) -> None:
    for question, nothing in (
        (standard_dialogs.ask_for_folder(parent, "Folder"), None),
        (standard_dialogs.ask_for_file(parent, "File", "All (*)"), None),
        (standard_dialogs.ask_for_files(parent, "Files", "", "All (*)"), []),
        (standard_dialogs.ask_save_path(parent, "Export", tmp_path / "x.csv", "CSV (*.csv)"), None),
    ):
        task, dialog = opened(qtbot, parent, question)
        dialog.reject()
        qtbot.waitUntil(task.done)
        assert task.result() == nothing
