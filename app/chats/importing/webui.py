"""Import of Open WebUI's export: a list of objects with "chat", which has a tree in "history"."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any

from app.chats.importing.import_tree import (
    ImportedChat,
    Node,
    derived_id,
    grow,
    listed,
    mapped,
    moment,
    text,
)
from app.store import ChatRecord

NAME = "Open WebUI"
_DETAILS = re.compile(
    r"<details type=\"(?P<kind>\w+)\"[^>\n]*>\s*(?:<summary>[^<\n]*</summary>)?"
    r"(?P<inner>.*?)</details>\s*",
    re.DOTALL,
)


def is_mine(item: dict[str, Any]) -> bool:
    chat = mapped(item.get("chat"))
    return "history" in chat or "messages" in chat


def read(item: dict[str, Any]) -> ImportedChat:
    """Convert a chat. Files, images and tools are dropped."""
    content = mapped(item["chat"])
    begun = moment(item.get("created_at")) or moment(content.get("timestamp"))
    name = text(item.get("id")) or text(content.get("id")) or f"{begun}"
    title = text(item.get("title")) or text(content.get("title"))
    chat = ChatRecord(
        id=derived_id(begun, NAME, name),
        title=" ".join(title.split()),
        system=text(content.get("system")) or text(mapped(content.get("params")).get("system")),
        created_at=begun,
        updated_at=moment(item.get("updated_at"), begun),
    )
    left: Counter[str] = Counter()
    history = mapped(content.get("history"))
    nodes: dict[str, Node] = {}
    entries = mapped(history.get("messages"))
    if entries:
        for key, entry in entries.items():
            nodes[key] = _node(
                key, text(mapped(entry).get("parentId")) or None, mapped(entry), left
            )
    else:
        before: str | None = None
        for number, entry in enumerate(listed(content.get("messages"))):
            key = f"message {number}"
            nodes[key] = _node(key, before, mapped(entry), left)
            before = key
    found = grow(NAME, chat, nodes, text(history.get("currentId")) or None)
    found.left += left
    return found


def _node(key: str, parent: str | None, entry: dict[str, Any], left: Counter[str]) -> Node:
    role = text(entry.get("role"))
    content, reasoning = entry.get("content"), ""
    if isinstance(content, list):  # text and images, as in the API
        parts = [mapped(part) for part in content]
        left["pictures"] += sum(part.get("type") == "image_url" for part in parts)
        content = "\n\n".join(
            text(part.get("text")) for part in parts if part.get("type") == "text"
        )
    words = text(content)
    if role == "assistant":
        words, reasoning = _unfolded(words, left)
    left["attached files"] += len(listed(entry.get("files")))
    return Node(
        key,
        parent,
        role if role in {"user", "assistant", "system"} else "",
        words,
        reasoning,
        text(entry.get("modelName")) or text(entry.get("model")) if role == "assistant" else "",
        moment(entry.get("timestamp")),
        cut=entry.get("done") is False,
    )


def _unfolded(content: str, left: Counter[str]) -> tuple[str, str]:
    """Split a text into the answer and the reasoning, which Open WebUI stores in <details>."""
    thoughts: list[str] = []

    def take(match: re.Match[str]) -> str:
        if match["kind"] == "reasoning":
            lines = html.unescape(match["inner"].strip()).splitlines()
            thoughts.append("\n".join(re.sub(r"^> ?", "", line) for line in lines))
            return ""
        if match["kind"] == "tool_calls":
            left["tool calls and results"] += 1
            return ""
        return match[0]

    if "<details" in content:
        content = _DETAILS.sub(take, content)
    return content.strip("\n"), "\n\n".join(thoughts)
