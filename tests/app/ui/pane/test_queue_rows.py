"""Rows of queued messages."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.ui.pane.pane import ChatPane
from app.ui.pane.queue_view import QueuedRow
from tests.app.conftest import Run

KEY = Qt.Key


def busy(run: Run, *texts: str) -> ChatPane:
    pane = run.say("hold 2")
    run.until(lambda: run.answer(pane))
    for text in texts:
        run.say(text)
    return pane


def rows(pane: ChatPane) -> list[QueuedRow]:
    return list(pane.queue.rows.values())


def queued(pane: ChatPane) -> list[str]:
    return [each.text for each in pane.chat.queue.messages]


def test_enter_queues_messages_and_announces_them(run: Run):
    pane = busy(run, "say one", "say two")
    assert (pane.composer.text, queued(pane)) == ("", ["say one", "say two"])
    assert pane.queue.isVisible()
    assert not pane.queue.send.isVisible()
    names = ["Queued message 1: say one", "Queued message 2: say two"]
    assert [row.accessibleName() for row in rows(pane)] == names
    run.engine.release()
    run.until(lambda: len(pane.chat.transcript.path) == 6 and not pane.chat.turn.is_at_work)
    said = [m.content for m in pane.chat.transcript.path]
    assert said[2:] == ["say one", "one ", "say two", "two "]
    assert not pane.queue.isVisible()


def test_queue_is_edited_by_keyboard(run: Run):
    pane = busy(run, "say one", "say two", "say three")
    bot, field = run.qtbot, pane.composer.field
    # Up in an empty message edits the last one; Esc restores it.
    bot.keyClick(field, KEY.Key_Up)
    assert pane.composer.text == "say three"
    bot.keyClick(field, KEY.Key_Escape)
    assert (pane.composer.text, queued(pane)[2], pane.chat.reply.is_active) == (
        "",
        "say three",
        True,
    )
    first, second, third = rows(pane)
    first.setFocus()
    bot.keyClick(first, KEY.Key_Down)
    assert second.hasFocus()
    bot.keyClick(second, KEY.Key_Return)
    assert (pane.composer.text, field.hasFocus()) == ("say two", True)
    bot.keyClicks(field, " more")
    bot.keyClick(field, KEY.Key_Return)
    assert (queued(pane)[1], pane.composer.text) == ("say two more", "")
    assert rows(pane) == [first, second, third]
    second.setFocus()
    bot.keyClick(second, KEY.Key_Delete)
    assert queued(pane) == ["say one", "say three"]
    assert third.hasFocus()
    # The toast restores it in its place.
    run.window.commands["undo_close"].trigger()
    assert queued(pane) == ["say one", "say two more", "say three"]
    for _ in range(3):
        row = rows(pane)[0]
        row.setFocus()
        bot.keyClick(row, KEY.Key_Backspace)
    assert (queued(pane), field.hasFocus()) == ([], True)


def test_queue_is_held_after_stop_until_send(run: Run):
    pane = busy(run, "say one", "say two")
    run.qtbot.keyClick(pane.composer.field, KEY.Key_Escape)
    run.until(lambda: not pane.chat.reply.is_active)
    assert queued(pane) == ["say one", "say two"]
    run.qtbot.mouseClick(pane.queue.send, Qt.MouseButton.LeftButton)
    run.until(lambda: len(pane.chat.transcript.path) == 6 and not pane.chat.turn.is_at_work)
    assert run.answer(pane) == "two "
