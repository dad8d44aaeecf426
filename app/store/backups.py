"""Backups of the database, made daily and before migrations."""

import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from app.store.database import open_reader, replace_database
from app.store.erase import PROGRESS_STEPS, clear_notes, scrub_file
from app.store.errors import UNREADABLE, StoreError, corrupt_error, to_store_error

log = logging.getLogger(__name__)

KEPT = 3
_PAGES = 2_000  # pages to copy per step; quitting has to wait for a step
_JOIN_S = 3.0  # maximum time to wait for an unresponsive disk
_STAMP = "%Y%m%d-%H%M%S"


class Backup(Struct, frozen=True):
    path: Path
    made_at: float  # seconds since the epoch
    nbytes: int
    before_update: bool  # made before a newer version changed the schema


class _EndedError(Exception):
    """The app quit during a backup. The backup is retried later."""


def folder_of(path: Path) -> Path:
    return path.parent / "backups"


def backups_of(path: Path) -> list[Backup]:
    backups = []
    for file in folder_of(path).glob("chats-*.db"):
        stamp = file.stem.removeprefix("chats-")
        with suppress(ValueError, OverflowError, OSError):
            made_at = time.mktime(time.strptime(stamp[:15], _STAMP))
            backups.append(Backup(file, made_at, file.stat().st_size, "-before-update" in stamp))
    return sorted(backups, key=lambda each: (each.made_at, each.path.name), reverse=True)


def restore(path: Path, backup: Path) -> Path | None:
    """Replace a closed database with a backup. Return the old database's new path.

    If StoreError is raised, the database is unchanged.
    """
    part = path.with_name(path.name + ".restored")
    try:
        _copy(backup, part, lambda: False)
        return replace_database(part, path)
    except (sqlite3.Error, OSError, *UNREADABLE) as error:
        raise to_store_error(error, backup) from None
    finally:
        _remove(part)


