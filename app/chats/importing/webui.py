"""Import of Open WebUI's export: a list of objects with "chat", which has a tree in "history"."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any

from app.chats.importing.import_tree import (
    Conversation,
    ImportedChat,
    Node,
    as_dict,
    as_list,
    as_text,
    parse_time,
)

NAME = "Open WebUI"
_DETAILS = re.compile(
    r"<details type=\"(?P<kind>\w+)\"[^>\n]*>\s*(?:<summary>[^<\n]*</summary>)?"
    r"(?P<inner>.*?)</details>\s*",
    re.DOTALL,
)


def is_mine(item: dict[str, Any]) -> bool:
    chat = as_dict(item.get("chat"))
    return "history" in chat or "messages" in chat


def read(item: dict[str, Any]) -> ImportedChat:
    content = as_dict(item["chat"])
    begun = parse_time(item.get("created_at")) or parse_time(content.get("timestamp"))
    name = as_text(item.get("id")) or as_text(content.get("id")) or f"{begun}"
    title = item.get("title") or content.get("title")
    system = content.get("system") or as_dict(content.get("params")).get("system")
    talk = Conversation(NAME, name, begun, title, item.get("updated_at"), as_text(system))
    history = as_dict(content.get("history"))
    entries = as_dict(history.get("messages"))
    if entries:
        for key, entry in entries.items():
            parent = as_text(as_dict(entry).get("parentId")) or None
            talk.nodes[key] = _make_node(key, parent, as_dict(entry), talk.skipped)
    else:
        before: str | None = None
        for number, entry in enumerate(as_list(content.get("messages"))):
            key = f"message {number}"
            talk.nodes[key] = _make_node(key, before, as_dict(entry), talk.skipped)
            before = key
    return talk.finish(as_text(history.get("currentId")) or None)


def _make_node(key: str, parent: str | None, entry: dict[str, Any], skipped: Counter[str]) -> Node:
    role = as_text(entry.get("role"))
    content, reasoning = entry.get("content"), ""
    if isinstance(content, list):  # text and images, as in the API
        parts = [as_dict(part) for part in content]
        skipped["pictures"] += sum(part.get("type") == "image_url" for part in parts)
        content = "\n\n".join(
            as_text(part.get("text")) for part in parts if part.get("type") == "text"
        )
    words = as_text(content)
    if role == "assistant":
        words, reasoning = _split_reasoning(words, skipped)
    skipped["attached files"] += len(as_list(entry.get("files")))
    return Node(
        key,
        parent,
        role if role in {"user", "assistant", "system"} else "",
        words,
        reasoning,
        as_text(entry.get("modelName")) or as_text(entry.get("model"))
        if role == "assistant"
        else "",
        parse_time(entry.get("timestamp")),
        cut=entry.get("done") is False,
    )


def _split_reasoning(content: str, skipped: Counter[str]) -> tuple[str, str]:
    """Split a text into the answer and the reasoning, which Open WebUI stores in <details>."""
    thoughts: list[str] = []

    def take(match: re.Match[str]) -> str:
        if match["kind"] == "reasoning":
            lines = html.unescape(match["inner"].strip()).splitlines()
            thoughts.append("\n".join(re.sub(r"^> ?", "", line) for line in lines))
            return ""
        if match["kind"] == "tool_calls":
            skipped["tool calls and results"] += 1
            return ""
        return match[0]

    if "<details" in content:
        content = _DETAILS.sub(take, content)
    return content.strip("\n"), "\n\n".join(thoughts)
