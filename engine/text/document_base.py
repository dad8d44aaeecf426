"""Building blocks for document readers: results, limits, zip archives, XML."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.text.pieces import replace_surrogates

MAX_CHARACTERS = 8_000_000
"""Limit on the text of a file, twice the longest context of current models."""
MAX_PAGES = 20_000
MAX_UNPACKED_BYTES = 400_000_000
"""Limit on all archive members together. zipfile never returns more than a member's declared
size.
"""
_MAX_PART_BYTES = 150_000_000
_MAX_MEMBERS = 20_000
MAX_DEPTH = 200  # nesting depth of elements

DAMAGED = "is damaged"
LOCKED = "is locked with a password. Save it without one and try again"
TOO_DEEP = "is nested too deeply"
PAGE = "\f"

_CONTROLS = {number: None for number in range(32) if chr(number) not in "\n\t"}
# "Strict" Office files use other namespaces for the same elements.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")


class UnreadableError(Exception):
    """Raised if a file can't be read. The message completes a sentence about the file."""


class Document(Struct, frozen=True):
    kind: str  # shown to the user: "PDF", "Word", "text"
    # Name of a page: "page", "slide", "sheet", "chapter". Empty if the file has no pages.
    unit: str
    # Text per page. Empty for a page without text.
    pages: tuple[str, ...]
    # Titles of pages, e.g. sheet names. Empty if pages are only numbered.
    labels: tuple[str, ...] = ()
    # Numbers of pages that have pictures or drawings but no text.
    scans: tuple[int, ...] = ()
    # Python's encoding name for text files, else "".
    encoding: str = ""

    @property
    def is_scan(self) -> bool:
        return not any(self.pages)


class Budget:
    def __init__(self) -> None:
        self._characters = self._pages = 0

    def add(self, text: str, pages: int = 0) -> str:
        """Count a text and return it. Raises UnreadableError if a limit is exceeded."""
        self._characters += len(text)
        self._pages += pages
        if self._characters > MAX_CHARACTERS:
            raise UnreadableError(
                f"has more than {MAX_CHARACTERS:,} characters of text. Attach a part of it"
            )
        if self._pages > MAX_PAGES:
            raise UnreadableError(f"has more than {MAX_PAGES:,} pages. Attach a part of it")
        return text


class LeftOut:
    """Counts of the omitted parts of a file, for a note at the end."""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def add(self, kind: str, count: int = 1) -> None:
        """Count an omitted part, named in the singular.

        A count of 0 is for names without a number ("macros").
        """
        self._counts[kind] += count

    def note(self) -> str:
        parts = [
            kind if not n else f"{n:,} {kind}" if n == 1 else f"{n:,} {kind}s"
            for kind, n in self._counts.items()
        ]
        return f"[Not included: {', '.join(parts)}]" if parts else ""


def build_document(
    kind: str,
    unit: str,
    pages: list[str],
    labels: list[str] | None = None,
    left_out: LeftOut | None = None,
    encoding: str = "",
) -> Document:
    cleaned = [*map(clean, pages)]
    if not any(cleaned):
        raise UnreadableError("has no text")
    if left_out is not None and (note := left_out.note()):
        cleaned[-1] = f"{cleaned[-1]}\n\n{note}".lstrip("\n")
    names = tuple(" ".join(label.split())[:200] for label in labels or ())
    return Document(kind, unit, tuple(cleaned), names, encoding=encoding)


def build_paged(kind: str, parts: Iterable[str], budget: Budget, left_out: LeftOut) -> Document:
    """Return a document from text with page breaks, and the text before and after it."""
    pages = "\n\n".join(filter(None, parts)).split(PAGE)
    budget.add("", len(pages))
    unit = "page" if len(pages) > 1 else ""
    return build_document(kind, unit, pages, left_out=left_out)


def clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = replace_surrogates(text).translate(_CONTROLS)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


_BAR = re.compile(r"(?<!\\)\|")  # bars in nested tables are already escaped


def table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(escape_bars(' '.join(cell.split())) for cell in cells)} |"


def escape_bars(text: str) -> str:
    return _BAR.sub(r"\\|", text)


_RAISED = dict(zip("0123456789+-−=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿ", strict=True))
_LOWERED = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


def to_raised_or_lowered(text: str, position: str) -> str:
    """Return superscript or subscript text as Unicode characters, if all of them exist.

    Without this, "10²" would become "102".

    Args:
        position: starts with "super" or "sub". For any other value, the text is returned unchanged.
    """
    signs = {"sup": _RAISED, "sub": _LOWERED}.get(position[:3], {})
    return "".join(signs[c] for c in text) if signs and set(text) <= signs.keys() else text


class Archive:
    """Zip file with a limit on its unpacked size. Every method can raise UnreadableError."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise UnreadableError(DAMAGED) from None
        members = self._zip.infolist()
        self._sizes = {member.filename: member.file_size for member in members}
        too_large = sum(m.file_size for m in members) > MAX_UNPACKED_BYTES
        if len(members) > _MAX_MEMBERS or too_large:
            raise UnreadableError("unpacks to more than can be read")
        if any(member.flag_bits & 1 for member in members):
            raise UnreadableError(LOCKED)

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sizes)

    def read(self, name: str) -> bytes:
        if self._sizes.get(name, _MAX_PART_BYTES + 1) > _MAX_PART_BYTES:
            raise UnreadableError(DAMAGED if name not in self else "has too large a part")
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, KeyError):
            raise UnreadableError(DAMAGED) from None
        except Exception as error:  # zlib.error, lzma.LZMAError and others
            if "error" in type(error).__name__.lower():
                raise UnreadableError(DAMAGED) from None
            raise

    def parse_xml(self, name: str) -> Any:
        """Parse a member as XML without entities and external references, and return the root."""
        return parse_xml(self.read(name))

    def targets(self, name: str) -> dict[str, str]:
        folder, _, last = name.rpartition("/")
        rels = f"{folder}/_rels/{last}.rels" if folder else f"_rels/{last}.rels"
        if rels not in self:
            return {}
        return {
            str(relation.get("Id")): join_path(folder, str(relation.get("Target")))
            for relation in self.parse_xml(rels)
            if relation.get("TargetMode") != "External"
        }

    def main_part(self) -> str:
        for relation in self.parse_xml("_rels/.rels") if "_rels/.rels" in self else ():
            if str(relation.get("Type")).endswith("/officeDocument"):
                return join_path("", str(relation.get("Target")))
        return ""


def parse_xml(data: bytes) -> Any:
    from defusedxml import ElementTree
    from defusedxml.common import DefusedXmlException

    data = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)
    try:
        return ElementTree.fromstring(data, forbid_dtd=False)
    except DefusedXmlException:
        raise UnreadableError("contains unsafe XML") from None
    except (ElementTree.ParseError, ValueError, RecursionError, LookupError):
        raise UnreadableError(DAMAGED) from None


def join_path(folder: str, target: str) -> str:
    parts = [] if target.startswith("/") else [p for p in folder.split("/") if p]
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
