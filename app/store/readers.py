"""Reads of the database that include queued writes, from any thread."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.settings.language import tr
from app.store.database import note_damage, open_reader
from app.store.errors import UNREADABLE, StoreError, to_store_error
from app.store.operations import (
    CHAT_COLUMNS,
    MESSAGE_COLUMNS,
    View,
    chat_from_row,
    message_from_row,
)
from app.store.records import ChatRecord
from app.store.writer import StoreWriter

_FINISH_S = 1.0  # timeout for a read to finish, and again after interrupting it


class _Reader:
    def __init__(self, path: Path) -> None:
        self.db = open_reader(path)
        self.thread = weakref.ref(threading.current_thread())
        self.in_use = threading.Lock()

    def is_abandoned(self) -> bool:
        thread = self.thread()
        return thread is None or not thread.is_alive()

    def close(self) -> None:
        if not self.in_use.acquire(timeout=_FINISH_S):
            self.db.interrupt()
            if not self.in_use.acquire(timeout=_FINISH_S):
                return  # the disk isn't responding
        self.db.close()
        self.in_use.release()


class Readers:
    """Read connections, one per thread. With WAL, all can read while the writer writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._lock = threading.Lock()
        self._all: list[_Reader] = []
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Run the block in a read transaction of this thread's connection, for a consistent view.

        Raises StoreError, including for any sqlite3.Error inside the block.
        """
        reader = self._get_reader()
        with reader.in_use:
            if self._closed:
                raise StoreError("closed", tr("The chats are closed."))
            try:
                reader.db.execute("BEGIN")
                try:
                    yield reader.db
                finally:
                    reader.db.execute("ROLLBACK")
            except (sqlite3.Error, *UNREADABLE) as error:
                failure = to_store_error(error, self.path)
                if failure.code == "corrupt":
                    note_damage(self.path)
                raise failure from None  # don't chain, because the cause may quote private data

    def close(self) -> None:
        with self._lock:
            self._closed = True
            readers, self._all = self._all, []
        for reader in readers:
            reader.close()

    def _get_reader(self) -> _Reader:
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is not None:
            return reader
        with self._lock:
            if self._closed:
                raise StoreError("closed", tr("The chats are closed."))
            for old in [r for r in self._all if r.is_abandoned()]:
                self._all.remove(old)
                old.close()
            reader = _Reader(self.path)
            self._all.append(reader)
        self._local.reader = reader
        return reader


def view_of(
    readers: Readers, writer: StoreWriter, chats: str, messages: str, chat_id: str = ""
) -> View:
    """Return the rows that match both conditions, with queued writes applied.

    The queue is copied before reading the file, so a write committed in between is applied twice.
    That's harmless, because writes are idempotent.
    """
    pending = writer.pending_operations()
    chat_rows = f"SELECT {CHAT_COLUMNS} FROM chats WHERE {chats}"
    message_rows = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {messages} ORDER BY seq"
    view = View()
    with readers.reading() as db:
        for row in db.execute(chat_rows, {"chat": chat_id}):
            view.chats[row[0]] = chat_from_row(row)
        for row in db.execute(message_rows, {"chat": chat_id}):
            view.messages[row[0]] = message_from_row(row)
    for operation in pending:
        operation.apply_to(view)
    return view


def all_chats(readers: Readers, writer: StoreWriter) -> list[ChatRecord]:
    chats = view_of(readers, writer, "1", "0").chats.values()
    return sorted(chats, key=lambda chat: (chat.updated_at, chat.id), reverse=True)


def queued_view(writer: StoreWriter) -> View:
    view = View()
    for operation in writer.pending_operations():
        operation.apply_to(view)
    return view
