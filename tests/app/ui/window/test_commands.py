"""Commands: registered once, and doing what the thing that has the focus makes them mean."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QDoubleSpinBox, QLineEdit, QSpinBox

from app.ui.window.commands import MENUS, REGISTRY
from tests.app.conftest import Run, Start

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def two(start: Start):
    """Two chats with a message each; the second is the active one."""
    run = start().ready()
    run.ask("say one")
    first = run.pane.chat.id
    run.window.chats.new()
    run.ready()
    run.ask("say two")
    return run, first, run.pane.chat.id


def test_a_new_chat_is_not_begun_beside_one_in_which_nothing_was_said(start: Start):
    run = start().ready()
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
    """Give the focus to a chat's row in the sidebar."""
    view = run.window.sidebar.list
    view.setFocus()
    view.setCurrentIndex(run.window.sidebar.model.row_of(chat_id))
    run.until(view.hasFocus)


def menu_of(run: Run, title: str):
    return next(menu for menu in run.window._menus if menu.title() == title)


def test_every_command_stands_in_one_menu_and_every_entry_is_a_command(start: Start):
    start()
    listed = [name for names in MENUS.values() for name in names if name != "-"]
    assert sorted(listed) == sorted(REGISTRY)


def test_no_two_commands_have_the_same_key(start: Start):
    start()
    keys = [key for made in REGISTRY.values() for key in made.keys]
    assert sorted(keys) == sorted(set(keys))


def test_d8_the_key_f2_on_a_row_of_the_sidebar_renames_that_rows_chat(two):
    run, first, second = two
    choose_row(run, first)
    run.qtbot.keyClick(run.window.sidebar.list, Qt.Key.Key_F2)
    run.until(lambda: run.window.sidebar.list.findChild(QLineEdit, "rename") is not None)
    editor = run.window.sidebar.list.findChild(QLineEdit, "rename")
    editor.selectAll()
    run.qtbot.keyClicks(editor, "Other name")
    run.qtbot.keyClick(editor, Qt.Key.Key_Return)
    run.until(lambda: run.app.library.chat(first).title == "Other name")
    assert run.app.library.chat(second).title == "say two"


def test_delete_chat_is_for_the_row_that_has_the_keys(two):
    run, first, second = two
    choose_row(run, first)
    run.window.commands["delete"].trigger()
    assert run.app.library.chat(first) is None
    assert run.app.library.chat(second) is not None
    run.window.workspace.activate(run.pane)
    run.window.commands["delete"].trigger()
    assert run.app.library.chat(second) is None


def test_d8_ctrl_w_in_the_settings_closes_the_settings(two):
    run, _, second = two
    run.window.settings_commands.show_settings()
    settings = run.settings
    run.until(lambda: QApplication.activeWindow() is settings)
    run.qtbot.keyClick(settings.system, Qt.Key.Key_W, CTRL)
    run.until(lambda: run.window.settings_commands.shown is None)
    assert run.pane.chat.id == second
    assert len(run.panes) == 2


def test_a_chats_keys_do_nothing_to_it_from_a_dialog(two):
    run, _, _ = two
    sent = len(run.engine.sent)
    run.window.commands["shortcuts"].trigger()
    dialog = run.window.findChild(QDialog, "shortcuts")
    run.until(lambda: QApplication.activeWindow() is dialog)
    run.qtbot.keyClick(dialog, Qt.Key.Key_R, CTRL)
    assert len(run.engine.sent) == sent
    assert not run.pane.chat.answering
    dialog.close()


def test_what_cannot_be_done_now_is_grey_in_the_menu_with_the_reason(start: Start):
    run = start().ready()
    edit = menu_of(run, "Chat")
    edit.aboutToShow.emit()
    again = run.window.commands["regenerate"]
    assert not again.isEnabled()
    assert again.toolTip() == "There is no message to reply to yet."
    edit.aboutToHide.emit()
    assert again.isEnabled()
    run.ask("say one")
    edit.aboutToShow.emit()
    assert again.isEnabled()
    edit.aboutToHide.emit()


def test_a_key_that_cannot_act_now_says_why(start: Start):
    run = start().ready()
    run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_R, CTRL)
    assert run.window.toast.text == "There is no message to reply to yet."
    run.window.workspace.close_pane(run.pane)
    run.window.commands["find"].trigger()
    assert run.window.toast.text == "No chat is open"


def wheel(run: Run, field) -> None:
    """Turn the wheel over the middle of a field, as Qt gets it from the system."""
    at = QPointF(field.rect().center())
    event = QWheelEvent(
        at,
        QPointF(field.mapToGlobal(field.rect().center())),
        QPoint(0, 0),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(field, event)


def test_d8_the_wheel_over_the_settings_changes_nothing_that_has_not_the_focus(start: Start):
    run = start().ready()
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
        wheel(run, field)
        assert not field.hasFocus()
        assert field.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert chosen(run) == before
    window.pages.show_page("Appearance")
    window.text_px.setFocus()
    run.until(window.text_px.hasFocus)
    wheel(run, window.text_px)
    assert run.app.settings.text_px == before["text_px"] - 1
    window.text_px.setValue(before["text_px"])
    window.close()


def chosen(run: Run) -> dict:
    settings = run.app.settings
    return {name: getattr(settings, name) for name in ("text_px", "memory_gb", "cache_gb", "model")}


def test_d8_the_wheel_over_a_chats_settings_changes_nothing_either(start: Start):
    run = start().ready()
    run.pane.header.options_button.click()
    popover = QApplication.activePopupWidget()
    before = popover.values()
    popover.system.setFocus()
    for field in [*popover.findChildren(QDoubleSpinBox), *popover.findChildren(QComboBox)]:
        wheel(run, field)
    assert popover.values() == before
    popover.close()


def test_menus_say_what_a_command_would_do_now(start: Start):
    run = start().ready()
    run.ask("say one")
    commands = run.window.commands

    def shown(*names: str) -> list[str]:
        commands._show_what_can_be(names)
        return [commands[name].text() for name in names]

    assert shown("pin", "archive") == ["Pin Chat", "Archive Chat"]
    commands["pin"].trigger()
    assert shown("pin") == ["Unpin Chat"]
    commands["archive"].trigger()
    assert shown("archive") == ["Unarchive Chat"]
    run.window.commands["split_right"].trigger()
    run.window.commands["broadcast"].trigger()
    assert shown("broadcast_one") == ["Leave Broadcast"]
    commands["broadcast_one"].trigger()
    assert shown("broadcast_one") == ["Join Broadcast"]
