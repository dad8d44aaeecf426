from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QSpinBox

from app.ui.window.commands import MENUS, REGISTRY
from tests.app.conftest import Run, Start, turn_wheel

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def two(start: Start):
    run = start().ready()
    run.ask("say one")
    first = run.pane.chat.id
    run.window.chats.new()
    run.ready()
    run.ask("say two")
    return run, first, run.pane.chat.id


def test_new_chat_reuses_empty_one(run: Run):
    blank = run.pane
    run.window.sidebar.search.setFocus()
    for _ in range(2):
        run.window.commands["new"].trigger()
    assert run.panes == [blank]
    run.until(lambda: blank.isAncestorOf(QApplication.focusWidget()))
    blank.composer.set_text("A draft")
    run.window.commands["new"].trigger()
    assert len(run.panes) == 2
    assert run.pane is not blank


def choose_row(run: Run, chat_id: str) -> None:
    view = run.window.sidebar.list
    view.setFocus()
    view.setCurrentIndex(run.window.sidebar.model.row_of(chat_id))
    run.until(view.hasFocus)


def menu_of(run: Run, title: str):
    return next(menu for menu in run.window._menus if menu.title() == title)


def test_every_command_is_in_one_menu():
    listed = [name for names in MENUS.values() for name in names if name != "-"]
    assert sorted(listed) == sorted(REGISTRY)


def test_no_two_commands_have_the_same_key():
    keys = [key for made in REGISTRY.values() for key in made.keys]
    assert sorted(keys) == sorted(set(keys))


def test_delete_applies_to_focused_row(two):
    run, first, second = two
    choose_row(run, first)
    run.window.commands["delete"].trigger()
    assert run.app.library.chat(first) is None
    assert run.app.library.chat(second) is not None
    run.window.workspace.activate(run.pane)
    run.window.commands["delete"].trigger()
    assert run.app.library.chat(second) is None


def test_disabled_command_shortcut_shows_reason(run: Run):
    run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_R, CTRL)
    why = run.window.commands.why_not("regenerate")
    assert run.window.toast.text == why != ""
    edit = menu_of(run, "Chat")
    edit.aboutToShow.emit()
    again = run.window.commands["regenerate"]
    assert not again.isEnabled()
    assert again.toolTip() == why
    edit.aboutToHide.emit()
    assert again.isEnabled()
    run.ask("say one")
    edit.aboutToShow.emit()
    assert again.isEnabled()
    edit.aboutToHide.emit()


def test_menu_shows_the_key_that_stops_a_reply(run: Run):
    chat, stop = menu_of(run, "Chat"), run.window.commands["stop"]
    chat.aboutToShow.emit()
    assert stop.text() == "Stop Reply\tEsc"
    assert not stop.shortcuts()  # Escape has other meanings elsewhere
    assert "\t" not in run.window.commands["pause"].text()
    chat.aboutToHide.emit()
    run.window.keys.assign("stop", "Ctrl+Alt+S")
    chat.aboutToShow.emit()
    assert stop.text() == "Stop Reply"  # Qt adds the shortcut
    assert stop.shortcut().toString() == "Ctrl+Alt+S"
    chat.aboutToHide.emit()


def test_wheel_ignores_unfocused_settings(run: Run):
    run.window.settings_commands.show_settings()
    window = run.settings
    run.until(window.isVisible)
    window.system.setFocus()
    before = chosen(run)
    fields = [
        *window.findChildren(QSpinBox),
        *window.findChildren(QDoubleSpinBox),
        *window.findChildren(QComboBox),
    ]
    assert len(fields) >= 5
    for field in fields:
        turn_wheel(field, -120)
        assert not field.hasFocus()
        assert field.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert chosen(run) == before
    window.pages.show_page("Appearance")
    text_px = window.pages.fields["text_px"]
    text_px.setFocus()
    run.until(text_px.hasFocus)
    turn_wheel(text_px, -120)
    assert run.app.settings.text_px == before["text_px"] - 1
    text_px.setValue(before["text_px"])
    window.close()


def chosen(run: Run) -> dict:
    settings = run.app.settings
    return {name: getattr(settings, name) for name in ("text_px", "memory_gb", "cache_gb", "model")}
