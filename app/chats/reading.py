"""What a chat reads of others, by a person's consent: sources of its messages, and what is new.

A source is an attached text whose pages are messages of the branch that the other chat shows: who
said it, and what. Its reasoning, its calls of tools and the texts of its files are not in it, nor
is what it has read itself: two chats that read each other do not hand each other's words back.

What was read so far stands in the sources on the chat's own branch, and nowhere else. So edits,
branches, deletions, undo, imports and crashes need no books of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from msgspec import Struct, structs

from app import flows
from app.chats.saved_chat import SavedChat
from app.chats.transcript import Transcript, left_out
from app.settings.language import tr
from app.store import AttachedText, Attachment, Attachments, ChatRecord, Message, Store, StoreError
from app.store.attachments import News
from app.store.records import is_own_id
from app.tools.tool import clean
from engine.text.documents import MOST_CHARACTERS

FOLLOWS = "follows"
"""The name in ``ChatRecord.params`` of the chats that are followed: the id of each, and how many of
its last messages are read at first, 0 for all."""
MOST = 8
_LONGEST_TITLE = 200


class InUse(Protocol):
    """What is needed of a chat that is in use: `app.chats.chat.Chat`."""

    @property
    def record(self) -> ChatRecord: ...
    @property
    def transcript(self) -> Transcript: ...


def follows_in(params: Mapping[str, Any]) -> dict[str, int]:
    """The chats that are followed, as `FOLLOWS` says; what makes no sense is left out."""
    given = params.get(FOLLOWS)
    pairs = given.items() if isinstance(given, dict) else ()
    good = [(k, n) for k, n in pairs if is_own_id(k) and type(n) is int and n >= 0]
    return dict(good[:MOST])


class Other(Struct, frozen=True):
    """Another chat as it can be read now."""

    id: str
    title: str
    # who says it ("user" or "assistant"), and what, of each message that is complete
    lines: tuple[tuple[str, str], ...] = ()
    writing: bool = False  # whether a reply is being written after them
    gone: str = ""  # why it cannot be read, as a few words; "" where it can

    @property
    def why_not(self) -> str:
        """Why nothing of it can be read, as a sentence; "" where something can."""
        if self.gone:
            return tr("“{name}” cannot be read.", name=self.title)
        return "" if self.lines else tr("This chat is empty.")


def other(chat_id: str, record: ChatRecord | None, path: Iterable[Message]) -> Other:
    """``record``: None where the chat is not there; ``path``: its branch that is shown."""
    title = clean(record.shown_title, lines=False, most=_LONGEST_TITLE) if record else ""
    if record is None:
        return Other(chat_id, title, gone=tr("no longer there", "a chat"))
    if record.deleted_at is not None:
        return Other(chat_id, title, gone=tr("in the Trash", "a chat"))
    lines = list[tuple[str, str]]()
    for message in path:
        if message.status == "streaming":
            return Other(chat_id, title, tuple(lines), writing=True)
        files = "\n".join(f"[Attached: {each.name}]" for each in message.attachments)
        text = "\n\n".join(filter(None, (files, message.content)))
        if message.role in {"user", "assistant"} and text.strip():
            lines.append((message.role, text))
    return Other(chat_id, title, tuple(lines))


def source(of: Other, before: int, news: News = "") -> tuple[Attachment, AttachedText]:
    """All that stands in it after so many messages."""
    said = of.lines[before:]
    text = AttachedText("message", tuple(t for _, t in said), tuple(who for who, _ in said))
    count = sum(len(t) for _, t in said)
    made = Attachment(of.title, "chat", text.hash, "message", len(said), count)
    return replace(made, chat=of.id, before=before, news=news), text


class _Read(Struct):
    """What a chat has read of another: so many messages were left out, and then these came."""

    before: int
    lines: list[tuple[str, str]]


def _what_is_new(of: Other, read: _Read | None, last: int) -> tuple[int, News] | None:
    """From where on, and how; None for nothing. ``last``: as in `FOLLOWS`."""
    if not of.lines:
        return None
    if read is None or read.before >= len(of.lines):
        if read is not None and of.writing:
            return None
        return max(0, len(of.lines) - last) if last else 0, "changed" if read else ""
    now = of.lines[read.before :]
    pairs = enumerate(zip(now, read.lines, strict=False))
    same = next((n for n, (a, b) in pairs if a != b), min(len(now), len(read.lines)))
    if same == len(now) and (same == len(read.lines) or of.writing):
        return None  # or a reply is being written anew: what it is is not known yet
    if same == len(read.lines):
        return read.before + same, "new"
    return read.before + min(same, len(now) - 1), "changed"


class Others:
    """The chats that one chat reads."""

    def __init__(self, saved: SavedChat, store: Store, in_use: Mapping[str, InUse]) -> None:
        """``in_use``: the chats that are in use, by their ids; it changes."""
        self._saved = saved
        self._store = store
        self._in_use = in_use
        self._known: dict[str, tuple[ChatRecord | None, Message | None, Other]] = {}
        # what was found of each that is followed when that was looked at last, and what of it the
        # next message brings
        self.seen: dict[str, tuple[Other, Attachment | None]] = {}

    @property
    def follows(self) -> dict[str, int]:
        """As `FOLLOWS`."""
        return follows_in(self._saved.record.params)

    def follow(self, chat_id: str, last: int | None) -> None:
        """Read what is new of it with each message; None: no longer."""
        follows = {key: n for key, n in self.follows.items() if key != chat_id}
        if last is not None and len(follows) < MOST:
            follows[chat_id] = last
        kept = {k: v for k, v in self._saved.record.params.items() if k != FOLLOWS}
        self._saved.change(params=kept | ({FOLLOWS: follows} if follows else {}))
        self._saved.keep()
        self.seen.pop(chat_id, None)

    def now(self, chat_id: str) -> Other:
        """A chat as it is now. Of one that is in use nothing is read from the disk, and of another
        one little where `look` was called since it was changed.
        """
        chat = self._in_use.get(chat_id)
        if chat is not None:
            return other(chat_id, chat.record, chat.transcript.path)
        return self._stored(chat_id)

    def _stored(self, chat_id: str, stop: threading.Event | None = None) -> Other:
        try:
            record, leaf = self._store.tip(chat_id)
            known = self._known.get(chat_id)
            if known is None or known[:2] != (record, leaf):
                found = other(chat_id, record, self._store.path(chat_id))
                known = self._known[chat_id] = (record, leaf, found)
            return known[2]
        except StoreError as error:  # of a damaged file the message goes without it
            return Other(chat_id, "", gone=error.message)

    async def look(self, chat_id: str) -> Other:
        """As `now`, but what has to be read is read on a thread."""
        if chat_id not in self._in_use:
            await flows.aside(partial(self._stored, chat_id))
        return self.now(chat_id)

    def with_news(self, files: Attachments, path: Sequence[Message]) -> Attachments:
        """The files of a message that is to follow ``path``, with what is new in the chats that are
        followed. A source among them that is read whole is as that chat is now.
        """
        found = [f for f in files if f.chat != self._saved.record.id]  # they came by a broadcast
        if not self.follows:
            return tuple(found)
        unseen = left_out([*path, *path[-1:]]) if path else ()
        said = [f for m in path if m.id not in unseen for f in m.attachments if f.chat]
        for chat_id, last in self.follows.items():
            of = self.now(chat_id)
            if not of.title:  # it was erased
                named = (f.name for f in reversed(said) if f.chat == chat_id)
                of = structs.replace(of, title=next(named, tr("Deleted chat")))
            self.seen[chat_id] = (of, None)
            if not of.lines:
                continue
            mine = [f for f in found if f.chat == chat_id]
            cut = [f for f in mine if f.use != "all"]  # a person has chosen what of it is given
            begun = next((f for f in mine if not f.news and f.use == "all"), None)
            place = found.index(mine[0]) if mine else len(found)
            found = [f for f in found if f not in mine or f in cut]
            read = self._read([*said, *cut], chat_id)
            new = _what_is_new(of, read, last)
            if begun is not None:
                new = min(begun.before, len(of.lines) - 1), ""
            if new is not None:
                made, text = source(of, *new)
                if made.characters > MOST_CHARACTERS:
                    self.seen[chat_id] = (structs.replace(of, gone=tr("too long", "a chat")), None)
                    continue
                self._saved.hold(text)
                found.insert(place + len(cut), made)
                self.seen[chat_id] = (of, made)
        return tuple(found)

    def _read(self, files: Iterable[Attachment], chat_id: str) -> _Read | None:
        """What these sources say of a chat, one after the other."""
        read: _Read | None = None
        for file in files:
            if file.chat != chat_id or (text := self._saved.text(file.hash)) is None:
                continue
            lines = list(zip(text.labels, text.pages, strict=False))
            at = file.before - read.before if read is not None and file.news else -1
            if read is not None and 0 <= at <= len(read.lines):
                read.lines[at:] = lines
            else:
                read = _Read(file.before, lines)
        return read
