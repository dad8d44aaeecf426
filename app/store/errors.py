"""Error class of the store, and the conversion of SQLite's errors to it."""

import shutil
import sqlite3
from pathlib import Path

from app.settings.language import tr

_NEARLY_FULL = 1 << 20  # bytes; SQLite reports some full disks as a plain write error

UNREADABLE = (UnicodeError, ValueError, TypeError, KeyError, RecursionError, OverflowError)
"""Exceptions that Python raises for damaged records.

They mean text that is not UTF-8, invalid JSON, or an unknown role.
"""
# The program's own SQL matches the schema, so an unknown name means a damaged schema.
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
    """Error of the chat file to show to the user."""

    hopeless = False  # recovery of a "corrupt" file was tried and failed

    def __init__(self, code: str, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        # "corrupt" (not a database, damaged, or not ours), "newer" (written by a later Stretto),
        # "readonly", "full" (the disk), "io" (other errors of the disk or SQLite), "invalid" (a
        # write that contradicts the stored data, such as a message of an unknown chat: only that
        # write is dropped), "timeout" (a flush or close that took too long), "closed"
        self.code = code
        self.message = message  # one or two sentences: the problem and the remedy
        self.path = path  # the file


def is_damage(error: BaseException) -> bool:
    """Return True if the file itself is damaged, so that reading it again cannot succeed.

    A full disk, a locked file, or a failing device raise the same classes of error.
    """
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def corrupt(path: Path) -> StoreError:
    """Return the error for a file that is damaged or not ours. The file is unchanged."""
    return StoreError(
        "corrupt",
        tr(
            "The file {path} is damaged or was not created by Stretto. It has not "
            "been changed. Stretto can recover what is readable into a new file or "
            "start with an empty one. The damaged file is kept.",
            path=path,
        ),
        path,
    )


def unreadable(path: Path) -> StoreError:
    """Return the error for a damaged file without readable chats. The file is unchanged."""
    error = StoreError(
        "corrupt",
        tr(
            "Nothing in {path} could be read. The file has not been changed. Restore "
            "a backup, or set the file aside and start with an empty one.",
            path=path,
        ),
        path,
    )
    error.hopeless = True
    return error


def newer(path: Path) -> StoreError:
    """Return the error for a file of a newer version."""
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


def invalid(what: str, error: Exception, path: Path) -> StoreError:
    """Return the error for a write that can never be stored."""
    return StoreError(
        "invalid",
        tr(
            "One change could not be saved ({what}: {error}). All other changes are "
            "saved. Please report this error.",
            what=what,
            error=error,
        ),
        path,
    )


def translate(error: BaseException, path: Path) -> StoreError:
    """Return a StoreError with a code and a remedy for an error of SQLite, the system or a decoder.

    Its text never quotes what was read, which may be damaged or private.
    """
    if isinstance(error, OSError):
        return _readonly(path) if isinstance(error, PermissionError) else _io(path, error)
    if isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode"):
        return corrupt(path)  # raised by Python for text that is not UTF-8
    if not isinstance(error, sqlite3.Error):
        return corrupt(path) if isinstance(error, UNREADABLE) else _io(path, error)
    # Extended codes have the primary one in the low byte.
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if primary in _DAMAGE:
        return corrupt(path)
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and _disk_full(path)):
        return _full(path)
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return _readonly(path)
    return _io(path, error)


def at_start(error: StoreError) -> StoreError:
    """Return the error with the text to show before anything was written."""
    if error.code != "full":
        return error
    return StoreError(
        "full",
        tr(
            "Your chats cannot be opened because the disk with {path} is full. "
            "Nothing is lost. Free some space, then try again.",
            path=error.path,
        ),
        error.path,
    )


def _full(path: Path) -> StoreError:
    return StoreError(
        "full",
        tr(
            "Your latest messages are not saved yet because the disk with {path} is "
            "full. Free some space. Stretto tries again by itself.",
            path=path,
        ),
        path,
    )


def _disk_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _NEARLY_FULL
    except OSError:
        return False


def _readonly(path: Path) -> StoreError:
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


def _io(path: Path, error: BaseException) -> StoreError:
    name = getattr(error, "sqlite_errorname", None) or getattr(error, "strerror", None)
    return StoreError(
        "io",
        tr(
            "The chats in {path} could not be read or saved ({error}). Check that "
            "the disk is connected and has free space, then try again.",
            path=path,
            error=name or error,
        ),
        path,
    )
