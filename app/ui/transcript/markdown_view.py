"""A streaming Markdown document on screen: its text, the caret at its end, code that is wide."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, QRectF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.language import tr
from app.markdown import CodeBlock, MarkdownDocument
from app.ui.style.theme import theme
from app.ui.transcript.code_buttons import CodeButtons
from app.ui.transcript.text_stops import Stop, stops_in
from app.ui.transcript.wide_code import WideCode
from app.ui.widgets.aloud import announce
from app.ui.widgets.textview import TextView, Words


class MarkdownView(TextView):
    """Shows a MarkdownDocument.

    While the pointer is over a code block, it offers to copy it, and to break its long lines if it
    has any; at first they are whole and moved sideways within the block.

    Signals:
        code_copied(): a code block went to the clipboard.
    """

    code_copied = Signal()

    def __init__(self, markdown: MarkdownDocument, parent: QWidget | None = None) -> None:
        super().__init__(markdown.document, parent)
        self._markdown = markdown
        self._wide = WideCode(markdown, self)
        self._buttons = CodeButtons(markdown, self._wide, self.viewport(), self)
        self._buttons.copied.connect(self.code_copied)
        self._stops: list[Stop] = []
        self._caret = False
        self._clicked = False  # a press was a button's, so is its release
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        # Wide code moves by itself, never the whole text.
        self.horizontalScrollBar().rangeChanged.connect(self._on_range)

    # By key.

    def count_stops(self) -> int:
        self._stops = stops_in(self._markdown)
        return len(self._stops)

    def go_to_stop(self, number: int, reason: Qt.FocusReason) -> tuple[int, int]:
        stop = self._stops[number]
        self.setFocus(reason)
        self.stop = number
        self._buttons.hold(stop.code)
        cursor = QTextCursor(self.document())
        cursor.setPosition(stop.begin)
        first = self.cursorRect(cursor)
        cursor.setPosition(stop.end, QTextCursor.MoveMode.KeepAnchor)
        last = self.cursorRect(cursor)
        if stop.code is not None:
            cursor.setPosition(stop.begin)
        self.setTextCursor(cursor)
        self.viewport().update()
        announce(self, stop.words)
        return (first.top(), last.bottom())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        stop = self._stops[self.stop] if self.stop >= 0 else None
        if stop is None or event.key() not in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            super().keyPressEvent(event)
        elif stop.code is not None:
            self._buttons.act("copy", stop.code)
        else:
            self.anchorClicked.emit(QUrl(stop.link))

    def focusNextPrevChild(self, forward: bool) -> bool:
        return QWidget.focusNextPrevChild(self, forward)  # the message knows what is next

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self.stop >= 0 and event.reason() != Qt.FocusReason.PopupFocusReason:
            self.stop = -1
            self._buttons.hold(None)
            self.setTextCursor(QTextCursor(self.document()))
        super().focusOutEvent(event)

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
        self._pop_menu(event.pos(), self._buttons.code_at(event.pos()), event.globalPos())

    def pop_menu(self) -> None:
        """The same by key: for the first code block that is in view."""
        seen = QRectF(self.visibleRegion().boundingRect())
        held = self._buttons.held
        code = held or next(iter(self._markdown.code_blocks(seen)), None)
        top = seen.topLeft() if code is None else self._markdown.code_area(code).topLeft()
        at = QPoint(round(top.x()), max(round(top.y()), round(seen.top())))
        self._pop_menu(at, code, self.mapToGlobal(at))

    def move_code(self, by: int) -> None:
        """Move the wide code that is in view sideways, by so many pixels."""
        for code in self._wide.blocks(QRectF(self.visibleRegion().boundingRect())):
            self._wide.move(code, self._wide.moved(code) + by)
        self.viewport().update()

    def _pop_menu(self, at: QPoint, code: CodeBlock | None, place: QPoint) -> None:
        menu = self.createStandardContextMenu(at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        if code is not None:
            menu.addAction(tr("Copy Code"), lambda: self._buttons.act("copy", code))
            if self._buttons.can_wrap(code):
                wrap = menu.addAction(
                    tr("Wrap Long Lines"), lambda: self._buttons.act("wrap", code)
                )
                wrap.setCheckable(True)
                wrap.setChecked(code.wrapped)
        menu.addAction(tr("Copy Answer as Markdown"), self.copy_markdown)
        menu.addAction(tr("Copy Answer as Plain Text"), self.copy_plain)
        menu.popup(place)

    def copy_markdown(self) -> None:
        """Put the whole answer's source on the clipboard."""
        QGuiApplication.clipboard().setText(self._markdown.source)

    def copy_plain(self) -> None:
        """Put the whole answer on the clipboard as it reads."""
        QGuiApplication.clipboard().setText(self._markdown.plain_text())

    def highlight(self, words: Words) -> float | None:
        top = super().highlight(words)
        if top is not None:
            self._reveal(self._found[0].cursor)
        return top

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._markdown.paint_under(painter, QRectF(event.rect()))
        painter.end()
        # Wide code is drawn apart, Qt's text edit draws what is above, between and below.
        rest = event.rect()
        wide = self._wide.blocks(QRectF(rest))
        for code in wide:
            lines = self._wide.lines(code).toRect()
            above = QRect(rest.topLeft(), QPoint(rest.right(), lines.top() - 1))
            if above.isValid():
                super().paintEvent(QPaintEvent(above))
            rest.setTop(max(rest.top(), lines.bottom() + 1))
        if rest.isValid():
            super().paintEvent(QPaintEvent(rest))
        painter.begin(self.viewport())
        pointed = self._buttons.code
        for code in wide:
            strong = pointed is not None and pointed.name == code.name
            self._wide.paint(painter, code, self._context(), QRectF(event.rect()), strong)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._caret:
            self._paint_caret(painter)
        if pointed is not None:
            self._buttons.paint(painter, pointed)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._wide.held:
            self._wide.drag(event.position())
            self.viewport().update()
            return
        super().mouseMoveEvent(self._moved(event))
        if event.buttons() & Qt.MouseButton.LeftButton and self.textCursor().hasSelection():
            self._reveal(self.textCursor())
        self._buttons.point(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        self._buttons.point(QPoint(-1, -1))
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._buttons.point(event.position().toPoint())
            if self._buttons.press():
                self._clicked = True
                return
            if self._wide.press(event.position()):
                self.viewport().update()
                return
        super().mousePressEvent(self._moved(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._buttons.point(event.position().toPoint())
        if self._buttons.action:
            self.mousePressEvent(event)  # two quick clicks are two clicks
        else:
            super().mouseDoubleClickEvent(self._moved(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._wide.held or self._clicked:
            self._clicked = False
            self._wide.release()
            self.viewport().update()
            return
        super().mouseReleaseEvent(self._moved(event))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._wide.wheel(event):
            event.accept()
            self.viewport().update()
        else:
            super().wheelEvent(event)

    def _moved(self, event: QMouseEvent) -> QMouseEvent:
        """The event where the text under the pointer is in the document."""
        moved = self._wide.moved_at(event.position().y())
        if not moved:
            return event
        return QMouseEvent(
            event.type(),
            event.position() + QPointF(moved, 0),
            event.globalPosition(),
            event.button(),
            event.buttons(),
            event.modifiers(),
            event.pointingDevice(),
        )

    def _reveal(self, cursor: QTextCursor) -> None:
        place = self.cursorRect(cursor)
        if self._wide.reveal(cursor, place.center().x(), place.center().y()):
            self.viewport().update()

    def _context(self) -> QAbstractTextDocumentLayout.PaintContext:
        """What a text edit draws its document with."""
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = self.palette()
        selections = []
        for extra in self.extraSelections():
            selection = QAbstractTextDocumentLayout.Selection()
            selection.cursor, selection.format = extra.cursor, extra.format
            selections.append(selection)
        if self.textCursor().hasSelection():
            group = QPalette.ColorGroup.Active if self.hasFocus() else QPalette.ColorGroup.Inactive
            selection = QAbstractTextDocumentLayout.Selection()
            selection.cursor = self.textCursor()
            form = selection.format
            form.setBackground(self.palette().brush(group, QPalette.ColorRole.Highlight))
            form.setForeground(self.palette().brush(group, QPalette.ColorRole.HighlightedText))
            selection.format = form
            selections.append(selection)
        context.selections = selections
        return context

    @Slot()
    def _on_range(self) -> None:
        self.horizontalScrollBar().setRange(0, 0)

    def _paint_caret(self, painter: QPainter) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._markdown.end_position)
        place = self.cursorRect(cursor)
        left = min(
            place.left() - self._wide.moved_at(place.center().y()), self.viewport().width() - 10
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.accent))
        # An empty document's one line is a few pixels high.
        height = min(place.height(), 18) if place.height() > 8 else 16
        top = max(2.0, place.center().y() - height / 2)
        painter.drawRoundedRect(QRectF(left + 3, top, 3, height), 1.5, 1.5)
