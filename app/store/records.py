"""Records of chats, and of messages that form a tree."""

import json
import os
import re
import threading
import time
from typing import Any, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from app.settings.language import mark, tr
from app.store.attachments import Attachments, Queued

Role = Literal["user", "assistant", "system", "tool"]
Status = Literal["complete", "streaming", "interrupted", "cancelled", "error"]
_ROLES, _STATUSES = get_args(Role), get_args(Status)


UNTITLED = mark("New chat")
"""Title of an untitled chat, before `tr`."""
_BEGINNING = 1_000
"""Characters of a draft that are searched for a title, which is computed on each key press."""


def title_from(text: str, longest: int = 48) -> str:
    """Return a chat's title from its first message: the first line, cut between words."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = " ".join(line.lstrip("#>*-` ").split()) or line
    if len(line) <= longest:
        return line
    head = line[:longest]
    at = head.rfind(" ")
    return (head[:at] if at > longest // 2 else head).rstrip(" ,.;:") + "…"


class ChatRecord(Struct, frozen=True):
    """Conversation with its settings."""

    id: str  # from `new_id()`
    title: str = ""  # may be empty
    model: str = ""  # path of the model's folder, empty if none was chosen
    system: str = ""  # the system prompt, may be empty
    # sampling parameters and other settings, as JSON values
    params: dict[str, Any] = field(default_factory=dict)
    draft: str = ""  # unsent text in the composer
    # created_at, updated_at: seconds since the epoch; the sidebar is sorted by `updated_at`
    created_at: float = field(default_factory=time.time)
    updated_at: float = field(default_factory=time.time)
    deleted_at: float | None = None  # time of deletion, None if not deleted
    leaf_id: str | None = None  # last message of the branch that is shown
    edited_id: str | None = None  # message that is being edited in the composer
    edited_text: str = ""  # its changed text so far
    folder_id: str | None = None  # the folder that contains it
    # pinned_at, archived_at: times, or None
    pinned_at: float | None = None
    archived_at: float | None = None
    tags: tuple[str, ...] = ()  # unique
    # origin of the title: "person", "model", or "" for the first message
    titled_by: str = ""
    # draft_attachments, edited_attachments: files of the draft, and of the edited message
    draft_attachments: Attachments = ()
    edited_attachments: Attachments = ()
    # comparison or broadcast that the chat belongs to
    group_id: str | None = None
    # its difference from others of its group, such as a model or a seed; may be empty
    variant: str = ""
    # messages to send, the next one first. `edited_id` may be one of them.
    queued: tuple[Queued, ...] = ()

    @property
    def shown_title(self) -> str:
        """Return the title for places that do not show the chat's group.

        Without a title it is the beginning of the draft.
        """
        files = self.draft_attachments
        waits = title_from(self.draft[:_BEGINNING]) or (files[0].name if files else "")
        title = self.title or waits or tr(UNTITLED)
        grouped = self.group_id is not None and self.variant
        return tr("{title} – {model}", title=title, model=self.variant) if grouped else title


class Folder(Struct, frozen=True):
    """Folder of chats. One with a `parent_id` is in that folder, and contains no folders."""

    id: str
    name: str
    parent_id: str | None = None


class Message(Struct, frozen=True):
    """Message of a conversation. `parent_id` is the message before it, or None at the root.

    `status` is "streaming" while its reply runs. At the next start after a crash it becomes
    "interrupted". `error` is the sentence shown instead of the answer. `attachments` are in the
    order in which the model reads them. A message with `deleted_at` is deleted with all that follow
    it, and can be restored.

    Raises ValueError for an unknown role or status.
    """

    id: str
    chat_id: str
    parent_id: str | None = None
    role: Role = "user"
    content: str = ""
    reasoning: str = ""
    status: Status = "complete"
    error: str = ""
    model: str = ""
    stats: dict[str, Any] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    deleted_at: float | None = None
    attachments: Attachments = ()

    def __post_init__(self) -> None:
        if self.role not in _ROLES:
            raise ValueError(f"role must be one of {_ROLES}, not {self.role!r}")
        if self.status not in _STATUSES:
            raise ValueError(f"status must be one of {_STATUSES}, not {self.status!r}")


class SearchHit(Struct, frozen=True):
    """Place that matches a search. `message_id` is None for the chat's title."""

    chat_id: str
    message_id: str | None
    snippet: str  # displayed text around the match, or the title
    # start and end of each matching word in it
    marks: tuple[tuple[int, int], ...] = ()
    # start and end of matching words in the chat's title
    title_marks: tuple[tuple[int, int], ...] = ()
    file: str = ""  # name of the attached file that matches, else ""
    # unit, page: kind of the file's pages, "" for a single piece, and the page from 1
    unit: str = ""
    page: int = 0


_id_lock = threading.Lock()
_last_id = 0
_chance = bytearray()
# otherwise parent and child would create the same ids
os.register_at_fork(after_in_child=_chance.clear)


def new_id() -> str:
    """Return 32 hexadecimal digits that sort by creation time, unique across processes.

    Layout: 48 bits of milliseconds, 80 random bits (as in a ULID). Within a process each is greater
    than the one before, even if the clock is set back.
    """
    global _last_id
    with _id_lock:
        if not _chance:  # in blocks: a branch of 10,000 messages needs as many
            _chance.extend(os.urandom(10 * 128))
        chance = int.from_bytes(_chance[-10:], "big")
        del _chance[-10:]
        _last_id = max((time.time_ns() // 1_000_000) << 80 | chance, _last_id + 1)
        return f"{_last_id:032x}"


LONGEST_NAME, LONGEST_REF, MOST_TAGS = 1_000, 10_000, 50
"""Limits of characters in names and titles, of characters in model references, and of tags.

The list of chats lays out the whole title at each repaint. Users don't type longer ones, but
imported files may contain them.
"""


def is_own_id(given: str) -> bool:
    """Return True if it has the form of `new_id`, which no other name here has."""
    return re.fullmatch("[0-9a-f]{32}", given) is not None


def storable_chat(chat: ChatRecord) -> ChatRecord:
    """Return the chat as it will be read back. Raises TypeError if `params` is not JSON."""
    return replace(
        chat,
        title=storable_text(chat.title[:LONGEST_NAME]),
        model=storable_text(chat.model[:LONGEST_REF]),
        system=storable_text(chat.system),
        draft=storable_text(chat.draft),
        edited_text=storable_text(chat.edited_text),
        variant=storable_text(chat.variant[:LONGEST_NAME]),
        queued=tuple(replace(each, text=storable_text(each.text)) for each in chat.queued),
        params=json.loads(json.dumps(chat.params)),
        tags=tuple(storable_text(tag[:LONGEST_NAME]) for tag in chat.tags[:MOST_TAGS]),
    )


def storable_message(message: Message) -> Message:
    """Return the message as it will be read back. Raises TypeError if `stats` is not JSON."""
    fields = {name: getattr(message, name) for name in ("content", "reasoning", "error")}
    kept: dict[str, Any] = {name: storable_text(text) for name, text in fields.items()}
    fields["model"], kept["model"] = message.model, storable_text(message.model[:LONGEST_NAME])
    if not message.stats and kept == fields:
        return message  # avoid copies: a branch may have ten thousand messages
    return replace(message, **kept, stats=json.loads(json.dumps(message.stats)))


def storable_text(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode and SQLite refuses, by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
