"""Message tree of a chat and its selected branch."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.chats.attachment_texts import Texts
from app.chats.images import Images, build_content, concatenate
from app.chats.tool_call import OpenCalls, turn_with_calls
from app.chats.turn import MessageEdit
from app.settings.language import mark, tr
from app.store import UNTITLED, ChatRecord, Message, Store, new_id, stored_number


class RemovedMessages(Struct, frozen=True):
    """Messages removed from a chat (parents first), and the leaf that was selected.

    ``editing`` is the user's edit of a removed message.
    """

    messages: tuple[Message, ...]
    leaf_id: str | None
    editing: MessageEdit | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    @property
    def parent_id(self) -> str:
        return self.messages[0].parent_id or ""


class Transcript:
    """Messages of a chat.

    Editing, regenerating and branching only add siblings, so the text that a user wrote never
    changes. The selected branch ends at ``leaf_id``.
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
        return self._messages.get(self.leaf_id or "")

    @property
    def path(self) -> list[Message]:
        return self.path_to(self.leaf_id)

    def path_to(self, message_id: str | None) -> list[Message]:
        path = list(self.iterate_back_from(message_id))
        path.reverse()
        return path

    def iterate_back(self) -> Iterator[Message]:
        return self.iterate_back_from(self.leaf_id)

    def add(self, message: Message) -> None:
        self._insert(message)
        self.leaf_id = message.id

    def update(self, message_id: str, **changes: Any) -> Message:
        message = replace(self._messages[message_id], **changes)
        self._messages[message_id] = message
        return message

    def children(self, message_id: str | None) -> list[Message]:
        return [self._messages[child_id] for child_id in self._children.get(message_id, ())]

    def child_ids(self, message_id: str | None) -> Sequence[str]:
        return self._children.get(message_id, ())

    def branch_through(self, message_id: str) -> list[Message]:
        """Return the selected branch if the message is on it, else the one `show` would select."""
        path = self.path
        if any(message.id == message_id for message in path):
            return path
        return self.path_to(self._newest_leaf(message_id))

    def alternatives(self, message_id: str) -> list[str]:
        return list(self._children[self._messages[message_id].parent_id])

    def show(self, message_id: str) -> None:
        """Select the branch through this message that ends at the newest message."""
        self.leaf_id = self._newest_leaf(message_id)

    def remove(self, message_id: str) -> list[Message]:
        """Remove a message and all messages below it, and return them, parents first.

        This selects the nearest sibling, or ends the branch at the parent.
        """
        siblings = self._children[self._messages[message_id].parent_id]
        at = siblings.index(message_id)
        removed = self._messages_below(message_id)
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
        for message in messages:
            self._insert(message)
            self._children[message.parent_id].sort()
        self.leaf_id = leaf_id

    def _messages_below(self, message_id: str) -> list[Message]:
        ids = [message_id]
        for child_id in ids:
            ids.extend(self._children.get(child_id, ()))
        return [self._messages[child_id] for child_id in ids]

    def last(self, role: str) -> Message | None:
        return next((m for m in self.iterate_back() if m.role == role), None)

    def iterate_back_from(self, message_id: str | None) -> Iterator[Message]:
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
    """Return a branch in the engine's message format, starting with the system prompt.

    Answers without text are skipped and the questions around them merged, because some templates
    require alternating roles. Questions that didn't fit are skipped, too (see `omitted_ids`). Every
    tool call gets a result.

    With ``continuing``, the last message is an answer to continue, with its reasoning. Without
    ``images`` and ``hears``, notes replace images and recordings.
    """
    turns: list[dict[str, Any]] = [{"role": "system", "content": system}] if system.strip() else []
    messages = list(path)
    without = omitted_ids(messages)
    partial_answer = messages.pop() if continuing and messages else None
    calls = OpenCalls(turns)
    for message in messages:
        if message.role == "tool":
            calls.add_result(message, message.id in without)
            continue
        calls.end()
        if (turn := turn_with_calls(message)) is not None:
            turns.append(turn)
            calls.begin(turn)
            continue
        if message.id in without or (message.role == "assistant" and not message.content):
            continue
        parts = build_content(message.content, message.attachments, texts, images, hears=hears)
        if turns and message.role == "user" and turns[-1]["role"] == "user":
            turns[-1]["content"] = concatenate(turns[-1]["content"], parts)
        else:
            turns.append({"role": message.role, "content": parts})
    calls.end()
    if partial_answer is not None:
        turns.append({"role": "assistant", "content": partial_answer.content})
        if partial_answer.reasoning:
            turns[-1]["reasoning_content"] = partial_answer.reasoning
    return turns


def is_context_exceeded(message: Message) -> bool:
    return message.status == "error" and message.stats.get("code") == "context_overflow"


def omitted_ids(path: Sequence[Message]) -> frozenset[str]:
    """Return the IDs of questions that didn't fit but were followed by others.

    The conversation must skip them, or every later turn would fail.
    """
    answered = zip(path, path[1:], path[2:], strict=False)
    return frozenset(question.id for question, answer, _ in answered if is_context_exceeded(answer))


def tokens_of_last_turn(transcript: Transcript) -> tuple[int, int]:
    """Return the tokens of the last turn and how many were reused, or 0 if unknown."""
    # an answer in progress has no stats, so use the previous answer
    latest = islice(transcript.iterate_back(), 100)
    stats = next((m.stats for m in latest if stored_number(m.stats, "prompt_tokens")), {})
    names = ("prompt_tokens", "generated_tokens", "reused_tokens")
    prompt, generated, reused = (int(stored_number(stats, name)) for name in names)
    return prompt + generated, reused


def without_panel_marks(message: Message) -> Message:
    panel = message.stats.get("panel")
    if not isinstance(panel, dict) or "open" not in panel:
        return message
    panel = {key: value for key, value in panel.items() if key not in {"open", "hidden"}}
    return replace(message, stats={**message.stats, "panel": panel})


def branch(store: Store, chat: ChatRecord, transcript: Transcript, message_id: str) -> ChatRecord:
    """Store a copy of the chat up to a message, and return its record.

    A user message goes to the copy's composer. An answer becomes the copy's last message.
    """
    last = transcript[message_id]
    copied = transcript.path_to(message_id)
    if last.role == "user":
        copied = copied[:-1]
    now = time.time()
    record = replace(
        chat,
        id=new_id(),
        title=_branch_title(chat.title),
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
    with store.transaction():
        store.save_chat(record)
        parent: Message | None = None
        for message in copied:
            parent = replace(
                without_panel_marks(message),
                id=new_id(),
                chat_id=record.id,
                parent_id=parent.id if parent is not None else None,
            )
            store.save_message(parent)
        leaf = parent.id if parent is not None else None
        store.set_leaf(record.id, leaf)
    return replace(record, leaf_id=leaf)


def _branch_title(title: str) -> str:
    """Return the title for a copy: "Branch: Trees", then "Branch 2: Trees".

    The prefix comes first, because tabs and the sidebar only show the beginning.
    """
    first, later = mark("Branch: {title}"), mark("Branch {number}: {title}")
    for text in (later, first):
        pattern = re.escape(tr(text)).replace(r"\{title\}", "(?P<title>.*)")
        match = re.fullmatch(pattern.replace(r"\{number\}", r"(?P<number>\d+)"), title)
        if match is not None:
            past = int(match.groupdict().get("number") or 1)
            return tr(later, title=match["title"], number=past + 1)
    return tr(first, title=title or tr(UNTITLED))
