"""What one of several keys may have of what all of them share, where nobody has set a limit."""

from __future__ import annotations

import time
from contextlib import suppress

from engine.errors import CAPACITY_EXHAUSTED
from engine.serve.keys import Keys
from engine.serve.refusals import RefusedError

SPARE = 16
"""Of so many places in the line one is for keys that have none."""


LOOK_SECONDS = 1.0
"""How long it is taken for known how many keys there are."""


class Sharing:
    """Knows whether several keys share the server. Alone, one has everything.

    Who shares takes no more than is left for the others: the first greedy key gets one half, the
    next a quarter, and so on. So a key that has nothing always gets something, and nobody needs to
    say how many there are.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._several, self._until = False, float("-inf")

    @property
    def several(self) -> bool:
        """Whether there are several keys that open the server."""
        now = time.monotonic()
        if self._keys is not None and now >= self._until:
            self._until = now + LOOK_SECONDS
            with suppress(OSError, ValueError):  # then no key opens anything
                self._several = sum(not key.revoked for key in self._keys.all()) > 1
        return self._several

    def spare(self, places: int) -> int:
        """How many of these places are for keys that have none."""
        return places // SPARE if self.several else 0

    def may_have(self, mine: float, left: float) -> bool:
        """Whether a key may have `mine` of something, when so much is left then."""
        return mine <= left or not self.several

    def refused(self, what: str) -> RefusedError:
        """The refusal of more of it."""
        return RefusedError(
            429,
            f"This key has its share of {what}: the rest is for other keys. Ask again later.",
            CAPACITY_EXHAUSTED,
        )
