"""Prevention of macOS App Nap, which slows down apps whose windows are hidden.

Only active during replies and model downloads. The screen and the machine may still sleep.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from app.chats.library import ChatLibrary
from app.models.downloads import Downloads

log = logging.getLogger(__name__)

# NSActivityUserInitiatedAllowingIdleSystemSleep in NSProcessInfo.h
_OPTIONS = 0x00FFFFFF & ~(1 << 20)
_REASON = "A chat is answering, or a model is downloaded"

# Starts an activity and returns a function to end it.
Begin = Callable[[], Callable[[], None]]


class NapPrevention(QObject):
    """Owner of an App Nap activity during replies and downloads."""

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
        self._begin = begin or (_begin_on_mac if sys.platform == "darwin" else _make_noop)
        self._end: Callable[[], None] | None = None
        library.activity.connect(self._on_activity)
        downloads.changed.connect(self._on_activity)

    @Slot(str)
    def _on_activity(self, _which: str) -> None:
        at_work = self._downloads.is_running or bool(self._library.replying_chats())
        if at_work and self._end is None:
            try:
                self._end = self._begin()
            except Exception as error:  # slow is better than crashed
                log.info("cannot prevent App Nap: %s", error)
                self._end = _make_noop()
        elif not at_work and self._end is not None:
            end, self._end = self._end, None
            end()


def _make_noop() -> Callable[[], None]:
    return lambda: None


def _begin_on_mac() -> Callable[[], None]:
    import objc

    process = objc.lookUpClass("NSProcessInfo").processInfo()
    activity = process.beginActivityWithOptions_reason_(_OPTIONS, _REASON)
    return lambda: process.endActivity_(activity)
