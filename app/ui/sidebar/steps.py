"""How one list of rows becomes another, so that what stays keeps its place and its editor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

MOST_STEPS = 24
"""More changes at once than these make another list: nobody's place in it can be kept."""

T = TypeVar("T", bound=Hashable)


def steps_between(before: Sequence[T], after: Sequence[T]) -> list[tuple[str, int, int]] | None:
    """The changes, a row at a time; None where that takes too many.

    Each step is ("remove", at, 0), ("insert", at, 0) or ("move", to, from).
    """
    if before == after:
        return []
    wanted, rows = set(after), list(before)
    steps: list[tuple[str, int, int]] = []
    for at in reversed(range(len(rows))):
        if rows[at] not in wanted:
            del rows[at]
            steps.append(("remove", at, 0))
            if len(steps) > MOST_STEPS:
                return None
    there = set(rows)
    for at, key in enumerate(after):
        if at < len(rows) and rows[at] == key:
            continue
        if key in there:
            other = rows.index(key, at)
            rows.insert(at, rows.pop(other))
            steps.append(("move", at, other))
        else:
            rows.insert(at, key)
            steps.append(("insert", at, 0))
        if len(steps) > MOST_STEPS:
            return None
    return steps
