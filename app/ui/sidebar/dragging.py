"""Rows that are dragged within the sidebar."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.chats.listing import Entry

Index = QModelIndex | QPersistentModelIndex
DRAGGED = "application/x-stretto-rows"


class DraggedRows(QAbstractListModel):
    """A list of entries, of which some are dragged to another.

    Signals:
        dropped(rows, target): rows were dragged to a row; both as entries.
    """

    dropped = Signal(list, object)

    @abstractmethod
    def entry(self, index: Index) -> Entry | None:
        """What stands in a row."""

    @property
    @abstractmethod
    def ordered(self) -> bool:
        """Whether the rows have places that something can be dragged to."""

    def mimeTypes(self) -> list[str]:
        return [DRAGGED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        rows = [e for e in map(self.entry, indexes) if e is not None]
        data.setData(DRAGGED, json.dumps(rows).encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        return data.hasFormat(DRAGGED) and self.ordered

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        between = self.entry(self.index(max(0, row - 1))) if row >= 0 else Entry("heading", "")
        target = self.entry(parent) if parent.isValid() else between
        rows = [Entry(*each) for each in json.loads(bytes(data.data(DRAGGED).data()))]
        if target is not None and target not in rows:
            self.dropped.emit(rows, target)
        return False  # the rows move when the list is made anew, and not by the view