class Backups:
    """Thread that makes a database's backups and erases text in them.

    A backup has the database's state before the change that triggered it.
    """

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self.on_error: Callable[[StoreError], None] | None = None
        self._path = path
        self._clock = clock
        self._day = ""
        self._jobs: list[Callable[[], None]] = []
        self._changed = threading.Condition()
        self._busy = False
        self._closing = False
        self._must_finish_count = 0  # backups that `close` must wait for
        self._thread: threading.Thread | None = None

    def back_up_daily(self) -> None:
        """Make a backup before a change, unless there is one from today."""
        day = time.strftime("%Y%m%d", time.localtime(self._clock()))
        if day == self._day:
            return
        self._day = day
        if not any(folder_of(self._path).glob(f"chats-{day}-*.db")):
            self.begin()

    def begin(self, *, before_update: bool = False, must_finish: bool = False) -> None:
        """Take a snapshot now and copy it in the background, unless the file has no chats.

        With ``must_finish`` or ``before_update``, closing waits for the copy.
        """
        if self._closing:
            return
        try:
            db = open_reader(self._path)
        except StoreError as error:
            log.warning("cannot back up: %s", error.code)
            return
        try:
            db.execute("BEGIN")
            chats = db.execute("SELECT 1 FROM chats LIMIT 1").fetchone()
        except sqlite3.Error:
            chats = None
        if chats is None:
            db.close()
            return
        stamp = time.strftime(_STAMP, time.localtime(self._clock()))
        name = f"chats-{stamp}{'-before-update' if before_update else ''}.db"
        must_finish = must_finish or before_update
        self._must_finish_count += must_finish
        self._post(lambda: self._make(db, name, must_finish=must_finish))

    def erase(self, ids: Iterable[str], on_done: Callable[[list[Path]], None]) -> None:
        """Erase chats and messages from all backups, and from files that were set aside.

        The thread calls ``on_done`` with the files that couldn't be cleaned.
        """
        listed = list(ids)
        self._post(lambda: on_done(self._erase(listed)))

    def delete_partial(self) -> None:
        """Delete partial backups of a killed process."""
        if next(folder_of(self._path).glob("*.part*"), None) is not None:
            self._post(lambda: _remove_partial_files(self._path))

    @property
    def is_idle(self) -> bool:
        with self._changed:
            return not (self._busy or self._jobs)

    def close(self) -> None:
        """Stop the thread.

        Daily backups and erasures are interrupted, but backups before an update finish.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(None if self._must_finish_count else _JOIN_S)

    def _post(self, job: Callable[[], None]) -> None:
        with self._changed:
            self._jobs.append(job)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="store-backup", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self._closing:
                    self._changed.wait()
                if not self._jobs:
                    return
                job = self._jobs.pop(0)
                self._busy = True
            try:
                job()
            except (sqlite3.Error, OSError, *UNREADABLE) as error:
                if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
                    self._report_error(to_store_error(error, self._path))
            except StoreError as error:
                self._report_error(error)
            except _EndedError:
                pass
            except BaseException:  # keep the thread alive for the next backup
                log.exception("backup failed")
            with self._changed:
                self._busy = False

    def _report_error(self, error: StoreError) -> None:
        log.warning("cannot back up: %s", error.code)
        if self.on_error is not None:
            self.on_error(error)

    def _make(self, source: sqlite3.Connection, name: str, *, must_finish: bool) -> None:
        try:
            self._copy_to(source, name, must_finish=must_finish)
        finally:
            self._must_finish_count -= must_finish

    def _copy_to(self, source: sqlite3.Connection, name: str, *, must_finish: bool) -> None:
        with closing(source):
            folder = folder_of(self._path)
            folder.mkdir(mode=0o700, exist_ok=True)
            _remove_partial_files(self._path)
            part = folder / f"{name}.part"
            try:
                _copy_open(source, part, lambda: self._closing and not must_finish)
                os.replace(part, folder / name)
            finally:
                _remove(part)
        copies = backups_of(self._path)
        copy = next(backup for backup in copies if backup.path.name == name)
        # Keep backups with a later date, because the clock was wrong at that time or is wrong now.
        for old in [backup for backup in copies if backup.made_at <= copy.made_at][KEPT:]:
            old.path.unlink(missing_ok=True)

    def _erase(self, ids: list[str]) -> list[Path]:
        _remove_partial_files(self._path)
        remaining = []
        failed: sqlite3.Error | OSError | None = None
        aside = [
            file
            for file in self._path.parent.glob(f"{self._path.name}*.aside-*")
            if not file.name.endswith(("-wal", "-shm"))
        ]
        for file in [backup.path for backup in backups_of(self._path)] + aside:
            if self._closing:
                raise _EndedError
            try:
                scrubbed = scrub_file(file, ids, lambda: self._closing)
            except (sqlite3.Error, OSError) as error:
                if self._closing:
                    raise _EndedError from error
                failed = error  # retried at the next erasure or start
                continue
            if not scrubbed and file in aside:
                remaining.append(file)
            elif not scrubbed:  # a damaged backup couldn't be restored anyway
                file.unlink(missing_ok=True)
        if failed is not None:
            raise failed
        return remaining


def _copy(file: Path, part: Path, ended: Callable[[], bool]) -> None:
    with closing(open_reader(file)) as source:
        _copy_open(source, part, ended)


def _copy_open(source: sqlite3.Connection, part: Path, ended: Callable[[], bool]) -> None:
    _remove(part)
    os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))

    def on_progress(_status: int, _left: int, _all: int) -> None:
        if ended():
            raise _EndedError

    with closing(sqlite3.connect(part, isolation_level=None)) as target:
        source.backup(target, pages=_PAGES, progress=on_progress)
        target.set_progress_handler(ended, PROGRESS_STEPS)
        target.execute("PRAGMA journal_mode = DELETE")
        clear_notes(target)
        if target.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise corrupt_error(part)
    with open(part, "rb") as file:
        os.fsync(file.fileno())


def _remove_partial_files(path: Path) -> None:
    for part in [*folder_of(path).glob("*.part*"), *path.parent.glob(f"{path.name}*.part*")]:
        part.unlink(missing_ok=True)
    _remove(path.with_name(path.name + ".restored"))
    for folder in path.parent.glob("chats-*"):  # left over from a salvage
        if (folder / "damaged.db").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _remove(part: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            part.with_name(part.name + suffix).unlink(missing_ok=True)
