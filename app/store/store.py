"""Public interface of the store: queue a write, read a record, flush, close."""

from __future__ import annotations

import atexit
import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from app.store import erase
from app.store.attachment_store import Images, Texts
from app.store.backups import Backup, Backups, backups_of, restore
from app.store.database import copy, keep_if_damaged, open_writer, set_aside
from app.store.errors import StoreError, at_start, translate
from app.store.exchange import Exchange
from app.store.folders import Folders
from app.store.operations import (
    DeleteLayout,
    MarkMessages,
    PatchChat,
    SaveChat,
    SaveLayout,
    SaveMessage,
)
from app.store.readers import Readers, all_chats, queued, view_of
from app.store.records import (
    ChatRecord,
    Message,
    SearchHit,
    storable_chat,
    storable_message,
    storable_text,
)
from app.store.salvage import Salvaged, salvage
from app.store.search import ReportHits, Searcher, find
from app.store.tool_rows import ToolRows
from app.store.trash import Trash
from app.store.writer import StoreWriter, index_chore

log = logging.getLogger(__name__)

_PATCHABLE = set(ChatRecord.__struct_fields__) - {"id", "created_at"}


class Store:
    """Chats of one profile, in one SQLite file that only one program may open.

    Writes are thread-safe and return without disk access. A writer thread executes them in order,
    several per transaction: finished messages and changes of chats immediately, drafts, layouts and
    streaming text within about 0.25 s.

    Reads use a connection of the calling thread, never wait for the writer, and include all queued
    writes. Only `search` waits for the writer, at most two seconds, and finds a streaming message
    only after its end.

    If the disk fails or is full, queued writes stay in memory. They are retried with growing
    pauses, and `on_error` is called.
    """

    def __init__(
        self,
        path: Path,
        db: sqlite3.Connection,
        journal_aside: Path | None = None,
        backups: Backups | None = None,
        clock: Callable[[], float] = erase.now,
    ) -> None:
        """Take over a connection from `open_writer`. Use `Store.open` instead."""
        self.file = path  # the chats' file
        # copy of a damaged journal of the last run, whose latest changes may be missing
        self.journal_aside = journal_aside
        unfinished = bool(erase.waiting(db))  # an erasure of the last run is incomplete
        self._backups = backups or Backups(path, clock)
        self._writer = StoreWriter(db, path, self._backups.daily, [index_chore])
        self._readers = Readers(path)
        self._searcher = Searcher(path, self._hurry)
        self.trash = Trash(self._writer, self._readers, self._backups, clock)
        self.folders = Folders(self._writer, self._readers)
        self.texts = Texts(self._writer, self._readers)
        self.images = Images(self._writer, self._readers)
        self.tool_rows = ToolRows(self._writer, self._readers)
        self.exchange = Exchange(self._writer, self._readers, self.trash.erased)
        if unfinished:
            self._writer.when_idle(self.trash.scrub)
        atexit.register(self._close_at_exit)

    @classmethod
    def open(cls, path: Path | str, clock: Callable[[], float] = erase.now) -> Store:
        """Open the file, creating or migrating it. Replies cut off by a crash become "interrupted".

        Args:
            clock: time of deletions and of daily backups.

        Raises:
            StoreError: "corrupt", "newer" (the file is unchanged: offer `set_aside`), "readonly",
                "full" or "io".
        """
        path = Path(path)
        try:
            aside = keep_if_damaged(path)
        except OSError as error:
            raise at_start(translate(error, path)) from error
        backups = Backups(path, clock)
        try:
            db = open_writer(path, lambda: backups.begin(before_update=True))
        except BaseException:
            backups.close()
            raise
        backups.tidy()
        return cls(path, db, aside, backups, clock)

    @staticmethod
    def set_aside(path: Path | str) -> Path:
        """Rename an unusable file so that `open` can create a new one. Return its new path.

        Call it only if the user chose it. Nothing is deleted.
        """
        return set_aside(Path(path))

    @staticmethod
    def copy(path: Path | str, target: Path | str) -> None:
        """Copy a file that is not being written, with its journal, to a new path.

        Does nothing if the file is missing or the target exists. Raises StoreError.
        """
        copy(Path(path), Path(target))

    @staticmethod
    def salvage(path: Path | str) -> Salvaged:
        """Recover the readable part of a damaged file into a new one, and keep the damaged one.

        Raises StoreError, with "corrupt" if nothing is readable. The file is then unchanged.
        """
        return salvage(Path(path))

    @staticmethod
    def restore(path: Path | str, backup: Path) -> Path | None:
        """Replace a closed file with a backup. Return the new path of the old file.

        Raises StoreError, after which the file is unchanged.
        """
        return restore(Path(path), backup)

    @property
    def on_error(self) -> Callable[[StoreError], None] | None:
        """Callback for failed writes, on the writer thread. Must be fast and not touch widgets."""
        return self._writer.on_error

    @on_error.setter
    def on_error(self, callback: Callable[[StoreError], None] | None) -> None:
        self._writer.on_error = callback

    @property
    def on_saved(self) -> Callable[[], None] | None:
        """Callback on the writer thread when all failed writes have succeeded."""
        return self._writer.on_saved

    @on_saved.setter
    def on_saved(self, callback: Callable[[], None] | None) -> None:
        self._writer.on_saved = callback

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def flush(self, timeout: float | None = 5.0) -> None:
        """Wait until all queued writes are durable.

        Raises StoreError if they fail or take too long. They stay queued.
        """
        self._writer.flush(timeout)

    def close(self, timeout: float | None = 5.0) -> None:
        """Write the queue, merge the WAL into the file, and join the thread. Idempotent.

        Raises StoreError if something could not be saved. Everything is released anyway.
        """
        atexit.unregister(self._close_at_exit)
        self._searcher.close()
        self._readers.close()
        self._backups.close()  # before the writer: the last to close merges the WAL
        self._writer.close(timeout)

    @property
    def settled(self) -> bool:
        """Return True if there is nothing to write, index, back up or erase."""
        return self._writer.idle and self._backups.idle and self._writer.idle

    def _close_at_exit(self) -> None:
        """Save the queue if the program ends without closing the store."""
        try:
            self.close()
        except StoreError as error:
            log.error("%s: %s", error.code, error.message)

    def back_up(self) -> None:
        """Make a backup in the background."""
        self._backups.begin(must=True)

    # --- reads --------------------------------------------------------------------------------

    def chats(self, include_deleted: bool = False) -> list[ChatRecord]:
        """Return all chats, the most recently used first."""
        chats = all_chats(self._readers, self._writer)
        return [chat for chat in chats if include_deleted or chat.deleted_at is None]

    def chat(self, chat_id: str) -> ChatRecord | None:
        """Return the chat, deleted or not, or None."""
        return view_of(self._readers, self._writer, "id = :chat", "0", chat_id).chats.get(chat_id)

    def tip(self, chat_id: str) -> tuple[ChatRecord | None, Message | None]:
        """Return the chat and the last message that it shows, each None if unknown.

        While both are unchanged, so is `path`: the messages before a message do not change.
        """
        last = "id = (SELECT leaf_id FROM chats WHERE id = :chat)"
        view = view_of(self._readers, self._writer, "id = :chat", last, chat_id)
        chat = view.chats.get(chat_id)
        return chat, view.messages.get(chat.leaf_id or "") if chat is not None else None

    def messages(self, chat_id: str) -> list[Message]:
        """Return the whole tree, in the order of insertion: parents before children."""
        messages = view_of(
            self._readers, self._writer, "id = :chat", "chat_id = :chat", chat_id
        ).messages.values()
        return [message for message in messages if message.chat_id == chat_id]

    def has_messages(self, chat_id: str, count: int) -> bool:
        """Return True if at least ``count`` messages of the chat are in the file."""
        with self._readers.reading() as db:
            one = "SELECT 1 FROM messages WHERE chat_id = ? LIMIT 1 OFFSET ?"
            return db.execute(one, (chat_id, count - 1)).fetchone() is not None

    def path(self, chat_id: str) -> list[Message]:
        """Return the branch that is shown, from the root to the chat's leaf, or []."""
        view = view_of(self._readers, self._writer, "id = :chat", "chat_id = :chat", chat_id)
        chat = view.chats.get(chat_id)
        branch: list[Message] = []
        place = chat.leaf_id if chat else None
        while place is not None and (message := view.messages.pop(place, None)) is not None:
            branch.append(message)
            place = message.parent_id
        return branch[::-1]

    def search(self, query: str, limit: int = 50) -> list[SearchHit]:
        """Return the places that contain all words of the query. The last word may be incomplete.

        Titles come first (`message_id` is None), then one message per chat, last used first.
        Deleted chats are left out. Case and accents are ignored.
        """
        self._hurry()
        with self._readers.reading() as db:
            return find(db, query, limit)

    def search_later(self, query: str, limit: int, report: ReportHits) -> None:
        """Search in a thread, which calls ``report`` with the titles, then with all hits.

        A later call replaces an unanswered one. ``cancel_search`` cancels it.
        """
        self._searcher.ask(query, limit, report)

    def cancel_search(self) -> None:
        self._searcher.cancel()

    def backups(self) -> list[Backup]:
        """Return the backups, the newest first."""
        return backups_of(self._readers.path)

    def _hurry(self) -> None:
        with suppress(StoreError):
            self._writer.flush(2.0)

    def layout(self, name: str) -> dict[str, Any] | None:
        """Return the layout with this name, or None if it is missing or damaged."""
        return self.layouts().get(name)

    def layouts(self) -> dict[str, dict[str, Any]]:
        """Return all layouts by name, without damaged ones, which must not prevent a start."""
        waiting = queued(self._writer)
        with self._readers.reading() as db:
            # As bytes, since invalid UTF-8 would make the whole query fail.
            rows = dict(db.execute("SELECT name, CAST(data AS BLOB) FROM layouts"))
        found = {name: _layout(data) for name, data in (rows | waiting.layouts).items()}
        return {name: data for name, data in found.items() if data is not None}

    # --- writes -------------------------------------------------------------------------------

    def together(self) -> AbstractContextManager[None]:
        """Group the writes in this block into one transaction.

        Without it, a crash may separate them. Writes of other threads are not included. A `flush`
        in the block, on the same thread, splits the transaction.
        """
        return self._writer.together()

    def save_chat(self, chat: ChatRecord) -> None:
        """Insert or overwrite all fields. To change a few, use `update_chat`.

        Raises TypeError or ValueError if `params` is not JSON.
        """
        if chat.id not in self.trash.erased:
            self._writer.add(SaveChat(storable_chat(chat)))

    def update_chat(self, chat_id: str, **changes: Any) -> None:
        """Change the named fields of a stored chat (title, model, system, params, …).

        Raises ValueError for a field that cannot be changed.
        """
        if wrong := set(changes) - _PATCHABLE:
            raise ValueError(f"not a changeable field of a chat: {', '.join(sorted(wrong))}")
        if changes:
            kept = {name: _storable(value) for name, value in changes.items()}
            self._writer.add(PatchChat(chat_id, kept))

    def save_message(self, message: Message, *, as_leaf: bool = False) -> None:
        """Insert or overwrite a message. `as_leaf` makes it the leaf in the same transaction.

        Its chat and its parent must have been saved before, otherwise the write is dropped and
        `on_error` is called with "invalid". A new message moves its chat to the top of the list.
        Queued checkpoints of a streaming message replace each other.
        """
        if message.chat_id in self.trash.erased:
            return  # end of a reply whose chat was erased
        save = SaveMessage(storable_message(message))
        if as_leaf:
            self._writer.add(save, PatchChat(message.chat_id, {"leaf_id": message.id}))
        else:
            self._writer.add(save)

    def set_draft(self, chat_id: str, text: str) -> None:
        """Store the composer's text. Fast enough for every key press."""
        self._writer.add(PatchChat(chat_id, {"draft": storable_text(text)}, urgent=False))

    def set_edited(self, chat_id: str, message_id: str | None, text: str) -> None:
        """Store the changed text of a message that is being edited, or None for no edit."""
        changes = {"edited_id": message_id, "edited_text": storable_text(text)}
        self._writer.add(PatchChat(chat_id, changes, urgent=False))

    def set_leaf(self, chat_id: str, message_id: str | None) -> None:
        """Show the branch that ends with this message."""
        self._writer.add(PatchChat(chat_id, {"leaf_id": message_id}))

    def delete_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        """Delete messages. The chat then shows the branch that ends with ``leaf_id``."""
        mark = MarkMessages(tuple(ids), self.trash.now())
        self._writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def restore_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        """Undo `delete_messages` for these messages."""
        mark = MarkMessages(tuple(ids), None)
        self._writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def save_layout(self, name: str, data: dict[str, Any]) -> None:
        """Store a window layout under a name. Raises TypeError if it is not JSON."""
        self._writer.add(SaveLayout(storable_text(name), json.dumps(data)))

    def delete_layout(self, name: str) -> None:
        self._writer.add(DeleteLayout(storable_text(name)))


def _storable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(storable_text, value))
    if isinstance(value, dict):
        # raise for values that are not JSON here, not in the writer
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
