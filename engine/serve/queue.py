"""Request queue that limits concurrent answers and is fair between keys."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable

Report = Callable[[str], None]  # sends a comment to a waiting client

REPORT_AFTER_S = 1.0
"""Delay before a waiting request's first report, and minimum interval between checks."""
REPORT_EVERY_S = 10.0  # maximum interval between reports at the same position
CHECKS_PER_S = 200  # limit for all requests together; requests far back check less often


class Queue:
    """Queue that limits concurrent answers.

    The key with the fewest running answers goes first, then the oldest request.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._admitted: set[QueueEntry] = set()
        self._running_by_owner: Counter[str] = Counter()  # `running` by key
        self._order: dict[QueueEntry, int] | None = None  # cached positions, None if outdated
        self.waiting: dict[QueueEntry, None] = {}  # in order of arrival
        self.running = 0  # slots taken, one per answer
        # monotonic time when a request last ended, initially the creation time
        self.last_left_at = time.monotonic()

    @property
    def busy(self) -> bool:
        return bool(self._admitted or self.waiting)

    def running_of(self, owner_id: str) -> int:
        return self._running_by_owner[owner_id]

    def would_wait(self, slots: int = 1) -> bool:
        return bool(self.waiting) or self.running + min(slots, self._at_once) > self._at_once

    def enter(self, owner_id: str = "", slots: int = 1) -> QueueEntry:
        """Enqueue a request. The returned entry must be released with `leave`.

        Args:
            slots: slots needed, one per answer (capped at the number of slots).
        """
        ticket = QueueEntry(self, owner_id, min(slots, self._at_once))
        self.waiting[ticket] = self._order = None
        self._admit_next()
        return ticket

    def leave(self, ticket: QueueEntry) -> None:
        """Release an entry and admit the next. May be called more than once."""
        self.last_left_at = time.monotonic()
        self.drop(ticket)
        if ticket in self._admitted:
            self._admitted.remove(ticket)
            self._count(ticket, -ticket.slots)
        self._admit_next()

    def before(self, ticket: QueueEntry) -> int:
        if self._order is None:
            self._order = {entry: index for index, entry in enumerate(self._in_order())}
        return self._order.get(ticket, 0)

    def drop(self, ticket: QueueEntry) -> bool:
        if ticket not in self.waiting:
            return False
        del self.waiting[ticket]
        self._order = None
        return True

    def _admit_next(self) -> None:
        while self.waiting:
            first = min(self.waiting, key=lambda ticket: self._running_by_owner[ticket.owner_id])
            if self.running + first.slots > self._at_once:
                return  # admitting later requests could starve this request
            self.drop(first)
            self._admitted.add(first)
            self._count(first, first.slots)
            first.admitted.set_result(None)

    def _in_order(self) -> list[QueueEntry]:
        slots_of, ordered = Counter(self._running_by_owner), []
        for came, ticket in enumerate(self.waiting):
            ordered.append((slots_of[ticket.owner_id], came, ticket))
            slots_of[ticket.owner_id] += ticket.slots
        return [ticket for _, _, ticket in sorted(ordered, key=lambda item: item[:2])]

    def _count(self, ticket: QueueEntry, slots: int) -> None:
        self.running += slots
        self._running_by_owner[ticket.owner_id] += slots
        self._order = None


class QueueEntry:
    """Entry of a request in the queue. For attributes, see `Queue.enter`."""

    def __init__(self, queue: Queue, owner_id: str, slots: int) -> None:
        self._queue = queue
        self.owner_id = owner_id
        self.slots = slots
        # Resolves on admission, and fails on refusal.
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait(self, report: Report, need: str) -> None:
        """Wait until admitted. After a while, report the position.

        Raises:
            Exception: argument of `refuse`.
        """
        reported, pause, silent = -1, REPORT_AFTER_S, 0.0
        while not self.admitted.done():
            await asyncio.wait([self.admitted], timeout=pause)
            if self.admitted.done():
                break
            before, silent = self._queue.before(self), silent + pause
            if before != reported or silent >= REPORT_EVERY_S:
                reported, silent = before, 0.0
                report(f"waiting for {need} ({before} ahead)")
            pause = min(max(REPORT_AFTER_S, before / CHECKS_PER_S), REPORT_EVERY_S)
        self.admitted.result()

    def refuse(self, error: Exception) -> None:
        if self._queue.drop(self):
            self.admitted.set_exception(error)
            self.admitted.exception()  # mark the error as retrieved, in case `wait` was canceled

    def leave(self) -> None:
        """Leave the queue or free the slots. May be called more than once."""
        self._queue.leave(self)
