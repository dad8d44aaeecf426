"""Bridge that delivers engine events from other threads to the GUI thread.

Other threads append events to a list. A queued signal wakes the GUI thread, which empties the list
at most once per frame. One signal per token would flood the event loop (pyface #811). Emitting to a
window during its destruction would crash, so the bridge outlives all windows.
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
    """Queue of messages from other threads to handlers on the GUI thread.

    Other threads only get the channel's number. If they held the handler, they might drop the last
    reference to its Qt object, which would then be destroyed on the wrong thread.
    """

    FRAME_S = 0.016
    MANY = 4
    """Number of channels with messages from which the window is only updated every second frame.

    Painting eight panes at 60 Hz took 0.7 of a core.
    """

    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._inbox: list[tuple[int, Any]] = []
        self._handlers: dict[int, Handler] = {}
        self._numbers = itertools.count()
        self._last_drain = 0.0
        self._interval_s = self.FRAME_S
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.drain)
        self._wake.connect(self._on_wake, Qt.ConnectionType.QueuedConnection)

    def channel(self, handler: Handler) -> tuple[int, Callable[[Any], None]]:
        """Open a channel. Return its number and a thread-safe function that posts messages to it.

        ``handler`` is called on the GUI thread with each message, in order. Consecutive text deltas
        of the same kind are joined.
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
        """Close a channel and discard its messages. Unknown numbers are ignored."""
        self._handlers.pop(number, None)

    @Slot()
    def _on_wake(self) -> None:
        wait = self._interval_s - (monotonic() - self._last_drain)
        if wait <= 0:
            self.drain()
        elif not self._timer.isActive():
            self._timer.start(max(1, round(wait * 1000)))

    @Slot()
    def drain(self) -> None:
        self._timer.stop()
        with self._lock:
            inbox, self._inbox = self._inbox, []
        many = len({number for number, _ in inbox}) >= self.MANY
        self._interval_s = 2 * self.FRAME_S if many else self.FRAME_S
        for number, message in coalesce(inbox):
            handler = self._handlers.get(number)
            if handler is None:
                continue
            try:
                handler(message)
            except Exception:
                # An error in one chat must not block the others, so report it like any uncaught
                # exception.
                log.error("handler of an engine message failed")
                sys.excepthook(*sys.exc_info())
        # Start the pause after the handlers are done, so that slow handlers can't keep the window
        # from painting.
        self._last_drain = monotonic()


def coalesce(inbox: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Join consecutive messages of each channel where possible.

    Text deltas of the same kind are concatenated, and a PromptProgress replaces the previous one.
    Each channel keeps its order.
    """
    channels: dict[int, list[list[Any]]] = {}
    for number, message in inbox:
        runs = channels.setdefault(number, [])
        last = runs[-1][-1] if runs else None
        if isinstance(message, PromptProgress) and isinstance(last, PromptProgress):
            runs[-1] = [message]
        elif (
            isinstance(message, TextDelta)
            and isinstance(last, TextDelta)
            and last.kind == message.kind
        ):
            runs[-1].append(message)
        else:
            runs.append([message])
    return [(number, _join(run)) for number, runs in channels.items() for run in runs]


def _join(run: list[Any]) -> Any:
    first = run[0]
    if len(run) == 1:
        return first
    text = "".join(delta.text for delta in run)
    return TextDelta(first.session_id, first.reply_id, text, first.kind)
