"""`kill -9` during random use of chats, and tests of the checker."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, new_id
from tests.torture.kill import measure
from tests.torture.ledger import Found, Ledger, tree

NOW = 1000.0


def test_six_kills_lose_under_a_second() -> None:
    """`python -m tests.torture kill` performs 200 kills."""
    report = measure(6, seed=5, longest_s=0.8)
    assert report.faults == []
    assert report.kills == 6
    assert report.changes > 50
    assert report.messages > 5


@pytest.fixture
def told(tmp_path: Path) -> tuple[Path, Ledger, list[str]]:
    file = tmp_path / "chats.db"
    chat = ChatRecord(new_id(), title="Trees", draft="unsent")
    question = Message(new_id(), chat.id, None, "user", "why")
    answer = Message(
        new_id(), chat.id, question.id, "assistant", "one two three", status="cancelled"
    )
    with Store.open(file) as store:
        store.save_chat(chat)
        store.save_message(question)
        store.save_message(answer, as_leaf=True)
    ledger = Ledger(Found())
    shape = tree("Trees", False, answer.id, [question, answer])
    for line in (
        ["ready", 1.0],
        ["do", 2.0, chat.id, 2, []],
        ["done", 2.0, chat.id, shape],
        ["text", 3.0, answer.id, "one two "],
        ["text", 3.5, answer.id, "three"],
        ["status", 4.0, answer.id, "cancelled"],
        ["draft", 5.0, chat.id, "unsent"],
    ):
        ledger.take(line)
    return file, ledger, [chat.id, question.id, answer.id]


def test_intact_chats_pass(told: tuple[Path, Ledger, list[str]]) -> None:
    file, ledger, _ = told
    verdict, _ = ledger.verdict(file, NOW)
    assert verdict.faults == []
    assert verdict.lost_ms == 0


@pytest.mark.parametrize(
    ("harm", "word"),
    [
        ("UPDATE chats SET leaf_id = NULL", "shows none"),
        ("UPDATE chats SET leaf_id = 'nowhere'", "not in it"),
        ("UPDATE chats SET title = 'Other'", "as it never was"),
        ("UPDATE chats SET draft = ''", "draft"),
        ("UPDATE chats SET draft = 'why'", "still in the composer"),
        ("UPDATE messages SET content = 'one two ' WHERE role = 'assistant'", "text of"),
        ("UPDATE messages SET content = 'one six' WHERE role = 'assistant'", "none that was"),
        ("UPDATE messages SET status = 'error' WHERE role = 'assistant'", "status of"),
        ("DELETE FROM messages WHERE role = 'assistant'", "not in it"),
        ("UPDATE messages SET deleted_at = 1 WHERE role = 'user'", "not in its chat"),
        ("DELETE FROM chats", "chat"),
        ("INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')", "search index"),
        ("PRAGMA user_version = 99", "does not open: newer"),
    ],
)
def test_damaged_chats_are_noticed(
    told: tuple[Path, Ledger, list[str]], harm: str, word: str
) -> None:
    file, ledger, _ = told
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(harm)
    verdict, _ = ledger.verdict(file, NOW)
    assert any(word in fault for fault in verdict.faults), verdict.faults
