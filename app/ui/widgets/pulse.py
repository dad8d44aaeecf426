"""Makes the dots of answering chats pulse: one timer for all, stopped while nothing answers.

Where less motion is wanted they stand still, fainter than the dot of an answer that has ended.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chats.library import ChatLibrary
from app.ui.style import motion


class Pulse(QObject):
    """Ticks while any chat answers.

    Signals:
        beat(alpha): how opaque the dots are now, 0 to 255.
    """

    beat = Signal(int)
    STILL = 150
    STEPS = (255, 235, 200, 160, 120, 95, 95, 120, 160, 200, 235)

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._step = 0
        self._timer = QTimer(self, interval=140)
        self._timer.timeout.connect(self._on_tick)
        library.activity.connect(self._on_activity)

    @property
    def alpha(self) -> int:
        return self.STILL if motion.reduced() else self.STEPS[self._step]

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        if not self._timer.isActive() and self._library.running():
            if not motion.reduced():
                self._timer.start()
            self.beat.emit(self.alpha)

    @Slot()
    def _on_tick(self) -> None:
        if motion.reduced() or not self._library.running():
            self._timer.stop()
        self._step = (self._step + 1) % len(self.STEPS)
        self.beat.emit(self.alpha)
