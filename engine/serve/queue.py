"""Waiting: the queue before the engine, and waits that end with the client or the server."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from starlette.types import Receive

T = TypeVar("T")


@contextmanager
def meanwhile(doing: Coroutine[Any, Any, None]) -> Iterator[asyncio.Future[None]]:
    """Do something until this is left."""
    task = asyncio.ensure_future(doing)
    try:
        yield task
    finally:
        task.cancel()


async def unless(
    gone: asyncio.Future[None],
    doing: Coroutine[Any, Any, T],
    undo: Callable[[T], object] = lambda _: None,
) -> T | None:
    """Do something that takes time, unless a client goes before; then None.

    Args:
        undo: called with what was got for nobody: whoever asked was cancelled at that moment.
    """
    task = asyncio.ensure_future(doing)
    # An error after its client has gone is nobody's.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    either: list[asyncio.Future[Any]] = [gone, task]
    given = False
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        given = True
        if task.done():
            return task.result()
        return None
    finally:
        if not given and task.done() and not task.cancelled() and task.exception() is None:
            undo(task.result())
        task.cancel()


async def disconnected(receive: Receive) -> None:
    """Wait until the client has gone. The body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Ending:
    """The server's end, for those who wait for something else. Lives on its event loop.

    Attributes:
        error: what those who wait are told; None while the server goes on.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    def end(self, error: Exception) -> None:
        """Tell all who wait that they wait in vain."""
        self.error = error
        for over in self._waiting:
            if not over.done():
                over.set_result(None)

    async def unless_over(self, awaited: asyncio.Future[T], seconds: float | None = None) -> T:
        """Wait for something, which goes on for others when this one gives up.

        Raises:
            TimeoutError: it takes longer than that.
            Exception: the server's end.
        """
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(over)
        either: list[asyncio.Future[Any]] = [awaited, over]
        try:
            if self.error is None:
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait(either, timeout=seconds, return_when=first)
            if awaited.done():
                return awaited.result()
            raise self.error or TimeoutError
        finally:
            self._waiting.discard(over)


Say = Callable[[str], Any]
"""A coroutine function that tells a client something while it waits."""

TELL_SECONDS = 1.0
"""How long a request waits before it is told so, and between two looks at its place."""
SILENT_SECONDS = 10.0
"""For so long an unchanged place is not told. Then it is told again."""
LOOKS_PER_SECOND = 200
"""Of all who wait, about: whoever has many before him looks less often."""


class Queue:
    """Has so many places; who finds none waits. Lives on the server's event loop.

    Args:
        at_once: how many.
        reserved: how many of them only requests without a session may take.
        spare: tells how many of them only keys may take that have none.

    Attributes:
        waiting: those that wait, in the order in which they came.
        left: when somebody left it last, of `time.monotonic`; at first when it was made.
    """

    def __init__(
        self, at_once: int, reserved: int = 0, spare: Callable[[], int] = lambda: 0
    ) -> None:
        self._at_once = at_once
        self._spare = spare
        self._for_named = at_once - reserved
        self._through: set[Turn] = set()
        self._taken = self._named = 0  # places, and those of requests with a session
        self._of: Counter[str] = Counter()  # places by key
        self._numbers = itertools.count()
        self.waiting: dict[Turn, None] = {}
        self._by: dict[str, dict[Turn, None]] = {}  # those that wait, by key
        self._order: dict[Turn, int] | None = None  # as it was found last; None: it has changed
        self.left = time.monotonic()

    @property
    def busy(self) -> bool:
        """Whether anybody is through, or waits."""
        return bool(self._through or self.waiting)

    @property
    def going(self) -> int:
        """How many answers are being given."""
        return self._taken

    def would_wait(self, named: bool, places: int = 1, guest: str = "") -> bool:
        """Whether one more request would have to wait."""
        same = any(t.named == named for t in self.waiting)
        room = self._has_room(named, self._places(named, places), guest, bool(self.waiting))
        return same or not room

    def enter(self, named: bool = False, places: int = 1, guest: str = "") -> Turn:
        """Join the queue. `Turn.wait` waits until it is through, and `Turn.leave` ends it.

        Args:
            places: that it takes. Who wants more than there are takes all of them.
            guest: whose key it came with.
        """
        turn = Turn(self, named, self._places(named, places), guest, next(self._numbers))
        self.waiting[turn] = self._by.setdefault(guest, {})[turn] = None
        self._order = None
        try:
            self._admit()
        except BaseException:
            self._forget(turn)  # nobody would ever leave with it
            raise
        return turn

    def end(self, error: Exception) -> None:
        """Tell all who wait that they wait in vain."""
        for turn in list(self.waiting):
            turn.refuse(error)

    def before(self, turn: Turn) -> int:
        """How many wait before that one."""
        if self._order is None:
            self._order = {one: place for place, one in enumerate(self._in_order())}
        return self._order.get(turn, 0)

    def drop(self, turn: Turn) -> bool:
        """Take one out of those who wait; False where it does not."""
        if turn not in self.waiting:
            return False
        del self.waiting[turn], self._by[turn.guest][turn]
        if not self._by[turn.guest]:
            del self._by[turn.guest]
        self._order = None
        return True

    def leave(self, turn: Turn) -> None:
        """Let the next one through."""
        self.left = time.monotonic()
        self._forget(turn)
        self._admit()

    def _forget(self, turn: Turn) -> None:
        self.drop(turn)
        if turn in self._through:
            self._through.remove(turn)
            self._take(turn, -turn.places)

    def _admit(self) -> None:
        while self.waiting and self._taken < self._at_once:
            heads = (next(iter(own)) for own in self._by.values())
            first = min(heads, key=lambda turn: (self._of[turn.guest], turn.number))
            if not self._has_room(first.named, first.places, first.guest):
                if first.named:
                    self._admit_behind()
                return  # whoever came later would keep it waiting
            self._let(first)

    def _admit_behind(self) -> None:
        """Let those through who keep nobody waiting: a request with a session is the next."""
        for turn in self._in_order():
            if self._has_room(turn.named, turn.places, turn.guest, barred=True):
                self._let(turn)
            elif not turn.named:
                return

    def _let(self, turn: Turn) -> None:
        self.drop(turn)
        self._through.add(turn)
        self._take(turn, turn.places)
        turn.through.set_result(None)

    def _in_order(self) -> list[Turn]:
        """Those who wait, in the order of their turns: always of the key that has least then."""
        waiting = list(self.waiting)
        if len({turn.guest for turn in waiting}) < 2:
            return waiting
        has, ordered = Counter(self._of), []
        for came, turn in enumerate(waiting):
            ordered.append((has[turn.guest], came, turn))
            has[turn.guest] += turn.places
        return [turn for _, _, turn in sorted(ordered, key=lambda one: one[:2])]

    def _take(self, turn: Turn, places: int) -> None:
        self._taken += places
        self._named += places if turn.named else 0
        self._of[turn.guest] += places
        if not self._of[turn.guest]:
            del self._of[turn.guest]
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
        unnamed = self._taken - self._named
        if barred and unnamed + places > self._at_once - self._for_named:
            return False
        most = self._at_once - self._spare() if self._of[guest] else self._at_once
        return self._taken + places <= most


class Turn:
    """One request's place in a queue.

    Attributes:
        named: whether it has a session of its own.
        places: that it takes.
        guest: whose key it came with.
        number: grows with each that comes.
        through: done when the request's turn has come.
    """

    def __init__(self, queue: Queue, named: bool, places: int, guest: str, number: int) -> None:
        self._queue = queue
        self.guest = guest
        self.number = number
        self.named = named
        self.places = places
        self.through: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    @property
    def before(self) -> int:
        """How many wait before this one."""
        return self._queue.before(self)

    async def wait(self, say: Say, what: str) -> None:
        """Wait for the turn. The client is told its place, once waiting takes longer.

        Raises:
            Exception: the queue has ended.
        """
        told, pause, silent = -1, TELL_SECONDS, 0.0
        while not self.through.done():
            await asyncio.wait([self.through], timeout=pause)
            if self.through.done():
                break
            before, silent = self.before, silent + pause
            if before != told or silent >= SILENT_SECONDS:
                told, silent = before, 0.0
                await say(f"waiting for {what}, {before} before this one")
            pause = min(max(TELL_SECONDS, before / LOOKS_PER_SECOND), SILENT_SECONDS)
        self.through.result()

    def refuse(self, error: Exception) -> None:
        """Tell the one who waits here that he waits in vain, if he still waits."""
        if self._queue.drop(self):
            self.through.set_exception(error)
            self.through.exception()  # those who are not there any more do not ask

    def leave(self) -> None:
        """Leave the queue, or make room for the next one. May be called more than once."""
        self._queue.leave(self)
