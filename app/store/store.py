"""The store's face: queue a write, read a record, flush, close."""

import atexit
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from app.store.database import copy, open_writer, set_aside
from app.store.errors import StoreError, at_start, translate
from app.store.journal import keep_if_damaged
from app.store.operations import (
    CHAT_COLUMNS,
    MESSAGE_COLUMNS,
    DeleteLayout,
    MarkMessages,
    PatchChat,
    SaveChat,
    SaveLayout,
    SaveMessage,
    View,
    chat_from_row,
    message_from_row,
)
from app.store.readers import Readers
from app.store.records import (
    Chat,
    Message,
    SearchHit,
    storable_chat,
    storable_message,
    storable_text,
)
from app.store.salvage import Salvaged, salvage
from app.store.search import find
from app.store.writer import Writer

log = logging.getLogger(__name__)

_PATCHABLE = {"title", "model", "system", "params", "draft", "updated_at", "deleted_at", "leaf_id"}


class Store:
    """All chats of one profile, in one SQLite file that one program at a time has open.

    Writes return at once (no disk access on the caller's thread), from any thread, and are carried
    out in order by one writer thread, several to a transaction: finished messages and changes of
    chats at once, drafts, layouts and streaming text within about a quarter of a second.

    Reads run on the calling thread, on a connection of its own, never wait for the writer, and
    see every write queued before them ("read your writes"), durable or not. `search` alone asks
    the writer to hurry (and waits a quarter of a second at most), and finds a streaming message
    only when it has ended.

    Attributes:
        file: where the chats are.
        journal_aside: a copy of the journal that the last run left, if it was damaged: changes
            of that run's last moments may be missing.

    When the disk refuses (full, gone), nothing queued is lost while the program runs: it is tried
    again with growing pauses and `on_error` is told.
    """

    def __init__(
        self, path: Path, db: sqlite3.Connection, journal_aside: Path | None = None
    ) -> None:
        """Takes over a connection from `open_writer`; use `Store.open`."""
        self.file = path
        self.journal_aside = journal_aside
        self._writer = Writer(db, path)
        self._readers = Readers(path)
        atexit.register(self._close_at_exit)

    @classmethod
    def open(cls, path: Path | str) -> "Store":
        """Opens the file, creating or migrating it; replies cut off by a crash: "interrupted".

        Raises StoreError with code "corrupt", "newer" (the file has not been touched: offer
        `set_aside`), "readonly", "full" or "io".
        """
        path = Path(path)
        try:
            aside = keep_if_damaged(path)
        except OSError as error:
            raise at_start(translate(error, path)) from error
        return cls(path, open_writer(path), aside)

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
        self._readers.close()
        self._writer.close(timeout)

    def _close_at_exit(self) -> None:
        """A program that ends without closing loses nothing that it has queued."""
        try:
            self.close()
        except StoreError as error:
            log.error("%s: %s", error.code, error.message)

    # --- writes -------------------------------------------------------------------------------

    def together(self) -> AbstractContextManager[None]:
        """The writes queued within reach the file all at once, or none of them does.

        Without it two writes may be parted by a crash. Not to be held for long: nothing else is
        written meanwhile, and a `flush` within ends it early.
        """
        return self._writer.together()

    def save_chat(self, chat: Chat) -> None:
        """Inserts or overwrites all fields. To change a few, `update_chat` cannot undo others.

        Raises TypeError or ValueError at once when `params` is not JSON.
        """
        self._writer.add(SaveChat(storable_chat(chat)))

    def update_chat(self, chat_id: str, **changes: Any) -> None:
        """Changes the named fields of a stored chat (title, model, system, params, …).

        Raises ValueError for a field that cannot be changed.
        """
        if wrong := set(changes) - _PATCHABLE:
            raise ValueError(f"not a changeable field of a chat: {', '.join(sorted(wrong))}")
        if not changes:
            return
        kept = {k: storable_text(v) if isinstance(v, str) else v for k, v in changes.items()}
        if "params" in kept:
            kept["params"] = json.loads(json.dumps(kept["params"]))
        self._writer.add(PatchChat(chat_id, kept))

    def save_message(self, message: Message, *, as_leaf: bool = False) -> None:
        """Inserts or overwrites; `as_leaf` makes it the chat's leaf in the same transaction.

        Its chat and its parent must have been saved before; else the write is dropped and
        `on_error` hears "invalid". A new message moves its chat to the top of the list. Checkpoints
        of a streaming message fold into one another while they wait.
        """
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
        mark = MarkMessages(tuple(ids), time.time())
        self._writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def restore_messages(self, chat_id: str, ids: Sequence[str], leaf_id: str | None) -> None:
        """Undoes `delete_messages` for just these."""
        mark = MarkMessages(tuple(ids), None)
        self._writer.add(mark, PatchChat(chat_id, {"leaf_id": leaf_id}))

    def delete_chat(self, chat_id: str) -> None:
        """Takes the chat out of lists and searches; `restore_chat` brings it back whole."""
        self._writer.add(PatchChat(chat_id, {"deleted_at": time.time()}))

    def restore_chat(self, chat_id: str) -> None:
        """Undoes `delete_chat`."""
        self._writer.add(PatchChat(chat_id, {"deleted_at": None}))

    def save_layout(self, name: str, data: dict[str, Any]) -> None:
        """Keeps a window layout under a name. Raises TypeError when it is not JSON."""
        self._writer.add(SaveLayout(storable_text(name), json.dumps(data)))

    def delete_layout(self, name: str) -> None:
        """Takes a layout away. An unknown name is fine."""
        self._writer.add(DeleteLayout(storable_text(name)))

    # --- reads --------------------------------------------------------------------------------

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

        Titles come first (`message_id` None), then messages, best first; deleted chats are left
        out. Case and accents do not matter.
        """
        with suppress(StoreError):
            self._writer.flush(0.25)
        with self._readers.reading() as db:
            return find(db, query, limit)

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
