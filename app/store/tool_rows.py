"""Consents of the user to tools, with the tools' descriptions at that time.

The tables are small and read completely at the start. They belong to this profile and are never
exported, so an imported chat has no consents.
"""

import sqlite3

from msgspec import Struct

from app.store.migrations import TABLES
from app.store.operations import View
from app.store.readers import Readers
from app.store.records import storable_text
from app.store.writer import StoreWriter

ToolValue = str | float | int
ToolRow = tuple[ToolValue, ...]


class PutToolRow(Struct, frozen=True):
    """Operation that inserts or replaces a row."""

    table: str
    row: ToolRow
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        marks = ", ".join("?" * len(TABLES[self.table]))
        columns = ", ".join(TABLES[self.table])
        db.execute(f"INSERT OR REPLACE INTO {self.table} ({columns}) VALUES ({marks})", self.row)

    def show(self, view: View) -> None:
        """Do nothing, since the rows are read only at the start."""


class DropToolRows(Struct, frozen=True):
    """Operation that deletes the rows whose first columns have these values."""

    table: str
    key: tuple[str, ...]
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        where = " AND ".join(f"{name} = ?" for name in TABLES[self.table][: len(self.key)])
        db.execute(f"DELETE FROM {self.table} WHERE {where or '1'}", self.key)

    def show(self, view: View) -> None:
        """Do nothing, since the rows are read only at the start."""


class ToolRows:
    """Rows of `TABLES`."""

    def __init__(self, writer: StoreWriter, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def read(self, table: str) -> list[ToolRow]:
        """Return all rows of one of `TABLES` from the file. Used once, at the start."""
        columns = ", ".join(TABLES[table])
        with self._readers.reading() as db:
            return [tuple(row) for row in db.execute(f"SELECT {columns} FROM {table}")]

    def put(self, table: str, *row: ToolValue) -> None:
        """Insert a row, replacing one with the same key."""
        kept = tuple(storable_text(v) if isinstance(v, str) else v for v in row)
        self._writer.add(PutToolRow(table, kept))

    def drop(self, table: str, *key: str) -> None:
        """Delete the rows that begin with this key, or all rows."""
        self._writer.add(DropToolRows(table, tuple(map(storable_text, key))))
