"""What a tool is, how it is named to a model, and how its texts are shown safely."""

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
"""The server name of the tools that come with the program; no configured server may have it."""

LONGEST_DESCRIPTION = 4000  # characters: longer ones are a cost in every prompt, or an attack
LONGEST_TITLE = 80
LONGEST_SCHEMA = 65_536  # bytes of JSON
_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64  # what the chat templates and the OpenAI API allow


class ToolError(Exception):
    """Something with tools did not work. ``str(error)`` is a sentence for a person."""

    def __init__(self, text: str, /, *, told: str = "", **values: object) -> None:
        """``text``: as `tr` takes it, with ``values``; another ToolError may be one of them.

        ``told``: what a model reads where that is not the same, with the same values.
        """
        super().__init__(tr(text, **values))
        english = {k: v.told if isinstance(v, ToolError) else v for k, v in values.items()}
        words = told or text
        # what a model that made the call reads, in English
        self.told: str = words.format(**english) if english else words


class Tool(Struct, frozen=True):
    """One tool of one server, as that server describes it."""

    server: str  # the server's name
    name: str  # the tool's own name, unique within its server
    description: str = ""  # what the model reads about it, without control characters
    # the JSON schema of its arguments, an object
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    title: str = ""  # its name for a person, as the server gives it; "" for none

    @property
    def key(self) -> str:
        """Server and tool in one text, as chats keep it."""
        return f"{self.server}/{self.name}"

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all that a model reads about it.

        A title is shown as it was when the person looked at the tool, whatever the server says now.
        """
        told = [self.server, self.name, self.description, self.schema]
        return hashlib.sha256(canonical(told).encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON text that is the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def given_names(tools: Iterable[Tool]) -> dict[str, Tool]:
    """The tools by the names that a model calls them by: letters, digits, ``_`` and ``-``.

    Two tools never have one name. The order of the tools decides who gets a number.
    """
    named: dict[str, Tool] = {}
    for tool in tools:
        own = _NAME.sub("_", tool.name).strip("_") or "tool"
        if tool.server != BUILT_IN:
            own = f"{_NAME.sub('_', tool.server).strip('_') or 'server'}__{own}"
        name, number = own[:_LONGEST_NAME], 2
        while name in named:
            name = f"{own[: _LONGEST_NAME - 4]}_{number}"
            number += 1
        named[name] = tool
    return named


def as_function(name: str, tool: Tool) -> dict[str, Any]:
    """The tool as chat templates take it: OpenAI's shape of a function."""
    about = {"name": name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": about}


def clean(text: str, *, lines: bool = True, most: int | None = None) -> str:
    """The text without what moves a terminal's cursor, hides itself or turns the direction.

    Escape sequences, control characters, bidirectional marks and tags go; with ``lines`` line ends
    and tabs stay. The joiners that emoji and Persian are written with stay. ``most``: characters
    that are kept; a text that is far longer is cut before it is looked at.
    """
    if most is not None:
        return clean(text[: 4 * most], lines=lines)[:most]
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    text = _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text if lines else " ".join(text.split())


def one_line(told: object, most: int) -> str:
    """As `clean` makes one line of what stands in a file; "" for what is no text."""
    text = clean(told, lines=False, most=most) if isinstance(told, str) else ""
    return " ".join(text.split())


_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?|\x1b."
)
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
_HIDDEN = re.compile(f"(?!{PRESENTED})[{_CONTROLS}{IGNORED}]")

# Also what Qt's editors give back as a blank or a line end.
_UNCLEAR = re.compile(
    f"(?!{PRESENTED})[{_CONTROLS}{IGNORED}{BLANKS}\xa0\u2028\u2029\ufdd0\ufdd1]"
    f"|[{JOINERS}](?=[{JOINERS}])"
)


def readable(arguments: str) -> str:
    """JSON text as a person reads and edits it: indented, with what hides itself as an escape.

    Text that is no JSON is given back with its escapes only.
    """
    with suppress(ValueError, RecursionError):
        arguments = json.dumps(json.loads(arguments or "{}"), indent=2, ensure_ascii=False)
    return _UNCLEAR.sub(_escaped, arguments)


def _escaped(found: re.Match[str]) -> str:
    code = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def visible(text: str) -> str:
    """The text on one line, with what cannot be seen written as an escape."""
    return escape_invisible(text, escaped)


def escaped(character: str) -> str:
    """A character as Python escapes it, in ASCII."""
    return ascii(character)[1:-1]


LONGEST = 1_000_000  # characters of a result that are kept at all. More fits no model.


class OutcomeKind(Enum):
    """Results of built-in tools that the user reads as a sentence in their language."""

    NO_FOLDERS = "no_folders"
    NOTHING_FOUND = "nothing_found"
    EMPTY_FOLDER = "empty_folder"
    NOTHING_PRINTED = "nothing_printed"
    WRITTEN = "written"


class Outcome(Struct, frozen=True):
    """Result of a built-in tool that is more than its text."""

    kind: OutcomeKind
    text: str  # what the model reads
    size: int = 0  # bytes written
    path: str = ""  # of the file that was written

    def to_json(self) -> dict[str, Any]:
        """Return what the message of the call keeps."""
        return {"kind": self.kind.value, "size": self.size, "path": self.path}


class ToolResult(Struct, frozen=True):
    """What came of a call."""

    text: str  # what the model is told
    error: bool = False  # whether the tool says that it failed
    size: int = 0  # characters before anything was cut
    shown: str = ""  # what the person reads in place of the text; "" where they read the same
    # what a built-in tool did, for a sentence in the user's language; None if the text is all
    outcome: Outcome | None = None

    @property
    def cut(self) -> bool:
        return self.size > len(self.text)


def harmless(text: str, error: bool = False) -> ToolResult:
    """A result of this text, without escape sequences and hidden characters."""
    size = len(text)
    text = text[:LONGEST]  # first: cleaning fifty megabytes takes seconds
    kept = clean(text)
    return ToolResult(kept, error, max(size - len(text), 0) + len(kept))


def failed(error: BaseException) -> ToolResult:
    """What a call comes to that has raised this: each reads their own words."""
    kind = type(error).__name__
    words = mark("The tool failed: {kind}.")
    why = error if isinstance(error, ToolError) else ToolError(words, kind=kind)
    return replace(harmless(why.told, True), shown=clean(str(why), most=LONGEST))


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
