"""The installed models as a table: sorted and searched here, painted in the window's manner."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)

from app.installed import InstalledModels
from app.language import counted, mark, tr
from app.ui.models import library_words as words
from app.ui.style.figures import bytes_line
from engine.hub.inventory import Installed

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

BELOW = int(Role.UserRole) + 1
"""The line below the name."""
PINNED = BELOW + 1
WRONG = BELOW + 2
"""Whether the line below says what is wrong with it."""


class Column(IntEnum):
    """The columns, from the left."""

    NAME = 0
    SIZE = 1
    PRECISION = 2
    CONTEXT = 3
    CAN = 4
    LICENCE = 5
    USED = 6
    MEMORY = 7


_TIPS = {
    Column.SIZE: mark("On disk"),
    Column.CONTEXT: mark("The most tokens of a prompt and its reply together"),
    Column.CAN: mark("By its template and config"),
    Column.MEMORY: mark("Weights, and the KV caches of its chats"),
}
_RIGHT = {Column.SIZE, Column.CONTEXT, Column.MEMORY}


def heads() -> tuple[str, ...]:
    """What stands above the columns, in the order of `Column`."""
    return (
        tr("Model"),
        tr("Size"),
        tr("Precision"),
        tr("Context"),
        tr("Can", "what a model can do"),
        tr("Licence"),
        tr("Used", "when a model was used"),
        tr("In memory"),
    )


class LibraryTable(QAbstractTableModel):
    """The models of the list that a search leaves; pinned ones first.

    Attributes:
        rows: what is shown, from the top.
    """

    def __init__(
        self,
        installed: InstalledModels,
        parent: QObject,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._installed = installed
        self._clock = clock
        self._query = ""
        self._column, self._down = Column.NAME, False
        self._memory: dict[str, int] = {}
        self.rows: list[Installed] = []
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the list as it is now."""
        rows = sorted(filter(self._found, self._installed.models.values()), key=self._name)
        rows.sort(key=self._key, reverse=self._down)
        rows.sort(key=lambda model: not self._installed.is_pinned(model))
        if [m.folder for m in rows] != [m.folder for m in self.rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows:
            self.rows = rows
            last = self.index(len(rows) - 1, len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def search(self, query: str) -> None:
        """From the next `refresh` on, show the models that are written of with these words."""
        self._query = query

    def show_memory(self, by_model: dict[str, int]) -> None:
        """What each loaded model takes, by the engine's id."""
        if by_model != self._memory:
            self._memory = by_model
            self.refresh()

    def row_of(self, folder: Path) -> int:
        """Where a model stands; -1 if it is not shown."""
        return next((at for at, model in enumerate(self.rows) if model.folder == folder), -1)

    # What Qt asks.

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            arrow = " ↓" if self._down else " ↑"
            return heads()[section] + (arrow if section == self._column else "")
        if role == Role.ToolTipRole:
            tip = _TIPS.get(Column(section))
            return tr(tip) if tip is not None else None
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in _RIGHT else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._down = Column(column), order == Qt.SortOrder.DescendingOrder
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)
        self.refresh()

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        model, column = self.rows[index.row()], Column(index.column())
        if role == Role.DisplayRole:
            return self._text(model, column)
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Role.ToolTipRole:
            return self._tip(model, column)
        if role == Role.AccessibleTextRole:
            return self._said(model, column)
        if role == BELOW:
            return model.facts.problem or words.below(model, self._draft(model))
        if role == WRONG:
            return bool(model.facts.problem)
        return self._installed.is_pinned(model) if role == PINNED else None

    def _text(self, model: Installed, column: Column) -> str:
        facts = model.facts
        if column is Column.NAME:
            return model.name
        if column is Column.SIZE:
            return bytes_line(facts.nbytes) if facts.nbytes else words.NOTHING
        if column is Column.PRECISION:
            return words.precision(facts)
        if column is Column.CONTEXT:
            return words.context(facts)
        if column is Column.CAN:
            return words.capabilities(facts)
        if column is Column.LICENCE:
            return facts.licence or words.NOTHING
        if column is Column.USED:
            return words.used(self._installed.last_used(model), self._clock())
        status = self._installed.status(model)
        return words.memory(status, self._bytes(model))

    def _tip(self, model: Installed, column: Column) -> str:
        if column is Column.NAME:
            folder = str(model.folder).encode(errors="replace").decode()
            return f"{model.facts.problem}\n{folder}" if model.facts.problem else folder
        if column is Column.PRECISION:
            return words.precision_tip(model.facts)
        if column is Column.CONTEXT and model.facts.context:
            tokens = model.facts.context
            return counted("%Ln token", "%Ln tokens", tokens)
        if column is Column.CAN:
            return words.capabilities_tip(model.facts)
        if column is Column.MEMORY:
            return self._installed.status(model).error or words.drafted(
                self._installed.draft_figures(model)
            )
        return ""

    def _said(self, model: Installed, column: Column) -> str:
        """A cell with its column's name; the first cell says the whole row."""
        if column is not Column.NAME:
            return f"{heads()[column]}: {self._text(model, column)}"
        status, when = self._installed.status(model), self._installed.last_used(model)
        pinned = self._installed.is_pinned(model)
        draft = self._draft(model)
        return words.sentence(model, status, when, self._clock(), pinned, draft)

    def _draft(self, model: Installed) -> str:
        """What drafts for it, or will once it is loaded; "" where that could not be loaded."""
        loaded = self._installed.status(model).model
        failed = loaded is not None and self._installed.drafts.failed(loaded)
        return "" if failed else self._installed.draft_name(model)

    # How it is sorted and found.

    def _name(self, model: Installed) -> str:
        return model.name.casefold()

    def _key(self, model: Installed) -> Any:
        facts = model.facts
        if self._column is Column.SIZE:
            return facts.nbytes
        if self._column is Column.PRECISION:
            return (facts.bits or 99, facts.dtype)
        if self._column is Column.CONTEXT:
            return facts.context
        if self._column is Column.USED:
            return self._installed.last_used(model)
        if self._column is Column.MEMORY:
            return self._bytes(model)
        return self._text(model, self._column).casefold()

    def _bytes(self, model: Installed) -> int:
        loaded = self._installed.status(model).model
        return max(self._memory.get(loaded.id, 0), loaded.nbytes) if loaded is not None else 0

    def _found(self, model: Installed) -> bool:
        if not self._query:
            return True
        facts = model.facts
        text = " ".join(
            (model.name, model.ref, words.below(model), words.precision(facts), facts.licence)
        )
        text = f"{text} {words.capabilities(facts)}".casefold()
        return all(part in text for part in self._query.casefold().split())
