"""Corrupt, intact and truncated journals."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, new_id
from app.store.database import copy_damaged_journal

HEADER, FRAME = 32, 24 + 4096


@pytest.fixture
def crashed(file: Path) -> tuple[Path, bytes]:
    store = Store.open(file)
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    for number in range(8):
        store.save_message(Message(new_id(), chat.id, content=f"message {number} " * 100))
        store.flush()
    journal = file.with_name(file.name + "-wal")
    left = {file: file.read_bytes(), journal: journal.read_bytes()}
    store.close()
    for path, content in left.items():
        path.write_bytes(content)
    return journal, left[journal]


def aside(journal: Path) -> list[bytes]:
    return [path.read_bytes() for path in journal.parent.glob(f"{journal.name}.aside-*")]


def test_complete_journal_is_replayed(file: Path, crashed: tuple[Path, bytes]) -> None:
    journal, _ = crashed
    with Store.open(file) as store:
        assert store.journal_aside is None
        (chat,) = store.chats()
        assert len(store.messages(chat.id)) == 8
    assert aside(journal) == []


@pytest.mark.parametrize("where", ["header", "all", "frame", "page"])
def test_damaged_journal_is_kept_and_chats_open(
    file: Path, crashed: tuple[Path, bytes], where: str
) -> None:
    journal, content = crashed
    harmed = bytearray(content)
    at, size = {
        "header": (0, 32),
        "all": (0, len(content)),
        "frame": (HEADER + FRAME * 9, 24),
        "page": (HEADER + FRAME * 9 + 300, 8),
    }[where]
    harmed[at : at + size] = random.Random(0).randbytes(size)
    journal.write_bytes(harmed)
    with Store.open(file) as store:
        assert store.journal_aside is not None
        for chat in store.chats():
            assert len(store.messages(chat.id)) < 8
    assert aside(journal) == [harmed]
    with Store.open(file) as store:
        assert store.journal_aside is None, "told once"


def test_journals_copied_within_a_second_are_all_kept(
    file: Path, crashed: tuple[Path, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "strftime", lambda *_: "20261120-224801")
    journal, content = crashed
    harmed = [bytes(HEADER) + content[HEADER:], b"x" * HEADER + content[HEADER:]]
    for left in harmed:
        journal.write_bytes(left)
        copy_damaged_journal(file)
    assert sorted(aside(journal)) == sorted(harmed)


@pytest.mark.parametrize("cut", [1, 24, FRAME, FRAME * 3 + 100])
def test_truncated_journal_is_not_damage(file: Path, crashed: tuple[Path, bytes], cut: int) -> None:
    journal, content = crashed
    journal.write_bytes(content[:-cut])
    with Store.open(file) as store:
        assert store.journal_aside is None
    assert aside(journal) == []


def test_leftover_frames_are_not_damage(file: Path) -> None:
    """Journals are overwritten from the start, so older changes can follow the newer ones."""
    store = Store.open(file)
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    journal = file.with_name(file.name + "-wal")
    for _ in range(30):
        store.save_message(Message(new_id(), chat.id, content="word " * 900))
        store.flush()
    store.writer._db.execute("PRAGMA wal_checkpoint(RESTART)")
    store.save_message(Message(new_id(), chat.id, content="after"))
    store.flush()
    left = {path: path.read_bytes() for path in (file, journal)}
    store.close()
    for path, content in left.items():
        path.write_bytes(content)
    with Store.open(file) as again:
        assert again.journal_aside is None
        assert len(again.messages(chat.id)) == 31


def test_corrupt_journal_index_is_harmless(file: Path, crashed: tuple[Path, bytes]) -> None:
    file.with_name(file.name + "-shm").write_bytes(random.Random(0).randbytes(32768))
    with Store.open(file) as store:
        (chat,) = store.chats()
        assert len(store.messages(chat.id)) == 8
