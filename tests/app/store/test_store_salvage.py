"""A damaged file: what can still be read is saved, and the file itself is kept."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, StoreError, new_id
from app.store.migrations import STEPS
from tests.bench.ledger import damage, loose_ends, read

CHATS, TURNS = 12, 40


@pytest.fixture
def filled(file: Path) -> Path:
    """Chats of forty turns, of which some text is long, and one that was deleted."""
    with Store.open(file) as store:
        for number in range(CHATS):
            chat = ChatRecord(new_id(), title=f"Chat {number}", params={"temperature": 0.5})
            store.save_chat(chat)
            parent = None
            for turn in range(TURNS):
                role = "assistant" if turn % 2 else "user"
                text = f"chat {number} turn {turn} " + "words " * (3000 if turn == 7 else 60)
                message = Message(new_id(), chat.id, parent, role, text)
                store.save_message(message, as_leaf=True)
                parent = message.id
            store.flush()  # as a person writes: the index grows along with the messages
        store.trash.delete(chat.id)
        store.save_layout("main", {"panes": 2})
    return file


def header(content: bytearray) -> None:
    content[:100] = os.urandom(100)


def first_page(content: bytearray) -> None:
    content[:4096] = bytes(4096)


def a_page(content: bytearray) -> None:
    place = len(content) // 2 // 4096 * 4096
    content[place : place + 4096] = os.urandom(4096)


def a_stretch(content: bytearray) -> None:
    begin, end = len(content) // 3, len(content) // 2
    content[begin:end] = bytes(end - begin)


def truncated(content: bytearray) -> None:
    del content[len(content) * 3 // 4 + 77 :]


@pytest.mark.parametrize(
    ("harm", "share"),
    [(header, 1.0), (first_page, 1.0), (a_page, 0.9), (a_stretch, 0.6), (truncated, 0.6)],
)
def test_what_can_be_read_is_saved(
    filled: Path, harm: Callable[[bytearray], None], share: float
) -> None:
    before = read(filled)
    content = bytearray(filled.read_bytes())
    harm(content)
    filled.write_bytes(content)
    with pytest.raises(StoreError):
        Store.open(filled).close()

    salvaged = Store.salvage(filled)
    assert salvaged.aside.read_bytes() == content, "the damaged file is kept as it was"
    # SQLite itself leaves an empty journal beside a file that it was only asked to read.
    names = {
        path.name.removesuffix("-shm").removesuffix("-wal") for path in filled.parent.iterdir()
    }
    assert names == {filled.name, salvaged.aside.name}
    after = read(filled)
    assert damage(filled) == []
    assert loose_ends(after) == []
    assert salvaged.messages == len(after.messages) >= share * len(before.messages)
    assert salvaged.chats == len(after.chats) >= share * CHATS
    same = [m for m in after.messages.values() if before.messages.get(m.id) == m]
    assert len(same) >= share * len(before.messages) - CHATS
    with Store.open(filled) as store:
        hits = store.search("turn")
        assert hits
        if share == 1.0:
            assert after.trees == before.trees
            assert store.layout("main") == {"panes": 2}


def test_what_was_being_written_is_saved_without_the_first_page(filled: Path) -> None:
    with Store.open(filled) as store:
        chat = store.chats()[0]
        asked = store.path(chat.id)[0]
        store.set_draft(chat.id, "a draft")
        store.set_edited(chat.id, asked.id, "in other words")
    content = bytearray(filled.read_bytes())
    first_page(content)
    filled.write_bytes(content)
    Store.salvage(filled)
    after = read(filled).chats[chat.id]
    assert (after.draft, after.edited_id) == ("a draft", asked.id)
    assert after.edited_text == "in other words"


def test_damage_in_the_index_alone_costs_nothing(filled: Path) -> None:
    before = read(filled)
    with closing(sqlite3.connect(filled)) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'messages_of_chat'"
        ).fetchone()
    content = bytearray(filled.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = os.urandom(4096)
    filled.write_bytes(content)
    with pytest.raises(StoreError):
        Store.open(filled).close()
    Store.salvage(filled)
    assert read(filled) == before


@pytest.mark.turns(6)
@pytest.mark.parametrize("seed", range(6))
def test_random_damage_never_leaves_anything_worse(filled: Path, seed: int) -> None:
    dice = random.Random(seed)
    content = bytearray(filled.read_bytes())
    for _ in range(dice.randrange(1, 40)):
        at = dice.randrange(len(content) - 600)
        content[at : at + dice.randrange(1, 600)] = os.urandom(dice.randrange(1, 600))
    filled.write_bytes(content)
    try:
        kept = Store.salvage(filled).aside
    except StoreError:  # nothing could be read
        kept = filled
    else:
        assert damage(filled) == []
        assert loose_ends(read(filled)) == []
    assert kept.read_bytes() == content


def test_the_journal_of_a_damaged_file_is_read_too(file: Path, tmp_path: Path) -> None:
    store = Store.open(file)
    chat = ChatRecord(new_id(), title="In the journal")
    store.save_chat(chat)
    store.save_message(Message(new_id(), chat.id, content="last words"), as_leaf=True)
    store.flush()
    left = {p: p.read_bytes() for p in (file, file.with_name(file.name + "-wal"))}
    store.close()
    for path, content in left.items():
        path.write_bytes(content)
    salvaged = Store.salvage(file)
    assert salvaged.messages == 1
    assert salvaged.aside.with_name(salvaged.aside.name + "-wal").exists()
    with Store.open(file) as again:
        assert [m.content for m in again.path(chat.id)] == ["last words"]


@pytest.mark.parametrize("content", [b"Dear diary, " * 1000, b"", os.urandom(100_000), b"x" * 50])
def test_a_file_that_holds_no_chats_stays_where_it_is(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Store.salvage(file)
    assert caught.value.code == "corrupt"
    assert "Nothing" in caught.value.message
    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_another_programs_database_stays_where_it_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE recipes (name)")
    before = file.read_bytes()
    with pytest.raises(StoreError):
        Store.salvage(file)
    assert file.read_bytes() == before


def test_a_damaged_file_of_an_older_version_is_read_too(file: Path) -> None:
    """It has none of the columns that came later."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for step in STEPS[:3]:
            step(db)
        db.execute("PRAGMA user_version = 3")
        db.execute(
            "INSERT INTO chats (id, title, model, system, params, draft, created_at, updated_at) "
            "VALUES ('c', 'Old title', '', '', '{}', 'a draft', 1, 1)"
        )
    saved = Store.salvage(file)
    assert saved.chats == 1
    with Store.open(file) as store:
        (chat,) = store.chats()
        assert (chat.title, chat.draft, chat.edited_id) == ("Old title", "a draft", None)
