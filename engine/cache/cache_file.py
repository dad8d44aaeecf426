"""File format for session caches: safetensors, with the session's metadata in the header.

The file ends with a checksum of the header and a checksum of the arrays. If a file is damaged, the
session prefills again. Cache files aren't trusted and contain no class names: their contents are
filled into empty caches that the model creates.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from io import BufferedReader
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Annotated, Any, BinaryIO
from zlib import crc32

import mlx.core as mx
import numpy as np
from msgspec import Meta, Struct
from msgspec.json import decode

from engine.cache.cache_objects import iterate_arrays, used_arrays
from engine.cache.ledger import Ledger
from engine.cache.session_kv import CacheBytes, SessionKV, Snapshot
from engine.cache.shared_prefix import PartedArray

FORMAT = "stretto-kv-4"

_SUMS = 8  # size of both checksums together, in bytes
_MAX_HEADER_BYTES = 2**28  # bytes; for comparison, a million tokens and their text take 30 MB
_TokenIds = list[Annotated[int, Meta(ge=0, le=2**31)]]
_LedgerParts = tuple[str, _TokenIds, tuple[tuple[int, int], ...]]

_NAMES = {
    mx.float32: "F32",
    mx.float16: "F16",
    mx.bfloat16: "BF16",
    mx.uint32: "U32",
    mx.int32: "I32",
    mx.uint8: "U8",
    mx.int8: "I8",
    mx.uint16: "U16",
    mx.int64: "I64",
    mx.bool_: "BOOL",
}
_TYPES = {name: dtype for dtype, name in _NAMES.items()}

PIECE_BYTES = 32 * 2**20  # bytes to convert to arrays before yielding to the engine loop


class DamagedError(Exception):
    pass


class Record(Struct, frozen=True):
    fingerprint: str  # identifies the model and its cache format
    tokens: list[int]  # ids of the cached tokens
    # See `SessionKV` for cuts and ledger.
    cuts: list[int]
    ledger: Ledger
    boundary: int  # length of the snapshot in tokens; -1 for no snapshot
    shape: Any


class CacheImage(Struct, frozen=True):
    """Evaluated caches that any thread can write to a file.

    The image references MLX arrays, so only the engine thread may free it.
    """

    header: bytes
    # For each array in the file, the parts to concatenate along the third axis.
    parts: Sequence[Sequence[np.ndarray[Any, Any]]]
    # Memory that the image keeps alive, possibly including a prefix shared with other sessions.
    cache_bytes: CacheBytes

    @property
    def nbytes(self) -> int:
        return len(self.header) + sum(p.nbytes for parts in self.parts for p in parts) + _SUMS

    def write(self, stream: BinaryIO) -> None:
        stream.write(self.header)
        total = 0
        for parts in self.parts:
            array = np.concatenate(parts, axis=2) if len(parts) > 1 else parts[0]
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            stream.write(data)
            total = crc32(data, total)
        stream.write(_checksum_bytes(crc32(self.header)) + _checksum_bytes(total))


def create_image(kv: SessionKV, fingerprint: str) -> CacheImage:
    """Return an image of a session's caches.

    Positions in the image must not be modified afterwards (see `engine.cache.session_kv`).

    Raises:
        ValueError: if a cache contains a value that the format doesn't support.
    """
    arrays: list[mx.array | PartedArray] = []
    snapshot = kv.last_snapshot
    shape = {
        "caches": _to_json(kv.native_caches, arrays),
        "boundary": _to_json(snapshot.caches, arrays) if snapshot else None,
    }
    ready = [
        [_as_uint16(a) for a in (x.parts if isinstance(x, PartedArray) else [x])] for x in arrays
    ]
    mx.eval(ready)
    parts = [[np.asarray(memoryview(a)) for a in group] for group in ready]  # type: ignore[arg-type]
    entries: dict[str, Any] = {}
    offset = 0
    for number, (array, part) in enumerate(zip(arrays, parts, strict=True)):
        entries[str(number)] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + sum(p.nbytes for p in part)],
        }
        offset += sum(p.nbytes for p in part)
    ledger = kv.ledger
    entries["__metadata__"] = {
        "format": FORMAT,
        "fingerprint": fingerprint,
        "tokens": json.dumps(kv.tokens),
        "cuts": json.dumps(kv.cuts),
        "ledger": json.dumps([ledger.text, list(ledger.tokens), ledger.boundaries]),
        "boundary": json.dumps(snapshot.length if snapshot else -1),
        "shape": json.dumps(shape),
    }
    head = json.dumps(entries).encode()
    head += b" " * (-len(head) % 8)
    return CacheImage(len(head).to_bytes(8, "little") + head, parts, kv.cache_bytes)


def read_record(path: Path) -> Record:
    """Read and validate the header of a cache file.

    Raises:
        DamagedError, OSError: if the file can't be used.
    """
    with _open_regular(path) as stream, _as_damage():
        meta, _, _ = _read_header(stream)
        record = Record(
            meta["fingerprint"],
            decode(meta["tokens"], type=_TokenIds),
            decode(meta["cuts"], type=list[int]),
            Ledger(*decode(meta["ledger"], type=_LedgerParts)),
            decode(meta["boundary"], type=int),
            json.loads(meta["shape"]),
        )
    if not _is_consistent(record):
        raise DamagedError("its header is inconsistent")
    return record


@contextlib.contextmanager
def _as_damage() -> Iterator[None]:
    """Convert errors of unexpected contents to `DamagedError`."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RuntimeError) as error:
        raise DamagedError(f"{type(error).__name__}: {error}") from None


def _checksum_bytes(total: int) -> bytes:
    return total.to_bytes(4, "little")


