from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from app.chats.importing.chatgpt import fenced
from app.chats.importing.import_tree import (
    ImportedChat,
    Node,
    as_dict,
    as_list,
    as_text,
    build_chat,
)
from app.store import ChatRecord
from app.store.records import new_id

NAME = "agent"


def read(
    messages: Iterable[Mapping[str, Any]], reply: str, title: str, model: str, name: str
) -> ImportedChat:
    """Convert an agent's messages in chat template format and its last reply to a chat.

    Tool calls and their results become code blocks.
    """
    nodes: dict[str, Node] = {}
    for number, message in enumerate([*messages, {"role": "assistant", "content": reply}]):
        key = str(number)
        node = nodes[key] = Node(key, str(number - 1) if number else None, model=name)
        role, content = as_text(message.get("role")), _content_text(message.get("content"))
        if role == "tool":
            # A tool result isn't the user's text, so add it to the answer with the call.
            node.role, node.content = "assistant", fenced(content)
        elif role == "assistant":
            calls = [_format_call(call) for call in as_list(message.get("tool_calls"))]
            node.role, node.content = role, "\n\n".join(filter(None, (content, *calls)))
            node.reasoning = as_text(message.get("reasoning_content"))
        else:
            node.role, node.content = "user" if role == "user" else "system", content
    now = time.time()
    chat = ChatRecord(new_id(), title=title, model=model, created_at=now, updated_at=now)
    return build_chat(NAME, chat, nodes, str(len(nodes) - 1))


def _content_text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(
        filter(None, (as_text(as_dict(part).get("text")) for part in as_list(content)))
    )


def _format_call(call: object) -> str:
    function = as_dict(as_dict(call).get("function"))
    arguments = function.get("arguments")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return fenced(f"{as_text(function.get('name'))} {written}")
