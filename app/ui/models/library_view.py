"""How the table of models looks: rows of two lines, hairlines, one wash behind the chosen row."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.language import tr
from app.ui.models.library_table import BELOW, PINNED, WRONG, Column, LibraryTable
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import grown, scaled, theme, ui_font

Index = QModelIndex | QPersistentModelIndex

ROW = 52
_WIDTHS = {
    Column.SIZE: 86,
    Column.PRECISION: 104,
    Column.CONTEXT: 76,
    Column.CAN: 176,
    Column.LICENCE: 104,
    Column.USED: 104,
    Column.MEMORY: 92,
}
_LEAST_NAME = 240
# Where the window is narrow these go first.
_HIDDEN_FIRST = (Column.LICENCE, Column.USED, Column.CAN, Column.PRECISION, Column.CONTEXT)


class LibraryView(QTableView):
    """Chooses one model at a time.

    Attributes:
        hovered: the row under the pointer; -1 for none.

    Signals:
        opened(): Enter or a double click on the chosen model.
        remove_asked(): Delete.
        chosen(): another model is chosen, or none.
    """

    opened = Signal()
    remove_asked = Signal()
    chosen = Signal()

    def __init__(self, table: LibraryTable, parent: QWidget) -> None:
        super().__init__(parent)
        self.hovered = -1
        self.setObjectName("model-table")
        self.setModel(table)
        self.setAccessibleName(tr("Models"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab goes on to the buttons
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegate(_Delegate(self))
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        heads = self.horizontalHeader()
        heads.setSectionsClickable(True)
        heads.setHighlightSections(False)
        heads.setMinimumSectionSize(40)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        heads.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        heads.setSortIndicator(Column.NAME, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.viewport().setAutoFillBackground(False)
        self.doubleClicked.connect(self.opened)
        self.selectionModel().currentRowChanged.connect(self.chosen)
        theme().changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        """Text has another size or colour."""
        self.verticalHeader().setDefaultSectionSize(grown(ROW, 2))
        self.horizontalHeader().setFixedHeight(grown(30))
        for column in _WIDTHS:
            self.setColumnWidth(column, self._width(column))
        self._hide_columns()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _width(self, column: Column) -> int:
        """As wide as usual, wider where its head with the sign of the order needs it."""
        heads = self.horizontalHeader()
        arrow = heads.fontMetrics().horizontalAdvance(" ↓")
        return max(scaled(_WIDTHS[column]), heads.sectionSizeHint(column) + arrow)

    def _hide_columns(self) -> None:
        """Where the window is narrow, some give way to the name."""
        wanted = scaled(_LEAST_NAME) + sum(self._width(column) for column in _WIDTHS)
        room = self.viewport().width() - wanted
        for column in _HIDDEN_FIRST:
            self.setColumnHidden(column, room < 0)
            if room < 0:
                room += self._width(column)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self.hovered:
            self.hovered = row
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit()
        elif event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_asked.emit()
        else:
            super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: LibraryView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, grown(ROW, 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme().tokens
        area: QRect = option.rect
        current = index.row() == self._view.currentIndex().row()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, option, area, index, current)
        inner = area.adjusted(12, 0, -12, 0)
        if index.column() == Column.NAME:
            self._name(painter, inner, index, current)
        else:
            painter.setFont(ui_font(t.UI_PX))
            painter.setPen(QColor(tokens.text if current else tokens.muted))
            flags = Qt.AlignmentFlag(int(index.data(Qt.ItemDataRole.TextAlignmentRole)))
            self._line(painter, inner, str(index.data() or ""), flags)
        painter.restore()

    def _ground(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        area: QRect,
        index: Index,
        current: bool,
    ) -> None:
        tokens = theme().tokens
        line = QRect(area.left(), area.bottom(), area.width(), 1)
        painter.fillRect(line, QColor(tokens.border))
        if not current and self._view.hovered != index.row():
            return
        painter.setClipRect(area)
        row = QRect(0, area.top() + 1, self._view.viewport().width(), area.height() - 2)
        painter.setBrush(QColor(tokens.accent_quiet if current else tokens.hover))
        focused = current and bool(option.state & QStyle.StateFlag.State_Active)
        ring = focused and self._view.hasFocus()
        painter.setPen(QColor(tokens.accent) if ring else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(row.adjusted(1, 0, -2, -1), t.RADIUS_SMALL, t.RADIUS_SMALL)
        painter.setClipping(False)

    def _name(self, painter: QPainter, area: QRect, index: Index, current: bool) -> None:
        tokens = theme().tokens
        top = QRect(area.left(), area.top() + 5, area.width(), grown(22))
        if index.data(PINNED):
            direction, whole = painter.layoutDirection(), QRect(top)
            place = QRect(top.right() - 14, top.top() + 4, 14, 14)
            top.setRight(place.left() - 6)
            pin = QStyle.visualRect(direction, whole, place)
            icon("push-pin", tokens.accent).paint(painter, pin)
            top = QStyle.visualRect(direction, whole, top)
        painter.setFont(ui_font(14, QFont.Weight.Medium))
        painter.setPen(QColor(tokens.text))
        self._line(painter, top, str(index.data()))
        wrong = bool(index.data(WRONG))
        quiet = tokens.text if current else tokens.muted
        painter.setFont(ui_font(t.SMALL_PX))
        painter.setPen(QColor(tokens.danger if wrong else quiet))
        bottom = QRect(area.left(), area.top() + grown(25), area.width(), grown(20))
        self._line(painter, bottom, str(index.data(BELOW)), Qt.AlignmentFlag.AlignLeft)

    def _line(
        self,
        painter: QPainter,
        area: QRect,
        words: str,
        flags: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignVCenter,
    ) -> None:
        # The end of a model's name says as much as its beginning.
        name = flags == Qt.AlignmentFlag.AlignVCenter
        where = Qt.TextElideMode.ElideMiddle if name else Qt.TextElideMode.ElideRight
        shown = painter.fontMetrics().elidedText(words, where, area.width())
        painter.drawText(area, flags | Qt.AlignmentFlag.AlignVCenter, shown)
