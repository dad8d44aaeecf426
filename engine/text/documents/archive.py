"""Zip files that office programs write, opened with limits, and the XML in them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, cast

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from engine.text.documents.document import UnreadableError

_MOST_BYTES = 400_000_000
"""Of all that is packed in one file, unpacked. zipfile gives no more of a member than is declared,
so what is declared can be relied on."""
_MOST_PART = 150_000_000
_MOST_MEMBERS = 20_000

DAMAGED = "is damaged"
UNSAFE = "holds XML that is not safe to read"


class Archive:
    """A zip file whose members together are small enough to be unpacked."""

    def __init__(self, path: Path) -> None:
        """Raises UnreadableError."""
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise UnreadableError(DAMAGED) from None
        members = self._zip.infolist()
        self._sizes = {member.filename: member.file_size for member in members}
        if len(members) > _MOST_MEMBERS or sum(m.file_size for m in members) > _MOST_BYTES:
            raise UnreadableError("unpacks to more than can be read")
        if any(member.flag_bits & 1 for member in members):
            raise UnreadableError("is locked with a password. Save it without one and try again")

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    @property
    def names(self) -> list[str]:
        return list(self._sizes)

    def read(self, name: str) -> bytes:
        """The bytes of a member. Raises UnreadableError."""
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
        try:
            root = ElementTree.fromstring(self.read(name), forbid_dtd=False)
        except DefusedXmlException:
            raise UnreadableError(UNSAFE) from None
        except (ElementTree.ParseError, ValueError, RecursionError):
            raise UnreadableError(DAMAGED) from None
        return cast(Any, root)

    def targets(self, name: str) -> dict[str, str]:
        """By their ids, what a member refers to: names of other members."""
        folder, _, last = name.rpartition("/")
        rels = f"{folder}/_rels/{last}.rels" if folder else f"_rels/{last}.rels"
        if rels not in self:
            return {}
        return {
            str(each.get("Id")): joined(folder, str(each.get("Target")))
            for each in self.xml(rels)
            if each.get("TargetMode") != "External"
        }


def joined(folder: str, target: str) -> str:
    """A member's name, from a folder's and a path within it."""
    parts = [] if target.startswith("/") else [p for p in folder.split("/") if p]
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
