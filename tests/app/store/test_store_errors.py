"""Database files that can't be used, and full disks."""

import contextlib
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.store import ChatRecord, Message, Store, StoreError, new_id
from app.store.database import copy, set_aside
from app.store.migrations import STEPS, migrate
from app.store.operations import Operation

NOBODY = 65534


def refused(file: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        Store.open(file)
    assert str(file) in caught.value.message
    return caught.value


def filled(file: Path) -> None:
    with Store.open(file) as store:
        chat = ChatRecord(new_id())
        store.save_chat(chat)
        for _ in range(200):
            store.save_message(Message(new_id(), chat.id, content="words " * 200))


@pytest.mark.parametrize(
    "damage", ["no database", "truncated", "overwritten", "header", "another program", "newer"]
)
def test_unusable_database_is_reported_and_kept(file: Path, damage: str) -> None:
    if damage != "another program":
        filled(file)
    content = bytearray(file.read_bytes()) if file.exists() else bytearray()
    if damage == "no database":
        content[:] = b"Dear diary, " * 1000
    elif damage == "truncated":
        content = content[: len(content) // 2 + 77]
    elif damage == "overwritten":
        content[8192:40960] = random.Random(0).randbytes(32768)
    elif damage == "header":
        content[:64] = bytes(64)
    file.write_bytes(content)
    with closing(sqlite3.connect(file)) as db:
        if damage == "another program":
            db.execute("CREATE TABLE recipes (name)")
        elif damage == "newer":
            db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    before = file.read_bytes()
    assert refused(file).code == ("newer" if damage == "newer" else "corrupt")
    assert file.read_bytes() == before


def test_set_aside_keeps_old_file_and_journal(file: Path) -> None:
    file.write_bytes(b"damaged")
    file.with_name(file.name + "-wal").write_bytes(b"journal")
    moved = set_aside(file)
    assert moved.read_bytes() == b"damaged"
    assert moved.with_name(moved.name + "-wal").read_bytes() == b"journal"
    file.write_bytes(b"damaged again")
    again = set_aside(file)
    assert again != moved
    with Store.open(file) as store:
        assert store.chats() == []
    assert moved.read_bytes() == b"damaged"
    assert again.read_bytes() == b"damaged again"


def test_copy_includes_journal_and_overwrites_nothing(file: Path, tmp_path: Path) -> None:
    store = Store.open(file)
    store.save_chat(ChatRecord(new_id(), title="In the journal"))
    store.flush()
    target = tmp_path / "other" / "chats.db"
    copy(file, target)
    store.close()
    with Store.open(target) as copied:
        assert [chat.title for chat in copied.chats()] == ["In the journal"]
        copied.save_chat(ChatRecord(new_id(), title="New"))
    copy(file, target)
    with Store.open(target) as copied:
        assert {chat.title for chat in copied.chats()} == {"In the journal", "New"}
    copy(tmp_path / "nothing.db", tmp_path / "neither.db")
    assert not (tmp_path / "neither.db").exists()


def test_older_database_is_migrated_with_contents(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        STEPS[0](db)
        db.execute("PRAGMA user_version = 1")
        db.execute(
            "INSERT INTO chats (id, title, model, system, params, draft, created_at, updated_at) "
            "VALUES ('c', 'Old title', '', '', '{}', '', 1, 1)"
        )
    with Store.open(file) as store:
        assert [c.title for c in store.chats()] == ["Old title"]
        assert [hit.chat_id for hit in store.search("title")] == ["c"]


def test_failed_migration_keeps_old_version(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (x)")
        raise RuntimeError("power cut")

    filled(file)
    monkeypatch.setattr("app.store.migrations.STEPS", (*STEPS, broken))
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        with pytest.raises(RuntimeError):
            migrate(db)
        assert db.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchone() is None


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Drop root privileges for the test, because root can write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("existing", [False, True])
def test_read_only_folder_is_reported(existing: bool, request: pytest.FixtureRequest) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chats.db"
        if existing:
            filled(file)
            file.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            request.getfixturevalue("unprivileged")
            assert refused(file).code == "readonly"
        finally:
            if os.getuid() == 0:
                os.seteuid(0)
            Path(folder).chmod(0o755)


def test_path_below_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    assert refused(tmp_path / "taken" / "chats.db").code in ("readonly", "io")


def test_full_database_keeps_queue_and_saves_later(file: Path) -> None:
    """SQLite reports `max_page_count` the same way as a full disk."""
    told = threading.Event()
    errors: list[StoreError] = []

    def hear(error: StoreError) -> None:
        errors.append(error)
        told.set()

    with Store.open(file) as store:
        store.writer.on_error = hear
        saved: list[bool] = []
        store.writer.on_saved = lambda: saved.append(True)
        chat = ChatRecord(new_id())
        store.save_chat(chat)
        store.flush()
        writer = store.writer._db
        writer.execute("PRAGMA max_page_count = 60")
        messages = [Message(new_id(), chat.id, content="word " * 4000) for _ in range(40)]
        for message in messages:
            store.save_message(message)
        assert told.wait(10)
        with pytest.raises(StoreError) as caught:
            store.flush()
        assert caught.value.code == "full"
        assert "full" in caught.value.message
        assert [error.code for error in errors] == ["full"], "told once, not at every try"
        assert store.messages(chat.id) == messages, "still shown"
        assert saved == []
        writer.execute("PRAGMA max_page_count = 1000000")
        store.flush()
        store.save_layout("one more write", {})
        store.flush()
        assert saved == [True], "told once that all is saved"
    with Store.open(file) as store:
        assert store.messages(chat.id) == messages


def test_closing_on_full_disk_reports_loss(file: Path) -> None:
    store = Store.open(file)
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    store.flush()
    store.writer._db.execute("PRAGMA max_page_count = 40")
    store.save_message(Message(new_id(), chat.id, content="word " * 100_000))
    with pytest.raises(StoreError) as caught:
        store.close()
    assert caught.value.code == "full"
    assert caught.value.message.startswith("1 change")
    store.close()
    with Store.open(file) as store:
        assert store.messages(chat.id) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_recovers_when_freed(small_disk: Path) -> None:
    filler = small_disk / "something else"
    filler.write_bytes(bytes(500_000))
    file = small_disk / "chats.db"
    with Store.open(file) as store:
        chat = ChatRecord(new_id())
        store.save_chat(chat)
        store.flush()
        saved: list[Message] = []

        def fill_the_disk() -> None:
            for _ in range(200):
                saved.append(Message(new_id(), chat.id, content="word " * 1000))
                store.save_message(saved[-1])
                store.flush()

        with pytest.raises(StoreError) as caught:
            fill_the_disk()
        assert caught.value.code == "full"
        assert store.messages(chat.id) == saved
        filler.unlink()
        store.flush()
    with Store.open(file) as store:
        assert store.messages(chat.id) == saved


def test_disk_too_full_for_new_database_is_reported(small_disk: Path) -> None:
    with contextlib.suppress(OSError):
        (small_disk / "something else").write_bytes(bytes(2_000_000))
    assert refused(small_disk / "chats.db").code == "full"


LIMITED = """
import resource, sys
from app.store import ChatRecord, Message, Store, StoreError, new_id
store = Store.open(sys.argv[1])
chat = ChatRecord(new_id()); store.save_chat(chat); store.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
first = None
for number in range(200):
    store.save_message(Message(new_id(), chat.id, content="word " * 2000))
    try:
        store.flush()
    except StoreError as error:
        first = (error.code, number)
        break
assert first is not None
count = len(store.messages(chat.id))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.flush()
assert len(store.messages(chat.id)) == count == first[1] + 1
store.close()
print(first[0], count)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on file size")
def test_file_size_limit_recovers_when_raised(file: Path) -> None:
    """SQLite reports the refused write (EFBIG) as an I/O error."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", LIMITED, str(file), str(1 << 20)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    code, count = run.stdout.split()
    assert code in ("io", "full")
    with Store.open(file) as store:
        (chat,) = store.chats()
        assert len(store.messages(chat.id)) == int(count)


class Stumbling(Operation, frozen=False):  # type: ignore[misc]
    failures: int = 2

    def write(self, db: sqlite3.Connection) -> None:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("unexpected")


def test_unexpected_error_does_not_stop_writer(store: Store) -> None:
    errors: list[StoreError] = []
    store.writer.on_error = errors.append
    chat = ChatRecord(new_id())
    store.save_chat(chat)
    store.writer.add(Stumbling())
    tries = 0
    while store.writer.pending_operations():
        tries += 1
        with contextlib.suppress(StoreError):
            store.flush()
    assert tries <= 3
    assert "unexpected" in errors[0].message
    assert [error.code for error in errors] == ["io"]
    assert store.chats() == [chat]


class Faulty(Operation, frozen=False):  # type: ignore[misc]
    error: BaseException | None

    def write(self, db: sqlite3.Connection) -> None:
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize(
    ("error", "codes"),
    [
        (RecursionError(), ["invalid", "invalid"]),
        (KeyError(), ["invalid", "invalid"]),
        (AssertionError(), ["io", "invalid", "invalid"]),
    ],
)
def test_writer_survives_operations_that_raise(
    file: Path, error: Exception, codes: list[str]
) -> None:
    with Store.open(file) as store:
        told: list[str] = []
        store.writer.on_error = lambda error: told.append(error.code)
        store.writer.add(Faulty(sqlite3.IntegrityError("FOREIGN KEY")), Faulty(error))
        store.save_chat(ChatRecord("later"))
        while store.writer.pending_operations():
            with contextlib.suppress(StoreError):
                store.flush()
        assert told == codes
        assert [chat.id for chat in store.chats()] == ["later"]


def test_writer_keeps_what_a_panic_stopped(file: Path) -> None:
    class Panic(BaseException):
        pass

    with Store.open(file) as store:
        once = Faulty(Panic())
        store.writer.add(once)
        store.save_chat(ChatRecord("later"))
        with pytest.raises(StoreError):
            store.flush()
        once.error = None
        store.flush()
    with Store.open(file) as store:
        assert [chat.id for chat in store.chats()] == ["later"]
