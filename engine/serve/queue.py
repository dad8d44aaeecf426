"""Request queue that limits concurrent answers and is fair between keys."""

from __future__ import annotations

import asyncio
import itertools
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

    Args:
        reserved: slots that only requests without a session may use.
        spare: returns the number of slots that only keys with no running reply may use.
    """

    def __init__(
        self, at_once: int, reserved: int = 0, spare: Callable[[], int] = lambda: 0
    ) -> None:
        self._at_once = at_once
        self._spare = spare
        self._for_named = at_once - reserved
        self._admitted: set[QueueEntry] = set()
        self._named = 0  # slots that requests with a session use
        self._running_by_owner: Counter[str] = Counter()  # `running` by key
        self._waiting_by_owner: dict[str, dict[QueueEntry, None]] = {}  # `waiting` by key
        self._order: dict[QueueEntry, int] | None = None  # cached positions, None if outdated
        self._numbers = itertools.count()
        self.waiting: dict[QueueEntry, None] = {}  # in order of arrival
        self.running = 0  # slots taken, one per answer
        # monotonic time when a request last ended, initially the creation time
        self.last_left_at = time.monotonic()

    @property
    def busy(self) -> bool:
        return bool(self._admitted or self.waiting)

    def running_of(self, owner_id: str) -> int:
        return self._running_by_owner[owner_id]

    def would_wait(self, named: bool, slots: int = 1, owner_id: str = "") -> bool:
        same = any(ticket.named == named for ticket in self.waiting)
        room = self._has_room(named, self._capped(named, slots), owner_id, bool(self.waiting))
        return same or not room

    def enter(self, named: bool = False, slots: int = 1, owner_id: str = "") -> QueueEntry:
        """Enqueue a request. The returned entry must be released with `leave`.

        Args:
            slots: slots needed, one per answer (capped at the number of slots).
        """
        ticket = QueueEntry(self, named, self._capped(named, slots), owner_id, next(self._numbers))
        self.waiting[ticket] = self._waiting_by_owner.setdefault(owner_id, {})[ticket] = None
        self._order = None
        self._admit_next()
        return ticket

    def leave(self, ticket: QueueEntry) -> None:
        """Release an entry and admit the next. May be called more than once."""
        self.last_left_at = time.monotonic()
        self._forget(ticket)
        self._admit_next()

    def before(self, ticket: QueueEntry) -> int:
        if self._order is None:
            self._order = {entry: index for index, entry in enumerate(self._in_order())}
        return self._order.get(ticket, 0)

    def drop(self, ticket: QueueEntry) -> bool:
        if ticket not in self.waiting:
            return False
        del self.waiting[ticket], self._waiting_by_owner[ticket.owner_id][ticket]
        if not self._waiting_by_owner[ticket.owner_id]:
            del self._waiting_by_owner[ticket.owner_id]
        self._order = None
        return True

    def _forget(self, ticket: QueueEntry) -> None:
        self.drop(ticket)
        if ticket in self._admitted:
            self._admitted.remove(ticket)
            self._count(ticket, -ticket.slots)

    def _admit_next(self) -> None:
        while self.waiting and self.running < self._at_once:
            heads = (next(iter(entries)) for entries in self._waiting_by_owner.values())
            first = min(
                heads, key=lambda ticket: (self._running_by_owner[ticket.owner_id], ticket.number)
            )
            if not self._has_room(first.named, first.slots, first.owner_id):
                if first.named:
                    self._admit_behind()
                return  # admitting later requests could starve this request
            self._admit(first)

    def _admit_behind(self) -> None:
        for ticket in self._in_order():
            if self._has_room(ticket.named, ticket.slots, ticket.owner_id, barred=True):
                self._admit(ticket)
            elif not ticket.named:
                return

    def _admit(self, ticket: QueueEntry) -> None:
        self.drop(ticket)
        self._admitted.add(ticket)
        self._count(ticket, ticket.slots)
        ticket.admitted.set_result(None)

    def _in_order(self) -> list[QueueEntry]:
        waiting = list(self.waiting)
        if len({ticket.owner_id for ticket in waiting}) < 2:
            return waiting
        slots_of, ordered = Counter(self._running_by_owner), []
        for came, ticket in enumerate(waiting):
            ordered.append((slots_of[ticket.owner_id], came, ticket))
            slots_of[ticket.owner_id] += ticket.slots
        return [ticket for _, _, ticket in sorted(ordered, key=lambda item: item[:2])]

    def _count(self, ticket: QueueEntry, slots: int) -> None:
        self.running += slots
        self._named += slots if ticket.named else 0
        self._running_by_owner[ticket.owner_id] += slots
        if not self._running_by_owner[ticket.owner_id]:
            del self._running_by_owner[ticket.owner_id]
        self._order = None

    def _capped(self, named: bool, slots: int) -> int:
        return min(slots, self._for_named if named else self._at_once)

    def _has_room(self, named: bool, slots: int, owner_id: str, barred: bool = False) -> bool:
        """Return True if this many slots are free.

        Args:
            barred: a request with a session is already waiting. Other requests with a session wait
                behind it, and requests without one only get the reserved slots.
        """
        if named and (barred or self._named + slots > self._for_named):
            return False
        unnamed = self.running - self._named
        if barred and unnamed + slots > self._at_once - self._for_named:
            return False
        limit = self._at_once - self._spare() if self._running_by_owner[owner_id] else self._at_once
        return self.running + slots <= limit


class QueueEntry:
    """Entry of a request in the queue. For attributes, see `Queue.enter`."""

    def __init__(self, queue: Queue, named: bool, slots: int, owner_id: str, number: int) -> None:
        self._queue = queue
        self.owner_id = owner_id
        self.number = number  # consecutive number in order of arrival
        self.named = named
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
