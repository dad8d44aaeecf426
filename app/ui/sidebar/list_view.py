"""The list itself: how its rows are chosen, dragged, and worked by key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from app.language import tr
from app.ui.sidebar.chat_delegate import ChatDelegate
from app.ui.sidebar.chat_list import ChatListModel, Index
from app.ui.sidebar.row import LIVING_ROLE, UNSEEN_ROLE

_PAINTED = {LIVING_ROLE, UNSEEN_ROLE}
"""What of a row changes its look and never its height."""
_OPENS = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}
_DELETES = {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}
_CHOOSES = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class ChatListView(QListView):
    """Rows of which several can be chosen; a plain click opens.

    Signals:
        opened(index): a row was clicked, or Enter was pressed on it.
        delete_asked(): what is chosen is to be deleted.
    """

    opened = Signal(QModelIndex)
    delete_asked = Signal()

    def __init__(self, model: ChatListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = model
        self.delegate = ChatDelegate(self)
        # Rows of one height are laid out without being asked for; hits are taller, and few.
        self.setUniformItemSizes(True)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(tr("Chats"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        model.modelReset.connect(self._on_reset)
        model.answered.connect(self._on_answered)
        self.clicked.connect(self._on_clicked)

    def setCurrentIndex(self, index: QModelIndex | QPersistentModelIndex) -> None:
        """Choose this row alone. Qt's own would add it to what is chosen while Ctrl is held."""
        alone = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, alone)

    def chosen(self) -> list[str]:
        """The chats of the chosen rows, from top to bottom."""
        indexes = sorted(self.selectedIndexes(), key=lambda index: index.row())
        found = [self.rows.entry(index) for index in indexes]
        return [entry.id for entry in found if entry is not None and entry.kind == "chat"]

    def set_uniform(self, uniform: bool) -> None:
        """Whether all rows are of one height."""
        if self.uniformItemSizes() != uniform:
            self.setUniformItemSizes(uniform)
            self.scheduleDelayedItemsLayout()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        # Qt's own lays all rows out anew: with ten thousand of them, and a dot that moves in one
        # of them, several times a second. Rows of one height stay where they are.
        if self.uniformItemSizes() or (roles and _PAINTED.issuperset(roles)):
            QAbstractItemView.dataChanged(self, first, last, roles)
        else:
            super().dataChanged(first, last, roles)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        several = len(self.selectedIndexes()) > 1
        if several or self.delegate.several:
            self.delegate.several = several
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Without the focus it is a key that the editor of a title has left over.
        if self.hasFocus() and self._takes(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _takes(self, event: QKeyEvent) -> bool:
        entry = self.rows.entry(self.currentIndex())
        key = event.key()
        if entry is None or entry.kind == "heading" or event.modifiers() & _CHOOSES:
            return False
        if key in _OPENS:
            self.opened.emit(self.currentIndex())
            return True
        if key in _DELETES:
            self.delete_asked.emit()
            return True
        sideways = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}.get(Qt.Key(key))
        if sideways is None or not self.rows.ordered:
            return False
        if entry.kind != "chat":
            if (entry.id not in self.rows.unfolded) != sideways:
                self.rows.fold(entry.id, sideways)
        elif sideways and entry.depth:
            self._go_out(entry.depth)
        return True

    def _go_out(self, depth: int) -> None:
        """Let the keys be at the folder that holds the current row."""
        for row in range(self.currentIndex().row() - 1, -1, -1):
            above = self.rows.entry(self.rows.index(row))
            if above is not None and above.kind in {"folder", "archive"} and above.depth < depth:
                self.setCurrentIndex(self.rows.index(row))
                return

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if not QApplication.keyboardModifiers() & _CHOOSES:
            self.opened.emit(index)

    @Slot()
    def _on_answered(self) -> None:
        self.set_uniform(False)  # not before: the height of every row would be asked for

    @Slot()
    def _on_reset(self) -> None:
        self.delegate.several = False
