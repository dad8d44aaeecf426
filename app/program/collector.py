"""Python's cyclic garbage collection, moved to the GUI thread.

Left to itself it runs on whichever thread allocates, the engine's included, and would destroy Qt
objects there: random crashes (napari #1029).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot


class Collector(QObject):
    """Switches automatic collection off and collects from a timer instead.

    A young collection takes a millisecond or so. The full one walks everything that the window has
    made, 0.15 s with eight long answers: it waits until the older generations have filled up, as
    Python itself does, and until nothing streams, but not for ever.

    Args:
        busy: whether somebody would notice if the window stood still now.
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
        # What the imports left is never garbage: not walking it makes each collection short. Of
        # 72,000 objects 660 are, for which a collection would hold the first frame up for 0.06 s.
        gc.freeze()
        self._timer.start()

    @Slot()
    def settle(self) -> None:
        """Never look at what is there now again (a model and its libraries were just loaded).

        A full collection over the half million objects of those libraries held the window for
        0.2 s.
        """
        if self._timer.isActive():
            gc.freeze()

    def stop(self) -> None:
        """Collect everything once; then it is automatic again, if it was.

        In the program it was not: threads that nobody waits for go on, and some of the window is
        destroyed only later.
        """
        self._timer.stop()
        gc.unfreeze()
        gc.collect()
        if self._was_automatic:
            gc.enable()

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that has reached its threshold."""
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
