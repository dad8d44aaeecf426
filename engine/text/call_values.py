"""Conversion of argument values of tool calls to JSON, from literals as models write them.

Valid JSON is copied unchanged, so that numbers keep all their digits, and the start of a value is
final before its end is known. Single quotes, unescaped quotes, trailing commas, missing ends,
Python literals and line breaks in strings are repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from engine.text.pieces import replace_surrogates

_MAX_DEPTH = 100
_BLANKS = re.compile(r"\s*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = re.compile(r"[\w.:/$-]+|\+[\d.]+")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_PYTHON_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{1,3})|(\n)|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
_AFTER = re.compile(r"\s*(?:[,:}\])]|\Z)")  # possible end of a string
_QUOTED = "'\"`\\"


class Style(Struct, frozen=True):
    """Notation of literals in a call.

    Attributes:
        mark: string delimiter in Gemma's notation. Empty if strings are in quotes.
        python: use Python's escapes and numbers.
    """

    mark: str = ""
    python: bool = False


JSON_STYLE = Style()
PYTHON_STYLE = Style(python=True)


def dumps(value: Any) -> str:
    """Return a value as JSON. Lone surrogates become U+FFFD."""
    return replace_surrogates(json.dumps(value, ensure_ascii=False))


def skip_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def parse_literal(text: str, at: int, style: Style = JSON_STYLE) -> tuple[str, int]:
    """Return the literal at an index as JSON, and the index of its end.

    Raises:
        ValueError: if there is no literal, or it isn't complete.
    """
    return _Literals(text, style).value(skip_blanks(text, at), 0)


def split_members(text: str) -> dict[str, str]:
    """Return the values of a JSON object by key, as they are written."""
    decode, members, at = (
        json.JSONDecoder(strict=False).raw_decode,
        dict[str, str](),
        skip_blanks(text, 1),
    )
    while text[at] != "}":
        name, at = decode(text, at)
        start = skip_blanks(text, skip_blanks(text, at) + 1)
        _, at = decode(text, start)
        members[name] = text[start:at]
        at = skip_blanks(text, at)
        at = skip_blanks(text, at + 1) if text[at] == "," else at
    return members


def escape(text: str) -> str:
    parts, at = list[str](), 0
    while at < len(text):
        if match := _PLAIN.match(text, at) or _ESCAPE.match(text, at):
            parts.append(match[0])
            at = match.end()
        elif text[at] == "\\" and text[at + 1 : at + 2] in ("'", "`"):
            parts.append(text[at + 1])
            at += 2
        else:
            character = text[at]
            parts.append(f"\\u{ord(character):04x}" if character < " " else f"\\{character}")
            at += 1
    return "".join(parts)


class _Literals:
    def __init__(self, text: str, style: Style) -> None:
        self._text, self._style = text, style

    def value(self, at: int, depth: int) -> tuple[str, int]:
        text, style = self._text, self._style
        character = text[at : at + 1]
        if depth > _MAX_DEPTH:
            raise ValueError("it is nested too deeply")
        if style.mark and text.startswith(style.mark, at):
            return self._marked_string(at)
        if character and character in "'\"":
            return self._quoted_string(at)
        if character == "{":
            return self._members(at, "}", depth, True)
        if character == "[" or (character == "(" and style.python):
            return self._members(at, "]" if character == "[" else ")", depth, False)
        if number := _NUMBER.match(text, at):
            return number[0], number.end()
        word = _WORD.match(text, at)
        if word is None:
            raise ValueError("a value is missing")
        literal = _WORDS.get(word[0], word[0] if word[0] in ("true", "false", "null") else "")
        if not literal and style.python:
            literal = _python_number(word[0])
        if not literal:
            raise ValueError("a value is not a literal")
        return literal, word.end()

    def _members(self, at: int, close: str, depth: int, named: bool) -> tuple[str, int]:
        text = self._text
        parts, at, comma = ["{" if named else "["], at + 1, ""
        end = "}" if named else "]"
        while True:
            after = skip_blanks(text, at)
            if text.startswith(close, after):
                if not comma:
                    parts.append(text[at:after])
                return "".join([*parts, end]), after + 1
            if after == len(text) and len(parts) > 1 and parts[-1][-1:] in '"}]':
                return "".join([*parts, end]), after  # only the end is missing
            if len(parts) > 1 and not comma:
                raise ValueError("a comma is missing")
            parts += [comma, text[at:after]]
            at = after
            if named:
                key, at = self._key(at)
                parts.append(key)
                colon = skip_blanks(text, at)
                if not text.startswith(":", colon):
                    raise ValueError("a name has no value")
                after = skip_blanks(text, colon + 1)
                parts.append(text[at:after])
                at = after
            value, at = self.value(at, depth + 1)
            parts.append(value)
            comma, after = "", skip_blanks(text, at)
            if text.startswith(",", after):
                comma, at = text[at : after + 1], after + 1

    def _key(self, at: int) -> tuple[str, int]:
        style = self._style
        if style.mark and self._text.startswith(style.mark, at):
            return self._marked_string(at)
        if self._text[at : at + 1] in ("'", '"'):
            return self._quoted_string(at)
        word = re.compile(r"[^\s:,{}\[\]\"']+").match(self._text, at)
        if word is None:
            raise ValueError("a name is missing")
        return dumps(word[0]), word.end()

    def _marked_string(self, at: int) -> tuple[str, int]:
        """Parse a string between Gemma's marks. A mark only ends the string if a value can end
        there.
        """
        text, mark = self._text, self._style.mark
        start = at + len(mark)
        end = start - len(mark)
        while (end := text.find(mark, end + len(mark))) >= 0:
            if _AFTER.match(text, end + len(mark)):
                return dumps(text[start:end]), end + len(mark)
        raise ValueError("a string has no end")

    def _quoted_string(self, at: int) -> tuple[str, int]:
        """Parse a quoted string. A quote only ends the string if a value can end there."""
        text, quote = self._text, self._text[at]
        python = self._style.python
        if python and text.startswith(quote * 3, at):
            quote *= 3
        start = at = at + len(quote)
        while True:
            end = text.find(quote, at)
            if end < 0:
                raise ValueError("a string has no end")
            slashes = 0
            while end - slashes > start and text[end - slashes - 1] == "\\":
                slashes += 1
            if slashes % 2 == 0 and _AFTER.match(text, end + len(quote)):
                break
            at = end + 1
        inside = text[start:end]
        at = end + len(quote)
        if not python and quote == '"':
            return f'"{_escape_quotes(inside)}"', at
        return dumps(_unescape(inside)), at


def _escape_quotes(inside: str) -> str:
    if '"' in inside:
        inside = re.sub(r'\\.|"', lambda m: '\\"' if m[0] == '"' else m[0], inside, flags=re.DOTALL)
    return escape(inside)


def _unescape(text: str) -> str:
    def unescape_match(match: re.Match[str]) -> str:
        for number, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
            if match[number]:
                code = int(match[number], base)
                return chr(code) if code <= 0x10FFFF else "\ufffd"
        if match[5]:
            return ""
        return _LETTERS.get(match[6], match[6] if match[6] in _QUOTED else match[0])

    return replace_surrogates(_PYTHON_ESCAPE.sub(unescape_match, text))


def _python_number(word: str) -> str:
    try:
        return str(int(word, 0))
    except ValueError:
        pass
    try:
        return dumps(float(word)) if re.match(r"[+-]?[\d.]", word) else ""
    except ValueError:
        return ""


_STARTS = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}


def convert_text(text: str, schema: Any, has_json: bool = False) -> str:
    """Return the text between an argument's tags as JSON.

    If the schema allows strings, the text is a string. Otherwise, it's parsed according to the
    schema, and is a string if that fails.

    Args:
        has_json: the notation quotes strings that could be mistaken for JSON.
    """
    types = allowed_types(schema)
    if text == "null" and (not types or "null" in types):
        return text
    words = text.strip()
    if has_json and words.startswith('"') and _is_json(words):
        return words
    for choice in schema.get("enum", ()) if isinstance(schema, Mapping) else ():
        if not isinstance(choice, str) and words == dumps(choice):
            return words
    if "string" in types:
        return dumps(text)
    if not types:
        return words if _is_json(words) else dumps(text)
    try:
        literal, end = parse_literal(words, 0)
    except ValueError:
        return dumps(text)
    return literal if end == len(words) and _fits(literal, types) else dumps(text)


def _fits(literal: str, types: set[str]) -> bool:
    kind = _STARTS.get(literal[0])
    if kind is not None:
        return kind in types
    is_whole = re.fullmatch(r"-?\d+(\.0+)?", literal) is not None
    return "number" in types or ("integer" in types and is_whole)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return text not in ("NaN", "Infinity", "-Infinity")


def allowed_types(schema: Any, depth: int = 0) -> set[str]:
    """Return the types allowed by a schema. An empty set means any type."""
    if not isinstance(schema, Mapping) or depth > 8:
        return set()
    type_names = schema.get("type")
    types = (
        {type_names}
        if isinstance(type_names, str)
        else set(type_names if isinstance(type_names, list) else ())
    )
    for word in ("anyOf", "oneOf", "allOf"):
        parts = schema.get(word)
        if not types and isinstance(parts, list):
            inner = [allowed_types(part, depth + 1) for part in parts]
            if word == "allOf" or all(inner):
                types = set().union(*inner)
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not types and isinstance(choices, list):
        types = {_STARTS.get(dumps(choice)[0], "number") for choice in choices}
    if types and schema.get("nullable") is True:
        types.add("null")
    return types
