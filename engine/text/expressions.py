"""Conversion of regular expressions to the syntax that Python and llguidance share."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_CHARACTERS = 50_000

_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\[.*|\((?:\?[^:)>]*[:)>])?|[\^$]|.", re.DOTALL)
_GROUP = re.compile(r"\((\?([isx]*:|P?<[A-Za-z]\w*>))?")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "/": r"\/"}


def convert(expression: str) -> str:
    """Convert an expression for a whole text, or return "" if it needs other syntax.

    Anchors at either end are removed.
    """
    parts = _PART.findall(expression)
    if parts[:1] == ["^"] and not _has_alternatives(parts):
        parts = parts[1:]
    if parts[-1:] == ["$"] and not _has_alternatives(parts):
        parts = parts[:-1]
    converted = [*map(_convert_part, parts)]
    if len(expression) > MAX_CHARACTERS or not all(converted):
        return ""
    pattern = "".join(converted)
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return ""
    return pattern


def _has_alternatives(parts: Iterable[str]) -> bool:
    depth = 0
    for part in parts:
        depth += part.startswith("(") - (part == ")")
        if part == "|" and not depth:
            return True
    return False


def _convert_part(part: str) -> str:
    if part[0] == "(":
        group = _GROUP.fullmatch(part)
        if group is None:
            return ""  # lookaround or a backreference
        return f"(?{group[2]}" if group[2] and group[2].endswith(":") else "(?:"
    if part in ("^", "$") or re.fullmatch(r"\\[1-9bBAZzG]", part):
        return ""
    if part[0] == "[" and part[-1] != "]":
        return ""
    if part[0] == "[":
        # llguidance would interpret these as nested classes or set operators.
        inner = re.sub(r"\\.|[\[&~/\n]", _escape_in_class, part[1:-1], flags=re.DOTALL)
        return f"[{inner}]"
    return _ESCAPES.get(part, part)


def _escape_in_class(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) > 1 else _ESCAPES.get(match[0], f"\\{match[0]}")
