"""Records for chats and their message trees."""

import json
import os
import re
import threading
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from app.settings.language import mark, tr
from app.store.attachments import Attachments, Queued

Role = Literal["user", "assistant", "system", "tool"]
Status = Literal["complete", "streaming", "interrupted", "cancelled", "error"]
_ROLES, _STATUSES = get_args(Role), get_args(Status)


UNTITLED = mark("New chat")
"""Title of untitled chats, translated by `tr`."""
_BEGINNING = 1_000
"""Characters of a draft that are searched for its title, which happens on every key press."""


def title_from(text: str, longest: int = 48) -> str:
    """Return a title for a chat: the first line of its first message, cut between words."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = " ".join(line.lstrip("#>*-` ").split()) or line
    if len(line) <= longest:
        return line
    head = line[:longest]
    at = head.rfind(" ")
    return (head[:at] if at > longest // 2 else head).rstrip(" ,.;:") + "…"


LONGEST_ID = 200
Id = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
Time = Annotated[float, Meta(ge=-1e15, le=1e15)]
"""Seconds since the epoch. Imported files may contain infinity."""


class ChatRecord(Struct, frozen=True):
    id: Id
    title: str = ""
    model: str = ""  # path of the model folder, or "" if no model was chosen
    system: str = ""
    # sampling parameters and other settings (JSON values)
    params: dict[str, Any] = field(default_factory=dict)
    draft: str = ""
    # The sidebar sorts by `updated_at`.
    created_at: Time = field(default_factory=time.time)
    updated_at: Time = field(default_factory=time.time)
    deleted_at: Time | None = None
    leaf_id: str | None = None  # last message of the selected branch
    edited_id: str | None = None  # message being edited in the composer
    edited_text: str = ""
    folder_id: str | None = None
    pinned_at: Time | None = None
    archived_at: Time | None = None
    tags: tuple[str, ...] = ()
    # Author of the title: "person", "model", or "" if derived from the first message.
    titled_by: str = ""
    # Files of the draft and of the message being edited.
    draft_attachments: Attachments = ()
    edited_attachments: Attachments = ()
    # Comparison or broadcast that includes this chat.
    group_id: str | None = None
    # Difference from other chats in the group, e.g. a model or a seed. May be empty.
    variant: str = ""
    # Messages to send, in order. May include the message with the ID `edited_id`.
    queued: tuple[Queued, ...] = ()

    @property
    def display_title(self) -> str:
        """Return the title to show outside of the chat's group.

        An untitled chat is listed under its draft.
        """
        files = self.draft_attachments
        waits = title_from(self.draft[:_BEGINNING]) or (files[0].name if files else "")
        title = self.title or waits or tr(UNTITLED)
        grouped = self.group_id is not None and self.variant
        return tr("{title} – {model}", title=title, model=self.variant) if grouped else title


class Folder(Struct, frozen=True):
    """Folder of chats. A folder with a `parent_id` can't have subfolders."""

    id: str
    name: str
    parent_id: str | None = None


class Message(Struct, frozen=True):
    """Message of a chat. `parent_id` is the previous message, or None for a root.

    `status` is "streaming" during the reply. After a crash, the next start changes this to
    "interrupted". `error` is shown in place of the answer. `attachments` are in the order the model
    reads them. `deleted_at` is set if the message and all messages below it are deleted, which can
    be undone. An unknown role or status raises ValueError.
    """

    id: Id
    chat_id: str
    parent_id: str | None = None
    role: Role = "user"
    content: str = ""
    reasoning: str = ""
    status: Status = "complete"
    error: str = ""
    model: str = ""
    stats: dict[str, Any] = field(default_factory=dict)
    created_at: Time = field(default_factory=time.time)
    deleted_at: Time | None = None
    attachments: Attachments = ()

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            raise ValueError(f"role must be one of {_ROLES}, not {self.role!r}")
        if self.status not in _STATUSES:
            raise ValueError(f"status must be one of {_STATUSES}, not {self.status!r}")


def stored_number(stats: Mapping[str, Any], name: str) -> float:
    """Return a number in a message's stats, or 0 if it is missing or damaged."""
    value = stats.get(name)
    return value if isinstance(value, int | float) and 0 <= value < 1e15 else 0


class SearchHit(Struct, frozen=True):
    """Result of a search: a message, or the chat's title if `message_id` is None."""

    chat_id: str
    message_id: str | None
    snippet: str  # text around the match as displayed, or the title
    # Start and end of each matching word in the snippet.
    marks: tuple[tuple[int, int], ...] = ()
    # Start and end of each matching word in the chat's title.
    title_marks: tuple[tuple[int, int], ...] = ()
    file: str = ""  # name of the matching attached file, or "" for the message text
    # Page type ("" for a text without pages), and page number from 1.
    unit: str = ""
    page: int = 0


_id_lock = threading.Lock()
_last_id = 0


def new_id() -> str:
    """Return a unique ID of 32 hex digits that sorts by creation time.

    48 bits of milliseconds are followed by 80 random bits (as in a ULID). Within a process, IDs
    always increase, even if the clock is set back.
    """
    global _last_id
    with _id_lock:
        chance = int.from_bytes(os.urandom(10), "big")
        _last_id = max((time.time_ns() // 1_000_000) << 80 | chance, _last_id + 1)
        return f"{_last_id:032x}"


LONGEST_NAME, LONGEST_REF, MOST_TAGS = 1_000, 10_000, 50
"""Maximum characters of names and titles, characters of model references, and number of tags.

The chat list lays out full titles on every repaint. Users don't type such long titles, but imported
files may have them.
"""


def is_own_id(value: str) -> bool:
    return re.fullmatch("[0-9a-f]{32}", value) is not None


def storable_chat(chat: ChatRecord) -> ChatRecord:
    """Return the chat as it would be read back. Raises TypeError if `params` isn't JSON."""
    return replace(
        chat,
        title=storable_text(chat.title[:LONGEST_NAME]),
        model=storable_text(chat.model[:LONGEST_REF]),
        system=storable_text(chat.system),
        draft=storable_text(chat.draft),
        edited_text=storable_text(chat.edited_text),
        variant=storable_text(chat.variant[:LONGEST_NAME]),
        queued=tuple(replace(message, text=storable_text(message.text)) for message in chat.queued),
        params=json.loads(json.dumps(chat.params)),
        tags=tuple(storable_text(tag[:LONGEST_NAME]) for tag in chat.tags[:MOST_TAGS]),
    )


def storable_message(message: Message) -> Message:
    """Return the message as it would be read back. Raises TypeError if `stats` isn't JSON."""
    fields = {name: getattr(message, name) for name in ("content", "reasoning", "error")}
    changes: dict[str, Any] = {name: storable_text(text) for name, text in fields.items()}
    fields["model"], changes["model"] = message.model, storable_text(message.model[:LONGEST_NAME])
    if not message.stats and changes == fields:
        return message  # avoid a copy, as a branch may have ten thousand messages
    return replace(message, **changes, stats=json.loads(json.dumps(message.stats)))


def storable_text(text: str) -> str:
    """Replace lone surrogates with U+FFFD, because SQLite refuses them."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
