"""The list at the left of Get Model: what suits this machine, or what a search has found."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.language import tr
from app.ui.style import tokens as t
from app.ui.style.theme import grown, theme, ui_font

Index = QModelIndex | QPersistentModelIndex

_ROW_ROLE = Qt.ItemDataRole.UserRole
_HEIGHT = 52
_NO_INDEX = QModelIndex()


@dataclass(frozen=True)
class ModelEntry:
    """One line of the list, cleaned for showing.

    Attributes:
        ref: what names the model to the hub.
        name, about: the two lines of words.
        mark: one or two words at the right: whether it fits, or why that is not known.
        colour: of the mark, as a token of the theme.
    """

    ref: str
    name: str
    about: str
    mark: str = ""
    colour: str = "muted"


class _Entries(QAbstractListModel):
    """The entries for the view."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: list[ModelEntry] = []

    def show_entries(self, entries: list[ModelEntry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def replace(self, entry: ModelEntry) -> None:
        """Tell more of one that is there."""
        for number, old in enumerate(self.entries):
            if old.ref == entry.ref and old != entry:
                self.entries[number] = entry
                index = self.index(number)
                self.dataChanged.emit(index, index)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        entry = self.entries[index.row()]
        if role == _ROW_ROLE:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.ref
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.name, entry.mark, entry.about) if part)
        return None


class FoundList(QListView):
    """Two lines for each model; arrows move, and what is chosen is told.

    Signals:
        chosen(ref): the person is on this one now; "" for none.
        left(): the person went above the first.
    """

    chosen = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries = _Entries(self)
        self.setObjectName("found-list")
        self.setAccessibleName(tr("Models"))
        self.setModel(self._entries)
        self.setItemDelegate(_Painter(self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current)
        theme().changed.connect(self._on_theme)

    @property
    def entries(self) -> list[ModelEntry]:
        """What is shown, in order."""
        return list(self._entries.entries)

    @property
    def ref(self) -> str:
        """Which one the person is on; "" for none."""
        index = self.currentIndex()
        return self._entries.entries[index.row()].ref if index.isValid() else ""

    def show_entries(self, entries: list[ModelEntry]) -> None:
        """Show these, and be on none of them."""
        self._entries.show_entries(entries)
        self.scrollToTop()

    @Slot(object)
    def replace(self, entry: ModelEntry) -> None:
        """Tell more of a model that is in the list."""
        self._entries.replace(entry)

    @Slot()
    def enter(self) -> None:
        """Take the keys, on the row that was chosen or the first."""
        if self._entries.entries:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.choose(max(0, self.currentIndex().row()))

    def choose(self, row: int) -> None:
        """Be on that row, if there is one."""
        if 0 <= row < len(self._entries.entries):
            self.setCurrentIndex(self._entries.index(row))

    def choose_none(self) -> None:
        self.setCurrentIndex(_NO_INDEX)
        self.clearSelection()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
            return
        super().keyPressEvent(event)

    @Slot()
    def _on_current(self) -> None:
        self.chosen.emit(self.ref)

    @Slot()
    def _on_theme(self) -> None:
        self.scheduleDelayedItemsLayout()  # the rows may have another height
        self.viewport().update()


class _Painter(QStyledItemDelegate):
    """The name with its mark, and below it a muted line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, grown(_HEIGHT, 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: ModelEntry = index.data(_ROW_ROLE)
        tokens, state = theme().tokens, option.state
        whole: QRect = option.rect
        area = whole.adjusted(0, 1, -1, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        keys = bool(state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QColor(tokens.accent) if keys and selected else Qt.PenStyle.NoPen)
        if selected:
            painter.setBrush(QColor(tokens.pressed))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(area, 7, 7)
        inner = area.adjusted(10, 6, -10, -6)
        painter.setFont(ui_font(t.SMALL_PX))
        width = painter.fontMetrics().horizontalAdvance(entry.mark)
        upper = QRect(inner.left(), inner.top(), inner.width(), inner.height() // 2)
        lower = QRect(inner.left(), upper.bottom() + 1, inner.width(), inner.height() // 2)
        # On the ground of the chosen row muted words would be too faint.
        quiet = QColor(tokens.text if selected else tokens.muted)
        marked = quiet if entry.colour == "muted" else QColor(getattr(tokens, entry.colour))
        painter.setPen(marked)
        painter.drawText(upper, _RIGHT, entry.mark)
        painter.setPen(quiet)
        metrics = painter.fontMetrics()
        painter.drawText(lower, _LEFT, metrics.elidedText(entry.about, _END, max(0, lower.width())))
        painter.setFont(ui_font(t.UI_PX, QFont.Weight.Medium))
        painter.setPen(QColor(tokens.text))
        room = upper.width() - (width + 12 if width else 0)
        middle = Qt.TextElideMode.ElideMiddle
        name = painter.fontMetrics().elidedText(entry.name, middle, max(0, room))
        painter.drawText(upper, _LEFT, name)
        painter.restore()


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_END = Qt.TextElideMode.ElideRight
