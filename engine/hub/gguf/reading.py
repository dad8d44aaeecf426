"""Parser of untrusted GGUF files, with limits.

The layout is: "GGUF", version, two counts, metadata (names with typed values), list of arrays
(name, dimensions, type, offset), and then the data. Numbers are little-endian. Sizes are compared
with the remaining bytes before memory is allocated. Names are only used for lookups, never as
paths.
"""

from __future__ import annotations

import math
import os
import stat
import struct
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from engine.hub.gguf.blocks import TYPES, BlockType
from engine.sandbox.folders import check_not_sparse
from engine.sandbox.protocol import RefusedError

MAX_HEADER_BYTES = 192 * 2**20
"""Maximum bytes before the data. The largest known header, with 262,000 tokens, has 12 MB."""

MAX_LIST_ITEMS = 2_000_000  # limit per metadata list; the largest known list has 514,000 items

# Limit for metadata entries and for arrays; a model with 126 layers has 1,140 arrays.
MAX_ENTRIES = 20_000

MAX_TEXT_BYTES = 16 * 2**20
MAX_NAME_BYTES = 1024  # limit in bytes; array names have at most 64
MAX_ARRAY_VALUES = 2**40  # maximum values per array
_MAX_ALIGNMENT = 2**20
_PIECE = 2**20

_MAGIC = b"GGUF"
_TEXT, _LIST = 8, 9
_NUMBERS: dict[int, np.dtype[Any]] = {
    0: np.dtype("u1"),
    1: np.dtype("i1"),
    2: np.dtype("<u2"),
    3: np.dtype("<i2"),
    4: np.dtype("<u4"),
    5: np.dtype("<i4"),
    6: np.dtype("<f4"),
    7: np.dtype("?"),
    10: np.dtype("<u8"),
    11: np.dtype("<i8"),
    12: np.dtype("<f8"),
}


class Array(Struct, frozen=True):
    name: str
    shape: tuple[int, ...]  # dimensions in numpy order, i.e. the row length is last
    type: BlockType
    offset: int  # file position of the first byte

    @property
    def rows(self) -> int:
        return math.prod(self.shape[:-1])

    @property
    def row_bytes(self) -> int:
        return self.shape[-1] // self.type.numbers * self.type.nbytes

    @property
    def nbytes(self) -> int:
        return self.rows * self.row_bytes


