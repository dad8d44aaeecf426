"""The tables of what tools may do, and how they come into the database."""

import sqlite3

TABLES = {
    "tool_consents": ("chat_id", "server", "tool", "fingerprint", "given_at"),
    "tool_folders": ("chat_id", "path", "writable", "given_at"),
    "tool_pins": ("server", "tool", "told", "seen_at"),
}
"""The columns of each table. The first ones that are texts are its key, see `create`."""


def create(db: sqlite3.Connection) -> None:
    """A migration's step: the tables, and that a chat's consents go with it."""
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
