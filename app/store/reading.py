"""What can be read of a store, on any thread, with what still waits to be written."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from app.settings.language import tr
from app.store.backups import Backup, Backups, backups_of
from app.store.database import note_damage, open_reader
from app.store.errors import UNREADABLE, StoreError, translate
from app.store.operations import (
    CHAT_COLUMNS,
    MESSAGE_COLUMNS,
    View,
    chat_from_row,
    message_from_row,
)
from app.store.records import Chat, Message, SearchHit
from app.store.search import Searcher, Told, find
from app.store.writer import Writer


class _Reader:
    def __init__(self, path: Path) -> None:
        self.db = open_reader(path)
        self.thread = weakref.ref(threading.current_thread())
        self.in_use = threading.Lock()

    def abandoned(self) -> bool:
        thread = self.thread()
        return thread is None or not thread.is_alive()

    def close(self) -> None:
        with self.in_use:
            self.db.close()


class Readers:
    """Hands each thread its own connection; WAL lets all of them read while the writer writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[_Reader] = []
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection, in one read transaction: the queries agree with each other.

        Raises StoreError, also in place of any sqlite3.Error within the block.
        """
        reader = self._reader()
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
                failure = translate(error, self.path)
                if failure.code == "corrupt":
                    note_damage(self.path)
                raise failure from None  # the cause quotes what was read

    def close(self) -> None:
        """Closes all connections; waits for reads that are running."""
        with self._lock:
            self._closed = True
            readers, self._all = self._all, []
        for reader in readers:
            reader.close()

    def _reader(self) -> _Reader:
        reader: _Reader | None = getattr(self._own, "reader", None)
        if reader is not None:
            return reader
        with self._lock:
            if self._closed:
                raise StoreError("closed", tr("The chats are closed."))
            for old in [r for r in self._all if r.abandoned()]:
                self._all.remove(old)
                old.close()
            reader = _Reader(self.path)
            self._all.append(reader)
        self._own.reader = reader
        return reader


log = logging.getLogger(__name__)


class Reading:
    """The half of `Store` that reads."""

    _writer: Writer
    _readers: Readers
    _searcher: Searcher
    _backups: Backups

    def chats(self, include_deleted: bool = False) -> list[Chat]:
        """All chats, the most recently used first."""
        chats = self._view("1", "0").chats.values()
        shown = [chat for chat in chats if include_deleted or chat.deleted_at is None]
        return sorted(shown, key=lambda chat: (chat.updated_at, chat.id), reverse=True)

    def chat(self, chat_id: str) -> Chat | None:
        """The chat, deleted or not; None when there is none."""
        return self._view("id = :chat", "0", chat_id).chats.get(chat_id)

    def messages(self, chat_id: str) -> list[Message]:
        """The whole tree, in the order of first saving: parents before their children."""
        messages = self._view("id = :chat", "chat_id = :chat", chat_id).messages.values()
        return [message for message in messages if message.chat_id == chat_id]

    def path(self, chat_id: str) -> list[Message]:
        """The branch that is shown, from the root to the chat's leaf; empty without a leaf."""
        view = self._view("id = :chat", "chat_id = :chat", chat_id)
        chat = view.chats.get(chat_id)
        branch: list[Message] = []
        place = chat.leaf_id if chat else None
        while place is not None and (message := view.messages.pop(place, None)) is not None:
            branch.append(message)
            place = message.parent_id
        return branch[::-1]

    def search(self, query: str, limit: int = 50) -> list[SearchHit]:
        """Where all the words of the query occur; the last may be unfinished.

        Titles come first (`message_id` None), then one message of each chat, the chats used last
        first; deleted ones are left out. Case and accents do not matter.
        """
        self._hurry()
        with self._readers.reading() as db:
            return find(db, query, limit)

    def search_later(self, query: str, limit: int, told: Told) -> None:
        """The same on a thread of its own, where ``told`` hears the titles, then all hits.

        A later call takes the place of what is not told yet; ``cancel_search`` ends it.
        """
        self._searcher.ask(query, limit, told)

    def cancel_search(self) -> None:
        """What is being looked for is not wanted any more."""
        self._searcher.cancel()

    def backups(self) -> list[Backup]:
        """The copies of the file, the newest first."""
        return backups_of(self._readers.path)

    def _hurry(self) -> None:
        with suppress(StoreError):
            self._writer.flush(2.0)

    def layout(self, name: str) -> dict[str, Any] | None:
        """The layout saved under the name; None when there is none or it is damaged."""
        return self.layouts().get(name)

    def layouts(self) -> dict[str, dict[str, Any]]:
        """All saved layouts by name. Damaged ones are left out: a start must not fail by them."""
        queued = View()
        for operation in self._writer.pending():
            operation.show(queued)
        with self._readers.reading() as db:
            # As bytes: what is not even text must not end the whole query.
            rows = dict(db.execute("SELECT name, CAST(data AS BLOB) FROM layouts"))
        found = {name: _layout(data) for name, data in (rows | queued.layouts).items()}
        return {name: data for name, data in found.items() if data is not None}

    def _view(self, chats: str, messages: str, chat_id: str = "") -> View:
        """The rows that the two conditions choose, with the queued writes on top.

        The queue is copied before the file is read: a write committed in between is then in both,
        and applying it twice changes nothing.
        """
        pending = self._writer.pending()
        chat_rows = f"SELECT {CHAT_COLUMNS} FROM chats WHERE {chats}"
        message_rows = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {messages} ORDER BY seq"
        view = View()
        with self._readers.reading() as db:
            for row in db.execute(chat_rows, {"chat": chat_id}):
                view.chats[row[0]] = chat_from_row(row)
            for row in db.execute(message_rows, {"chat": chat_id}):
                view.messages[row[0]] = message_from_row(row)
        for operation in pending:
            operation.show(view)
        return view


def _layout(text: str | bytes | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        log.debug("A saved layout is damaged and left out")
        return None
    return data if isinstance(data, dict) else None
