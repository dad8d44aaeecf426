"""Which of the open ways a model's chats take on this machine, by what was measured. Pure.

A `Cell` is one comparison: so many chats of so many tokens, one way against the other. `choose`
makes `Choices` of the results. Nothing else decides, so a table that was read from a file can lead
to no choice that could not have been measured. Cells that nobody has measured follow from others
(who wins at 2,000 tokens wins at 4,000) or are as `slot_policy` and `shared_prefix` guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

SLOTS, PREFIX, MIXED, CHUNK, KERNELS = "slots", "prefix", "mixed", "chunk", "kernels"

WAYS = {
    SLOTS: ("slots", "own caches"),
    PREFIX: ("shared", "copies"),
    MIXED: ("mixed", "apart"),
    CHUNK: ("chunk",),
    KERNELS: ("kernels", "plain"),
}
"""What is compared in a cell of each part."""

MARGIN = 0.03
"""A way must be faster by so much to take the place of the one that is guessed."""

COPIES_MARGIN = 0.1
"""Copies instead of a shared prefix cost memory, so they must be worth it."""

EVERY = 2048
"""Tokens of the largest chunk that there is."""

SMALL, LARGE = 32, 128
"""Rows of the passes that are compared where a chunk is read beside a step."""

UNLIKE = 2048
"""Tokens of the longest of the chats that a GPU's own attention kernels are compared on."""

SHARED_ALWAYS = 8192
"""Tokens. Beginnings so long are shared whatever is faster: copies of them fill the memory."""

_COUNTS = (4, 8, 2)
_LENGTHS = (1024, 2048, 4096, 256)
_BEGINNINGS = (4096, 1024, 512, 256)
_CHUNKS = (64, 256, 512, 1024, 2048)
_LONGEST_CHUNK_S = 0.5


@dataclass(frozen=True, order=True)
class Cell:
    """One comparison.

    Attributes:
        part: SLOTS, PREFIX, MIXED, CHUNK or KERNELS.
        chats: that decode.
        tokens: of each chat; of MIXED the rows of the pass, of CHUNK those of the chunk, of
            KERNELS those of the longest chat, which are unlike.
    """

    part: str
    chats: int
    tokens: int


Results = Mapping[Cell, Mapping[str, float]]
"""By cell, the seconds of a pass in each of the ways that are compared in it."""

CELLS = (
    *(Cell(SLOTS, 4, n) for n in _LENGTHS),
    *(Cell(MIXED, n, SMALL) for n in (4, 1, 8)),
    *(Cell(KERNELS, n, UNLIKE) for n in _COUNTS),
    *(Cell(PREFIX, 4, n) for n in (1024, 256, 4096)),
    *(Cell(SLOTS, count, n) for count in (8, 2) for n in _LENGTHS),
    *(Cell(PREFIX, 8, n) for n in (1024, 256, 512)),
    *(Cell(PREFIX, 2, n) for n in (1024, 4096)),
    Cell(PREFIX, 4, 512),
    *(Cell(CHUNK, 1, n) for n in _CHUNKS),
    *(Cell(MIXED, n, LARGE) for n in (4, 1, 8)),
)
"""All of them, in the order in which they are measured."""


@dataclass(frozen=True)
class Guess:
    """What is taken where nothing was measured.

    Attributes:
        below: as `SlotPolicy.below`.
        shared_from: tokens from which prefixes are shared.
    """

    below: int | None = None
    shared_from: int = 1024

    def of(self, cell: Cell) -> bool:
        """Whether the first of a cell's ways is the usual one."""
        if cell.part == SLOTS:
            return self.below is None or cell.tokens < self.below
        return cell.part != PREFIX or cell.tokens >= self.shared_from


