from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.models.engine_errors import describe_problem
from app.models.engine_figures import memory_by_model
from app.models.installed import InstalledModels
from app.models.loading import LoadState, ModelStatus
from app.settings.language import counted, mark, percent, tr
from app.ui.style import tokens as t
from app.ui.style.figures import bytes_line, context_line, date_line
from app.ui.style.icons import icon
from app.ui.style.theme import scale_height, scaled, theme
from app.ui.widgets.row_painter import Index, RowDelegate, RowPainter, RowState, prepare_row_view
from engine import LOOKUP
from engine.hub.inventory import IMAGES, REASONING, TOOLS, FolderFacts, InstalledModel, ModelSource

NOTHING = "–"
_DAY = 86_400
_CAPABILITY_NAMES = {REASONING: mark("Reasoning"), TOOLS: mark("Tools"), IMAGES: mark("Images")}
_SOURCE_NAMES = {
    ModelSource.BUNDLED: mark("Included"),
    ModelSource.OWN: mark("Downloaded"),
    ModelSource.ADDED: mark("Added folder"),
}
"""Names of sources. Other sources are named after an app."""


def precision(facts: FolderFacts) -> str:
    if facts.bits:
        bits = facts.bits
        return tr("{bits}-bit, mixed", bits=bits) if facts.mixed else tr("{bits}-bit", bits=bits)
    return facts.dtype or NOTHING


def precision_tip(facts: FolderFacts) -> str:
    if not facts.bits:
        label = tr("Not quantized")
        return label if facts.dtype else tr("Not stated in its configuration")
    words = counted("%n-bit weights", "%n-bit weights", facts.bits)
    if facts.group_size:
        words = counted(
            "{weights}, group size %n", "{weights}, group size %n", facts.group_size, weights=words
        )
    return tr("{weights}, some layers differ", weights=words) if facts.mixed else words


def capabilities(facts: FolderFacts) -> str:
    return " · ".join(
        tr(words) for name, words in _CAPABILITY_NAMES.items() if name in facts.capabilities
    )


def capabilities_tip(facts: FolderFacts) -> str:
    source = tr("According to its template and configuration")
    return "\n".join(filter(None, (capabilities(facts), source)))


