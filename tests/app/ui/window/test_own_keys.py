"""Changed shortcuts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.settings.settings import Settings
from app.ui.widgets.widget_behavior import to_native_keys
from app.ui.window.commands import REGISTRY
from app.ui.window.shortcuts import KeyDialog, Shortcuts, ShortcutsDialog
from tests.app.conftest import Run, Start

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
KEY = Qt.Key


@pytest.fixture
def keys(qapp: QApplication, tmp_path):
    import app.ui.window.main_window  # noqa: F401  registers the commands

    settings = Settings(file=tmp_path / "own.json")
    return Shortcuts(settings, qapp), settings


def test_listed_keys_follow_the_key_that_sends(keys):
    own, settings = keys
    assert own.focus_keys()[0][1] == "Enter"
    settings.set(send_key="ctrl_enter")
    ctrl, both = to_native_keys("Ctrl+Enter"), to_native_keys("Ctrl+Shift+Enter")
    assert [keys for _, keys in own.focus_keys()[:4]] == [ctrl, "Enter", ctrl, both]


def test_listed_keys_have_one_meaning(keys):
    own, _ = keys
    listed = [keys for _, keys in own.focus_keys()]
    assert sorted(listed) == sorted(set(listed))


def test_reassigned_keys_can_be_restored(keys):
    own, settings = keys
    assert own.find_command("Ctrl+N") == "new"
    own.assign("score", "Ctrl+N")
    assert own.keys_of("score") == ("Ctrl+N",)
    assert own.keys_of("new") == ("Ctrl+T",)
    assert settings.shortcuts == {"new": ["Ctrl+T"], "score": ["Ctrl+N"]}
    own.assign("sidebar", "")
    assert own.keys_of("sidebar") == ()
    own.reset("new")
    assert own.keys_of("new") == ("Ctrl+N", "Ctrl+T")
    assert own.keys_of("score") == ()
    before = own.get_changes()
    own.set_changes({})
    assert not own.has_changes
    assert settings.shortcuts == {}
    own.set_changes(before)
    assert own.keys_of("sidebar") == ()
    held = [key for name in REGISTRY for key in own.keys_of(name)]
    assert sorted(held) == sorted(set(held))


@pytest.mark.parametrize(
    ("pressed", "why"),
    [
        ("A", "types text"),
        ("Shift+A", "types text"),
        ("Return", "types text"),
        ("Ctrl+C", "copies text"),
        ("Ctrl+Z", "undoes typing"),
        ("", "Press the new shortcut"),
        ("F8", ""),
        ("Ctrl+Alt+J", ""),
    ],
)
def test_typing_keys_cannot_be_shortcuts(qtbot, tmp_path, pressed, why):
    said = Shortcuts.why_not(Shortcuts.__new__(Shortcuts), pressed)
    assert why in said
    assert bool(why) == bool(said)


def test_edited_settings_give_no_key_twice(keys):
    _, settings = keys
    settings.set(
        shortcuts={
            "score": ["Ctrl+Alt+J", "Ctrl+C", "nonsense"],
            "sidebar": ["Ctrl+Alt+J"],
            "no such command": ["F8"],
        }
    )
    own = Shortcuts(settings, QApplication.instance())
    assert own.keys_of("score") == ("Ctrl+Alt+J",)
    assert own.keys_of("sidebar") == ()
    assert own.keys_of("new") == ("Ctrl+N", "Ctrl+T")
    file = settings.file
    settings.save()  # so that no write is pending
    file.write_text('{"shortcuts": {"new": "Ctrl+N", "score": ["F8"], "x": [1]}}')
    assert Settings.load(file).shortcuts == {"score": ["F8"]}


def changed(run: Run, name: str) -> KeyDialog:
    run.window.commands["shortcuts"].trigger()
    sheet = run.window.findChild(ShortcutsDialog)
    sheet.buttons[name].click()
    dialog = sheet.findChildren(KeyDialog)[-1]
    run.until(lambda: QApplication.activeWindow() is dialog)
    return dialog


def test_shortcut_dialog_sets_keys(start: Start):
    run = start().ready()
    dialog = changed(run, "score")
    run.qtbot.keyClick(dialog.field, KEY.Key_N, CTRL)
    assert "“New Chat”" in dialog.hint.text()
    assert len(run.panes) == 1  # the key did not run the command
    run.qtbot.keyClick(dialog.field, KEY.Key_B, CTRL | ALT)
    assert dialog.hint.text()
    run.qtbot.keyClick(dialog.field, KEY.Key_C, CTRL)
    assert not dialog.ok.isEnabled()
    run.qtbot.keyClick(dialog.field, KEY.Key_F8)
    assert dialog.hint.text() == ""
    dialog.ok.click()
    sheet = run.window.findChild(ShortcutsDialog)
    assert sheet.buttons["score"].text() == to_native_keys("F8")
    sheet.close()
    run.window.activateWindow()
    run.pane.focus_composer()
    run.until(run.pane.composer.field.hasFocus)
    run.qtbot.keyClick(run.pane.composer.field, KEY.Key_J, CTRL)
    assert not run.window.score.isVisible()
    run.qtbot.keyClick(run.pane.composer.field, KEY.Key_F8)
    assert run.window.score.isVisible()
    assert run.window.commands.keys("score") == to_native_keys("F8")
    run.end()
    run = start().ready()
    assert run.window.commands.keys("score") == to_native_keys("F8")
    dialog = changed(run, "score")
    dialog.reset.click()
    sheet = run.window.findChild(ShortcutsDialog)
    assert not sheet.reset.isEnabled()
    assert run.window.commands.keys("score") == to_native_keys("Ctrl+J")
    dialog = changed(run, "new")
    dialog.clear.click()
    assert run.window.commands.keys("new") == ""
    sheet.reset.click()
    assert run.window.commands.keys("new") == to_native_keys("Ctrl+N")
    sheet.undo.click()
    assert run.window.commands.keys("new") == ""
    sheet.close()
