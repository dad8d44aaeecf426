"""Conversations of ChatGPT's data export: `conversations.json`, a tree under "mapping"."""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.chats.importing.report import KIND
from app.chats.importing.tree import Found, Node, derived_id, grow, listed, mapped, moment, text
from app.store import ChatRecord

NAME = "ChatGPT"


def is_mine(item: dict[str, Any]) -> bool:
    return isinstance(item.get("mapping"), dict)


def read(item: dict[str, Any]) -> Found:
    """One conversation. Tools' calls and results, pictures and recordings are left out."""
    begun = moment(item.get("create_time"))
    name = text(item.get("conversation_id")) or text(item.get("id")) or f"{begun}"
    chat = ChatRecord(
        id=derived_id(begun, NAME, name),
        title=" ".join(text(item.get("title")).split()),
        created_at=begun,
        updated_at=moment(item.get("update_time"), begun),
    )
    left: Counter[str] = Counter()
    nodes: dict[str, Node] = {}
    for key, value in mapped(item["mapping"]).items():
        entry = mapped(value)
        node = Node(key, text(entry.get("parent")) or None)
        _fill(node, mapped(entry.get("message")), left)
        nodes[key] = node
    found = grow(NAME, chat, nodes, text(item.get("current_node")) or None)
    found.left += left
    return found


def _fill(node: Node, message: dict[str, Any], left: Counter[str]) -> None:
    content, about = mapped(message.get("content")), mapped(message.get("metadata"))
    role = text(mapped(message.get("author")).get("role"))
    if not content or about.get("is_visually_hidden_from_conversation"):
        return
    kind = text(content.get("content_type"))
    node.created_at = moment(message.get("create_time"))
    node.model = text(about.get("model_slug")) if role == "assistant" else ""
    node.cut = message.get("status") == "in_progress"
    for attached in listed(about.get("attachments")):
        left["attached files"] += bool(attached)
    if role == "tool" or (role == "assistant" and message.get("recipient", "all") != "all"):
        node.role = "assistant"  # a part of what it says, of which nothing is shown
        left["tool calls and results"] += 1
    elif kind in {"text", "multimodal_text"}:
        node.role = role if role in {"user", "assistant", "system"} else ""
        node.content = "\n\n".join(
            filter(None, (_part(p, left) for p in listed(content.get("parts"))))
        )
        if not node.content:
            node.role = "" if role != "assistant" else role
    elif kind == "thoughts":
        node.role = "assistant"
        node.reasoning = "\n\n".join(
            "\n\n".join(filter(None, (text(t.get("summary")), text(t.get("content")))))
            for t in map(mapped, listed(content.get("thoughts")))
        )
    elif kind == "code" and role == "assistant":
        node.role = "assistant"
        node.content = fenced(text(content.get("text")), text(content.get("language")))
    elif kind in {"reasoning_recap", "user_editable_context", "model_editable_context"}:
        node.role = "assistant" if kind == "reasoning_recap" else ""
    elif role:
        node.role = "assistant" if role == "assistant" else ""
        left[KIND + kind[:40]] += 1


def _part(part: object, left: Counter[str]) -> str:
    if isinstance(part, str):
        return part
    kind = text(mapped(part).get("content_type"))
    if kind == "audio_transcription":
        return text(mapped(part).get("text"))
    left["pictures" if "image" in kind else "recordings and videos"] += 1
    return ""


def fenced(code: str, language: str = "") -> str:
    """Code as a block of Markdown, whatever it contains."""
    fence = "```"
    while fence in code:
        fence += "`"
    language = language if language.isalnum() and language != "unknown" else ""
    return f"{fence}{language}\n{code}\n{fence}" if code else ""
