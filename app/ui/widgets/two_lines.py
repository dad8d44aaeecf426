from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app.ui.style.theme import theme
from app.ui.widgets.row_painter import Index, RowDelegate, RowState, prepare_row_view

BELOW = int(Qt.ItemDataRole.UserRole) + 1
KEY = BELOW + 1
MARK = BELOW + 2  # short text at the end of the first line, and its color token


class TwoLineList(QListWidget):
    """List of rows with a key, a name, and a muted second line."""

    def __init__(
        self,
        name: str,
        parent: QWidget,
        *,
        several: bool = False,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("two-lines")
        state_of = partial(_state, elide=elide)
        self.setItemDelegate(RowDelegate(self, state_of, height=52, lines=2))
        prepare_row_view(self, name)
        self.setUniformItemSizes(True)
        if several:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setStyleSheet("#two-lines { background: transparent; outline: none; }")
        theme().changed.connect(self._on_theme)

    @Slot()
    def _on_theme(self) -> None:
        self.scheduleDelayedItemsLayout()  # for the new row height
        self.viewport().update()

    def fill(self, rows: list[tuple[str, str, str]]) -> None:
        """Replace all rows with (key, name, second line), keeping selection and scroll position."""
        selected_keys, at = set(self.selected_keys()), self.currentRow()
        self.clear()
        for key, name, below in rows:
            item = QListWidgetItem(name)
            item.setData(KEY, key)
            item.setData(BELOW, below)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, below)
            self.addItem(item)
            item.setSelected(key in selected_keys)
        if rows and not selected_keys & {key for key, _, _ in rows}:
            self.setCurrentRow(min(max(at, 0), len(rows) - 1))

    def rename_row(self, key: str, now: str, below: str) -> None:
        """Rename a row, which also changes its key, and set its second line."""
        for row in range(self.count()):
            item = self.item(row)
            if item.data(KEY) == key:
                item.setText(now)
                item.setData(KEY, now)
                item.setData(BELOW, below)
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, below)

    def selected_keys(self) -> list[str]:
        items = [self.item(row) for row in range(self.count())]
        return [str(item.data(KEY)) for item in items if item.isSelected()]


def _state(index: Index, elide: Qt.TextElideMode) -> RowState:
    mark, color = index.data(MARK) or ("", "muted")
    return RowState(
        str(index.data()),
        weight=QFont.Weight.Medium,
        elide=elide,
        end=mark,
        end_color=color,
        below=str(index.data(BELOW)),
    )
