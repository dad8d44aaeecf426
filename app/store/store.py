"""The store's face: queue a write, read a record, flush, close."""

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
from app.store.search import Searcher, Told, find
from app.store.tool_rows import ToolRows
from app.store.trash import Trash
from app.store.writer import Writer, index_chore

log = logging.getLogger(__name__)

_PATCHABLE = set(ChatRecord.__struct_fields__) - {"id", "created_at"}


class Store:
    """All chats of one profile, in one SQLite file that one program at a time has open.

    Writes return at once (no disk access on the caller's thread), from any thread, and are carried
    out in order by one writer thread, several to a transaction: finished messages and changes of
    chats at once, drafts, layouts and streaming text within about a quarter of a second.

    Reads run on the calling thread, on a connection of its own, never wait for the writer, and
    see every write queued before them ("read your writes"), durable or not. `search` alone asks
    the writer to hurry (and waits two seconds at most), and finds a streaming message
    only when it has ended.

    When the disk refuses (full, gone), nothing queued is lost while the program runs: it is tried
    again with growing pauses and `on_error` is told.
    """

    def __init__(
        self,
        path: Path,
        db: sqlite3.Connection,
        journal_aside: Path | None = None,
        backups: Backups | None = None,
        clock: Callable[[], float] = erase.now,
    ) -> None:
        """Takes over a connection from `open_writer`; use `Store.open`."""
        self.file = path  # where the chats are
        # a copy of the journal that the last run left, if it was damaged: changes of that run's
        # last moments may be missing
        self.journal_aside = journal_aside
        unfinished = bool(erase.waiting(db))  # an erasure that the last run did not end
        self._backups = backups or Backups(path, clock)
        self._writer = Writer(db, path, self._backups.daily, [index_chore])
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
        """Opens the file, creating or migrating it; replies cut off by a crash: "interrupted".

        ``clock`` tells when things are deleted and which day it is. Raises StoreError with code
        "corrupt", "newer" (the file has not been touched: offer `set_aside`), "readonly", "full"
        or "io".
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
        """Renames an unusable file so that `open` can start a new one; returns its new path.

        Only ever called because a person chose to. Nothing is deleted.
        """
        return set_aside(Path(path))

    @staticmethod
    def copy(path: Path | str, target: Path | str) -> None:
        """Copies a file that nobody writes, with its journal, to where there is none yet.

        Does nothing if there is nothing to copy, or a file at the target. Raises StoreError.
        """
        copy(Path(path), Path(target))

    @staticmethod
    def salvage(path: Path | str) -> Salvaged:
        """Puts what can be read of a damaged file into a new one and sets the damaged one aside.

        Raises StoreError: "corrupt" when nothing can be read; the file is then where it was.
        """
        return salvage(Path(path))

    @staticmethod
    def restore(path: Path | str, backup: Path) -> Path | None:
        """Puts a backup in the file's place, which nobody has open; returns where that is kept.

        Raises StoreError; the file is then as it was.
        """
        return restore(Path(path), backup)

    @property
    def on_error(self) -> Callable[[StoreError], None] | None:
        """Called on the writer thread when writing fails; must be quick, may not touch widgets."""
        return self._writer.on_error

    @on_error.setter
    def on_error(self, callback: Callable[[StoreError], None] | None) -> None:
        self._writer.on_error = callback

    @property
    def on_saved(self) -> Callable[[], None] | None:
        """Called on the writer thread when all that could not be written is in the file."""
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
        """Waits until all writes queued before are on the disk, also through a power cut.

        Raises StoreError when they cannot be written or not in time; they stay queued.
        """
        self._writer.flush(timeout)

    def close(self, timeout: float | None = 5.0) -> None:
        """Writes what is queued, empties the WAL into the file, joins the thread. May be repeated.

        Raises StoreError when something could not be saved; all is released nevertheless.
        """
        atexit.unregister(self._close_at_exit)
        self._searcher.close()
        self._readers.close()
        self._backups.close()  # before the writer: the last to close empties the WAL
        self._writer.close(timeout)

    @property
    def settled(self) -> bool:
        """Whether all is written, indexed, backed up and erased that is to be."""
        return self._writer.idle and self._backups.idle and self._writer.idle

    def _close_at_exit(self) -> None:
        """A program that ends without closing loses nothing that it has queued."""
        try:
            self.close()
        except StoreError as error:
            log.error("%s: %s", error.code, error.message)

    def back_up(self) -> None:
        """Copies the file as it is now, in the background."""
        self._backups.begin(must=True)

    # --- reads --------------------------------------------------------------------------------

    def chats(self, include_deleted: bool = False) -> list[ChatRecord]:
        """All chats, the most recently used first."""
        chats = all_chats(self._readers, self._writer)
        return [chat for chat in chats if include_deleted or chat.deleted_at is None]

    def chat(self, chat_id: str) -> ChatRecord | None:
        """The chat, deleted or not; None when there is none."""
        return view_of(self._readers, self._writer, "id = :chat", "0", chat_id).chats.get(chat_id)

    def tip(self, chat_id: str) -> tuple[ChatRecord | None, Message | None]:
        """The chat as `chat` gives it, and the last message that it shows; None where not known.

        While both are the same, so is `path`: what comes before a message does not change.
        """
        last = "id = (SELECT leaf_id FROM chats WHERE id = :chat)"
        view = view_of(self._readers, self._writer, "id = :chat", last, chat_id)
        chat = view.chats.get(chat_id)
        return chat, view.messages.get(chat.leaf_id or "") if chat is not None else None

    def messages(self, chat_id: str) -> list[Message]:
        """The whole tree, in the order of first saving: parents before their children."""
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
        """The branch that is shown, from the root to the chat's leaf; empty without a leaf."""
        view = view_of(self._readers, self._writer, "id = :chat", "chat_id = :chat", chat_id)
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
        waiting = queued(self._writer)
        with self._readers.reading() as db:
            # As bytes: what is not even text must not end the whole query.
            rows = dict(db.execute("SELECT name, CAST(data AS BLOB) FROM layouts"))
        found = {name: _layout(data) for name, data in (rows | waiting.layouts).items()}
        return {name: data for name, data in found.items() if data is not None}

    # --- writes -------------------------------------------------------------------------------

    def together(self) -> AbstractContextManager[None]:
        """The writes queued within reach the file all at once, or none of them does.

        Without it two writes may be parted by a crash. What other threads write, search or flush
        meanwhile goes its own way; a `flush` within, on the same thread, cuts it in two.
        """
        return self._writer.together()

    def save_chat(self, chat: ChatRecord) -> None:
        """Inserts or overwrites all fields. To change a few, `update_chat` cannot undo others.

        Raises TypeError or ValueError at once when `params` is not JSON.
        """
        if chat.id not in self.trash.erased:
            self._writer.add(SaveChat(storable_chat(chat)))

    def update_chat(self, chat_id: str, **changes: Any) -> None:
        """Changes the named fields of a stored chat (title, model, system, params, …).

        Raises ValueError for a field that cannot be changed.
        """
        if wrong := set(changes) - _PATCHABLE:
            raise ValueError(f"not a changeable field of a chat: {', '.join(sorted(wrong))}")
        if changes:
            kept = {name: _storable(value) for name, value in changes.items()}
            self._writer.add(PatchChat(chat_id, kept))

    def save_message(self, message: Message, *, as_leaf: bool = False) -> None:
        """Inserts or overwrites; `as_leaf` makes it the chat's leaf in the same transaction.

        Its chat and its parent must have been saved before; else the write is dropped and
        `on_error` hears "invalid". A new message moves its chat to the top of the list. Checkpoints
        of a streaming message fold into one another while they wait.
        """
        if message.chat_id in self.trash.erased:
            return  # the last words of a reply whose chat was erased meanwhile
        save = SaveMessage(storable_message(message))
        if as_leaf:
            self._writer.add(save, PatchChat(message.chat_id, {"leaf_id": message.id}))
        else:
            self._writer.add(save)

    def set_draft(self, chat_id: str, text: str) -> None:
        """Keeps what stands in the composer. Cheap enough for every key press."""
        self._writer.add(PatchChat(chat_id, {"draft": storable_text(text)}, urgent=False))

    def set_edited(self, chat_id: str, message_id: str | None, text: str) -> None:
        """Keeps the new words of a message that is being edited; None when none is."""
        changes = {"edited_id": message_id, "edited_text": storable_text(text)}
        self._writer.add(PatchChat(chat_id, changes, urgent=False))

    def set_leaf(self, chat_id: str, message_id: str | None) -> None:
        """Shows the branch that ends in this message."""
        self._writer.add(PatchChat(chat_id, {"leaf_id": message_id}))

    def delete_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        """Takes messages out of the chat, which then shows the branch ending in ``leaf_id``."""
        mark = MarkMessages(tuple(ids), self.trash.now())
        self._writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def restore_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        """Undoes `delete_messages` for just these."""
        mark = MarkMessages(tuple(ids), None)
        self._writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def save_layout(self, name: str, data: dict[str, Any]) -> None:
        """Keeps a window layout under a name. Raises TypeError when it is not JSON."""
        self._writer.add(SaveLayout(storable_text(name), json.dumps(data)))

    def delete_layout(self, name: str) -> None:
        """Takes a layout away. An unknown name is fine."""
        self._writer.add(DeleteLayout(storable_text(name)))


def _storable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(storable_text, value))
    if isinstance(value, dict):
        return json.loads(json.dumps(value))  # raises what is not JSON here, and not in the writer
    return storable_text(value) if isinstance(value, str) else value


def _layout(text: str | bytes | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        log.debug("A saved layout is damaged and left out")
        return None
    return data if isinstance(data, dict) else None
