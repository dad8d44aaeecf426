"""What a person allowed tools to do, and how the tools were described then.

Small tables that are read as a whole when the program starts. They are bound to this profile: no
export holds them, so that a chat that is taken in from a file brings no consent with it.
"""

import sqlite3

from msgspec import Struct

from app.store.migrations import TABLES
from app.store.operations import View
from app.store.readers import Readers
from app.store.records import storable_text
from app.store.writer import Writer

ToolValue = str | float | int
ToolRow = tuple[ToolValue, ...]


class PutToolRow(Struct, frozen=True):
    """One row, new or in the place of the one with its key."""

    table: str
    row: ToolRow
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        marks = ", ".join("?" * len(TABLES[self.table]))
        columns = ", ".join(TABLES[self.table])
        db.execute(f"INSERT OR REPLACE INTO {self.table} ({columns}) VALUES ({marks})", self.row)

    def show(self, view: View) -> None:
        """Nobody reads these back while the program runs."""


class DropToolRows(Struct, frozen=True):
    """The rows whose first columns have these values."""

    table: str
    key: tuple[str, ...]
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        where = " AND ".join(f"{name} = ?" for name in TABLES[self.table][: len(self.key)])
        db.execute(f"DELETE FROM {self.table} WHERE {where or '1'}", self.key)

    def show(self, view: View) -> None:
        """Nobody reads these back while the program runs."""


class ToolRows:
    """The rows of `TABLES`: what tools may do."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def read(self, table: str) -> list[ToolRow]:
        """All rows of one of `TABLES`, as they are in the file: to be read once, at the start."""
        columns = ", ".join(TABLES[table])
        with self._readers.reading() as db:
            return [tuple(row) for row in db.execute(f"SELECT {columns} FROM {table}")]

    def put(self, table: str, *row: ToolValue) -> None:
        """Keep a row; one with its key gives way."""
        kept = tuple(storable_text(v) if isinstance(v, str) else v for v in row)
        self._writer.add(PutToolRow(table, kept))

    def drop(self, table: str, *key: str) -> None:
        """Drop the rows that begin with this key; without one, all."""
        self._writer.add(DropToolRows(table, tuple(map(storable_text, key))))
