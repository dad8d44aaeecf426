"""The rows of the sidebar: what stands where; a row's words are made when it is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from app.chats.library import ChatLibrary
from app.chats.listing import ARCHIVE, Entry, entries
from app.language import tr
from app.store import UNTITLED, Chat, SearchHit
from app.ui.sidebar import spoken
from app.ui.sidebar.dragging import DraggedRows
from app.ui.sidebar.row import LIVING_ROLE, ROW_ROLE, UNSEEN_ROLE, WAITING_ROLE, Row, found_row
from app.ui.sidebar.steps import steps_between
from app.ui.widgets.plain import plain_tip

Index = QModelIndex | QPersistentModelIndex


_TEXTS = {int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.EditRole)}
_READ = {
    int(Qt.ItemDataRole.AccessibleTextRole): True,
    int(Qt.ItemDataRole.AccessibleDescriptionRole): False,
}


class ChatListModel(DraggedRows):
    """The saved chats in their order, or the hits of ``query``.

    Signals:
        answered(): there are hits of the latest query, or it is known that there are none.
        refolded(): folders were folded or unfolded.
    """

    answered = Signal()
    refolded = Signal()

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._query = ""
        self._entries: list[Entry] = []
        self._hits: dict[str, Row] = {}  # of a search, by chat
        self._counts: dict[str, int] = {}
        self._places: dict[str, int] | None = None
        self._shown = ""  # the query whose hits are the rows
        self.unfolded: set[str] = set()
        self.open_chats: frozenset[str] = frozenset()  # those that stand in panes
        library.listed.connect(self.refresh)
        library.activity.connect(self._on_activity)
        library.search.found.connect(self._on_found)
        self.refresh()

    @property
    def query(self) -> str:
        return self._query

    @property
    def ordered(self) -> bool:
        return not self._query

    @property
    def words(self) -> str:
        """What the rows were found by; "" while they are all chats."""
        return self._shown

    @property
    def waits(self) -> bool:
        """Whether the rows are not those of the query yet."""
        return self._shown != self._query

    def set_query(self, query: str) -> None:
        """Show what has these words, as soon as it is found; all chats when empty."""
        query = query.strip()
        if query == self._query:
            return
        self._query = query
        if not query:
            self._shown = ""
            self._library.search.cancel()
        self.refresh()

    def row_of(self, chat_id: str) -> QModelIndex:
        """The chat's (or folder's) place; invalid if it is not listed."""
        if self._places is None:
            self._places = {entry.id: n for n, entry in enumerate(self._entries)}
        number = self._places.get(chat_id, -1)
        if number < 0 or self._entries[number].kind == "heading":
            return QModelIndex()
        return self.index(number)

    def entry(self, index: Index) -> Entry | None:
        inside = 0 <= index.row() < len(self._entries)
        return self._entries[index.row()] if inside else None

    def row(self, index: Index) -> Row | None:
        """What the row shows now."""
        entry = self.entry(index)
        if entry is None:
            return None
        if entry.kind == "chat":
            chat = self._library.chat(entry.id)
            title = chat.shown_title if chat is not None else tr(UNTITLED)
            tags = chat.tags if chat is not None else ()
            hit = self._hits.get(entry.id)
            if hit is not None:
                same = hit.text == title
                return hit if same else replace(hit, text=title, title_marks=())
            return Row(title, entry.id, kind="chat", depth=entry.depth, tags=tags)
        if entry.kind == "heading":
            return Row(entry.id)
        folder = self._library.order.folder(entry.id)
        name = folder.name if folder is not None else tr("Archive")
        unfolded, count = entry.id in self.unfolded, self._counts.get(entry.id, 0)
        kind, depth = entry.kind, entry.depth
        return Row(name, "", None, "", (), (), kind, depth, entry.id, count, unfolded)

    def fold(self, folder_id: str, folded: bool | None = None) -> None:
        """Hide or show what is in a folder; the other of the two without a word on it."""
        if folded is None:
            folded = folder_id in self.unfolded
        (self.unfolded.discard if folded else self.unfolded.add)(folder_id)
        self.refresh()
        self.refolded.emit()

    def reveal(self, chat_id: str) -> None:
        """Unfold what hides the chat."""
        chat = self._library.chat(chat_id)
        if chat is None or self._query:
            return
        hiding = {ARCHIVE} if chat.archived_at is not None else set[str]()
        folder = self._library.order.folder(chat.folder_id)
        if not hiding and chat.pinned_at is None and folder is not None:
            hiding = {folder.id} | ({folder.parent_id} if folder.parent_id else set())
        if not hiding <= self.unfolded:
            self.unfolded |= hiding
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what there is now; with a query, once it is found again."""
        if self._query:
            if self._shown:  # what was found is listed until it is found again
                there = self._library.chat
                self._show([e for e in self._entries if e.kind != "chat" or there(e.id)])
            self._library.search.find(self._query)
            return
        chats, folders = self._library.chats(), self._library.order.folders()
        self._hits = {}
        rows, self._counts = entries(chats, folders, self.unfolded)
        self._show(rows or [_nothing()])

    @Slot(str, list, bool)
    def _on_found(self, query: str, pairs: list[tuple[Chat, SearchHit]], done: bool) -> None:
        if query != self._query:
            return
        if pairs or done:
            self._hits = {chat.id: found_row(chat, hit) for chat, hit in pairs}
            heading = Entry("heading", tr("Found") if pairs else tr("Nothing found"))
            self._show([heading, *(Entry("chat", chat.id) for chat, _ in pairs)])
            self._shown = query
            self.answered.emit()

    def _show(self, rows: list[Entry]) -> None:
        """Become these rows. What stays keeps its place, its selection and its editor."""
        steps = steps_between(self._entries, rows)
        self._places = None
        if steps is None:
            self.beginResetModel()
            self._entries = rows
            self.endResetModel()
            return
        nowhere = QModelIndex()
        for kind, at, other in steps:
            self._places = None
            if kind == "remove":
                self.beginRemoveRows(nowhere, at, at)
                del self._entries[at]
                self.endRemoveRows()
            elif kind == "insert":
                self.beginInsertRows(nowhere, at, at)
                self._entries.insert(at, rows[at])
                self.endInsertRows()
            else:
                self.beginMoveRows(nowhere, other, other, nowhere, at)
                self._entries.insert(at, self._entries.pop(other))
                self.endMoveRows()
        self._entries, self._places = rows, None
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def beat(self) -> None:
        """Paint the living dots again."""
        for chat in self._library.running():
            self._on_activity(chat.id)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if role in _READ or role in {LIVING_ROLE, UNSEEN_ROLE, WAITING_ROLE}:
            return self._state(index, role)
        row = self.row(index)
        if row is None:
            return None
        if role in _TEXTS:
            return row.text
        if role == int(Qt.ItemDataRole.ToolTipRole) and row.chat_id:
            return plain_tip("\n".join([row.text, *(f"#{tag}" for tag in row.tags)]))
        return row if role == ROW_ROLE else None

    def _state(self, index: Index, role: int) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        chats = [c for c in (self._library.find(i) for i in self._in(entry)) if c is not None]
        waiting = sum(chat.tools.waiting for chat in chats)
        if role == WAITING_ROLE:
            return waiting
        living = any(chat.answering for chat in chats)
        unseen = any(chat.unseen for chat in chats)
        if role == LIVING_ROLE:
            return living
        if role == UNSEEN_ROLE:
            return unseen
        row = self.row(index)
        if row is None:
            return None
        if _READ[role]:
            return spoken.name(row, living=living, unseen=unseen, waiting=waiting > 0)
        stored = self._library.chat(entry.id) if entry.kind == "chat" else None
        return spoken.description(row, stored, opened=entry.id in self.open_chats)

    def _in(self, entry: Entry) -> Sequence[str]:
        """The chats that the row stands for: itself, or those in a folder that is folded."""
        if entry.kind == "chat":
            return [entry.id]
        if entry.kind == "heading" or entry.id in self.unfolded:
            return []
        order, inside = self._library.order, []
        for chat in self._library.in_use():
            if entry.kind == "archive":
                here = chat.record.archived_at is not None
            else:
                folder = order.folder(chat.record.folder_id)
                listed = chat.record.pinned_at is None and chat.record.archived_at is None
                here = listed and folder is not None and entry.id in (folder.id, folder.parent_id)
            if here:
                inside.append(chat.id)
        return inside

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        entry = self.entry(index)
        if entry is None or entry.kind not in {"chat", "folder"}:
            return False
        row = self.row(index)
        if row is None or row.text == value:
            return False  # an editor that is left as it was names nothing
        if entry.kind == "folder":
            self._library.order.rename(entry.id, " ".join(str(value).split()))
        else:
            self._library.rename(entry.id, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entry(index)
        if entry is None:
            return Qt.ItemFlag.ItemIsDropEnabled
        flag = Qt.ItemFlag.NoItemFlags
        if entry.kind != "heading":
            flag = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if entry.kind in {"chat", "folder"}:
            flag |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
        if not self._query:
            flag |= Qt.ItemFlag.ItemIsDropEnabled
        return flag

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.chat(chat_id)
        folder = self._library.order.folder(chat.folder_id if chat is not None else None)
        hidden = [folder.id, folder.parent_id or ""] if folder is not None else []
        for entry_id in [chat_id, *hidden, *([ARCHIVE] if chat and chat.archived_at else [])]:
            index = self.row_of(entry_id)
            if index.isValid():
                self.dataChanged.emit(index, index, [LIVING_ROLE, UNSEEN_ROLE, WAITING_ROLE])


def _nothing() -> Entry:
    return Entry("heading", tr("Your chats will appear here"))
