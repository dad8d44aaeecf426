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
"""Characters of a file's text: twice the longest contexts of today's models."""
MOST_PAGES = 20_000
MAX_UNPACKED_BYTES = 400_000_000
"""Total of a file's unpacked members. zipfile returns no more of a member than it declares."""
_MOST_PART = 150_000_000
_MOST_MEMBERS = 20_000
MAX_DEPTH = 200  # of elements in each other

DAMAGED = "is damaged"
LOCKED = "is locked with a password. Save it without one and try again"
TOO_DEEP = "is nested too deeply"
PAGE = "\f"

_CONTROLS = {number: None for number in range(32) if chr(number) not in "\n\t"}
# ISO's strict form of Office files has other names for the same elements.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")


class UnreadableError(Exception):
    """The file cannot be read: the end of a sentence that begins with its name."""


class Document(Struct, frozen=True):
    """A file as text."""

    kind: str  # what it is, for people: "PDF", "Word", "text"
    # what its pages are called: "page", "slide", "sheet", "chapter"; "" for a file that is one
    # piece
    unit: str
    # the text of each. One that has none is empty, so that the numbers are right.
    pages: tuple[str, ...]
    # a name of each page, as sheets have; empty where pages have numbers only
    labels: tuple[str, ...] = ()
    # the numbers of the pages that have no text but pictures or drawings
    scans: tuple[int, ...] = ()
    # Python's name of a text file's encoding; "" for a file whose format has its own
    encoding: str = ""

    @property
    def is_scan(self) -> bool:
        """True if its pages have nothing but pictures."""
        return not any(self.pages)


class Budget:
    """Counts a file's characters and pages, and refuses what has too many."""

    def __init__(self) -> None:
        self._characters = self._pages = 0

    def take(self, text: str, pages: int = 0) -> str:
        """The text itself. Raises UnreadableError where there is more than anybody can use."""
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
    """Counts what of a file is not in its text, for a note at the end of it."""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def add(self, what: str, count: int = 1) -> None:
        """Count something by its singular. What has no number ("macros") is counted 0 times."""
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
    """Return a document with its text cleaned. Raises UnreadableError if it has no text."""
    cleaned = [*map(clean, pages)]
    if not any(cleaned):
        raise UnreadableError("holds no text")
    if left_out is not None and (note := left_out.note()):
        cleaned[-1] = f"{cleaned[-1]}\n\n{note}".lstrip("\n")
    names = tuple(" ".join(label.split())[:200] for label in labels or ())
    return Document(kind, unit, tuple(cleaned), names, encoding=encoding)


def clean(text: str) -> str:
    """The text with plain line ends, without control characters and blanks at lines' ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.translate(_CONTROLS)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


_BAR = re.compile(r"(?<!\\)\|")  # a row of an inner table is escaped already


def table_row(cells: Iterable[str]) -> str:
    """Return a row of a Markdown table, on one line, with the bars within cells escaped."""
    return f"| {' | '.join(escape_bars(' '.join(cell.split())) for cell in cells)} |"


def escape_bars(text: str) -> str:
    """Return a cell's text with its bars escaped, which would begin another cell."""
    return _BAR.sub(r"\\|", text)


_RAISED = dict(zip("0123456789+-−=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿ", strict=True))
_LOWERED = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


def shifted(text: str, position: str) -> str:
    """Return superscript or subscript text in Unicode's characters, if there are all of them.

    Without them "10²" would be 102.

    Args:
        position: begins with "super" or "sub"; others are of text on the line.
    """
    signs = {"sup": _RAISED, "sub": _LOWERED}.get(position[:3], {})
    return "".join(signs[c] for c in text) if signs and set(text) <= signs.keys() else text


class Archive:
    """A zip file whose members together are small enough to be unpacked.

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
        """The bytes of a member."""
        if self._sizes.get(name, _MOST_PART + 1) > _MOST_PART:
            raise UnreadableError(DAMAGED if name not in self else "has too large a part")
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, KeyError):
            raise UnreadableError(DAMAGED) from None
        except Exception as error:  # zlib's and lzma's own
            if "error" in type(error).__name__.lower():
                raise UnreadableError(DAMAGED) from None
            raise

    def xml(self, name: str) -> Any:
        """The root element of a member. Entities and references to other files are refused."""
        return xml(self.read(name))

    def targets(self, name: str) -> dict[str, str]:
        """Return the members that a member refers to, by their ids."""
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
        """The name of an Office file's main part, "" if the file does not say."""
        for each in self.xml("_rels/.rels") if "_rels/.rels" in self else ():
            if str(each.get("Type")).endswith("/officeDocument"):
                return joined("", str(each.get("Target")))
        return ""


def xml(data: bytes) -> Any:
    """Return the root element. Raises UnreadableError, also for what entities could do."""
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
    """A member's name, from a folder's and a path within it."""
    parts = [] if target.startswith("/") else [p for p in folder.split("/") if p]
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
