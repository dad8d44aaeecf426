"""A chat's own model names it in the background, unless the user has set a title."""

from __future__ import annotations

import pytest

from app import flows
from tests.app.conftest import Run, Start

ASKED = "say cold dough rises slowly in winter"
FIRST_WORDS = ASKED
TITLE = "Cold dough in winter"


@pytest.fixture
def run(start: Start) -> Run:
    run = start().ready()
    run.engine.titles = [TITLE]
    return run


def rest(run: Run) -> None:
    """Let the idle time pass and wait for the resulting work."""
    titling = run.window.titling
    titling._rest.stop()
    before = flows.left()
    titling.look()
    run.until(lambda: flows.left() <= before)
    run.until(lambda: not titling.at_work)


def exchange(run: Run, text: str = ASKED) -> str:
    run.ask(text)
    return run.pane.chat.id


def test_after_the_first_exchange_the_model_names_the_chat(run: Run):
    chat_id = exchange(run)
    assert run.app.library.chat(chat_id).title == FIRST_WORDS
    rest(run)
    record = run.app.library.chat(chat_id)
    assert (record.title, record.titled_by) == (TITLE, "model")
    assert run.pane.chat.title == TITLE
    assert run.app.store.chat(chat_id).title == TITLE
    asked = run.engine.asked[0]
    assert asked.session.options["reasoning"] is False
    assert ASKED in asked.turns[0]["content"]
    exchange(run, "say more")
    rest(run)
    assert len(run.engine.asked) == 1  # only once


def test_manual_title_is_never_overwritten(run: Run):
    chat_id = exchange(run)
    run.app.library.rename(chat_id, "My bread")
    rest(run)
    assert run.engine.asked == []
    assert run.app.library.chat(chat_id).title == "My bread"


def test_title_typed_meanwhile_is_kept(run: Run):
    run.engine.titles = ["hold 2"]
    chat_id = exchange(run)
    titling = run.window.titling
    titling.look()
    run.until(lambda: titling.at_work)
    run.app.library.rename(chat_id, "My bread")
    titling._asked.output = TITLE
    run.engine.release()
    run.until(lambda: not titling.at_work)
    assert run.app.library.chat(chat_id).title == "My bread"


def test_model_with_useless_titles_is_no_longer_used(run: Run):
    run.engine.titles = ["Once upon a time a fox lived here"] * 5
    for _ in range(4):
        run.window.chats.new()
        run.ready()
        chat_id = exchange(run)
        rest(run)
        assert run.app.library.chat(chat_id).title == FIRST_WORDS
    assert len(run.engine.asked) == 3


def test_truncated_title_is_dropped(run: Run):
    run.engine.titles = ["cut"]
    chat_id = exchange(run, "say So far the dough")
    rest(run)
    assert len(run.engine.asked) == 1
    assert run.app.library.chat(chat_id).titled_by == ""


def test_title_request_restarts_after_a_reply(run: Run):
    run.engine.titles = ["hold 2", "Nothing", TITLE]
    chat_id = exchange(run)
    titling = run.window.titling
    titling.look()
    run.until(lambda: titling.at_work)
    run.window.chats.new()
    run.ready()
    run.say("hold 3")
    assert not titling.at_work
    assert run.engine.asked[0].cancelled.is_set()
    titling.look()
    assert not titling.at_work  # a chat is being answered
    run.engine.release()
    run.answered()
    rest(run)  # most recent first
    assert run.app.library.chat(chat_id).title == FIRST_WORDS
    rest(run)
    assert run.app.library.chat(chat_id).title == TITLE


def test_other_programs_precede_titles(run: Run):
    exchange(run)
    other = run.engine.open_session(run.pane.chat.model.status.model)
    other.send([{"role": "user", "content": "hold 3"}], on_event=lambda event: None)
    titling = run.window.titling
    rest(run)
    assert run.engine.asked == []
    assert titling._rest.isActive()  # postponed
    run.engine.release()


@pytest.mark.parametrize("what", ["delete", "archive", "unload", "switch off"])
def test_temporary_states_get_no_title(run: Run, what: str):
    chat_id = exchange(run)
    library = run.app.library
    if what == "delete":
        library.delete(chat_id)
    elif what == "archive":
        library.change({chat_id: {"archived_at": 1.0}})
    elif what == "unload":
        library.loader.unload(run.pane.chat.record.model)
    else:
        run.app.settings.set(titles=False)
    rest(run)
    assert run.engine.asked == []
    stored = run.app.store.chat(chat_id)
    assert (stored.title, stored.titled_by) == (FIRST_WORDS, "")


def test_engine_end_keeps_title(run: Run):
    run.engine.titles = ["hold 2"]
    chat_id = exchange(run)
    titling = run.window.titling
    titling.look()
    run.until(lambda: titling.at_work)
    run.end()
    assert not titling.at_work
    assert run.app.library.chat(chat_id).title == FIRST_WORDS


def test_failed_answer_does_not_count_for_title(run: Run):
    exchange(run, "fail")
    rest(run)
    assert run.engine.asked == []
