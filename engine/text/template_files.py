"""Chat templates where models keep them: one text, several by name, or a file of their own.

transformers reads `tokenizer_config.json`, `chat_template.jinja` and `additional_chat_templates/`.
The older `chat_template.json`, which it reads for models with pictures only, is read here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MORE = "additional_chat_templates"
"""A folder in the model's: its templates are files, named as they are."""

DEFAULT, TOOLS = "default", "tool_use"
"""The names that transformers knows, of templates that have some."""


def extra(folder: Path) -> dict[str, Any]:
    """What a tokenizer is loaded with so that it has its template; mostly nothing."""
    if (folder / "chat_template.jinja").exists() or (folder / MORE).exists():
        return {}
    if _of(folder / "tokenizer_config.json"):
        return {}
    found = _of(folder / "chat_template.json")
    return {"chat_template": found} if found else {}


def settle(tokenizer: Any) -> None:
    """Give named templates a default one: transformers refuses to choose among other names."""
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    named = getattr(inner, "chat_template", None)
    if isinstance(named, dict) and named and DEFAULT not in named:
        inner.chat_template = {DEFAULT: next(iter(named.values())), **named}


def _of(file: Path) -> Any:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # whoever needs the file says what is wrong with it
    return content.get("chat_template") if isinstance(content, dict) else None
