"""The group's collectives, as rank 0 and the followers use them beside the model's own.

All of them are sums to which only rank 0 adds something, so everybody has what rank 0 said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import mlx.core as mx

from engine.core.ranks import record
from engine.core.ranks.record import Record


class Group:
    """MLX's group of all ranks, made from `MLX_RANK` and `MLX_HOSTFILE`, or from JACCL's names.

    Attributes:
        mlx: MLX's own object.
        rank, size: this process's number, and how many there are.
    """

    def __init__(self, backend: str = "ring") -> None:
        self.mlx: Any = mx.distributed.init(strict=True, backend=backend)
        self.rank = int(self.mlx.rank())
        self.size = int(self.mlx.size())

    def say(self, numbers: list[int]) -> None:
        """Rank 0: hand a record to everybody. Waits for nobody."""
        first = self._sum(mx.array(numbers[: record.SIZE], mx.int32))
        mx.async_eval(first)  # type: ignore[no-untyped-call]
        if len(numbers) > record.SIZE:
            rest = self._sum(mx.array(numbers[record.SIZE :], mx.int32))
            mx.async_eval(rest)  # type: ignore[no-untyped-call]

    def hear(self) -> Record:
        """A follower: wait for the next record."""
        numbers = self._heard(record.SIZE)
        more = record.rest_of(numbers)
        return record.decode(numbers + self._heard(more) if more else numbers)

    def feed(self, feeds: Sequence[mx.array], check: int) -> mx.array:
        """Rank 0: the pending tokens of a step's rows, and `check` behind them: `[rows + 1]`.

        Lazy: the tokens need not be known yet.
        """
        ids = [feed.reshape(-1).astype(mx.int32) for feed in feeds]
        return self._sum(mx.concatenate([*ids, mx.array([check], mx.int32)]))

    def fed(self, rows: int) -> mx.array:
        """A follower: what rank 0 gives to `feed`."""
        return self._sum(mx.zeros(rows + 1, mx.int32))

    def _heard(self, count: int) -> list[int]:
        heard = self._sum(mx.zeros(count, mx.int32))
        mx.eval(heard)
        return integers(heard)

    def _sum(self, array: mx.array) -> mx.array:
        total: mx.array = mx.distributed.all_sum(array, group=self.mlx)
        return total


def integers(array: mx.array) -> list[int]:
    """An array of one dimension as numbers; waits for it."""
    numbers: Any = array.tolist()
    return list(numbers)


def check_of(turn: int, rows: Sequence[tuple[int, int]]) -> int:
    """What tells whether two ranks mean the same step: by the caches fed and their lengths."""
    said = ",".join(f"{number}:{length}" for number, length in rows)
    return crc32(f"{turn};{said}".encode()) & 0x7FFFFFFF
