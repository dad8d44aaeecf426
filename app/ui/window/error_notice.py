"""An error that nobody caught is told in the window, quietly, with the way to its report."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.bridge import Bridge
from app.crash import CrashReports
from app.language import mark, tr
from app.ui.dialogs.crash_dialog import CrashDialog
from app.ui.widgets.toast import Toast

WORDS = mark("Something went wrong. What you just did may not have worked.")


class ErrorNotice(QObject):
    """Tells of errors as they happen.

    Attributes:
        post: takes a report's path, on any thread.
    """

    TOLD_S = 20.0

    def __init__(self, reports: CrashReports, bridge: Bridge, window: QWidget) -> None:
        super().__init__(window)
        self._reports = reports
        self._window = window
        # Beside the window's own toast, whose next word would take its place.
        self.toast = Toast(window, at_top=True)
        self.toast.acted.connect(self._show_report)
        _, self.post = bridge.channel(self._tell)

    def _tell(self, report: Path) -> None:
        self.toast.show_text(tr(WORDS), tr("Show Report"), self.TOLD_S)

    @Slot()
    def offer_last(self) -> None:
        """The last run crashed: show what is left of it, once."""
        reports = self._reports.see()
        if reports:
            CrashDialog(reports, self._window).show()

    @Slot()
    def _show_report(self) -> None:
        reports = self._reports.see()
        if reports:
            CrashDialog(reports, self._window, tr("Something went wrong")).show()
