from __future__ import annotations

import atexit
import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Self

from app.store import erase
from app.store.attachment_store import Images, Texts
from app.store.backups import Backup, Backups, backups_of
from app.store.database import copy_damaged_journal, open_writer
from app.store.errors import StoreError, to_start_error, to_store_error
from app.store.exchange import Exchange
from app.store.folders import Folders
from app.store.operations import (
    DeleteLayout,
    MarkMessages,
    PatchChat,
    SaveChat,
    SaveLayout,
    SaveMessage,
    View,
)
from app.store.readers import Readers, all_chats, queued_view, view_of
from app.store.records import (
    ChatRecord,
    Message,
    SearchHit,
    storable_chat,
    storable_message,
    storable_text,
)
from app.store.search import Searcher, find
from app.store.tool_rows import ToolRows
from app.store.trash import Trash
from app.store.writer import StoreWriter, index_chore

log = logging.getLogger(__name__)

_PATCHABLE = set(ChatRecord.__struct_fields__) - {"id", "created_at"}


class Store:
    """A profile's chats, in an SQLite file that only one process may open.

    Writes are thread-safe and never wait for the disk. A writer thread groups them into
    transactions, in order: finished messages and chat changes immediately, drafts, layouts and
    streaming text within about 0.25 s.

    Reads use a connection per thread, never wait for the writer, and include all queued writes.
    Only `search` waits up to two seconds for the writer, and finds messages when they're finished.

    If the disk fails or is full, queued writes are kept in memory and retried with increasing
    pauses, and `writer.on_error` is called.
    """

    def __init__(
        self,
        path: Path,
        db: sqlite3.Connection,
        journal_aside: Path | None = None,
        backups: Backups | None = None,
        clock: Callable[[], float] = erase.now,
    ) -> None:
        """Take over a connection of `open_writer`. Callers use `Store.open`."""
        self.file = path
        # copy of a damaged journal of the last run, whose latest changes may be lost
        self.journal_aside = journal_aside
        unfinished = bool(erase.ids_to_erase(db))  # the last run was interrupted during an erasure
        self._backups = backups or Backups(path, clock)
        self.writer = StoreWriter(db, path, self._backups.back_up_daily, [index_chore])
        self._readers = Readers(path)
        self.searcher = Searcher(path, self._commit_now)
        self.trash = Trash(self.writer, self._readers, self._backups, clock)
        self.folders = Folders(self.writer, self._readers)
        self.texts = Texts(self.writer, self._readers)
        self.images = Images(self.writer, self._readers)
        self.tool_rows = ToolRows(self.writer, self._readers)
        self.exchange = Exchange(self.writer, self._readers, self.trash.erased)
        if unfinished:
            self.writer.run_when_idle(self.trash.scrub)
        atexit.register(self._close_at_exit)

    @classmethod
    def open(cls, path: Path | str, clock: Callable[[], float] = erase.now) -> Store:
        """Open, create or migrate the file. Replies cut off by a crash become "interrupted".

        Raises StoreError: "corrupt", "newer" (the file is unchanged, so offer `set_aside`),
        "readonly", "full" or "io". ``clock`` is used for deletions and daily backups.
        """
        path = Path(path)
        try:
            aside = copy_damaged_journal(path)
        except OSError as error:
            raise to_start_error(to_store_error(error, path)) from error
        backups = Backups(path, clock)
        try:
            db = open_writer(path, lambda: backups.begin(before_update=True))
        except BaseException:
            backups.close()
            raise
        backups.delete_partial()
        return cls(path, db, aside, backups, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def flush(self, timeout: float | None = 5.0) -> None:
        """Wait until all queued writes are durable.

        Raises StoreError on failure or timeout. The writes remain queued.
        """
        self.writer.flush(timeout)

    def close(self, timeout: float | None = 5.0) -> None:
        """Write the queue, merge the WAL into the file, and join the thread. Idempotent.

        Raises StoreError if a write couldn't be saved, after releasing everything.
        """
        atexit.unregister(self._close_at_exit)
        self.searcher.close()
        self._readers.close()
        self._backups.close()  # close the backups first, because the writer then merges the WAL
        self.writer.close(timeout)

    @property
    def is_settled(self) -> bool:
        """Return True if there's nothing left to write, index, back up or erase."""
        # The end of an erasure in the backups queues another write.
        return self.writer.is_idle and self._backups.is_idle and self.writer.is_idle

    def _close_at_exit(self) -> None:
        try:
            self.close()
        except StoreError as error:
            log.error("%s: %s", error.code, error.message)

    def back_up(self) -> None:
        self._backups.begin(must_finish=True)

    def chats(self, include_deleted: bool = False) -> list[ChatRecord]:
        chats = all_chats(self._readers, self.writer)
        return [chat for chat in chats if include_deleted or chat.deleted_at is None]

    def chat(self, chat_id: str) -> ChatRecord | None:
        return self._view_of_chat(chat_id).chats.get(chat_id)

    def _view_of_chat(self, chat_id: str, messages: str = "0") -> View:
        return view_of(self._readers, self.writer, "id = :chat", messages, chat_id)

    def chat_and_last_message(self, chat_id: str) -> tuple[ChatRecord | None, Message | None]:
        """Return a chat and the last message of its selected branch, each None if missing.

        `path` only changes if one of these changes, because a message's ancestors are fixed.
        """
        last = "id = (SELECT leaf_id FROM chats WHERE id = :chat)"
        view = self._view_of_chat(chat_id, messages=last)
        chat = view.chats.get(chat_id)
        return chat, view.messages.get(chat.leaf_id or "") if chat is not None else None

    def messages(self, chat_id: str) -> list[Message]:
        view = self._view_of_chat(chat_id, messages="chat_id = :chat")
        return [message for message in view.messages.values() if message.chat_id == chat_id]

    def has_messages(self, chat_id: str, count: int) -> bool:
        with self._readers.reading() as db:
            query = "SELECT 1 FROM messages WHERE chat_id = ? LIMIT 1 OFFSET ?"
            return db.execute(query, (chat_id, count - 1)).fetchone() is not None

    def path(self, chat_id: str) -> list[Message]:
        """Return the selected branch from the root to the leaf, or []."""
        view = self._view_of_chat(chat_id, messages="chat_id = :chat")
        chat = view.chats.get(chat_id)
        branch: list[Message] = []
        at_id = chat.leaf_id if chat else None
        while at_id is not None and (message := view.messages.pop(at_id, None)) is not None:
            branch.append(message)
            at_id = message.parent_id
        return branch[::-1]

    def search(self, query: str, limit: int = 50) -> list[SearchHit]:
        """Return titles and messages that contain all words. The last word may be incomplete.

        Titles come first (`message_id` is None), then one message per chat, most recently used
        first. Case, accents, and deleted chats are ignored.
        """
        self._commit_now()
        with self._readers.reading() as db:
            return find(db, query, limit)

    def backups(self) -> list[Backup]:
        return backups_of(self._readers.path)

    def _commit_now(self) -> None:
        with suppress(StoreError):
            self.writer.flush(2.0)

    def layout(self, name: str) -> dict[str, Any] | None:
        return self.layouts().get(name)

    def layouts(self) -> dict[str, dict[str, Any]]:
        """Return layouts by name. Skip damaged ones, so that the app still starts."""
        waiting = queued_view(self.writer)
        with self._readers.reading() as db:
            # Read bytes, because invalid UTF-8 would make the entire query fail.
            rows = dict(db.execute("SELECT name, CAST(data AS BLOB) FROM layouts"))
        parsed_layouts = {name: _layout(data) for name, data in (rows | waiting.layouts).items()}
        return {name: data for name, data in parsed_layouts.items() if data is not None}

    def transaction(self) -> AbstractContextManager[None]:
        """Group all writes in this block into a single transaction.

        Without this, a crash could separate them. Writes from other threads aren't included. A
        `flush` in the block on the same thread splits the transaction.
        """
        return self.writer.transaction()

    def save_chat(self, chat: ChatRecord) -> None:
        """Insert a chat or overwrite all fields. `update_chat` changes single fields.

        Raises TypeError or ValueError if `params` isn't JSON.
        """
        if chat.id not in self.trash.erased:
            self.writer.add(SaveChat(storable_chat(chat)))

    def update_chat(self, chat_id: str, **changes: Any) -> None:
        if wrong := set(changes) - _PATCHABLE:
            raise ValueError(f"not a changeable field of a chat: {', '.join(sorted(wrong))}")
        if changes:
            stored = {name: _to_storable(value) for name, value in changes.items()}
            self.writer.add(PatchChat(chat_id, stored))

    def save_message(self, message: Message, *, as_leaf: bool = False) -> None:
        """Insert or overwrite a message. `as_leaf` makes it the leaf in the same transaction.

        The chat and the parent must be saved first. Otherwise, the write is dropped and `on_error`
        is called with "invalid". A new message moves its chat to the top of the list. Queued
        checkpoints of a streaming message replace each other.
        """
        if message.chat_id in self.trash.erased:
            return  # the reply ended after its chat was erased
        save = SaveMessage(storable_message(message))
        if as_leaf:
            self.writer.add(save, PatchChat(message.chat_id, {"leaf_id": message.id}))
        else:
            self.writer.add(save)

    def set_draft(self, chat_id: str, text: str) -> None:
        """Store the composer's text. Fast enough for every key press."""
        self.writer.add(PatchChat(chat_id, {"draft": storable_text(text)}, is_urgent=False))

    def set_edited(self, chat_id: str, message_id: str | None, text: str) -> None:
        changes = {"edited_id": message_id, "edited_text": storable_text(text)}
        self.writer.add(PatchChat(chat_id, changes, is_urgent=False))

    def set_leaf(self, chat_id: str, message_id: str | None) -> None:
        self.writer.add(PatchChat(chat_id, {"leaf_id": message_id}))

    def delete_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        mark = MarkMessages(tuple(ids), self.trash.now())
        self.writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def restore_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        mark = MarkMessages(tuple(ids), None)
        self.writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def save_layout(self, name: str, data: dict[str, Any]) -> None:
        self.writer.add(SaveLayout(storable_text(name), json.dumps(data)))

    def delete_layout(self, name: str) -> None:
        self.writer.add(DeleteLayout(storable_text(name)))


def _to_storable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(storable_text, value))
    if isinstance(value, dict):
        # Values that aren't JSON must fail here and not in the writer.
        return json.loads(json.dumps(value))
    return storable_text(value) if isinstance(value, str) else value


def _layout(text: str | bytes | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        log.debug("damaged layout ignored")
        return None
    return data if isinstance(data, dict) else None
