"""Asks the engine for its figures five times a second while the score is shown.

Strettos elsewhere that keep sessions for chats of this window are asked once a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.chats.asked import figures
from app.chats.library import ChatLibrary
from app.chats.tool_call import Doing, doing
from app.score.elsewhere import NO_ENGINE, beside
from app.score.lanes import Lanes

if TYPE_CHECKING:
    from engine import Engine


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

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
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
        self._asked = True
        flows.start(self, self._ask_engine(engine))

    async def _ask_engine(self, engine: Engine) -> None:
        stats = await figures(engine)
        self._asked = False
        if stats is not None and self._timer.isActive():
            self._take(stats)

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
        flows.start(self, self._take_elsewhere(future))

    async def _take_elsewhere(self, future: Future[Any]) -> None:
        self._elsewhere = {}
        with suppress(Exception):
            self._elsewhere = await flows.arrived(future)
        self._asked_elsewhere = False

    def _tools(self) -> dict[str, Doing]:
        """What the tools of chats do."""
        tools = {chat.id: chat.tools for chat in self._library.running()}
        found = {
            chat_id: doing(each.calls.values(), each.step, each.tokens, paused=each.paused)
            for chat_id, each in tools.items()
        }
        return {chat_id: each for chat_id, each in found.items() if each is not None}
