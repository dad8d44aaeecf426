"""Conversations and messages that exceed the model's context."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.ui.pane.options_popover import OptionsPopover
from app.ui.transcript.user_row import LEFT_OUT, UserRow
from tests.app.conftest import Run

REST = ["Edit Message", "Delete Message", "Choose Another Model…"]
"""Actions offered besides dropping the oldest turns."""


def remedies(run: Run) -> dict:
    last = run.pane.chat.transcript.last("assistant")
    run.until(
        lambda: run.pane.transcript.row(last.id) and run.pane.transcript.row(last.id).error.buttons
    )
    return {button.text(): button for button in run.pane.transcript.row(last.id).error.buttons}


def test_button_drops_oldest_turns(run: Run):
    run.ask("say one")
    run.ask("overflow")
    ways = remedies(run)
    assert list(ways) == ["Leave Out Oldest Messages", *REST]
    run.qtbot.mouseClick(ways["Leave Out Oldest Messages"], Qt.MouseButton.LeftButton)
    assert run.answered() == "Without the oldest."
    assert run.pane.chat.options.slide
    assert "error" not in {message.status for message in run.pane.chat.transcript.path}


def test_message_too_long_is_left_out_later(run: Run):
    """Regression test: the chat was stuck, because each later turn failed in the same way."""
    run.ask("say one")
    run.ask("toolong " + "words " * 30)
    row = run.pane.transcript.row(run.pane.chat.transcript.path[2].id)
    assert isinstance(row, UserRow)
    assert row.note == ""  # no note while it can still be edited or sent again
    run.say("say two")
    assert run.answered() == "two "
    turns = run.engine.sent[-1].turns
    assert [turn["content"] for turn in turns] == ["say one", "one ", "say two"]
    assert row.note == LEFT_OUT
    rows = [run.pane.transcript.row(m.id) for m in run.pane.chat.transcript.path]
    assert [r.note for r in rows if isinstance(r, UserRow)] == ["", LEFT_OUT, ""]
    run.pane.chat.delete_message(run.pane.chat.transcript.path[4].id)
    assert row.note == ""


def test_button_leaves_out_long_message_and_restores(run: Run):
    run.ask("say one")
    run.ask("toolong words")
    remedies(run)["Delete Message"].click()
    assert [m.content for m in run.pane.chat.transcript.path] == ["say one", "one "]
    run.window.commands["undo_close"].trigger()
    assert len(run.pane.chat.transcript.path) == 4
    remedies(run)["Choose Another Model…"].click()
    menu = QApplication.activePopupWidget()
    menu.close()


def test_single_long_message_offers_no_older_ones(run: Run):
    run.ask("say one")
    run.ask("huge words")
    assert list(remedies(run)) == REST
    chat = run.pane.chat
    chat.set_options(replace(chat.options, context=1024), chat.record.system)
    chat.regenerate()
    run.answered()
    ways = remedies(run)
    assert list(ways) == ["Edit Message", "Delete Message", "Chat Settings…", REST[-1]]
    ways["Chat Settings…"].click()
    run.until(lambda: run.window.findChild(OptionsPopover) is not None)


def test_old_error_offers_nothing_during_reply(run: Run):
    run.ask("say one")
    run.ask("huge words")
    card = run.pane.chat.transcript.last("assistant").id
    run.say("hold 2")
    run.until(lambda: run.answer(run.pane))
    row = run.pane.transcript.row(card)
    assert [button.text() for button in row.error.buttons] == REST
    run.engine.release()
    run.answered()
