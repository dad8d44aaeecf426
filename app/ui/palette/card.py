"""A card over a window with rows to choose from, while the keys stay in a field."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, Qt, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.ui.palette.rows import RowPainter, Rows
from app.ui.style import tokens as t
from app.ui.style.theme import theme


class Card(QWidget):
    """What the palette and the list of prompts have in common.

    Args:
        name: of its rows, for screen readers.

    Attributes:
        rows, list: the rows and what shows them.
    """

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._speaker: QWidget = self
        self.rows = Rows(self)
        self.list = QListView(self)
        self.list.setModel(self.rows)
        self.list.setAccessibleName(name)
        self.list.setItemDelegate(RowPainter(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setStyleSheet("QListView { background: transparent; outline: none; }")
        self.list.viewport().setAutoFillBackground(False)
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        theme().changed.connect(self.update)

    def speak_for(self, field: QWidget) -> None:
        """The keys are in this field: a screen reader is told there which row is meant."""
        self._speaker = field

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        entry = self.rows.entry(index)
        if entry is not None and QAccessible.isActive():
            told = QAccessibleAnnouncementEvent(self._speaker, entry.spoken)
            QAccessible.updateAccessibility(told)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme().tokens.divider), 1))
        painter.setBrush(QColor(theme().tokens.raised))
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(area, t.RADIUS, t.RADIUS)
