"""Salvage of a damaged file."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.store import ChatRecord, Message, Store, StoreError, new_id
from app.store.database_pages import PAGE, DatabasePages
from app.store.salvage import salvage
from tests.app.store.conftest import make_version_3
from tests.torture.ledger import damage, loose_ends, read

CHATS, TURNS = 12, 40


@pytest.fixture
def filled(file: Path) -> Path:
    with Store.open(file) as store:
        for number in range(CHATS):
            chat = ChatRecord(new_id(), title=f"Chat {number}", params={"temperature": 0.5})
            store.save_chat(chat)
            parent = None
            for turn in range(TURNS):
                role = "assistant" if turn % 2 else "user"
                mark = f"<{number}.{turn}>"  # is on every page of the message
                words = f"words {mark} " * 1_400 if turn == 7 else "words " * 60
                text = f"chat {number} turn {turn} {words}"
                message = Message(new_id(), chat.id, parent, role, text, model=mark)
                store.save_message(message, as_leaf=True)
                parent = message.id
            store.flush()  # so that the index grows along with the messages, as in real use
        store.trash.delete(chat.id)
        store.save_layout("main", {"panes": 2})
    return file


def header(content: bytearray) -> None:
    content[:100] = random.Random(0).randbytes(100)


def first_page(content: bytearray) -> None:
    content[:4096] = bytes(4096)


def a_page(content: bytearray) -> None:
    place = len(content) // 2 // 4096 * 4096
    content[place : place + 4096] = random.Random(0).randbytes(4096)


def a_stretch(content: bytearray) -> None:
    begin, end = len(content) // 3, len(content) // 2
    content[begin:end] = bytes(end - begin)


def truncated(content: bytearray) -> None:
    del content[len(content) * 3 // 4 + 77 :]


@pytest.mark.parametrize(
    ("harm", "share"),
    [(header, 1.0), (first_page, 1.0), (a_page, 0.9), (a_stretch, 0.6), (truncated, 0.6)],
)
def test_salvage_saves_readable_rows(
    filled: Path, harm: Callable[[bytearray], None], share: float
) -> None:
    before = read(filled)
    content = bytearray(filled.read_bytes())
    harm(content)
    filled.write_bytes(content)
    with pytest.raises(StoreError):
        Store.open(filled).close()

    salvaged = salvage(filled)
    assert salvaged.aside.read_bytes() == content, "the damaged file is kept as it was"
    # SQLite leaves an empty journal even after reading only.
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


def test_salvage_saves_current_writes_without_first_page(filled: Path) -> None:
    with Store.open(filled) as store:
        chat = store.chats()[0]
        asked = store.path(chat.id)[0]
        store.set_draft(chat.id, "a draft")
        store.set_edited(chat.id, asked.id, "in other words")
    content = bytearray(filled.read_bytes())
    first_page(content)
    filled.write_bytes(content)
    salvage(filled)
    after = read(filled).chats[chat.id]
    assert (after.draft, after.edited_id) == ("a draft", asked.id)
    assert after.edited_text == "in other words"


def test_damaged_index_loses_nothing(filled: Path) -> None:
    before = read(filled)
    with closing(sqlite3.connect(filled)) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'messages_of_chat'"
        ).fetchone()
    content = bytearray(filled.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = random.Random(0).randbytes(4096)
    filled.write_bytes(content)
    with pytest.raises(StoreError):
        Store.open(filled).close()
    salvage(filled)
    assert read(filled) == before


def test_table_without_root_is_read_from_leaves(filled: Path) -> None:
    before = read(filled)
    with closing(sqlite3.connect(filled)) as db:
        roots = db.execute("SELECT rootpage FROM sqlite_master WHERE type = 'table'").fetchall()
    content = bytearray(filled.read_bytes())
    for (page,) in roots:
        if page and content[(page - 1) * 4096] == 5:  # an inner page, not the only leaf
            content[(page - 1) * 4096 : page * 4096] = random.Random(0).randbytes(4096)
    filled.write_bytes(content)
    assert salvage(filled).messages == CHATS * TURNS
    assert read(filled) == before


@pytest.mark.turns(60)
@pytest.mark.parametrize("seed", range(0, 300, 5))
def test_salvage_restores_messages_on_undamaged_pages(filled: Path, seed: int) -> None:
    before = read(filled).messages
    whole = filled.read_bytes()
    parts = [whole[at : at + 4096] for at in range(0, len(whole), 4096)]
    places: dict[str, set[int]] = {}
    for message in before.values():
        mark = message.model.encode()
        places[message.id] = {at for at, part in enumerate(parts) if mark in part}
    inner = [at for at, part in enumerate(parts) if part[0] == 5]  # inner pages of tables
    for dice in map(random.Random, range(seed, seed + 5)):
        lost = {*dice.sample(range(len(parts)), dice.randint(0, 2)), dice.choice(inner)}
        damaged = [dice.randbytes(4096) if at in lost else part for at, part in enumerate(parts)]
        filled.write_bytes(b"".join(damaged))
        salvage(filled).aside.unlink()
        after = read(filled).messages
        assert after.keys() <= before.keys()
        for message in before.values():
            if not places[message.id] & lost:
                assert replace(after[message.id], parent_id=message.parent_id) == message, seed


@pytest.mark.parametrize("claim", [2_000_000, 1 << 40])
def test_rows_that_claim_the_whole_file_terminate(tmp_path: Path, claim: int) -> None:
    """Each of 400 rows is on a page that names itself as the next page."""

    def varint(value: int) -> bytes:
        sevens = [value >> bits & 0x7F for bits in range(42, -1, -7)]
        return bytes([each | 0x80 for each in sevens[:-1]] + sevens[-1:])

    row = bytes([8]) + varint(2 * (claim - 8) + 12)  # a single blob column
    leaf = bytearray(b"\x0d\0\0" + (400).to_bytes(2, "big") + b"\0\0\0")
    leaf += (900).to_bytes(2, "big") * 400
    leaf += bytes(900 - len(leaf)) + varint(claim) + b"\1" + row
    leaf += (3).to_bytes(4, "big") * ((PAGE - len(leaf)) // 4 + 1)
    content = bytes(PAGE) + leaf[:PAGE] + (3).to_bytes(4, "big") * (PAGE // 4)
    file = tmp_path / "hostile.db"
    file.write_bytes(content + bytes(PAGE) * 500)
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as pages:
        assert len(list(DatabasePages(pages).rows(lambda columns: columns == 1))) == (
            4 if claim < 1 << 40 else 0
        )


@pytest.mark.parametrize("page_1", [True, False])
def test_erased_data_is_not_salvaged(filled: Path, page_1: bool) -> None:
    """Salvage must not recover erased text from free pages or from gaps in pages."""
    with Store.open(filled) as store:
        before = read(filled)
        gone = store.chats()[0]
        store.trash.erase([gone.id])
        store.flush()
        journal = filled.with_name(filled.name + "-wal")
        copies = {part: part.read_bytes() for part in (filled, journal)}  # closing changes them
    for part, content in copies.items():
        part.write_bytes(content)
    with closing(sqlite3.connect(filled)) as db:
        assert db.execute("SELECT id FROM erased").fetchall() == [(gone.id,)]
        assert db.execute("PRAGMA freelist_count").fetchone()[0] > 0
        (root,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'messages'"
        ).fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(filled.read_bytes())
    for page in (root, *([1] if page_1 else [])):
        content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    filled.write_bytes(content)
    salvage(filled)
    with closing(sqlite3.connect(filled)) as db:  # backups may still contain it
        assert db.execute("SELECT id FROM erased").fetchall() == [(gone.id,)]
    after = read(filled)
    assert after.chats.keys() == before.chats.keys() - {gone.id}
    assert after.messages == {i: m for i, m in before.messages.items() if m.chat_id != gone.id}


@pytest.mark.turns(6)
@pytest.mark.parametrize("seed", range(6))
def test_random_damage_never_leaves_anything_worse(filled: Path, seed: int) -> None:
    dice = random.Random(seed)
    content = bytearray(filled.read_bytes())
    for _ in range(dice.randrange(1, 40)):
        at = dice.randrange(len(content) - 600)
        content[at : at + dice.randrange(1, 600)] = dice.randbytes(dice.randrange(1, 600))
    filled.write_bytes(content)
    try:
        kept = salvage(filled).aside
    except StoreError:  # unreadable
        kept = filled
    else:
        assert damage(filled) == []
        assert loose_ends(read(filled)) == []
    assert kept.read_bytes() == content


def test_salvage_reads_journal_of_damaged_file(file: Path, tmp_path: Path) -> None:
    store = Store.open(file)
    chat = ChatRecord(new_id(), title="In the journal")
    store.save_chat(chat)
    store.save_message(Message(new_id(), chat.id, content="last words"), as_leaf=True)
    store.flush()
    left = {p: p.read_bytes() for p in (file, file.with_name(file.name + "-wal"))}
    store.close()
    for path, content in left.items():
        path.write_bytes(content)
    salvaged = salvage(file)
    assert salvaged.messages == 1
    assert salvaged.aside.with_name(salvaged.aside.name + "-wal").exists()
    with Store.open(file) as again:
        assert [m.content for m in again.path(chat.id)] == ["last words"]


@pytest.mark.parametrize(
    "content", [b"Dear diary, " * 1000, b"", random.Random(0).randbytes(100_000), b"x" * 50]
)
def test_file_without_chats_is_left_alone(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        salvage(file)
    assert caught.value.code == "corrupt"
    assert "Nothing" in caught.value.message
    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_other_programs_database_is_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE recipes (name)")
    before = file.read_bytes()
    with pytest.raises(StoreError):
        salvage(file)
    assert file.read_bytes() == before


def test_damaged_older_file_is_salvaged(file: Path) -> None:
    """Columns added later are missing."""
    make_version_3(file, "a draft")
    saved = salvage(file)
    assert saved.chats == 1
    with Store.open(file) as store:
        (chat,) = store.chats()
        assert (chat.title, chat.draft, chat.edited_id) == ("Old title", "a draft", None)


DAMAGED_FILES = '[{"name": "a.txt", "pages": -1}, {"name": "b.txt"}, 7]'


@pytest.mark.parametrize(
    ("value", "names"), [(DAMAGED_FILES, ["b.txt"]), ("[{", []), ("{}", []), ("[" * 10**5, [])]
)
def test_salvage_keeps_message_with_damaged_attachment(
    file: Path, value: str, names: list[str]
) -> None:
    with Store.open(file) as store:
        store.save_chat(chat := ChatRecord(new_id(), title="Kept"))
        store.save_message(Message(new_id(), chat.id, content="words"), as_leaf=True)
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE messages SET attachments = ?", (value,))
        db.execute("UPDATE chats SET draft_attachments = ?", (value,))
        db.commit()
    assert salvage(file).messages == 1
    with Store.open(file) as store:
        (saved,), (message,) = store.chats(), store.path(chat.id)
    assert (saved.title, message.content) == ("Kept", "words")
    assert [attachment.name for attachment in message.attachments] == names
    assert [attachment.name for attachment in saved.draft_attachments] == names


@pytest.mark.parametrize("value", ["", "[]", "null", "{", '{"a": 1', "[" * 10**5])
def test_salvage_keeps_rows_with_damaged_settings(file: Path, value: str) -> None:
    with Store.open(file) as store:
        store.save_chat(chat := ChatRecord(new_id(), title="Kept", tags=("a",)))
        store.save_message(Message(new_id(), chat.id, content="words"), as_leaf=True)
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE messages SET stats = ?", (value,))
        db.execute("UPDATE chats SET params = ?, tags = ?", (value, '["a", 1]'))
        db.commit()
    assert salvage(file).messages == 1
    with Store.open(file) as store:
        (saved,), (message,) = store.chats(), store.path(chat.id)
    assert (saved.title, saved.params, saved.tags) == ("Kept", {}, ("a",))
    assert (message.content, message.stats) == ("words", {})


def test_salvage_keeps_queued_message_with_damaged_attachment(file: Path) -> None:
    entries = (
        '{"id": "q1", "text": "first", "attachments": ' + DAMAGED_FILES + "},"
        '{"id": "q1", "text": "again"}, {"id": 5}, {"id": "q2", "text": "second"}'
    )
    with Store.open(file) as store:
        store.save_chat(ChatRecord(new_id(), title="Kept"))
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE chats SET queued = ?", (f"[{entries}]",))
        db.commit()
    salvage(file)
    with Store.open(file) as store:
        (saved,) = store.chats()
    assert [message.text for message in saved.queued] == ["first", "second"]
    assert [file.name for file in saved.queued[0].attachments] == ["b.txt"]
