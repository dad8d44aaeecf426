from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace
from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from app.chats.chat_organizer import ARCHIVE, ListEntry, entries
from app.chats.library import ChatLibrary
from app.settings.language import tr
from app.store import UNTITLED, ChatRecord, SearchHit
from app.ui.sidebar import chat_row
from app.ui.sidebar.chat_row import (
    LIVING_ROLE,
    ROW_ROLE,
    UNSEEN_ROLE,
    WAITING_ROLE,
    ChatDelegate,
    ChatListRow,
    found_row,
)
from app.ui.style.scroll_bars import float_bars
from app.ui.widgets.widget_behavior import escape_tooltip

MOST_STEPS = 24
"""Number of changes above which the list is reset, which loses the scroll position."""

T = TypeVar("T", bound=Hashable)


def row_changes(before: Sequence[T], after: Sequence[T]) -> list[tuple[str, int, int]] | None:
    """Return up to `MOST_STEPS` row changes that turn ``before`` into ``after``, or else None.

    A change is ("remove", at, 0), ("insert", at, 0) or ("move", to, from).
    """
    if before == after:
        return []
    after_rows, rows = set(after), list(before)
    steps: list[tuple[str, int, int]] = []
    for at in reversed(range(len(rows))):
        if rows[at] not in after_rows:
            del rows[at]
            steps.append(("remove", at, 0))
            if len(steps) > MOST_STEPS:
                return None
    keys = set(rows)
    for at, key in enumerate(after):
        if at < len(rows) and rows[at] == key:
            continue
        if key in keys:
            position = rows.index(key, at)
            rows.insert(at, rows.pop(position))
            steps.append(("move", at, position))
        else:
            rows.insert(at, key)
            steps.append(("insert", at, 0))
        if len(steps) > MOST_STEPS:
            return None
    return steps


Index = QModelIndex | QPersistentModelIndex
DRAGGED = "application/x-stretto-rows"


