"""Where two sequences agree, at a cost that is known before. Pure Python, no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Any, Generic, TypeVar

T = TypeVar("T", bound=Hashable)

Opcode = tuple[str, int, int, int, int]


class _Bounded(SequenceMatcher[T]):
    """Gives up when its steps are used up: what is left then counts as different.

    `SequenceMatcher` looks, for each element of a stretch, at all places of the other sequence
    that have the same; twenty thousand lines of two kinds would take it hours.

    Attributes:
        steps: how many such places it has looked at.
    """

    def __init__(self, one: Sequence[T], other: Sequence[T], most: int) -> None:
        super().__init__(None, one, other, autojunk=False)
        self._most = most
        self.steps = 0
        places: dict[T, list[int]] = self.b2j  # type: ignore[attr-defined]
        self._until = list(accumulate((1 + len(places.get(x, ())) for x in one), initial=0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        ahi = len(self._until) - 1 if ahi is None else ahi
        cost = self._until[ahi] - self._until[alo]
        if self.steps + cost > self._most:
            return Match(alo, blo, 0)
        self.steps += cost
        return super().find_longest_match(alo, ahi, blo, bhi)


class Matcher(Generic[T]):
    """Compares two sequences in at most so many steps.

    What is equal at both ends costs next to nothing and is left out first.

    Attributes:
        opcodes: as `SequenceMatcher.get_opcodes` tells them.
        steps: how many it took.
    """

    def __init__(self, one: Sequence[T], other: Sequence[T], most: int) -> None:
        head, shorter = 0, min(len(one), len(other))
        while head < shorter and one[head] == other[head]:
            head += 1
        tail = 0
        while tail < shorter - head and one[-1 - tail] == other[-1 - tail]:
            tail += 1
        a, b = one[head : len(one) - tail], other[head : len(other) - tail]
        inner = _Bounded(a, b, most)
        self.opcodes: list[Opcode] = []
        if head:
            self.opcodes.append(("equal", 0, head, 0, head))
        for kind, i, j, k, m in inner.get_opcodes():
            self.opcodes.append((kind, i + head, j + head, k + head, m + head))
        if tail:
            ends = len(one) - tail, len(one), len(other) - tail, len(other)
            self.opcodes.append(("equal", *ends))
        self.steps = inner.steps

    def groups(self, context: int) -> Iterator[list[Opcode]]:
        """The changes with so many equal elements around them, as a unified diff has them."""
        plain: Any = SequenceMatcher()
        plain.opcodes = list(self.opcodes)
        yield from plain.get_grouped_opcodes(context)
