"""Write operations for the queue.

`write` changes the file, and `apply_to` makes the same change to a `View`, so that readers see
queued writes without waiting for the disk.
"""

import json
import sqlite3
from types import NoneType
from typing import Any, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from app.store.attachments import (
    AttachedText,
    StoredImage,
    from_column,
    queued_from_json,
    queued_to_json,
    to_column,
)
from app.store.records import LONGEST_NAME, ChatRecord, Folder, Message

_CHAT = list(ChatRecord.__struct_fields__)
_MESSAGE = list(Message.__struct_fields__)
_STATS, _FILES_OF = map(_MESSAGE.index, ("stats", "attachments"))
TYPED = {("draft",): "draft", ("edited_id", "edited_text"): "edited"}
"""Columns written on every key press, with the name used in `replaces_key`."""
CHAT_COLUMNS = ", ".join(_CHAT)
MESSAGE_COLUMNS = ", ".join(_MESSAGE)


class View(Struct):
    """Records as a reader sees them: the file's content with queued writes applied."""

    chats: dict[str, ChatRecord] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    layouts: dict[str, str | None] = field(default_factory=dict)  # None if deleted
    # None if deleted
    folders: dict[str, Folder | None] = field(default_factory=dict)
    texts: dict[str, AttachedText] = field(default_factory=dict)
    images: dict[str, StoredImage] = field(default_factory=dict)


class Operation(Struct, frozen=True):
    """Write operation for the queue. By default urgent, and without an effect on views."""

    @property
    def replaces_key(self) -> str | None:
        """Key of queued operations that this operation replaces, or None."""
        return None

    @property
    def is_urgent(self) -> bool:
        """Return True if the operation can't wait for the next batch."""
        return True

    def write(self, db: sqlite3.Connection) -> None:
        raise NotImplementedError

    def apply_to(self, view: View) -> None:
        """Apply the same change to a view."""


OPTIONAL = {
    name
    for record in (ChatRecord, Message)
    for name, kind in record.__annotations__.items()
    if NoneType in get_args(kind)
}

_LATER = {"edited_text", "tags", "titled_by", "variant", "queued"}
_LATER |= {"attachments", "draft_attachments", "edited_attachments"}
_NULLABLE = OPTIONAL | _LATER  # damaged files may lack the columns in `_LATER`
_checked_types: set[tuple[type, ...]] = set()  # column types of rows already checked


def _check_types(row: tuple[Any, ...], names: list[str]) -> None:
    kinds = tuple(map(type, row))
    if kinds in _checked_types:
        return
    for name, value in zip(names, row, strict=True):
        lacks = value is None and name in _NULLABLE
        if not lacks and not isinstance(value, float if name.endswith("_at") else str):
            raise TypeError(f"{name} is damaged")
    _checked_types.add(kinds)


def _json_object(text: str) -> dict[str, Any]:
    if text == "{}":  # fast path, since questions have no stats
        return {}
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _split_words(text: str) -> tuple[str, ...]:
    if text == "[]":
        return ()
    value = json.loads(text)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise TypeError("not a list of words")
    return tuple(value)


def chat_from_row(row: tuple[Any, ...]) -> ChatRecord:
    _check_types(row, _CHAT)
    values = dict(zip(_CHAT, row, strict=True))
    values["params"] = _json_object(values["params"])
    values["title"] = values["title"][:LONGEST_NAME]
    values["edited_text"] = values["edited_text"] or ""
    values["variant"] = values["variant"] or ""
    values["tags"] = _split_words(values["tags"] or "[]")
    values["titled_by"] = "person" if values["titled_by"] is None else values["titled_by"]
    for name in _FILES:
        values[name] = from_column(values[name])
    queued = values["queued"] or "[]"
    values["queued"] = () if queued == "[]" else queued_from_json(json.loads(queued))
    return ChatRecord(**values)


def message_from_row(row: tuple[Any, ...]) -> Message:
    _check_types(row, _MESSAGE)
    values = [*row]  # Access by index for speed, because a chat may have ten thousand messages.
    values[_STATS], values[_FILES_OF] = _json_object(row[_STATS]), from_column(row[_FILES_OF])
    return Message(*values)