def _open_regular(path: Path) -> BufferedReader:
    """Open a regular file. Symlinks and pipes, which could block, are rejected."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError("it is not a regular file")
    return open(descriptor, "rb")


def _read_header(stream: BinaryIO) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    size = os.fstat(stream.fileno()).st_size
    first = stream.read(8)
    length = int.from_bytes(first, "little")
    if not 0 < length <= min(size - 8 - _SUMS, _MAX_HEADER_BYTES):
        raise DamagedError("its header is cut off")
    head = stream.read(length)
    stream.seek(size - _SUMS)
    sums = stream.read(_SUMS)
    stream.seek(8 + length)
    if sums[:4] != _checksum_bytes(crc32(head, crc32(first))):
        raise DamagedError("its header has changed, or has a different format")
    entries = json.loads(head)
    meta = entries.pop("__metadata__")
    if meta["format"] != FORMAT:
        raise DamagedError("of another format")
    end = 0
    for entry in entries.values():
        begin, after = entry["data_offsets"]
        if begin != end or not begin <= after:
            raise DamagedError("its arrays are not contiguous")
        end = after
    if 8 + length + end + _SUMS != size:
        raise DamagedError("its length does not match its header")
    return meta, entries, sums[4:]


def _is_consistent(record: Record) -> bool:
    length, ledger = len(record.tokens), record.ledger
    cuts = [0, *record.cuts, length]
    pairs = [(0, 0), *ledger.boundaries, (len(ledger.text), len(ledger.tokens))]
    return (
        isinstance(record.fingerprint, str)
        and -1 <= record.boundary <= length
        and cuts == sorted(cuts)
        and all(a <= c and b <= d for (a, b), (c, d) in pairwise(pairs))
    )


class Contents(Struct, frozen=True):
    record: Record
    # Dtype, shape and bytes of each array, by its index as a string.
    parts: dict[str, tuple[str, list[int], bytearray]]


def read_contents(path: Path, record: Record) -> Contents:
    """Read a whole file without creating MLX arrays."""
    parts, total = {}, 0
    with _open_regular(path) as stream, _as_damage():
        _, entries, want = _read_header(stream)
        for name, entry in entries.items():
            begin, end = entry["data_offsets"]
            data = bytearray(end - begin)
            if stream.readinto(data) != end - begin or entry["dtype"] not in _TYPES:
                raise DamagedError("it is cut off, or has an unknown type")
            total = crc32(data, total)
            parts[name] = (str(entry["dtype"]), list(entry["shape"]), data)
    if _checksum_bytes(total) != want:
        raise DamagedError("its arrays have changed")
    return Contents(record, parts)


def restore_caches(kv: SessionKV, contents: Contents) -> Generator[None, None, None]:
    """Replace a session's caches with the contents of a file.

    Yields between pieces of `PIECE_BYTES`.

    Raises:
        DamagedError: if the file can't be used. The caches stay unchanged.
    """
    record, arrays, snapshot = contents.record, dict[str, mx.array](), None
    fresh_bytes = 0
    with _as_damage():
        for name, (kind, shape, data) in contents.parts.items():
            arrays[name] = _create_array(kind, shape, data)
            fresh_bytes += len(data)
            if fresh_bytes >= PIECE_BYTES:
                fresh_bytes = 0
                yield
        caches = _from_json(record.shape["caches"], kv.make(), arrays)
        if record.shape["boundary"] is not None:
            boundary_caches = _from_json(record.shape["boundary"], kv.make(), arrays)
            snapshot = Snapshot(boundary_caches, record.boundary)
    kv.replace_caches(caches, record.tokens, record.cuts, snapshot)
    kv.on_disk = kv.length


def _create_array(kind: str, shape: list[int], data: bytearray) -> mx.array:
    array = mx.array(np.frombuffer(data, np.uint8)).view(_TYPES[kind]).reshape(shape)
    mx.eval(array)
    return array


def _as_uint16(array: mx.array) -> mx.array:
    """Return bfloat16 as uint16, because the buffer protocol doesn't support bfloat16."""
    return array.view(mx.uint16) if array.dtype == mx.bfloat16 else array


def _to_json(value: Any, arrays: list[mx.array | PartedArray]) -> Any:
    """Convert caches to JSON. Arrays are appended to `arrays` and replaced by their index.

    Unused capacity is omitted, because the decoder may write to it while the file is written.
    """
    if isinstance(value, (mx.array, PartedArray)):
        if value.dtype not in _NAMES:
            raise ValueError(f"arrays of type {value.dtype} are not supported")
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_to_json(v, arrays) for v in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if hasattr(value, "__dict__"):
        fields = {**vars(value), **used_arrays(value)}
        return {"object": {n: _to_json(v, arrays) for n, v in fields.items()}}
    raise ValueError(f"{type(value).__name__} is not written")


def _from_json(shape: Any, fresh: Any, arrays: dict[str, mx.array]) -> Any:
    """Inverse of `_to_json`. Fills the matching objects in `fresh`."""
    ((kind, reference),) = shape.items()
    if kind == "array":
        return arrays[str(reference)]
    if kind == "value":
        return reference
    if kind == "object":
        if fresh is None or not hasattr(fresh, "__dict__"):
            raise DamagedError("the model has different types of caches")
        for name, part in reference.items():
            setattr(fresh, name, _from_json(part, getattr(fresh, name, None), arrays))
        keys = [
            a for name in ("keys", "values") for a in iterate_arrays(getattr(fresh, name, None))
        ]
        if any(array.ndim != 4 for array in keys):
            raise DamagedError("its keys have a different shape")
        return fresh
    inside = fresh if isinstance(fresh, (list, tuple)) else ()
    pairs = zip_longest(reference, inside[: len(reference)])
    values = [_from_json(part, template, arrays) for part, template in pairs]
    return values if kind == "list" else tuple(values)
