"""Import of ChatGPT's data export: `conversations.json`, with a message tree in "mapping"."""

from __future__ import annotations

import json
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
from app.chats.importing.report import KIND
from app.store import ChatRecord

NAME = "ChatGPT"
_MARK = re.compile("\ue200([^\ue200-\ue202]{0,40})(?:\ue202([^\ue200\ue201]{0,20000}))?\ue201")
"""Placeholder in a text: a kind, then values separated by \\ue202."""
_OLD_MARK = re.compile("【[0-9]{1,4}(?::[0-9]{1,4})?†[^】\n]{0,400}】")
_STRAY_MARK = re.compile(
    # The end mark may be missing.
    " ?\ue200[a-z_]{1,40}(?:(?:\ue202[\\w-]{0,80})+|\\Z)|[\ue200-\ue206]"
)
_CANVAS = "canmore."
_SKIPPED = {"reasoning_recap", "user_editable_context", "model_editable_context"}


def is_mine(item: dict[str, Any]) -> bool:
    return isinstance(item.get("mapping"), dict)


def read(item: dict[str, Any]) -> ImportedChat:
    """Convert a conversation. Images, recordings and most tool calls are dropped.

    Code interpreter input, its output, and canvases are kept as code blocks in the answer.
    """
    begun = moment(item.get("create_time"))
    name = text(item.get("conversation_id")) or text(item.get("id")) or f"{begun}"
    chat = ChatRecord(
        id=derived_id(begun, NAME, name),
        title=" ".join(text(item.get("title")).split()),
        created_at=begun,
        updated_at=moment(item.get("update_time"), begun),
    )
    left: Counter[str] = Counter()
    model = _model(item.get("default_model_slug"))
    nodes: dict[str, Node] = {}
    for key, value in mapped(item["mapping"]).items():
        entry = mapped(value)
        node = Node(key, text(entry.get("parent")) or None)
        _fill(node, mapped(entry.get("message")), model, left)
        nodes[key] = node
    found = grow(NAME, chat, nodes, text(item.get("current_node")) or None)
    found.left += left
    return found


def _fill(node: Node, message: dict[str, Any], model: str, left: Counter[str]) -> None:
    content, about = mapped(message.get("content")), mapped(message.get("metadata"))
    author = mapped(message.get("author"))
    role, kind = text(author.get("role")), text(content.get("content_type"))
    if about.get("is_user_system_message") or kind == "user_editable_context":
        left["custom instructions"] += 1
        return
    if not content or about.get("is_visually_hidden_from_conversation"):
        return
    node.created_at = moment(message.get("create_time"))
    if role == "assistant":
        slugs = (about.get("model_slug"), about.get("default_model_slug"))
        node.model = next(filter(None, map(_model, slugs)), model)
    node.cut = message.get("status") == "in_progress"
    for attached in listed(about.get("attachments")):
        left["attached files"] += bool(attached)
    recipient = text(message.get("recipient")) or "all"
    if role == "tool" or (role == "assistant" and recipient != "all"):
        node.role = "assistant"  # treat the message as part of the answer
        tool = text(author.get("name")) if role == "tool" else recipient
        node.content = _of_tool(tool, role == "tool", content, left)
    elif kind in {"text", "multimodal_text"}:
        node.role = role if role in {"user", "assistant", "system"} else ""
        whole = "\n\n".join(filter(None, (_part(p, left) for p in listed(content.get("parts")))))
        node.content = _without_marks(whole, about, left) if role == "assistant" else whole
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
    elif kind in _SKIPPED:
        node.role = "assistant" if kind == "reasoning_recap" else ""
    elif role:
        node.role = "assistant" if role == "assistant" else ""
        left[KIND + kind[:40]] += 1


def _model(slug: object) -> str:
    return "" if slug == "auto" else text(slug)


def _part(part: object, left: Counter[str]) -> str:
    if isinstance(part, str):
        return part
    kind = text(mapped(part).get("content_type"))
    if kind == "audio_transcription":
        return text(mapped(part).get("text"))
    if "image" in kind:
        left["pictures"] += 1
    elif "audio" in kind or "video" in kind:
        left["recordings and videos"] += 1
    else:
        left[KIND + kind[:40]] += 1
    return ""


# -- tools ---------------------------------------------------------------------------------------