@dataclass(frozen=True)
class Choices:
    """The ways of one model on this machine.

    Attributes:
        below: by the number of chats, as `SlotPolicy.below`.
        shared_from: by the number of chats, prefixes of so many tokens are shared, shorter ones
            copied.
        mixed_most: by the number of chats that decode, the rows of the largest pass that also
            reads a chunk; 0 where chunks are read in passes of their own.
        chunk_most: tokens of the largest chunk.
        kernels: by the number of chats, whether unlike rows are the attention kernels'.
    """

    below: Mapping[int, int | None] = field(default_factory=dict)
    shared_from: Mapping[int, int] = field(default_factory=dict)
    mixed_most: Mapping[int, int] = field(default_factory=dict)
    chunk_most: int = EVERY
    kernels: Mapping[int, bool] = field(default_factory=dict)

    def slots_below(self, chats: int, guess: int | None) -> int | None:
        """`below` for so many chats."""
        return _nearest(self.below, chats, guess)

    def way(self, cell: Cell, below: int | None) -> str:
        """Which of a cell's ways is taken, where `below` is guessed for slots."""
        if cell.part == SLOTS:
            found = self.slots_below(cell.chats, below)
            first = found is None or cell.tokens < found
        elif cell.part == PREFIX:
            first = cell.tokens >= self.shared_for(cell.chats)
        elif cell.part == KERNELS:
            first = self.kernels_for(cell.chats)
        else:
            first = cell.part == CHUNK or cell.tokens <= self.mixed_for(cell.chats)
        return WAYS[cell.part][0 if first else 1]

    def shared_for(self, chats: int) -> int:
        """`shared_from` for so many chats."""
        return _nearest(self.shared_from, chats, Guess.shared_from)

    def mixed_for(self, chats: int) -> int:
        """`mixed_most` for so many chats."""
        return _nearest(self.mixed_most, chats, EVERY)

    def kernels_for(self, chats: int) -> bool:
        """`kernels` for so many chats."""
        return _nearest(self.kernels, chats, True)


def _nearest(by_count: Mapping[int, T], chats: int, otherwise: T) -> T:
    """What was found for as many chats, or the next fewer; else for the fewest."""
    if not by_count:
        return otherwise
    return by_count[max((n for n in by_count if n <= chats), default=min(by_count))]


def choose(results: Results, guess: Guess) -> Choices:
    """What follows from the results."""
    below: dict[int, int | None] = {}
    for count in _COUNTS:
        if any(c.part == SLOTS and c.chats == count for c in results):
            below[count] = _below(results, count, guess)
    mixed = {
        count: _mixed_most(results, count, guess)
        for count in (1, 4, 8)
        if Cell(MIXED, count, SMALL) in results or Cell(MIXED, count, LARGE) in results
    }
    shared: dict[int, int] = {}
    if any(c.part == PREFIX for c in results):  # it says something of other numbers of chats, too
        shared = {count: _shared_from(results, count, guess) for count in _COUNTS}
    kernels = {c.chats: first_wins(c, results, guess) for c in results if c.part == KERNELS}
    return Choices(below, shared, mixed, _chunk_most(results), kernels)


def _below(results: Results, count: int, guess: Guess) -> int | None:
    lengths = sorted(_LENGTHS)
    for length in lengths:
        if not first_wins(Cell(SLOTS, count, length), results, guess):
            return 0 if length == lengths[0] else length
    return None


def _shared_from(results: Results, count: int, guess: Guess) -> int:
    least = SHARED_ALWAYS
    for length in _BEGINNINGS:
        if not first_wins(Cell(PREFIX, count, length), results, guess):
            break
        least = length
    return least


def _mixed_most(results: Results, count: int, guess: Guess) -> int:
    if not first_wins(Cell(MIXED, count, SMALL), results, guess):
        return 0
    return EVERY if first_wins(Cell(MIXED, count, LARGE), results, guess) else 64


def _chunk_most(results: Results) -> int:
    each = {
        cell.tokens: times[WAYS[CHUNK][0]] / cell.tokens
        for cell, times in results.items()
        if cell.part == CHUNK and cell.tokens >= 256
    }
    if not each:
        return EVERY
    good = max(n for n, seconds in each.items() if seconds <= (1 + MARGIN) * min(each.values()))
    return EVERY if good == max(each) else good


