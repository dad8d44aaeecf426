"""Daily backups, backups before migrations, and restoring."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, StoreError, backups_of, erase, new_id
from app.store.backups import restore
from tests.app.store.conftest import make_version_3
from tests.app.store.test_store_trash import DAY, Clock, settle
from tests.waiting import until


@pytest.fixture
def clock() -> Clock:
    return Clock()


def titled(file: Path, clock: Clock, title: str) -> None:
    with Store.open(file, clock) as store:
        store.save_chat(ChatRecord(new_id(), title=title))
        settle(store)


def titles(file: Path) -> set[str]:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
        return {title for (title,) in db.execute("SELECT title FROM chats")}


def test_first_change_of_a_day_makes_a_backup(file: Path, clock: Clock) -> None:
    titled(file, clock, "one")
    assert backups_of(file) == [], "there was nothing to keep"
    clock.now += DAY
    titled(file, clock, "two")
    titled(file, clock, "three")
    (backup,) = backups_of(file)
    assert titles(backup.path) == {"one"}
    assert stat.S_IMODE(backup.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.path.parent.stat().st_mode) == 0o700
    for number in range(5):
        clock.now += DAY
        titled(file, clock, f"day {number}")
    assert len(backups_of(file)) == 3
    assert "day 3" in titles(backups_of(file)[0].path)
    assert "day 2" not in titles(backups_of(file)[-1].path)


def test_backup_made_after_the_clock_went_back_is_kept(file: Path, clock: Clock) -> None:
    for number in range(4):
        titled(file, clock, f"day {number}")
        clock.now += DAY
    before = [each.path for each in backups_of(file)]
    clock.now -= 365 * DAY
    titled(file, clock, "a year earlier")
    assert [each.path for each in backups_of(file)][:3] == before
    (made,) = backups_of(file)[3:]
    assert titles(made.path) == {f"day {number}" for number in range(4)}
    for number in range(4):
        clock.now += DAY
        titled(file, clock, f"later {number}")
    assert len(backups_of(file)) == 6, "three on either side of the jump"


def test_reading_makes_no_backup(file: Path, clock: Clock) -> None:
    titled(file, clock, "one")
    clock.now += DAY
    with Store.open(file, clock) as store:
        store.chats()
        settle(store)
    assert backups_of(file) == []


def test_migration_makes_a_backup_first(file: Path) -> None:
    make_version_3(file)
    Store.open(file).close()
    (backup,) = backups_of(file)
    assert backup.before_update
    with closing(sqlite3.connect(backup.path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,)
        assert db.execute("SELECT title FROM chats").fetchall() == [("Old title",)]


def test_restoring_keeps_the_present_file(file: Path, clock: Clock) -> None:
    titled(file, clock, "one")
    clock.now += DAY
    titled(file, clock, "two")
    (backup,) = backups_of(file)
    aside = restore(file, backup.path)
    assert titles(file) == {"one"}
    assert aside is not None
    assert titles(aside) == {"one", "two"}
    assert backup.path.exists()


def test_damaged_backup_changes_nothing(file: Path, clock: Clock) -> None:
    titled(file, clock, "one")
    bad = file.parent / "backups" / "chats-20260101-000000.db"
    bad.parent.mkdir()
    bad.write_bytes(b"no database " * 100)
    before = file.read_bytes()
    with pytest.raises(StoreError) as caught:
        restore(file, bad)
    assert caught.value.code == "corrupt"
    assert file.read_bytes() == before
    assert sorted(p.name for p in file.parent.iterdir()) == ["backups", file.name]


def test_damage_is_not_backed_up(file: Path, clock: Clock) -> None:
    with Store.open(file, clock) as store:
        chat = ChatRecord(new_id())
        store.save_chat(chat)
        for _ in range(200):
            store.save_message(Message(new_id(), chat.id, content="words " * 200))
        settle(store)
    content = bytearray(file.read_bytes())
    with closing(sqlite3.connect(file)) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'messages_of_chat'"
        ).fetchone()
    clock.now += DAY
    errors: list[StoreError] = []
    with Store.open(file, clock) as store:
        store._backups.on_error = errors.append
        content[(page - 1) * 4096 : page * 4096] = b"\xaa" * 4096
        file.write_bytes(content)
        store.set_draft(chat.id, "x")
        until(lambda: errors)
    assert [error.code for error in errors] == ["corrupt"]
    assert backups_of(file) == []


def test_chats_are_private_to_the_user(file: Path, clock: Clock) -> None:
    """Permissions that an earlier version left open are fixed, too."""
    titled(file, clock, "one")
    file.chmod(0o644)
    with Store.open(file, clock) as store:
        store.save_chat(ChatRecord(new_id()))
        store.flush()
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in file.parent.glob("chats.db*")}
    assert set(modes.values()) == {0o600}, modes


def test_partial_backup_is_removed_at_start(file: Path, clock: Clock) -> None:
    titled(file, clock, "one")
    half = file.parent / "backups" / "chats-20260101-000000.db.part"
    half.parent.mkdir(exist_ok=True)
    half.write_text("half")
    with Store.open(file, clock) as store:
        settle(store)
        assert not half.exists()


def test_closing_cuts_an_erasure_in_backups_short(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(file, clock) as store:
        store.save_chat(ChatRecord("gone"))
        store.flush()
        store.back_up()
        settle(store)
        (backup,) = backups_of(file)
        before = backup.path.read_bytes()
        begun, go_on = threading.Event(), threading.Event()

        def endless(db: sqlite3.Connection) -> None:
            begun.set()
            go_on.wait(20)
            numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
            db.execute(f"{numbers} SELECT count(*) FROM n").fetchone()

        monkeypatch.setattr(erase, "scrub", endless)
        done: list[object] = []
        store._backups.erase(["gone"], done.append)
        assert begun.wait(20)
        store._backups._closing = True
        go_on.set()
        store._backups.close()
        thread = store._backups._thread
        thread.join(20)
        assert not thread.is_alive()
    assert done == []
    assert backup.path.read_bytes() == before
