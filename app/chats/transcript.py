"""Message tree of a chat, and the path that is shown. No Qt, no store."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.chats.attached import Texts
from app.chats.images import Images, content, joined
from app.chats.tool_call import OpenCalls, turn_with_calls
from app.chats.turn import Editing
from app.settings.language import mark, tr
from app.store import UNTITLED, ChatRecord, Message, Store, new_id


class RemovedMessages(Struct, frozen=True):
    """Messages removed from a chat, parents first, and the end of the path before that.

    ``editing``: the edit of one of them, if there was one.
    """

    messages: tuple[Message, ...]
    leaf_id: str | None
    editing: Editing | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    @property
    def followed(self) -> str:
        """Return the id of the message before them, or ""."""
        return self.messages[0].parent_id or ""


class Transcript:
    """Messages of one chat.

    Editing, regenerating and branching add siblings and never change existing messages. The shown
    path runs from a root to ``leaf_id``.
    """

    def __init__(self, messages: Iterable[Message] = (), leaf_id: str | None = None) -> None:
        self._messages: dict[str, Message] = {}
        self._children: dict[str | None, list[str]] = {}
        self.reset(messages, leaf_id)

    def reset(self, messages: Iterable[Message], leaf_id: str | None) -> None:
        self._messages, self._children = {}, {}
        for message in messages:
            if message.deleted_at is None:
                self._insert(message)
        self.leaf_id = leaf_id if leaf_id in self._messages else self._newest_leaf(None)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._messages

    def __getitem__(self, message_id: str) -> Message:
        return self._messages[message_id]

    def get(self, message_id: str) -> Message | None:
        return self._messages.get(message_id)

    @property
    def leaf(self) -> Message | None:
        """Return the last shown message, or None."""
        return self._messages.get(self.leaf_id or "")

    @property
    def path(self) -> list[Message]:
        """Return the shown messages, first to last."""
        return self.path_to(self.leaf_id)

    def path_to(self, message_id: str | None) -> list[Message]:
        """Return the messages from the root to ``message_id``, inclusive."""
        path = list(self.back_from(message_id))
        path.reverse()
        return path

    def backwards(self) -> Iterator[Message]:
        """Iterate over the shown messages, last to first."""
        return self.back_from(self.leaf_id)

    def add(self, message: Message) -> None:
        """Append a message. It becomes the end of the shown path."""
        self._insert(message)
        self.leaf_id = message.id

    def update(self, message_id: str, **changes: Any) -> Message:
        """Replace fields of a message, and return the new message."""
        message = replace(self._messages[message_id], **changes)
        self._messages[message_id] = message
        return message

    def children(self, message_id: str | None) -> list[Message]:
        """Return the messages after a message, oldest first. None: all first messages."""
        return [self._messages[each] for each in self._children.get(message_id, ())]

    def followers(self, message_id: str | None) -> Sequence[str]:
        """Return the ids of `children`."""
        return self._children.get(message_id, ())

    def through(self, message_id: str) -> list[Message]:
        """Return the path that `show` would select; the shown one if it has this message."""
        path = self.path
        if any(message.id == message_id for message in path):
            return path
        return self.path_to(self._newest_leaf(message_id))

    def alternatives(self, message_id: str) -> list[str]:
        """Return the ids of the message and its siblings, oldest first."""
        return list(self._children[self._messages[message_id].parent_id])

    def show(self, message_id: str) -> None:
        """Show the path through this message to the newest message below it."""
        self.leaf_id = self._newest_leaf(message_id)

    def remove(self, message_id: str) -> list[Message]:
        """Remove a message and all that follow it, and return them, parents first.

        The path then leads to the nearest sibling, or ends at the message before.
        """
        siblings = self._children[self._messages[message_id].parent_id]
        at = siblings.index(message_id)
        removed = self._below(message_id)
        for message in removed:
            del self._messages[message.id]
            self._children.pop(message.id, None)
        siblings.pop(at)
        if self.leaf_id not in self._messages:
            if siblings:
                self.show(siblings[max(0, at - 1)])
            else:
                self.leaf_id = removed[0].parent_id
        return removed

    def restore(self, messages: Iterable[Message], leaf_id: str | None) -> None:
        """Restore what ``remove`` returned, with its old place among its siblings."""
        for message in messages:
            self._insert(message)
            self._children[message.parent_id].sort()  # ids sort by creation time
        self.leaf_id = leaf_id

    def _below(self, message_id: str) -> list[Message]:
        found = [message_id]
        for each in found:
            found.extend(self._children.get(each, ()))
        return [self._messages[each] for each in found]

    def last(self, role: str) -> Message | None:
        """Return the last message of a role on the shown path, or None."""
        return next((m for m in self.backwards() if m.role == role), None)

    def back_from(self, message_id: str | None) -> Iterator[Message]:
        """Iterate over the path to a message, last to first."""
        messages = self._messages
        while message_id is not None and (message := messages.get(message_id)) is not None:
            yield message
            message_id = message.parent_id

    def _insert(self, message: Message) -> None:
        self._messages[message.id] = message
        self._children.setdefault(message.parent_id, []).append(message.id)

    def _newest_leaf(self, message_id: str | None) -> str | None:
        while children := self._children.get(message_id):
            message_id = children[-1]
        return message_id


def conversation(
    path: Iterable[Message],
    system: str,
    *,
    continuing: bool = False,
    texts: Texts = lambda _: None,
    images: Images | None = None,
    hears: bool = False,
) -> list[dict[str, Any]]:
    """Return the path as the engine's messages, the system prompt first.

    An answer without text is left out, and the questions around it become one turn, since some
    templates require alternating roles. Messages that did not fit are left out, see `left_out`. An
    answer with tool calls is followed by a result for each call.

    Args:
        continuing: the last message is an answer to continue, with its reasoning.
        texts: returns the texts of attached files.
        images: returns images and recordings. Without it, the model gets notes instead.
        hears: False replaces recordings by notes.
    """
    turns: list[dict[str, Any]] = [{"role": "system", "content": system}] if system.strip() else []
    messages = list(path)
    without = left_out(messages)
    begun = messages.pop() if continuing and messages else None
    calls = OpenCalls(turns)
    for message in messages:
        if message.role == "tool":
            calls.take(message, message.id in without)
            continue
        calls.end()
        if (turn := turn_with_calls(message)) is not None:
            turns.append(turn)
            calls.begin(turn)
            continue
        if message.id in without or (message.role == "assistant" and not message.content):
            continue
        parts = content(message.content, message.attachments, texts, images, hears=hears)
        if turns and message.role == "user" and turns[-1]["role"] == "user":
            turns[-1]["content"] = joined(turns[-1]["content"], parts)
        else:
            turns.append({"role": message.role, "content": parts})
    calls.end()
    if begun is not None:
        turns.append({"role": "assistant", "content": begun.content})
        if begun.reasoning:
            turns[-1]["reasoning_content"] = begun.reasoning
    return turns


def did_not_fit(message: Message) -> bool:
    """Return True if an answer failed because the chat exceeded the model's context."""
    return message.status == "error" and message.stats.get("code") == "context_overflow"


