"""Grouped writes."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, StoreError, new_id
from app.store.operations import Operation


def in_file(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as db:
        return [content for (content,) in db.execute("SELECT content FROM messages ORDER BY seq")]


def committed(store: Store) -> threading.Event:
    done = threading.Event()

    class Mark(Operation, frozen=True):
        def write(self, db: sqlite3.Connection) -> None:
            done.set()

    store.writer.add(Mark())
    return done


def test_group_is_written_only_when_complete(store: Store, file: Path) -> None:
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    store.flush()
    with store.transaction():
        store.save_message(Message(new_id(), chat.id, content="question"), as_leaf=True)
        begun = committed(store)
        assert not begun.wait(0.5), "twice as long as anything waits for company"
        assert [m.content for m in store.path(chat.id)] == ["question"], "readers see it"
        store.save_message(Message(new_id(), chat.id, content="answer"), as_leaf=True)
    assert begun.wait(10)
    store.flush()
    assert in_file(file) == ["question", "answer"]


def test_failed_group_does_not_block_later_writes(store: Store, file: Path) -> None:
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    with pytest.raises(RuntimeError), store.transaction():
        raise RuntimeError
    store.save_message(Message(new_id(), chat.id, content="later"))
    assert committed(store).wait(10)


def test_nested_group_joins_outer_group(store: Store) -> None:
    with store.transaction():
        with store.transaction():
            pass
        begun = committed(store)
        assert not begun.wait(0.5)
    assert begun.wait(10)


def test_flush_or_close_within_a_group_does_not_hang(file: Path) -> None:
    store = Store.open(file)
    with store.transaction():
        store.save_chat(ChatRecord(new_id(), title="first"))
        store.flush()
        store.save_chat(ChatRecord(new_id(), title="second"))
        store.close()
    with Store.open(file) as again:
        assert {chat.title for chat in again.chats()} == {"first", "second"}


def by_flush(store: Store) -> None:
    store.flush(30)


def by_search(store: Store) -> None:
    found = threading.Event()
    store.searcher.ask("question", 5, lambda _hits, done: done and found.set())
    assert found.wait(30)


def by_import(store: Store) -> None:
    chat = ChatRecord(new_id(), title="imported")
    store.exchange.add_chats([(chat, [])])
    store.flush(30)


@pytest.mark.parametrize("way", [by_flush, by_search, by_import])
def test_write_group_is_not_split_by_threads(
    store: Store, file: Path, way: Callable[[Store], None]
) -> None:
    """A flush, search or import on another thread never writes half of a group."""
    chat = ChatRecord(new_id(), draft="question")
    store.save_chat(chat)
    store.flush()
    failed: list[BaseException] = []

    def elsewhere() -> None:
        try:
            way(store)
        except BaseException as error:
            failed.append(error)

    with store.transaction():
        store.set_draft(chat.id, "")
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join(60)
        assert not other.is_alive(), "nobody waits for what is held back elsewhere"
        with closing(sqlite3.connect(file)) as db:
            drafts = db.execute("SELECT draft FROM chats WHERE id = ?", (chat.id,)).fetchall()
        assert drafts == [("question",)], "the draft may not be gone before its message is there"
        known = store.chat(chat.id)
        assert known.draft == "", "readers see it"
        store.save_message(Message(new_id(), chat.id, content="question"), as_leaf=True)
    store.flush()
    assert failed == []
    assert in_file(file) == ["question"]


def test_threads_hold_back_only_their_own_writes(store: Store, file: Path) -> None:
    """A flush only splits groups of its own thread."""
    chats = [ChatRecord(new_id(), title=title) for title in ("first", "second")]
    for chat in chats:
        store.save_chat(chat)
    store.flush()
    half, flushed = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with store.transaction():
            store.save_message(Message(new_id(), chats[1].id, content="whole 1"))
            half.set()
            assert flushed.wait(30)
            store.save_message(Message(new_id(), chats[1].id, content="whole 2"))

    other = threading.Thread(target=elsewhere)
    with store.transaction():
        store.save_message(Message(new_id(), chats[0].id, content="cut 1"))
        other.start()
        assert half.wait(30)
        store.flush()
        assert in_file(file) == ["cut 1"]
        flushed.set()
        other.join(30)
        store.save_message(Message(new_id(), chats[0].id, content="cut 2"))
    store.flush()
    assert in_file(file) == ["cut 1", "whole 1", "whole 2", "cut 2"]


def test_close_waits_for_groups_of_other_threads(file: Path) -> None:
    """Half a group would be worse than none. Groups that can't be waited for are reported."""
    store = Store.open(file)
    chat = ChatRecord(new_id(), title="kept")
    store.save_chat(chat)
    half, go_on = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with store.transaction():
            store.save_message(Message(new_id(), chat.id, content="held"))
            half.set()
            assert go_on.wait(30)

    other = threading.Thread(target=elsewhere)
    other.start()
    assert half.wait(30)
    with pytest.raises(StoreError, match="1 change couldn’t be saved"):
        store.close(0.2)
    go_on.set()
    other.join(30)
    assert in_file(file) == []


def test_together_writes_nothing_after_an_exception(store: Store, file: Path) -> None:
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    with contextlib.suppress(KeyError), store.transaction():
        store.save_message(Message(new_id(), chat.id, content="question"))
        raise KeyError
    store.flush()
    assert in_file(file) == []
    assert store.messages(chat.id) == []


def test_together_drops_only_the_block_that_failed(store: Store, file: Path) -> None:
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    with store.transaction():
        store.save_message(Message(new_id(), chat.id, content="before"))
        with contextlib.suppress(KeyError), store.transaction():
            store.save_message(Message(new_id(), chat.id, content="flushed"))
            store.flush()
            store.save_message(Message(new_id(), chat.id, content="dropped"))
            raise KeyError
        store.save_message(Message(new_id(), chat.id, content="after"))
    store.flush()
    assert in_file(file) == ["before", "flushed", "after"]
