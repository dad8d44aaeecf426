"""How much one guest may ask."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from engine.serve.guests import Guest
from engine.serve.refusals import RefusedError
from engine.serve.settings import Settings

RATE_LIMITED = "rate_limit_exceeded"


@dataclass
class _Account:
    """What a guest has used: `left` requests of this minute at the moment `at`."""

    left: float
    at: float
    at_once: int = 0


class Limits:
    """Counts the guests' requests. Lives on the server's event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._accounts: dict[str, _Account] = {}  # as many as there are keys

    @contextlib.contextmanager
    def counted(self, guest: Guest) -> Iterator[None]:
        """Count a request for as long as it is answered.

        Raises:
            RefusedError: 429, saying when to ask again.
        """
        a_minute, now = self._settings.per_minute, time.monotonic()
        account = self._accounts.setdefault(guest.id, _Account(a_minute, now))
        if self._settings.per_key and account.at_once >= self._settings.per_key:
            raise RefusedError(
                429,
                f"{account.at_once} requests of this key are being answered, and no more may be.",
                RATE_LIMITED,
                1,
            )
        if a_minute:
            left = account.left + (now - account.at) * a_minute / 60
            account.left, account.at = min(float(a_minute), left), now
            if account.left < 1:
                raise RefusedError(
                    429,
                    f"This key may send {a_minute} requests a minute.",
                    RATE_LIMITED,
                    int((1 - account.left) * 60 / a_minute) + 1,
                )
            account.left -= 1
        account.at_once += 1
        try:
            yield
        finally:
            account.at_once -= 1
