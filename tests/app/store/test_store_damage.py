"""Corrupt bytes, reported as damage, and salvage of the rest."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, StoreError, new_id
from app.store.salvage import salvage
from tests.slices import examples

SECRET = "Xanthippe"
FLIPS = examples(700)


@pytest.fixture
def filled(file: Path) -> Path:
    with Store.open(file) as store:
        for number in range(4):
            chat = ChatRecord(new_id(), title=f"{SECRET} {number}", params={"temperature": 0.5})
            store.save_chat(chat)
            parent = None
            for turn in range(6):
                role = "assistant" if turn % 2 else "user"
                text = f"{SECRET} {turn} " + "words " * 12
                message = Message(new_id(), chat.id, parent, role, text, stats={"seed": turn})
                store.save_message(message, as_leaf=True)
                parent = message.id
        store.save_layout("main", {"panes": 2})
    return file


def change(file: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(sql, values)


def use(file: Path) -> None:
    with Store.open(file) as store:
        for chat in store.chats(include_deleted=True):
            store.messages(chat.id)
            store.path(chat.id)
        store.search("words")
        store.search(SECRET)
        store.layouts()
        store.save_chat(ChatRecord(new_id(), title="new"))
        with suppress(StoreError):
            store.flush(0.2)


BAD = "UPDATE {} SET {} = CAST(x'58ff616e' AS TEXT) WHERE rowid = 2"


@pytest.mark.parametrize(
    "harm",
    [
        BAD.format("chats", "title"),
        BAD.format("chats", "draft"),
        BAD.format("chats", "params"),
        "UPDATE chats SET params = '{Xanthippe' WHERE rowid = 2",
        "UPDATE chats SET params = '[1]' WHERE rowid = 2",
        "UPDATE chats SET updated_at = 'Xanthippe' WHERE rowid = 2",
        BAD.format("messages", "content"),
        BAD.format("messages", "reasoning"),
        "UPDATE messages SET stats = '{Xanthippe' WHERE rowid = 2",
        "UPDATE messages SET role = 'Xanthippe' WHERE rowid = 2",
        "UPDATE messages SET content = x'00ff' WHERE rowid = 2",
        "UPDATE sqlite_master SET sql = CAST(x'ff' AS TEXT) || sql WHERE name = 'messages'",
        "UPDATE sqlite_master SET name = CAST(x'ff' AS TEXT) || name WHERE name = 'chats'",
        "UPDATE sqlite_master SET sql = replace(sql, 'title', 'tjtle') WHERE name = 'chats'",
    ],
)
def test_unreadable_text_is_salvaged_as_damage(filled: Path, harm: str) -> None:
    change(filled, harm)
    with pytest.raises(StoreError) as caught:
        use(filled)
    assert caught.value.code == "corrupt"
    assert SECRET not in caught.value.message
    assert "ann" not in caught.value.message.replace("anno", "")
    with pytest.raises(StoreError) as again:
        Store.open(filled)
    assert again.value.code == "corrupt", "the next start says so, not only whoever reads there"
    salvaged = salvage(filled)
    assert salvaged.chats == 4
    assert salvaged.messages >= 23
    use(filled)


def test_temporary_fault_is_forgotten(filled: Path) -> None:
    """A read failed once, but the next start can read everything."""
    filled.with_name("chats.db.damaged").touch()
    use(filled)
    assert not filled.with_name("chats.db.damaged").exists()


def test_flipped_bytes_give_no_raw_error(filled: Path) -> None:
    dice = random.Random(14)
    whole = filled.read_bytes()
    told = salvaged = 0
    for _ in range(FLIPS):
        content = bytearray(whole)
        at = dice.randrange(len(content))
        content[at] ^= dice.randrange(1, 256)
        for other in filled.parent.iterdir():
            if other.is_file():
                other.unlink()
        filled.write_bytes(content)
        error = refused(filled)
        if error is not None:
            told += 1
            assert error.code in {"corrupt", "newer"}, error.code
            assert SECRET not in error.message
            with suppress(StoreError):
                salvage(filled)
                salvaged += 1
    assert told > FLIPS // 17
    assert salvaged > 0.8 * told


def refused(file: Path) -> StoreError | None:
    try:
        use(file)
    except StoreError as error:
        return error
    return None


def holds(file: Path) -> int:
    with Store.open(file) as store:
        return sum(len(store.messages(chat.id)) for chat in store.chats(include_deleted=True))


@pytest.mark.parametrize("step", ["os.replace", "os.link"])
def test_failed_salvage_keeps_original(
    filled: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(filled, BAD.format("chats", "title"))
    before = filled.read_bytes()
    real: Callable[..., object] = getattr(os, step.removeprefix("os."))

    def fails(source: Path, target: Path) -> object:
        if Path(target) == filled or step == "os.link":
            raise OSError(5, "Input/output error")
        return real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(step, fails)
        patch.setattr("shutil.copyfile", _full) if step == "os.link" else None
        with pytest.raises(StoreError) as caught:
            salvage(filled)
    assert caught.value.code == "io"
    assert filled.read_bytes() == before
    names = {p.name for p in filled.parent.iterdir()} - {"chats.db-wal", "chats.db-shm"}
    assert names <= {filled.name, "chats.db.damaged"}
    salvage(filled)
    assert holds(filled) == 24


def _full(*_: object) -> None:
    raise OSError(5, "Input/output error")


def test_database_exists_throughout_salvage(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(filled, BAD.format("chats", "title"))
    missing = []

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event in {"os.rename", "os.link", "os.remove"} and watching:
            missing.append(not filled.exists())

    import sys

    watching = [True]
    sys.addaudithook(watch)
    salvage(filled)
    watching.clear()
    assert missing
    assert not any(missing)
    assert holds(filled) == 24
