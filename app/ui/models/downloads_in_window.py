from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from app import flows
from app.models.downloads import Downloads
from app.models.loading import ModelLoader
from app.settings.language import counted, tr
from app.ui.widgets.toast import Toast
from app.ui.widgets.widget_behavior import show_if

if TYPE_CHECKING:
    from app.ui.models.get_model import GetModelDialog


class DownloadsInWindow(QObject):
    """Opens the download dialog over ``window``, and shows notices while the dialog is closed."""

    TOLD_S = 12.0

    chat_requested = Signal(str)  # (ref): start a chat with this model

    def __init__(self, downloads: Downloads, loader: ModelLoader, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._downloads = downloads
        self._loader = loader
        self._memory = 0
        self._has_gpu = True
        self._notice_action: Callable[[], None] = self.show
        self.dialog: GetModelDialog | None = None
        downloads.download_finished.connect(self._on_finished)

    @cached_property
    def toast(self) -> Toast:
        """Return a separate toast, because the window's may offer an undo."""
        widget = Toast(self._window, at_top=True)
        # Each notice sets its own `_notice_action`.
        widget.action_requested.connect(lambda: self._notice_action())  # noqa: PLW0108
        return widget

    @Slot()
    def show(self) -> None:
        if self.dialog is None:
            from app.ui.models.get_model import GetModelDialog

            flows.start(self, self._ask_memory())
            self._downloads.measure()
            self.dialog = GetModelDialog(
                self._downloads, self._window, lambda: self._memory, lambda: self._has_gpu
            )
            self.dialog.chat_requested.connect(self.chat_requested)
            self.dialog.finished.connect(self._on_gone)
        show_if(self, "toast", False)
        self.dialog.show_or_raise()

    @Slot(str)
    def show_for(self, words: str) -> None:
        """Open the dialog with text in the search field. The user starts the search."""
        self.show()
        if self.dialog is not None:
            self.dialog.field.setText(words)
            self.dialog.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def offer_to_resume(self) -> None:
        """Offer to resume unfinished downloads at startup, without contacting the hub."""
        waiting = self._downloads.unfinished_downloads()
        if waiting:
            words = tr("{name} hasn’t finished downloading", name=waiting[0].name)
            if len(waiting) > 1:
                words = counted(
                    "%n model hasn’t finished downloading",
                    "%n models haven’t finished downloading",
                    len(waiting),
                )
            self._show_notice(words, tr("Show"), self.show)

    def end(self) -> None:
        show_if(self, "toast", False)
        self._downloads.end()

    def _show_notice(self, words: str, verb: str, act: Callable[[], None]) -> None:
        self._notice_action = act
        self.toast.show_text(words, verb, self.TOLD_S)

    @Slot(str)
    def _on_finished(self, ref: str) -> None:
        download = self._downloads.get(ref)
        if download is not None and self.dialog is None:
            words = tr("{name} converted", name=download.name)
            if download.can_pause:
                words = tr("{name} downloaded", name=download.name)
            self._show_notice(words, tr("Open"), lambda: self.chat_requested.emit(ref))

    @Slot()
    def _on_gone(self) -> None:
        self.dialog = None

    async def _ask_memory(self) -> None:
        stats = await self._loader.figures.now()
        if stats is not None:
            self._memory = int(stats.get("memory_budget", 0))
            self._has_gpu = stats["backend"]["device"] != "cpu"
            if self.dialog is not None:
                self.dialog.show_memory()
