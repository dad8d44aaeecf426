"""An answer that was cut says why, and can go on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chats.actions import Action, cut_off
from app.store import Message, new_id
from app.ui.style.figures import figures_line
from app.ui.style.theme import Theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import state
from app.ui.transcript.user_row import UserRow
from tests.app.conftest import Start


@pytest.mark.parametrize(
    ("reason", "shown", "figures"),
    [
        ("length", "length limit reached", "length limit reached"),
        ("memory", "memory full", "memory full"),
    ],
)
def test_an_answer_that_was_cut_says_why(reason: str, shown: str, figures: str) -> None:
    message = Message("1", "2", None, "assistant", "A river is", stats={"reason": reason})
    assert cut_off(message)
    assert state(message) == shown
    assert figures_line(message.stats) == figures


def test_an_answer_that_goes_on_streams_also_while_its_model_is_loaded(start: Start) -> None:
    run = start().ready()
    run.say("hold 3")
    run.until(lambda: "2" in run.answer(run.pane))
    run.pane.act(Action.STOP)
    run.until(lambda: not run.pane.chat.answering)
    chat = run.pane.chat
    last = chat.transcript.last("assistant")
    assert last is not None
    row = run.pane.transcript.row(last.id)
    assert isinstance(row, AnswerRow)
    assert run.engine is not None
    run.engine.loading.clear()
    run.app.loader.unload(chat.record.model)
    chat.set_model(str(run.app.paths.data / "Other-3B"))
    assert chat.continue_answer(last.id)
    assert chat.waits_for
    assert row.streaming
    row.setFocus()
    shown = row.grab().toImage()
    row.message = replace(row.message, stats={})
    assert row.grab().toImage() == shown, "no figures of what the reply was before"
    run.engine.loading.set()


@pytest.mark.parametrize(("reason", "matters"), [("stop", False), ("length", True)])
def test_figures_of_the_newest_reply_show_at_rest_only_while_they_matter(
    look: Theme, qtbot: QtBot, reason: str, matters: bool
) -> None:
    stats = {"reason": reason, "tokens_per_s": 48.0, "generated_tokens": 3}
    message = Message(new_id(), new_id(), None, "assistant", "Done.", model="Guide", stats=stats)
    home = QWidget()
    qtbot.addWidget(home)
    row = AnswerRow(message, lambda _action, _id: None, home)
    row.set_last(True)
    assert row._figures_matter() is matters


def test_versions_stand_in_line_with_their_message(look: Theme, qtbot: QtBot) -> None:
    asked = Message(new_id(), new_id(), None, "user", "Why?")
    told = Message(new_id(), new_id(), None, "assistant", "So.", model="Guide")
    home = QWidget()
    qtbot.addWidget(home)
    question = UserRow(asked, lambda _action, _id: None, home)
    answer = AnswerRow(told, lambda _action, _id: None, home)
    for row in (question, answer):
        row.set_alternative(2, 3)
        row.arrange(600)
    assert abs(question._next.geometry().right() - question._block.right()) <= 5
    assert abs(answer._previous.geometry().left() - answer._view.geometry().left()) <= 5