def _of_tool(tool: str, is_result: bool, content: dict[str, Any], left: Counter[str]) -> str:
    parts = listed(content.get("parts"))
    for part in parts:
        if not isinstance(part, str):
            _part(part, left)
    content_text = text(content.get("text")) or "".join(p for p in parts if isinstance(p, str))
    if tool == "python" or text(content.get("content_type")) == "execution_output":
        return fenced(content_text, "" if is_result else "python")
    if tool.startswith(_CANVAS) and is_result:
        return ""  # this result is only a confirmation
    if tool.startswith(_CANVAS):
        found = _canvas(content_text)
        left["changes to a document"] += not found
        return found
    left["tool calls and results"] += 1
    return ""


def _canvas(call: str) -> str:
    try:
        asked = mapped(json.loads(call))
    except (ValueError, RecursionError):
        return ""
    written, kind = text(asked.get("content")), text(asked.get("type"))
    updates = listed(asked.get("updates"))
    if len(updates) == 1 and text(mapped(updates[0]).get("pattern")) in {".*", "(?s).*", "^.*$"}:
        written = text(mapped(updates[0]).get("replacement"))
    language = "markdown" if kind == "document" else kind.removeprefix("code/")
    name = " ".join(text(asked.get("name")).split())
    return "\n\n".join(filter(None, (name, fenced(written, language)))) if written else ""


# -- citations -----------------------------------------------------------------------------------


def _without_marks(words: str, about: dict[str, Any], left: Counter[str]) -> str:
    """Replace citation placeholders with links.

    Other placeholders are removed, and counted if they referred to a source.
    """
    known: dict[str, str] = {}
    for reference in map(mapped, listed(about.get("content_references"))):
        if found := _reference_text(reference):
            known.setdefault(text(reference.get("matched_text")), found)
    for cited in map(mapped, listed(about.get("citations"))):
        start, end = cited.get("start_ix"), cited.get("end_ix")
        if isinstance(start, int) and isinstance(end, int):
            known.setdefault(words[start:end], link(mapped(cited.get("metadata"))))

    def shown(match: re.Match[str]) -> str:
        found = known.get(match[0]) or _of_mark(match)
        names_source = match.re is _OLD_MARK or match[1] not in _NO_SOURCE
        if not found and names_source:
            left["citations without an address"] += 1
        return found or _GONE

    words = _OLD_MARK.sub(shown, _MARK.sub(shown, words))
    return _STRAY_MARK.sub("", _BLANKS.sub("", words))


def _of_mark(mark: re.Match[str]) -> str:
    if mark.re is _OLD_MARK:
        return ""
    kind, values = mark[1], text(mark[2]).split("\ue202")
    if kind == "url" and len(values) > 1:
        return link({"title": values[0], "url": values[1]}) or values[0]
    if kind != "entity":
        return ""
    try:
        named = listed(json.loads(values[0]))
    except (ValueError, RecursionError):
        return ""
    return text(named[1]) if len(named) > 1 else ""


_NO_SOURCE = {"entity", "navlist", "image_group", "i", "video", "products"}
_GONE = "\ue206"  # marks the position of a removed placeholder
_BLANKS = re.compile(f"[ \\t]+{_GONE}(?=[\\s.,;:!?)\\]{_GONE}]|$)")
"""Spaces in front of a removed placeholder."""


def _reference_text(reference: dict[str, Any]) -> str:
    """Get the text that replaces a placeholder: links to its sources, or its alternative text."""
    sources = [*listed(reference.get("items")), *listed(reference.get("sources"))]
    links = [link(mapped(source)) for source in sources] or [link(reference)]
    if found := " ".join(dict.fromkeys(filter(None, links))):
        return found
    words = text(reference.get("alt")) or text(reference.get("name"))
    return words if not _STRAY_MARK.search(words) else ""


def link(source: dict[str, Any]) -> str:
    """Format a link in parentheses, or return "" if there's no web address."""
    address = text(source.get("url"))
    if not re.fullmatch(r"https?://[^\s<>]+", address):
        return ""
    title = " ".join(text(source.get("title")).split()) or address
    title = re.sub(r"([\[\]])", r"\\\1", title)
    return f"([{title}]({f'<{address}>' if ')' in address else address}))"


def fenced(code: str, language: str = "") -> str:
    """Format code as a Markdown block, with a fence that is safe for any content."""
    fence = "```"
    while fence in code:
        fence += "`"
    language = language if language.isalnum() and language != "unknown" else ""
    return f"{fence}{language}\n{code}\n{fence}" if code else ""
