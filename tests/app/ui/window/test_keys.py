"""Keyboard access to every part of the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.user_row import UserRow
from tests.app.conftest import Run, Start

WIDE = "```python\nvalue = " + " + ".join(f"argument_{n}" for n in range(60)) + "\n```"


def talk(run: Run, *words: str) -> None:
    run.ready()
    for word in words:
        run.ask(f"say {word}")


def in_conversation(run: Run):
    run.press(Qt.Key.Key_F6)
    return QApplication.focusWidget()


def test_up_and_down_select_messages(start: Start):
    run = start()
    talk(run, "one", "two")
    answer = in_conversation(run)
    assert isinstance(answer, AnswerRow)
    assert answer.text == "two "
    assert answer.accessibleName() == "Guide: two"
    run.press(Qt.Key.Key_Up)
    question = QApplication.focusWidget()
    assert isinstance(question, UserRow)
    assert question.message.content == "say two"
    run.press(Qt.Key.Key_Home)
    assert QApplication.focusWidget().message.content == "say one"
    run.press(Qt.Key.Key_Up)
    assert QApplication.focusWidget().message.content == "say one"
    run.press(Qt.Key.Key_End)
    assert QApplication.focusWidget() is answer
    run.press(Qt.Key.Key_Down)
    assert run.pane.composer.field.hasFocus()

    # Letters and Escape go to the composer.
    in_conversation(run)
    run.press(Qt.Key.Key_Escape)
    assert run.pane.composer.field.hasFocus()
    in_conversation(run)
    run.qtbot.keyClicks(QApplication.focusWidget(), "ab")
    assert run.pane.composer.text == "ab"
    assert run.pane.composer.field.hasFocus()

    # Enter presses the button, and sending returns the focus.
    run.pane.composer.set_text("")
    in_conversation(run)
    run.press(Qt.Key.Key_Tab)
    run.press(Qt.Key.Key_Return)
    assert QGuiApplication.clipboard().text() == "two "
    for _ in range(5):
        run.press(Qt.Key.Key_Tab)
    run.press(Qt.Key.Key_Return)
    assert len(run.pane.chat.transcript.path) == 3
    assert run.pane.composer.field.hasFocus()


def test_down_scrolls_long_reply_first(run: Run):
    run.pane.chat.turn.send("paste " + "word\n\n" * 120)
    run.answered()
    run.ask("say end")
    in_conversation(run)
    run.press(Qt.Key.Key_Home)
    run.press(Qt.Key.Key_Down)
    bar = run.pane.transcript.verticalScrollBar()
    row, before = QApplication.focusWidget(), bar.value()
    run.press(Qt.Key.Key_Down)
    assert QApplication.focusWidget() is row
    assert before < bar.value() < before + run.pane.transcript.viewport().height()


def test_tab_visits_message_actions(start: Start):
    run = start()
    talk(run, "one")
    run.pane.chat.regenerate()
    run.answered()
    row = in_conversation(run)
    buttons = []
    for _ in range(7):
        run.press(Qt.Key.Key_Tab)
        buttons.append(QApplication.focusWidget())
    assert [button.x() for button in buttons] == sorted({button.x() for button in buttons})
    assert all(row.isAncestorOf(button) for button in buttons)
    run.press(Qt.Key.Key_Tab)
    assert run.pane.composer.field.hasFocus()
    run.press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is row
    run.press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert run.pane.header.options_button.hasFocus()


def test_wide_code_is_moved_and_copied(run: Run):
    run.pane.chat.turn.send("paste " + WIDE)
    run.answered()
    row = in_conversation(run)
    wide = row._view._wide
    (code,) = row._markdown.code_blocks()
    assert wide.overflow_width(code) > 0
    run.press(Qt.Key.Key_Right)
    moved = wide.scroll_offset(code)
    assert moved > 0
    run.press(Qt.Key.Key_Right)
    run.press(Qt.Key.Key_Left)
    assert wide.scroll_offset(code) == moved
    run.press(Qt.Key.Key_Left)
    assert wide.scroll_offset(code) == 0
    run.press(Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    copy = next(action for action in menu.actions() if action.text() == "Copy Code")
    copy.trigger()
    menu.close()
    assert QGuiApplication.clipboard().text() == code.source


def test_f6_cycles_through_the_window(start: Start):
    run = start()
    talk(run, "one")
    window = run.window
    window.toggle_score()
    run.until(lambda: window.score.rows() and window.score.rows()[0].isVisible())
    where = []
    for _ in range(4):
        run.press(Qt.Key.Key_F6)
        where.append(QApplication.focusWidget())
    assert isinstance(where[0], AnswerRow)
    assert where[1:] == [window.score.rows()[0], window.sidebar.list, run.pane.composer.field]
    run.press(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert window.sidebar.list.hasFocus()
    assert window.sidebar.model.row(window.sidebar.list.currentIndex()).chat_id
    run.press(Qt.Key.Key_F6)
    window.toggle_sidebar()
    window.toggle_score()
    run.press(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert isinstance(QApplication.focusWidget(), AnswerRow)


def test_undo_applies_to_message_first(start: Start):
    run = start()
    talk(run, "one")
    undo = Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    chat = run.pane.chat.id
    run.window.chats.new()
    run.window.chats.delete(chat)
    run.qtbot.keyClicks(run.pane.composer.field, "x")
    run.press(*undo)
    assert run.pane.composer.text == ""
    assert run.app.library.chat(chat) is None
    run.press(*undo)
    assert run.app.library.chat(chat) is not None
    run.window.chats.delete(chat)
    run.window.toast.hide()
    run.press(*undo)
    assert run.app.library.chat(chat) is None


def test_edit_menu_acts_on_focused_field(start: Start):
    run = start()
    talk(run, "one")
    do = run.window.commands
    field = run.pane.composer.field
    run.qtbot.keyClicks(field, "words")
    do["select_all"].trigger()
    do["cut"].trigger()
    assert (field.toPlainText(), QApplication.clipboard().text()) == ("", "words")
    do["paste"].trigger()
    do["paste"].trigger()
    assert field.toPlainText() == "wordswords"
    do["undo"].trigger()
    assert field.toPlainText() == "words"
    do["redo"].trigger()
    assert field.toPlainText() == "wordswords"
    run.window.commands["search"].trigger()
    search = run.window.sidebar.search
    run.until(search.hasFocus)
    run.qtbot.keyClicks(search, "queue")
    do["select_all"].trigger()
    do["copy"].trigger()
    assert (field.toPlainText(), QApplication.clipboard().text()) == ("wordswords", "queue")
    search.clear()
    run.pane.focus_composer()
    assert isinstance(in_conversation(run), AnswerRow)
    do["copy"].trigger()  # menus act like shortcuts outside of fields
    do["undo"].trigger()
    do["paste"].trigger()
