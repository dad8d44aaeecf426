"""Erasure of text from tables, index, journal, backups, and files set aside."""

import errno
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from app.store.attachments import forget_unused
from app.store.errors import is_damage
from app.store.operations import Operation, View
from app.store.records import ChatRecord

log = logging.getLogger(__name__)

DAY_S = 86_400.0
TRASH_S = 30 * DAY_S  # time that deleted chats stay in the trash


def create(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE erased (id TEXT PRIMARY KEY)")
    db.execute("CREATE INDEX messages_deleted ON messages(deleted_at) WHERE deleted_at IS NOT NULL")


class Erase(Operation, frozen=True):
    ids: tuple[str, ...]

    def write(self, db: sqlite3.Connection) -> None:
        db.executemany("INSERT OR IGNORE INTO erased VALUES (?)", [(item,) for item in self.ids])
        erase_ids(db, self.ids)

    def apply_to(self, view: View) -> None:
        erased = set(self.ids)
        for chat in erased:
            view.chats.pop(chat, None)
        for message in [m.id for m in view.messages.values() if m.chat_id in erased]:
            del view.messages[message]


class EraseMessages(Operation, frozen=True):
    """Operation to erase messages that were deleted before a given time.

    A message with a remaining reply keeps its row, without text.
    """

    before: float
    is_urgent: bool = False

    def write(self, db: sqlite3.Connection) -> None:
        rows = db.execute(
            "SELECT id FROM messages WHERE deleted_at < ? ORDER BY seq DESC", (self.before,)
        ).fetchall()
        db.executemany("INSERT OR IGNORE INTO erased VALUES (?)", rows)
        erase_ids(db, [message_id for (message_id,) in rows])

    def apply_to(self, view: View) -> None:
        followed = {m.parent_id for m in view.messages.values()}
        for message in reversed(list(view.messages.values())):
            is_due = message.deleted_at is not None and message.deleted_at < self.before
            if is_due and message.id not in followed:
                del view.messages[message.id]


class ForgetErased(Operation, frozen=True):
    """Operation to remove IDs from the list of erased IDs, once no file has them."""

    ids: tuple[str, ...]
    is_urgent: bool = False

    def write(self, db: sqlite3.Connection) -> None:
        db.executemany("DELETE FROM erased WHERE id = ?", [(erased_id,) for erased_id in self.ids])


def erase_ids(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Delete these chats and messages.

    Messages are deleted in reverse order, because cascading to thousands of nested children exceeds
    SQLite's recursion limit.
    """
    edits = any(row[1] == "edited_id" for row in db.execute("PRAGMA table_info(chats)"))
    files = any(row[1] == "attachments" for row in db.execute("PRAGMA table_info(messages)"))
    for erased_id in ids:
        if edits:  # backups may be older than this column
            no_edit = "UPDATE chats SET edited_id = NULL, edited_text = '' WHERE edited_id = ?"
            if files:
                no_files = "UPDATE chats SET edited_attachments = '[]' WHERE edited_id = ?"
                db.execute(no_files, (erased_id,))
            db.execute(no_edit, (erased_id,))
        within = "SELECT id FROM messages WHERE chat_id = ? ORDER BY seq DESC"
        messages = db.execute(within, (erased_id,)).fetchall()
        db.executemany("DELETE FROM messages WHERE id = ?", messages)
        db.execute("DELETE FROM chats WHERE id = ?", (erased_id,))
        db.execute(
            "DELETE FROM messages WHERE id = :id "
            "AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.parent_id = :id)",
            {"id": erased_id},
        )
        db.execute("UPDATE messages SET content = '', reasoning = '' WHERE id = ?", (erased_id,))
        if files:
            db.execute("UPDATE messages SET attachments = '[]' WHERE id = ?", (erased_id,))
    forget_unused(db)


def ids_to_erase(db: sqlite3.Connection) -> list[str]:
    return [erased_id for (erased_id,) in db.execute("SELECT id FROM erased")]


def clear_notes(db: sqlite3.Connection) -> None:
    """Clear the list of erased IDs in a copy. The original keeps its list."""
    query = "SELECT 1 FROM sqlite_master WHERE name = 'erased'"
    if db.execute(query).fetchone() is not None:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("DELETE FROM erased")


def scrub(db: sqlite3.Connection) -> None:
    """Rewrite the file so that no deleted text is left.

    The index keeps words of deleted rows until it's merged, and pages keep fragments of moved rows.
    """
    for table in _indexes(db):
        db.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
    db.execute("VACUUM")


def empty_journal(db: sqlite3.Connection) -> bool:
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _indexes(db: sqlite3.Connection) -> list[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5%'")
    return [name for (name,) in rows]


PROGRESS_STEPS = 100  # VM instructions between interrupt checks; a row takes only a few


def scrub_file(file: Path, ids: Iterable[str], ended: Callable[[], bool] = lambda: False) -> bool:
    """Erase IDs from a database that isn't open, then replace the file atomically.

    Returns False only if the file is damaged. Other failures, e.g. a full disk or ``ended``
    returning True, raise sqlite3.Error or OSError and leave the file unchanged.
    """
    part = file.with_name(file.name + ".part")
    try:
        for suffix in ("", "-wal"):
            source = file.with_name(file.name + suffix)
            if source.exists():
                shutil.copyfile(source, part.with_name(part.name + suffix))
                part.with_name(part.name + suffix).chmod(0o600)
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            db.set_progress_handler(ended, PROGRESS_STEPS)
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if "error code" in verdict and not verdict.endswith(("=11", "=26")):
                raise OSError(errno.EIO, verdict)  # read error, which isn't the same as damage
            if verdict != "ok":
                return False
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("BEGIN IMMEDIATE")
            erase_ids(db, ids)
            clear_notes(db)
            db.execute("COMMIT")
            scrub(db)
        stat = file.stat()
        os.utime(part, (stat.st_atime, stat.st_mtime))
        for suffix in ("-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        os.replace(part, file)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        log.warning("database is damaged: %s", file.name)
        return False
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                part.with_name(part.name + suffix).unlink(missing_ok=True)
    return True


def is_empty_chat(chat: ChatRecord) -> bool:
    nothing = chat.leaf_id is None and not chat.draft.strip() and not chat.draft_attachments
    return nothing and not chat.queued


def chats_to_erase(chats: Sequence[ChatRecord], now: float, run_began: float) -> list[str]:
    """Return chats whose time in the trash is over, and empty chats of an earlier run.

    The time in the trash is counted up to the latest stored time that is at least a day old. If it
    were counted up to the current time, one start with a wrong clock would empty the trash.
    """
    times = (t for c in chats for t in (c.created_at, c.updated_at, c.deleted_at or 0.0))
    confirmed = max((t for t in times if t <= now - DAY_S), default=0.0)
    return [
        chat.id
        for chat in chats
        if chat.deleted_at is not None
        and (
            chat.deleted_at <= confirmed - TRASH_S
            or (is_empty_chat(chat) and chat.deleted_at < run_began)
        )
    ]


def now() -> float:
    """Return the current time. Tests replace this function."""
    return time.time()
