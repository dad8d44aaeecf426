from __future__ import annotations

import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.chats.exporting import Export, ExportError, ExportFormat
from app.ui.dialogs.exchange_dialogs import ExportDialog, ImportDialog
from app.ui.window import exchange_commands
from tests.app.chats import exports
from tests.app.conftest import Run, Start


def dialog(run: Run, kind: type[QWidget]):
    run.until(lambda: [w for w in run.window.findChildren(kind) if w.isVisible()])
    return next(w for w in run.window.findChildren(kind) if w.isVisible())


def talk(start: Start) -> Run:
    run = start().ready()
    run.ask("say one")
    return run


def test_export_from_menu_shows_file_in_notice(start: Start, tmp_path: Path):
    run = talk(start)
    run.window.commands["export"].trigger()
    asked = dialog(run, ExportDialog)
    assert asked.kind is ExportFormat.MARKDOWN  # default for a single chat
    asked.form.setCurrentIndex(0)
    assert asked.thoughts.isChecked()
    assert not asked.thoughts.isEnabled(), "JSON always has it"
    asked.form.setCurrentIndex(1)
    assert not asked.thoughts.isChecked()
    asked.thoughts.click()
    for form in (0, 1):  # the choice is remembered
        asked.form.setCurrentIndex(form)
        assert asked.thoughts.isChecked()
    asked.begin(Export([run.pane.chat.id], ExportFormat.TEXT, tmp_path / "no" / "there.txt"))
    run.until(lambda: "there.txt" in asked.words.text())  # the error names the file
    assert asked.ok.isEnabled()
    target = tmp_path / "one.json"
    asked.begin(Export([run.pane.chat.id], ExportFormat.JSON, target))
    run.until(lambda: "one.json" in run.window.toast.text)
    assert json.loads(target.read_text())["chats"][0]["title"] == "say one"
    run.until(lambda: not run.window.findChildren(ExportDialog))


def test_export_shows_progress_until_it_ends(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run, may_end = talk(start), threading.Event()

    def fail_later(export: Export, *_: object) -> None:
        export.progress.done, export.progress.total = 1, 4
        assert may_end.wait(10)
        raise ExportError("The disk is full.")

    monkeypatch.setattr(Export, "run", fail_later)
    run.window.commands["export"].trigger()
    asked = dialog(run, ExportDialog)
    asked.begin(Export([run.pane.chat.id], ExportFormat.JSON, tmp_path / "one.json"))
    run.until(lambda: asked.words.text() == "1 of 4 chats")
    assert (asked.bar.value(), asked.bar.maximum(), asked.cancel.text()) == (1, 4, "Stop")
    may_end.set()
    run.until(lambda: asked.words.text() == "The disk is full.")
    assert not asked._poll_timer.isActive()
    asked.reject()


class Viewer(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        QDesktopServices.setUrlHandler("file", self, "open_file")

    @Slot(QUrl)
    def open_file(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


def test_printing_opens_the_chat_as_pdf(start: Start, monkeypatch: pytest.MonkeyPatch):
    run = talk(start)
    viewer = Viewer()
    try:
        run.window.commands["print"].trigger()
        run.until(lambda: viewer.opened)
        (file,) = map(Path, viewer.opened)
        assert file.read_bytes().startswith(b"%PDF")
        assert file.parent.stat().st_mode & 0o077 == 0
        file.unlink()
        file.parent.rmdir()
    finally:
        QDesktopServices.unsetUrlHandler("file")
        viewer.deleteLater()
    unopened = SimpleNamespace(openUrl=lambda _url: False)
    monkeypatch.setattr(exchange_commands, "QDesktopServices", unopened)
    run.window.commands["print"].trigger()
    run.until(lambda: run.window.toast.text.startswith("No app here opens PDFs."))
    run.window.chats.new()
    assert run.window.commands.why_not("print")


def test_an_import_is_one_step_to_undo(start: Start, tmp_path: Path):
    run = talk(start)
    mine = [chat.id for chat in run.app.store.chats()]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([*exports.claude(), 7]))
    run.window.commands["import"].trigger()
    asked = dialog(run, ImportDialog)
    asked.begin([file])
    run.until(lambda: asked.details.isVisible())
    assert run.window.sidebar.model.rowCount() > 3
    boat = next(chat for chat in run.app.library.chats() if chat.title == "A boat")
    asked.close()
    run.window.chats.open(boat.id)
    run.until(lambda: run.pane.chat.id == boat.id)
    assert len(run.pane.chat.transcript.path) == 2
    run.window.commands["undo_close"].trigger()
    run.until(lambda: [chat.id for chat in run.app.store.chats(include_deleted=True)] == mine)
    assert [pane.chat.id for pane in run.panes] == mine
    assert [chat.id for chat in run.app.library.chats()] == mine
