"""When the system is short of memory the window gives some back before it has to be taken."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chats import unloading
from app.chats.library import ChatLibrary
from app.chats.model_choice import ModelStatus
from app.language import tr
from engine.errors import EngineError
from engine.runtime import pressure
from engine.runtime.pressure import Need, Pressure, Relief

log = logging.getLogger(__name__)


class MemoryPressure(QObject):
    """Looks every two seconds: first idle caches go, then models that no chat is using.

    Args:
        resting: the models that may go, the one that was used longest ago first.

    Attributes:
        level: how short the system is of memory.
        clock: seconds that only go forward.

    Signals:
        said(text): what was given back, and what it means for the person.
    """

    said = Signal(str)

    EVERY_MS = 2_000

    def __init__(
        self,
        library: ChatLibrary,
        resting: Callable[[], list[ModelStatus]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.level: Callable[[], Pressure] = pressure.pressure
        self.clock: Callable[[], float] = time.monotonic
        self._library, self._resting = library, resting
        self._relief = Relief()
        self._timer = QTimer(self, interval=self.EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    @Slot()
    def look(self) -> None:
        """Give back what is needed now."""
        need = self._relief.need(self.level(), self.clock())
        if need is Need.CACHES:
            self._put_caches_away()
        elif need is Need.MODEL:
            self._unload_one()

    def _put_caches_away(self) -> None:
        engine = self._library.loader.engine
        if engine is None:
            return
        log.info("The system is short of memory: idle caches are put away.")
        with suppress(EngineError):  # a stopped engine holds nothing
            engine.relieve_later()

    def _unload_one(self) -> None:
        for status in self._resting():
            name = status.name
            if not unloading.unload(self._library, status.ref):
                text = tr(
                    "The system is short of memory, so {model} was unloaded. Its chats load it "
                    "again when they send.",
                    model=name,
                )
                log.warning("%s", text)
                self.said.emit(text)
                return
