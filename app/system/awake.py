"""Prevention of macOS App Nap, which slows down programs with hidden windows.

Active while a chat replies or a model is downloaded. Does nothing on other systems. The screen and
the machine may still sleep.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from app.chats.library import ChatLibrary
from app.models.downloads import Downloads

log = logging.getLogger(__name__)

# NSActivityUserInitiatedAllowingIdleSystemSleep, from NSProcessInfo.h
_OPTIONS = 0x00FFFFFF & ~(1 << 20)
_REASON = "A chat is answering, or a model is downloaded"

# starts an activity, and returns the function that ends it
Begin = Callable[[], Callable[[], None]]


class NapPrevention(QObject):
    """Holder of an App Nap activity while any reply or download runs."""

    def __init__(
        self,
        library: ChatLibrary,
        downloads: Downloads,
        parent: QObject,
        begin: Begin | None = None,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._downloads = downloads
        self._begin = begin or (_begin_on_mac if sys.platform == "darwin" else _nothing)
        self._end: Callable[[], None] | None = None
        library.activity.connect(self._on_activity)
        downloads.changed.connect(self._on_activity)

    @Slot(str)
    def _on_activity(self, _which: str) -> None:
        at_work = self._downloads.running or bool(self._library.running())
        if at_work and self._end is None:
            try:
                self._end = self._begin()
            except Exception as error:  # a slow program is better than a crash
                log.info("cannot prevent App Nap: %s", error)
                self._end = _nothing()
        elif not at_work and self._end is not None:
            end, self._end = self._end, None
            end()


def _nothing() -> Callable[[], None]:
    return lambda: None


def _begin_on_mac() -> Callable[[], None]:
    import objc

    process = objc.lookUpClass("NSProcessInfo").processInfo()
    activity = process.beginActivityWithOptions_reason_(_OPTIONS, _REASON)
    return lambda: process.endActivity_(activity)
