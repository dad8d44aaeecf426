"""What a call gives back, as text: data that is shown and read, and never obeyed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from app.tools.tool import clean, visible

LONGEST = 1_000_000
"""Characters of a result that are kept at all. More fits no model."""


@dataclass(frozen=True)
class ToolResult:
    """What came of a call.

    Attributes:
        text: what the model is told.
        error: whether the tool says that it failed.
        size: characters before anything was cut.
    """

    text: str
    error: bool = False
    size: int = 0

    @property
    def cut(self) -> bool:
        return self.size > len(self.text)


def harmless(text: str, error: bool = False) -> ToolResult:
    """A result of this text, without escape sequences and hidden characters."""
    size = len(text)
    text = text[:LONGEST]  # first: cleaning fifty megabytes takes seconds
    kept = clean(text)
    return ToolResult(kept, error, max(size - len(text), 0) + len(kept))


def from_blocks(blocks: list[dict[str, Any]], structured: Any, error: bool) -> ToolResult:
    """The blocks of an MCP result as one text. Images and sounds are named and left out."""
    texts: list[str] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            texts.append(str(block.get("text", "")))
        elif kind in ("image", "audio"):
            size = len(str(block.get("data", ""))) * 3 // 4
            what = visible(str(block.get("mimeType", kind))[:80])[:80]
            texts.append(f"[{kind} left out: {what}, {size:,} bytes]")
        elif kind == "resource_link":
            texts.append(f"[link: {visible(str(block.get('uri', ''))[:500])[:500]}]")
        elif kind == "resource":
            held = block.get("resource")
            held = held if isinstance(held, dict) else {}
            uri = visible(str(held.get("uri", ""))[:500])[:500]
            texts.append(f"[{uri}]\n{held['text']}" if "text" in held else f"[{uri} left out]")
    if not texts and structured is not None:
        texts.append(json.dumps(structured, ensure_ascii=False))
    return harmless("\n\n".join(texts), error)


def shortened(text: str, most: int) -> str:
    """The beginning and the end of a text, ``most`` characters of it, with a note between."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    left = len(text) - most
    return f"{text[:head]}\n\n[… {left:,} characters left out …]\n\n{text[len(text) - tail :]}"
