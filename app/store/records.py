"""What is stored: chats, and messages that form a tree."""

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
"""What is shown for a chat without a title, once it has gone through `tr`."""
_BEGINNING = 1_000
"""Characters of a draft that are looked at for its name: it is asked for with every key."""


def title_from(text: str, longest: int = 48) -> str:
    """A chat's title from its first message: the first line, cut between words."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = " ".join(line.lstrip("#>*-` ").split()) or line
    if len(line) <= longest:
        return line
    head = line[:longest]
    at = head.rfind(" ")
    return (head[:at] if at > longest // 2 else head).rstrip(" ,.;:") + "…"


class ChatRecord(Struct, frozen=True):
    """One conversation and how to answer in it."""

    id: str  # from `new_id()`
    title: str = ""  # what the sidebar shows; may be empty
    model: str = ""  # path of the model's folder; empty when none was chosen
    system: str = ""  # the system prompt; may be empty
    # sampling parameters and the like, anything JSON can hold
    params: dict[str, Any] = field(default_factory=dict)
    draft: str = ""  # what stands unsent in the composer
    # created_at, updated_at: seconds since the epoch; `updated_at` orders the sidebar
    created_at: float = field(default_factory=time.time)
    updated_at: float = field(default_factory=time.time)
    deleted_at: float | None = None  # when it was deleted (it can be restored), else None
    leaf_id: str | None = None  # the last message of the branch that is shown, else None
    edited_id: str | None = None  # the message that is being asked in other words, else None
    edited_text: str = ""  # those words so far
    folder_id: str | None = None  # the folder that it lies in, else None
    # pinned_at, archived_at: when it was pinned or put into the archive, else None
    pinned_at: float | None = None
    archived_at: float | None = None
    tags: tuple[str, ...] = ()  # words that it is found by, each once
    # who gave it its title: "person", "model", or "" for the first message's words
    titled_by: str = ""
    # draft_attachments, edited_attachments: the files that go with the draft, and those with the
    # message that is being asked in other words
    draft_attachments: Attachments = ()
    edited_attachments: Attachments = ()
    # the comparison or broadcast that it is one of several chats of, else None
    group_id: str | None = None
    # what it differs in from the others of its group: a model, a seed; may be empty
    variant: str = ""
    # what waits to be sent, the first in front. `edited_id` may be one of these, too.
    queued: tuple[Queued, ...] = ()

    @property
    def shown_title(self) -> str:
        """What stands where its title would, where the others of its group do not stand beside it.

        One that has none yet is told from others by what stands in its composer.
        """
        files = self.draft_attachments
        waits = title_from(self.draft[:_BEGINNING]) or (files[0].name if files else "")
        title = self.title or waits or tr(UNTITLED)
        grouped = self.group_id is not None and self.variant
        return tr("{title} – {model}", title=title, model=self.variant) if grouped else title


class Folder(Struct, frozen=True):
    """A place for chats. One with a `parent_id` lies within that folder, and holds none itself."""

    id: str
    name: str
    parent_id: str | None = None


class Message(Struct, frozen=True):
    """One turn's text. `parent_id` is the message it follows; None begins a branch at the root.

    `status` is "streaming" while its reply runs; what is left so when the program dies becomes
    "interrupted" at the next start. `error` is the sentence shown where the answer would stand.
    `attachments` are the files that go with it, in the order in which the model reads them.
    With `deleted_at` it is out of the chat, as is all that follows it, and may come back.
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
    """A place where the words were found; `message_id` is None when it was the chat's title."""

    chat_id: str
    message_id: str | None
    snippet: str  # the words around the place as they are shown, or the title
    # where the words that were looked for stand in it, each a begin and an end
    marks: tuple[tuple[int, int], ...] = ()
    # where they stand in the chat's title, if that has them, too
    title_marks: tuple[tuple[int, int], ...] = ()
    file: str = ""  # the name of the message's file in which they were found, "" for none
    # unit, page: what the file's pages are called, "" for one piece, and which it is, from 1
    unit: str = ""
    page: int = 0


_id_lock = threading.Lock()
_last_id = 0
_chance = bytearray()
os.register_at_fork(after_in_child=_chance.clear)  # or both would make the same ids


def new_id() -> str:
    """32 hexadecimal digits that sort by time of making; unique, also between processes.

    Layout: 48 bits of milliseconds, 80 random bits (as a ULID). Within one process each is
    greater than the one before, even when the clock steps back.
    """
    global _last_id
    with _id_lock:
        if not _chance:  # asked for by the hundred: a branch of 10,000 messages wants as many
            _chance.extend(os.urandom(10 * 128))
        chance = int.from_bytes(_chance[-10:], "big")
        del _chance[-10:]
        _last_id = max((time.time_ns() // 1_000_000) << 80 | chance, _last_id + 1)
        return f"{_last_id:032x}"


LONGEST_NAME, LONGEST_REF, MOST_TAGS = 1_000, 10_000, 50
"""Of titles and other names, and of models' references, in characters: the list of chats lays all
of a title out each time it is painted. Nobody writes longer ones; files of chats may hold them."""


def is_own_id(given: str) -> bool:
    """Whether it has the form of `new_id`. Nothing else that names things here looks like that."""
    return re.fullmatch("[0-9a-f]{32}", given) is not None


def storable_chat(chat: ChatRecord) -> ChatRecord:
    """The chat as it will be read back. Raises TypeError when `params` is not JSON."""
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
    """The message as it will be read back. Raises TypeError when `stats` is not JSON."""
    fields = {name: getattr(message, name) for name in ("content", "reasoning", "error")}
    kept: dict[str, Any] = {name: storable_text(text) for name, text in fields.items()}
    fields["model"], kept["model"] = message.model, storable_text(message.model[:LONGEST_NAME])
    if not message.stats and kept == fields:
        return message  # a branch of ten thousand messages makes ten thousand of these
    return replace(message, **kept, stats=json.loads(json.dumps(message.stats)))


def storable_text(text: str) -> str:
    """Lone surrogates have no UTF-8 and SQLite refuses them: they become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
