"""Several writes as one: all in the file, or none."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from app.store import Chat, Message, Store, new_id


def in_file(file: Path) -> list[str]:
    """Contents of the messages that the file itself holds, whatever is queued."""
    with closing(sqlite3.connect(file)) as db:
        return [content for (content,) in db.execute("SELECT content FROM messages ORDER BY seq")]


def committed(store: Store) -> threading.Event:
    """Set when the next chat after this call is in the file: all before it is, too."""
    done = threading.Event()

    class Mark:
        slot = None
        urgent = True

        def write(self, db: sqlite3.Connection) -> None:
            done.set()

        def show(self, view: object) -> None:
            pass

    store._writer.add(Mark())
    return done


def test_nothing_is_written_before_all_of_it_is_there(store: Store, file: Path) -> None:
    chat = Chat(new_id())
    store.save_chat(chat)
    store.flush()
    with store.together():
        store.save_message(Message(new_id(), chat.id, content="question"), as_leaf=True)
        begun = committed(store)
        assert not begun.wait(0.5), "twice as long as anything waits for company"
        assert [m.content for m in store.path(chat.id)] == ["question"], "readers see it"
        store.save_message(Message(new_id(), chat.id, content="answer"), as_leaf=True)
    assert begun.wait(10)
    store.flush()
    assert in_file(file) == ["question", "answer"]


def test_an_error_within_does_not_hold_up_what_follows(store: Store, file: Path) -> None:
    chat = Chat(new_id())
    store.save_chat(chat)
    with pytest.raises(RuntimeError), store.together():
        raise RuntimeError
    store.save_message(Message(new_id(), chat.id, content="later"))
    assert committed(store).wait(10)


def test_one_within_another_is_part_of_it(store: Store) -> None:
    with store.together():
        with store.together():
            pass
        begun = committed(store)
        assert not begun.wait(0.5)
    assert begun.wait(10)


def test_a_flush_or_a_close_within_does_not_wait_for_ever(file: Path) -> None:
    store = Store.open(file)
    with store.together():
        store.save_chat(Chat(new_id(), title="first"))
        store.flush()
        store.save_chat(Chat(new_id(), title="second"))
        store.close()
    with Store.open(file) as again:
        assert {chat.title for chat in again.chats()} == {"first", "second"}
