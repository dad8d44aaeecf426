"""One remembered model as a row of the list in the settings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from app.chats.model_choice import LoadState, ModelStatus
from app.language import mark, tr
from app.model_folders import ModelFolder
from app.paths import short_path
from app.ui.style.figures import bytes_line
from app.ui.style.theme import repolish, ui_font
from app.ui.widgets.buttons import IconButton
from engine import Model

UNLOAD = mark("Unload: take it out of memory")
_NO_FOLDER = {
    True: mark("The folder is being looked for"),
    False: mark("The folder is not there"),
}


class ModelRow(QFrame):
    """One model: name, size and state, where it lies, and what can be done about it.

    Attributes:
        folder: what was found on disk, None until it was looked at.
    """

    def __init__(self, ref: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("model-row")
        self.ref = ref
        self.folder: ModelFolder | None = None
        self.name = QLabel(self)
        self.name.setFont(ui_font(14, QFont.Weight.Medium))
        self.state = QLabel(self)
        self.place = ElidedLabel(short_path(Path(ref)), self)
        self.place.setToolTip(ref)
        self.place.setProperty("muted", True)
        self.reveal = IconButton("folder-open", tr("Show in Folder"), self)
        self.forget = IconButton("x", tr("Remove from List"), self)
        self.unload = IconButton("eject", tr(UNLOAD), self)
        self.unload.hide()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.name, 0, 0)
        grid.addWidget(self.state, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.place, 1, 0, 1, 2)
        grid.addWidget(self.unload, 0, 2, 2, 1)
        grid.addWidget(self.reveal, 0, 3, 2, 1)
        grid.addWidget(self.forget, 0, 4, 2, 1)
        grid.setColumnStretch(0, 1)

    def set_first(self, first: bool) -> None:
        """The first has no line above it."""
        if self.property("first") != first:
            self.setProperty("first", first)
            repolish(self)

    def show_unload(self, model: Model | None, why_not: str) -> None:
        """Offer to take it out of memory, where it is there; the tooltip says why it cannot be."""
        self.unload.setVisible(model is not None)
        self.unload.setEnabled(not why_not)
        self.unload.setToolTip(why_not or tr(UNLOAD))

    def show_state(self, model_status: ModelStatus) -> None:
        """Say what is known of it, on disk and in the engine."""
        folder, model = self.folder, model_status.model
        name, loading = model_status.name, model_status.state
        self.name.setText(name)
        self.reveal.setAccessibleName(tr("Show the folder of {name}", name=name))
        self.forget.setAccessibleName(tr("Remove {name} from the list", name=name))
        self.unload.setAccessibleName(tr("Unload {name}", name=name))
        missing = folder is not None and not folder.found
        empty = folder is not None and folder.found and not folder.holds_model
        takes = bytes_line(model.nbytes if model else 0)
        words = {
            LoadState.READY: tr("Loaded, {size} of memory", size=takes),
            LoadState.LOADING: tr("Loading…"),
            LoadState.FAILED: tr("Not loaded"),
        }.get(loading, "")
        if missing:
            here = folder is not None and folder.local
            words = tr("Folder not found") if here else tr("Not downloaded")
        elif empty:
            words = tr("No model in it")
        elif folder is not None and not folder.local:
            words = words or tr("From the hub")
        size = bytes_line(folder.bytes) if folder is not None and folder.holds_model else ""
        self.state.setText(" · ".join(part for part in (size, words) if part))
        self.state.setToolTip(model_status.error if loading is LoadState.FAILED else "")
        bad = missing or empty or loading is LoadState.FAILED
        self.state.setProperty("danger", bad)
        self.state.setProperty("muted", not bad)
        repolish(self.state)
        found = folder is not None and folder.found
        self.reveal.setEnabled(found)
        self.reveal.setToolTip(tr("Show in Folder") if found else tr(_NO_FOLDER[folder is None]))


class ElidedLabel(QLabel):
    """A line that leaves out its middle where there is no room for it."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._whole = text
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        middle = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(self._whole, middle, self.width()))
