"""JSON that comes from outside: read with limits, and refused in plain words."""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 100
"""Levels of lists and objects within each other."""
LONGEST_NUMBER = 40
"""Digits of a whole number. Longer ones overflow wherever they are used."""
LONGEST_WORDS = 400
"""Characters of a sentence about what is wrong. A sentence may quote what was sent."""


def decode(raw: bytes | bytearray) -> dict[str, Any]:
    """The JSON object that these bytes are.

    Raises:
        ValueError: says what is wrong with them.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None
    try:
        found = json.loads(text, parse_constant=_constant, parse_int=_whole, parse_float=_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError('it must be a JSON object like {"messages": […]}')
    check(found)
    return found


def check(tree: Any) -> None:
    """Refuse what later code cannot take: too many levels, and halves of characters.

    JSON can write one half of a surrogate pair by itself. Such a text cannot be encoded.

    Raises:
        ValueError: names which of the two it is.
    """
    level = [tree]
    for _ in range(DEEPEST + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                if not _is_whole(item):
                    raise ValueError("a text in it holds half a character (a lone surrogate)")
            elif isinstance(item, dict):
                inner += item.keys()
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return
        level = inner
    raise ValueError(f"it is nested too deeply: {DEEPEST} levels are taken")


def shortened(words: str) -> str:
    """A sentence cut to a length that a person reads. Control characters are made visible."""
    cut = words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in cut)


def _is_whole(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _constant(name: str) -> None:
    raise ValueError(f"it is no JSON: {name} is no JSON number")


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"it holds a number of {len(digits)} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"it holds a number that is too large: {digits[:20]}")
    return number
