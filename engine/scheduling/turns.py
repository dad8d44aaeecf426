"""Several models share the device by time."""

from __future__ import annotations

from collections.abc import Iterable


class Turns:
    """Several models share the device by time: the one that has used least of it is next.

    A turn each would slow a small model's chats down to the pace of a large one.
    """

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._served: set[str] = set()

    def next(self, active: Iterable[str]) -> str:
        """Whose turn it is among `active` models; at least one.

        One that was not active before begins with as little time as the others have used, not
        with less: it is owed nothing for the time when it had nothing to do.
        """
        known = {m: self._used[m] for m in active if m in self._used}
        least = min(known.values(), default=0.0)
        self._used = {m: known.get(m, least) for m in active}
        self._served &= self._used.keys()
        return min(self._used, key=lambda m: self._used[m])

    def completes(self, model: str) -> bool:
        """Whether all active models have had a turn once `model` has had this one."""
        return self._served | {model} == self._used.keys()

    def charge(self, model: str, seconds: float) -> bool:
        """Count a turn that `model` has had; True when all active ones have had one since."""
        self._used[model] += seconds
        self._served.add(model)
        if self._served != self._used.keys():
            return False
        self._served = set()
        return True
