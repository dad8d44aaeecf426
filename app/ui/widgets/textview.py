"""Read-only text view as tall as its content, which never loads resources."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import ceil
from typing import Protocol

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QTextBrowser, QTextEdit, QWidget

from app.ui.style.theme import theme
from app.ui.widgets.standard_dialogs import ask_and_open

MOST_MARKS = 500

# returns the (begin, end) ranges to highlight in a text
Words = Callable[[str], Sequence[tuple[int, int]]]


class TextSelectionOwner(Protocol):
    """Selection that spans several texts, which forward their mouse events to it."""

    def press(self, text: TextView, event: QMouseEvent) -> bool: ...
    def drag(self, event: QMouseEvent) -> bool: ...
    def release(self) -> None: ...
    def begin_in(self, text: TextView) -> None: ...
    def pop_menu(self, text: TextView, at: QPoint, position: QPoint) -> None: ...


class TextView(QTextBrowser):
    """Shows a QTextDocument at full height. Owns the document unless it has another parent."""

    height_changed = Signal()  # height changed although the width didn't

    def __init__(self, document: QTextDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = 0
        self._match_marks: list[QTextEdit.ExtraSelection] = []
        self._range_marks: list[QTextEdit.ExtraSelection] = []
        self._marked: Sequence[tuple[int, int]] = ()
        self._find_words: Words | None = None
        self._current_match = -1
        self.found = 0  # matches of the current highlights
        self._selected_part: tuple[int, int] | None = None
        self.stop = -1  # index of the focused stop, or -1
        # set if this text is part of a larger selection
        self.across: TextSelectionOwner | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        keys = Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.setTextInteractionFlags(self.textInteractionFlags() | keys)
        self.setCursorWidth(0)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.viewport().setAutoFillBackground(False)
        document.setDocumentMargin(0)
        if document.parent() is None:
            # PySide keeps the document alive unless it's deleted with its parent.
            document.setParent(self)
        self.setDocument(document)
        self.anchorClicked.connect(self._on_link)
        document.documentLayout().documentSizeChanged.connect(self._on_size)
        document.contentsChanged.connect(self._on_contents)

    def height_for(self, width: int) -> int:
        document = self.document()
        if document.textWidth() != width:
            document.setTextWidth(width)
        self._height = ceil(document.size().height())
        return self._height

    def highlight(self, words: Words | None, current: int = -1) -> float | None:
        """Highlight all matches of ``words``. None clears the highlights.

        ``current`` is the index of the current match, which gets its own color, or -1. Returns the
        top of that match, or else of the first match, in pixels, or None if there are no matches.
        """
        self._find_words, self._current_match = words, current
        text = self.document().toPlainText() if words is not None else ""
        places = words(text) if words is not None else ()
        self.found = len(places)
        self._match_marks = self._make_highlights(places, text)
        led_to = self._match_marks[0].cursor if self._match_marks else None
        if 0 <= current < len(places):
            (current_mark,) = self._make_highlights(places[current : current + 1], text)
            current_mark.format.setBackground(theme().color("accent"))
            current_mark.format.setForeground(theme().color("accent_text"))
            # The index may be past the end because of `MOST_MARKS`.
            self._match_marks[current : current + 1] = [current_mark]
            led_to = current_mark.cursor
        self._show_marks()
        return self._reveal(led_to) if led_to is not None else None

    def _reveal(self, cursor: QTextCursor) -> float:
        return float(self.cursorRect(cursor).top())

    def mark_again(self) -> None:
        """Restore the highlights after the document was rewritten, e.g. in a new style."""
        if self._marked:
            self.mark(self._marked)
        if self._find_words is not None:
            self.highlight(self._find_words, self._current_match)

    def mark(self, places: Sequence[tuple[int, int]]) -> None:
        """Highlight (begin, end) ranges of the plain text in place of the previous ranges."""
        self._marked = places
        text = self.document().toPlainText() if places else ""
        self._range_marks = self._make_highlights(places, text)
        for mark in self._range_marks:
            mark.format.setBackground(theme().color("difference"))
        self._show_marks()

    def show_part(self, part: tuple[int, int] | None) -> None:
        """Show a range as selected, as part of a selection across several texts.

        A range that ends after the text also covers text that is added later.
        """
        if part != self._selected_part:
            self._selected_part = part
            self._show_marks()

    def _show_marks(self) -> None:
        marks = [*self._range_marks, *self._match_marks]
        if self._selected_part is not None:
            last, cursor = self.document().characterCount() - 1, QTextCursor(self.document())
            cursor.setPosition(min(self._selected_part[0], last))
            cursor.setPosition(min(self._selected_part[1], last), QTextCursor.MoveMode.KeepAnchor)
            marks.append(_make_highlight(cursor))
        self.setExtraSelections(marks)

    def place_at(self, at: QPointF) -> int:
        if at.y() < 0:
            return 0
        if at.y() >= self.height():
            return self.document().characterCount() - 1
        return self.cursorForPosition(at.toPoint()).position()

    def _make_highlights(
        self, places: Sequence[tuple[int, int]], text: str
    ) -> list[QTextEdit.ExtraSelection]:
        units = _utf16_offsets(text)
        marks = []
        for begin, end in places[:MOST_MARKS]:
            cursor = QTextCursor(self.document())
            cursor.setPosition(units(begin))
            cursor.setPosition(units(end), QTextCursor.MoveMode.KeepAnchor)
            marks.append(_make_highlight(cursor))
        return marks

    def count_stops(self) -> int:
        return 0

    def go_to_stop(self, number: int, reason: Qt.FocusReason) -> tuple[int, int]:
        """Focus a tab stop. Return its top and bottom in pixels."""
        self.setFocus(reason)
        return (0, self.height())

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Block all resources, because a reply could reference images, files or style sheets."""
        return None

    def setSource(self, name: QUrl | str, kind: object = None) -> None:
        """Do nothing, so that clicking a link can't replace the document."""

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return plain text only, because HTML might reference external content."""
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # let the transcript scroll instead

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.across is None or not self.across.press(self, event):
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.across is None or not self.across.press(self, event):
            super().mouseDoubleClickEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.across is None or not self.across.drag(event):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self.across is not None and event.button() == Qt.MouseButton.LeftButton:
            self.across.release()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.pop_menu(event.pos(), event.globalPos())

    def pop_menu(self, at: QPoint, position: QPoint) -> None:
        """Open the context menu for a point in widget coordinates."""
        if self.across is not None:
            self.across.pop_menu(self, at, position)

    def add_to_menu(self, menu: QMenu, at: QPoint) -> None:
        """Add actions for a point to the context menu. Subclasses override this."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        copies = event.matches(QKeySequence.StandardKey.Copy) and self.textCursor().hasSelection()
        if copies or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            if self.across is not None and not copies:
                self.across.begin_in(self)
            super().keyPressEvent(event)
        else:
            event.ignore()

    @Slot(QUrl)
    def _on_link(self, address: QUrl) -> None:
        self.open_link(address)

    def open_link(self, address: QUrl) -> None:
        ask_and_open(self, address)

    @Slot()
    def _on_contents(self) -> None:
        if self._selected_part is not None:
            self._show_marks()

    @Slot()
    def _on_size(self) -> None:
        if ceil(self.document().size().height()) != self._height:
            self.height_changed.emit()


def _make_highlight(cursor: QTextCursor) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    mark.cursor = cursor
    mark.format.setBackground(theme().color("selection"))
    mark.format.setForeground(theme().color("text"))  # muted text isn't readable on this color
    return mark


def _utf16_offsets(text: str) -> Callable[[int], int]:
    """Return a function that converts text offsets to UTF-16 offsets."""
    wide = [index for index, character in enumerate(text) if character > "\uffff"]
    return lambda index: index + bisect_left(wide, index)
