"""Editable list of rows."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget


class RowList(QScrollArea):
    """Scrollable list in which the user can add and remove rows.

    Each row widget has a `remove` button, a `name` field that takes the focus, and a `set_number`
    method that updates its accessible names with its position from 1.
    """

    changed = Signal()

    def __init__(self, add: QPushButton, parent: QWidget) -> None:
        super().__init__(parent)
        self.items: list[Any] = []
        self.add = add
        inside = QWidget(self)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(4)
        self._column.addStretch(1)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().rangeChanged.connect(self._show_bar)

    @Slot(int, int)
    def _show_bar(self, _: int, end: int) -> None:
        """Show a bar that stays, because a row may end exactly at the lower edge."""
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if end else policy.ScrollBarAlwaysOff
        )

    def clear(self) -> None:
        for row in self.items:
            row.hide()
            row.deleteLater()
        self.items = []

    def add_row(self, row: Any, *, focus: bool = False) -> None:
        row.remove.clicked.connect(lambda: self._remove(row))
        self.items.append(row)
        self._column.insertWidget(len(self.items) - 1, row)
        if focus:
            row.name.setFocus()
            row.show()
        # There's no horizontal scrolling, so widen the dialog for large text and long words.
        self.setMinimumWidth(max(self.minimumWidth(), row.minimumSizeHint().width() + 24))
        self._renumber()

    def _remove(self, row: Any) -> None:
        if row in self.items:
            self.items.remove(row)
            row.hide()
            row.deleteLater()
            self._renumber()
            self.add.setFocus()

    def _renumber(self) -> None:
        for number, row in enumerate(self.items, 1):
            row.set_number(number)
        self.changed.emit()
