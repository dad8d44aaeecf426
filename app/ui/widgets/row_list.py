"""Rows of fields that a person adds and removes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget


class RowList(QScrollArea):
    """Rows one below the other, which scroll where there is no room for all.

    A row is a widget with a button `remove`, a `name` that gets the focus, and `set_number`, which
    says to screen readers which of the rows it is, from 1.
    """

    changed = Signal()  # a row has come or gone

    def __init__(self, add: QPushButton, parent: QWidget) -> None:
        super().__init__(parent)
        self.items: list[Any] = []  # the rows, from the top
        self.add = add  # makes another one; it gets the focus when a row has gone
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

    def clear(self) -> None:
        """No row is left."""
        for row in self.items:
            row.hide()
            row.deleteLater()
        self.items = []

    def put(self, row: Any, *, focus: bool = False) -> None:
        """Add a row at the end."""
        row.remove.clicked.connect(lambda: self._remove(row))
        self.items.append(row)
        self._column.insertWidget(len(self.items) - 1, row)
        if focus:
            row.name.setFocus()
            row.show()
        # Rows never scroll sideways: large text and long words make the dialog wider.
        self.setMinimumWidth(max(self.minimumWidth(), row.minimumSizeHint().width() + 24))
        self._tell()

    def _remove(self, row: Any) -> None:
        if row in self.items:
            self.items.remove(row)
            row.hide()
            row.deleteLater()
            self._tell()
            self.add.setFocus()

    def _tell(self) -> None:
        for number, row in enumerate(self.items, 1):
            row.set_number(number)
        self.changed.emit()
