"""Asks the engine for its figures five times a second while the score is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.chats.tool_call import Doing, doing
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

    sampled = Signal()

    def __init__(self, library: ChatLibrary, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._bridge = bridge
        self._asked = False  # the engine has not answered yet: it is not asked again
        self.guests: Callable[[], Mapping[str, tuple[str, str]]] = dict
        self.lanes = Lanes()
        self._timer = QTimer(self, interval=self.INTERVAL_MS)
        self._timer.timeout.connect(self._ask)

    def start(self) -> None:
        """Begin to ask, with empty lanes."""
        self.lanes = Lanes()
        self._timer.start()
        self._ask()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _ask(self) -> None:
        engine = self._library.loader.engine
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
        if future.exception() is None and self._timer.isActive():
            shown = {**self._library.sessions(), **self.guests()}
            self.lanes.take(monotonic(), future.result(), shown, self._tools())
            self.sampled.emit()

    def _tools(self) -> dict[str, Doing]:
        """What the tools of chats do."""
        tools = {chat.id: chat.tools for chat in self._library.running()}
        found = {
            chat_id: doing(each.calls.values(), each.step, each.tokens, paused=each.paused)
            for chat_id, each in tools.items()
        }
        return {chat_id: each for chat_id, each in found.items() if each is not None}
