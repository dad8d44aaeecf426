"""What goes through the group's collectives beside the model's own: records, tokens and checks.

A record is what rank 0 has done to caches and is about to compute, as numbers. It goes to all ranks
in one collective of a fixed size. The rest of one that is longer goes in a second, whose size the
first one tells. All collectives are sums to which only rank 0 adds something, so all ranks have
what rank 0 said.
"""

from __future__ import annotations

import array
from collections.abc import Iterable, Sequence
from enum import IntEnum, auto
from typing import Any
from zlib import crc32

import mlx.core as mx
from msgspec import Struct

from engine.cache import cache_file
from engine.cache.session_kv import SessionKV

SIZE = 256
"""Numbers of the first collective: a step of a hundred chats, or an opening with a short prompt."""

_HEAD = 2  # how many numbers there are in all, and the turn


class Do(IntEnum):
    """What a follower is to do. The numbers that go with it are named behind each.

    Caches go by numbers, which rank 0 gives them; 0 is none.
    """

    OPEN = auto()  # cache, model, shares_prefix, the bits of its keys or 0
    FREE = auto()  # cache
    FORK = auto()  # cache, the twin's
    BEGIN = auto()  # cache, how many of its tokens the prompt begins with, the prompt's others
    TAKE = auto()  # cache, the donor's, length, room
    SNAPSHOT = auto()  # cache
    DROP = auto()  # cache
    SETTLE = auto()  # cache
    LEAVE = auto()  # cache
    SAVE = auto()  # cache, the file's name
    RESTORE = auto()  # cache, the file's name
    FORGET = auto()  # the file's name
    UNLOAD = auto()  # model
    PASS = auto()  # model, shared, the caches that are fed
    MIXED = auto()  # model, as of `CHUNK`, the caches that are fed
    CHUNK = auto()  # cache, start, count, how many are left after it
    DIGEST = auto()  # of rank 0's caches
    REST = auto()  # nothing: no further record before a message says so


class Order(Struct, frozen=True):
    """One thing to do."""

    do: Do
    numbers: tuple[int, ...] = ()


class Record(Struct, frozen=True):
    """What is to be done in one turn, in this order."""

    turn: int
    orders: tuple[Order, ...]


def encode(turn: int, orders: Iterable[Order]) -> list[int]:
    """A record as 32-bit numbers, at least `SIZE` of them."""
    numbers = [0, turn]
    for order in orders:
        numbers += [order.do, len(order.numbers), *order.numbers]
    numbers[0] = len(numbers)
    return numbers + [0] * (SIZE - len(numbers))


def rest_of(first: Sequence[int]) -> int:
    """How many numbers follow in a second collective, after the first one's."""
    return max(0, first[0] - SIZE)


def decode(numbers: Sequence[int]) -> Record:
    """Raises ValueError: these are no record's numbers."""
    if len(numbers) < _HEAD or not _HEAD <= numbers[0] <= len(numbers):
        raise ValueError("a record of the wrong length")
    orders, at, end = [], _HEAD, numbers[0]
    while at < end:
        if at + 2 > end or numbers[at + 1] < 0 or at + 2 + numbers[at + 1] > end:
            raise ValueError("a record that is cut off")
        begin, at = at + 2, at + 2 + numbers[at + 1]
        orders.append(Order(Do(numbers[begin - 2]), tuple(numbers[begin:at])))
    return Record(numbers[1], tuple(orders))


def as_numbers(name: str) -> list[int]:
    """A file's name without its ending, 40 hexadecimal digits, as numbers of a record."""
    return [int(name[at : at + 4], 16) for at in range(0, len(name), 4)]


def as_name(numbers: Sequence[int]) -> str:
    return "".join(f"{number:04x}" for number in numbers)


class Group:
    """MLX's group of all ranks, made from `MLX_RANK` and `MLX_HOSTFILE`, or from JACCL's names."""

    def __init__(self, backend: str = "ring") -> None:
        self.mlx: Any = mx.distributed.init(strict=True, backend=backend)  # MLX's own object
        # rank, size: this process's number, and how many there are
        self.rank = int(self.mlx.rank())
        self.size = int(self.mlx.size())

    def say(self, numbers: list[int]) -> None:
        """Rank 0: send a record to all ranks. Waits for none of them."""
        mx.async_eval(self._sum(mx.array(numbers[:SIZE], mx.int32)))  # type: ignore[no-untyped-call]
        if len(numbers) > SIZE:
            mx.async_eval(self._sum(mx.array(numbers[SIZE:], mx.int32)))  # type: ignore[no-untyped-call]

    def hear(self) -> Record:
        """A follower: wait for the next record."""
        numbers = integers(self._sum(mx.zeros(SIZE, mx.int32)))
        more = rest_of(numbers)
        if more:
            numbers += integers(self._sum(mx.zeros(more, mx.int32)))
        return decode(numbers)

    def feed(self, feeds: Sequence[mx.array], check: int) -> mx.array:
        """Rank 0: the pending tokens of a step's rows, and `check` behind them: `[rows + 1]`.

        Lazy: the tokens need not be known yet.
        """
        ids = [feed.reshape(-1).astype(mx.int32) for feed in feeds]
        return self._sum(mx.concatenate([*ids, mx.array([check], mx.int32)]))

    def fed(self, rows: int) -> mx.array:
        """A follower: what rank 0 gives to `feed`."""
        return self._sum(mx.zeros(rows + 1, mx.int32))

    def _sum(self, values: mx.array) -> mx.array:
        total: mx.array = mx.distributed.all_sum(values, group=self.mlx)
        return total


def integers(values: mx.array) -> list[int]:
    """An array of one dimension as numbers; waits for it."""
    numbers: Any = values.tolist()
    return list(numbers)


def check_of(turn: int, rows: Sequence[tuple[int, int]]) -> int:
    """31 bits by which two ranks know that they are in the same step.

    Args:
        rows: the number and the length of each cache that is fed.
    """
    said = ",".join(f"{number}:{length}" for number, length in rows)
    return crc32(f"{turn};{said}".encode()) & 0x7FFFFFFF


def digest(caches: Sequence[tuple[int, SessionKV]]) -> int:
    """31 bits that are the same where ranks hold the same tokens, in caches of the same lengths."""
    found = 0
    for number, kv in sorted(caches, key=lambda pair: pair[0]):
        kinds = [(type(cache).__name__, getattr(cache, "offset", -1)) for cache in kv.layers]
        base = kv.shared_prefix.length if kv.shared_prefix is not None else 0
        places = kv.slots is not None, kv.stack is not None
        shape = (number, len(kv.tokens), kv.cuts, kinds, base, *places)
        found = crc32(repr(shape).encode(), found)
        found = crc32(array.array("q", kv.tokens).tobytes(), found)
    return found & 0x7FFFFFFF


def file_digest(record: cache_file.Record) -> int:
    """A number that is the same in files that ranks have written of the same chat."""
    said = (record.fingerprint, record.tokens, record.cuts, record.boundary)
    return crc32(repr(said).encode())
