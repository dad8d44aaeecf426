"""Opening a model folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.ui.widgets import standard_dialogs
from tests.app.conftest import Run


def test_opened_folder_is_named_on_the_pane(run: Run):
    run.window.chats.use_model("/models/Small-3B")
    run.until(lambda: run.pane.header.state == "Ready")
    assert run.pane.header.model_button.text() == "Small-3B"
    assert run.app.settings.models == ("/models/Small-3B",)
    # A chat with messages keeps its model.
    begun = run.say("say one")
    run.answered()
    run.window.chats.use_model("guide")
    assert begun.chat.record.model == "/models/Small-3B"
    assert run.pane is not begun
    assert run.pane.chat.record.model == "guide"


def test_folder_without_model_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    empty, broken, good = (tmp_path / name for name in ("empty", "broken", "good"))
    for folder in (empty, broken, good):
        folder.mkdir()
    for folder, config in ((broken, "{no"), (good, '{"model_type": "llama"}')):
        (folder / "config.json").write_text(config)
        (folder / "model.safetensors").write_bytes(b"")
    chosen: list[Path | None] = [empty, broken, good]

    async def choose(*_: object) -> Path | None:
        return chosen.pop(0)

    monkeypatch.setattr(standard_dialogs, "ask_for_folder", choose)
    run.window.commands["open_model"].trigger()
    said: list[str] = []

    def boxes() -> list[QMessageBox]:
        return [b for b in run.window.findChildren(QMessageBox) if b.text() not in said]

    for _ in range(2):
        run.until(boxes)
        (box,) = boxes()
        said.append(box.text())
        assert run.pane.chat.record.model == "guide"
        box.defaultButton().click()
    run.until(lambda: run.pane.chat.record.model == str(good))
    assert [text.partition(" ")[0] for text in said] == ["empty", "broken"]


def test_a_failed_model_can_be_retried_and_replaced(run: Run, qtbot: QtBot):
    run.window.chats.use_model("/models/broken")
    run.until(lambda: run.pane.notice.isVisible())
    run.engine.loading.clear()
    qtbot.mouseClick(run.pane.notice.retry, Qt.MouseButton.LeftButton)
    assert run.pane.header.state == "Loading…"
    assert not run.pane.notice.isVisible()
    run.engine.loading.set()
    run.until(lambda: run.pane.notice.isVisible())
    assert run.pane.header.state == "Not loaded"
    qtbot.mouseClick(run.pane.notice.choose, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    next(action for action in menu.actions() if action.text().startswith("Guide")).trigger()
    menu.close()
    run.until(lambda: not run.pane.notice.isVisible())
    assert run.pane.chat.record.model == "guide"
