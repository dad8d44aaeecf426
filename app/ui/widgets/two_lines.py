"""A list whose rows are a name and a quieter line below it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
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

Index = QModelIndex | QPersistentModelIndex


class TwoLines(QListWidget):
    """Rows with a key each; several can be chosen."""

    def __init__(self, name: str, parent: QWidget, *, several: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("two-lines")
        self.setAccessibleName(name)
        self.setItemDelegate(_Delegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        if several:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.viewport().setAutoFillBackground(False)
        self.setStyleSheet("#two-lines { background: transparent; outline: none; }")
        theme().changed.connect(self.viewport().update)

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


class _Delegate(QStyledItemDelegate):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, grown(52, 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme().tokens
        state = option.state
        area: QRect = option.rect.adjusted(0, 1, -1, -1)
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = state & QStyle.StateFlag.State_HasFocus
        painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if chosen:
            painter.setBrush(QColor(tokens.accent_quiet))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(area.adjusted(1, 0, -1, 0), 7, 7)
        quiet = tokens.text if chosen else tokens.muted
        for top, size, weight, colour, role in (
            (5, 14, QFont.Weight.Medium, tokens.text, Qt.ItemDataRole.DisplayRole),
            (grown(24), t.SMALL_PX, QFont.Weight.Normal, quiet, BELOW),
        ):
            painter.setFont(ui_font(size, weight))
            painter.setPen(QColor(colour))
            line = QRect(area.left() + 12, area.top() + top, area.width() - 24, grown(22))
            words = painter.fontMetrics().elidedText(
                str(index.data(role)), Qt.TextElideMode.ElideRight, line.width()
            )
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()
