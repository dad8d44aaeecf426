"""Delete, Ctrl+W and F2 act on the focused part."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit

from tests.app.conftest import Run, Start

CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


def renaming(run: Run) -> str:
    editor = run.window.sidebar.list.findChild(QLineEdit, "rename")
    if editor is None:
        return ""
    title = editor.text()
    run.qtbot.keyClick(editor, Qt.Key.Key_Escape)
    run.until(lambda: run.window.sidebar.list.findChild(QLineEdit, "rename") is None)
    return title


@pytest.fixture
def two(start: Start):
    run = start().ready()
    for title in ("say one", "say two"):
        if title == "say two":
            run.window.chats.new()
        run.ask(title)
    return run


def chats(run: Run) -> list[str]:
    return [chat.title for chat in run.app.library.chats()]


def on_row(run: Run, title: str) -> None:
    chat = next(chat for chat in run.app.library.chats() if chat.title == title)
    view = run.window.sidebar.list
    view.setFocus()
    view.setCurrentIndex(run.window.sidebar.model.row_of(chat.id))
    run.until(view.hasFocus)


def on_message(run: Run) -> None:
    run.pane.transcript.focus_last()
    run.until(lambda: run.pane.transcript.places[-1].row.hasFocus())


def test_renaming_restores_focus_to_message(two: Run):
    two.pane.focus_composer()
    two.window.commands["rename"].trigger()
    editor = two.window.sidebar.list.findChild(QLineEdit, "rename")
    editor.setText("Another")
    two.qtbot.keyClick(editor, Qt.Key.Key_Return)
    two.until(lambda: "Another" in chats(two))
    two.until(two.pane.composer.field.hasFocus)


def test_palette_delete_focuses_next_message(run: Run):
    run.ask("say one")
    for name in ("split_right", "split_down"):
        run.window.commands[name].trigger()
        run.ready().ask(f"say {name}")
    run.window.workspace.activate(run.panes[1])
    run.window.commands["palette"].trigger()
    palette = run.window.palette_commands.palette
    run.until(palette.field.hasFocus)
    run.qtbot.keyClicks(palette.field, "move chat to trash")
    run.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    run.until(lambda: len(run.panes) == 2)
    run.until(lambda: run.pane.composer.field.hasFocus())


def test_delete_on_message_spares_the_chat(two: Run):
    on_message(two)
    two.press(Qt.Key.Key_Delete)
    assert sorted(chats(two)) == ["say one", "say two"]
    assert [m.content for m in two.pane.chat.transcript.path] == ["say two"]
    two.until(lambda: two.pane.transcript.places[0].row.hasFocus())  # the previous message
    two.press(Qt.Key.Key_Z, CTRL)
    assert [m.content for m in two.pane.chat.transcript.path] == ["say two", "two "]

    # During a reply it gives the reason.
    two.pane.focus_composer()
    two.say("hold 2")
    two.until(lambda: two.answer(two.pane))
    on_message(two)
    two.press(Qt.Key.Key_Delete)
    assert len(two.pane.chat.transcript.path) == 4
    assert two.pane.transcript.places[-1].row.hasFocus()


def test_delete_in_text_deletes_only_text(two: Run):
    field = two.pane.composer.field
    two.qtbot.keyClicks(field, "ab")
    two.press(Qt.Key.Key_Backspace)
    assert two.pane.composer.text == "a"
    two.window.sidebar.focus_search()
    two.qtbot.keyClicks(two.window.sidebar.search, "two")
    two.press(Qt.Key.Key_Backspace)
    two.press(Qt.Key.Key_Delete)
    assert two.window.sidebar.search.text() == "tw"
    view = two.pane.transcript.places[-1].row._view
    view.setFocus()
    two.press(Qt.Key.Key_Delete)
    two.press(Qt.Key.Key_Backspace)
    assert sorted(chats(two)) == ["say one", "say two"]
    assert len(two.pane.chat.transcript.path) == 2


def test_ctrl_w_closes_pane_and_f2_renames(two: Run):
    def closes_two() -> bool:
        two.press(Qt.Key.Key_W, CTRL)
        closed = [pane.chat.title for pane in two.panes] == ["say one"]
        two.window.commands["undo_close"].trigger()
        two.until(lambda: two.pane.chat.title == "say two")
        return closed

    assert closes_two()  # in the composer
    on_message(two)
    assert closes_two()
    two.window.sidebar.focus_search()
    assert closes_two()
    on_row(two, "say one")
    assert closes_two()

    # F2 renames the focused row, otherwise the active chat.
    on_row(two, "say one")
    two.press(Qt.Key.Key_F2)
    assert renaming(two) == "say one"
    two.window.workspace.activate(two.pane)
    two.press(Qt.Key.Key_F2)
    assert renaming(two) == "say two"
    two.window.workspace.activate(two.pane)
    on_message(two)
    two.press(Qt.Key.Key_F2)
    assert renaming(two) == "say two"


def test_in_a_dialog_the_keys_leave_the_chats_alone(two: Run):
    for name in ("settings", "shortcuts", "compare", "trash", "about"):
        two.window.commands[name].trigger()
        dialog = next(
            w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()
        )
        dialog.activateWindow()  # as a window manager would
        two.until(lambda dialog=dialog: QApplication.activeWindow() is dialog)
        target = QApplication.focusWidget() or dialog
        for key in (Qt.Key.Key_F2, Qt.Key.Key_Delete):
            two.qtbot.keyClick(target, key)
        two.qtbot.keyClick(target, Qt.Key.Key_R, CTRL)
        assert (len(two.engine.sent), two.pane.chat.reply.is_active) == (2, False)
        assert sorted(chats(two)) == ["say one", "say two"], name
        assert renaming(two) == ""
        two.qtbot.keyClick(target, Qt.Key.Key_W, CTRL)
        two.until(lambda: not isinstance(QApplication.activeWindow(), QDialog))
        assert [pane.chat.title for pane in two.panes] == ["say one", "say two"]


def test_floating_chat_obeys_the_same_keys(two: Run):
    two.window.commands["float"].trigger()
    pane = two.pane
    two.until(lambda: pane.window() is not two.window and pane.window().isVisible())
    on_message(two)
    two.press(Qt.Key.Key_Delete)
    assert [m.content for m in pane.chat.transcript.path] == ["say two"]
    overlay = two.window.toast.visible_overlay
    assert overlay.window() is pane.window()  # the notice with Undo is in the same window
    two.press(Qt.Key.Key_Z, CTRL)
    assert len(pane.chat.transcript.path) == 2
    two.press(Qt.Key.Key_W, CTRL)
    assert [each.chat.title for each in two.panes] == ["say one"]
