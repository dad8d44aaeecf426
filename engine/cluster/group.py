"""Messages over the group's collectives: rank 0's records, and the tokens that a step feeds.

A record lists what rank 0 has done to caches and is about to compute. It is MessagePack, sent in
one collective of `SIZE` bytes; the rest of a longer record follows in a second one. All collectives
are sums to which only rank 0 adds something, so all ranks receive what rank 0 sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import mlx.core as mx
import msgspec
import numpy as np
from msgspec import Struct

from engine.cache import cache_file

SIZE = 1024
"""Bytes of the first collective: enough for a step of a hundred chats, or for a short prompt."""

_HEAD = 4  # bytes of the record's length


class Order(Struct, frozen=True, array_like=True):
    """One operation, as the arguments of the follower's method `do_<name>`."""

    name: str
    arguments: tuple[int | bool | str, ...] = ()


class Record(Struct, frozen=True, array_like=True):
    """The operations of one turn, in order."""

    turn: int
    orders: tuple[Order, ...]


def encode(record: Record) -> bytes:
    """Return the record with its length in front, at least `SIZE` bytes and a multiple of four."""
    data = msgspec.msgpack.encode(record)
    data = len(data).to_bytes(_HEAD, "little") + data
    return data.ljust(max(SIZE, _padded(len(data))), b"\0")


def bytes_after(first: bytes) -> int:
    """Bytes of the second collective after the first one's; 0 if there is none."""
    return max(0, _padded(_HEAD + int.from_bytes(first[:_HEAD], "little")) - SIZE)


def decode(data: bytes) -> Record:
    """Raises ValueError: these are no record's bytes."""
    end = _HEAD + int.from_bytes(data[:_HEAD], "little")
    return msgspec.msgpack.decode(data[_HEAD:end], type=Record)


def _padded(nbytes: int) -> int:
    return nbytes + -nbytes % 4


class Group:
    """MLX's group of all ranks, made from `MLX_RANK` and `MLX_HOSTFILE`, or from JACCL's names."""

    def __init__(self, backend: str = "ring") -> None:
        self.mlx: Any = mx.distributed.init(strict=True, backend=backend)  # MLX's own object
        # rank, size: this process's number, and how many there are
        self.rank = int(self.mlx.rank())
        self.size = int(self.mlx.size())

    def send(self, record: Record) -> None:
        """Send a record from rank 0 to all ranks, without waiting for them."""
        data = encode(record)
        for part in filter(None, (data[:SIZE], data[SIZE:])):
            numbers = mx.array(np.frombuffer(part, np.int32))
            mx.async_eval(self._sum(numbers))  # type: ignore[no-untyped-call]

    def receive(self) -> Record:
        """Wait for the next record of rank 0."""
        data = self._received(SIZE)
        more = bytes_after(data)
        return decode(data + self._received(more) if more else data)

    def _received(self, nbytes: int) -> bytes:
        return np.array(self._sum(mx.zeros(nbytes // 4, mx.int32))).tobytes()

    def feed(self, feeds: Sequence[mx.array], check: int) -> mx.array:
        """Send the pending tokens of a step's rows from rank 0, and `check` after them.

        Returns:
            `[rows + 1]`, lazy: the tokens need not be known yet.
        """
        ids = [feed.reshape(-1).astype(mx.int32) for feed in feeds]
        return self._sum(mx.concatenate([*ids, mx.array([check], mx.int32)]))

    def fed(self, rows: int) -> mx.array:
        """Return on a follower what rank 0 passed to `feed`."""
        return self._sum(mx.zeros(rows + 1, mx.int32))

    def _sum(self, values: mx.array) -> mx.array:
        total: mx.array = mx.distributed.all_sum(values, group=self.mlx)
        return total


def integers(values: mx.array) -> list[int]:
    """Return an array of one dimension as numbers, once it is computed."""
    numbers: Any = values.tolist()
    return list(numbers)


def check_of(turn: int, rows: Sequence[tuple[int, int]]) -> int:
    """Return 31 bits by which two ranks check that they are in the same step.

    Args:
        rows: the number and the length of each cache that is fed.
    """
    said = ",".join(f"{number}:{length}" for number, length in rows)
    return crc32(f"{turn};{said}".encode()) & 0x7FFFFFFF


def file_digest(record: cache_file.Record) -> int:
    """Return a number that is equal for files that ranks have written of the same chat."""
    said = (record.fingerprint, record.tokens, record.cuts, record.boundary)
    return crc32(repr(said).encode())
