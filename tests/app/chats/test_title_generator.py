"""Titles that a chat's own model generates in the background."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import flows
from app.chats.title_generator import TitleGenerator
from app.settings.paths import GUIDE
from tests.app.desk import Desk as BaseDesk

ASKED = "say cold dough rises slowly in winter"
FIRST_WORDS = ASKED
TITLE = "Cold dough in winter"


class Desk(BaseDesk):
    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.wanted = True
        self.titling = TitleGenerator(self.library, lambda: self.wanted, self.root)
        self.engine.titles = [TITLE]
        self.chat = self.loaded(GUIDE)

    def exchange(self, text: str = ASKED) -> str:
        self.talk(self.chat, text)
        return self.chat.id

    def title(self, chat_id: str) -> str:
        record = self.library.chat(chat_id)
        return record.title

    def begin(self) -> None:
        self.titling.request_next()
        self.until(lambda: self.titling.is_busy)

    def rest(self) -> None:
        self.titling._rest_timer.stop()
        before = flows.running_tasks()
        self.titling.request_next()
        self.until(lambda: flows.running_tasks() <= before)
        self.until(lambda: not self.titling.is_busy)


@pytest.fixture
def desk(qapp: object, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "chats.db")
    yield made
    made.close()


def test_after_the_first_exchange_the_model_names_the_chat(desk: Desk) -> None:
    chat_id = desk.exchange()
    assert desk.title(chat_id) == FIRST_WORDS
    desk.rest()
    record = desk.library.chat(chat_id)
    assert (record.title, record.titled_by) == (TITLE, "model")
    assert desk.chat.title == TITLE
    assert desk.store.chat(chat_id).title == TITLE
    asked = desk.engine.asked[0]
    assert asked.session.options["reasoning"] is False
    assert ASKED in asked.turns[0]["content"]
    desk.exchange("say more")
    desk.rest()
    assert len(desk.engine.asked) == 1  # only once


def test_manual_title_is_never_overwritten(desk: Desk) -> None:
    chat_id = desk.exchange()
    desk.library.rename(chat_id, "My bread")
    desk.rest()
    assert desk.engine.asked == []
    assert desk.title(chat_id) == "My bread"


def test_title_typed_meanwhile_is_kept(desk: Desk) -> None:
    desk.engine.titles = ["hold 2"]
    chat_id = desk.exchange()
    desk.begin()
    desk.library.rename(chat_id, "My bread")
    desk.titling._job.output = TITLE
    desk.engine.release()
    desk.until(lambda: not desk.titling.is_busy)
    assert desk.title(chat_id) == "My bread"


def test_model_with_useless_titles_is_no_longer_used(desk: Desk) -> None:
    desk.engine.titles = ["Once upon a time a fox lived here"] * 5
    for _ in range(4):
        desk.chat = desk.library.new(GUIDE)
        chat_id = desk.exchange()
        desk.rest()
        assert desk.title(chat_id) == FIRST_WORDS
    assert len(desk.engine.asked) == 3


def test_truncated_title_is_dropped(desk: Desk) -> None:
    desk.engine.titles = ["cut"]
    chat_id = desk.exchange("say So far the dough")
    desk.rest()
    assert len(desk.engine.asked) == 1
    assert desk.library.chat(chat_id).titled_by == ""


def test_title_request_restarts_after_a_reply(desk: Desk) -> None:
    desk.engine.titles = ["hold 2", "Nothing", TITLE]
    chat_id = desk.exchange()
    desk.begin()
    desk.chat = desk.library.new(GUIDE)
    desk.chat.turn.send("hold 3")
    assert not desk.titling.is_busy
    assert desk.engine.asked[0].told
    desk.titling.request_next()
    assert not desk.titling.is_busy  # a reply is running
    desk.engine.release()
    desk.until(lambda: not desk.chat.reply.is_active)
    desk.rest()  # most recent first
    assert desk.title(chat_id) == FIRST_WORDS
    desk.rest()
    assert desk.title(chat_id) == TITLE


def test_other_programs_precede_titles(desk: Desk) -> None:
    desk.exchange()
    other = desk.engine.open_session(desk.chat.model.status.model)
    other.send([{"role": "user", "content": "hold 3"}], on_event=lambda event: None)
    desk.rest()
    assert desk.engine.asked == []
    assert desk.titling._rest_timer.isActive()  # postponed
    desk.engine.release()


@pytest.mark.parametrize("what", ["delete", "archive", "unload", "switch off"])
def test_temporary_states_get_no_title(desk: Desk, what: str) -> None:
    chat_id = desk.exchange()
    if what == "delete":
        desk.library.delete(chat_id)
    elif what == "archive":
        desk.library.change({chat_id: {"archived_at": 1.0}})
    elif what == "unload":
        desk.loader.unload(desk.chat.record.model)
    else:
        desk.wanted = False
    desk.rest()
    assert desk.engine.asked == []
    stored = desk.store.chat(chat_id)
    assert (stored.title, stored.titled_by) == (FIRST_WORDS, "")


def test_engine_end_keeps_title(desk: Desk) -> None:
    desk.engine.titles = ["hold 2"]
    chat_id = desk.exchange()
    desk.begin()
    desk.engine.stop()
    desk.until(lambda: not desk.titling.is_busy)
    assert desk.title(chat_id) == FIRST_WORDS


def test_failed_answer_does_not_count_for_title(desk: Desk) -> None:
    desk.exchange("fail")
    desk.rest()
    assert desk.engine.asked == []