def _insert(table: str, columns: list[str]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"


def _upsert(insert: str, columns: list[str]) -> str:
    changes = ", ".join(f"{c} = excluded.{c}" for c in columns if c != "id")
    return f"{insert} ON CONFLICT (id) DO UPDATE SET {changes}"


INSERT_CHAT, INSERT_MESSAGE = _insert("chats", _CHAT), _insert("messages", _MESSAGE)
_UPSERT_CHAT = _upsert(INSERT_CHAT, _CHAT)
_UPSERT_MESSAGE = _upsert(INSERT_MESSAGE, _MESSAGE)


_AS_JSON = ("params", "tags")
_FILES = ("draft_attachments", "edited_attachments")


def chat_values(chat: ChatRecord) -> list[Any]:
    values = [getattr(chat, name) for name in _CHAT]
    for name in _AS_JSON:
        at = _CHAT.index(name)
        values[at] = json.dumps(values[at], ensure_ascii=False)
    for name in _FILES:
        at = _CHAT.index(name)
        values[at] = to_column(values[at])
    at = _CHAT.index("queued")
    values[at] = json.dumps(queued_to_json(values[at]), ensure_ascii=False)
    return values


def message_values(message: Message) -> list[Any]:
    values = [getattr(message, name) for name in _MESSAGE]
    values[_STATS] = json.dumps(message.stats, ensure_ascii=False)
    values[_FILES_OF] = to_column(message.attachments)
    return values


class SaveChat(Operation, frozen=True):
    chat: ChatRecord
    # No `replaces_key`, because patches queued in between would overwrite the newer chat.

    def write(self, db: sqlite3.Connection) -> None:
        db.execute(_UPSERT_CHAT, chat_values(self.chat))

    def apply_to(self, view: View) -> None:
        view.chats[self.chat.id] = self.chat


class PatchChat(Operation, frozen=True):
    chat_id: str
    changes: dict[str, Any]
    is_urgent: bool = True

    @property
    def replaces_key(self) -> str | None:
        # Only text being typed is written this often. It may replace an earlier write, unless
        # another operation has changed the same columns in between, see `OperationQueue.add`.
        kind = TYPED.get(tuple(self.changes))
        return f"{kind} {self.chat_id}" if kind else None

    def write(self, db: sqlite3.Connection) -> None:
        names = ", ".join(f"{name} = ?" for name in self.changes)
        values = [
            json.dumps(value, ensure_ascii=False) if name in _AS_JSON else value
            for name, value in self.changes.items()
        ]
        db.execute(f"UPDATE chats SET {names} WHERE id = ?", (*values, self.chat_id))

    def apply_to(self, view: View) -> None:
        if chat := view.chats.get(self.chat_id):
            view.chats[self.chat_id] = replace(chat, **self.changes)


class SaveMessage(Operation, frozen=True):
    message: Message

    @property
    def replaces_key(self) -> str | None:
        return f"message {self.message.id}"

    @property
    def is_urgent(self) -> bool:
        return self.message.status != "streaming"

    def write(self, db: sqlite3.Connection) -> None:
        message = self.message
        db.execute(_UPSERT_MESSAGE, message_values(message))
        db.execute(
            "UPDATE chats SET updated_at = :time WHERE id = :chat AND updated_at < :time",
            {"time": message.created_at, "chat": message.chat_id},
        )

    def apply_to(self, view: View) -> None:
        message = self.message
        view.messages[message.id] = message
        chat = view.chats.get(message.chat_id)
        if chat and chat.updated_at < message.created_at:
            view.chats[chat.id] = replace(chat, updated_at=message.created_at)


class MarkMessages(Operation, frozen=True):
    """Operation to delete messages, or to restore them if the time is None."""

    ids: tuple[str, ...]
    deleted_at: float | None

    def write(self, db: sqlite3.Connection) -> None:
        db.executemany(
            "UPDATE messages SET deleted_at = ? WHERE id = ?",
            [(self.deleted_at, message_id) for message_id in self.ids],
        )

    def apply_to(self, view: View) -> None:
        for message_id in self.ids:
            if message := view.messages.get(message_id):
                view.messages[message_id] = replace(message, deleted_at=self.deleted_at)


class SaveLayout(Operation, frozen=True):
    name: str
    data: str
    is_urgent: bool = False

    @property
    def replaces_key(self) -> str | None:
        return f"layout {self.name}"

    def write(self, db: sqlite3.Connection) -> None:
        db.execute(
            "INSERT INTO layouts (name, data) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET data = excluded.data",
            (self.name, self.data),
        )

    def apply_to(self, view: View) -> None:
        view.layouts[self.name] = self.data


class DeleteLayout(Operation, frozen=True):
    name: str
    is_urgent: bool = False

    @property
    def replaces_key(self) -> str | None:
        return f"layout {self.name}"

    def write(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM layouts WHERE name = ?", (self.name,))

    def apply_to(self, view: View) -> None:
        view.layouts[self.name] = None
