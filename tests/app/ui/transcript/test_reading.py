"""Long conversations: few widgets, the reader's position, following the end."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.actions import Action
from app.store import ChatRecord, Message, Store, new_id
from app.ui.transcript import answer_row, user_row
from app.ui.transcript.answer_row import AnswerRow, remedies
from app.ui.transcript.markdown_view import MarkdownView
from app.ui.transcript.user_row import UserRow
from tests.app.conftest import Run, Start, rows_alive

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def long_chat(profile):
    profile.mkdir(parents=True)
    chat = ChatRecord(id=new_id(), title="Long", model="guide")
    ids = [new_id() for _ in range(300)]
    with Store.open(profile / "chats.db") as store, store.transaction():
        store.save_chat(chat)
        parent = None
        for number, message_id in enumerate(ids):
            role = "assistant" if number % 2 else "user"
            text = f"Message {number}. " + "Some words that wrap. " * (number % 40)
            store.save_message(
                Message(message_id, chat.id, parent, role, text, model="Guide"), as_leaf=True
            )
            parent = message_id
    return chat.id, ids


def opened(start: Start, chat_id):
    run = start().ready()
    run.window.chats.open(chat_id)
    view = run.pane.transcript
    run.until(lambda: rows_alive(view) > 0)
    return run, view


def test_only_messages_near_the_viewport_are_widgets(start: Start, long_chat):
    run, view = opened(start, long_chat[0])
    assert rows_alive(view) < 30
    assert view.row(long_chat[1][-1]) is not None
    bar = view.verticalScrollBar()
    for place in (0.7, 0.4, 0.0):
        bar.setValue(round(bar.maximum() * place))
        assert 0 < rows_alive(view) < 30
    assert view.row(long_chat[1][0]) is not None
    assert view.row(long_chat[1][-1]) is None
    # A search match is scrolled into view, and resizing keeps the position.
    run.window.chats.open_at(long_chat[0], long_chat[1][100])
    row = view.row(long_chat[1][100])
    assert 0 <= row.y() < view.height()
    first = view._anchor()[0]
    run.window.resize(900, 700)
    run.until(lambda: not view._layout_timer.isActive())
    assert view._anchor()[0] is first


def test_chat_opens_at_end_and_follows_it_only_there(start: Start, long_chat):
    run, view = opened(start, long_chat[0])
    bar = view.verticalScrollBar()
    assert view.following
    assert bar.value() == bar.maximum()
    run.say("hold 300")
    run.until(lambda: "300" in run.answer(run.pane))
    assert bar.value() == bar.maximum()
    bar.setValue(bar.maximum() // 2)
    assert not view.following
    assert view._jump.isVisible()
    before = view._anchor()
    run.engine.release()
    run.answered()
    run.until(lambda: not view._layout_timer.isActive())
    assert view._anchor() == before
    view._jump.click()
    assert view.following
    assert bar.value() == bar.maximum()


def test_scrolling_almost_to_the_end_follows_it(start: Start, long_chat):
    _, view = opened(start, long_chat[0])
    bar = view.verticalScrollBar()
    for pixels in (1, 4):
        bar.setValue(bar.maximum() - 60)
        assert not view.following
        bar.setValue(bar.maximum() - pixels)  # as with a touchpad
        assert view.following
        assert bar.value() == bar.maximum()


def test_new_line_is_painted_once(start: Start, long_chat):
    run, view = opened(start, long_chat[0])
    run.say("hold 300")
    run.until(lambda: "300" in run.answer(run.pane))
    row = view.row(run.pane.chat.reply.message_id)
    assert isinstance(row, AnswerRow)
    painted: list[bool] = []

    class Looks(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                painted.append(row._view.height() >= row.markdown.document.size().height())
            return False

    looks = Looks()
    row._view.viewport().installEventFilter(looks)
    for number in range(5):
        painted.clear()
        row.append(f"\n\nParagraph {number}.", "answer")
        row.markdown.refresh()
        run.until(lambda: painted)
        assert painted == [True]
    run.engine.release()
    run.answered()


def test_find_leads_from_message_to_message(start: Start, long_chat, qtbot: QtBot):
    run, view = opened(start, long_chat[0])
    run.window.commands["find"].trigger()
    assert run.pane.find_bar.field.hasFocus()
    qtbot.keyClicks(run.pane.find_bar.field, "message 7")
    # 7 and 70 to 79: eleven messages, the last of which is nearest to the visible end.
    assert run.marks() == "11 of 11"
    assert view.row(long_chat[1][79]) is not None
    qtbot.keyClick(run.pane.find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert run.marks() == "10 of 11"
    assert view.row(long_chat[1][78]) is not None
    qtbot.keyClick(run.pane.find_bar.field, Qt.Key.Key_Return)
    qtbot.keyClick(run.pane.find_bar.field, Qt.Key.Key_Return)
    assert run.marks() == "1 of 11"
    assert view.row(long_chat[1][7]) is not None
    qtbot.keyClick(run.pane.find_bar.field, Qt.Key.Key_Escape)
    assert not run.pane.find_bar.isVisible()
    assert run.pane.composer.field.hasFocus()
    # A search starts in view.
    view.show_message(long_chat[1][74])
    run.window.commands["find"].trigger()
    run.pane.find_bar.field.clear()
    qtbot.keyClicks(run.pane.find_bar.field, "message 7")
    assert run.marks() == "6 of 11"
    assert view.row(long_chat[1][74]).y() >= 0


def test_home_and_end_keys_scroll_from_empty_message(start: Start, long_chat, qtbot: QtBot):
    run, view = opened(start, long_chat[0])
    field, bar = run.pane.composer.field, view.verticalScrollBar()
    qtbot.keyClick(field, Qt.Key.Key_Home, CTRL)
    assert bar.value() == 0
    assert not view.following
    qtbot.keyClick(field, Qt.Key.Key_End, CTRL)
    assert bar.value() == bar.maximum()
    assert view.following
    qtbot.keyClicks(field, "words")
    qtbot.keyClick(field, Qt.Key.Key_Home, CTRL)
    assert bar.value() == bar.maximum(), "they move in what is written"


def test_tab_scrolls_to_the_links_of_a_reply(start: Start, profile):
    profile.mkdir(parents=True)
    chat, answer = ChatRecord(id=new_id(), title="Links", model="guide"), new_id()
    text = "[one](https://a.example)\n\n" + "Words.\n\n" * 60 + "[two](https://b.example)"
    with Store.open(profile / "chats.db") as store:
        store.save_chat(chat)
        store.save_message(Message(answer, chat.id, None, "assistant", text), as_leaf=True)
    run, view = opened(start, chat.id)
    row = view.row(answer)
    link = row.findChild(MarkdownView)
    run.until(lambda: link.count_stops() == 2)
    row.setFocus()
    for word in ("one", "two"):
        row.focusNextPrevChild(True)
        assert link.textCursor().selectedText() == word
        place = link.mapTo(view.viewport(), link.cursorRect().center())
        assert view.viewport().rect().contains(place)


def test_hidden_tab_renders_when_shown(run: Run):
    pane = run.say("hold 30")
    run.until(lambda: "5" in run.answer(pane))
    run.window.chats.new()
    run.engine.release()
    run.answered(pane)
    assert rows_alive(pane.transcript) <= 1
    run.window.workspace.activate(pane)
    answer = pane.chat.transcript.last("assistant")
    run.until(lambda: pane.transcript.row(answer.id) is not None)
    assert pane.transcript.row(answer.id).text.endswith("30 end")


def test_huge_pasted_message_is_laid_out_in_chunks(start: Start, monkeypatch):
    monkeypatch.setattr(UserRow, "PIECE", 500)
    run = start().ready()
    text = "\r\n".join(f"line {n:03}" for n in range(200))
    run.pane.chat.turn.send(text)
    run.answered()
    question = run.pane.chat.transcript.last("user")
    text = question.content
    run.pane.transcript.show_message(question.id)
    row = run.pane.transcript.row(question.id)
    shown = text.replace("\r\n", "\n")

    def laid_out() -> int:
        plain = row._document.toPlainText()
        assert shown.startswith(plain)
        return len(plain)

    first = laid_out()
    assert 0 < first <= 500
    assert not row._more_text_link.isVisible()
    row._fold_link.click()
    run.until(row._more_text_link.isVisible)
    low = row.height()
    row._more_text_link.click()
    run.until(lambda: row.height() > low)
    second = laid_out()
    assert first < second <= 1_001
    bar = run.pane.find_bar
    bar.open_bar()
    bar.field.setText("line")
    run.until(lambda: bar.count.text().endswith(" of 400"))  # the reply repeats the message
    bar.field.setText("line 120")
    run.until(lambda: bar.count.text() == "1 of 2")
    assert second < laid_out() < len(shown), "as far as the words found"
    while row._more_text_link.isVisible():
        before = laid_out()
        row._more_text_link.click()
        assert laid_out() > before
        run.pane.transcript.lay_out()
    assert laid_out() == len(shown)
    assert row._fold_link.text() == "Show Less"
    run.pane.act(Action.COPY, question.id)
    assert QApplication.clipboard().text() == text


def test_huge_message_is_laid_out_in_part(start: Start, profile, monkeypatch):
    """Imported files can contain such messages. Copies and exports are complete."""
    for module in (answer_row, user_row):
        monkeypatch.setattr(module, "MOST_LAID_OUT", 10_000)
    long = "some *words* in a line\n\n" * 1_000
    chat = ChatRecord(new_id(), "Long")
    question = Message(new_id(), chat.id, None, "user", long)
    answer = Message(new_id(), chat.id, question.id, "assistant", long, long)
    with Store.open(profile / "chats.db") as store:
        store.exchange.add_chats([(replace(chat, leaf_id=answer.id), [question, answer])])
    run = start().ready()
    run.window.chats.open(chat.id)
    why_not, over = run.pane.chat.why_not, run.pane.transcript.viewport()
    said, asked = AnswerRow(answer, why_not, over), UserRow(question, why_not, over)
    for text in (said.text, asked._document.toPlainText()):
        assert text.startswith(long[:9_000])
        assert text.endswith("\n… 14,000 more characters")
    said.deleteLater()
    asked.deleteLater()
    assert run.pane.chat.reply.message(answer.id).content == long
    run.pane.act(Action.COPY)
    assert QApplication.clipboard().text() == long


def test_unknown_error_code_is_shown_as_error():
    message = Message(new_id(), "c", None, "assistant", "", status="error", error="No.")
    for code in ([1], {"a": 1}, 5, None, "out_of_memory"):
        found = remedies(replace(message, stats={"code": code}), lambda *_: None)
        assert [each.words for each in found][:1] == ["Try Again"]


def test_damaged_chats_do_not_prevent_start(start: Start, profile, qtbot: QtBot):
    """The other chats open, and damaged chats are reported as unreadable."""
    run = start().ready()
    damaged = {}
    for column in ("stats", "attachments", "created_at"):
        run.ask("say one")
        damaged[run.pane.chat.id] = column
        run.window.commands["split_right"].trigger()
    run.ask("say two")
    sound = run.pane.chat.id
    run.end()
    with closing(sqlite3.connect(profile / "chats.db", isolation_level=None)) as db:
        for chat_id, column in damaged.items():
            db.execute(f"UPDATE messages SET {column} = '[[[' WHERE chat_id = ?", (chat_id,))
    with qtbot.captureExceptions() as caught:
        again = start()
    assert [pane.chat.id for pane in again.panes] == [sound]
    assert [getattr(error, "code", "") for _, error, _ in caught] == ["corrupt"] * len(damaged)
