"""Faults that random actions of a person have found (`tests.app.person`), each once more."""

from __future__ import annotations

from dataclasses import replace

from app.chats.actions import Action
from app.ui.pane.options_popover import OptionsPopover
from app.ui.transcript.answer_row import AnswerRow
from tests.app.conftest import Run, Start


def answer_row(run: Run, number: int) -> AnswerRow:
    """The row of the chat's so many'th message; it is on screen."""
    message = run.pane.chat.transcript.path[number]
    run.until(lambda: run.pane.transcript.row(message.id))
    row = run.pane.transcript.row(message.id)
    assert isinstance(row, AnswerRow)
    return row


def test_a_button_says_why_also_after_the_message_has_another_place(start: Start):
    """ "The seed of the last answer is not known" was said of one that was not the last any more."""
    run = start()
    run.ready()
    run.pane.chat.set_model("/models/broken")
    run.say("say one")
    run.answered()
    row = answer_row(run, 1)
    assert row._same.toolTip() == "The seed of the last answer is not known"
    run.say("say two")
    run.answered()
    assert row._same.toolTip() == "The seed of this answer is not known"
    run.pane.act(Action.DELETE, run.pane.chat.transcript.path[2].id)
    assert row._same.toolTip() == "The seed of the last answer is not known"


def test_an_answer_that_was_stopped_is_painted_while_it_goes_on(start: Start):
    """Its place in the layout is that of before until the next one: painting raised KeyError."""
    run = start()
    run.ready()
    run.say("hold 2")
    run.until(lambda: "2" in run.answer(run.pane))
    run.pane.act(Action.STOP)
    run.answered()
    row = answer_row(run, 1)
    run.until(lambda: not row._mark.isEmpty())
    row.set_message(replace(row.message, status="streaming"))
    row.grab()  # an error in painting fails the test


def test_a_seed_that_is_not_known_any_more_does_not_stay_as_none(start: Start):
    """The panel is open while another branch, without a seed, comes on screen."""
    run = start()
    run.ready()
    run.say("say one")
    run.answered()
    popover = OptionsPopover(run.pane.chat, run.window)
    popover.show()
    assert popover.same.isVisible()
    run.pane.act(Action.DELETE, run.pane.chat.transcript.path[0].id)
    popover.same.click()
    assert popover.seed.text() == ""
    popover.close()
    assert run.pane.chat.options.seed is None


def test_what_was_asked_of_the_engine_once_leaves_no_channel(start: Start):
    """The score asks five times a second, and each question left one."""
    run = start()
    run.ready()
    before = len(run.app.bridge._handlers)
    for _ in range(20):
        answers: list[object] = []
        run.app.bridge.when_done(run.engine.stats_later(), answers.append)
        run.until(lambda answers=answers: answers)
    assert len(run.app.bridge._handlers) == before
