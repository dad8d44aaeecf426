"""Whether a request fits into memory, and whose idle cache makes room for it. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import CAPACITY_EXHAUSTED, EngineError


@dataclass(frozen=True)
class Idle:
    """A session that is not answering: what dropping its cache would give back."""

    key: str
    nbytes: int
    used_at: float


def make_room(budget: int, needed: int, running: int, idle: Iterable[Idle]) -> Sequence[str]:
    """Which idle caches to drop, least recently used first, so that a request fits.

    Args:
        budget: bytes that weights and caches may take together.
        needed: bytes of the weights and of the request at its longest.
        running: bytes of the other answering sessions at their longest.

    Raises:
        EngineError: `capacity_exhausted`; nothing is dropped for a request that is refused.
    """
    queue = sorted(idle, key=lambda i: i.used_at)
    least = needed + running
    if least > budget:
        raise EngineError(
            CAPACITY_EXHAUSTED,
            f"This needs {least / 1e9:.2f} GB with the chats that are answering now, and "
            f"{budget / 1e9:.2f} GB may be used. Wait for one to finish, or ask for a shorter "
            "answer.",
        )
    wanted = least + sum(i.nbytes for i in queue)
    dropped = []
    for candidate in queue:
        if wanted <= budget:
            break
        wanted -= candidate.nbytes
        dropped.append(candidate.key)
    return dropped
