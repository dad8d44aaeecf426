"""Truncated replies."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from app.chats import panel
from app.chats.actions import BUSY, Action, ending_note, is_cut_off
from app.chats.transcript import Transcript, tokens_of_last_turn
from app.store import Message, new_id
from app.store.records import Status
from app.ui.style.figures import figures_line
from app.ui.style.theme import Theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import state_text
from tests.app.conftest import Run


def test_reply_that_repeats_itself_says_so() -> None:
    stats = {"reason": "length", "repeated_tokens": 256}
    message = Message("1", "2", None, "assistant", "A river is", stats=stats)
    assert is_cut_off(message)
    assert ending_note(message)
    assert state_text(message) == "stopped"
    assert figures_line(message.stats) == ""
    cut = replace(message, stats={"reason": "length", "repeated_tokens": 0})
    assert ending_note(cut) not in {"", ending_note(message)}


@pytest.mark.parametrize(
    ("reason", "note"),
    [("length", "Length limit reached"), ("memory", "Memory full"), ("stop", ""), ([], "")],
)
def test_reply_that_was_cut_off_says_why(
    look: Theme, qtbot: QtBot, reason: object, note: str
) -> None:
    stats = {"reason": reason, "tokens_per_s": 48.2, "generated_tokens": 512}
    message = Message("1", "2", None, "assistant", "A river is", stats=stats)
    home = QWidget()
    qtbot.addWidget(home)
    row = AnswerRow(message, lambda *_, **__: "", home)
    row.set_last(True)
    row.arrange(260)
    assert row._end_text == note
    assert row._mark_area.isEmpty() is (not note)
    assert bool(note) is ("limit" in state_text(message) or "memory" in state_text(message))
    assert figures_line(stats) == "48 tok/s · first token 0 ms · 512 tokens"


def test_tooltip_explains_the_figures(run: Run) -> None:
    run.window.resize(1200, 900)
    run.ask("say one")
    last = run.pane.chat.transcript.last("assistant")
    row = run.pane.transcript.row(last.id)
    assert isinstance(row, AnswerRow)

    def tooltip_at(at: QPoint) -> str:
        QApplication.sendEvent(row, QHelpEvent(QEvent.Type.ToolTip, at, row.mapToGlobal(at)))
        return QToolTip.text() if QToolTip.isVisible() else ""

    right_end = QPoint(row.width() - 4, row.height() - 12)
    run.qtbot.mouseMove(row, right_end)
    row.show_actions()
    row.grab()
    assert tooltip_at(QPoint(4, 4)) == ""
    run.until(lambda: row.grab() and figures_line(last.stats) in tooltip_at(right_end))
    assert "time until the reply began" in QToolTip.text()


@pytest.mark.parametrize("bad", [None, "x", [], {}, 1e300, 2**70, "\ud800"])
def test_reply_with_damaged_stats_is_shown(run: Run, bad: object) -> None:
    run.say("hello")
    run.until(lambda: not run.pane.chat.reply.is_active)
    last = run.pane.chat.transcript.last("assistant")
    assert last is not None
    row = run.pane.transcript.row(last.id)
    assert isinstance(row, AnswerRow)
    for name in (*last.stats, "thought_s", "repeated_tokens", "same"):
        damaged = replace(last, stats={**last.stats, name: bad}, reasoning="Hm")
        row.set_message(damaged)
        assert not row.grab().isNull()
        tree = Transcript([replace(damaged, parent_id=None)], damaged.id)
        assert tokens_of_last_turn(tree)[0] >= 0
        assert panel.ballots([damaged])


def test_continued_reply_streams_during_load(run: Run) -> None:
    run.say("hold 3")
    run.until(lambda: "2" in run.answer(run.pane))
    run.pane.act(Action.STOP)
    run.until(lambda: not run.pane.chat.reply.is_active)
    chat = run.pane.chat
    last = chat.transcript.last("assistant")
    row = run.pane.transcript.row(last.id)
    assert isinstance(row, AnswerRow)
    run.engine.loading.clear()
    run.app.loader.unload(chat.record.model)
    chat.model.set(str(run.app.paths.data / "Other-3B"))
    assert chat.continue_answer(last.id)
    assert chat.reply.awaited_models
    assert row.is_streaming
    run.engine.loading.set()


@pytest.mark.parametrize(
    ("content", "status", "why_not", "offered"),
    [
        ("So far", "interrupted", "", "Continue"),
        ("So far", "interrupted", BUSY, "Continue"),
        ("So far", "interrupted", "Its machine cannot continue.", "Regenerate"),
        ("So far", "cancelled", "Its machine cannot continue.", "Regenerate"),
        ("", "interrupted", "There’s nothing to continue.", "Regenerate"),
        ("", "cancelled", "There’s nothing to continue.", ""),
        ("So far", "complete", "The reply is complete.", ""),
        ("", "complete", "The reply is complete.", "Regenerate"),
    ],
)
def test_truncated_answer_offers_available_actions(
    look: Theme, qtbot: QtBot, content: str, status: Status, why_not: str, offered: str
) -> None:
    message = Message(new_id(), new_id(), None, "assistant", content, status=status)
    home = QWidget()
    qtbot.addWidget(home)

    def refuse(action: Action, message_id: str, *, at_rest: bool = False) -> str:
        return "" if action is not Action.CONTINUE or (at_rest and why_not == BUSY) else why_not

    row = AnswerRow(message, refuse, home)
    asked: list[Action] = []
    row.action_requested.connect(lambda what, _id: asked.append(what))
    row.set_last(True)
    row.show_actions()
    assert ("" if row.next_step_button.isHidden() else row.next_step_button.text()) == offered
    row.next_step_button.click()
    wanted = {"Continue": [Action.CONTINUE], "Regenerate": [Action.REGENERATE]}
    assert asked == ([] if why_not == BUSY else wanted.get(offered, []))


def test_failed_reply_is_not_awaited(look: Theme, qtbot: QtBot) -> None:
    message = Message(new_id(), new_id(), None, "assistant", "", status="streaming")
    home = QWidget()
    qtbot.addWidget(home)
    row = AnswerRow(message, lambda *_, **__: "", home)
    row.set_silent("No reply from this computer for 28 s")
    assert not row.silence.isHidden()
    row.set_message(replace(message, status="error", error="The connection was lost."))
    assert row.silence.isHidden()
