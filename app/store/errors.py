"""The one error of the store, and how SQLite's own errors become it."""

import shutil
import sqlite3
from pathlib import Path

from app.settings.language import tr

_NEARLY_FULL = 1 << 20  # bytes; SQLite reports some full disks as a plain write error

UNREADABLE = (UnicodeError, ValueError, TypeError, KeyError, RecursionError, OverflowError)
"""What Python raises where a record is not what was stored: text that is not UTF-8, JSON that is
none, a role that there is not."""
# The program's own SQL fits the schema: where SQLite finds a name missing, the schema is damaged.
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
    """Something a person has to know about the file that holds their chats."""

    hopeless = False  # nothing in a "corrupt" file can be read, that has been tried

    def __init__(self, code: str, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        # "corrupt" (not a database, damaged, or not one of ours), "newer" (written by a later
        # Stretto), "readonly", "full" (the disk), "io" (anything else the disk or SQLite said),
        # "invalid" (a write that contradicts what is stored, such as a message of a chat that does
        # not exist: that write is dropped, the others go on), "timeout" (a flush or close that did
        # not get its turn in time), "closed"
        self.code = code
        self.message = message  # a plain sentence or two that say what happened and what to do
        self.path = path  # the file meant


def is_damage(error: BaseException) -> bool:
    """Return True if the file itself is damaged: reading it again cannot succeed.

    A full disk, a locked file, or a failing device raise the same classes of error.
    """
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def corrupt(path: Path) -> StoreError:
    """The file cannot be read as chats; it has not been touched."""
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
    """Nothing of the damaged file could be saved; it has not been touched."""
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
    """The file was written by a version that knows more than this one."""
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
    """One write that cannot be stored whatever the disk does."""
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
    """What SQLite, the system or a decoder said, as a StoreError with a code and a way on.

    The words never repeat what was read: it may be damaged, or private.
    """
    if isinstance(error, OSError):
        return _readonly(path) if isinstance(error, PermissionError) else _io(path, error)
    if isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode"):
        return corrupt(path)  # Python's own: a text that is not UTF-8
    if not isinstance(error, sqlite3.Error):
        return corrupt(path) if isinstance(error, UNREADABLE) else _io(path, error)
    # Extended codes carry the primary one in the low byte.
    primary = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if primary in _DAMAGE:
        return corrupt(path)
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and _disk_full(path)):
        return _full(path)
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return _readonly(path)
    return _io(path, error)


def at_start(error: StoreError) -> StoreError:
    """The error as it reads where nothing has been written yet."""
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
