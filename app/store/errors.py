"""Errors of the store."""

import shutil
import sqlite3
from pathlib import Path

from app.settings.language import tr

_NEARLY_FULL = 1 << 20  # bytes; SQLite reports some full disks as a plain write error

UNREADABLE = (UnicodeError, ValueError, TypeError, KeyError, RecursionError, OverflowError)
"""Exceptions that Python raises for damaged records: invalid UTF-8, invalid JSON, unknown role."""
# Our SQL matches the schema, so an unknown name means that the schema is damaged.
_DAMAGE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_INTERNAL,
)


class StoreError(Exception):
    """Error with the chat database, for the user."""

    hopeless = False  # the "corrupt" file was already recovered without success

    def __init__(self, code: str, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        # One of "corrupt" (not a database, damaged, or not ours), "newer" (written by a later
        # Stretto), "readonly", "full" (disk full), "io" (other disk or SQLite errors), "invalid" (a
        # write that contradicts stored data, e.g. a message for an unknown chat; only that write is
        # dropped), "timeout" (flushing or closing took too long) or "closed".
        self.code = code
        # One or two sentences that state the problem and what to do about it.
        self.message = message
        self.path = path


def is_damage(error: BaseException) -> bool:
    """Return True if the file is damaged, so that reading it again is pointless.

    A full disk, a locked file, and a failing device raise the same exception classes.
    """
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def corrupt_error(path: Path) -> StoreError:
    return StoreError(
        "corrupt",
        tr(
            "The file {path} is damaged or wasn’t created by Stretto. It hasn’t been changed. "
            "Stretto can recover what is readable into a new file or start with an empty one. The "
            "damaged file is kept.",
            path=path,
        ),
        path,
    )


def unreadable_error(path: Path) -> StoreError:
    error = StoreError(
        "corrupt",
        tr(
            "Nothing in {path} could be read. The file hasn’t been changed. Restore a backup, or "
            "set the file aside and start with an empty one.",
            path=path,
        ),
        path,
    )
    error.hopeless = True
    return error


def newer_version_error(path: Path) -> StoreError:
    return StoreError(
        "newer",
        tr(
            "The chats in {path} were last used by a newer version of Stretto, and "
            "this version could damage them. Nothing has been changed. Open them "
            "with the newer version, or set the file aside and start with an empty "
            "one.",
            path=path,
        ),
        path,
    )


def invalid_write_error(object_name: str, error: Exception, path: Path) -> StoreError:
    return StoreError(
        "invalid",
        tr(
            "One change couldn’t be saved ({what}: {error}). All other changes are saved. Please "
            "report this error.",
            what=object_name,
            error=error,
        ),
        path,
    )


def to_store_error(error: BaseException, path: Path) -> StoreError:
    """Convert an error of SQLite, the system or a decoder.

    The message never contains data from the file, which may be damaged or private.
    """
    if isinstance(error, OSError):
        return (
            _readonly_error(path) if isinstance(error, PermissionError) else _io_error(path, error)
        )
    if isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode"):
        return corrupt_error(path)  # Python raises this for invalid UTF-8
    if not isinstance(error, sqlite3.Error):
        return corrupt_error(path) if isinstance(error, UNREADABLE) else _io_error(path, error)
    # The low byte of an extended code is the primary code.
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if primary in _DAMAGE:
        return corrupt_error(path)
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and _disk_full(path)):
        return _disk_full_error(path)
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return _readonly_error(path)
    return _io_error(path, error)


def to_start_error(error: StoreError) -> StoreError:
    """Adapt the message of an error that happened before the first write."""
    if error.code != "full":
        return error
    return StoreError(
        "full",
        tr(
            "Your chats can’t be opened because the disk with {path} is full. Nothing is lost. "
            "Free some space, then try again.",
            path=error.path,
        ),
        error.path,
    )


def _disk_full_error(path: Path) -> StoreError:
    return StoreError(
        "full",
        tr(
            "Your latest messages aren’t saved yet because the disk with {path} is full. Free "
            "some space. Stretto tries again by itself.",
            path=path,
        ),
        path,
    )


def _disk_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _NEARLY_FULL
    except OSError:
        return False


def _readonly_error(path: Path) -> StoreError:
    return StoreError(
        "readonly",
        tr(
            "Stretto has no permission to write to {path}. Make the folder and its "
            "file writable and try again, or use another folder. Your chats are "
            "copied there.",
            path=path,
        ),
        path,
    )


def _io_error(path: Path, error: BaseException) -> StoreError:
    name = getattr(error, "sqlite_errorname", None) or getattr(error, "strerror", None)
    return StoreError(
        "io",
        tr(
            "The chats in {path} couldn’t be read or saved ({error}). Check that the disk is "
            "connected and has free space, then try again.",
            path=path,
            error=name or error,
        ),
        path,
    )
