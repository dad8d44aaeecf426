"""Downloads as the window sees them: the dialog, the word when one is finished, the next start."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.bridge import Bridge
from app.chats.model_choice import Shelf
from app.downloads import Downloads
from app.ui.widgets.toast import Toast

if TYPE_CHECKING:
    from app.ui.models.get_model import GetModelDialog


class Getting(QObject):
    """Opens the dialog over ``window`` and tells what happens while it is closed.

    Signals:
        opened(ref): the person wants to chat with that model.
    """

    TOLD_S = 12.0

    opened = Signal(str)

    def __init__(self, downloads: Downloads, shelf: Shelf, bridge: Bridge, window: QWidget) -> None:
        super().__init__(window)
        self._downloads = downloads
        self._shelf = shelf
        self._bridge = bridge
        self._window = window
        self._memory = 0
        self._act: Callable[[], None] = self.show
        self.dialog: GetModelDialog | None = None
        # Beside the window's own toast, whose button takes back what was done last.
        self.toast = Toast(window, at_top=True)
        self.toast.acted.connect(self._on_acted)
        downloads.finished.connect(self._on_finished)

    @Slot()
    def show(self) -> None:
        """Open the dialog, or bring it forward."""
        if self.dialog is None:
            self._ask_memory()
            self._downloads.measure()
            from app.ui.models.get_model import GetModelDialog

            self.dialog = GetModelDialog(self._downloads, self._window, lambda: self._memory)
            self.dialog.opened.connect(self.opened)
            self.dialog.finished.connect(self._on_gone)
        self.toast.hide()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def offer(self) -> None:
        """At a start: what was not finished can go on. The hub is not asked."""
        waiting = self._downloads.unfinished()
        if waiting:
            several = f"{len(waiting)} models are"
            what = f"{waiting[0].name} is" if len(waiting) == 1 else several
            self._tell(f"{what} not wholly downloaded yet", "Show", self.show)

    def end(self) -> None:
        """The program ends."""
        self.toast.hide()
        self._downloads.end()

    def _tell(self, words: str, verb: str, act: Callable[[], None]) -> None:
        self._act = act
        self.toast.show_text(words, verb, self.TOLD_S)

    @Slot(str)
    def _on_finished(self, ref: str) -> None:
        download = self._downloads.get(ref)
        if download is not None and self.dialog is None:
            self._tell(f"{download.name} is downloaded", "Open", lambda: self.opened.emit(ref))

    @Slot()
    def _on_acted(self) -> None:
        self._act()

    @Slot()
    def _on_gone(self) -> None:
        self.dialog = None

    def _ask_memory(self) -> None:
        """How much models and chats may take, from whoever shares it out."""
        engine = self._shelf.engine
        if engine is not None:
            self._bridge.when_done(engine.stats_later(), self._on_stats)

    def _on_stats(self, future: Future[dict[str, Any]]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._memory = int(future.result().get("memory_budget", 0))
