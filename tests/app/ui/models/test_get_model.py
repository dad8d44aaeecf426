"""Downloads in the window, with a hub on the loopback."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.models.downloads import DownloadState
from app.settings.settings import Settings
from app.system.app_nap import NapPrevention
from app.ui.models.get_model import GetModelDialog
from engine import hub
from engine.hub.models import is_known_architecture
from tests.hub import connected

NAME = "somebody/tiny-model"
LEFT = Qt.MouseButton.LeftButton
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
FILES = {
    "config.json": b'{"model_type": "llama", "quantization": {"bits": 4, "group_size": 64}}',
    "tokenizer.json": b"{}",
    "model.safetensors": bytes(range(256)) * 2000,
}


@pytest.fixture
def served(monkeypatch, tmp_path):
    is_known_architecture(
        {"model_type": "llama"}
    )  # imports mlx-lm, which takes seconds the first time
    monkeypatch.setattr(GetModelDialog, "TYPING_MS", 1)
    with connected(monkeypatch, tmp_path / "home") as running:
        running.add(NAME, FILES)
        yield running


@pytest.fixture
def opened(served, start):
    run = start().ready()
    return run, open_dialog(run)


def open_dialog(run):
    run.qtbot.keyClick(run.window, Qt.Key.Key_O, CTRL_SHIFT)
    dialog = run.window.downloads_in_window.dialog
    run.until(dialog.isVisible)
    run.until(dialog.finding.memory_budget)  # the engine reports the memory later
    return dialog


def look(run, dialog, name=NAME):
    dialog.field.setText(name)
    run.until(lambda: dialog.ok.isEnabled() or dialog.found.fits.property("danger"))


def get(run, dialog, name=NAME):
    look(run, dialog, name)
    dialog.ok.click()
    return run.window.downloads.get(name)


def test_hub_is_contacted_only_for_complete_names(opened, served):
    run, dialog = opened
    run.qtbot.keyClicks(dialog.field, "tiny-model and not a name")
    assert not dialog.ok.isEnabled()
    assert not dialog.looking.is_waiting
    dialog.field.setText("https://elsewhere.test/some/page")
    assert not dialog.looking.is_waiting
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    dialog._look_up_selected()
    assert run.window.downloads._written == {}
    assert served.asked == []

    # Enter does not wait until the typing pauses.
    dialog.TYPING_MS = 600_000
    dialog.field.clear()
    run.qtbot.keyClicks(dialog.field, NAME)
    assert served.asked == []
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    run.until(lambda: dialog.ok.isEnabled())
    assert dialog.found.name.text() == "tiny-model"


def test_model_is_downloaded_and_used_by_keyboard(opened, served, profile):
    run, dialog = opened
    run.until(dialog.field.hasFocus)
    run.qtbot.keyClicks(dialog.field, NAME)
    run.until(dialog.ok.isEnabled)
    assert dialog.found.name.text() == "tiny-model"
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    row = dialog.list.rows[NAME]
    run.until(lambda: "Ready" in row.words.text())
    assert run.app.settings.models == (NAME,)
    assert Settings.load(profile / "settings.json").models == (NAME,)
    for _ in range(4):
        if row.act.hasFocus():
            break
        run.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert row.act.hasFocus()
    run.qtbot.keyClick(row.act, Qt.Key.Key_Space)
    assert run.pane.chat.record.model == NAME
    run.ready()
    assert run.window.downloads_in_window.dialog is None


def test_download_continues_after_dialog_closes(opened, served):
    run, dialog = opened
    served.hold_at = 100_000
    get(run, dialog)
    run.until(served.held.is_set)
    dialog.close()
    served.go.set()
    toast = run.window.downloads_in_window.toast
    run.until(toast.isVisible)
    run.qtbot.mouseClick(toast.button, LEFT)
    assert run.pane.chat.record.model == NAME


def test_pause_and_go_on(opened, served):
    run, dialog = opened
    awake = []

    def begin():
        awake.append(True)
        return awake.clear

    window = run.window
    holding = NapPrevention(window._library, window.downloads, window, begin)
    served.hold_at = 100_000
    download = get(run, dialog)
    run.until(lambda: download.done > 50_000)
    row = dialog.list.rows[NAME]
    assert " of 0.5 MB" in row.words.text()
    assert awake
    run.qtbot.mouseClick(row.act, LEFT)
    assert download.state is DownloadState.PAUSED
    assert "Paused" in row.words.text()
    assert row.act.toolTip() == "Resume"
    assert not awake
    holding.deleteLater()
    served.go.set()
    run.qtbot.mouseClick(row.act, LEFT)
    run.until(lambda: download.state is DownloadState.DONE)
    assert served.of_weights()[-1].range.startswith("bytes=")


def test_canceled_download_leaves_nothing_and_next_starts(opened, served, tmp_path):
    run, dialog = opened
    served.add("somebody/other", {**FILES, "tokenizer.json": b"[]"})
    served.hold_at = 100_000
    get(run, dialog)
    run.until(served.held.is_set)
    second = get(run, dialog, "somebody/other")
    assert second.state is DownloadState.WAITING
    run.qtbot.mouseClick(dialog.list.rows[NAME].cancel, LEFT)
    assert NAME not in dialog.list.rows
    served.go.set()
    run.until(lambda: second.state is DownloadState.DONE)
    assert hub.find(NAME) is None
    assert not list(tmp_path.rglob("*.incomplete"))
    assert run.app.settings.downloads == {}


def test_unfinished_download_is_offered_at_next_start(opened, served, start, profile):
    run, dialog = opened
    served.hold_at = 100_000
    get(run, dialog)
    run.until(lambda: run.window.downloads.items[0].done > 90_000)
    assert [*Settings.load(profile / "settings.json").downloads] == [NAME]  # also after kill -9
    run.end()
    served.go.set()
    asked = len(served.asked)
    again = start()
    toast = again.window.downloads_in_window.toast
    again.qtbot.mouseClick(toast.button, LEFT)
    row = again.window.downloads_in_window.dialog.list.rows[NAME]
    assert again.window.downloads.get(NAME).state is DownloadState.PAUSED
    assert len(served.asked) == asked  # nothing requested it
    again.qtbot.mouseClick(row.act, LEFT)
    again.until(lambda: "Ready" in row.words.text())
    assert served.of_weights()[-1].range.startswith("bytes=")
    assert again.app.settings.downloads == {}


def test_token_is_requested_only_if_needed(opened, served, tmp_path):
    run, dialog = opened
    served.repos[NAME].token = "secret"
    dialog.field.setText(NAME)
    run.until(dialog.token.isVisible)
    assert "access token" in dialog.found.about.text()
    assert not dialog.ok.isEnabled()
    assert dialog.field.hasFocus()  # the name may be the start of a longer one
    run.qtbot.keyClick(dialog.field, Qt.Key.Key_Tab)
    assert dialog.token.hasFocus()
    run.qtbot.keyClicks(dialog.token, "wrong")
    assert run.window.downloads.token == "", "other downloads are not made with half a token"
    run.qtbot.keyClick(dialog.token, Qt.Key.Key_Return)
    run.until(lambda: "has no access" in dialog.found.about.text())
    dialog.token.clear()
    run.qtbot.keyClicks(dialog.token, "secret")
    run.qtbot.keyClick(dialog.token, Qt.Key.Key_Return)
    run.until(lambda: dialog.found.name.text() == "tiny-model")
    assert run.window.downloads.token == "secret"
    assert not dialog.token.isVisible()
    run.qtbot.keyClick(dialog.token, Qt.Key.Key_Return)
    dialog.ok.click()
    run.until(lambda: "Ready" in dialog.list.rows[NAME].words.text())
    kept = [p for p in tmp_path.rglob("*") if p.is_file() and b"secret" in p.read_bytes()]
    assert kept == []


def test_failed_download_is_reported_and_retried(opened, served):
    run, dialog = opened
    served.damage = True
    download = get(run, dialog)
    run.until(lambda: download.state is DownloadState.FAILED)
    row = dialog.list.rows[NAME]
    assert "damaged" in row.words.text()
    assert row.words.property("danger")
    assert row.act.toolTip() == "Try Again"
    served.damage = False
    run.qtbot.mouseClick(row.act, LEFT)
    run.until(lambda: download.state is DownloadState.DONE)
    dialog.field.setText(NAME)
    run.until(lambda: dialog.ok.text() == "Open")


def test_focus_stays_with_the_model_when_its_button_is_pressed(opened, served):
    run, dialog = opened
    dialog.models.choose(1)
    served.add(dialog.models.ref, FILES)
    served.hold_at = 100_000
    for button in (dialog.found.read, dialog.ok):  # hidden or disabled during the work
        run.until(dialog.ok.isEnabled)
        button.setFocus()
        run.qtbot.keyClick(button, Qt.Key.Key_Space)
        assert dialog.models.hasFocus()
    run.until(served.held.is_set)
    served.go.set()


def test_exit_does_not_wait_for_hanging_hub(opened, served):
    run, dialog = opened
    served.silent = True
    dialog.field.setText(NAME)
    run.until(lambda: served.asked)
    run.end()
    served.go.set()
