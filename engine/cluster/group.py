"""Messages over MLX collectives: rank 0's records, and the tokens fed in a step.

A record lists rank 0's cache changes and its next computation, as MessagePack. It's sent in a
collective of `FIRST_BYTES`, and in a second one if it's longer. Every collective is a sum in which
only rank 0 has nonzero values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import mlx.core as mx
import msgspec
import numpy as np
from msgspec import Struct

FIRST_BYTES = 1024
"""Bytes of the first collective, enough for a step of 100 chats or a short prompt."""

_LENGTH_BYTES = 4  # size of the length prefix


class Operation(Struct, frozen=True, array_like=True):
    """Operation with the arguments for the follower's `do_<name>` method."""

    name: str
    arguments: tuple[int | bool | str, ...] = ()


class TurnRecord(Struct, frozen=True, array_like=True):
    turn: int
    operations: tuple[Operation, ...]


def encode(record: TurnRecord) -> bytes:
    """Return a record with a length prefix, padded to at least `FIRST_BYTES` and a multiple of
    four.
    """
    data = msgspec.msgpack.encode(record)
    data = len(data).to_bytes(_LENGTH_BYTES, "little") + data
    return data.ljust(max(FIRST_BYTES, _padded_length(len(data))), b"\0")


def remaining_bytes(first: bytes) -> int:
    """Return the bytes of the second collective, or 0 if none is needed."""
    return max(
        0,
        _padded_length(_LENGTH_BYTES + int.from_bytes(first[:_LENGTH_BYTES], "little"))
        - FIRST_BYTES,
    )


def decode(data: bytes) -> TurnRecord:
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    return msgspec.msgpack.decode(data[_LENGTH_BYTES:end], type=TurnRecord)


def _padded_length(nbytes: int) -> int:
    return nbytes + -nbytes % 4


class RankGroup:
    """MLX's group of all ranks, configured by the variables from `link.rank_environments`."""

    def __init__(self, backend: str = "ring") -> None:
        self.mlx: Any = mx.distributed.init(strict=True, backend=backend)
        self.rank = int(self.mlx.rank())
        self.size = int(self.mlx.size())

    def send(self, record: TurnRecord) -> None:
        data = encode(record)
        for part in filter(None, (data[:FIRST_BYTES], data[FIRST_BYTES:])):
            numbers = mx.array(np.frombuffer(part, np.int32))
            mx.async_eval(self._sum(numbers))  # type: ignore[no-untyped-call]

    def receive(self) -> TurnRecord:
        data = self._receive_bytes(FIRST_BYTES)
        byte_count = remaining_bytes(data)
        return decode(data + self._receive_bytes(byte_count) if byte_count else data)

    def _receive_bytes(self, nbytes: int) -> bytes:
        return np.array(self._sum(mx.zeros(nbytes // 4, mx.int32))).tobytes()

    def feed(self, feeds: Sequence[mx.array], check: int) -> mx.array:
        """On rank 0, send the tokens to be fed to a step's rows, followed by `check`.

        Returns a lazy array `[rows + 1]`, because the tokens may not be computed yet.
        """
        ids = [feed.reshape(-1).astype(mx.int32) for feed in feeds]
        return self._sum(mx.concatenate([*ids, mx.array([check], mx.int32)]))

    def receive_feed(self, rows: int) -> mx.array:
        """On a follower, return the result of rank 0's `feed`."""
        return self._sum(mx.zeros(rows + 1, mx.int32))

    def _sum(self, values: mx.array) -> mx.array:
        total: mx.array = mx.distributed.all_sum(values, group=self.mlx)
        return total


def to_list(values: mx.array) -> list[int]:
    numbers: Any = values.tolist()
    return list(numbers)


def step_checksum(turn: int, rows: Sequence[tuple[int, int]]) -> int:
    """Return a 31-bit checksum with which ranks verify that they're in the same step.

    Args:
        rows: (number, length) of each cache that is fed.
    """
    text = ",".join(f"{number}:{length}" for number, length in rows)
    return crc32(f"{turn};{text}".encode()) & 0x7FFFFFFF
