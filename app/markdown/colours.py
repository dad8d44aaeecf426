"""Colouring the code of one document without holding up the GUI thread."""

import time
import weakref
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from app.markdown.highlight import Colouring, Lines
from app.markdown.rows import CodeKey

_STRETCH_S = 0.006
_REST_MS = 12


class Colours(QObject):
    """Colours code for a few milliseconds at once, the rest later in short stretches.

    Args:
        show: a method; is given the lines of a block that was plain when `lines` returned it.
    """

    def __init__(self, show: Callable[[CodeKey, Lines], None], parent: QObject) -> None:
        super().__init__(parent)
        # Weak, or the document would live until the next collection of cycles.
        self._show = weakref.WeakMethod(show)
        self._jobs: dict[CodeKey, Colouring] = {}
        self._until = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timeout)

    def begin(self) -> None:
        """A rendering begins: `lines` may take one stretch in all."""
        self._until = time.monotonic() + _STRETCH_S

    def lines(self, key: CodeKey, code: str) -> Lines:
        """The block's lines: coloured if there is time, else plain and shown coloured later."""
        job = Colouring(code, key.language)
        if job.work(self._until):
            self._jobs.pop(key, None)
        else:
            self._jobs[key] = job
            self._timer.start(_REST_MS)
        return job.lines

    def settle(self) -> None:
        """Colours all that is left, however long it takes."""
        self._work(float("inf"))
        self._timer.stop()

    def clear(self) -> None:
        """Forgets what is left."""
        self._jobs.clear()
        self._timer.stop()

    @Slot()
    def _on_timeout(self) -> None:
        self._work(time.monotonic() + _STRETCH_S)
        if self._jobs:
            self._timer.start(_REST_MS)

    def _work(self, until: float) -> None:
        while self._jobs:
            key, job = next(iter(self._jobs.items()))
            if not job.work(until):
                return
            del self._jobs[key]
            if show := self._show():
                show(key, job.lines)
