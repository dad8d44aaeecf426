"""The files of a comparison: those of the message that it begins with, and what is added here."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.language import tr
from app.store import Attachments
from app.ui.composer.file_chips import FileChips
from app.ui.pane.pane_files import PaneFiles


class CompareFiles(QWidget):
    """The chips of a pane's message with a button that adds to them; all columns get the files.

    They are the pane's own: what is chosen here is what its composer shows.

    Signals:
        changed(): other files go with the message, or one has been read.
    """

    changed = Signal()

    def __init__(self, files: PaneFiles, parent: QWidget) -> None:
        super().__init__(parent)
        self._files = files
        self.button = QPushButton(tr("Attach Files…"), self)
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda: files.choose(self))
        self._row = QWidget(self)
        self.chips = FileChips(self.button, self._row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeading)
        layout.addWidget(self._row)
        files.wire(self.chips)
        files.shown.connect(self._show)
        self._show()

    @property
    def attachments(self) -> Attachments:
        """What goes with the message."""
        return self._files.attaching.files

    @property
    def reading(self) -> tuple[str, ...]:
        """The names of files that are still being read."""
        return self._files.attaching.reading

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @Slot()
    def _show(self) -> None:
        self.chips.show_files(self._files.chips)
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        height = self.chips.arrange(self.width())
        self.chips.setGeometry(0, 0, self.width(), height)
        self._row.setFixedHeight(height)
        self._row.setVisible(bool(height))