def format_last_use(when: float, now: float) -> str:
    """Return a date, e.g. "Today", "5 days ago", "12 March", "12 March 2024"."""
    if when <= 0:
        return NOTHING
    day, today = time.localtime(when), time.localtime(now)
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    if when >= midnight:
        return tr("Today")
    days = int((midnight - when) // _DAY) + 1
    if days < 7:
        return tr("Yesterday") if days == 1 else counted("%n day ago", "%n days ago", days)
    if day.tm_year == today.tm_year:
        return date_line(when, tr("d MMMM", "Qt's form of a date"))
    return date_line(when, tr("d MMMM yyyy", "Qt's form of a date"))


def memory_of(status: ModelStatus) -> str:
    """Return the size of the loaded weights, excluding KV caches, or the loading progress."""
    if status.state is LoadState.LOADING:
        if status.share < 0.01:
            return tr("Loading…")
        return tr("Loading {share}", share=percent(min(0.99, status.share)))
    if status.model is not None:
        return bytes_line(status.model.nbytes)
    return tr("Not loaded") if status.state is LoadState.FAILED else ""


def count(models: Sequence[InstalledModel], looking: bool) -> str:
    """Return the number of models and their disk usage, e.g. "12 models · 48 GB on disk"."""
    # Revisions of a repository share their files, so don't count the size twice.
    nbytes = sum({m.removes: m.facts.nbytes for m in models}.values())
    if not models:
        return ""
    parts = [
        counted("%Ln model", "%Ln models", len(models)),
        tr("{size} on disk", size=bytes_line(nbytes)),
        tr("searching…") if looking else "",
    ]
    return " · ".join(filter(None, parts))


def second_line(model: InstalledModel, draft: str = "") -> str:
    return " · ".join(filter(None, (model.facts.architecture, draft, source_of(model))))


def describe_drafts(figures: Mapping[str, Any] | None) -> str:
    """Return how many drafted tokens were accepted, or "" without a draft model.

    `figures` is an entry of `Engine.stats`.
    """
    if figures is None:
        return ""
    name = tr("Prompt lookup") if figures["model"] == LOOKUP else figures["name"]
    count = figures["drafted_tokens"]
    if not count:
        return tr("{name} hasn’t drafted any tokens yet.", name=name)
    share = percent(figures["accepted_tokens"] / count)
    return counted(
        "{name} has drafted %Ln token; {share} accepted.",
        "{name} has drafted %Ln tokens; {share} accepted.",
        count,
        name=name,
        share=share,
    )


def source_of(model: InstalledModel) -> str:
    return tr(_SOURCE_NAMES[model.source]) if model.source in _SOURCE_NAMES else model.source.value


def sentence_of(
    model: InstalledModel,
    status: ModelStatus,
    when: float,
    now: float,
    pinned: bool,
    draft: str = "",
) -> str:
    facts, takes = model.facts, memory_of(status)
    tokens = counted("context %Ln token", "context %Ln tokens", facts.context)
    parts = [
        model.name,
        tr("pinned") if pinned else "",
        describe_problem(facts).rstrip("."),
        tr("in memory, {size}", size=takes) if status.model is not None else takes,
        second_line(model, draft),
        bytes_line(facts.nbytes) if facts.nbytes else "",
        precision(facts) if precision(facts) != NOTHING else "",
        tokens if facts.context else "",
        capabilities(facts).replace(" · ", ", "),
        tr("license {name}", name=facts.licence) if facts.licence else "",
        tr("used {when}", when=format_last_use(when, now)) if when > 0 else "",
    ]
    return ", ".join(filter(None, parts))


Role = Qt.ItemDataRole

BELOW = int(Role.UserRole) + 1  # second line in the name column
PINNED = BELOW + 1
WRONG = BELOW + 2  # True if the second line is an error


class ModelColumn(IntEnum):
    NAME = 0
    SIZE = 1
    PRECISION = 2
    CONTEXT = 3
    CAN = 4
    LICENCE = 5
    USED = 6
    MEMORY = 7
    MORE = 8  # button for the row's menu


_TIPS = {
    ModelColumn.SIZE: mark("On disk"),
    ModelColumn.CONTEXT: mark("Tokens that a prompt and its reply can have together"),
    ModelColumn.CAN: mark("According to its template and configuration"),
    ModelColumn.MEMORY: mark("Weights and the KV caches of its chats"),
}
_RIGHT_ALIGNED = {ModelColumn.SIZE, ModelColumn.CONTEXT, ModelColumn.MEMORY}


def _alignment(column: int) -> Qt.AlignmentFlag:
    right = column in _RIGHT_ALIGNED
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def column_titles() -> tuple[str, ...]:
    return (
        tr("Model"),
        tr("Size"),
        tr("Precision"),
        tr("Context"),
        tr("Capabilities", "what a model can do"),
        tr("License"),
        tr("Last used", "when a model was used"),
        tr("In memory"),
        "",
    )


class LibraryTable(QAbstractTableModel):
    """Table of installed models that match the search, with pinned models on top."""

    def __init__(self, installed: InstalledModels, parent: QObject) -> None:
        super().__init__(parent)
        self._installed = installed
        self._query = ""
        self._column, self._descending = ModelColumn.NAME, False
        self._memory: dict[str, int] = {}
        self.rows: list[InstalledModel] = []
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        rows = sorted(filter(self._matches_query, self._installed.models.values()), key=self._name)
        rows.sort(key=self._key, reverse=self._descending)
        rows.sort(key=lambda model: not self._installed.is_pinned(model))
        if [m.folder for m in rows] != [m.folder for m in self.rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows:
            self.rows = rows
            last = self.index(len(rows) - 1, len(ModelColumn) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def search(self, query: str) -> None:
        self._query = query

    @Slot(object)
    def show_memory(self, stats: dict[str, Any]) -> None:
        by_model = memory_by_model(stats)
        if by_model != self._memory:
            self._memory = by_model
            self.refresh()

    def row_of(self, folder: Path) -> int:
        return next((at for at, model in enumerate(self.rows) if model.folder == folder), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(ModelColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            arrow = " ↓" if self._descending else " ↑"
            return column_titles()[section] + (arrow if section == self._column else "")
        if role == Role.ToolTipRole:
            tip = _TIPS.get(ModelColumn(section))
            return tr(tip) if tip is not None else None
        return _alignment(section) if role == Role.TextAlignmentRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if column == ModelColumn.MORE:
            return
        self._column, self._descending = ModelColumn(column), order == Qt.SortOrder.DescendingOrder
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(ModelColumn) - 1)
        self.refresh()

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        model, column = self.rows[index.row()], ModelColumn(index.column())
        if role == Role.DisplayRole:
            return self._text(model, column)
        if role == Role.TextAlignmentRole:
            return _alignment(column)
        if role == Role.ToolTipRole:
            return self._tip(model, column)
        if role == Role.AccessibleTextRole:
            return self._accessible_text(model, column)
        if role == BELOW:
            return describe_problem(model.facts) or second_line(model, self._draft(model))
        if role == WRONG:
            return bool(model.facts.problem)
        return self._installed.is_pinned(model) if role == PINNED else None

    def _text(self, model: InstalledModel, column: ModelColumn) -> str:
        facts = model.facts
        if column is ModelColumn.NAME:
            return model.name
        if column is ModelColumn.SIZE:
            return bytes_line(facts.nbytes) if facts.nbytes else NOTHING
        if column is ModelColumn.PRECISION:
            return precision(facts)
        if column is ModelColumn.CONTEXT:
            return context_line(facts.context) if facts.context else NOTHING
        if column is ModelColumn.CAN:
            return capabilities(facts)
        if column is ModelColumn.LICENCE:
            return facts.licence or NOTHING
        if column is ModelColumn.USED:
            return format_last_use(self._installed.last_used(model), time.time())
        if column is ModelColumn.MORE:
            return ""
        return memory_of(self._installed.status(model))

    def _tip(self, model: InstalledModel, column: ModelColumn) -> str:
        if column is ModelColumn.NAME:
            folder = str(model.folder).encode(errors="replace").decode()
            problem = describe_problem(model.facts)
            return f"{problem}\n{folder}" if problem else folder
        if column is ModelColumn.PRECISION:
            return precision_tip(model.facts)
        if column is ModelColumn.CONTEXT and model.facts.context:
            tokens = model.facts.context
            return counted("%Ln token", "%Ln tokens", tokens)
        if column is ModelColumn.CAN:
            return capabilities_tip(model.facts)
        if column is ModelColumn.MEMORY:
            status = self._installed.status(model)
            figures = describe_drafts(self._installed.draft_figures(model))
            if status.model is not None and (kv := self._bytes(model) - status.model.nbytes):
                every = bytes_line(self._bytes(model))
                sizes = tr("{all} in use · chats {kv}", all=every, kv=bytes_line(kv))
                figures = "\n".join(filter(None, (sizes, figures)))
            return status.error or figures
        return ""

    def _accessible_text(self, model: InstalledModel, column: ModelColumn) -> str:
        """Return the text for screen readers. In the first column it describes the whole row."""
        if column is ModelColumn.MORE:
            return tr("More for {name}", name=model.name)
        if column is not ModelColumn.NAME:
            return f"{column_titles()[column]}: {self._text(model, column)}"
        status, when = self._installed.status(model), self._installed.last_used(model)
        pinned = self._installed.is_pinned(model)
        return sentence_of(model, status, when, time.time(), pinned, self._draft(model))

    def _draft(self, model: InstalledModel) -> str:
        drafts, loaded = self._installed.drafts, self._installed.status(model).model
        ref = drafts.get_ref(model.ref, str(model.folder))
        if not ref or (loaded is not None and drafts.has_failed(loaded)):
            return ""
        if ref == LOOKUP:
            return tr("prompt lookup")
        return tr("draft model {name}", name=self._installed.draft_name(ref))

    def _name(self, model: InstalledModel) -> str:
        return model.name.casefold()

    def _key(self, model: InstalledModel) -> Any:
        facts = model.facts
        if self._column is ModelColumn.SIZE:
            return facts.nbytes
        if self._column is ModelColumn.PRECISION:
            return (facts.bits or 99, facts.dtype)
        if self._column is ModelColumn.CONTEXT:
            return facts.context
        if self._column is ModelColumn.USED:
            return self._installed.last_used(model)
        if self._column is ModelColumn.MEMORY:
            return self._bytes(model)
        return self._text(model, self._column).casefold()

    def _bytes(self, model: InstalledModel) -> int:
        loaded = self._installed.status(model).model
        return max(self._memory.get(loaded.id, 0), loaded.nbytes) if loaded is not None else 0

    def _matches_query(self, model: InstalledModel) -> bool:
        if not self._query:
            return True
        facts = model.facts
        text = " ".join(
            (model.name, model.ref, second_line(model), precision(facts), facts.licence)
        )
        text = f"{text} {capabilities(facts)}".casefold()
        return all(part in text for part in self._query.casefold().split())


ROW = 52
_WIDTHS = {
    ModelColumn.SIZE: 86,
    ModelColumn.PRECISION: 104,
    ModelColumn.CONTEXT: 76,
    ModelColumn.CAN: 196,
    ModelColumn.LICENCE: 104,
    ModelColumn.USED: 104,
    ModelColumn.MEMORY: 92,
    ModelColumn.MORE: 44,
}
_MIN_NAME_WIDTH = 240
# Columns to hide in a narrow window, in this order.
_HIDDEN_FIRST = (
    ModelColumn.LICENCE,
    ModelColumn.USED,
    ModelColumn.CAN,
    ModelColumn.PRECISION,
    ModelColumn.CONTEXT,
)


class LibraryView(QTableView):
    row_opened = Signal()  # Enter or double click
    remove_requested = Signal()  # Delete
    row_chosen = Signal()
    menu_requested = Signal(QPoint)  # (position in the view)

    def __init__(self, table: LibraryTable, parent: QWidget) -> None:
        super().__init__(parent)
        self.hovered = -1  # row under the mouse, or -1
        self.setObjectName("model-table")
        self.setModel(table)
        prepare_row_view(self, tr("Models"))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab goes to the buttons instead
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegate(ModelTableDelegate(self))
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        heads = self.horizontalHeader()
        heads.setSectionsClickable(True)
        heads.setHighlightSections(False)
        heads.setMinimumSectionSize(40)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        heads.setSectionResizeMode(ModelColumn.NAME, QHeaderView.ResizeMode.Stretch)
        heads.setSortIndicator(ModelColumn.NAME, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(self.row_opened)
        self.selectionModel().currentRowChanged.connect(self.row_chosen)
        theme().changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        self.verticalHeader().setDefaultSectionSize(scale_height(ROW, 2))
        self.horizontalHeader().setFixedHeight(scale_height(30))
        for column in _WIDTHS:
            self.setColumnWidth(column, self._width(column))
        self._hide_columns()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _width(self, column: ModelColumn) -> int:
        heads = self.horizontalHeader()
        arrow = heads.fontMetrics().horizontalAdvance(" ↓")
        return max(scaled(_WIDTHS[column]), heads.sectionSizeHint(column) + arrow)

    def _hide_columns(self) -> None:
        min_width = scaled(_MIN_NAME_WIDTH) + sum(self._width(column) for column in _WIDTHS)
        room = self.viewport().width() - min_width
        for column in _HIDDEN_FIRST:
            self.setColumnHidden(column, room < 0)
            if room < 0:
                room += self._width(column)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and self.indexAt(at).column() == ModelColumn.MORE:
            self.menu_requested.emit(at)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self.hovered:
            self.hovered = row
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.row_opened.emit()
        elif event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_requested.emit()
        else:
            super().keyPressEvent(event)


def name_state(index: Index) -> RowState:
    return RowState(
        str(index.data()),
        px=t.LEAD_PX,
        weight=QFont.Weight.Medium,
        # Model names often differ only at the end.
        elide=Qt.TextElideMode.ElideMiddle,
        end_icon="push-pin" if index.data(PINNED) else "",
        below=str(index.data(BELOW)),
        below_color="danger" if index.data(WRONG) else "muted",
    )


class ModelTableDelegate(RowDelegate):
    def __init__(self, view: LibraryView) -> None:
        super().__init__(view, self._state, inset=2, height=ROW, lines=2)
        self._view = view

    def _state(self, index: Index) -> RowState:
        if index.column() == ModelColumn.NAME:
            return name_state(index)
        words, current = str(index.data() or ""), index.row() == self._view.currentIndex().row()
        color = "text" if current else "muted"
        if int(index.data(Qt.ItemDataRole.TextAlignmentRole)) & int(Qt.AlignmentFlag.AlignRight):
            return RowState("", end=words, end_px=t.UI_PX, end_color=color)
        return RowState(words, color=color)

    def paint_ground(self, row: RowPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        tokens, area, painter = theme().tokens, QRect(option.rect), row.painter
        current = index.row() == self._view.currentIndex().row()
        over = self._view.hovered == index.row()
        painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), QColor(tokens.border))
        if current or over:
            painter.setClipRect(area)
            row_rect = QRect(0, area.top() + 1, self._view.viewport().width(), area.height() - 2)
            active = bool(option.state & QStyle.StateFlag.State_Active)
            color = tokens.accent_quiet if current else tokens.hover
            ring = current and active and self._view.hasFocus()
            row.ground(row_rect.adjusted(1, 0, -2, -1), color, ring=ring, radius=t.RADIUS_SMALL)
            painter.setClipping(False)
        if index.column() == ModelColumn.MORE:
            icon_rect = QRect(0, 0, scaled(t.ICON), scaled(t.ICON))
            icon_rect.moveCenter(area.center())
            icon("dots-three", tokens.text if current or over else tokens.muted).paint(
                painter, icon_rect
            )
        return current
