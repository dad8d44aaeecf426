"""The user's consents to tools, with the tool descriptions at that time.

The tables are small and read completely at startup. They belong to the profile and are never
exported, so imported chats have no consents.
"""

import sqlite3

from app.store.migrations import TABLES
from app.store.operations import Operation
from app.store.readers import Readers
from app.store.records import storable_text
from app.store.writer import StoreWriter

ToolValue = str | float | int
ToolRow = tuple[ToolValue, ...]


class PutToolRow(Operation, frozen=True):
    table: str
    row: ToolRow

    def write(self, db: sqlite3.Connection) -> None:
        marks = ", ".join("?" * len(TABLES[self.table]))
        columns = ", ".join(TABLES[self.table])
        db.execute(f"INSERT OR REPLACE INTO {self.table} ({columns}) VALUES ({marks})", self.row)


class DropToolRows(Operation, frozen=True):
    table: str
    key: tuple[str, ...]

    def write(self, db: sqlite3.Connection) -> None:
        where = " AND ".join(f"{name} = ?" for name in TABLES[self.table][: len(self.key)])
        db.execute(f"DELETE FROM {self.table} WHERE {where or '1'}", self.key)


class ToolRows:
    def __init__(self, writer: StoreWriter, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def read(self, table: str) -> list[ToolRow]:
        """Return all rows of a table in `TABLES`. Only used at startup."""
        columns = ", ".join(TABLES[table])
        with self._readers.reading() as db:
            return [tuple(row) for row in db.execute(f"SELECT {columns} FROM {table}")]

    def insert(self, table: str, *row: ToolValue) -> None:
        cells = tuple(storable_text(v) if isinstance(v, str) else v for v in row)
        self._writer.add(PutToolRow(table, cells))

    def delete(self, table: str, *key: str) -> None:
        """Delete all rows whose key starts with these values. Without values, delete all rows."""
        self._writer.add(DropToolRows(table, tuple(map(storable_text, key))))
