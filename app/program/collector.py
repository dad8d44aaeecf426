"""Cyclic garbage collection on the GUI thread only.

Automatic collection runs on any thread that allocates, such as the engine's. Qt objects destroyed
there cause random crashes (napari #1029).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot


class Collector(QObject):
    """Runs the garbage collector from a timer.

    A young collection takes about a millisecond. A full collection visits everything the window has
    created, which takes 0.15 s with eight long answers. As in Python, it waits until the older
    generations are full. It also waits while ``busy`` returns True (replies are streaming), up to a
    time limit.
    """

    INTERVAL_MS = 500
    LONGEST_S = 600.0

    def __init__(
        self, parent: QObject | None = None, busy: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(parent)
        self._busy = busy
        self._last_full = time.monotonic()
        self._thresholds = gc.get_threshold()
        self._was_automatic = gc.isenabled()
        self._timer = QTimer(self, interval=self.INTERVAL_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        gc.disable()
        # Imported objects never become garbage, so exclude them. Only 660 of 72,000 objects are
        # garbage here, and collecting them would delay the first frame by 0.06 s.
        gc.freeze()
        self._timer.start()

    @Slot()
    def settle(self) -> None:
        """Exclude current objects from garbage collection. Called once a model has been loaded.

        The model's libraries create half a million objects. Scanning these blocked the window for
        0.2 s.
        """
        if self._timer.isActive():
            gc.freeze()

    def stop(self) -> None:
        """Collect everything, and turn automatic collection on again if it was on before.

        In the app it stays off, because some threads keep running and parts of the window are
        destroyed later.
        """
        self._timer.stop()
        gc.unfreeze()
        gc.collect()
        if self._was_automatic:
            gc.enable()

    @Slot()
    def collect(self) -> None:
        now = time.monotonic()
        for generation in (2, 1, 0):
            limit = self._thresholds[generation]
            if not limit or gc.get_count()[generation] <= limit:
                continue
            if generation == 2 and now - self._last_full < self.LONGEST_S and self._busy():
                continue
            if generation == 2:
                self._last_full = now
            gc.collect(generation)
            return
