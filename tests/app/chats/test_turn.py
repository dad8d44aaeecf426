"""State of a chat's turn in its pane."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.actions import BUSY, Action
from app.chats.turn import Draft, MessageEdit
from app.settings.settings import Settings
from app.store.operations import Operation, View
from app.ui.composer.composer import Composer
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.user_row import UserRow
from tests.app.conftest import Run, Start

ESCAPE, RETURN = Qt.Key.Key_Escape, Qt.Key.Key_Return


def editing(run: Run, draft: str = "a draft") -> str:
    run.ready()
    run.ask("say one")
    run.pane.composer.set_text(draft)
    question = run.pane.chat.transcript.path[0].id
    run.pane.transcript.action_requested.emit(Action.EDIT, question)
    assert run.pane.composer.editing
    return question


def test_edited_message_can_be_deleted(start: Start, qtbot: QtBot):
    run = start()
    question = editing(run)
    run.pane.composer.set_text("say two")
    run.pane.transcript.action_requested.emit(Action.DELETE, question)
    composer = run.pane.composer
    assert not composer.editing
    assert composer.text == "a draft"
    stored = run.app.store.chat(run.pane.chat.id)
    assert (stored.draft, stored.edited_id) == ("a draft", None)
    composer.set_text("say three")
    qtbot.keyClick(composer.field, RETURN)
    assert run.answered() == "three "
    assert composer.text == ""

    # Undoing the deletion of an edited message restores the edit, too.
    run.window.chats.new()
    question = editing(run)
    run.pane.composer.set_text("say two")
    run.pane.transcript.action_requested.emit(Action.DELETE, question)
    run.window.commands["undo_close"].trigger()
    assert run.pane.composer.editing
    assert run.pane.composer.text == "say two"
    assert run.pane.chat.compose == MessageEdit(question, "say two", Draft("a draft"))


def test_unfinished_edit_survives_a_restart(start: Start, qtbot: QtBot):
    run = start()
    question = editing(run)
    qtbot.keyClicks(run.pane.composer.field, " and more")
    run.end()
    run = start().ready()
    composer = run.pane.composer
    assert composer.editing
    assert composer.text == "say one and more"
    assert run.pane.chat.compose == MessageEdit(question, "say one and more", Draft("a draft"))
    qtbot.keyClick(composer.field, RETURN)
    assert run.answered() == "one and more "
    assert not composer.editing
    assert composer.text == "a draft"

    # Escape discards an edit permanently.
    composer.set_text("a draft")
    run.pane.transcript.action_requested.emit(Action.EDIT, run.pane.chat.transcript.path[0].id)
    assert composer.editing
    qtbot.keyClick(run.pane.composer.field, ESCAPE)
    run.end()
    run = start()
    assert run.pane.chat.compose == Draft("a draft")
    assert run.pane.composer.text == "a draft"


def test_sent_text_is_never_a_draft_again(run: Run, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    """Simulate a kill after each group of operations given to the store's writer."""
    writer, chat_id = run.app.store.writer, run.pane.chat.id
    groups: list[list[Operation]] = []
    queue = writer._queue

    def watched(operations: Sequence[Operation]) -> None:
        groups.append(list(operations))
        queue(operations)

    monkeypatch.setattr(writer, "_queue", watched)
    run.ask("say hello")
    view, kept = View(), set()
    for group in groups:
        for operation in group:
            operation.apply_to(view)
        if chat_id in view.chats:
            kept.add((bool(view.chats[chat_id].draft), len(view.messages)))
    assert kept == {(True, 0), (False, 2)}


