from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from app.store import AttachedText, ChatRecord, Message, StoredImage
from app.store.records import is_own_id


class Node(Struct):
    key: str
    parent: str | None  # key of the previous message; None or an unknown key for the first message
    role: str = ""  # "user", "assistant", "system", or "" if there is nothing to show
    content: str = ""
    reasoning: str = ""
    model: str = ""
    created_at: float = 0.0
    cut: bool = False


class ImportedChat(Struct):
    source: str
    chat: ChatRecord
    messages: list[Message]
    # number of dropped parts by name
    skipped: Counter[str] = field(default_factory=Counter)
    texts: list[AttachedText] = field(default_factory=list)
    images: list[StoredImage] = field(default_factory=list)

    @property
    def character_count(self) -> int:
        written = sum(len(m.content) + len(m.reasoning) + 200 for m in self.messages)
        image_bytes = sum(len(image.data) for image in self.images)
        return written + image_bytes + sum(len(page) for text in self.texts for page in text.pages)


def derived_id(seconds: float, *names: str) -> str:
    """Return an ID in the format of `new_id` that depends only on the time and the names."""
    chance = hashlib.sha256("\0".join(names).encode(errors="replace")).digest()[:10]
    ms = min(max(0, int(seconds * 1000)), (1 << 48) - 1)
    return f"{ms:012x}{chance.hex()}"


def get_own_id(*names: str) -> str:
    """Return the last name if it is one of our IDs, or an ID derived from all names.

    Session IDs and sidebar rows contain these IDs, so they can't be arbitrary strings.
    """
    return names[-1] if is_own_id(names[-1]) else derived_id(0.0, *names)


def replace_foreign_ids(
    source: str, chat: ChatRecord, messages: Sequence[Message]
) -> tuple[ChatRecord, list[Message]]:
    """Replace foreign IDs of a chat with our own. The same file always gets the same IDs.

    Raises ValueError if two messages have the same ID.
    """
    ids: dict[str | None, str | None] = {None: None}
    chat_id = get_own_id(source, "chat", chat.id)
    renamed: dict[str, Message] = {}
    for message in messages:
        own_id = ids[message.id] = get_own_id(source, chat.id, message.id)
        if own_id in renamed:
            raise ValueError(f"two messages have the id {own_id!r}")
        parent = ids[message.parent_id]
        renamed[own_id] = replace(message, id=own_id, chat_id=chat_id, parent_id=parent)
    queue = {
        item.id: replace(item, id=get_own_id(source, chat.id, item.id)) for item in chat.queued
    }
    ids |= {key: item.id for key, item in queue.items() if key not in ids}
    leaf, edited = ids.get(chat.leaf_id), ids.get(chat.edited_id)
    chat = replace(chat, id=chat_id, leaf_id=leaf, edited_id=edited, queued=tuple(queue.values()))
    return chat, list(renamed.values())


