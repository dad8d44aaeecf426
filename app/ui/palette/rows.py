"""The palette's rows: a model of entries, and how each is painted."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.palette.entries import Entry, Kind
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import theme, ui_font
from app.ui.widgets.mirror import caret

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_ICONS = {
    Kind.COMMAND: "caret-right",
    Kind.CHAT: "chat-circle",
    Kind.MODEL: "rows",
    Kind.SETTING: "sliders",
    Kind.PROMPT: "note-pencil",
    Kind.RESOURCE: "paperclip",
}


class Rows(QAbstractListModel):
    """The entries that were found."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def show(self, entries: list[Entry]) -> bool:
        """Show these; whether they are others than before."""
        if entries == self._entries:
            return False
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()
        return True

    def entry(self, index: Index) -> Entry | None:
        return self._entries[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        return {
            Qt.ItemDataRole.DisplayRole: entry.text,
            Qt.ItemDataRole.ToolTipRole: entry.why_not,
            Qt.ItemDataRole.AccessibleTextRole: entry.spoken,
        }.get(Qt.ItemDataRole(role))


class RowPainter(QStyledItemDelegate):
    """Icon, text, what stands beside it; at the right the keys, or why it cannot be done."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = QFontMetrics(ui_font(t.UI_PX)).height()
        return QSize(100, max(t.ROW, height + 14))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        entry = model.entry(index) if isinstance(model, Rows) else None
        if entry is None:
            return
        tokens = theme().tokens
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        area: QRect = option.rect.adjusted(6, 1, -6, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(QColor(tokens.accent) if tokens.strong else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_quiet))
            painter.drawRoundedRect(area, 7, 7)
        quiet = QColor(tokens.text if chosen else tokens.muted)
        middle = Qt.AlignmentFlag.AlignVCenter

        def place(part: QRect) -> QRect:
            return QStyle.visualRect(option.direction, option.rect, part)

        rtl = option.direction == Qt.LayoutDirection.RightToLeft
        sign = place(QRect(area.left() + 10, area.center().y() - 7, 16, 16))
        icon(caret(_ICONS[entry.kind], rtl=rtl), quiet.name()).paint(painter, sign)
        painter.setFont(ui_font(t.UI_PX))
        metrics = painter.fontMetrics()
        line = area.adjusted(36, 0, -12, 0)
        painter.setPen(quiet)
        end = entry.why_not or entry.keys
        if end:
            most = line.width() // 2
            end = metrics.elidedText(end, Qt.TextElideMode.ElideRight, most)
            painter.drawText(place(line), middle | Qt.AlignmentFlag.AlignRight, end)
            line.setRight(line.right() - metrics.horizontalAdvance(end) - 16)
        words = metrics.elidedText(
            " ".join(entry.text.split()), Qt.TextElideMode.ElideRight, line.width()
        )
        painter.setPen(quiet if entry.why_not else QColor(tokens.text))
        painter.drawText(place(line), middle, words)
        line.setLeft(line.left() + metrics.horizontalAdvance(words) + 10)
        painter.setPen(quiet)
        if entry.beside and line.width() > 24:
            beside = metrics.elidedText(entry.beside, Qt.TextElideMode.ElideMiddle, line.width())
            painter.drawText(place(line), middle, beside)
        painter.restore()
