"""Chats as JSON in the format of `FORMAT.md`."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec.structs import asdict, replace

from app.store.attachments import (
    AttachedText,
    Attachments,
    attachments_from_json,
    attachments_to_json,
    from_json,
    images_to_json,
    queued_from_json,
    queued_to_json,
)
from app.store.records import LONGEST_ID, LONGEST_NAME, ChatRecord, Folder, Message, Status

FORMAT = "stretto-chats"
VERSION = 1

_NOT_OUT = {"deleted_at"}
_CHAT = [name for name in ChatRecord.__struct_fields__ if name not in _NOT_OUT]
_MESSAGE = [name for name in Message.__struct_fields__ if name not in {*_NOT_OUT, "chat_id"}]
_FILES = {"attachments", "draft_attachments", "edited_attachments"}
R = TypeVar("R", ChatRecord, Message)


def collect_attachments(chat: ChatRecord, messages: Iterable[Message]) -> list[Attachments]:
    living = (m.attachments for m in messages if m.deleted_at is None)
    queued = (queued_message.attachments for queued_message in chat.queued)
    return [chat.draft_attachments, chat.edited_attachments, *queued, *living]


def chat_to_json(
    chat: ChatRecord,
    messages: Iterable[Message],
    texts: Mapping[str, AttachedText] | None = None,
    images: Mapping[str, bytes] | None = None,
) -> dict[str, Any]:
    """Convert a chat to JSON, without deleted messages.

    ``messages`` is the full tree, parents first. ``texts`` and ``images`` have attachments by hash.
    """
    live = list(_skip_deleted(messages))
    ids = {message.id for message in live}
    written = _fields(chat, _CHAT)
    written["leaf_id"] = chat.leaf_id if chat.leaf_id in ids else (live[-1].id if live else None)
    if chat.edited_id not in ids | {queued_message.id for queued_message in chat.queued}:
        written["edited_id"], written["edited_text"] = None, ""
        written["edited_attachments"] = []
    if texts:
        written["texts"] = {key: asdict(text) for key, text in texts.items()}
    if images:
        written["images"] = images_to_json(images)
    written["messages"] = [_fields(message, _MESSAGE) for message in live]
    return written


def _fields(record: ChatRecord | Message, names: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in names}
    for name in _FILES & values.keys():
        values[name] = attachments_to_json(values[name])
    if isinstance(record, ChatRecord):
        values["queued"] = queued_to_json(record.queued)
    return values


def to_text(value: Any) -> str:
    """Convert to JSON text. Numbers that JSON doesn't support (e.g. infinity) become null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_to_finite(value), ensure_ascii=False, allow_nan=False)


def chat_from_json(value: Mapping[str, Any]) -> tuple[ChatRecord, list[Message]]:
    """Reverse `chat_to_json`. Raises ValueError or TypeError with the reason."""
    listed = value.get("messages")
    if not isinstance(listed, list):
        raise ValueError("messages is not a list")
    chat = _to_record(value, _CHAT, ChatRecord)
    messages: dict[str, Message] = {}
    for number, item in enumerate(listed, 1):
        if not isinstance(item, dict):
            raise ValueError(f"message {number} is not an object")
        message = _to_record({**item, "chat_id": chat.id}, (*_MESSAGE, "chat_id"), Message)
        if message.id in messages:
            raise ValueError(f"two messages have the id {message.id[:40]!r}")
        if message.parent_id is not None and message.parent_id not in messages:
            raise ValueError(f"message {number} follows one that does not come before it")
        if message.status == "streaming":
            message = replace(message, status="interrupted")
        if message.role == "tool":  # the error replaces the tool's result
            message = replace(message, error="")
        messages[message.id] = message
    last = next(reversed(messages), None)
    if chat.leaf_id not in messages:
        chat = replace(chat, leaf_id=last)
    if chat.edited_id not in messages.keys() | {item.id for item in chat.queued}:
        chat = replace(chat, edited_id=None, edited_text="", edited_attachments=())
    return chat, list(messages.values())


def folders_to_json(folders: Iterable[Folder]) -> list[dict[str, Any]]:
    return [{"id": f.id, "name": f.name, "parent_id": f.parent_id} for f in folders]


def folders_from_json(value: object) -> list[Folder]:
    """Return the valid folders in a file, with at most one level of nesting."""
    folders: dict[str, Folder] = {}
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict):
            name, key, parent = item.get("name"), item.get("id"), item.get("parent_id")
            if isinstance(name, str) and isinstance(key, str) and 0 < len(key) <= LONGEST_ID:
                above = parent if isinstance(parent, str) else None
                folders[key] = Folder(key, name[:LONGEST_NAME], above)
    tops = {key for key, item in folders.items() if item.parent_id is None}
    return [f if f.parent_id in tops else replace(f, parent_id=None) for f in folders.values()]


def _skip_deleted(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages that aren't deleted, with the nearest remaining ancestor as parent."""
    instead: dict[str | None, str | None] = {None: None}
    for message in messages:
        parent = instead.get(message.parent_id)
        if message.deleted_at is not None:
            instead[message.id] = parent
            continue
        instead[message.id] = message.id
        status: Status = "interrupted" if message.status == "streaming" else message.status
        yield replace(message, parent_id=parent, status=status)


def _to_record(value: Mapping[str, Any], names: Iterable[str], kind: type[R]) -> R:
    fields = {name: value[name] for name in names if name in value}
    parsed: dict[str, Any] = {
        name: attachments_from_json(fields.pop(name)) for name in _FILES & fields.keys()
    }
    if "queued" in fields:
        parsed["queued"] = queued_from_json(fields.pop("queued"))
    record = from_json(fields, kind)
    if isinstance(record, ChatRecord):
        parsed["tags"] = tuple(dict.fromkeys(record.tags))
    return replace(record, **parsed)


def _to_finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _to_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_finite(item) for item in value]
    return value
