"""An answer that was cut says why, and can go on."""

from __future__ import annotations

import pytest

from app.chats.actions import Action, cut_off
from app.store import Message
from app.ui.style.figures import figures_line
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import state
from tests.app.conftest import Start


@pytest.mark.parametrize(
    ("reason", "shown", "figures"),
    [
        ("length", "length limit reached", "cut at its length limit"),
        ("memory", "memory full", "cut off: the memory was full"),
    ],
)
def test_an_answer_that_was_cut_says_why(reason: str, shown: str, figures: str) -> None:
    message = Message("1", "2", None, "assistant", "A river is", stats={"reason": reason})
    assert cut_off(message)
    assert state(message) == shown
    assert figures_line(message.stats) == figures


def test_an_answer_that_goes_on_streams_also_while_its_model_is_loaded(start: Start) -> None:
    run = start()
    run.ready()
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
    run.engine.loading.set()