def parse_time(value: object, otherwise: float = 0.0) -> float:
    """Parse a timestamp in seconds, milliseconds (or smaller units), or ISO format."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    try:
        seconds = float(value)
    except OverflowError:  # an integer with hundreds of digits
        return otherwise
    if not 0 < seconds < 1e24:
        return otherwise
    while seconds > 1e11:  # probably milliseconds, microseconds or nanoseconds
        seconds /= 1000
    return seconds


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def build_chat(
    source: str, chat: ChatRecord, nodes: Mapping[str, Node], current: str | None
) -> ImportedChat:
    """Build the messages of a chat. ``current`` is the last entry of the selected branch.

    Consecutive assistant entries (thoughts, tool calls, text) become one message, unless the tree
    branches between them. Instructions before the first message become the system prompt.
    """
    imported_chat = ImportedChat(source, chat, [])
    below: dict[str | None, list[Node]] = {}
    for key, parent in _parents(nodes, current).items():
        below.setdefault(parent, []).append(nodes[key])
    parents: dict[str, str | None] = {}
    # with the consecutive assistant entries before each node, which become one message
    waiting: list[tuple[Node, str | None, list[Node]]] = [
        (node, None, []) for node in reversed(below.get(None, []))
    ]
    while waiting:
        node, parent, answer = waiting.pop()
        if node.role == "assistant":
            answer.append(node)
        elif node.role:
            parent = _add_answer(imported_chat, answer, parent, parents)
            answer = []
            if node.role == "user":
                parent = _add(imported_chat, node, parent)
            elif parent is None:
                system = "\n\n".join(filter(None, (imported_chat.chat.system, node.content)))
                imported_chat.chat = replace(imported_chat.chat, system=system)
            else:
                imported_chat.skipped["instructions in the middle of a chat"] += 1
        after = below.pop(node.key, [])
        if len(after) != 1:
            parent = _add_answer(imported_chat, answer, parent, parents)
            answer = []
        parents.setdefault(node.key, parent)
        waiting += [(child, parent, answer or []) for child in reversed(after)]
    leaf = parents.get(current or "") or (
        imported_chat.messages[-1].id if imported_chat.messages else None
    )
    imported_chat.chat = replace(imported_chat.chat, leaf_id=leaf)
    return imported_chat


class Conversation:
    def __init__(
        self, source: str, key: str, begun: float, title: object, updated: object, system: str = ""
    ) -> None:
        title, chat_id = " ".join(as_text(title).split()), derived_id(begun, source, key)
        self._chat = ChatRecord(
            chat_id,
            title,
            system=system,
            created_at=begun,
            updated_at=parse_time(updated, begun),
        )
        self._source = source
        self.nodes: dict[str, Node] = {}
        self.skipped: Counter[str] = Counter()

    def finish(self, current: str | None) -> ImportedChat:
        imported_chat = build_chat(self._source, self._chat, self.nodes, current)
        imported_chat.skipped += self.skipped
        return imported_chat


def _parents(nodes: Mapping[str, Node], current: str | None) -> dict[str, str | None]:
    """Return the parent of each node, or None for root nodes.

    A loop is broken after its last message, so that no message is lost.
    """
    parents = {key: node.parent if node.parent in nodes else None for key, node in nodes.items()}
    checked = set[str | None]([None])
    for start in (current, *reversed(list(nodes))):
        path: dict[str, None] = {}
        node_id = start if start in nodes else None
        while node_id not in checked and node_id not in path:
            assert node_id is not None
            path[node_id] = None
            node_id = parents[node_id]
        if node_id in path:
            parents[next(reversed(path))] = None
        checked.update(path)
    return parents


def _add_answer(
    imported_chat: ImportedChat,
    answer: list[Node],
    parent: str | None,
    parents: dict[str, str | None],
) -> str | None:
    """Add the merged assistant message if it has text. Return the parent of the next message."""
    if not answer:
        return parent
    last = answer[-1]
    joined = replace(
        last,
        content="\n\n".join(node.content for node in answer if node.content),
        reasoning="\n\n".join(node.reasoning for node in answer if node.reasoning),
        model=next((node.model for node in reversed(answer) if node.model), ""),
        created_at=answer[0].created_at or last.created_at,
    )
    if joined.content or joined.reasoning:
        parent = _add(imported_chat, joined, parent)
    for node in answer:
        parents[node.key] = parent
    return parent


def _add(imported_chat: ImportedChat, node: Node, parent: str | None) -> str:
    chat = imported_chat.chat
    said_at = node.created_at or (
        imported_chat.messages[-1].created_at if imported_chat.messages else 0.0
    )
    message = Message(
        id=derived_id(said_at or chat.created_at, chat.id, node.key),
        chat_id=chat.id,
        parent_id=parent,
        role="assistant" if node.role == "assistant" else "user",
        content=node.content,
        reasoning=node.reasoning,
        status="interrupted" if node.cut and node.role == "assistant" else "complete",
        model=node.model,
        created_at=said_at or chat.created_at,
    )
    imported_chat.messages.append(message)
    return message.id
