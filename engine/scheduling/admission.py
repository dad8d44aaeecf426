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


def make_room(
    budget: int, needed: int, running: int, idle: Iterable[Idle], kept_free: int = 0
) -> Sequence[str] | None:
    """Which idle caches to drop, least recently used first, so that a request fits.

    None when it has to wait for the replies that are running.

    Args:
        budget: bytes that weights and caches may take together.
        needed: bytes of the weights and of the request at its longest.
        running: bytes of the other answering sessions at their longest.
        kept_free: bytes that must be left for something else; idle caches may lie there.

    Raises:
        EngineError: `capacity_exhausted`, it would not fit if nothing else ran.
    """
    if needed + kept_free > budget:
        raise EngineError(
            CAPACITY_EXHAUSTED,
            f"This needs {needed / 1e9:.2f} GB together with the weights, and "
            f"{(budget - kept_free) / 1e9:.2f} GB may be used. Ask for a shorter "
            "answer, shorten the chat, or unload a model.",
        )
    least = needed + running
    if least + kept_free > budget:
        return None
    queue = sorted(idle, key=lambda i: i.used_at)
    wanted = least + sum(i.nbytes for i in queue)
    dropped = []
    for candidate in queue:
        if wanted <= budget:
            break
        wanted -= candidate.nbytes
        dropped.append(candidate.key)
    return dropped
