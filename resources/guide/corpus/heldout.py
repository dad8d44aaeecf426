"""Filter that keeps held-out wordings out of the corpus."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

HELD_OUT = Path(__file__).resolve().parent.parent / "heldout.toml"


def normalised(text: str) -> str:
    """Return the words in lower case without punctuation."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("'", "")))


@cache
def wordings() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return all held-out messages, and a pattern for those with a code word."""
    data = tomllib.loads(HELD_OUT.read_text("utf-8"))
    whole = frozenset(normalised(text) for text in _messages(data))
    templates = [
        normalised(entry["say"].replace("{w}", "qqq")) for entry in data["tell"] + data["tell_last"]
    ]
    pattern = "|".join(re.escape(text).replace("qqq", ".+") for text in templates)
    return whole, re.compile(pattern)


def _messages(data: dict[str, Any]) -> Iterator[str]:
    kinds = ("stretto", "stretto_last", "stretto_new", "stretto_minds", "stretto_minds_last")
    kinds += ("stretto_first", "date", "task", "markdown", "beyond", "unknown", "long")
    for kind in kinds:
        yield from (entry["ask"] for entry in data[kind])
    yield from (entry["say"] for entry in data["ask"] + data["ask_last"])


def is_held_out(message: str) -> bool:
    """Return True if this user message has a held-out wording."""
    whole, pattern = wordings()
    text = normalised(message)
    return text in whole or pattern.fullmatch(text) is not None
