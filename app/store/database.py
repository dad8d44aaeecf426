"""Checks of the database before anything is written, and configuration of connections."""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import sys
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app.settings.paths import free_dated_path
from app.store.errors import (
    UNREADABLE,
    corrupt_error,
    newer_version_error,
    to_start_error,
    to_store_error,
)
from app.store.file_index import index_some
from app.store.migrations import APPLICATION_ID, STEPS, migrate
from app.store.operations import CHAT_COLUMNS, MESSAGE_COLUMNS, chat_from_row, message_from_row

_HEADER, _FRAME = 32, 24  # bytes
_MAGIC = 0x377F0682  # 1 is added if the checksums are big-endian


def copy_damaged_journal(path: Path) -> Path | None:
    """Copy the database's journal if SQLite would drop saved changes from it.

    Returns the path of the copy, e.g. `chats.db-wal.aside-20261120-224801`, or None if the journal
    is fine or missing. A torn end isn't damage, because it was never saved.
    """
    journal = path.with_name(path.name + "-wal")
    if not journal.exists() or not _is_damaged(journal.read_bytes()):
        return None
    target = _aside_path(journal)
    shutil.copyfile(journal, target)
    return target


def _is_damaged(journal: bytes) -> bool:
    """Return True if committed changes follow the first invalid frame.

    This takes about 0.1 s for 4 MB, the usual maximum size of a journal.
    """
    if len(journal) < _HEADER or not any(journal):
        return False
    magic, _, page, _, *salts, first, second = struct.unpack(">8I", journal[:_HEADER])
    swap = (magic & 1 == 1) == (sys.byteorder == "little")
    sums = _continue_checksum((0, 0), journal[: _HEADER - 8], swap)
    if magic & ~1 != _MAGIC or sums != (first, second) or not 512 <= page <= 65536:
        return True
    torn = False
    for at in range(_HEADER, len(journal) - _FRAME - page + 1, _FRAME + page):
        _, commit, *stamp, first, second = struct.unpack(">6I", journal[at : at + _FRAME])
        if torn:
            if stamp == salts and commit:
                return True
            continue
        body = journal[at : at + 8] + journal[at + _FRAME : at + _FRAME + page]
        sums = _continue_checksum(sums, body, swap)
        torn = stamp != salts or sums != (first, second)
    return False


def _continue_checksum(sums: tuple[int, int], content: bytes, swap: bool) -> tuple[int, int]:
    words = array("I", content)
    if swap:
        words.byteswap()
    a, b = sums
    for even, odd in zip(words[::2], words[1::2], strict=True):
        a = (a + even + b) & 0xFFFFFFFF
        b = (b + odd + a) & 0xFFFFFFFF
    return a, b


# A full check takes 0.6 ms per MB and would delay startup for larger files.
_CHECKED_BYTES = 64 << 20
_FIRST_PIECE = 20_000  # characters to index before the app starts: 3 ms
_BUSY_MS = 5_000


def open_writer(
    path: Path, before_migration: Callable[[], None] = lambda: None
) -> sqlite3.Connection:
    """Open the writing connection. The file is checked and migrated, or created if missing.

    Messages that were streaming become "interrupted". A refused file ("corrupt", "newer") isn't
    changed.
    """
    db: sqlite3.Connection | None = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(path)
        if path.exists() and path.stat().st_size > 0:
            _probe(path)
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        db.execute("PRAGMA journal_mode = WAL")
        # With FULL, a commit survives a power cut. NORMAL would save an fsync per commit, but only
        # this thread waits for it, a few times per second.
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA checkpoint_fullfsync = 1")  # for macOS, where fsync isn't enough
        db.execute("PRAGMA foreign_keys = ON")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if 0 < version < len(STEPS):
            before_migration()
        migrate(db)
        db.execute("PRAGMA secure_delete = ON")  # after the migrations, which drop entire tables
        # Use a single transaction. Otherwise each indexed passage would wait for the disk.
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE messages SET status = 'interrupted' WHERE status = 'streaming'")
        index_some(db, _FIRST_PIECE)  # only a first piece, since the writer does the rest
        db.execute("COMMIT")
    except (sqlite3.Error, OSError, *UNREADABLE) as error:
        if db is not None:
            db.close()
        raise to_start_error(
            to_store_error(error, path)
        ) from None  # the cause may contain private text
    except BaseException:
        if db is not None:
            db.close()
        raise
    return db


