"""Conversations of Claude's data export: `conversations.json`, with "chat_messages"."""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.chats.importing.chatgpt import fenced
from app.chats.importing.report import KIND
from app.chats.importing.tree import Found, Node, derived_id, grow, listed, mapped, moment, text
from app.store import ChatRecord

NAME = "Claude"


def is_mine(item: dict[str, Any]) -> bool:
    return isinstance(item.get("chat_messages"), list)


def read(item: dict[str, Any]) -> Found:
    """One conversation. The text of attachments is kept, other files and tools are left out."""
    begun = moment(item.get("created_at"))
    chat = ChatRecord(
        id=derived_id(begun, NAME, text(item.get("uuid")) or f"{begun}"),
        title=" ".join(text(item.get("name")).split()),
        created_at=begun,
        updated_at=moment(item.get("updated_at"), begun),
    )
    left: Counter[str] = Counter()
    nodes: dict[str, Node] = {}
    before: str | None = None
    listed_messages = [mapped(each) for each in listed(item["chat_messages"])]
    branches = any("parent_message_uuid" in each for each in listed_messages)
    for number, message in enumerate(listed_messages):
        key = text(message.get("uuid")) or f"message {number}"
        node = nodes[key] = Node(
            key,
            text(message.get("parent_message_uuid")) if branches else before,
            {"human": "user", "assistant": "assistant"}.get(text(message.get("sender")), ""),
            created_at=moment(message.get("created_at")),
        )
        node.content, node.reasoning = _said(message, left)
        if node.role == "user" and not node.content:
            node.role = ""
        before = key
    current = text(item.get("current_leaf_message_uuid")) or before
    found = grow(NAME, chat, nodes, current)
    found.left += left
    return found


def _said(message: dict[str, Any], left: Counter[str]) -> tuple[str, str]:
    said: list[str] = []
    thought: list[str] = []
    parts = [mapped(part) for part in listed(message.get("content"))]
    for part in parts:
        kind = text(part.get("type"))
        if kind == "text":
            said.append(text(part.get("text")))
        elif kind == "thinking":
            thought.append(text(part.get("thinking")))
        elif kind in {"tool_use", "tool_result"}:
            left["tool calls and results"] += 1
        elif kind not in {"token_budget", "flag"}:
            left[KIND + kind[:40]] += 1
    if not any(said):
        said = [text(message.get("text"))]
    for attached in map(mapped, listed(message.get("attachments"))):
        extracted = text(attached.get("extracted_content"))
        if extracted:
            said.append(
                f"{text(attached.get('file_name')) or 'Attachment'}:\n\n{fenced(extracted)}"
            )
        else:
            left["attached files"] += 1
    left["attached files"] += len(listed(message.get("files")))
    return "\n\n".join(filter(None, said)), "\n\n".join(filter(None, thought))
