"""Trash, and data erased from all files."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.store import (
    AttachedText,
    Attachment,
    ChatRecord,
    Message,
    Store,
    StoreError,
    erase,
    new_id,
)
from app.store.backups import backups_of, restore
from app.store.database import set_aside
from tests.waiting import until

DAY = 86_400.0
WORDS = ("Zwetschgenknödel", "quokkafication")


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def settle(store: Store) -> None:
    until(lambda: store.is_settled)


def a_chat(store: Store, *texts: str, title: str = "Plans") -> ChatRecord:
    chat = ChatRecord(new_id(), title=title)
    store.save_chat(chat)
    parent = None
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        message = Message(new_id(), chat.id, parent, role, text, reasoning=text)
        store.save_message(message, as_leaf=True)
        parent = message.id
    return chat


def with_file(store: Store, chat_id: str, *pages: str) -> None:
    text = AttachedText("page", pages)
    file = Attachment("a.pdf", "PDF", text.hash, "page", len(pages), len("".join(pages)))
    with store.transaction():
        store.texts.save(text)
        store.save_message(Message(new_id(), chat_id, attachments=(file,)))


def fill(store: Store) -> None:
    for number in range(6):
        a_chat(store, *[f"other {number} {turn} " + "filling words " * 90 for turn in range(14)])


def holding(folder: Path, *words: str) -> list[str]:
    spelled = {w for word in words for w in (word, word.lower(), "".join(_plain(word)))}
    wanted = [w.encode() for w in spelled]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [p.name for p in files if any(w in p.read_bytes() for w in wanted)]


def _plain(word: str) -> str:
    return word.lower().replace("ö", "o")


def test_erased_words_are_in_no_file(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        fill(store)
        chat = a_chat(store, f"about {WORDS[0]}", f"**{WORDS[1]}** " * 900, title=WORDS[0])
        with_file(store, chat.id, f"a page about {WORDS[1]}")
        fill(store)
        store.set_draft(chat.id, f"and {WORDS[1]} again")
    for _ in range(3):  # daily backups
        clock.now += DAY
        with Store.open(file, clock) as store:
            store.set_draft(chat.id, f"{WORDS[0]} on another day")
            settle(store)
    assert len(holding(file.parent, *WORDS)) >= 4, "database and three backups"
    aside = restore(file, backups_of(file)[0].path)
    assert aside is not None
    with Store.open(file, clock) as store:
        store.trash.delete(chat.id)
        assert [c.id for c in store.trash.chats()] == [chat.id]
        assert store.search(WORDS[1]) == []
        store.trash.erase([chat.id])
        assert store.trash.chats() == []
        assert store.messages(chat.id) == []
        settle(store)
        assert holding(file.parent, *WORDS) == [], "while the program runs"
        assert len(store.search("filling", limit=99)) == 12
    assert holding(file.parent, *WORDS) == []
    assert len(backups_of(file)) == 3
    with Store.open(backups_of(file)[-1].path) as backup:
        assert len(backup.chats()) == 12, "the others are still in the backups"


def test_trash_erases_chat_after_thirty_days(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        chat = a_chat(store, "hello")
        store.trash.delete(chat.id)
        clock.now += 29 * DAY
        assert store.trash.chats_to_erase() == []
        store.trash.restore(chat.id)
        assert [c.id for c in store.chats()] == [chat.id]
        store.trash.delete(chat.id)
        clock.now += 30 * DAY
        store.save_chat(ChatRecord("later", updated_at=clock.now))
        assert store.trash.chats_to_erase() == [], "one reading of the clock is not enough"
        clock.now += DAY
        assert store.trash.chats_to_erase() == [chat.id]


def test_trash_survives_one_start_with_a_wrong_clock(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        chat = a_chat(store, "hello")
        store.trash.delete(chat.id)
    clock.now += 31 * DAY
    with Store.open(file, clock) as store:
        assert store.trash.chats_to_erase() == []
        store.save_chat(ChatRecord("new", updated_at=clock.now))
    clock.now += 60
    with Store.open(file, clock) as store:
        assert store.trash.chats_to_erase() == []
        store.trash.restore(chat.id)
        assert chat.id in [each.id for each in store.chats()]


def test_messages_deleted_after_a_clock_change_stay(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        chat = a_chat(store, "kept", "deleted")
        first, second = (m.id for m in store.messages(chat.id))
        clock.now -= 7 * DAY
        store.delete_messages(chat.id, [second], first)
        store.flush()
        store.trash.erase_messages()
        store.restore_messages(chat.id, [second], second)
        settle(store)
        assert [m.content for m in store.path(chat.id)] == ["kept", "deleted"]


def test_deleted_messages_are_erased_after_undo_expires(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        fill(store)
        chat = a_chat(store, "kept", f"gone {WORDS[0]}", f"after {WORDS[1]}")
        first, second, third = (m.id for m in store.messages(chat.id))
        store.delete_messages(chat.id, [second, third], first)
        store.trash.erase_messages()
        store.restore_messages(chat.id, [second, third], third)
        assert [m.content for m in store.path(chat.id)][1] == f"gone {WORDS[0]}", "undone"
        store.delete_messages(chat.id, [second, third], first)
    assert holding(file.parent, *WORDS) == [file.name]
    clock.now += 60
    with Store.open(file, clock) as store:
        store.trash.erase_messages()
        settle(store)
        assert [m.id for m in store.messages(chat.id)] == [first]
        assert holding(file.parent, *WORDS) == []


def test_erasing_covers_index_and_backups(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        chat = a_chat(store, "kept", "gone")
        first, second = (m.id for m in store.messages(chat.id))
        store.set_edited(chat.id, second, f"gone, or rather {WORDS[0]}")
        store.flush()
        store.back_up()
        settle(store)
        store.set_edited(chat.id, None, "")
        store.delete_messages(chat.id, [second], first)
    (backup,) = backups_of(file)
    assert backup.path.name in holding(file.parent, WORDS[0])
    clock.now += 60
    with Store.open(file, clock) as store:
        store.trash.erase_messages()
        settle(store)
    assert holding(file.parent, WORDS[0]) == []
    with Store.open(backup.path) as copy:
        assert [(c.edited_id, c.edited_text) for c in copy.chats()] == [(None, "")]


def test_deleted_message_with_live_replies_keeps_its_place(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        chat = a_chat(store, "first", "second", "third")
        ids = [m.id for m in store.messages(chat.id)]
        store.delete_messages(chat.id, ids[1:2], ids[2])
    clock.now += 60
    with Store.open(file, clock) as store:
        store.trash.erase_messages()
        assert len(store.messages(chat.id)) == 3
        settle(store)
        assert [m.content for m in store.messages(chat.id)] == ["first", "", "third"]


def test_late_text_of_an_erased_chat_is_dropped(store: Store) -> None:
    errors: list[StoreError] = []
    store.writer.on_error = errors.append
    chat = a_chat(store, "hello")
    store.trash.erase([chat.id])
    store.save_message(Message(new_id(), chat.id, None, "assistant", "late"))
    store.save_chat(chat)
    store.flush()
    assert errors == []
    assert store.chats(include_deleted=True) == []


def test_huge_chat_can_be_erased(store: Store) -> None:
    chat = a_chat(store, *(["word"] * 2500))
    store.trash.erase([chat.id])
    settle(store)
    assert store.messages(chat.id) == []


def test_erasing_resumes_at_next_start(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(file, clock) as store:
        fill(store)
        chat = a_chat(store, WORDS[0], WORDS[1])
    with monkeypatch.context() as patch:
        patch.setattr("app.store.erase.scrub", _fails)
        with Store.open(file, clock) as store:
            store.trash.erase([chat.id])
            settle(store)
    with Store.open(file, clock) as store:
        settle(store)
    assert holding(file.parent, *WORDS) == []


def test_erasing_during_an_erasure_works(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(file) as store:
        fill(store)
        first, second = a_chat(store, WORDS[0]), a_chat(store, WORDS[1])
        second_too = [second.id]

        def meanwhile(db: sqlite3.Connection) -> None:
            real(db)
            while second_too:
                store.trash.erase([second_too.pop()])

        real = erase.scrub
        monkeypatch.setattr(erase, "scrub", meanwhile)
        store.trash.erase([first.id])
        settle(store)
        assert holding(file.parent, *WORDS) == []
        assert second_too == []


def test_reader_only_delays_end_of_erasure(file: Path) -> None:
    with Store.open(file) as store:
        chat = a_chat(store, WORDS[0])
        store.flush()
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM messages").fetchone()
            store.writer._db.execute("PRAGMA busy_timeout = 50")
            store.trash.erase([chat.id])
            store.save_chat(ChatRecord("new"))
            store.flush()
            reader.execute("ROLLBACK")
        settle(store)
        assert holding(file.parent, *WORDS) == []


def _fill_disk(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA max_page_count = 1")
    db.execute("CREATE TABLE filler AS SELECT zeroblob(100000)")


def test_backups_survive_a_full_disk_during_erasure(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[str] = []
    with Store.open(file, clock) as store:
        chat = a_chat(store, WORDS[0])
        store.flush()
        for _ in range(2):
            store.back_up()
            settle(store)
            clock.now += DAY
        kept = [each.path for each in backups_of(file)]
        store._backups.on_error = lambda error: errors.append(error.code)
        monkeypatch.setattr(erase, "scrub", _fill_disk)
        store._backups.erase([chat.id], lambda _: errors.append("reported as done"))
        settle(store)
    assert errors == ["full"]
    assert len(kept) == 2
    assert [each.path for each in backups_of(file)] == kept
    with closing(sqlite3.connect(kept[0])) as db:
        assert db.execute("PRAGMA quick_check").fetchone() == ("ok",)


def _fails(_: object) -> bool:
    raise OSError("the power went")


def test_unerasable_damaged_file_is_named(file: Path) -> None:
    file.write_bytes(b"nothing that can be read " * 400)
    aside = set_aside(file)
    with Store.open(file) as store:
        chat = a_chat(store, "hello")
        store.trash.erase([chat.id])
        settle(store)
        assert store.trash.unscrubbed == [aside]
    assert aside.exists()


@pytest.mark.parametrize("action", ["delete", "restore"])
def test_erased_chat_never_returns(store: Store, action: str) -> None:
    chat = a_chat(store, "hello")
    store.trash.erase([chat.id])
    getattr(store.trash, action)(chat.id)
    store.flush()
    assert store.chats(include_deleted=True) == []


def test_empty_chat_is_not_in_trash_and_ends_with_its_run(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        store.save_chat(ChatRecord("blank"))
        store.trash.delete("blank")
        assert store.trash.chats() == []
        assert store.trash.chats_to_erase() == []
    clock.now += 60
    with Store.open(file, clock) as store:
        assert store.trash.chats_to_erase() == ["blank"]
