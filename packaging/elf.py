"""Reader for 64-bit Linux libraries: segments, and defined and used symbols."""

from __future__ import annotations

import struct

PAGE = 0x1000
_DYNAMIC_SYMBOLS = 11


def is_one(data: bytes) -> bool:
    return data[:6] == b"\x7fELF\x02\x01"


def segments(data: bytes) -> list[tuple[int, ...]]:
    """Return each segment's type, flags, address, size in memory, and offset minus address modulo
    the page size."""
    offset, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    found = []
    for at in range(offset, offset + 56 * count, 56):
        kind, rights, place, address, _, _, size, _ = struct.unpack_from("<2I6Q", data, at)
        found.append((kind, rights, address, size, (place - address) % PAGE))
    return found


def names(data: bytes) -> tuple[set[bytes], set[bytes]]:
    """Return the dynamic symbols that a library defines, and those it imports."""
    offset, size, count = (
        *struct.unpack_from("<Q", data, 40),
        *struct.unpack_from("<2H", data, 58),
    )
    sections = [
        struct.unpack_from("<2I4Q2I2Q", data, offset + size * number) for number in range(count)
    ]
    has: set[bytes] = set()
    wants: set[bytes] = set()
    for _, kind, _, _, at, length, link, _, _, _ in sections:
        if kind != _DYNAMIC_SYMBOLS:
            continue
        texts = sections[link][4]
        for symbol in range(at + 24, at + length, 24):
            name, info, _, section = struct.unpack_from("<I2BH", data, symbol)
            start = texts + name
            text = data[start : data.index(b"\0", start)]
            if section:
                has.add(text)
            elif info >> 4 == 1:  # weak symbols are optional
                wants.add(text)
    return has, wants
