"""One message to all panes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.app.conftest import Start


def test_a_message_goes_to_every_pane_while_broadcast_is_on(start: Start):
    run = start()
    run.ready()
    left = run.pane
    run.window.commands["split_right"].trigger()
    right = run.pane
    run.window.commands["broadcast"].trigger()
    assert run.window.commands["broadcast"].isChecked()
    assert left.composer.tinted
    assert right.composer.tinted
    assert right.composer.field.placeholderText() == "Message 2 chats…"
    run.say("say both")
    assert run.answered(left) == run.answered(right) == "both "
    run.window.commands["broadcast"].trigger()
    assert not left.composer.tinted
    run.say("say one")
    assert run.answered(right) == "one "
    assert run.answer(left) == "both "


def test_a_pane_opened_later_receives_too_and_a_closed_one_does_not(start: Start):
    run = start()
    run.ready()
    first = run.pane
    run.window.commands["broadcast"].trigger()
    run.window.commands["split_right"].trigger()
    second = run.pane
    assert second.composer.tinted
    run.window.commands["close"].trigger()
    run.say("say alone", first)
    assert run.answered(first) == "alone "
    assert second.chat.transcript.path == []


def test_a_pane_that_still_answers_is_left_out_and_the_person_hears_of_it(start: Start):
    run = start()
    run.ready()
    left = run.say("hold 2")
    run.until(lambda: run.answer(left))
    run.window.commands["split_right"].trigger()
    run.window.commands["broadcast"].trigger()
    run.say("say next")
    assert run.answered() == "next "
    assert "1 chat was still answering" in run.window.toast.text
    assert len(left.chat.transcript.path) == 2
    run.engine.release()
    run.answered(left)


def test_a_chat_can_leave_the_group_and_come_back(start: Start, qtbot: QtBot):
    run = start()
    run.ready()
    left = run.pane
    assert not left.composer.broadcast_button.isVisible()
    run.window.commands["split_right"].trigger()
    middle = run.pane
    run.window.commands["split_right"].trigger()
    right = run.pane
    run.window.commands["broadcast"].trigger()
    qtbot.mouseClick(left.composer.broadcast_button, Qt.MouseButton.LeftButton)
    assert [pane.composer.tinted for pane in (left, middle, right)] == [False, True, True]
    assert right.composer.field.placeholderText() == "Message 2 chats…"
    assert left.composer.field.placeholderText() == "Message Guide…"
    run.say("say two", right)
    assert run.answered(middle) == run.answered(right) == "two "
    assert left.chat.transcript.path == []
    run.say("say own", left)
    assert run.answered(left) == "own "
    assert run.answer(middle) == run.answer(right) == "two "
    run.window.workspace.activate(left)
    run.window.commands["broadcast_one"].trigger()
    run.say("say all", middle)
    assert [run.answered(p) for p in (left, middle, right)] == ["all "] * 3
    run.window.commands["broadcast"].trigger()
    assert not left.composer.broadcast_button.isVisible()
    run.window.workspace.activate(left)
    run.window.commands["broadcast_one"].trigger()
    assert run.window.toast.text == "Broadcast is off"
