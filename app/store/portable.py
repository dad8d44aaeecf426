"""Chats as JSON in the format of `FORMAT.md`."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast, get_args

from msgspec.structs import asdict, replace

from app.store.attachments import (
    AttachedText,
    Attachments,
    attachments_from_json,
    attachments_to_json,
    images_to_json,
    queued_from_json,
    queued_to_json,
)
from app.store.records import LONGEST_NAME, ChatRecord, Folder, Message, Role, Status

FORMAT = "stretto-chats"
VERSION = 1

_NOT_OUT = {"deleted_at"}
_CHAT = [name for name in ChatRecord.__struct_fields__ if name not in _NOT_OUT]
_MESSAGE = [name for name in Message.__struct_fields__ if name not in {*_NOT_OUT, "chat_id"}]
_NULL = {"parent_id", "leaf_id", "edited_id", "folder_id", "pinned_at", "archived_at", "group_id"}
_OBJECTS = {"params", "stats"}
_FILES = {"attachments", "draft_attachments", "edited_attachments"}
_LONGEST_ID = 200


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
    fields = _known(value, _CHAT)
    listed = value.get("messages")
    if not isinstance(listed, list):
        raise ValueError("messages is not a list")
    chat = ChatRecord(**fields)
    messages: dict[str, Message] = {}
    for number, item in enumerate(listed, 1):
        if not isinstance(item, dict):
            raise ValueError(f"message {number} is not an object")
        message = Message(chat_id=chat.id, **_known(item, _MESSAGE))
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
            if isinstance(name, str) and isinstance(key, str) and 0 < len(key) <= _LONGEST_ID:
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


def _known(value: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in names:
        if name in value:
            fields[name] = _checked(name, value[name])
        elif name == "id":
            raise ValueError(f"{name} is missing")
    return fields


def _checked(name: str, value: Any) -> Any:
    if value is None and name in _NULL:
        return None
    if name in _OBJECTS:
        if not isinstance(value, dict):
            raise ValueError(f"{name} is not an object")
        json.dumps(value)
        return value
    if name in _FILES:
        return attachments_from_json(value)
    if name == "queued":
        return queued_from_json(value)
    if name == "tags":
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError("tags is not a list of words")
        return tuple(dict.fromkeys(value))
    if name.endswith("_at"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} is not a time")
        if not math.isfinite(value := float(value)):
            raise ValueError(f"{name} is not a time")
        return value
    if not isinstance(value, str):
        raise ValueError(f"{name} is not a text")
    if name == "id" and not 0 < len(value) <= _LONGEST_ID:
        raise ValueError("id is empty or too long")
    choices = {"role": get_args(Role), "status": get_args(Status)}.get(name)
    if choices is not None and value not in choices:
        raise ValueError(f"{name} is none of {', '.join(cast(tuple[str, ...], choices))}")
    return value


def _to_finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _to_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_finite(item) for item in value]
    return value
