"""Makes the Unicode library that comes with Qt smaller by the data that Qt never reads.

libicudata is one table of 3,900 files. Qt sorts, folds cases, names time zones and reads old
encodings by it; languages' and countries' names, units, currencies, spelled-out numbers,
transliteration and dictionaries of words are never asked for, as Qt has its own or none.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from pathlib import Path

UNUSED = ("brkitr", "curr", "lang", "rbnf", "translit", "unit")
"""Folders of the table that no function in `ASKED` reads."""

ASKED = {"u_strToLower", "u_strToUpper", "ucal", "ucnv", "ucol"}
"""The functions of ICU that Qt 6.11 calls: whole names, or beginnings of names."""

_CALL = re.compile(rb"(?<=\0)(u[a-z]*_[A-Za-z]+)_\d\d(?=\0)")
_TABLE = re.compile(rb"(?s)..\xda\x27.{8}CmnD")
_PAGE = 0x1000


def calls(libraries: Iterable[Path]) -> set[str]:
    """The functions of ICU that these libraries call and that `ASKED` does not have."""
    names = {n.decode() for file in libraries for n in _CALL.findall(file.read_bytes())}
    return {n for n in names if n not in ASKED and n.partition("_")[0] not in ASKED}


def thin(elf: bytes) -> bytes:
    """libicudata without the unused folders. Raises ValueError if its layout is unknown."""
    offset, count = struct.unpack_from("<Q", elf, 32)[0], struct.unpack_from("<H", elf, 56)[0]
    places = [offset + 56 * i for i in range(count)]
    loads = [at for at in places if struct.unpack_from("<I", elf, at)[0] == 1]
    found = _TABLE.search(elf)
    if elf[:6] != b"\x7fELF\x02\x01" or len(loads) != 2 or found is None:
        raise ValueError("no library of one table")
    start, end = found.start(), struct.unpack_from("<Q", elf, loads[0] + 32)[0]
    table = _without(elf[start:end])
    made = bytearray(elf[:start] + table)
    symbol = elf.find(struct.pack("<2Q", start, end - start), 0, start)
    if symbol < 0:
        raise ValueError("the table does not fill its segment")
    struct.pack_into("<Q", made, symbol + 8, len(table))
    struct.pack_into("<2Q", made, loads[0] + 32, len(made), len(made))
    # The next segment keeps its address. Its place in the file must agree with that within a page.
    rest = struct.unpack_from("<Q", elf, loads[1] + 8)[0]
    size = struct.unpack_from("<Q", elf, loads[1] + 32)[0]
    moved = (rest - len(made)) // _PAGE * _PAGE
    for at in places:
        place = struct.unpack_from("<Q", elf, at + 8)[0]
        if place >= rest:
            struct.pack_into("<Q", made, at + 8, place - moved)
    # The section headers, at the file's end, are for debuggers only and are left out.
    struct.pack_into("<Q", made, 40, 0)
    struct.pack_into("<2H", made, 60, 0, 0)
    return bytes(made.ljust(rest - moved, b"\0") + elf[rest : rest + size])


def _without(table: bytes) -> bytes:
    """The table (header, offsets, names, files) without the files of unused folders."""
    base = struct.unpack_from("<H", table)[0]
    count = struct.unpack_from("<I", table, base)[0]
    entries = [struct.unpack_from("<2I", table, base + 4 + 8 * i) for i in range(count)]
    ends = [place for _, place in entries[1:]] + [len(table) - base]
    kept = []
    for (name_at, place), end in zip(entries, ends, strict=True):
        name = table[base + name_at : table.index(b"\0", base + name_at) + 1]
        if name.decode().split("/")[1] not in UNUSED:
            kept.append((name, table[base + place : base + end]))
    at_name = 4 + 8 * len(kept)
    at_file = _aligned(at_name + sum(len(name) for name, _ in kept))
    head, places = at_file, []
    for name, file in kept:
        places.append(struct.pack("<2I", at_name, at_file))
        at_name += len(name)
        at_file += _aligned(len(file))
    index = struct.pack("<I", len(kept)) + b"".join([*places, *(name for name, _ in kept)])
    files = [file.ljust(_aligned(len(file)), b"\0") for _, file in kept]
    return table[:base] + index.ljust(head, b"\0") + b"".join(files)


def _aligned(size: int) -> int:
    return -(-size // 16) * 16
