"""Read-only text that is as tall as its document: no scroll bars, no network, no files."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from app.ui.links import ask_and_open
from app.ui.theme import theme


class TextView(QTextBrowser):
    """Shows one QTextDocument in full height.

    Signals:
        height_changed(): the document has grown or shrunk at its present width.
    """

    height_changed = Signal()

    def __init__(self, document: QTextDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.viewport().setAutoFillBackground(False)
        document.setDocumentMargin(0)
        self.setDocument(document)
        self.anchorClicked.connect(self._on_link)
        document.documentLayout().documentSizeChanged.connect(self._on_size)

    def height_for(self, width: int) -> int:
        """Lay the document out at ``width`` pixels and give its height."""
        document = self.document()
        if document.textWidth() != width:
            document.setTextWidth(width)
        self._height = ceil(document.size().height())
        return self._height

    def highlight(self, words: str) -> float | None:
        """Mark every place of ``words``; returns the top of the first, in pixels, if there is one.

        Empty ``words`` take the marks away.
        """
        marks: list[QTextEdit.ExtraSelection] = []
        found = self.document().find(words) if words else QTextCursor()
        while not found.isNull() and len(marks) < 500:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = found
            mark.format.setBackground(theme().color("selection"))
            marks.append(mark)
            found = self.document().find(words, found)
        self.setExtraSelections(marks)
        if not marks:
            return None
        return float(self.cursorRect(marks[0].cursor).top())

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing is ever fetched because of an answer: no picture, no file, no style sheet."""
        return None

    def setSource(self, name: QUrl | str, kind: object = None) -> None:
        """A document shown here is never replaced by following a link."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the transcript scrolls, never a message in it

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.matches(QKeySequence.StandardKey.Copy)
            or event.matches(QKeySequence.StandardKey.SelectAll)
            or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            super().keyPressEvent(event)
        else:
            event.ignore()

    @Slot(QUrl)
    def _on_link(self, address: QUrl) -> None:
        ask_and_open(self, address)

    @Slot()
    def _on_size(self) -> None:
        if ceil(self.document().size().height()) != self._height:
            self.height_changed.emit()
