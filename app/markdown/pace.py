"""How often a growing document is shown anew: so that the window's thread stays free."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

_REST = 10  # after a refresh of 2 ms come 20 ms without: at most an eleventh of the time
_SHORTEST_S = 0.016
_LONGEST_S = 0.25  # unless a refresh takes so long that even this were too often
_RECENT_S = 1.0
APART_S = 0.004
"""Between two documents' refreshes: what came meanwhile is painted, and keys have their turn."""
_refreshed: dict[int, float] = {}
"""When each document that is streaming was last refreshed, by the id of its pace."""


class Pace:
    """When one document may be refreshed again: after a rest, and in turn with the others."""

    def __init__(self) -> None:
        self.cost = 0.0  # seconds that the last refresh took
        self._rested_from = 0.0

    @contextmanager
    def refreshing(self) -> Iterator[None]:
        """Measures a refresh."""
        start = time.monotonic()
        yield
        self._rested_from = _refreshed[id(self)] = time.monotonic()
        self.cost = self._rested_from - start

    def left(self) -> float:
        """Seconds until the next refresh; 0 or less means now."""
        others = max((at for key, at in _refreshed.items() if key != id(self)), default=0.0)
        return max(self._rested_from + self.rest(), others + APART_S) - time.monotonic()

    def rest(self) -> float:
        """Seconds without a refresh after the last, by its cost and how many documents stream."""
        since = time.monotonic() - _RECENT_S
        for other in [other for other, last in _refreshed.items() if last < since]:
            del _refreshed[other]
        alone = self.cost * _REST
        shared = alone * max(len(_refreshed) / 2, 1)
        return max(min(shared, max(alone, _LONGEST_S)), _SHORTEST_S)
