"""The queue before the engine: so many answers are given at once, fairly between several keys."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable

Report = Callable[[str], None]  # sends a client a comment while it waits

REPORT_SECONDS = 1.0
"""How long a request waits before its client hears of it, and between two looks at its place."""
SILENT_SECONDS = 10.0  # an unchanged place is reported again after so long
LOOKS_PER_SECOND = 200  # of all that wait, about: one with many before it looks less often


class Queue:
    """Admits so many answers at once; other requests wait. Lives on the server's event loop.

    The next request is that of the key with the fewest answers, and the oldest one of it.

    Args:
        at_once: how many answers.
        reserved: how many of these places only requests without a session may take.
        spare: gives how many of them only keys may take that have none.
    """

    def __init__(
        self, at_once: int, reserved: int = 0, spare: Callable[[], int] = lambda: 0
    ) -> None:
        self._at_once = at_once
        self._spare = spare
        self._for_named = at_once - reserved
        self._admitted: set[Ticket] = set()
        self._named = 0  # of `going`, those of requests with a session
        self._of: Counter[str] = Counter()  # of `going`, by key
        self._by: dict[str, dict[Ticket, None]] = {}  # of `waiting`, by key
        self._order: dict[Ticket, int] | None = None  # as it was found last; None: it has changed
        self._numbers = itertools.count()
        self.waiting: dict[Ticket, None] = {}  # requests that wait, in the order in which they came
        self.going = 0  # how many answers are being given
        # when a request left it last, of `time.monotonic`; at first when it was made
        self.left = time.monotonic()

    @property
    def busy(self) -> bool:
        """Whether a request is admitted or waits."""
        return bool(self._admitted or self.waiting)

    def going_of(self, guest: str) -> int:
        """Return the number of running answers of one key."""
        return self._of[guest]

    def would_wait(self, named: bool, places: int = 1, guest: str = "") -> bool:
        """Whether one more request would have to wait."""
        same = any(ticket.named == named for ticket in self.waiting)
        room = self._has_room(named, self._places(named, places), guest, bool(self.waiting))
        return same or not room

    def enter(self, named: bool = False, places: int = 1, guest: str = "") -> Ticket:
        """Join the queue; the ticket must be left by `leave`.

        Args:
            named: whether the request has a session of its own.
            places: one for each answer. A request for more than there are takes all of them.
            guest: the id of its key.
        """
        ticket = Ticket(self, named, self._places(named, places), guest, next(self._numbers))
        self.waiting[ticket] = self._by.setdefault(guest, {})[ticket] = None
        self._order = None
        try:
            self._admit_next()
        except BaseException:
            self._forget(ticket)  # nobody would ever leave with it
            raise
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Make room for the next request. May be called more than once."""
        self.left = time.monotonic()
        self._forget(ticket)
        self._admit_next()

    def before(self, ticket: Ticket) -> int:
        """How many wait before that one."""
        if self._order is None:
            self._order = {one: place for place, one in enumerate(self._in_order())}
        return self._order.get(ticket, 0)

    def drop(self, ticket: Ticket) -> bool:
        """Take a request out of those that wait; False where it does not."""
        if ticket not in self.waiting:
            return False
        del self.waiting[ticket], self._by[ticket.guest][ticket]
        if not self._by[ticket.guest]:
            del self._by[ticket.guest]
        self._order = None
        return True

    def _forget(self, ticket: Ticket) -> None:
        self.drop(ticket)
        if ticket in self._admitted:
            self._admitted.remove(ticket)
            self._count(ticket, -ticket.places)

    def _admit_next(self) -> None:
        while self.waiting and self.going < self._at_once:
            heads = (next(iter(own)) for own in self._by.values())
            first = min(heads, key=lambda ticket: (self._of[ticket.guest], ticket.number))
            if not self._has_room(first.named, first.places, first.guest):
                if first.named:
                    self._admit_behind()
                return  # whatever came later would keep it waiting
            self._admit(first)

    def _admit_behind(self) -> None:
        """Admit requests that keep none waiting, where one with a session is the next."""
        for ticket in self._in_order():
            if self._has_room(ticket.named, ticket.places, ticket.guest, barred=True):
                self._admit(ticket)
            elif not ticket.named:
                return

    def _admit(self, ticket: Ticket) -> None:
        self.drop(ticket)
        self._admitted.add(ticket)
        self._count(ticket, ticket.places)
        ticket.admitted.set_result(None)

    def _in_order(self) -> list[Ticket]:
        """Those that wait, as they will be admitted: always of the key that has least then."""
        waiting = list(self.waiting)
        if len({ticket.guest for ticket in waiting}) < 2:
            return waiting
        has, ordered = Counter(self._of), []
        for came, ticket in enumerate(waiting):
            ordered.append((has[ticket.guest], came, ticket))
            has[ticket.guest] += ticket.places
        return [ticket for _, _, ticket in sorted(ordered, key=lambda one: one[:2])]

    def _count(self, ticket: Ticket, places: int) -> None:
        self.going += places
        self._named += places if ticket.named else 0
        self._of[ticket.guest] += places
        if not self._of[ticket.guest]:
            del self._of[ticket.guest]
        self._order = None

    def _places(self, named: bool, wanted: int) -> int:
        return min(wanted, self._for_named if named else self._at_once)

    def _has_room(self, named: bool, places: int, guest: str, barred: bool = False) -> bool:
        """Whether there are so many places.

        Args:
            barred: a request with a session waits for some. Others with one wait behind it, and
                those without have no more than what is reserved for them.
        """
        if named and (barred or self._named + places > self._for_named):
            return False
        unnamed = self.going - self._named
        if barred and unnamed + places > self._at_once - self._for_named:
            return False
        most = self._at_once - self._spare() if self._of[guest] else self._at_once
        return self.going + places <= most


class Ticket:
    """One request in a queue; the attributes are those of `Queue.enter`."""

    def __init__(self, queue: Queue, named: bool, places: int, guest: str, number: int) -> None:
        self._queue = queue
        self.guest = guest
        self.number = number  # grows with each that comes
        self.named = named
        self.places = places
        # done when the request is admitted, or refused
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait(self, report: Report, what: str) -> None:
        """Wait until admitted; the client hears its place in the queue after a while.

        Raises:
            Exception: what it was refused with.
        """
        reported, pause, silent = -1, REPORT_SECONDS, 0.0
        while not self.admitted.done():
            await asyncio.wait([self.admitted], timeout=pause)
            if self.admitted.done():
                break
            before, silent = self._queue.before(self), silent + pause
            if before != reported or silent >= SILENT_SECONDS:
                reported, silent = before, 0.0
                report(f"waiting for {what}, {before} before this one")
            pause = min(max(REPORT_SECONDS, before / LOOKS_PER_SECOND), SILENT_SECONDS)
        self.admitted.result()

    def refuse(self, error: Exception) -> None:
        """End its waiting with an error; one that has been admitted goes on."""
        if self._queue.drop(self):
            self.admitted.set_exception(error)
            self.admitted.exception()  # nobody may be left who asks

    def leave(self) -> None:
        """Leave the queue, or make room for the next one. May be called more than once."""
        self._queue.leave(self)
