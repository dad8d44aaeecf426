"""The items of a response's input, as messages."""

from __future__ import annotations

from typing import Any

from engine.messages import Message
from engine.serve.doors.chat import read_message
from engine.serve.doors.kinds import said
from engine.serve.doors.tools import arguments

_TEXTS = ("input_text", "output_text", "text", "reasoning_text", "summary_text")


def input_of(given: Any) -> list[Message]:
    """The messages of `input`, a text or a list of items.

    Raises:
        ValueError: says what cannot be read.
    """
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise ValueError("input must be a text, or a list of items that is not empty")
    messages: list[Message] = []
    thought = ""
    for item in given:
        if not isinstance(item, dict):
            raise ValueError(f"input must be a list of objects, not of {said(item)}")
        kind = item.get("type", "message")
        if kind == "reasoning":
            thought = _texts(item.get("content") or item.get("summary") or [])
        elif kind == "message":
            message = read_message(
                {"role": item.get("role"), "content": _texts(item.get("content"))}
            )
            messages.append(_with(message, thought))
            thought = ""
        elif kind == "function_call":
            _add_call(messages, item, thought)
            thought = ""
        elif kind == "function_call_output":
            call, output = item.get("call_id"), _texts(item.get("output"))
            messages.append({"role": "tool", "tool_call_id": str(call or ""), "content": output})
        else:
            raise ValueError(f"input cannot have an item of the type {said(kind)} here")
    if not messages:
        raise ValueError("input must have a message")
    return messages


def _add_call(messages: list[Message], item: dict[str, Any], thought: str) -> None:
    """Put a call into the message of the assistant before it, or into a new one."""
    name = item.get("name")
    if not isinstance(name, str):
        raise ValueError("a function_call in input must have a name")
    call = {
        "id": str(item.get("call_id") or ""),
        "type": "function",
        "function": {"name": name, "arguments": arguments(item.get("arguments"), name)},
    }
    if messages and messages[-1]["role"] == "assistant" and not thought:
        last = dict(messages.pop())
        messages.append({**last, "tool_calls": [*last.get("tool_calls", []), call]})
    else:
        messages.append(_with({"role": "assistant", "content": "", "tool_calls": [call]}, thought))


def _with(message: Message, thought: str) -> Message:
    if thought and message["role"] == "assistant":
        return {**message, "reasoning_content": thought}
    return message


def _texts(content: Any) -> str:
    """A text, or the texts of parts."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    texts = []
    for part in content if isinstance(content, list) else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in _TEXTS or not isinstance(part.get("text"), str):
            raise ValueError(f"only text can be read, not a part of the type {said(kind)}")
        texts.append(part["text"])
    return "".join(texts)
