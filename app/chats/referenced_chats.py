"""Access to other chats that the user has attached, and their new messages.

The other chat is attached as a text with one page per message on its selected branch, labeled with
the author. It excludes reasoning, tool calls, file texts and attached chats, so two chats that read
each other don't repeat their own text.

Messages that were read are attachments in this chat's branch, so edits, branches, deletions, undo,
imports and crashes need no special handling.
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
from app.chats.transcript import Transcript, omitted_ids
from app.settings.language import tr
from app.store import AttachedText, Attachment, Attachments, ChatRecord, Message, Store, StoreError
from app.store.attachments import News
from app.store.records import is_own_id
from app.tools.tool import one_line
from engine.text.documents import MAX_CHARACTERS

FOLLOWS = "follows"
"""Key in ``ChatRecord.params`` for followed chats.

The value maps a chat's ID to the number of latest messages to attach at first, or 0 for all.
"""
MOST = 8
_LONGEST_TITLE = 200


class ChatInUse(Protocol):
    @property
    def record(self) -> ChatRecord: ...
    @property
    def transcript(self) -> Transcript: ...


def parse_followed(params: Mapping[str, Any]) -> dict[str, int]:
    followed = params.get(FOLLOWS)
    pairs = followed.items() if isinstance(followed, dict) else ()
    good = [(k, n) for k, n in pairs if is_own_id(k) and type(n) is int and n >= 0]
    return dict(good[:MOST])


class ReferencedChat(Struct, frozen=True):
    id: str
    title: str
    # author ("user" or "assistant") and text of each complete message
    lines: tuple[tuple[str, str], ...] = ()
    writing: bool = False  # a reply is being generated
    gone: str = ""  # why the chat can't be read

    @property
    def unreadable_reason(self) -> str:
        if self.gone:
            return tr("“{name}” can’t be read.", name=self.title)
        return "" if self.lines else tr("This chat is empty.")


def extract_readable(
    chat_id: str, record: ChatRecord | None, path: Iterable[Message]
) -> ReferencedChat:
    """Return the readable part of a chat. ``record`` is None if the chat doesn't exist."""
    title = one_line(record.display_title, _LONGEST_TITLE) if record else ""
    if record is None:
        return ReferencedChat(chat_id, title, gone=tr("no longer there", "a chat"))
    if record.deleted_at is not None:
        return ReferencedChat(chat_id, title, gone=tr("in the Trash", "a chat"))
    lines = list[tuple[str, str]]()
    for message in path:
        if message.status == "streaming":
            return ReferencedChat(chat_id, title, tuple(lines), writing=True)
        files = "\n".join(f"[Attached: {file.name}]" for file in message.attachments)
        text = "\n\n".join(filter(None, (files, message.content)))
        if message.role in {"user", "assistant"} and text.strip():
            lines.append((message.role, text))
    return ReferencedChat(chat_id, title, tuple(lines))


def make_attachment(
    of: ReferencedChat, before: int, news: News = ""
) -> tuple[Attachment, AttachedText]:
    lines = of.lines[before:]
    text = AttachedText("message", tuple(t for _, t in lines), tuple(who for who, _ in lines))
    count = sum(len(t) for _, t in lines)
    attachment = Attachment(of.title, "chat", text.hash, "message", len(lines), count)
    return replace(attachment, chat=of.id, before=before, news=news), text


class _Read(Struct):
    before: int
    lines: list[tuple[str, str]]


def _find_news(of: ReferencedChat, read: _Read | None, last: int) -> tuple[int, News] | None:
    """Return the index of the first new message and the kind of news, or None.

    ``last`` is described at `FOLLOWS`.
    """
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
        return None  # unchanged, or an earlier reply is being regenerated
    if same == len(read.lines):
        return read.before + same, "new"
    return read.before + min(same, len(now) - 1), "changed"


