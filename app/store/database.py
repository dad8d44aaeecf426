"""Opening the file: what is checked before anything is written, and how connections are set up."""

import shutil
import sqlite3
import time
from pathlib import Path

from app.store.errors import at_start, corrupt, newer, translate
from app.store.migrations import APPLICATION_ID, STEPS, migrate

_CHECKED_BYTES = 64 << 20  # a full check takes 0.6 ms a MB; beyond, it would delay the start
_BUSY_MS = 5_000


def open_writer(path: Path) -> sqlite3.Connection:
    """The one connection that writes, on a checked and migrated file; creates a missing one.

    Streaming messages of an earlier run become "interrupted". Raises StoreError; a file that was
    refused ("corrupt", "newer") has not been changed.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > 0:
            _probe(path)
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    except (sqlite3.Error, OSError) as error:
        raise at_start(translate(error, path)) from error
    try:
        db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        db.execute("PRAGMA journal_mode = WAL")
        # FULL: a commit is on the disk when it returns, also through a power cut. NORMAL would
        # save one fsync per commit, but only this thread waits for it, a few times a second.
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA checkpoint_fullfsync = 1")  # macOS: fsync leaves data in the drive
        db.execute("PRAGMA foreign_keys = ON")
        migrate(db)
        db.execute("UPDATE messages SET status = 'interrupted' WHERE status = 'streaming'")
    except sqlite3.Error as error:
        db.close()
        raise at_start(translate(error, path)) from error
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises StoreError."""
    try:
        db = _read_only(path)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    return db


def set_aside(path: Path) -> Path:
    """Moves a file that cannot be used (and its -wal and -shm) out of the way, deleting nothing.

    Returns the new path, beside the old one: `chats.db` becomes `chats.db.aside-20261120-224801`.
    Raises StoreError when the folder cannot be written.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = path.with_name(f"{path.name}.aside-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.aside-{stamp}-{number}")
    moved: list[tuple[Path, Path]] = []
    try:
        # All or none: a database without its journal is an older one, a journal without its
        # database would be taken for the next one's.
        for suffix in ("-wal", "-shm", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                moved.append((part, part.rename(target.with_name(target.name + suffix))))
    except OSError as error:
        for old, new in reversed(moved):
            new.rename(old)
        raise translate(error, path) from error
    return target


def copy(path: Path, target: Path) -> None:
    """See `Store.copy`."""
    try:
        if target.exists() or not path.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        # The database last: without it, a copy that was cut off is no copy.
        for suffix in ("-wal", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                beside = target.with_name(f"{target.name}{suffix}.part")
                shutil.copyfile(part, beside)
                beside.rename(target.with_name(target.name + suffix))
    except OSError as error:
        raise translate(error, target) from error


def _read_only(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def _probe(path: Path) -> None:
    """Raises StoreError unless the file is ours, readable and not newer. Never writes to it."""
    db = _read_only(path)
    try:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != APPLICATION_ID and (application or version or tables):
            raise corrupt(path)
        if version > len(STEPS):
            raise newer(path)
        if path.stat().st_size <= _CHECKED_BYTES:
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise corrupt(path)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        db.close()
