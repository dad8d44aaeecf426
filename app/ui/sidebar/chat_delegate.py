"""How a row of the sidebar is painted and renamed."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui.sidebar.chat_list import LIVING_ROLE, ROW_ROLE, UNSEEN_ROLE, Row
from app.ui.style import tokens as t
from app.ui.style.theme import theme, ui_font

Index = QModelIndex | QPersistentModelIndex


class ChatDelegate(QStyledItemDelegate):
    """Rows of 32 px: a heading, or a chat with its dot; hits of a search have a second line."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.alpha = 255
        self.current = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Row = index.data(ROW_ROLE)
        return QSize(100, 50 if row.snippet else t.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW_ROLE)
        tokens = theme().tokens
        area: QRect = option.rect.adjusted(8, 1, -8, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not row.chat_id:
            painter.setFont(ui_font(11, QFont.Weight.DemiBold))
            painter.setPen(QColor(tokens.muted))
            heading = area.adjusted(8, 4, 0, 0)
            painter.drawText(heading, Qt.AlignmentFlag.AlignVCenter, row.text)
            painter.restore()
            return
        self._ground(painter, option, area, row)
        living, unseen = index.data(LIVING_ROLE), index.data(UNSEEN_ROLE)
        right = 10
        if living or unseen:
            fill = QColor(tokens.accent)
            fill.setAlpha(self.alpha if living else 255)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawEllipse(QPointF(area.right() - 12, area.top() + 15), 3.5, 3.5)
            right = 24
        chosen = row.chat_id == self.current
        painter.setFont(ui_font(t.UI_PX, QFont.Weight.Medium if chosen else QFont.Weight.Normal))
        painter.setPen(QColor(tokens.text))
        line = QRect(area.left() + 8, area.top(), area.width() - 8 - right, 30)
        title = painter.fontMetrics().elidedText(
            row.text, Qt.TextElideMode.ElideRight, line.width()
        )
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, title)
        if row.snippet:
            painter.setFont(ui_font(t.SMALL_PX))
            painter.setPen(QColor(tokens.muted))
            below = QRect(area.left() + 8, area.top() + 24, area.width() - 16, 20)
            snippet = painter.fontMetrics().elidedText(
                row.snippet, Qt.TextElideMode.ElideRight, below.width()
            )
            painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, snippet)
        painter.restore()

    def _ground(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, row: Row
    ) -> None:
        tokens = theme().tokens
        state = option.state
        focused = state & QStyle.StateFlag.State_HasFocus
        painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
        if row.chat_id == self.current:
            painter.setBrush(QColor(tokens.pressed))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.hover))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area, 7, 7)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("rename")
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(8, 1, -8, -1))