class ReferencedChats:
    def __init__(self, saved: SavedChat, store: Store, in_use: Mapping[str, ChatInUse]) -> None:
        """``in_use`` has the open chats by ID and is updated in place."""
        self._saved = saved
        self._store = store
        self._in_use = in_use
        self._cache: dict[str, tuple[ChatRecord | None, Message | None, ReferencedChat]] = {}
        # last known state of each followed chat, and the attachment for the next message
        self.seen: dict[str, tuple[ReferencedChat, Attachment | None]] = {}

    @property
    def followed_chats(self) -> dict[str, int]:
        return parse_followed(self._saved.record.params)

    def follow(self, chat_id: str, last: int | None) -> None:
        """Attach a chat's new messages to every message from now on. None stops following."""
        follows = {key: n for key, n in self.followed_chats.items() if key != chat_id}
        if last is not None and len(follows) < MOST:
            follows[chat_id] = last
        params = {k: v for k, v in self._saved.record.params.items() if k != FOLLOWS}
        self._saved.change_record(params=params | ({FOLLOWS: follows} if follows else {}))
        self._saved.save_record()
        self.seen.pop(chat_id, None)

    def now(self, chat_id: str) -> ReferencedChat:
        """Return the current state of a chat.

        Messages are only read from disk if the chat isn't open and has changed since the last call.
        """
        chat = self._in_use.get(chat_id)
        if chat is not None:
            return extract_readable(chat_id, chat.record, chat.transcript.path)
        return self._stored(chat_id)

    def _stored(self, chat_id: str, stop: threading.Event | None = None) -> ReferencedChat:
        try:
            record, leaf = self._store.chat_and_last_message(chat_id)
            entry = self._cache.get(chat_id)
            if entry is None or entry[:2] != (record, leaf):
                referenced_chat = extract_readable(chat_id, record, self._store.path(chat_id))
                entry = self._cache[chat_id] = (record, leaf, referenced_chat)
            return entry[2]
        except StoreError as error:  # damaged chat; send the message without it
            return ReferencedChat(chat_id, "", gone=error.message)

    async def read_now(self, chat_id: str) -> ReferencedChat:
        """Return the current state of a chat. A worker thread reads it from disk."""
        if chat_id not in self._in_use:
            await flows.run_in_thread(partial(self._stored, chat_id))
        return self.now(chat_id)

    def add_news(self, files: Attachments, path: Sequence[Message]) -> Attachments:
        """Return the files for a message after ``path``, with news of followed chats added.

        An attachment of an entire followed chat is replaced with the chat's current messages.
        """
        # a broadcast may have attached this chat to itself
        message_files = [f for f in files if f.chat != self._saved.record.id]
        if not self.followed_chats:
            return tuple(message_files)
        unseen = omitted_ids([*path, *path[-1:]]) if path else ()
        earlier = [f for m in path if m.id not in unseen for f in m.attachments if f.chat]
        for chat_id, last in self.followed_chats.items():
            of = self.now(chat_id)
            if not of.title:
                titles = (f.name for f in reversed(earlier) if f.chat == chat_id)
                of = structs.replace(of, title=next(titles, tr("Deleted chat")))
            self.seen[chat_id] = (of, None)
            if not of.lines:
                continue
            chat_files = [f for f in message_files if f.chat == chat_id]
            cut = [f for f in chat_files if f.use != "all"]  # the user picked a part of the chat
            old = next((f for f in chat_files if not f.news and f.use == "all"), None)
            position = message_files.index(chat_files[0]) if chat_files else len(message_files)
            message_files = [f for f in message_files if f not in chat_files or f in cut]
            read = self._read([*earlier, *cut], chat_id)
            new = _find_news(of, read, last)
            if old is not None:
                new = min(old.before, len(of.lines) - 1), ""
            if new is not None:
                attachment, text = make_attachment(of, *new)
                if attachment.characters > MAX_CHARACTERS:
                    self.seen[chat_id] = (structs.replace(of, gone=tr("too long", "a chat")), None)
                    continue
                self._saved.keep_text_in_memory(text)
                message_files.insert(position + len(cut), attachment)
                self.seen[chat_id] = (of, attachment)
        return tuple(message_files)

    def _read(self, files: Iterable[Attachment], chat_id: str) -> _Read | None:
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
