"""Import of LM Studio conversations."""

from __future__ import annotations

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
from app.chats.importing.report import KIND

NAME = "LM Studio"
_STEP = re.compile(r"(\d{13})(?:-|$)")


def is_mine(item: dict[str, Any]) -> bool:
    messages = item.get("messages")
    if not isinstance(messages, list):
        return False
    if messages:
        return any(isinstance(as_dict(message).get("versions"), list) for message in messages)
    return "createdAt" in item and "systemPrompt" in item


def read(item: dict[str, Any]) -> ImportedChat:
    """Convert a conversation. The selected versions of its replies form the branch."""
    begun = parse_time(item.get("createdAt"))
    key, updated = f"{item.get('createdAt')}", item.get("userLastMessagedAt")
    system = as_text(item.get("systemPrompt"))
    talk = Conversation(NAME, key, begun, item.get("name"), updated, system)
    before: str | None = None
    for number, entry in enumerate(map(as_dict, as_list(item["messages"]))):
        versions = [as_dict(version) for version in as_list(entry.get("versions"))]
        selection = entry.get("currentlySelected")
        index = selection if isinstance(selection, int) and 0 <= selection < len(versions) else 0
        for at, version in enumerate(versions):
            key = f"{number}.{at}"
            talk.nodes[key] = Node(key, before)
            _fill(talk.nodes[key], version, talk.skipped)
        if versions:
            before = f"{number}.{index}"
    return talk.finish(before)


def _fill(node: Node, version: dict[str, Any], skipped: Counter[str]) -> None:
    role = as_text(version.get("role"))
    node.role = role if role in {"user", "assistant", "system"} else ""
    if version.get("type") != "multiStep":
        node.content = _content_text(version.get("content"), skipped)
        return
    node.model = as_text(as_dict(version.get("senderInfo")).get("senderName"))
    contents: list[str] = []
    thought: list[str] = []
    for step in map(as_dict, as_list(version.get("steps"))):
        kind = as_text(step.get("type"))
        if kind == "contentBlock":
            style = as_dict(step.get("style"))
            words = _content_text(step.get("content"), skipped)
            (thought if style.get("type") == "thinking" else contents).append(words)
            info = as_dict(step.get("genInfo"))
            node.model = node.model or as_text(info.get("identifier"))
            reason = as_text(as_dict(info.get("stats")).get("stopReason"))
            node.cut = reason == "userStopped"
        elif kind == "toolStatus":
            skipped["tool calls and results"] += 1
        elif kind != "debugInfoBlock":
            skipped[KIND + kind[:40]] += 1
        if not node.created_at and (step_time := _STEP.match(as_text(step.get("stepIdentifier")))):
            node.created_at = parse_time(int(step_time[1]))
    node.content = "\n\n".join(filter(None, contents))
    node.reasoning = "\n\n".join(filter(None, thought))


def _content_text(content: object, skipped: Counter[str]) -> str:
    if isinstance(content, str):
        return content
    texts = []
    for part in map(as_dict, as_list(content)):
        kind = as_text(part.get("type"))
        if kind == "text":
            texts.append(as_text(part.get("text")))
        elif kind == "file":
            skipped["attached files"] += 1
        elif kind in {"toolCallRequest", "toolCallResult"}:
            skipped["tool calls and results"] += 1
        else:
            skipped[KIND + kind[:40]] += 1
    return "".join(texts)
