"""Typing, sending, streaming, stopping and regenerating in one pane."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.app.conftest import Run, Start


def row_of(pane, role="assistant"):
    return pane.transcript.row(pane.chat.transcript.last(role).id)


def test_shift_enter_breaks_line_without_sending(start: Start, qtbot: QtBot):
    run = start()
    field = run.pane.composer.field
    qtbot.keyClicks(field, "one")
    before = run.pane.composer.height()
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(field, "two")
    assert run.pane.composer.text == "one\ntwo"
    assert run.pane.composer.height() > before
    assert run.pane.chat.transcript.path == []

    # The composer grows to two fifths of the pane and then scrolls.
    run.pane.composer.set_text("line\n" * 200)
    assert run.pane.composer.height() <= round(run.pane.height() * 0.4)
    assert run.pane.composer.field.verticalScrollBar().maximum() > 0


def test_escape_stops_and_keeps_text(run: Run, qtbot: QtBot):
    pane = run.say("hold 5")
    run.until(lambda: run.answer(pane).startswith("1 2 3 4 5"))
    assert pane.composer.button.stops
    qtbot.keyClick(pane.composer.field, Qt.Key.Key_Escape)
    assert run.answered() == "1 2 3 4 5 "
    assert pane.chat.transcript.last("assistant").status == "cancelled"
    assert not pane.composer.button.stops

    # The round button sends and stops.
    qtbot.keyClicks(run.pane.composer.field, "hold 3")
    qtbot.mouseClick(run.pane.composer.button, Qt.MouseButton.LeftButton)
    run.until(lambda: run.answer(run.pane))
    qtbot.mouseClick(run.pane.composer.button, Qt.MouseButton.LeftButton)
    run.answered()
    assert run.pane.chat.transcript.last("assistant").status == "cancelled"

    # Text sent during a reply waits for its end.
    pane = run.say("hold 2")
    run.until(lambda: run.answer(pane))
    run.say("next question")
    assert [each.text for each in pane.chat.queue.messages] == ["next question"]
    assert (pane.composer.text, len(pane.chat.transcript.path)) == ("", 6)
    run.engine.release()
    run.until(lambda: len(pane.chat.transcript.path) == 8)
    assert run.answered() == "You said: next question"


def test_reasoning_is_separate_and_collapsible(run: Run):
    pane = run.say("think")
    assert run.answered() == "Thought."
    message = pane.chat.transcript.last("assistant")
    assert message.reasoning == "Let me see. Yes."
    assert message.stats["thought_s"] >= 0
    run.until(lambda: row_of(pane) is not None)
    fold = row_of(pane)._reasoning._fold
    assert not fold.isChecked()

    # An error is shown instead of the reply, and can be retried.
    pane = run.say("fail")
    assert run.answered() == "So far "
    assert pane.chat.transcript.last("assistant").error.startswith("Not enough memory")
    run.until(lambda: row_of(pane) is not None and row_of(pane).error.buttons)
    run.qtbot.mouseClick(row_of(pane).error.buttons[0], Qt.MouseButton.LeftButton)
    assert len(run.engine.sent) == 3
    run.answered()

    # A message that's too long can be edited.
    run.window.chats.new()
    run.ready()
    pane = run.say("overflow of words")
    run.answered()
    run.until(lambda: row_of(pane) is not None and row_of(pane).error.buttons)
    run.qtbot.mouseClick(row_of(pane).error.buttons[0], Qt.MouseButton.LeftButton)
    assert pane.composer.text == "overflow of words"
    assert pane.composer.editing


def test_answer_again_keeps_the_first_answer(run: Run, qtbot: QtBot):
    pane = run.say("say hello")
    run.answered()
    run.window.commands["regenerate"].trigger()
    run.answered()
    last = pane.chat.transcript.last("assistant")
    assert len(pane.chat.transcript.alternatives(last.id)) == 2
    run.until(lambda: row_of(pane) is not None and row_of(pane)._previous.isVisible())
    qtbot.mouseClick(row_of(pane)._previous, Qt.MouseButton.LeftButton)
    assert pane.chat.transcript.last("assistant").id != last.id

    # The Up key edits the last message.
    run.window.chats.new()
    run.ready()
    pane = run.say("say hallo")
    run.answered()
    qtbot.keyClick(pane.composer.field, Qt.Key.Key_Up)
    assert pane.composer.text == "say hallo"
    assert pane.composer.editing
    pane.composer.set_text("say hello")
    qtbot.keyClick(pane.composer.field, Qt.Key.Key_Return)
    assert run.answered() == "hello "
    assert [m.content for m in pane.chat.transcript.path] == ["say hello", "hello "]
    question = pane.chat.transcript.last("user")
    assert len(pane.chat.transcript.alternatives(question.id)) == 2
    assert not pane.composer.editing


def test_chats_continue_after_engine_failure(run: Run):
    first = run.say("say one")
    run.answered()
    run.window.chats.split("right")
    run.ask("break")
    assert run.engine.loads == 1
    last = run.pane.chat.transcript.last("assistant")
    assert (last.status, last.content) == ("error", "So far ")
    run.say("say two", first)
    assert run.answered(first) == "two "
    assert run.engine.loads == 2
    sessions = [reply.session for reply in run.engine.sent if reply.session.id == first.chat.id]
    assert sessions[0] is not sessions[-1]
    run.say("say three")
    assert run.answered() == "three "
    assert run.engine.loads == 2
