"""Tools, their names for models, and safe display of their text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from app.settings.language import mark, tr
from engine.text.invisible import BLANKS, IGNORED, JOINERS, PRESENTED, escape_invisible

BUILT_IN = "Stretto"
"""Server name of the built-in tools. Reserved, so no configured server can have it."""

# Characters; longer text costs tokens in every prompt, or may be an attack.
LONGEST_DESCRIPTION = 4000
LONGEST_TITLE = 80
LONGEST_SCHEMA = 65_536  # bytes of JSON
_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64  # limit of chat templates and the OpenAI API


class ToolError(Exception):
    def __init__(self, text: str, /, *, model_text: str = "", **values: object) -> None:
        """``text`` is translated by `tr` with ``values``, which may include another ToolError.

        ``model_text`` is the text for models if it differs. The same values are inserted.
        """
        super().__init__(tr(text, **values))
        english = {k: v.model_text if isinstance(v, ToolError) else v for k, v in values.items()}
        words = model_text or text
        # English text for the model that made the call.
        self.model_text: str = words.format(**english) if english else words


class Tool(Struct, frozen=True):
    server: str
    name: str  # unique within the server
    description: str = ""  # text for the model, without control characters
    # JSON schema of the arguments object.
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    title: str = ""  # display name set by the server, or ""
    asks_each_time: bool = False  # the user can't allow all calls in advance

    @property
    def key(self) -> str:
        """Return server and tool name in a single string, as stored in chats."""
        return f"{self.server}/{self.name}"

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of everything a model reads about the tool.

        The title isn't included, because it is displayed as the user first saw it.
        """
        fields = [self.server, self.name, self.description, self.schema]
        return hashlib.sha256(to_canonical_json(fields).encode()).hexdigest()


def to_canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def unique_names(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return tools by unique names for models, made of letters, digits, ``_`` and ``-``.

    The later of two tools with the same name gets a number.
    """
    by_name: dict[str, Tool] = {}
    for tool in tools:
        base = _NAME.sub("_", tool.name).strip("_") or "tool"
        if tool.server != BUILT_IN:
            base = f"{_NAME.sub('_', tool.server).strip('_') or 'server'}__{base}"
        name, number = base[:_LONGEST_NAME], 2
        while name in by_name:
            name = f"{base[: _LONGEST_NAME - 4]}_{number}"
            number += 1
        by_name[name] = tool
    return by_name


def as_function(name: str, tool: Tool) -> dict[str, Any]:
    definition = {"name": name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": definition}


def clean(text: str, max_length: int | None = None) -> str:
    """Remove invisible characters and everything that could control a terminal.

    These are escape sequences, control characters, bidirectional marks and tags. Line breaks and
    tabs are kept, and joiners, because emoji and Persian need them. Text of more than four times
    ``max_length`` characters is cut first, to save time.
    """
    if max_length is not None:
        return clean(text[: 4 * max_length])[:max_length]
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(value: object, max_length: int) -> str:
    """Return a value as a single line without invisible characters, or "" if it isn't text."""
    text = clean(value[: 4 * max_length]) if isinstance(value, str) else ""
    return " ".join(text.split())[:max_length]


_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?|\x1b."
)
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
_HIDDEN = re.compile(f"(?!{PRESENTED})[{_CONTROLS}{IGNORED}]")

# Includes characters that Qt's editors return as a space or line break.
_UNCLEAR = re.compile(
    f"(?!{PRESENTED})[{_CONTROLS}{IGNORED}{BLANKS}\xa0\u2028\u2029\ufdd0\ufdd1]"
    f"|[{JOINERS}](?=[{JOINERS}])"
)


def to_readable_json(arguments: str) -> str:
    """Return JSON for reading and editing: indented, with invisible characters escaped.

    Text that isn't JSON is only escaped.
    """
    with suppress(ValueError, RecursionError):
        arguments = json.dumps(json.loads(arguments or "{}"), indent=2, ensure_ascii=False)
    return _UNCLEAR.sub(_escape_match, arguments)


def _escape_match(match: re.Match[str]) -> str:
    code = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def to_visible_line(text: str) -> str:
    return escape_invisible(text, escape_character)


def escape_character(character: str) -> str:
    return ascii(character)[1:-1]


LONGEST = 1_000_000  # characters of a result to keep; more wouldn't fit in any model


class OutcomeKind(Enum):
    """Results of built-in tools that are shown to the user as a translated sentence."""

    NO_FOLDERS = "no_folders"
    NOTHING_FOUND = "nothing_found"
    EMPTY_FOLDER = "empty_folder"
    NOTHING_PRINTED = "nothing_printed"
    WRITTEN = "written"


class Outcome(Struct, frozen=True):
    kind: OutcomeKind
    text: str  # text for the model
    size: int = 0  # bytes written
    path: str = ""  # path of the file written

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "size": self.size, "path": self.path}


class ToolResult(Struct, frozen=True):
    text: str  # text for the model
    error: bool = False  # the tool reported an error
    size: int = 0  # length before shortening
    shown: str = ""  # text for the user, or "" if it's the same
    # Set if a built-in tool did something that we describe in the user's language.
    outcome: Outcome | None = None


def clean_result(text: str, error: bool = False) -> ToolResult:
    size = len(text)
    text = text[:LONGEST]  # truncate first, because cleaning 50 MB takes seconds
    cleaned = clean(text)
    return ToolResult(cleaned, error, max(size - len(text), 0) + len(cleaned))


def failed_result(error: BaseException) -> ToolResult:
    """Create a result from an exception, with texts for the model and the user."""
    kind = type(error).__name__
    words = mark("The tool failed: {kind}.")
    tool_error = error if isinstance(error, ToolError) else ToolError(words, kind=kind)
    return replace(clean_result(tool_error.model_text, True), shown=clean(str(tool_error), LONGEST))


def result_from_blocks(blocks: list[dict[str, Any]], structured: Any, error: bool) -> ToolResult:
    """Return the blocks of an MCP result as text. Images and audio are only mentioned."""
    texts: list[str] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            texts.append(str(block.get("text", "")))
        elif kind in ("image", "audio"):
            size = len(str(block.get("data", ""))) * 3 // 4
            mime_type = to_visible_line(str(block.get("mimeType", kind))[:80])[:80]
            texts.append(f"[{kind} left out: {mime_type}, {size:,} bytes]")
        elif kind == "resource_link":
            texts.append(f"[link: {to_visible_line(str(block.get('uri', ''))[:500])[:500]}]")
        elif kind == "resource":
            inner = block.get("resource")
            inner = inner if isinstance(inner, dict) else {}
            uri = to_visible_line(str(inner.get("uri", ""))[:500])[:500]
            texts.append(f"[{uri}]\n{inner['text']}" if "text" in inner else f"[{uri} left out]")
    if not texts and structured is not None:
        texts.append(json.dumps(structured, ensure_ascii=False))
    return clean_result("\n\n".join(texts), error)


def shorten(text: str, max_length: int) -> str:
    if len(text) <= max_length:
        return text
    head = max_length * 2 // 3
    tail = max_length - head
    omitted = len(text) - max_length
    return f"{text[:head]}\n\n[… {omitted:,} characters left out …]\n\n{text[len(text) - tail :]}"
