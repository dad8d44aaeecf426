"""How much one guest may ask.

A request counts once in the requests of a minute. Of those that are answered at once it counts as
many times as it wants answers, which is known once its body has been read.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from starlette.types import Scope

from engine.serve.guests import Guest
from engine.serve.refusals import RefusedError
from engine.serve.settings import Settings

RATE_LIMITED = "rate_limit_exceeded"
_PLACE = "stretto.share"


@dataclass
class _Account:
    """What a guest has used: `left` requests of this minute at the moment `at`."""

    left: float
    at: float
    at_once: int = 0


class Share:
    """What one request has of its guest's account.

    Args:
        most: answers that the guest may have at once; 0 for any number.
    """

    def __init__(self, account: _Account, most: int) -> None:
        self._account = account
        self._most = most
        self._counted = 0

    def count(self, answers: int) -> None:
        """Let the request count as so many.

        Raises:
            RefusedError: 429, the guest has others; 400, it may never have so many at once.
        """
        others = self._account.at_once - self._counted
        if self._most and others + answers > self._most:
            if answers > self._most:
                raise RefusedError(
                    400,
                    f"This request wants {answers} answers at once, and a key may have "
                    f"{self._most}. Ask for fewer.",
                )
            raise RefusedError(
                429,
                f"{others} answers are being given to this key, and {self._most} may be at once.",
                RATE_LIMITED,
                1,
            )
        self._account.at_once = others + answers
        self._counted = answers

    def end(self) -> None:
        """The request has been answered."""
        self._account.at_once -= self._counted
        self._counted = 0


def count(scope: Scope, answers: int) -> None:
    """Let a request count as so many. As `Share.count`."""
    share: Share | None = scope.get(_PLACE)
    if share is not None:
        share.count(answers)


class Limits:
    """Counts the guests' requests. Lives on the server's event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._accounts: dict[str, _Account] = {}  # as many as there are keys

    @contextlib.contextmanager
    def counted(self, guest: Guest, scope: Scope) -> Iterator[None]:
        """Count a request for as long as it is answered; `count` lets it count for more.

        Raises:
            RefusedError: 429, saying when to ask again.
        """
        a_minute, now = self._settings.per_minute, time.monotonic()
        account = self._accounts.setdefault(guest.id, _Account(a_minute, now))
        share = Share(account, self._settings.per_key)
        share.count(1)
        try:
            self._count_minute(account, a_minute, now)
            scope[_PLACE] = share
            yield
        finally:
            share.end()

    def _count_minute(self, account: _Account, a_minute: int, now: float) -> None:
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
