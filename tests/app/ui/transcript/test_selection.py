"""Selections across messages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.store import ChatRecord, Message, Store, new_id
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.selection import SelectionEnd
from app.ui.transcript.transcript_view import TranscriptView
from app.ui.transcript.user_row import UserRow
from app.ui.widgets.textview import TextView
from tests.app.conftest import Run, Start, rows_alive

SAID = [
    ("user", "What is a *quince*?"),
    ("assistant", "A **fruit**.\n\n- yellow\n- sour\n\n```py\nprint(1)\n```"),
    ("tool", "looked up"),
    ("assistant", "It is related to the apple."),
    ("user", "And a medlar?"),
    ("assistant", "Another fruit, eaten when it is soft."),
]
LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier


def chat_of(profile, said) -> tuple[str, list[str]]:
    profile.mkdir(parents=True)
    chat = ChatRecord(id=new_id(), title="Fruit", model="guide")
    ids = [new_id() for _ in said]
    with Store.open(profile / "chats.db") as store, store.transaction():
        store.save_chat(chat)
        parent = None
        for message_id, (role, text) in zip(ids, said, strict=True):
            thought = "Hm." if role == "assistant" else ""
            message = Message(message_id, chat.id, parent, role, text, thought, model="Guide")
            store.save_message(message, as_leaf=True)
            parent = message_id
    return chat.id, ids


@pytest.fixture
def fruit(start: Start, profile) -> tuple[Run, TranscriptView, list[str]]:
    chat_id, ids = chat_of(profile, SAID)
    return *opened(start, chat_id), ids


def opened(start: Start, chat_id: str) -> tuple[Run, TranscriptView]:
    run = start().ready()
    run.window.chats.open(chat_id)
    run.until(lambda: run.pane.chat.id == chat_id)  # a long chat is read in a worker
    view = run.pane.transcript
    run.until(lambda: rows_alive(view) > 0 and not view._layout_timer.isActive())
    return run, view


def text_of(view: TranscriptView, message_id: str) -> TextView:
    row = view.row(message_id)
    assert row.body is not None
    return row.body


def place_of(text: TextView, words: str) -> QPoint:
    found = text.document().find(words)
    cursor = QTextCursor(text.document())
    cursor.setPosition(found.selectionStart())
    return text.cursorRect(cursor).center()


def move(grabber: QWidget, over: QWidget, at: QPoint) -> None:
    """Move the mouse with its button held. Qt sends the moves to the pressed widget."""
    QTest.mouseMove(grabber, grabber.mapFromGlobal(over.mapToGlobal(at)))


def drag(begin: TextView, words: str, end: TextView, until: str) -> None:
    start, grabber = place_of(begin, words), begin.viewport()
    QTest.mousePress(grabber, LEFT, Qt.KeyboardModifier.NoModifier, start)
    move(grabber, grabber, start + QPoint(30, 0))
    move(grabber, end.viewport(), place_of(end, until))
    QTest.mouseRelease(
        grabber,
        LEFT,
        Qt.KeyboardModifier.NoModifier,
        grabber.mapFromGlobal(end.viewport().mapToGlobal(place_of(end, until))),
    )


def copied(kind: str = "text/plain") -> str:
    data = QApplication.clipboard().mimeData()
    return data.data(kind).toStdString() if data is not None else ""


def selected(text: TextView) -> str:
    marks = text.extraSelections()
    if marks:
        return "".join(mark.cursor.selectedText() for mark in marks)
    return text.textCursor().selectedText()


def test_drag_selects_across_messages(fruit) -> None:
    run, view, ids = fruit
    question, last = text_of(view, ids[0]), text_of(view, ids[5])
    drag(question, "*quince", last, "fruit,")
    assert selected(question) == "*quince*?"
    assert selected(text_of(view, ids[3])) == "It is related to the apple."
    assert selected(last) == "Another "
    run.qtbot.keyClick(question, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    said = "A fruit.\n\n- yellow\n- sour\n\nprint(1)"
    assert copied().startswith(f"You:\n*quince*?\n\nGuide:\n{said}")
    assert copied().endswith("You:\nAnd a medlar?\n\nGuide:\nAnother")
    marked = copied("text/markdown")
    assert marked.startswith("**You**\n\n*quince*?\n\n**Guide**\n\nA **fruit**.\n\n- yellow")
    assert "```py" in marked
    html = copied("text/html")
    assert '<p><b>You</b></p>\n<p dir="auto" style="white-space: pre-wrap">*quince*?</p>' in html
    assert "<p>A <strong>fruit</strong>.</p>" in html
    assert "<li>yellow</li>" in html
    assert "looked up" not in marked + copied() + html
    assert "Hm." not in marked + copied() + html


def test_drag_upward_and_within_a_message(fruit) -> None:
    run, view, ids = fruit
    drag(text_of(view, ids[5]), "fruit,", text_of(view, ids[3]), "related")
    assert selected(text_of(view, ids[3])) == "related to the apple."
    assert selected(text_of(view, ids[5])) == "Another "
    assert view.selection.copy()
    assert copied().startswith("Guide:\nrelated to the apple.\n\nYou:\n")
    answer = text_of(view, ids[1])
    drag(answer, "fruit", answer, "sour")
    assert not view.selection.is_across_rows
    run.qtbot.keyClick(answer, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied() == "fruit.\n\n- yellow"
    assert copied("text/markdown").startswith("**fruit**.\n\n- yellow")
    assert "<strong>fruit</strong>" in copied("text/html")
    assert view.selection.copy(as_markdown=True)
    assert copied().startswith("**fruit**")
    assert copied("text/html") == ""
    before = answer.textCursor().position()
    run.qtbot.keyClick(answer, Qt.Key.Key_Right, SHIFT)
    assert answer.textCursor().position() == before + 1


def test_shift_click_extends_selection_over_messages(fruit) -> None:
    _, view, ids = fruit
    question, other, last = (text_of(view, ids[n]) for n in (0, 3, 5))
    QTest.mouseClick(question.viewport(), LEFT, pos=place_of(question, "is a"))
    QTest.mouseClick(other.viewport(), LEFT, SHIFT, place_of(other, "related"))
    assert selected(question) == "is a *quince*?"
    assert selected(other) == "It is "
    QTest.mouseClick(last.viewport(), LEFT, SHIFT, place_of(last, "fruit,"))
    assert selected(other) == "It is related to the apple."
    assert selected(last) == "Another "
    QTest.mouseClick(question.viewport(), LEFT, pos=place_of(question, "What"))
    assert not view.selection.is_across_rows
    assert selected(other) == selected(last) == ""


def test_click_elsewhere_clears_selection(fruit) -> None:
    _, view, ids = fruit
    answer, last = text_of(view, ids[1]), text_of(view, ids[5])
    drag(answer, "fruit", answer, "sour")
    QTest.mouseClick(last.viewport(), LEFT, pos=place_of(last, "fruit,"))
    assert not answer.textCursor().hasSelection()
    drag(answer, "fruit", answer, "sour")
    QTest.mouseClick(view.viewport(), LEFT, pos=QPoint(4, 40))
    assert not answer.textCursor().hasSelection()


def test_drag_can_start_in_the_margin(fruit) -> None:
    run, view, ids = fruit
    other, last = text_of(view, ids[3]), text_of(view, ids[5])
    margin = QPoint(4, view.viewport().mapFromGlobal(other.mapToGlobal(QPoint(0, 4))).y())
    QTest.mousePress(view.viewport(), LEFT, pos=margin)
    move(view.viewport(), last.viewport(), place_of(last, "fruit,"))
    QTest.mouseRelease(view.viewport(), LEFT, pos=margin)
    assert selected(other) == "It is related to the apple."
    assert selected(last) == "Another "
    run.qtbot.keyClick(run.window.focusWidget(), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied().startswith("Guide:\nIt is related")
    run.qtbot.keyClick(run.window.focusWidget(), Qt.Key.Key_Escape)
    assert not view.selection.is_across_rows

    # Reasoning is selected separately.
    row = view.row(ids[1])
    assert isinstance(row, AnswerRow)
    row._reasoning._fold.click()
    view.lay_out()
    thought = row._reasoning._view
    drag(thought, "Hm", text_of(view, ids[5]), "fruit,")
    assert not view.selection.is_across_rows
    assert view.selection.copy()
    assert copied() == "Hm."


def test_ctrl_a_selects_the_chat_and_esc_clears(start: Start, profile, qtbot) -> None:
    said = [(("user", "assistant")[n % 2], f"Message {n}. " + "word " * 60) for n in range(200)]
    chat_id, ids = chat_of(profile, said)
    run, view = opened(start, chat_id)
    text = text_of(view, ids[-1])
    text.setFocus()
    qtbot.keyClick(text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert rows_alive(view) < 30
    view.verticalScrollBar().setValue(0)
    assert selected(text_of(view, ids[0])).startswith("Message 0.")
    assert rows_alive(view) < 40
    qtbot.keyClick(text_of(view, ids[-1]), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    run.until(lambda: copied().count("Message ") == 200)
    found = [copied().index(f"Message {n}.") for n in range(200)]
    assert found == sorted(found)
    assert copied().count("You:\n") == copied().count("Guide:\n") == 100
    qtbot.keyClick(text_of(view, ids[-1]), Qt.Key.Key_Escape)
    assert not view.selection.is_across_rows
    assert selected(text_of(view, ids[0])) == ""


def test_drag_beyond_view_scrolls(start: Start, profile) -> None:
    said = [(("user", "assistant")[n % 2], f"Message {n}. " + "word " * 60) for n in range(200)]
    chat_id, ids = chat_of(profile, said)
    run, view = opened(start, chat_id)
    text = text_of(view, ids[-1])
    grabber, bar = text.viewport(), view.verticalScrollBar()
    QTest.mousePress(grabber, LEFT, pos=place_of(text, "word"))
    before = bar.value()
    move(grabber, view.viewport(), QPoint(200, -240))
    run.until(lambda: bar.value() < before - 3 * view.viewport().height())
    QTest.mouseRelease(grabber, LEFT, pos=QPoint(0, 0))
    stopped = bar.value()
    QTest.qWait(60)
    assert bar.value() == stopped
    first = min(view.selection._ends)
    assert view.places[first.number].top <= bar.value() + view.viewport().height()
    assert rows_alive(view) < 40  # messages passed over have no rows
    assert view.selection.copy()
    run.until(lambda: "Message 198." in copied())
    assert copied().rstrip().endswith("Message 199.")


def test_scrolling_ends_if_another_widget_gets_the_release(start: Start, profile) -> None:
    said = [(("user", "assistant")[n % 2], f"Message {n}. " + "word " * 60) for n in range(40)]
    chat_id, ids = chat_of(profile, said)
    run, view = opened(start, chat_id)
    grabber, bar = text_of(view, ids[-1]).viewport(), view.verticalScrollBar()
    QTest.mousePress(grabber, LEFT, pos=place_of(text_of(view, ids[-1]), "word"))
    before = bar.value()
    move(grabber, view.viewport(), QPoint(200, -60))
    run.until(lambda: bar.value() < before)
    QTest.mouseRelease(run.pane, LEFT)  # such as an open menu
    QTest.qWait(60)
    stopped = bar.value()
    QTest.qWait(60)
    assert bar.value() == stopped

    # Text that arrives later is followed again.
    view.selection.clear()
    bar.setValue(bar.maximum())
    QTest.mousePress(grabber, LEFT, pos=place_of(text_of(view, ids[-1]), "word"))
    move(grabber, grabber, place_of(text_of(view, ids[-1]), "word") + QPoint(80, 0))
    assert not view.following
    QTest.mouseRelease(run.pane, LEFT)
    run.until(lambda: view.following)


def test_part_of_message_without_row_is_copied(start: Start, profile) -> None:
    said = [(("user", "assistant")[n % 2], f"Message {n}. **bold** " * 20) for n in range(100)]
    chat_id, ids = chat_of(profile, said)
    _, view = opened(start, chat_id)
    assert view.row(ids[1]) is None
    view.selection._set_ends((SelectionEnd(1, 11, ids[1]), SelectionEnd(2, 10, ids[2])))
    assert view.selection.copy()
    assert copied("text/markdown").startswith("**Guide**\n\n**bold** Message 1.")
    assert copied("text/markdown").endswith("**You**\n\nMessage 2.")
    view.verticalScrollBar().setValue(0)
    assert selected(text_of(view, ids[2])) == "Message 2."


def test_whole_reply_is_copied_as_written(start: Start, profile) -> None:
    said = [("user", "Which?"), ("assistant", "A __fruit__.\n\n* yellow")]
    chat_id, ids = chat_of(profile, said)
    _, view = opened(start, chat_id)
    end = SelectionEnd(1, view.row(ids[1]).markdown.end_position, ids[1])
    view.selection._set_ends((SelectionEnd(0, 0, ids[0]), end))
    assert view.selection.copy()
    assert copied("text/markdown").endswith("A __fruit__.\n\n* yellow")


def test_streaming_message_can_be_selected(run: Run) -> None:
    pane = run.say("hold 60")
    view = pane.transcript
    answer = pane.chat.transcript.last("assistant").id
    run.until(lambda: "20" in run.answer(pane) and isinstance(view.row(answer), AnswerRow))
    question = next(p.row for p in view.places if isinstance(p.row, UserRow))
    question.body.setFocus()
    run.qtbot.keyClick(question.body, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    run.engine.release()
    run.answered()
    run.until(lambda: selected(text_of(view, answer)).endswith("60 end"))
    assert view.selection.copy()
    assert copied().endswith("60 end")


def test_drag_over_streaming_message_keeps_its_start(run: Run) -> None:
    pane = run.say("hold 400")
    view = pane.transcript
    answer = pane.chat.transcript.last("assistant").id
    run.until(lambda: "200" in run.answer(pane))
    question = next(p.row for p in view.places if isinstance(p.row, UserRow)).body
    text = text_of(view, answer)
    run.until(lambda: "200" in text.toPlainText())  # text is shown one frame later
    QTest.mousePress(question.viewport(), LEFT, pos=place_of(question, "400"))
    move(question.viewport(), text.viewport(), place_of(text, "12"))
    begun = selected(text)
    assert begun
    run.engine.release()
    run.answered()
    QTest.mouseRelease(question.viewport(), LEFT)
    assert selected(text_of(view, answer)) == begun
    assert selected(question) == "400"


def test_the_menu_copies_and_selects(fruit, qtbot: QtBot) -> None:
    run, view, ids = fruit
    view.selection.select_all()
    text_of(view, ids[1]).pop_menu(QPoint(2, 2), QPoint(2, 2))
    menu = next(w for w in run.window.findChildren(QMenu) if w.isVisible())
    actions = {action.text(): action for action in menu.actions()}
    assert {"Copy", "Copy as Markdown", "Select All", "Copy Reply"} <= set(actions)
    actions["Copy as Markdown"].trigger()
    assert QGuiApplication.clipboard().text().startswith("**You**\n\nWhat is a *quince*?")
    menu.close()
    view.selection.clear()
    view.selection.pop_menu(None, QPoint(2, 2), QPoint(2, 2))
    menu = next(w for w in run.window.findChildren(QMenu) if w.isVisible())
    actions = {action.text(): action for action in menu.actions()}
    assert not actions["Copy"].isEnabled()
    actions["Select All"].trigger()
    assert view.selection.is_across_rows
    menu.close()

    # Deleting a selected message ends the selection.
    view.selection.select_all()
    run.pane.chat.delete_message(ids[4])
    run.until(lambda: not view._layout_timer.isActive())
    assert not view.selection.is_across_rows
    assert selected(text_of(view, ids[3])) == ""
