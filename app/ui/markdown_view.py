"""A streaming Markdown document on screen: its decoration, the caret at its end, copying code."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget

from app.markdown import CodeBlock, MarkdownDocument
from app.ui.icons import icon
from app.ui.textview import TextView
from app.ui.theme import theme

_BUTTON = 24


class MarkdownView(TextView):
    """Shows a MarkdownDocument. While the pointer is over a code block, it offers to copy it.

    Signals:
        code_copied(): a code block went to the clipboard.
    """

    code_copied = Signal()

    def __init__(self, markdown: MarkdownDocument, parent: QWidget | None = None) -> None:
        super().__init__(markdown.document, parent)
        self._markdown = markdown
        self._caret = False
        self._code: CodeBlock | None = None
        self._over_button = False
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)

    def set_caret(self, shown: bool) -> None:
        """Mark the open end while the text is still growing."""
        if shown != self._caret:
            self._caret = shown
            self.viewport().update()

    def createMimeDataFromSelection(self) -> QMimeData:
        """What Copy takes: list markers, task boxes and tabs between cells stay."""
        cursor = self.textCursor()
        data = QMimeData()
        data.setText(self._markdown.plain_text(cursor.selectionStart(), cursor.selectionEnd()))
        return data

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        menu.addAction("Copy Answer as Markdown", self.copy_markdown)
        menu.addAction("Copy Answer as Plain Text", self.copy_plain)
        menu.popup(event.globalPos())

    def copy_markdown(self) -> None:
        """Put the whole answer's source on the clipboard."""
        QGuiApplication.clipboard().setText(self._markdown.source)

    def copy_plain(self) -> None:
        """Put the whole answer on the clipboard as it reads."""
        QGuiApplication.clipboard().setText(self._markdown.plain_text())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._markdown.paint_under(painter, QRectF(event.rect()))
        painter.end()
        super().paintEvent(event)
        painter.begin(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._caret:
            self._paint_caret(painter)
        if self._code is not None:
            self._paint_button(painter, self._button_area(self._code))
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        self._point(QPoint(-1, -1))
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._over_button and event.button() == Qt.MouseButton.LeftButton:
            if self._code is not None:
                QGuiApplication.clipboard().setText(self._code.source)
                self.code_copied.emit()
            return
        super().mousePressEvent(event)

    def _point(self, at: QPoint) -> None:
        """Find the code block under the pointer, and whether it is on the button."""
        code = next(
            (
                block
                for block in self._markdown.code_blocks()
                if self._markdown.code_area(block).contains(at.toPointF())
            ),
            None,
        )
        over = code is not None and self._button_area(code).contains(at)
        if code != self._code or over != self._over_button:
            self._code, self._over_button = code, over
            self.viewport().update()
        if over:
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
            self.viewport().setToolTip("Copy code")
        elif self.viewport().toolTip():
            self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
            self.viewport().setToolTip("")

    def _button_area(self, code: CodeBlock) -> QRect:
        area = self._markdown.code_area(code)
        return QRect(round(area.right()) - _BUTTON - 4, round(area.top()) + 3, _BUTTON, _BUTTON)

    def _paint_caret(self, painter: QPainter) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._markdown.end_position)
        place = self.cursorRect(cursor)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.accent))
        # An empty document's one line is a few pixels high.
        height = min(place.height(), 18) if place.height() > 8 else 16
        top = max(2.0, place.center().y() - height / 2)
        painter.drawRoundedRect(QRectF(place.left() + 3, top, 3, height), 1.5, 1.5)

    def _paint_button(self, painter: QPainter, area: QRect) -> None:
        tokens = theme().tokens
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.pressed if self._over_button else tokens.code_background))
        painter.drawRoundedRect(area, 6, 6)
        colour = tokens.text if self._over_button else tokens.muted
        icon("copy", colour).paint(painter, area.adjusted(4, 4, -4, -4))
