"""The results of comparisons as plain data, and back: what a file says is not believed."""

from __future__ import annotations

from typing import Any

from engine.model.choices import CELLS, WAYS, Cell, Results


def to_json(results: Results) -> list[Any]:
    """The results as plain data."""
    return [[c.part, c.chats, c.tokens, dict(times)] for c, times in sorted(results.items())]


def from_json(data: object) -> dict[Cell, dict[str, float]]:
    """The results that `to_json` has written.

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
