"""Shared parts of the document readers: results, limits, zip archives and their XML."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

MOST_CHARACTERS = 8_000_000
"""Limit for the text of a file, twice the longest contexts of current models."""
MOST_PAGES = 20_000
MAX_UNPACKED_BYTES = 400_000_000
"""Limit for all members of a file together. zipfile returns at most the declared size of each."""
_MOST_PART = 150_000_000
_MOST_MEMBERS = 20_000
MAX_DEPTH = 200  # of nested elements

DAMAGED = "is damaged"
LOCKED = "is locked with a password. Save it without one and try again"
TOO_DEEP = "is nested too deeply"
PAGE = "\f"

_CONTROLS = {number: None for number in range(32) if chr(number) not in "\n\t"}
# ISO's strict form of Office files has different names for the same elements.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")


class UnreadableError(Exception):
    """The file cannot be read. The message is the end of a sentence that begins with its name."""


class Document(Struct, frozen=True):
    """A file as text."""

    kind: str  # for display: "PDF", "Word", "text"
    # what its pages are called: "page", "slide", "sheet", "chapter"; "" for a file without pages
    unit: str
    # text of each page, "" for pages without text
    pages: tuple[str, ...]
    # name of each page, as in sheets; empty if pages only have numbers
    labels: tuple[str, ...] = ()
    # numbers of pages with pictures or drawings but without text
    scans: tuple[int, ...] = ()
    # Python's name of a text file's encoding, "" for other files
    encoding: str = ""

    @property
    def is_scan(self) -> bool:
        """True if no page has text."""
        return not any(self.pages)


class Budget:
    """Counter of a file's characters and pages, with limits."""

    def __init__(self) -> None:
        self._characters = self._pages = 0

    def take(self, text: str, pages: int = 0) -> str:
        """Count a text, and return it. Raise UnreadableError above a limit."""
        self._characters += len(text)
        self._pages += pages
        if self._characters > MOST_CHARACTERS:
            raise UnreadableError(
                f"holds more than {MOST_CHARACTERS:,} characters of text. Attach a part of it"
            )
        if self._pages > MOST_PAGES:
            raise UnreadableError(f"has more than {MOST_PAGES:,} pages. Attach a part of it")
        return text


class LeftOut:
    """Counter of the parts of a file that are not in its text, for a note at the end."""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def add(self, what: str, count: int = 1) -> None:
        """Count something, named in the singular. Use a count of 0 for names without a number
        ("macros")."""
        self._counts[what] += count

    def note(self) -> str:
        """Return the note, "" if nothing was left out."""
        named = [
            what if not n else f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
            for what, n in self._counts.items()
        ]
        return f"[Not included: {', '.join(named)}]" if named else ""


def document(
    kind: str,
    unit: str,
    pages: list[str],
    labels: list[str] | None = None,
    left_out: LeftOut | None = None,
    encoding: str = "",
) -> Document:
    """Return a document with cleaned text. Raise UnreadableError if it has no text."""
    cleaned = [*map(clean, pages)]
    if not any(cleaned):
        raise UnreadableError("holds no text")
    if left_out is not None and (note := left_out.note()):
        cleaned[-1] = f"{cleaned[-1]}\n\n{note}".lstrip("\n")
    names = tuple(" ".join(label.split())[:200] for label in labels or ())
    return Document(kind, unit, tuple(cleaned), names, encoding=encoding)


def clean(text: str) -> str:
    """Return text with plain line breaks, without control characters and trailing blanks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.translate(_CONTROLS)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


_BAR = re.compile(r"(?<!\\)\|")  # bars of nested tables are already escaped


def table_row(cells: Iterable[str]) -> str:
    """Return a row of a Markdown table, on one line, with escaped bars."""
    return f"| {' | '.join(escape_bars(' '.join(cell.split())) for cell in cells)} |"


def escape_bars(text: str) -> str:
    """Escape bars in a cell's text, as they would begin another cell."""
    return _BAR.sub(r"\\|", text)


_RAISED = dict(zip("0123456789+-−=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿ", strict=True))
_LOWERED = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


def shifted(text: str, position: str) -> str:
    """Return superscript or subscript text in Unicode characters, if all of them exist.

    Otherwise "10²" would become 102.

    Args:
        position: begins with "super" or "sub" for shifted text.
    """
    signs = {"sup": _RAISED, "sub": _LOWERED}.get(position[:3], {})
    return "".join(signs[c] for c in text) if signs and set(text) <= signs.keys() else text


class Archive:
    """Zip file with a limited size when unpacked.

    All methods raise UnreadableError.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise UnreadableError(DAMAGED) from None
        members = self._zip.infolist()
        self._sizes = {member.filename: member.file_size for member in members}
        too_large = sum(m.file_size for m in members) > MAX_UNPACKED_BYTES
        if len(members) > _MOST_MEMBERS or too_large:
            raise UnreadableError("unpacks to more than can be read")
        if any(member.flag_bits & 1 for member in members):
            raise UnreadableError(LOCKED)

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sizes)

    def read(self, name: str) -> bytes:
        """Return the bytes of a member."""
        if self._sizes.get(name, _MOST_PART + 1) > _MOST_PART:
            raise UnreadableError(DAMAGED if name not in self else "has too large a part")
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, KeyError):
            raise UnreadableError(DAMAGED) from None
        except Exception as error:  # zlib.error and lzma.LZMAError
            if "error" in type(error).__name__.lower():
                raise UnreadableError(DAMAGED) from None
            raise

    def xml(self, name: str) -> Any:
        """Parse a member, and return its root. Entities and external references are rejected."""
        return xml(self.read(name))

    def targets(self, name: str) -> dict[str, str]:
        """Return the members that a member refers to, by id."""
        folder, _, last = name.rpartition("/")
        rels = f"{folder}/_rels/{last}.rels" if folder else f"_rels/{last}.rels"
        if rels not in self:
            return {}
        return {
            str(each.get("Id")): joined(folder, str(each.get("Target")))
            for each in self.xml(rels)
            if each.get("TargetMode") != "External"
        }

    def main_part(self) -> str:
        """Return the name of an Office file's main part, or ""."""
        for each in self.xml("_rels/.rels") if "_rels/.rels" in self else ():
            if str(each.get("Type")).endswith("/officeDocument"):
                return joined("", str(each.get("Target")))
        return ""


def xml(data: bytes) -> Any:
    """Parse XML, and return its root. Raise UnreadableError, also for dangerous entities."""
    from defusedxml import ElementTree
    from defusedxml.common import DefusedXmlException

    data = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)
    try:
        return ElementTree.fromstring(data, forbid_dtd=False)
    except DefusedXmlException:
        raise UnreadableError("holds XML that is not safe to read") from None
    except (ElementTree.ParseError, ValueError, RecursionError, LookupError):
        raise UnreadableError(DAMAGED) from None


def joined(folder: str, target: str) -> str:
    """Join the names of a folder and a path relative to it."""
    parts = [] if target.startswith("/") else [p for p in folder.split("/") if p]
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
