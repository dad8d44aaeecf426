"""A list whose rows are a name and a quieter line below it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.style import tokens as t
from app.ui.style.theme import grown, theme, ui_font

BELOW = int(Qt.ItemDataRole.UserRole) + 1
KEY = BELOW + 1
MARK = BELOW + 2  # a few words at the right of the name, and their colour as a token of the theme

Index = QModelIndex | QPersistentModelIndex


class TwoLines(QListWidget):
    """Rows with a key each; several can be chosen."""

    def __init__(
        self,
        name: str,
        parent: QWidget,
        *,
        several: bool = False,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        """``elide``: what a name loses that is too long."""
        super().__init__(parent)
        self.setObjectName("two-lines")
        self.setAccessibleName(name)
        self.setItemDelegate(TwoLinesDelegate(self, elide))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        if several:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.viewport().setAutoFillBackground(False)
        self.setStyleSheet("#two-lines { background: transparent; outline: none; }")
        theme().changed.connect(self._on_theme)

    @Slot()
    def _on_theme(self) -> None:
        self.scheduleDelayedItemsLayout()  # the rows may have another height
        self.viewport().update()

    def fill(self, rows: list[tuple[str, str, str]]) -> None:
        """Show these: key, name, line below. What was chosen stays so; the place is kept."""
        chosen, at = set(self.chosen()), self.currentRow()
        self.clear()
        for key, name, below in rows:
            item = QListWidgetItem(name)
            item.setData(KEY, key)
            item.setData(BELOW, below)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, below)
            self.addItem(item)
            item.setSelected(key in chosen)
        if rows and not chosen & {key for key, _, _ in rows}:
            self.setCurrentRow(min(max(at, 0), len(rows) - 1))

    def relabel(self, key: str, now: str, below: str) -> None:
        """Give a row another key, which is its name too, and another line below it."""
        for row in range(self.count()):
            item = self.item(row)
            if item.data(KEY) == key:
                item.setText(now)
                item.setData(KEY, now)
                item.setData(BELOW, below)
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, below)

    def chosen(self) -> list[str]:
        """The keys of the chosen rows, in their order."""
        items = [self.item(row) for row in range(self.count())]
        return [str(item.data(KEY)) for item in items if item.isSelected()]


class TwoLinesDelegate(QStyledItemDelegate):
    """Paints the name with a mark at its right, and below it a quieter line."""

    def __init__(self, parent: QObject, elide: Qt.TextElideMode) -> None:
        super().__init__(parent)
        self._elide = elide

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, grown(52, 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens, state = theme().tokens, option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if chosen:
            painter.setBrush(QColor(tokens.accent_quiet))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.hover))
        area: QRect = option.rect.adjusted(1, 1, -2, -1)
        painter.drawRoundedRect(area, 7, 7)
        # On the ground of the chosen row muted words would be too faint.
        quiet = tokens.text if chosen else tokens.muted
        left, width, high = area.left() + 11, area.width() - 22, grown(22)
        upper = QRect(left, area.top() + 5, width, high)
        painter.setFont(ui_font(t.SMALL_PX))
        mark, colour = index.data(MARK) or ("", "muted")
        painter.setPen(QColor(quiet if colour == "muted" else getattr(tokens, colour)))
        painter.drawText(upper, _MIDDLE | Qt.AlignmentFlag.AlignRight, mark)
        if mark:
            upper.setRight(upper.right() - painter.fontMetrics().horizontalAdvance(mark) - 12)
        lower = QRect(left, area.top() + grown(24), width, high)
        below = str(index.data(BELOW))
        painter.setPen(QColor(quiet))
        _draw(painter, lower, below, Qt.TextElideMode.ElideRight)
        painter.setFont(ui_font(t.UI_PX, QFont.Weight.Medium))
        painter.setPen(QColor(tokens.text))
        _draw(painter, upper, str(index.data(Qt.ItemDataRole.DisplayRole)), self._elide)
        painter.restore()


_MIDDLE = Qt.AlignmentFlag.AlignVCenter


def _draw(painter: QPainter, line: QRect, words: str, elide: Qt.TextElideMode) -> None:
    shown = painter.fontMetrics().elidedText(words, elide, max(0, line.width()))
    painter.drawText(line, _MIDDLE | Qt.AlignmentFlag.AlignLeft, shown)