_FOLDS = {"folder", "archive", "group"}
_PAINT_ROLES = {LIVING_ROLE, UNSEEN_ROLE, WAITING_ROLE}  # roles that don't affect a row's height
_OPENS = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}
_DELETES = {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}
_SELECTION_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class ChatListView(QListView):
    entry_opened = Signal(QModelIndex)  # (index)
    delete_requested = Signal()

    def __init__(self, model: ChatListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = model
        self.delegate = ChatDelegate(self)
        # With uniform heights, Qt doesn't query the size of each row. Only search results are
        # taller, but there are few.
        self.setUniformItemSizes(True)
        # Set this before the model, because setting the model lays out all rows.
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        float_bars(self)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(tr("Chats"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        model.modelReset.connect(self._on_reset)
        model.results_received.connect(self._on_answered)
        self.clicked.connect(self._on_clicked)

    def setCurrentIndex(self, index: QModelIndex | QPersistentModelIndex) -> None:
        """Select a single row. With Ctrl pressed, Qt would extend the selection."""
        alone = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, alone)

    def selected_ids(self) -> list[str]:
        indexes = sorted(self.selectedIndexes(), key=lambda index: index.row())
        ids = [i for index in indexes for i in self.rows.chats_of(self.rows.entry(index))]
        return list(dict.fromkeys(ids))

    def set_uniform(self, uniform: bool) -> None:
        if self.uniformItemSizes() != uniform:
            self.setUniformItemSizes(uniform)
            self.scheduleDelayedItemsLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.delegate.painted = event.rect()
        super().paintEvent(event)
        # Qt paints dragged rows outside of this event, and completely.
        self.delegate.painted = QRect()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        if list(roles) == [LIVING_ROLE]:  # when a dot pulses, only repaint that dot
            self.viewport().update(self.delegate.dot_area(self, self.visualRect(first)))
            return
        # Qt would lay out all rows, possibly ten thousand of them, several times a second while a
        # dot pulses. This isn't needed if rows have a uniform height.
        if self.uniformItemSizes() or (roles and _PAINT_ROLES.issuperset(roles)):
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
        # Without focus, this key press comes from the title editor, which has ignored it.
        if self.hasFocus() and self._handle_key(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _handle_key(self, event: QKeyEvent) -> bool:
        entry = self.rows.entry(self.currentIndex())
        key = event.key()
        if key in _OPENS and self.rows.is_searching:
            self.entry_opened.emit(QModelIndex())  # open the first result as soon as it arrives
            return True
        if entry is None or entry.kind == "heading" or event.modifiers() & _SELECTION_MODIFIERS:
            return False
        if key in _OPENS:
            self.entry_opened.emit(self.currentIndex())
            return True
        if key in _DELETES:
            self.delete_requested.emit()
            return True
        sideways = {Qt.Key.Key_Left: True, Qt.Key.Key_Right: False}.get(Qt.Key(key))
        if sideways is None or not self.rows.can_reorder:
            return False
        if entry.kind != "chat":
            if (entry.id not in self.rows.unfolded) != sideways:
                self.rows.fold(entry.id, sideways)
        elif sideways and entry.depth:
            self._select_parent(entry.depth)
        return True

    def _select_parent(self, depth: int) -> None:
        for row in range(self.currentIndex().row() - 1, -1, -1):
            above = self.rows.entry(self.rows.index(row))
            if above is not None and above.kind in _FOLDS and above.depth < depth:
                self.setCurrentIndex(self.rows.index(row))
                return

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if not QApplication.keyboardModifiers() & _SELECTION_MODIFIERS:
            self.entry_opened.emit(index)

    @Slot()
    def _on_answered(self) -> None:
        self.set_uniform(False)  # not earlier, because Qt then queries the size of each row

    @Slot()
    def _on_reset(self) -> None:
        self.delegate.several = False


_ACCESSIBLE_ROLES = {
    int(Qt.ItemDataRole.AccessibleTextRole): True,
    int(Qt.ItemDataRole.AccessibleDescriptionRole): False,
}


class ChatListModel(QAbstractListModel):
    """Saved chats, or the results of ``query``."""

    dropped = Signal(list, object)  # (rows, target)
    results_received = Signal()  # for the latest query
    folds_changed = Signal()

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self.query = ""
        self._entries: list[ListEntry] = []
        self._hits: dict[str, ChatListRow] = {}  # by chat ID
        self._counts: dict[str, int] = {}
        self._groups: dict[str, list[str]] = {}  # chat IDs by group row
        self._group_of: dict[str, str] = {}  # group row by chat ID
        self._row_numbers: dict[str, int] | None = None
        self.words = ""  # query of the displayed results, or "" if all chats are shown
        self.unfolded: set[str] = set()
        self.open_chats: frozenset[str] = frozenset()  # chats that have a pane
        library.list_changed.connect(self.refresh)
        library.activity.connect(self._on_activity)
        library.search.results_found.connect(self._on_found)
        self.refresh()

    @property
    def can_reorder(self) -> bool:
        return not self.query

    @property
    def is_searching(self) -> bool:
        """True while results for the current query are still missing."""
        return self.words != self.query

    def set_query(self, query: str) -> None:
        query = query.strip()
        if query == self.query:
            return
        self.query = query
        if not query:
            self.words = ""
            self._library.search.cancel()
        self.refresh()

    def row_of(self, chat_id: str) -> QModelIndex:
        if self._row_numbers is None:
            self._row_numbers = {entry.id: n for n, entry in enumerate(self._entries)}
        number = self._row_numbers.get(chat_id, -1)
        if number < 0 or self._entries[number].kind == "heading":
            return QModelIndex()
        return self.index(number)

    def entry(self, index: Index) -> ListEntry | None:
        inside = 0 <= index.row() < len(self._entries)
        return self._entries[index.row()] if inside else None

    def chats_of(self, entry: ListEntry | None) -> list[str]:
        if entry is None:
            return []
        return [entry.id] if entry.kind == "chat" else self._groups.get(entry.id, [])

    def row(self, index: Index) -> ChatListRow | None:
        entry = self.entry(index)
        if entry is None:
            return None
        if entry.kind == "chat":
            chat = self._library.chat(entry.id)
            title = chat.display_title if chat is not None else tr(UNTITLED)
            if chat is not None and entry.group:
                title = chat.variant or title
            tags = chat.tags if chat is not None else ()
            hit = self._hits.get(entry.id)
            if hit is not None:
                same = hit.text == title
                return hit if same else replace(hit, text=title, title_marks=())
            row = ChatListRow(title, entry.id, kind="chat", depth=entry.depth, tags=tags)
            if chat is None or chat.pinned_at is None or entry.depth:
                return row
            return replace(row, place=self._library.order.path(chat.folder_id))
        if entry.kind == "heading":
            return ChatListRow(entry.id)
        if entry.kind == "group":
            return self._group(entry)
        folder = self._library.order.folder(entry.id)
        name = folder.name if folder is not None else tr("Archive")
        unfolded, count = entry.id in self.unfolded, self._counts.get(entry.id, 0)
        row = ChatListRow(name, kind=entry.kind, depth=entry.depth, folder_id=entry.id)
        return replace(row, count=count, unfolded=unfolded)

    def _group(self, entry: ListEntry) -> ChatListRow:
        ids = self._groups[entry.id]
        chat, unfolded = self._library.chat(ids[0]), entry.id in self.unfolded
        name = chat.title if chat is not None and chat.title else tr(UNTITLED)
        row = ChatListRow(name, kind="group", depth=entry.depth, folder_id=entry.id, count=len(ids))
        return replace(row, unfolded=unfolded, holds=() if unfolded else tuple(ids))

    @property
    def groups(self) -> frozenset[str]:
        return frozenset(self._groups)

    def fold(self, folder_id: str, folded: bool | None = None) -> None:
        """Fold or unfold a folder, or toggle it if ``folded`` is None."""
        if folded is None:
            folded = folder_id in self.unfolded
        (self.unfolded.discard if folded else self.unfolded.add)(folder_id)
        self.refresh()
        self.folds_changed.emit()

    def reveal(self, chat_id: str) -> None:
        """Expand folders so that a chat becomes visible."""
        chat = self._library.chat(chat_id)
        if chat is None or self.query:
            return
        hiding = {ARCHIVE} if chat.archived_at is not None else set[str]()
        folder = self._library.order.folder(chat.folder_id)
        if not hiding and chat.pinned_at is None and folder is not None:
            hiding = {folder.id} | ({folder.parent_id} if folder.parent_id else set())
        if not hiding <= self.unfolded:
            self.unfolded |= hiding
            self.refresh()
        group = self._group_of.get(chat_id)
        if group is not None and group not in self.unfolded:
            self.unfolded.add(group)
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        if self.query:
            if self.words:  # keep old results until new results arrive
                find_chat = self._library.chat
                self._show([e for e in self._entries if e.kind != "chat" or find_chat(e.id)])
            self._library.search.find(self.query)
            return
        chats, folders = self._library.chats(), self._library.order.folders()
        self._hits = {}
        rows, self._counts, self._groups = entries(chats, folders, self.unfolded)
        self._group_of = {i: key for key, ids in self._groups.items() for i in ids}
        self._show(rows or [ListEntry("heading", tr("No chats yet"))])

    @Slot(str, list, bool)
    def _on_found(
        self, query: str, pairs: list[tuple[ChatRecord, SearchHit]], is_complete: bool
    ) -> None:
        if query != self.query:
            return
        if pairs or is_complete:
            self._hits = {chat.id: found_row(chat, hit) for chat, hit in pairs}
            heading = ListEntry("heading", tr("Results") if pairs else tr("No results"))
            self._show([heading, *(ListEntry("chat", chat.id) for chat, _ in pairs)])
            self.words = query
            self.results_received.emit()

    def _show(self, rows: list[ListEntry]) -> None:
        """Change the rows step by step, so that other rows keep their selection and editor."""
        steps = row_changes(self._entries, rows)
        self._row_numbers = None
        if steps is None:
            self.beginResetModel()
            self._entries = rows
            self.endResetModel()
            return
        nowhere = QModelIndex()
        for kind, at, source in steps:
            self._row_numbers = None
            if kind == "remove":
                self.beginRemoveRows(nowhere, at, at)
                del self._entries[at]
                self.endRemoveRows()
            elif kind == "insert":
                self.beginInsertRows(nowhere, at, at)
                self._entries.insert(at, rows[at])
                self.endInsertRows()
            else:
                self.beginMoveRows(nowhere, source, source, nowhere, at)
                self._entries.insert(at, self._entries.pop(source))
                self.endMoveRows()
        self._entries, self._row_numbers = rows, None
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def repaint_dots(self) -> None:
        for chat in self._library.replying_chats():
            self._emit_changed(chat.id, [LIVING_ROLE])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if role in _ACCESSIBLE_ROLES or role in {LIVING_ROLE, UNSEEN_ROLE, WAITING_ROLE}:
            return self._state(index, role)
        row = self.row(index)
        if row is None:
            return None
        if role == int(Qt.ItemDataRole.EditRole):
            return self._editable_text(index, row)
        if role == int(Qt.ItemDataRole.DisplayRole):
            return row.text
        if role == int(Qt.ItemDataRole.ToolTipRole) and row.chat_id:
            return escape_tooltip("\n".join([row.text, *row.end_texts]))
        return row if role == ROW_ROLE else None

    def _editable_text(self, index: Index, row: ChatListRow) -> str:
        entry = self.entry(index)
        alone = entry is not None and entry.kind == "chat" and not entry.group
        chat = self._library.chat(row.chat_id) if alone else None
        return chat.title if chat is not None and chat.title else row.text

    def _state(self, index: Index, role: int) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        chats = [c for c in (self._library.find(i) for i in self._chats_in(entry)) if c is not None]
        waiting = sum(chat.tools.waiting for chat in chats)
        if role == WAITING_ROLE:
            return waiting
        living = any(chat.reply.is_active for chat in chats)
        unseen = any(chat_id in self._library.unread for chat_id in self._chats_in(entry))
        if role == LIVING_ROLE:
            return living
        if role == UNSEEN_ROLE:
            return unseen
        row = self.row(index)
        if row is None:
            return None
        if _ACCESSIBLE_ROLES[role]:
            return chat_row.accessible_name(row, living=living, unseen=unseen, waiting=waiting > 0)
        stored = self._library.chat(entry.id) if entry.kind == "chat" else None
        return chat_row.accessible_description(row, stored, opened=entry.id in self.open_chats)

    def _chats_in(self, entry: ListEntry) -> Sequence[str]:
        """Return the chats whose state a row shows: its own, or all in a folded folder or group."""
        if entry.kind == "chat":
            return [entry.id]
        if entry.kind == "heading" or entry.id in self.unfolded:
            return []
        if entry.kind == "group":
            return self._groups[entry.id]
        order, inside = self._library.order, []
        for chat in self._library.open_chats():
            if entry.kind == "archive":
                is_inside = chat.record.archived_at is not None
            else:
                folder = order.folder(chat.record.folder_id)
                listed = chat.record.pinned_at is None and chat.record.archived_at is None
                is_inside = (
                    listed and folder is not None and entry.id in (folder.id, folder.parent_id)
                )
            if is_inside:
                inside.append(chat.id)
        return inside

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        entry = self.entry(index)
        if entry is None or entry.kind not in {"chat", "folder", "group"}:
            return False
        row = self.row(index)
        if row is None or self._editable_text(index, row) == value:
            return False  # don't turn an unchanged text into a title
        words = " ".join(str(value).split())
        if entry.kind == "folder":
            self._library.order.rename(entry.id, words)
        elif entry.kind == "group" and words:
            fields = {"title": words, "titled_by": "person"}
            self._library.change(dict.fromkeys(self._groups[entry.id], fields))
        elif entry.group and words:
            self._library.change({entry.id: {"variant": words}})
        else:
            self._library.rename(entry.id, words)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entry(index)
        if entry is None:
            return Qt.ItemFlag.ItemIsDropEnabled
        flag = Qt.ItemFlag.NoItemFlags
        if entry.kind != "heading":
            flag = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if entry.kind in {"chat", "folder", "group"}:
            flag |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
        if not self.query:
            flag |= Qt.ItemFlag.ItemIsDropEnabled
        return flag

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        self._emit_changed(chat_id, [LIVING_ROLE, UNSEEN_ROLE, WAITING_ROLE])

    def _emit_changed(self, chat_id: str, roles: list[int]) -> None:
        chat = self._library.chat(chat_id)
        folder = self._library.order.folder(chat.folder_id if chat is not None else None)
        hidden = [folder.id, folder.parent_id or ""] if folder is not None else []
        hidden.append(self._group_of.get(chat_id, ""))
        for entry_id in [chat_id, *hidden, *([ARCHIVE] if chat and chat.archived_at else [])]:
            index = self.row_of(entry_id)
            if index.isValid():
                self.dataChanged.emit(index, index, roles)

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
        return data.hasFormat(DRAGGED) and self.can_reorder

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        between = self.entry(self.index(max(0, row - 1))) if row >= 0 else ListEntry("heading", "")
        target = self.entry(parent) if parent.isValid() else between
        dragged = [ListEntry(*entry) for entry in json.loads(bytes(data.data(DRAGGED).data()))]
        rows = self._ungrouped(dragged)
        if target is not None and target.kind == "group":
            target = self._ungrouped([target])[0]
        if target is not None and target not in rows:
            self.dropped.emit(rows, target)
        return False  # rows are moved by `refresh`, so the view shouldn't remove any

    def _ungrouped(self, rows: list[ListEntry]) -> list[ListEntry]:
        chat_entries = [
            entry
            for row in rows
            for entry in (
                [row] if row.kind != "group" else [ListEntry("chat", i) for i in self.chats_of(row)]
            )
        ]
        return list(dict.fromkeys(chat_entries))
