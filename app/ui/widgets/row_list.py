"""List of fields that the user can add and remove."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget


class RowList(QScrollArea):
    """Scrollable list of row widgets.

    A row has a button `remove`, a field `name` for the focus, and a method `set_number`, which
    announces its position, from 1, to screen readers.
    """

    changed = Signal()  # a row was added or removed

    def __init__(self, add: QPushButton, parent: QWidget) -> None:
        super().__init__(parent)
        self.items: list[Any] = []  # rows from the top
        self.add = add  # button that adds a row; it gets the focus after a removal
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
        """Remove all rows."""
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
        # Rows do not scroll sideways, so large text and long words widen the dialog.
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