def test_failed_enter_leaves_pane_as_it_was(run: Run, monkeypatch: pytest.MonkeyPatch):
    run.ask("say one")
    pane, chat = run.pane, run.pane.chat
    pane.composer.set_text("say two")

    def fails(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(chat.reply.generator, "generate", fails)
        with pytest.raises(RuntimeError):
            pane.act(Action.SEND)
    messages = [message.id for message in chat.transcript.path]
    assert [place.message_id for place in pane.transcript.places] == messages
    assert (len(messages), pane.composer.text, chat.compose) == (2, "say two", Draft("say two"))
    run.qtbot.keyClick(pane.composer.field, RETURN)
    assert run.answered() == "two "


def test_impossible_actions_are_disabled_with_reason(run: Run):
    run.ask("say one")
    run.say("hold 2")
    pane = run.pane
    rows = [pane.transcript.row(message.id) for message in pane.chat.transcript.path[:2]]
    assert [type(row) for row in rows] == [UserRow, AnswerRow]
    buttons = [rows[0]._edit, rows[0]._delete, rows[1]._retry, rows[1]._same, rows[1]._delete]
    assert [button.isEnabled() for button in buttons] == [False] * 5
    assert {button.toolTip() for button in buttons} == {BUSY}
    assert rows[1]._copy.isEnabled()
    assert rows[1]._branch.isEnabled()
    run.engine.release()
    run.answered()
    assert [button.isEnabled() for button in buttons] == [True] * 5
    assert BUSY not in {button.toolTip() for button in buttons}


def test_menu_in_new_chat_explains_disabled_actions(run: Run):
    run.qtbot.keyClick(run.pane.composer.field, RETURN)
    assert run.window.toast.text == run.pane.chat.why_not(Action.SEND) != ""
    run.say("hold 2")
    run.say("and this")
    assert (run.pane.composer.text, run.pane.composer.foot) == ("", "")
    assert [each.text for each in run.pane.chat.queue.messages] == ["and this"]
    before = run.pane.chat.transcript.path
    for command in ("regenerate", "same_again", "edit_last", "earlier", "later"):
        run.window.toast.show_text("")
        run.window.commands[command].trigger()
        assert run.window.toast.text == BUSY, command
        assert [m.id for m in run.pane.chat.transcript.path] == [m.id for m in before]


def test_enter_queues_and_ctrl_enter_steers(run: Run):
    pane, field = run.say("hold 2"), run.pane.composer.field
    run.until(lambda: run.answer(pane))
    run.say("say then")
    assert "Ctrl+Enter" in pane.queue.words.text()
    run.qtbot.keyClicks(field, "x")  # Ctrl+Enter now belongs to this message
    assert "Ctrl+Enter" not in pane.queue.words.text()
    run.qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert (pane.composer.text, [*pane.queue.rows]) == ("", [pane.chat.queue.messages[0].id])
    assert len(pane.chat.transcript.path) == 2
    run.qtbot.keyClick(field, RETURN, Qt.KeyboardModifier.ControlModifier)
    run.until(lambda: run.answer(pane) == "then ")  # starts an iteration later
    run.answered()
    assert [m.status for m in pane.chat.transcript.path] == ["complete", "cancelled"] + [
        "complete"
    ] * 2
    assert (pane.composer.text, pane.composer.foot) == ("", "")

    # Without a reply it acts like Enter. If Ctrl+Enter sends, plain Enter queues, and Shift inverts
    # it.
    run.qtbot.keyClicks(field, "hold 2")
    run.qtbot.keyClick(field, RETURN, Qt.KeyboardModifier.ControlModifier)
    run.until(lambda: run.answer(pane))
    run.app.settings.set(send_key="ctrl_enter")
    run.qtbot.keyClicks(field, "say last")
    run.qtbot.keyClick(field, RETURN, Qt.KeyboardModifier.ControlModifier)
    assert "Ctrl+Shift+Enter" in pane.queue.words.text()
    shifted = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    run.qtbot.keyClick(field, RETURN, shifted)
    run.until(lambda: run.answer(pane) == "last ")
    run.answered()


def test_input_method_text_can_be_sent(run: Run, qtbot: QtBot):
    composer = run.pane.composer
    assert not composer.button.isEnabled()
    QApplication.sendEvent(composer.field, QInputMethodEvent("ni hao", []))
    assert composer.text == ""
    assert composer.button.isEnabled()
    QApplication.sendEvent(composer.field, QInputMethodEvent("", []))
    assert not composer.button.isEnabled()
    QApplication.sendEvent(composer.field, QInputMethodEvent("say hello", []))
    qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert run.answered() == "hello "
    assert composer.text == ""


def test_dropped_file_is_attached_without_text(run: Run, tmp_path):
    field = run.pane.composer.field
    run.pane.composer.set_text("Read this: ")
    (tmp_path / "notes.txt").write_text("What is in it.")
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    assert field.canInsertFromMimeData(files)
    actions, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(4, 4), actions, files, button, none)
    QApplication.sendEvent(field.viewport(), enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(4, 4), actions, files, button, none)
    QApplication.sendEvent(field.viewport(), drop)
    assert run.pane.composer.text == "Read this: "
    assert run.pane.chat.attacher.reading == ("notes.txt",)
    link = QMimeData()
    link.setText("https://example.org")
    link.setUrls([QUrl("https://example.org")])
    field.insertFromMimeData(link)
    assert "https://example.org" in run.pane.composer.text


def test_paste_of_20_mb_is_refused_with_message(qtbot: QtBot) -> None:
    composer = Composer(Settings())
    qtbot.addWidget(composer)
    composer.set_text("kept")
    said: list[str] = []
    composer.field.text_rejected.connect(said.append)
    paste = QMimeData()
    paste.setText("A line of text.\n" * 1_300_000)
    composer.field.insertFromMimeData(paste)
    assert composer.text == "kept"
    assert len(said) == 1
    paste.setText(" and more")
    paste.setHtml("<div>" * 100_000)  # ignored, because there is a text
    composer.field.insertFromMimeData(paste)
    assert composer.text == "kept and more"
