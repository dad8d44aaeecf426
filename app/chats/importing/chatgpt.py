"""Import of ChatGPT's data export."""

from __future__ import annotations

import json
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

NAME = "ChatGPT"
_MARK = re.compile("\ue200([^\ue200-\ue202]{0,40})(?:\ue202([^\ue200\ue201]{0,20000}))?\ue201")
r"""Placeholder in a text: a kind, then values separated by \ue202."""
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

    Input and output of the code interpreter and canvases become code blocks in the answer.
    """
    begun = parse_time(item.get("create_time"))
    name = as_text(item.get("conversation_id")) or as_text(item.get("id")) or f"{begun}"
    talk = Conversation(NAME, name, begun, item.get("title"), item.get("update_time"))
    model = _model(item.get("default_model_slug"))
    for key, value in as_dict(item["mapping"]).items():
        entry = as_dict(value)
        node = talk.nodes[key] = Node(key, as_text(entry.get("parent")) or None)
        _fill(node, as_dict(entry.get("message")), model, talk.skipped)
    return talk.finish(as_text(item.get("current_node")) or None)


def _fill(node: Node, message: dict[str, Any], model: str, skipped: Counter[str]) -> None:
    content, metadata = as_dict(message.get("content")), as_dict(message.get("metadata"))
    author = as_dict(message.get("author"))
    role, kind = as_text(author.get("role")), as_text(content.get("content_type"))
    if metadata.get("is_user_system_message") or kind == "user_editable_context":
        skipped["custom instructions"] += 1
        return
    if not content or metadata.get("is_visually_hidden_from_conversation"):
        return
    node.created_at = parse_time(message.get("create_time"))
    if role == "assistant":
        slugs = (metadata.get("model_slug"), metadata.get("default_model_slug"))
        node.model = next(filter(None, map(_model, slugs)), model)
    node.cut = message.get("status") == "in_progress"
    for attached in as_list(metadata.get("attachments")):
        skipped["attached files"] += bool(attached)
    recipient = as_text(message.get("recipient")) or "all"
    if role == "tool" or (role == "assistant" and recipient != "all"):
        node.role = "assistant"
        tool = as_text(author.get("name")) if role == "tool" else recipient
        node.content = _tool_text(tool, role == "tool", content, skipped)
    elif kind in {"text", "multimodal_text"}:
        node.role = role if role in {"user", "assistant", "system"} else ""
        text = "\n\n".join(
            filter(None, (_part_text(p, skipped) for p in as_list(content.get("parts"))))
        )
        node.content = _replace_citations(text, metadata, skipped) if role == "assistant" else text
        if not node.content:
            node.role = "" if role != "assistant" else role
    elif kind == "thoughts":
        node.role = "assistant"
        node.reasoning = "\n\n".join(
            "\n\n".join(filter(None, (as_text(t.get("summary")), as_text(t.get("content")))))
            for t in map(as_dict, as_list(content.get("thoughts")))
        )
    elif kind == "code" and role == "assistant":
        node.role = "assistant"
        node.content = fenced(as_text(content.get("text")), as_text(content.get("language")))
    elif kind in _SKIPPED:
        node.role = "assistant" if kind == "reasoning_recap" else ""
    elif role:
        node.role = "assistant" if role == "assistant" else ""
        skipped[KIND + kind[:40]] += 1


def _model(slug: object) -> str:
    return "" if slug == "auto" else as_text(slug)


def _part_text(part: object, skipped: Counter[str]) -> str:
    if isinstance(part, str):
        return part
    kind = as_text(as_dict(part).get("content_type"))
    if kind == "audio_transcription":
        return as_text(as_dict(part).get("text"))
    if "image" in kind:
        skipped["pictures"] += 1
    elif "audio" in kind or "video" in kind:
        skipped["recordings and videos"] += 1
    else:
        skipped[KIND + kind[:40]] += 1
    return ""


def _tool_text(tool: str, is_result: bool, content: dict[str, Any], skipped: Counter[str]) -> str:
    parts = as_list(content.get("parts"))
    for part in parts:
        if not isinstance(part, str):
            _part_text(part, skipped)
    content_text = as_text(content.get("text")) or "".join(p for p in parts if isinstance(p, str))
    if tool == "python" or as_text(content.get("content_type")) == "execution_output":
        return fenced(content_text, "" if is_result else "python")
    if tool.startswith(_CANVAS) and is_result:
        return ""  # this result is only a confirmation
    if tool.startswith(_CANVAS):
        document = _canvas_text(content_text)
        skipped["changes to a document"] += not document
        return document
    skipped["tool calls and results"] += 1
    return ""


def _canvas_text(call: str) -> str:
    try:
        call_arguments = as_dict(json.loads(call))
    except (ValueError, RecursionError):
        return ""
    written, kind = as_text(call_arguments.get("content")), as_text(call_arguments.get("type"))
    updates = as_list(call_arguments.get("updates"))
    if len(updates) == 1 and as_text(as_dict(updates[0]).get("pattern")) in {
        ".*",
        "(?s).*",
        "^.*$",
    }:
        written = as_text(as_dict(updates[0]).get("replacement"))
    language = "markdown" if kind == "document" else kind.removeprefix("code/")
    name = " ".join(as_text(call_arguments.get("name")).split())
    return "\n\n".join(filter(None, (name, fenced(written, language)))) if written else ""


def _replace_citations(words: str, metadata: dict[str, Any], skipped: Counter[str]) -> str:
    """Replace citation placeholders with links and remove other placeholders."""
    replacements: dict[str, str] = {}
    for reference in map(as_dict, as_list(metadata.get("content_references"))):
        if text := _reference_text(reference):
            replacements.setdefault(as_text(reference.get("matched_text")), text)
    for cited in map(as_dict, as_list(metadata.get("citations"))):
        start, end = cited.get("start_ix"), cited.get("end_ix")
        if isinstance(start, int) and isinstance(end, int):
            replacements.setdefault(words[start:end], link(as_dict(cited.get("metadata"))))

    def replace_mark(match: re.Match[str]) -> str:
        text = replacements.get(match[0]) or _citation_text(match)
        names_source = match.re is _OLD_MARK or match[1] not in _NO_SOURCE
        if not text and names_source:
            skipped["citations without an address"] += 1
        return text or _GONE

    words = _OLD_MARK.sub(replace_mark, _MARK.sub(replace_mark, words))
    return _STRAY_MARK.sub("", _BLANKS.sub("", words))


def _citation_text(mark: re.Match[str]) -> str:
    if mark.re is _OLD_MARK:
        return ""
    kind, values = mark[1], as_text(mark[2]).split("\ue202")
    if kind == "url" and len(values) > 1:
        return link({"title": values[0], "url": values[1]}) or values[0]
    if kind != "entity":
        return ""
    try:
        fields = as_list(json.loads(values[0]))
    except (ValueError, RecursionError):
        return ""
    return as_text(fields[1]) if len(fields) > 1 else ""


_NO_SOURCE = {"entity", "navlist", "image_group", "i", "video", "products"}
_GONE = "\ue206"  # marks the position of a removed placeholder
_BLANKS = re.compile(f"[ \\t]+{_GONE}(?=[\\s.,;:!?)\\]{_GONE}]|$)")


def _reference_text(reference: dict[str, Any]) -> str:
    sources = [*as_list(reference.get("items")), *as_list(reference.get("sources"))]
    links = [link(as_dict(source)) for source in sources] or [link(reference)]
    if text := " ".join(dict.fromkeys(filter(None, links))):
        return text
    words = as_text(reference.get("alt")) or as_text(reference.get("name"))
    return words if not _STRAY_MARK.search(words) else ""


def link(source: dict[str, Any]) -> str:
    address = as_text(source.get("url"))
    if not re.fullmatch(r"https?://[^\s<>]+", address):
        return ""
    title = " ".join(as_text(source.get("title")).split()) or address
    title = re.sub(r"([\[\]])", r"\\\1", title)
    return f"([{title}]({f'<{address}>' if ')' in address else address}))"


def fenced(code: str, language: str = "") -> str:
    """Return code as a Markdown block whose fence is longer than any fence in the code."""
    fence = "```"
    while fence in code:
        fence += "`"
    language = language if language.isalnum() and language != "unknown" else ""
    return f"{fence}{language}\n{code}\n{fence}" if code else ""
