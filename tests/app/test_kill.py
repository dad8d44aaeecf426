"""`kill -9` during random use of chats, and tests of the checker itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from app.settings.paths import Paths
from app.store import ChatRecord, Message, Store, new_id
from tests.app.fake_engine import FakeEngine
from tests.bench import scribbler
from tests.bench.kill import measure
from tests.bench.ledger import Found, Ledger, loose_ends, read, tree

NOW = 1000.0


def test_six_kills_lose_under_a_second() -> None:
    """`python -m tests.torture kill` performs 200 kills."""
    report = measure(6, seed=5, longest_s=0.8)
    assert report.faults == []
    assert report.kills == 6
    assert report.changes > 50
    assert report.messages > 5


def test_scribbler_cancels_an_edit_that_a_kill_left(
    tmp_path: Path, qapp: QCoreApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next program can't send the draft until then, as in a pane."""
    paths = Paths.in_profile(tmp_path)
    paths.create()
    chat = ChatRecord(new_id(), title="Trees", draft="unsent")
    question = Message(new_id(), chat.id, None, "user", "why")
    with Store.open(paths.chats) as store:
        store.save_chat(replace(chat, edited_id=question.id, edited_text="why not"))
        store.save_message(question, as_leaf=True)
    kinds: list[str] = []
    engine = FakeEngine()
    monkeypatch.setattr(scribbler, "NumberEngine", lambda: engine)
    monkeypatch.setattr(scribbler, "tell", lambda kind, *_: kinds.append(kind))
    opened = scribbler.Scribbler(paths, 1)
    opened._send(opened._opened()[0])
    opened.close()
    engine.stop()
    found = read(paths.chats)
    assert kinds[:4] == ["ready", "draft", "do", "done"]
    assert found.chats[chat.id].draft == ""
    assert loose_ends(found) == []


@pytest.fixture
def told(tmp_path: Path) -> tuple[Path, Ledger, list[str]]:
    """Record a saved chat with a question, an answer and a draft, all from long ago."""
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


def test_age_of_loss_is_that_of_first_missing_change(
    told: tuple[Path, Ledger, list[str]],
) -> None:
    file, ledger, (chat, _, answer) = told
    ledger.take(["draft", NOW - 0.9, chat, "unsent and"])
    ledger.take(["draft", NOW - 0.1, chat, "unsent and more"])
    ledger.take(["text", NOW - 0.4, answer, " four"])
    verdict, _ = ledger.verdict(file, NOW)
    assert verdict.faults == []
    assert verdict.lost_ms == pytest.approx(900)
    late, _ = ledger.verdict(file, NOW + 0.5)
    assert ["1,400 ms old" in fault for fault in late.faults] == [True]


@pytest.mark.parametrize("done", [True, False])
def test_ledger_rejects_partly_done_action(
    told: tuple[Path, Ledger, list[str]], done: bool
) -> None:
    file, ledger, (chat, _, answer) = told
    ledger.take(["do", NOW - 0.001, chat, 2, []])
    more = Message(new_id(), chat, answer, "user", "and then")
    with Store.open(file) as store:
        store.save_message(more, as_leaf=True)
        if done:
            store.save_message(Message(new_id(), chat, more.id, "assistant"), as_leaf=True)
    verdict, _ = ledger.verdict(file, NOW)
    assert (verdict.faults == []) is done


def test_interrupted_copy_is_complete_or_absent(
    told: tuple[Path, Ledger, list[str]],
) -> None:
    file, ledger, _ = told
    ledger.take(["do", NOW - 0.001, "", 2, []])
    verdict, _ = ledger.verdict(file, NOW)
    assert verdict.faults == []
    with Store.open(file) as store:
        store.save_chat(ChatRecord(new_id(), title="Trees (branch)"))
    verdict, _ = ledger.verdict(file, NOW)
    assert [fault for fault in verdict.faults if "half there" in fault]


EMPTIED = "all of its messages were taken out"


@pytest.mark.parametrize("held", [EMPTIED, "a message", "a draft"])
@pytest.mark.parametrize("again", [False, True])
def test_ledger_accepts_sweep_of_old_empty_chats(tmp_path: Path, held: str, again: bool) -> None:
    """Sweeping an empty chat that an earlier run put into the trash isn't a loss. Any other chat
    is.

    ``again``: this run has restored it and put it into the trash again.
    """
    file = tmp_path / "chats.db"
    chat = ChatRecord(new_id(), title="Trees", draft="unsent" if held == "a draft" else "")
    with Store.open(file) as store:
        store.save_chat(chat)
        if held != "a draft":
            message = Message(new_id(), chat.id, None, "user", "why")
            store.save_message(message, as_leaf=True)
            if held == EMPTIED:
                store.delete_messages(chat.id, [message.id], None)
        store.trash.delete(chat.id)
    ledger = Ledger(read(file))
    with Store.open(file) as store:
        if again:
            store.trash.restore(chat.id)
            store.trash.delete(chat.id)
        due = store.trash.due()
    assert due == ([chat.id] if held == EMPTIED and not again else [])
    last = read(file).trees[chat.id]
    if again:
        ledger.take(["done", 1.0, chat.id, {**last, "deleted": False}])
        ledger.take(["done", 2.0, chat.id, last])
    ledger.take(["sweep", 3.0])
    with Store.open(file) as store:
        store.trash.erase([chat.id])  # the same effect as a sweep
    verdict, _ = ledger.verdict(file, NOW)
    assert [fault for fault in verdict.faults if "tree of" in fault] == (
        [] if due else [f"tree of {chat.id} is as it never was: None, last {last!r}"]
    )
    assert bool(verdict.faults) is not bool(due)


def test_ledger_rejects_losses_without_sweep(tmp_path: Path) -> None:
    file = tmp_path / "chats.db"
    chat = ChatRecord(new_id(), title="Trees")
    with Store.open(file) as store:
        store.save_chat(chat)
        store.trash.delete(chat.id)
    ledger = Ledger(read(file))
    with Store.open(file) as store:
        store.trash.erase([chat.id])
    verdict, _ = ledger.verdict(file, NOW)
    assert ["as it never was" in fault for fault in verdict.faults] == [True]