def first_wins(cell: Cell, results: Results, guess: Guess) -> bool:
    """Whether the first of a cell's ways is taken."""
    expected, times = guess.of(cell), results.get(cell)
    if times is None:
        said = implied(cell, results, guess)
        return expected if said is None else said
    first, second = (times[way] for way in WAYS[cell.part])
    if not expected:
        return first < second * (1 if cell.part == PREFIX else 1 - MARGIN)  # it saves memory, too
    return first <= second * (1 + (COPIES_MARGIN if cell.part == PREFIX else MARGIN))


def implied(cell: Cell, results: Results, guess: Guess) -> bool | None:
    """Whether a cell's first way wins, by what was measured of longer and shorter ones.

    A shared prefix is worth the more, the more chats go on from it: so it is said by fewer chats
    that it wins, and by more that it does not, where as many chats say nothing. None where nobody
    does, and for a cell that was measured itself.
    """
    if cell in results or cell.part == CHUNK:
        return None
    counts = {c.chats for c in results if c.part == cell.part and c.chats == cell.chats}
    if cell.part == PREFIX:
        counts = {c.chats for c in results if c.part == PREFIX}
    for count in sorted(counts, key=lambda n: abs(n - cell.chats)):
        said = _said(cell, count, results, guess)
        if said is not None and (count == cell.chats or said == (count < cell.chats)):
            return said
    return None


def _said(cell: Cell, count: int, results: Results, guess: Guess) -> bool | None:
    """As `implied`, by the cells of so many chats."""
    alike = {
        c.tokens: first_wins(c, results, guess)
        for c in results
        if c.part == cell.part and c.chats == count
    }
    # The longer the chats, the less slots and mixed passes are worth, and the more a shared prefix.
    good, bad = (max, min) if cell.part == PREFIX else (min, max)
    if any(good(n, cell.tokens) == cell.tokens for n, won in alike.items() if won):
        return True
    if any(bad(n, cell.tokens) == cell.tokens for n, won in alike.items() if not won):
        return False
    return None


def next_cell(results: Results, guess: Guess, possible: Callable[[Cell], bool]) -> Cell | None:
    """What is to be measured next; None when nothing is left."""
    for cell in CELLS:
        if cell in results or implied(cell, results, guess) is not None or not possible(cell):
            continue
        if cell.part == CHUNK and not _short_enough(cell, results):
            continue
        return cell
    return None


def _short_enough(cell: Cell, results: Results) -> bool:
    """Whether a chunk is one that would ever be read at a time."""
    shorter = [n for n in _CHUNKS if n < cell.tokens]
    if not shorter:
        return True
    before = results.get(Cell(CHUNK, 1, shorter[-1]))
    took = math.inf if before is None else before[WAYS[CHUNK][0]]
    return took * cell.tokens / shorter[-1] <= _LONGEST_CHUNK_S


def to_json(results: Results) -> list[Any]:
    """The results as plain data."""
    return [[c.part, c.chats, c.tokens, dict(times)] for c, times in sorted(results.items())]


def from_json(data: object) -> dict[Cell, dict[str, float]]:
    """The results that `to_json` has written. What a file says is not believed.

    Raises:
        ValueError: there is something in it that cannot have been measured.
    """
    if not isinstance(data, list) or len(data) > len(CELLS):
        raise ValueError("it is no list of results")
    found: dict[Cell, dict[str, float]] = {}
    for entry in data:
        if not isinstance(entry, list) or len(entry) != 4:
            raise ValueError("an entry is no result")
        part, chats, tokens, times = entry
        if type(part) is not str or type(chats) is not int or type(tokens) is not int:
            raise ValueError("an entry names no cell")
        cell = Cell(part, chats, tokens)
        if cell not in CELLS or cell in found:
            raise ValueError("an entry names an unknown cell")
        if not isinstance(times, dict) or set(times) != set(WAYS[part]):
            raise ValueError("an entry has other ways")
        for seconds in times.values():
            if type(seconds) is not float or not 0 < seconds < 3600:
                raise ValueError("an entry has no time")
        found[cell] = {way: times[way] for way in WAYS[part]}
    return found
