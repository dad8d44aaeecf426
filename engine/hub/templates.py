"""A model's chat template as a text: where it lies, and what it tells. Nothing is rendered."""

from __future__ import annotations

import json
import re
from pathlib import Path

from engine.sandbox.folders import read

MOST_TOKENIZER_CONFIG = 8 * 2**20
"""Bytes of a tokenizer_config.json in which a template is looked for; it alone is parsed."""

_MOST_TEMPLATE = 2**20
_TOOLS = re.compile(r"\btools\b")
_REASONING = re.compile(
    r"</?think|think>|enable_thinking|reasoning_(content|effort)|\[THINK\]|<\|channel|<seed:think"
    r"|START_THINKING|\bthinking\b"
)


def reasons(template: str) -> bool:
    """Whether it has a place for what a model thinks before it answers."""
    return bool(_REASONING.search(template))


def takes_tools(template: str) -> bool:
    """Whether it tells the model of tools."""
    return bool(_TOOLS.search(template))


def template_of(folder: Path, names: set[str]) -> str:
    """The chat template's text, from whichever of its three places."""
    if "chat_template.jinja" in names:
        try:
            return read(folder / "chat_template.jinja", _MOST_TEMPLATE).decode(errors="replace")
        except (OSError, ValueError):
            return ""
    for name in ("chat_template.json", "tokenizer_config.json"):
        if name in names and (text := _template_in(folder / name)):
            return text
    return ""


def _template_in(file: Path) -> str:
    """The value of "chat_template" in a JSON file of which nothing else is parsed."""
    try:
        text = read(file, MOST_TOKENIZER_CONFIG).decode(errors="replace")
    except (OSError, ValueError):
        return ""
    key = re.search(r'"chat_template"\s*:\s*', text)
    if key is None or text[key.end() : key.end() + 1] not in ('"', "["):
        return ""
    try:
        value, _ = json.JSONDecoder().raw_decode(text[: key.end() + _MOST_TEMPLATE], key.end())
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, list):  # several by name
        parts = [part.get("template") for part in value if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return value if isinstance(value, str) else ""
