"""The only place where something crosses from the engine's thread into the window.

Engine events and finished loads go into one locked list; one argument-less queued signal wakes the
GUI thread, which empties the list at most once a frame. One signal per token would flood the event
loop (pyface #811), and an emit at a window that is being destroyed would crash: the bridge outlives
every window.
"""

from __future__ import annotations

import itertools
import logging
import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from engine import PromptProgress, TextDelta

log = logging.getLogger(__name__)

Handler = Callable[[Any], None]


class Bridge(QObject):
    """Carries messages from other threads to handlers on the GUI thread.

    Other threads hold only a number, never a handler: dropping the last reference to a bound
    method there would destroy its Qt object on the wrong thread.
    """

    FRAME_S = 0.016
    MANY = 4
    """Where text for so many chats comes at once, every second frame is enough: painting eight
    panes sixty times a second took 0.7 of a core."""

    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._inbox: list[tuple[int, Any]] = []
        self._handlers: dict[int, Handler] = {}
        self._numbers = itertools.count()
        self._last_drain = 0.0
        self._rest = self.FRAME_S
        self._pause = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._pause.timeout.connect(self.drain)
        self._wake.connect(self._on_wake, Qt.ConnectionType.QueuedConnection)

    def channel(self, handler: Handler) -> tuple[int, Callable[[Any], None]]:
        """A number to close the channel with, and the function that any thread may post through.

        ``handler`` is called on the GUI thread with each message, in the order posted, with
        neighbouring text of one kind joined into one.
        """
        number = next(self._numbers)
        self._handlers[number] = handler

        def post(message: Any) -> None:
            with self._lock:
                self._inbox.append((number, message))
                first = len(self._inbox) == 1
            if first:
                self._wake.emit()

        return number, post

    def close(self, number: int) -> None:
        """Drop what still comes through this channel. Unknown numbers are fine."""
        self._handlers.pop(number, None)

    @Slot()
    def _on_wake(self) -> None:
        wait = self._rest - (monotonic() - self._last_drain)
        if wait <= 0:
            self.drain()
        elif not self._pause.isActive():
            self._pause.start(max(1, round(wait * 1000)))

    @Slot()
    def drain(self) -> None:
        """Hand everything that waits to its handlers now."""
        self._pause.stop()
        with self._lock:
            inbox, self._inbox = self._inbox, []
        many = len({number for number, _ in inbox}) >= self.MANY
        self._rest = 2 * self.FRAME_S if many else self.FRAME_S
        for number, message in coalesce(inbox):
            handler = self._handlers.get(number)
            if handler is None:
                continue
            try:
                handler(message)
            except Exception:
                # One chat's fault must not keep the others' text back. It is as uncaught as in any
                # other slot: the log, a report and the window's word of it come from the hook.
                log.error("A message from the engine could not be handled")
                sys.excepthook(*sys.exc_info())
        # Measured from the end: however slow the handlers are, painting gets its turn.
        self._last_drain = monotonic()


class _Run(list[Any]):
    """Adjacent deltas to join. Messages may be lists themselves."""


def coalesce(inbox: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """The same messages, with runs that one channel need not see singly made one.

    Neighbouring TextDelta of one kind are joined; a PromptProgress gives way to the next. The order
    within a channel stays; channels come in the order of their first message.
    """
    channels: dict[int, list[Any]] = {}
    for number, message in inbox:
        queue = channels.setdefault(number, [])
        last = queue[-1] if queue else None
        if isinstance(message, PromptProgress) and isinstance(last, PromptProgress):
            queue[-1] = message
        elif isinstance(message, TextDelta) and _continues(last, message):
            queue[-1] = _Run([*last, message] if isinstance(last, _Run) else [last, message])
        else:
            queue.append(message)
    return [
        (number, _joined(message) if isinstance(message, _Run) else message)
        for number, queue in channels.items()
        for message in queue
    ]


def _continues(last: Any, delta: TextDelta) -> bool:
    """Whether ``last`` (a delta, or the run of them so far) has the kind of ``delta``."""
    before = last[-1] if isinstance(last, _Run) else last
    return isinstance(before, TextDelta) and before.kind == delta.kind


def _joined(run: _Run) -> TextDelta:
    first = run[0]
    return TextDelta(
        session_id=first.session_id,
        reply_id=first.reply_id,
        text="".join(delta.text for delta in run),
        kind=first.kind,
    )
