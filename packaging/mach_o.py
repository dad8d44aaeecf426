"""Reads, replaces and makes load commands of Mach-O files, as a bundle's layout needs them.

macholib reads them as well, but cannot add or remove commands.
"""

from __future__ import annotations

import struct

ARM64 = 0x0100000C
_THIN, _FAT = 0xFEEDFACF, 0xCAFEBABE

SEGMENT, SYMTAB, LOAD, IDENTITY = 0x19, 0x2, 0xC, 0xD
RUN_PATH, SIGNATURE = 0x8000001C, 0x1D
BUILD_VERSION, VERSION_MIN = 0x32, 0x24
LOADS = {LOAD, 0x80000018, 0x8000001F, 0x80000023}
"""Commands that name a library to load: plain, weak, re-exported, upward."""

_HEADER = struct.Struct("<8I")
_SEGMENT = struct.Struct("<2I16s4Q4I")
_SECTION = struct.Struct("<16s16s2Q8I")


def thin(data: bytes, cpu: int = ARM64) -> bytes:
    """The part of a universal file for `cpu`. Raises ValueError if there is none."""
    magic, count = struct.unpack_from(">2I", data)
    if magic != _FAT:
        if struct.unpack_from("<2I", data) == (_THIN, cpu):
            return data
        raise ValueError("no Mach-O file for this processor")
    for at in range(8, 8 + 20 * count, 20):
        kind, _, offset, size, _ = struct.unpack_from(">5I", data, at)
        if kind == cpu:
            return data[offset : offset + size]
    raise ValueError("no part for this processor")


def commands(data: bytes) -> list[bytes]:
    """The load commands of a thin file, each as its bytes."""
    magic, _, _, _, count, _, _, _ = _HEADER.unpack_from(data)
    if magic != _THIN:
        raise ValueError("no thin Mach-O file of 64 bits")
    found, at = [], _HEADER.size
    for _ in range(count):
        size = struct.unpack_from("<I", data, at + 4)[0]
        found.append(data[at : at + size])
        at += size
    return found


def kind(command: bytes) -> int:
    return int(struct.unpack_from("<I", command)[0])


def name(command: bytes) -> str:
    """The path in a command that names a library or a run path."""
    start = struct.unpack_from("<I", command, 8)[0]
    return command[start:].split(b"\0", 1)[0].decode()


def named(command: bytes, text: str) -> bytes:
    """The same command with another path."""
    start = struct.unpack_from("<I", command, 8)[0]
    tail = text.encode() + b"\0"
    tail += b"\0" * (-(start + len(tail)) % 8)
    return command[:4] + struct.pack("<I", start + len(tail)) + command[8:start] + tail


def run_path(text: str) -> bytes:
    return named(struct.pack("<3I", RUN_PATH, 0, 12), text)


def with_commands(data: bytes, wanted: list[bytes]) -> bytes:
    """The file with these load commands in place of its own.

    Raises:
        ValueError: they do not fit before the first section.
    """
    header = list(_HEADER.unpack_from(data))
    block = b"".join(wanted)
    room = _room(data)
    if _HEADER.size + len(block) > room:
        raise ValueError(f"{len(block)} bytes of load commands do not fit into {room}")
    header[4:6] = len(wanted), len(block)
    end = max(_HEADER.size + len(block), _HEADER.size + sum(map(len, commands(data))))
    return (_HEADER.pack(*header) + block).ljust(end, b"\0") + data[end:]


def _room(data: bytes) -> int:
    """The offset of the first section or segment: the end of the space for load commands."""
    begins = [len(data)]
    for command in commands(data):
        if kind(command) != SEGMENT:
            continue
        fields = _SEGMENT.unpack_from(command)
        if fields[9] == 0 and fields[5] and fields[6]:
            begins.append(fields[5])
        for at in range(_SEGMENT.size, len(command), _SECTION.size):
            _, _, _, size, offset, *_ = _SECTION.unpack_from(command, at)
            if size and offset:
                begins.append(offset)
    return min(begins)


def library(
    identity: str | None = None,
    links: tuple[str, ...] = (),
    paths: tuple[str, ...] = (),
    minimum: tuple[int, int] = (14, 0),
) -> bytes:
    """An arm64 library without code that links with `links`, for tests and as a stand-in."""
    version = minimum[0] << 16 | minimum[1] << 8
    page = 0x4000
    # macholib stops reading load commands at a segment without sections.
    text = _SEGMENT.pack(SEGMENT, 152, b"__TEXT", 0, page, 0, page, 5, 5, 1, 0)
    text += _SECTION.pack(b"__text", b"__TEXT", page - 8, 8, page - 8, *[0] * 7)
    linkedit = _SEGMENT.pack(SEGMENT, 72, b"__LINKEDIT", page, page, page, 8, 1, 1, 0, 0)
    made = [
        text,
        linkedit,
        struct.pack("<6I", SYMTAB, 24, page, 0, page, 8),
        struct.pack("<6I", BUILD_VERSION, 24, 1, version, version, 0),
    ]
    if identity:
        made.append(named(struct.pack("<6I", IDENTITY, 0, 24, 0, 0x10000, 0x10000), identity))
    made += [named(struct.pack("<6I", LOAD, 0, 24, 0, 0x10000, 0x10000), link) for link in links]
    made += [run_path(path) for path in paths]
    block = b"".join(made)
    header = _HEADER.pack(_THIN, ARM64, 0, 6, len(made), len(block), 0x85, 0)
    return (header + block).ljust(page + 8, b"\0")


def minimum(commands: list[bytes]) -> tuple[int, int]:
    """The oldest macOS that the file is marked for."""
    for command in commands:
        at = {BUILD_VERSION: 12, VERSION_MIN: 8}.get(kind(command))
        if at:
            version = struct.unpack_from("<I", command, at)[0]
            return version >> 16, version >> 8 & 0xFF
    return 0, 0
