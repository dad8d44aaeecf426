"""Migrations of the database schema. `PRAGMA user_version` is the number of applied migrations.

Never change a released migration. To add one, append a function to STEPS.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from app.store import attachments, erase, file_index, index

TABLES = {
    "tool_consents": ("chat_id", "server", "tool", "fingerprint", "given_at"),
    "tool_folders": ("chat_id", "path", "writable", "given_at"),
    "tool_pins": ("server", "tool", "told", "seen_at"),
}
"""Columns of each table. The text columns at the start are the key, see `create_tool_tables`."""


def create_tool_tables(db: sqlite3.Connection) -> None:
    """Create the tables, and triggers that delete consents when their chat is deleted."""
    db.execute(
        "CREATE TABLE tool_consents (chat_id TEXT NOT NULL, server TEXT NOT NULL, "
        "tool TEXT NOT NULL, fingerprint TEXT NOT NULL, given_at REAL NOT NULL, "
        "PRIMARY KEY (chat_id, server, tool))"
    )
    db.execute(
        "CREATE TABLE tool_folders (chat_id TEXT NOT NULL, path TEXT NOT NULL, "
        "writable INTEGER NOT NULL, given_at REAL NOT NULL, PRIMARY KEY (chat_id, path))"
    )
    db.execute(
        "CREATE TABLE tool_pins (server TEXT NOT NULL, tool TEXT NOT NULL, told TEXT NOT NULL, "
        "seen_at REAL NOT NULL, PRIMARY KEY (server, tool))"
    )
    db.execute(
        "CREATE TRIGGER tools_of_chat AFTER DELETE ON chats BEGIN "
        "DELETE FROM tool_consents WHERE chat_id = old.id; "
        "DELETE FROM tool_folders WHERE chat_id = old.id; END"
    )


APPLICATION_ID = 0x53747274  # "Strt", identifies our files among SQLite databases


def chats_messages_layouts(db: sqlite3.Connection) -> None:
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    # `seq` has to be explicit because the full-text index refers to it. Implicit rowids may change.
    db.execute(
        """CREATE TABLE chats (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            model TEXT NOT NULL,
            system TEXT NOT NULL,
            params TEXT NOT NULL,
            draft TEXT NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            deleted_at REAL,
            leaf_id TEXT
        )"""
    )
    db.execute(
        """CREATE TABLE messages (
            seq INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
            parent_id TEXT REFERENCES messages(id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            content TEXT NOT NULL,
            reasoning TEXT NOT NULL,
            status TEXT NOT NULL,
            error TEXT NOT NULL,
            model TEXT NOT NULL,
            stats TEXT NOT NULL,
            created_at REAL NOT NULL
        )"""
    )
    db.execute("CREATE INDEX messages_of_chat ON messages(chat_id, seq)")
    db.execute("CREATE INDEX messages_by_parent ON messages(parent_id)")
    db.execute("CREATE INDEX messages_streaming ON messages(status) WHERE status = 'streaming'")
    db.execute("CREATE TABLE layouts (name TEXT PRIMARY KEY, data TEXT NOT NULL)")


def full_text_search(db: sqlite3.Connection) -> None:
    """Create a full-text index of titles and messages, updated by triggers.

    Messages are indexed when they're finished. Streaming rewrites the text about once a second, and
    indexing 60,000 characters every time would take longer than storing them.
    """
    _index(db, "chats", "title", when="1")
    _index(db, "messages", "content", when="{row}.status <> 'streaming'")


def _index(db: sqlite3.Connection, table: str, column: str, when: str) -> None:
    fts = f"{table}_fts"
    db.execute(
        f"CREATE VIRTUAL TABLE {fts} USING fts5({column}, content='{table}', content_rowid='seq', "
        "tokenize='unicode61 remove_diacritics 2')"
    )
    add = f"INSERT INTO {fts}(rowid, {column}) VALUES (new.seq, new.{column});"
    # To delete a row, an external-content index needs exactly the text that was indexed.
    remove = f"INSERT INTO {fts}({fts}, rowid, {column}) VALUES ('delete', old.seq, old.{column});"
    old, new = when.format(row="old"), when.format(row="new")
    db.execute(f"CREATE TRIGGER {fts}_a AFTER INSERT ON {table} WHEN {new} BEGIN {add} END")
    db.execute(f"CREATE TRIGGER {fts}_b AFTER DELETE ON {table} WHEN {old} BEGIN {remove} END")
    # Remove old entries before adding new ones. SQLite doesn't define the order of two triggers on
    # the same event, so each case has its own trigger, and the common case does both in order.
    changed = f"(old.{column} IS NOT new.{column})"
    on_update = f"AFTER UPDATE ON {table} WHEN"
    db.execute(
        f"CREATE TRIGGER {fts}_c {on_update} ({old}) AND ({new}) AND {changed} "
        f"BEGIN {remove} {add} END"
    )
    db.execute(f"CREATE TRIGGER {fts}_d {on_update} ({old}) AND NOT ({new}) BEGIN {remove} END")
    db.execute(f"CREATE TRIGGER {fts}_e {on_update} NOT ({old}) AND ({new}) BEGIN {add} END")
    db.execute(
        f"INSERT INTO {fts}(rowid, {column}) SELECT seq, {column} FROM {table} "
        f"WHERE {when.format(row=table)}"
    )


def deleted_messages(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE messages ADD COLUMN deleted_at REAL")


def edited_messages(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE chats ADD COLUMN edited_id TEXT")
    db.execute("ALTER TABLE chats ADD COLUMN edited_text TEXT NOT NULL DEFAULT ''")


def organised(db: sqlite3.Connection) -> None:
    """Add folders, pins, the archive, tags, and the authors of titles.

    Existing titles count as typed by the user.
    """
    db.execute("CREATE TABLE folders (id TEXT PRIMARY KEY, name TEXT NOT NULL, parent_id TEXT)")
    for column in (
        "folder_id TEXT",
        "pinned_at REAL",
        "archived_at REAL",
        "tags TEXT NOT NULL DEFAULT '[]'",
        "titled_by TEXT NOT NULL DEFAULT 'person'",
    ):
        db.execute(f"ALTER TABLE chats ADD COLUMN {column}")


def grouped(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE chats ADD COLUMN group_id TEXT")
    db.execute("ALTER TABLE chats ADD COLUMN variant TEXT NOT NULL DEFAULT ''")


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    chats_messages_layouts,
    full_text_search,
    deleted_messages,
    edited_messages,
    index.create,  # the index of passages is filled while the app runs
    erase.create,
    organised,
    attachments.create,
    create_tool_tables,
    file_index.create_files_index,
    grouped,
    attachments.create_images,
    attachments.create_queue,
)


def migrate(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version >= len(STEPS):  # skip the commit, because even an empty commit waits for the disk
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[version:]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(STEPS)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
