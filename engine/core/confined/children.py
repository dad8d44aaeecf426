"""At most so many confined children, and whose turn it is.

Requests of one lane (a model's prompts, say) follow each other, so that the lane whose work is
hostile holds one child at most, and the other lanes share the rest. Lanes take turns: who has many
requests waiting is not served before those who have one.

All children are started by one thread, which lives as long as the children: Linux ends a child with
the *thread* that started it. The thread is a daemon, and so is nothing that an exit waits for.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from engine.core.confined.limits import Limits
from engine.core.confined.process import Child, CrashError, OverrunError
from engine.errors import ENGINE_STOPPED, INTERNAL_ERROR, EngineError, words_of

log = logging.getLogger(__name__)

MOST_KEPT = 400 * 2**20
"""A child that holds more bytes when it has nothing to do is replaced."""

_LOOK_SECONDS = 1.0
"""How often whoever waits for a child looks whether one can still come."""

_MOST_LANES = 64  # of which it is remembered when they were served

Reply = tuple[dict[str, Any], list[bytes]]


class Children:
    """Children that are started when they are wanted and replaced when they die.

    Args:
        size: how many children there may be at once.
        once: each does one thing that takes long, and is ended; the next is started when it is
            wanted.
    """

    def __init__(self, size: int, once: bool = False) -> None:
        self._size, self._once = size, once
        self._changed = threading.Condition()
        self._idle: list[Child] = []
        self._busy: dict[str, Child | None] = {}  # by lane; None: its child is still to come
        self._queue: list[tuple[object, str]] = []  # who waits, in the order of coming
        # Lanes that have been served, the one that was served last at the end.
        self._served: OrderedDict[str, None] = OrderedDict()
        self._wanted: list[bool] = []  # children to be started, and whether they are to be warm
        self._dead: list[Child] = []  # to be reaped
        self._fault: str | None = None  # why the last one could not be started
        self._closed = False
        self._keeper: threading.Thread | None = None

    def start(self) -> None:
        """Have one child ready, in the background."""
        with self._changed:
            if not self._idle and not self._busy and not self._wanted:
                self._want(warm=self._once)

    def close(self) -> None:
        """Kill all children; who waits for one is told that the engine was stopped."""
        with self._changed:
            self._closed = True
            for child in self._busy.values():
                if child is not None:
                    child.kill()  # its pipes are in use until its request has noticed
            self._dead += self._idle
            self._idle.clear()
            self._changed.notify_all()
            keeper = self._keeper
        if keeper is not None:
            keeper.join(timeout=2.0)

    @property
    def pids(self) -> list[int]:
        """The children's process ids, for those who watch."""
        with self._changed:
            busy = [c for c in self._busy.values() if c is not None]
            return [child.pid for child in (*self._idle, *busy)]

    def ask(self, lane: str, key: str, use: Callable[[Child], Reply]) -> Reply:
        """What `use` returns for a child of its own, when it is the lane's turn.

        Args:
            key: what the child should have in memory, if there is a choice.

        Raises:
            OverrunError, CrashError: as `Child.ask` does; the child is replaced.
            EngineError: the children was closed, or no child can be started.
        """
        child, dead = self._take(lane, key), True
        try:
            reply = use(child)
            ended = self._once or "panic" in reply[0] or "memory" in reply[0]
            dead = ended or child.memory() > MOST_KEPT
            return reply
        except (OverrunError, CrashError):
            if self._closed:
                raise _stopped() from None
            raise
        finally:
            try:
                self._put(lane, child, dead)
            except BaseException:
                self._release(lane, child)
                raise

    def _release(self, lane: str, child: Child) -> None:
        """Whatever has happened, the lane is free for the next."""
        with self._changed:
            if self._busy.get(lane) is child:
                del self._busy[lane]
                self._dead.append(child)
            self._changed.notify_all()

    def _take(self, lane: str, key: str) -> Child:
        me = object()
        with self._changed:
            self._queue.append((me, lane))
            try:
                while not self._my_turn(me):
                    if self._closed:
                        raise _stopped()
                    self._changed.wait()
            finally:
                self._queue.remove((me, lane))
                self._changed.notify_all()
            self._busy[lane] = None
            self._served[lane] = None
            self._served.move_to_end(lane)
            while len(self._served) > _MOST_LANES:
                self._served.popitem(last=False)
            try:
                return self._child(lane, key)
            except BaseException:
                del self._busy[lane]
                self._changed.notify_all()
                raise

    def _my_turn(self, me: object) -> bool:
        """Whether this one can go, and is the first of the lane that has waited longest."""
        if self._closed or len(self._busy) >= self._size:
            return False
        turns = {lane: turn for turn, lane in enumerate(self._served)}
        ready = [(who, lane) for who, lane in self._queue if lane not in self._busy]
        first = min(ready, key=lambda one: turns.get(one[1], -1), default=(None, ""))
        return first[0] is me

    def _child(self, lane: str, key: str) -> Child:
        """An idle child, or a new one. The lock is held."""
        while True:
            if self._closed:
                raise _stopped()
            for child in [c for c in self._idle if not c.alive]:  # killed from outside
                self._idle.remove(child)
                self._dead.append(child)
            if self._idle:
                best = max(self._idle, key=lambda c: key in c.known)
                self._idle.remove(best)
                self._busy[lane] = best
                return best
            if self._fault is not None:
                fault, self._fault = self._fault, None
                raise EngineError(
                    INTERNAL_ERROR,
                    f"The helper process that reads prompts and files did not start: {fault}.",
                )
            if len(self._wanted) < sum(child is None for child in self._busy.values()):
                self._want()
            self._have_keeper()  # nobody tells when it has ended by a fault
            self._changed.wait(_LOOK_SECONDS)

    def _put(self, lane: str, child: Child, dead: bool) -> None:
        with self._changed:
            del self._busy[lane]
            if dead or self._closed:
                child.kill()
                self._dead.append(child)
                # The next one need not be waited for: unless each is for one request only.
                if not self._once and not self._closed and not self._idle:
                    self._want()
            else:
                self._idle.append(child)
            self._changed.notify_all()

    def _want(self, warm: bool = False) -> None:
        """Have the keeper start one more. The lock is held."""
        self._wanted.append(warm)
        self._have_keeper()
        self._changed.notify_all()

    def _have_keeper(self) -> None:
        if self._keeper is None or not self._keeper.is_alive():
            self._keeper = threading.Thread(target=self._keep, name="stretto-confined", daemon=True)
            self._keeper.start()

    def _keep(self) -> None:
        """Start and bury children until the children is closed."""
        while True:
            with self._changed:
                while not (self._wanted or self._dead or (self._closed and not self._busy)):
                    self._changed.wait()
                dead, self._dead = self._dead, []
                if self._closed:
                    self._wanted.clear()
                start = bool(self._wanted)
            for child in dead:
                self._bury(child)
            try:
                if start:
                    self._start_one()
            except BaseException as error:
                log.exception("a fault while children were started")
                with self._changed:  # who waits for one is told
                    del self._wanted[:1]
                    self._fault = words_of(error)
                    self._changed.notify_all()
            with self._changed:
                if self._closed and not self._dead and not self._busy:
                    return

    def _bury(self, child: Child) -> None:
        """What goes wrong here is no concern of who waits for another child."""
        try:
            child.kill()
            child.reap()
        except BaseException:
            log.exception("a child could not be buried")

    def _start_one(self) -> None:
        fault = None
        try:
            child = Child(self._wanted[0], long=self._once)
        except (OSError, ValueError) as error:
            log.exception("no confined child")
            fault = str(error)
        with self._changed:
            del self._wanted[0]
            if fault is not None:
                self._fault = fault
            elif self._closed:
                child.kill()
                self._dead.append(child)
            else:
                self._idle.append(child)
            self._changed.notify_all()


def _stopped() -> EngineError:
    return EngineError(ENGINE_STOPPED, "The engine was stopped.")


def what_happened(limits: Limits, error: OverrunError | CrashError) -> str:
    """What happened to a child, as the end of a sentence."""
    if isinstance(error, CrashError) and error.signal != signal.SIGALRM:
        return f"made the process that does it crash (signal {error.signal})"
    # The child's own timer is there for when its parent cannot keep to the time.
    what = "time" if isinstance(error, CrashError) else str(error.args[0])
    if what == "time":
        return f"took longer than {limits.seconds:g} seconds"
    if what == "memory":
        return f"needed more than {limits.memory / 1e9:.1f} GB of memory"
    return f"made more than {limits.output / 1e6:.0f} MB"
