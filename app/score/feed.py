"""Asks the engine for its figures five times a second while the score is shown.

Strettos elsewhere that keep sessions for chats of this window are asked once a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.chats.tool_call import Doing, doing
from app.score.elsewhere import NO_ENGINE, beside
from app.score.lanes import Lanes
from engine import EngineError


class ScoreFeed(QObject):
    """Keeps the lanes up to date between `start` and `stop`.

    Signals:
        sampled(): the lanes hold newer figures.

    Attributes:
        guests: gives the lanes of other programs, as `ChatLibrary.sessions` gives those of chats.
    """

    INTERVAL_MS = 200
    ELSEWHERE_TICKS = 5
    """Strettos elsewhere are asked once in so many ticks."""

    sampled = Signal()

    def __init__(self, library: ChatLibrary, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._bridge = bridge
        self._asked = False  # the engine has not answered yet: it is not asked again
        self._asked_elsewhere = False
        self._ticks = 0
        self._elsewhere: Mapping[str, Mapping[str, Any]] = {}  # by the chats' ids
        self.guests: Callable[[], Mapping[str, tuple[str, str]]] = dict
        self.lanes = Lanes()
        self._timer = QTimer(self, interval=self.INTERVAL_MS)
        self._timer.timeout.connect(self._ask)

    def start(self) -> None:
        """Begin to ask, with empty lanes."""
        self.lanes = Lanes()
        self._ticks, self._elsewhere = 0, {}
        self._timer.start()
        self._ask()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _ask(self) -> None:
        if self._ticks % self.ELSEWHERE_TICKS == 0:
            self._ask_elsewhere()
        self._ticks += 1
        engine = self._library.loader.engine
        if engine is None and (self._elsewhere or len(self.lanes)):
            self._take(NO_ENGINE)
        if self._asked or engine is None:
            return
        try:
            future = engine.stats_later()
        except EngineError:  # it has been stopped
            return
        self._asked = True
        self._bridge.when_done(future, self._on_stats)

    def _on_stats(self, future: Future[Any]) -> None:
        self._asked = False
        failed = future.cancelled() or future.exception() is not None
        if not failed and self._timer.isActive():
            self._take(future.result())

    def _take(self, stats: Mapping[str, Any]) -> None:
        shown = {**self._library.sessions(), **self.guests()}
        titles = {chat.id: chat.title for chat in self._library.in_use()}
        told = beside(stats, shown, self._elsewhere, titles)
        self.lanes.take(monotonic(), *told, self._tools())
        self.sampled.emit()

    def _ask_elsewhere(self) -> None:
        """Ask the Strettos that keep sessions for chats of this window."""
        if self._asked_elsewhere:
            return
        future = self._library.loader.remotes.figures()
        if future is None:
            self._elsewhere = {}
            return
        self._asked_elsewhere = True
        self._bridge.when_done(future, self._on_elsewhere)

    def _on_elsewhere(self, future: Future[Any]) -> None:
        self._asked_elsewhere = False
        failed = future.cancelled() or future.exception() is not None
        self._elsewhere = {} if failed else future.result()

    def _tools(self) -> dict[str, Doing]:
        """What the tools of chats do."""
        tools = {chat.id: chat.tools for chat in self._library.running()}
        found = {
            chat_id: doing(each.calls.values(), each.step, each.tokens, paused=each.paused)
            for chat_id, each in tools.items()
        }
        return {chat_id: each for chat_id, each in found.items() if each is not None}
