"""Import of Claude's data export."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from app.chats.importing.chatgpt import fenced, link
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

NAME = "Claude"


def is_mine(item: dict[str, Any]) -> bool:
    return isinstance(item.get("chat_messages"), list)


def read(item: dict[str, Any]) -> ImportedChat:
    """Convert a conversation. Most files and tool calls are dropped.

    Attachments keep their text, and artifacts become code blocks in the answer.
    """
    begun = parse_time(item.get("created_at"))
    key = as_text(item.get("uuid")) or f"{begun}"
    talk = Conversation(NAME, key, begun, item.get("name"), item.get("updated_at"))
    documents = _Documents(talk.skipped)
    before: str | None = None
    listed_messages = [as_dict(entry) for entry in as_list(item["chat_messages"])]
    branches = any("parent_message_uuid" in entry for entry in listed_messages)
    for number, message in enumerate(listed_messages):
        key = as_text(message.get("uuid")) or f"message {number}"
        node = talk.nodes[key] = Node(
            key,
            as_text(message.get("parent_message_uuid")) if branches else before,
            {"human": "user", "assistant": "assistant"}.get(as_text(message.get("sender")), ""),
            created_at=parse_time(message.get("created_at")),
        )
        node.content, node.reasoning = _split_parts(message, documents, talk.skipped)
        if node.role == "assistant":
            node.model = as_text(message.get("model")) or as_text(item.get("model"))
        if node.role == "user" and not node.content:
            node.role = ""
        before = key
    return talk.finish(as_text(item.get("current_leaf_message_uuid")) or before)


class _Documents:
    def __init__(self, skipped: Counter[str]) -> None:
        self._skipped = skipped
        self._written: dict[str, str] = {}

    def document_of_call(self, name: str, call: dict[str, Any]) -> str:
        """Return a tool call as a code block with the full document, or "" for other calls."""
        if name == "create_file":
            path = as_text(call.get("path"))
            return self._block(path, path.rpartition(".")[2], as_text(call.get("file_text")))
        if name != "artifacts":
            self._skipped["tool calls and results"] += 1
            return ""
        key, command = as_text(call.get("id")), as_text(call.get("command"))
        content = as_text(call.get("content"))
        if command == "update":
            before, old = self._written.get(key, ""), as_text(call.get("old_str"))
            new = as_text(call.get("new_str"))
            content = before.replace(old, new, 1) if old and old in before else ""
        if not content:
            self._skipped["changes to a document"] += 1
            return ""
        self._written[key] = content
        language = as_text(call.get("language")) or _LANGUAGES.get(as_text(call.get("type")), "")
        return self._block(as_text(call.get("title")), language, content)

    def replace_artifacts(self, words: str) -> str:
        def replace_artifact(match: re.Match[str]) -> str:
            attributes: dict[str, Any] = dict(_ATTRIBUTE.findall(match[1]))
            attributes |= {"id": attributes.get("identifier"), "content": match[2].strip("\n")}
            return f"\n\n{self.document_of_call('artifacts', attributes)}\n\n"

        return (
            _ARTIFACT.sub(replace_artifact, words).strip("\n") if "<antArtifact" in words else words
        )

    @staticmethod
    def _block(name: str, language: str, content: str) -> str:
        return "\n\n".join(filter(None, (" ".join(name.split()), fenced(content, language))))


_LANGUAGES = {
    "text/markdown": "markdown",
    "text/html": "html",
    "image/svg+xml": "svg",
    "application/vnd.ant.mermaid": "mermaid",
    "application/vnd.ant.react": "jsx",
}
_ARTIFACT = re.compile(r"<antArtifact\b([^<>]{0,2000})>(.*?)</antArtifact>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
_UNTOLD = {"token_budget", "flag"}


def _split_parts(
    message: dict[str, Any], documents: _Documents, skipped: Counter[str]
) -> tuple[str, str]:
    contents: list[str] = []
    thought: list[str] = []
    parts = [as_dict(part) for part in as_list(message.get("content"))]
    called = ""
    for part in parts:
        kind = as_text(part.get("type"))
        if kind == "text":
            contents.append(documents.replace_artifacts(_with_citations(part)))
        elif kind == "thinking":
            thought.append(as_text(part.get("thinking")))
        elif kind == "tool_use":
            called = documents.document_of_call(
                as_text(part.get("name")), as_dict(part.get("input"))
            )
            contents.append(called)
        elif kind == "tool_result":
            skipped["tool calls and results"] += not called  # document results only say "OK"
        elif kind == "voice_note":
            contents.append(as_text(part.get("text")))
        elif kind not in _UNTOLD:
            skipped[KIND + kind[:40]] += 1
    if not any(contents):
        contents = [documents.replace_artifacts(as_text(message.get("text")))]
    for attached in map(as_dict, as_list(message.get("attachments"))):
        extracted = as_text(attached.get("extracted_content"))
        if extracted:
            contents.append(
                f"{as_text(attached.get('file_name')) or 'Attachment'}:\n\n{fenced(extracted)}"
            )
        else:
            skipped["attached files"] += 1
    skipped["attached files"] += len(as_list(message.get("files")))
    return "\n\n".join(filter(None, contents)), "\n\n".join(filter(None, thought))


def _with_citations(part: dict[str, Any]) -> str:
    words = as_text(part.get("text"))
    places: dict[int, list[str]] = {}
    for cited in map(as_dict, as_list(part.get("citations"))):
        details, end = as_dict(cited.get("details")), cited.get("end_index")
        source_link = link({"title": cited.get("title") or details.get("title"), **details})
        if source_link and isinstance(end, int) and 0 < end <= len(words):
            places.setdefault(end, []).append(source_link)
    parts, at = list[str](), 0
    for end in sorted(places):
        parts += [words[at:end], " ", " ".join(dict.fromkeys(places[end]))]
        at = end
    return "".join([*parts, words[at:]])