def left_out(path: Sequence[Message]) -> frozenset[str]:
    """Return the ids of questions that did not fit and were followed by others.

    Otherwise each later turn would fail, too.
    """
    answered = zip(path, path[1:], path[2:], strict=False)
    return frozenset(question.id for question, answer, _ in answered if did_not_fit(answer))


def tokens_of_last_turn(transcript: Transcript) -> tuple[int, int]:
    """Return the tokens of the last turn, and how many of them were reused; 0 if unknown."""
    # An answer in progress has no figures, so use the one before.
    latest = islice(transcript.backwards(), 100)
    stats = next((m.stats for m in latest if m.stats.get("prompt_tokens")), {})
    used = int(stats.get("prompt_tokens", 0)) + int(stats.get("generated_tokens", 0))
    return used, int(stats.get("reused_tokens", 0))


def branch(store: Store, chat: ChatRecord, transcript: Transcript, message_id: str) -> ChatRecord:
    """Store a copy of the chat up to a message, and return it.

    The copy ends with that message if it is an answer. A user message is put into its composer
    instead.
    """
    last = transcript[message_id]
    copied = transcript.path_to(message_id)
    if last.role == "user":
        copied = copied[:-1]
    now = time.time()
    made = replace(
        chat,
        id=new_id(),
        title=_title(chat.title),
        draft=last.content if last.role == "user" else "",
        created_at=now,
        updated_at=now,
        leaf_id=None,
        edited_id=None,
        edited_text="",
        draft_attachments=last.attachments if last.role == "user" else (),
        edited_attachments=(),
        queued=(),
        group_id=None,
        variant="",
    )
    with store.together():  # a crash must not leave half of a copy
        store.save_chat(made)
        parent: Message | None = None
        for message in copied:
            parent = replace(
                message,
                id=new_id(),
                chat_id=made.id,
                parent_id=parent.id if parent is not None else None,
            )
            store.save_message(parent)
        leaf = parent.id if parent is not None else None
        store.set_leaf(made.id, leaf)
    return replace(made, leaf_id=leaf)


def _title(title: str) -> str:
    """Return the title of a copy: "Branch: Trees", then "Branch 2: Trees".

    Tabs and the sidebar show only the beginning.
    """
    first, later = mark("Branch: {title}"), mark("Branch {number}: {title}")
    for text in (later, first):
        pattern = re.escape(tr(text)).replace(r"\{title\}", "(?P<title>.*)")
        found = re.fullmatch(pattern.replace(r"\{number\}", r"(?P<number>\d+)"), title)
        if found is not None:
            past = int(found.groupdict().get("number") or 1)
            return tr(later, title=found["title"], number=past + 1)
    return tr(first, title=title or tr(UNTITLED))
