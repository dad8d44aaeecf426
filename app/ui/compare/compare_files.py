"""The files of a comparison: those of the message that it begins with, and what is added here."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QDropEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.language import tr
from app.store import Attachments
from app.ui.compare.messages_field import AskField
from app.ui.composer.composer_text import files_in
from app.ui.composer.file_chips import FileChips
from app.ui.pane.pane_files import PaneFiles

_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class CompareFiles(QWidget):
    """The chips of a pane's message, and what adds to them; all columns get the files.

    They are the pane's own: what is chosen here is what its composer shows. Files are chosen by
    the button, dropped anywhere on the dialog, or pasted into its message.

    Signals:
        changed(): other files go with the message, or one has been read.
    """

    changed = Signal()

    def __init__(self, files: PaneFiles, field: AskField, parent: QWidget) -> None:
        """``field``: the message's; ``parent``: the dialog."""
        super().__init__(parent)
        self._files = files
        self.button = QPushButton(tr("Attach Files…"), self)
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda: files.choose(self))
        self._refused = QLabel(self)
        self._refused.setTextFormat(Qt.TextFormat.PlainText)
        self._refused.setProperty("muted", True)
        self._refused.setWordWrap(True)
        self._refused.hide()
        self._row = QWidget(self)
        self.chips = FileChips(self.button, self._row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeading)
        layout.addWidget(self._row)
        layout.addWidget(self._refused)
        files.wire(self.chips)
        field.files_given.connect(files.add)
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)
        files.attaching.refused.connect(self._on_refused)
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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _DRAGS and isinstance(event, QDropEvent):
            found = files_in(event.mimeData())
            if not found:
                return False
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self._files.add(found)
            return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _on_refused(self, why: str) -> None:
        """Say it here as well: a notice of the window would lie behind the dialog."""
        self._refused.setText(why)
        self._refused.show()
        self.changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @Slot()
    def _show(self) -> None:
        if len(self._files.chips) > len(self.chips.chips):
            self._refused.hide()  # another file was given
        self.chips.show_files(self._files.chips)
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        height = self.chips.arrange(self.width())
        self.chips.setGeometry(0, 0, self.width(), height)
        self._row.setFixedHeight(height)
        self._row.setVisible(bool(height))