class GgufFile:
    """GGUF file with a consistent header.

    Raises:
        RefusedError: if it isn't GGUF, or is damaged or incomplete.
    """

    def __init__(self, path: Path, called: str) -> None:
        self.called = called  # name of the file in error messages
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise RefusedError(f"{called} cannot be read: {error.strerror}.") from None
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError(f"{called} is not a regular file.")
        check_not_sparse(called, status)
        self.size = status.st_size
        self._position = 0
        self._buffer, self._buffer_at = b"", 0
        # By name: numbers, strings, and lists of either (numpy arrays for numbers).
        self.metadata: dict[str, Any] = {}
        self.arrays: dict[str, Array] = {}
        self._read_header()

    def close(self) -> None:
        os.close(self._descriptor)

    def read_rows(self, array: Array, first: int, count: int) -> np.ndarray[Any, Any]:
        width = array.row_bytes
        data = os.pread(self._descriptor, count * width, array.offset + first * width)
        if len(data) != count * width:
            raise self.damaged_error("it became shorter while it was being read")
        return np.frombuffer(data, np.uint8).reshape(count, width)

    def damaged_error(self, reason: str) -> RefusedError:
        return RefusedError(f"{self.called} is damaged: {reason}. Download it again.")

    # Header.

    def _read_header(self) -> None:
        magic = self._read_bytes(4) if self.size >= 4 else b""
        if magic != _MAGIC:
            raise RefusedError(
                f"{self.called} is not a GGUF file. Choose a file that ends in .gguf, or a folder "
                "with a config.json."
            )
        (version,) = struct.unpack("<I", self._read_bytes(4))
        if version & 0xFFFF == 0 and version:
            raise RefusedError(
                f"{self.called} is a big-endian file, which is not supported. Get the "
                "little-endian file of that model."
            )
        if version not in (2, 3):
            raise RefusedError(
                f"{self.called} has GGUF version {version}. Only versions 2 and 3 are supported. "
                "Get a newer file of that model."
            )
        count, entries = struct.unpack("<QQ", self._read_bytes(16))
        self._read_metadata(entries)
        self._read_arrays(count)

    def _read_metadata(self, entries: int) -> None:
        self._check_count(entries, MAX_ENTRIES, 13, "entries")
        for _ in range(entries):
            name = self._read_name("an entry")
            if name in self.metadata:
                raise self.damaged_error(f"the entry {name[:80]!r} occurs twice")
            (kind,) = struct.unpack("<I", self._read_bytes(4))
            self.metadata[name] = (
                self._read_list(name) if kind == _LIST else self._read_value(kind, name)
            )

    def _read_value(self, kind: int, name: str) -> Any:
        if kind == _TEXT:
            return self._read_text(name)
        dtype = _NUMBERS.get(kind)
        if dtype is None:
            raise self.damaged_error(f"the entry {name[:80]!r} has the unknown type {kind}")
        return np.frombuffer(self._read_bytes(dtype.itemsize), dtype)[0].item()

    def _read_list(self, name: str) -> Any:
        kind, count = struct.unpack("<IQ", self._read_bytes(12))
        dtype = _NUMBERS.get(kind)
        if dtype is None and kind != _TEXT:
            raise self.damaged_error(f"the list {name[:80]!r} has the unknown type {kind}")
        self._check_count(count, MAX_LIST_ITEMS, 8 if dtype is None else dtype.itemsize, name[:80])
        if dtype is not None:
            return np.frombuffer(self._read_bytes(count * dtype.itemsize), dtype)
        return [self._read_text(name) for _ in range(count)]

    def _read_arrays(self, count: int) -> None:
        self._check_count(count, MAX_ENTRIES, 32, "arrays")
        layouts: list[tuple[str, tuple[int, ...], BlockType, int]] = []
        for _ in range(count):
            name = self._read_name("an array")
            (lengths,) = struct.unpack("<I", self._read_bytes(4))
            if not 1 <= lengths <= 4:
                raise self.damaged_error(f"the array {name[:80]!r} has {lengths:,} dimensions")
            shape = struct.unpack(f"<{lengths}Q", self._read_bytes(8 * lengths))[::-1]
            number, offset = struct.unpack("<IQ", self._read_bytes(12))
            if (
                not all(0 < n < MAX_ARRAY_VALUES for n in shape)
                or math.prod(shape) > MAX_ARRAY_VALUES
            ):
                raise self.damaged_error(f"the array {name[:80]!r} claims an impossible size")
            kind = TYPES.get(number)
            if kind is None:
                raise RefusedError(
                    f"{self.called} has weights of the unsupported type {number}. Get the same "
                    "model in Q4_K_M, Q8_0 or F16, or in MLX's format."
                )
            if shape[-1] % kind.numbers:
                raise self.damaged_error(
                    f"the rows of {name[:80]!r} are not a multiple of the block size"
                )
            layouts.append((name, shape, kind, offset))
        alignment = self.metadata.get("general.alignment", 32)
        good = type(alignment) is int and 1 <= alignment <= _MAX_ALIGNMENT
        if not good or alignment & (alignment - 1):
            raise self.damaged_error("its arrays have an invalid alignment")
        begin = -(-self._position // alignment) * alignment
        for name, shape, kind, offset in layouts:
            if name in self.arrays:
                raise self.damaged_error(f"the array {name[:80]!r} occurs twice")
            if offset % alignment:
                raise self.damaged_error(f"the array {name[:80]!r} is not aligned")
            self.arrays[name] = Array(name, shape, kind, begin + offset)
        self._check_offsets()

    def _check_offsets(self) -> None:
        end = 0
        for array in sorted(self.arrays.values(), key=lambda a: a.offset):
            if array.offset < end:
                raise self.damaged_error(f"the array {array.name[:80]!r} overlaps another one")
            end = array.offset + array.nbytes
        if end > self.size:
            raise RefusedError(
                f"{self.called} is incomplete: {end - self.size:,} of {end:,} bytes are missing. "
                "Download it again."
            )

    # Reading primitives.

    def _check_count(self, count: int, maximum: int, least_bytes: int, items: str) -> None:
        if count * least_bytes > self.size - self._position:
            raise self.damaged_error(
                f"it claims {count:,} {items}, more than fit into the rest of the file"
            )
        if count > maximum:
            raise RefusedError(
                f"{self.called} cannot be read: it has {count:,} {items} (limit {maximum:,})."
            )

    def _read_name(self, label: str) -> str:
        (length,) = struct.unpack("<Q", self._read_bytes(8))
        if not 0 < length <= MAX_NAME_BYTES:
            raise self.damaged_error(f"the name of {label} has {length:,} bytes")
        try:
            return self._read_bytes(length).decode()
        except UnicodeDecodeError:
            raise self.damaged_error(f"the name of {label} is not text") from None

    def _read_text(self, name: str) -> str:
        (length,) = struct.unpack("<Q", self._read_bytes(8))
        if length > self.size - self._position:
            raise self.damaged_error(f"a string in {name[:80]!r} claims {length:,} bytes")
        if length > MAX_TEXT_BYTES:
            raise RefusedError(
                f"{self.called} cannot be read: a string in {name[:80]!r} has "
                f"{length / 1000000.0:,.0f} MB."
            )
        return self._read_bytes(length).decode(errors="replace")

    def _read_bytes(self, count: int) -> bytes:
        if self._position + count > MAX_HEADER_BYTES:
            raise RefusedError(
                f"{self.called} cannot be read: its header is larger than "
                f"{MAX_HEADER_BYTES / 1000000.0:,.0f} MB."
            )
        begin = self._position - self._buffer_at
        if begin + count > len(self._buffer):
            self._buffer = os.pread(self._descriptor, max(count, _PIECE), self._position)
            self._buffer_at, begin = self._position, 0
            if len(self._buffer) < count:
                raise RefusedError(
                    f"{self.called} is incomplete: it ends within its header. Download it again."
                )
        self._position += count
        return self._buffer[begin : begin + count]
