"""One chat's message tree and the path through it that is shown. No Qt, no store."""

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


class Removal(Struct, frozen=True):
    """Messages taken out of a chat, parents first, and the end of the path shown before.

    ``editing``: one of them was being edited, so far.
    """

    messages: tuple[Message, ...]
    leaf_id: str | None
    editing: Editing | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    @property
    def followed(self) -> str:
        """The id of the message before them; empty at the chat's beginning."""
        return self.messages[0].parent_id or ""


class Transcript:
    """The messages of one chat.

    Edit, regenerate and branch add siblings and never change or drop what is there. The shown path
    runs from a root to ``leaf_id``.
    """

    def __init__(self, messages: Iterable[Message] = (), leaf_id: str | None = None) -> None:
        self._messages: dict[str, Message] = {}
        self._children: dict[str | None, list[str]] = {}
        self.reset(messages, leaf_id)

    def reset(self, messages: Iterable[Message], leaf_id: str | None) -> None:
        """Replace all messages."""
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
        """The last shown message; None where nothing was said."""
        return self._messages.get(self.leaf_id or "")

    @property
    def path(self) -> list[Message]:
        """The shown messages, first to last."""
        return self.path_to(self.leaf_id)

    def path_to(self, message_id: str | None) -> list[Message]:
        """The messages from the root to ``message_id``, both included."""
        path = list(self.back_from(message_id))
        path.reverse()
        return path

    def backwards(self) -> Iterator[Message]:
        """The shown messages, last to first; for who need not see them all."""
        return self.back_from(self.leaf_id)

    def add(self, message: Message) -> None:
        """Append a message; it becomes the end of the shown path."""
        self._insert(message)
        self.leaf_id = message.id

    def update(self, message_id: str, **changes: Any) -> Message:
        """Replace fields of a message; returns it as it is now."""
        message = replace(self._messages[message_id], **changes)
        self._messages[message_id] = message
        return message

    def children(self, message_id: str | None) -> list[Message]:
        """What follows a message, oldest first; with None the first messages of all versions."""
        return [self._messages[each] for each in self._children.get(message_id, ())]

    def followers(self, message_id: str | None) -> Sequence[str]:
        """The ids of `children`."""
        return self._children.get(message_id, ())

    def through(self, message_id: str) -> list[Message]:
        """The path that `show` would lead through this message; the shown one if it holds it."""
        path = self.path
        if any(message.id == message_id for message in path):
            return path
        return self.path_to(self._newest_leaf(message_id))

    def alternatives(self, message_id: str) -> list[str]:
        """The message and its siblings, oldest first."""
        return list(self._children[self._messages[message_id].parent_id])

    def show(self, message_id: str) -> None:
        """Lead the path through this message, on to the newest message below it."""
        self.leaf_id = self._newest_leaf(message_id)

    def remove(self, message_id: str) -> list[Message]:
        """Take a message and all that follows it out of the tree; returns them, parents first.

        The path then shows the nearest alternative, or ends at the message before.
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
        """Put back what ``remove`` took out, in its old place among its siblings."""
        for message in messages:
            self._insert(message)
            self._children[message.parent_id].sort()  # ids sort by time of making
        self.leaf_id = leaf_id

    def _below(self, message_id: str) -> list[Message]:
        found = [message_id]
        for each in found:
            found.extend(self._children.get(each, ()))
        return [self._messages[each] for each in found]

    def last(self, role: str) -> Message | None:
        """The last message of that role on the shown path."""
        return next((m for m in self.backwards() if m.role == role), None)

    def back_from(self, message_id: str | None) -> Iterator[Message]:
        """``path_to``, last to first; for who need not see them all."""
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
    """The path as the engine takes it: role and content of each turn, the system prompt first.

    With `continuing` the last message is an answer that is to be gone on with; its reasoning
    belongs to it. `texts` gives those of attached files, and `images` those; without it, and of
    recordings where it does not hear, the model reads that there was one.

    An answer that never began is left out and the questions around it become one turn: templates
    that insist on alternating roles would refuse them otherwise. What did not fit is left out, too:
    see `left_out`. An answer that called tools is followed by a result for each call.
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
        said = content(message.content, message.attachments, texts, images, hears=hears)
        if turns and message.role == "user" and turns[-1]["role"] == "user":
            turns[-1]["content"] = joined(turns[-1]["content"], said)
        else:
            turns.append({"role": message.role, "content": said})
    calls.end()
    if begun is not None:
        turns.append({"role": "assistant", "content": begun.content})
        if begun.reasoning:
            turns[-1]["reasoning_content"] = begun.reasoning
    return turns


def did_not_fit(message: Message) -> bool:
    """Whether it is an answer that failed because the model's context could not take it all."""
    return message.status == "error" and message.stats.get("code") == "context_overflow"


def left_out(path: Sequence[Message]) -> frozenset[str]:
    """The ids of the questions that did not fit, once the chat has gone on after them.

    Without this each later turn would fail as they did.
    """
    answered = zip(path, path[1:], path[2:], strict=False)
    return frozenset(question.id for question, answer, _ in answered if did_not_fit(answer))


def tokens_of_last_turn(transcript: Transcript) -> tuple[int, int]:
    """How many tokens the last turn took and how many of them were reused; 0 if unknown."""
    # An answer that is being written has no figures yet: those before it stay.
    latest = islice(transcript.backwards(), 100)
    stats = next((m.stats for m in latest if m.stats.get("prompt_tokens")), {})
    used = int(stats.get("prompt_tokens", 0)) + int(stats.get("generated_tokens", 0))
    return used, int(stats.get("reused_tokens", 0))


def branch(store: Store, chat: ChatRecord, transcript: Transcript, message_id: str) -> ChatRecord:
    """Store a copy of the chat up to a message and return it.

    From an answer it goes on after that answer. From a person's message it ends before it, and the
    message stands in the composer, to be asked in other words.
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
    with store.together():  # a crash leaves no half of a copy
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
    """What the copy is called: "Branch: Trees", then "Branch 2: Trees", and so on.

    A tab and the sidebar have room for how it begins.
    """
    first, later = mark("Branch: {title}"), mark("Branch {number}: {title}")
    for text in (later, first):
        pattern = re.escape(tr(text)).replace(r"\{title\}", "(?P<title>.*)")
        found = re.fullmatch(pattern.replace(r"\{number\}", r"(?P<number>\d+)"), title)
        if found is not None:
            past = int(found.groupdict().get("number") or 1)
            return tr(later, title=found["title"], number=past + 1)
    return tr(first, title=title or tr(UNTITLED))
