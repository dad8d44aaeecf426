from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app import flows
from app.bridge import Bridge
from app.settings.language import mark, tr
from app.store import Store, StoreError
from app.system.crash import CrashReports
from app.ui.dialogs.store_dialogs import Recovery
from app.ui.widgets.toast import Toast
from app.ui.widgets.widget_behavior import is_part_visible
from app.ui.window.main_window import MainWindow

WORDS = mark("Something went wrong. Your last action may not have taken effect.")


class ErrorNotice(QObject):
    TOLD_S = 20.0

    def __init__(self, reports: CrashReports, bridge: Bridge, window: QWidget) -> None:
        super().__init__(window)
        self._reports = reports
        self._window = window
        _, self.post = bridge.channel(self._show_toast)  # takes the path of a report; thread-safe

    @cached_property
    def toast(self) -> Toast:
        """Return a toast that other messages don't replace."""
        widget = Toast(self._window, at_top=True)
        heading = tr("Something went wrong")
        widget.action_requested.connect(lambda: flows.start(self, self._show(heading)))
        return widget

    def _show_toast(self, report: Path) -> None:
        self.toast.show_text(tr(WORDS), tr("Show Report"), self.TOLD_S)

    @Slot()
    def offer_last(self) -> None:
        """Show the crash report, once, if the app crashed last time."""
        flows.start(self, self._show(""))

    async def _show(self, heading: str) -> None:
        reports = await flows.run_in_thread(lambda _: self._reports.mark_seen())
        if not reports:
            return
        from app.ui.dialogs.about import CrashDialog

        try:
            text = await flows.run_in_thread(lambda _: reports[0].read_text("utf-8", "replace"))
        except OSError as error:
            text = tr("The report can’t be read: {error}", error=error)
        CrashDialog(reports[0], text, self._window, heading).show()


log = logging.getLogger(__name__)

_DAMAGED = mark(
    "The file with your chats is damaged, and nothing more can be saved in it. Quit "
    "Stretto and open it again to recover what can be read."
)


class SaveErrorNotice(QObject):
    """Notice about save errors. On exit, tries to save the remaining changes."""

    LAST_TRY_S = 5.0

    def __init__(self, store: Store, bridge: Bridge, window: MainWindow) -> None:
        super().__init__(window)
        self._store = store
        self._window = window
        _, self.post = bridge.channel(self.report_error)  # `report_error`, thread-safe
        store.writer.on_error = self.post
        _, post = bridge.channel(self._on_saved)
        store.writer.on_saved = lambda: post(None)

    @cached_property
    def notice(self) -> Toast:
        widget = Toast(self._window, at_top=True)
        widget.action_requested.connect(self.retry_now)
        return widget

    def report_error(self, error: StoreError) -> None:
        """Show that saving or reading has failed. Unsaved data stays in memory."""
        log.warning("error in the chat database: %s", error.code)
        if error.code in {"invalid", "closed"}:
            return
        words = tr(_DAMAGED) if error.code == "corrupt" else error.message
        self.notice.show_text(words, tr("Try Now"), seconds=0)

    @Slot()
    def retry_now(self) -> None:
        with suppress(StoreError):
            self._store.flush(0)

    def save_the_rest(self, ask: Callable[[StoreError], Recovery]) -> None:
        """On exit, save until everything is saved or the user gives up."""
        self._store.writer.on_error = None
        self._store.writer.on_saved = None
        while True:
            try:
                self._store.flush(self.LAST_TRY_S)
                return
            except StoreError as error:
                log.warning("cannot save everything at exit: %s", error.code)
                if ask(error) is Recovery.QUIT:
                    return

    def _on_saved(self, _: object) -> None:
        if is_part_visible(self, "notice"):
            self.notice.hide()
            self._window.toast.show_text(tr("All changes are saved."))