def open_reader(path: Path) -> sqlite3.Connection:
    try:
        db = _read_only(path)
    except sqlite3.Error as error:
        raise to_store_error(error, path) from None
    db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    return db


def note_damage(path: Path) -> None:
    """Note that a row was unreadable, so that the next `open_writer` reads all rows first.

    SQLite's own check doesn't detect damaged text.
    """
    with suppress(OSError):
        _note_path(path).touch(mode=0o600)


def set_aside(path: Path) -> Path:
    """Rename an unusable file with its -wal and -shm, and return the new path.

    For example, `chats.db.aside-20261120-224801`. Raises StoreError if the folder isn't writable.
    """
    target = _aside_path(path)
    moved: list[tuple[Path, Path]] = []
    try:
        # Move all files or none. A database without its journal is outdated, and a journal left
        # behind would be applied to the next database.
        for suffix in ("-wal", "-shm", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                moved.append((part, part.rename(target.with_name(target.name + suffix))))
    except OSError as error:
        for old, new in reversed(moved):
            new.rename(old)
        raise to_store_error(error, path) from error
    with suppress(OSError):
        _note_path(path).unlink()
    return target


def _aside_path(path: Path) -> Path:
    return free_dated_path(path.parent, f"{path.name}.aside-")


def _note_path(path: Path) -> Path:
    return path.with_name(path.name + ".damaged")


def _make_private(path: Path) -> None:
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        with suppress(OSError):  # owned by another user, or the file system has no permissions
            if part.stat().st_mode & 0o077:
                part.chmod(part.stat().st_mode & 0o700)


def replace_database(new_file: Path, path: Path) -> Path | None:
    """Replace the database with another file. Return the old database's new path.

    There is always a database at this path. If OSError is raised, it's the old one.
    """
    aside: Path | None = None
    journals = [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")]
    if path.exists():
        aside = _aside_path(path)
        moves = [(path, aside)]
        moves += [(j, aside.with_name(aside.name + j.name[len(path.name) :])) for j in journals]
        moves = [(part, target) for part, target in moves if part.exists()]
        try:
            for part, target in moves:
                _replace_link(part, target)
            for journal in journals:  # SQLite would apply a leftover journal to the new file
                journal.unlink(missing_ok=True)
            os.replace(new_file, path)
        except OSError:
            for part, target in moves:
                if not part.exists() and target.exists():
                    _replace_link(target, part)
            for part, target in moves:
                if part.exists():
                    target.unlink(missing_ok=True)
            raise
    else:
        for journal in journals:
            journal.unlink(missing_ok=True)
        os.replace(new_file, path)
    _note_path(path).unlink(missing_ok=True)
    return aside


def _replace_link(part: Path, target: Path) -> None:
    try:
        os.link(part, target)
    except OSError:  # the file system doesn't support links
        shutil.copyfile(part, target)
        target.chmod(0o600)


def copy(path: Path, target: Path) -> None:
    """Copy a database that isn't being written, with its journal. Raises StoreError.

    Does nothing if the file is missing or the target exists.
    """
    try:
        if target.exists() or not path.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        # Copy the database last, because a copy without it is ignored.
        for suffix in ("-wal", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                temporary = target.with_name(f"{target.name}{suffix}.part")
                shutil.copyfile(part, temporary)
                temporary.rename(target.with_name(target.name + suffix))
    except OSError as error:
        raise to_store_error(error, target) from error


def _read_only(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def _read_all(db: sqlite3.Connection, version: int) -> None:
    for table in ("chats", "messages"):
        for _ in db.execute(f"SELECT * FROM {table}"):
            pass
    if version == len(STEPS):
        for row in db.execute(f"SELECT {CHAT_COLUMNS} FROM chats"):
            chat_from_row(row)
        for row in db.execute(f"SELECT {MESSAGE_COLUMNS} FROM messages"):
            message_from_row(row)


def _probe(path: Path) -> None:
    """Raise StoreError if the file isn't ours, isn't readable, or is too new. Never writes."""
    db = _read_only(path)
    try:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != APPLICATION_ID and (application or version or tables):
            raise corrupt_error(path)
        if version > len(STEPS):
            raise newer_version_error(path)
        if path.stat().st_size <= _CHECKED_BYTES:
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise corrupt_error(path)
        if version and _note_path(path).exists():
            _read_all(db, version)
        with suppress(OSError):
            _note_path(path).unlink()
    except (sqlite3.Error, *UNREADABLE) as error:
        raise to_store_error(error, path) from None
    finally:
        db.close()
