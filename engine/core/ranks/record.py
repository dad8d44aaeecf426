"""The decision record: what rank 0 has done to caches, and is about to compute, as numbers.

A record goes to all ranks in one collective of a fixed size. The rest of one that is longer goes
in a second, whose size the first one tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto

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


@dataclass(frozen=True)
class Order:
    """One thing to do."""

    do: Do
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Record:
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
    """The record that was encoded.

    Raises:
        ValueError: these are no record's numbers.
    """
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
    """The name that `as_numbers` was given."""
    return "".join(f"{number:04x}" for number in numbers)
