"""Opens the dialog that gets models, and tells what happens to downloads while it is closed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QWidget

from app import flows
from app.chats.asked import figures
from app.chats.model_choice import ModelLoader
from app.downloads import Downloads
from app.language import counted, tr
from app.ui.models.search_field import SearchField
from app.ui.widgets.toast import Toast


class ModelDialog(QDialog):
    """What `DownloadsInWindow` needs of the dialog that it opens.

    Signals:
        opened(ref): the person wants to chat with that model.

    Attributes:
        field: takes what is looked for.
    """

    opened = Signal(str)
    field: SearchField

    def show_memory(self) -> None:
        """It is known now how much models and chats may take."""


class DownloadsInWindow(QObject):
    """Opens the dialog over ``window`` and tells what happens while it is closed.

    Signals:
        opened(ref): the person wants to chat with that model.
    """

    TOLD_S = 12.0

    opened = Signal(str)

    def __init__(
        self,
        downloads: Downloads,
        loader: ModelLoader,
        window: QWidget,
        make_dialog: Callable[[Downloads, QWidget, Callable[[], int]], ModelDialog],
    ) -> None:
        """``make_dialog``: its last argument tells how much memory models and chats may take."""
        super().__init__(window)
        self._make_dialog = make_dialog
        self._window = window
        self._downloads = downloads
        self._loader = loader
        self._memory = 0
        self._act: Callable[[], None] = self.show
        self.dialog: ModelDialog | None = None
        # Beside the window's own toast, whose button takes back what was done last.
        self.toast = Toast(window, at_top=True)
        self.toast.acted.connect(self._on_acted)
        downloads.finished.connect(self._on_finished)

    @Slot()
    def show(self) -> None:
        """Open the dialog, or bring it forward."""
        if self.dialog is None:
            flows.start(self, self._ask_memory())
            self._downloads.measure()
            self.dialog = self._make_dialog(self._downloads, self._window, lambda: self._memory)
            self.dialog.opened.connect(self.opened)
            self.dialog.finished.connect(self._on_gone)
        self.toast.hide()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    @Slot(str)
    def show_for(self, words: str) -> None:
        """The same with these words in the search; the hub is asked when the person says so."""
        self.show()
        if self.dialog is not None:
            self.dialog.field.setText(words)
            self.dialog.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def offer(self) -> None:
        """At a start: what was not finished can go on. The hub is not asked."""
        waiting = self._downloads.unfinished()
        if waiting:
            words = tr("{name} is not wholly downloaded yet", name=waiting[0].name)
            if len(waiting) > 1:
                words = counted(
                    "%n model is not wholly downloaded yet",
                    "%n models are not wholly downloaded yet",
                    len(waiting),
                )
            self._tell(words, tr("Show"), self.show)

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
            words = tr("{name} is converted", name=download.name)
            if download.can_pause:
                words = tr("{name} is downloaded", name=download.name)
            self._tell(words, tr("Open"), lambda: self.opened.emit(ref))

    @Slot()
    def _on_acted(self) -> None:
        self._act()

    @Slot()
    def _on_gone(self) -> None:
        self.dialog = None

    async def _ask_memory(self) -> None:
        """How much models and chats may take, from whoever shares it out."""
        engine = self._loader.engine
        told = await figures(engine) if engine is not None else None
        if told is not None:
            self._memory = int(told.get("memory_budget", 0))
            if self.dialog is not None:
                self.dialog.show_memory()
