"""The rows of the sidebar: headings and chats, or what a search has found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)

from app.chats.library import ChatLibrary, day_group
from app.store import Chat, SearchHit
from app.ui.widgets.plain import plain_tip

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Row:
    """One line of the list.

    Attributes:
        text: the chat's title, or the heading.
        chat_id: empty for a heading.
        message_id: where a search found its words.
        snippet: the words around the place found.
        marks, title_marks: where the words looked for stand in the snippet and in the title.
    """

    text: str
    chat_id: str = ""
    message_id: str | None = None
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    title_marks: tuple[tuple[int, int], ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What it is, whatever its words."""
        return (self.chat_id, "" if self.chat_id else self.text)


ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
LIVING_ROLE = ROW_ROLE + 1
UNSEEN_ROLE = ROW_ROLE + 2


MOST_STEPS = 24
"""More changes at once than these make another list: nobody's place in it can be kept."""


class ChatListModel(QAbstractListModel):
    """The saved chats by day, or the hits of ``query``.

    Signals:
        answered(): there are hits of the latest query, or it is known that there are none.
    """

    answered = Signal()

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._query = ""
        self._rows: list[Row] = []
        self._shown = ""  # the query whose hits are the rows
        library.listed.connect(self.refresh)
        library.activity.connect(self._on_activity)
        library.search.found.connect(self._on_found)
        self.refresh()

    @property
    def query(self) -> str:
        return self._query

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
        """The chat's place; invalid if it is not listed."""
        for number, row in enumerate(self._rows):
            if row.chat_id == chat_id:
                return self.index(number)
        return QModelIndex()

    def row(self, index: Index) -> Row | None:
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    @Slot()
    def refresh(self) -> None:
        """Show what there is now; with a query, once it is found again."""
        if self._query:
            if self._shown:  # what was found is listed until it is found again
                self._show(self._still_there())
            self._library.search.find(self._query)
        else:
            self._show(self._grouped())

    @Slot(str, list, bool)
    def _on_found(self, query: str, pairs: list[tuple[Chat, SearchHit]], done: bool) -> None:
        if query != self._query:
            return
        if pairs or done:
            self._show(_found_rows(pairs))
            self._shown = query
            self.answered.emit()

    def _show(self, rows: list[Row]) -> None:
        """Become these rows. What stays keeps its place, its selection and its editor."""
        if rows == self._rows:
            return
        steps = _steps([row.key for row in self._rows], [row.key for row in rows])
        if steps is None:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        nowhere = QModelIndex()
        for kind, at, other in steps:
            if kind == "remove":
                self.beginRemoveRows(nowhere, at, at)
                del self._rows[at]
                self.endRemoveRows()
            elif kind == "insert":
                self.beginInsertRows(nowhere, at, at)
                self._rows.insert(at, rows[at])
                self.endInsertRows()
            else:
                self.beginMoveRows(nowhere, other, other, nowhere, at)
                self._rows.insert(at, self._rows.pop(other))
                self.endMoveRows()
        self._rows = rows
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def beat(self) -> None:
        """Paint the living dots again."""
        for number, row in enumerate(self._rows):
            chat = self._library.find(row.chat_id) if row.chat_id else None
            if chat is not None and chat.answering:
                index = self.index(number)
                self.dataChanged.emit(index, index, [LIVING_ROLE])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role in {int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.EditRole)}:
            return row.text
        if role == int(Qt.ItemDataRole.ToolTipRole):
            return plain_tip(row.text) if row.chat_id else None
        if role == ROW_ROLE:
            return row
        chat = self._library.find(row.chat_id) if row.chat_id else None
        if role == LIVING_ROLE:
            return chat is not None and chat.answering
        if role == UNSEEN_ROLE:
            return chat is not None and chat.unseen
        return None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        row = self.row(index)
        if row is None or not row.chat_id:
            return False
        self._library.rename(row.chat_id, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None or not row.chat_id:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def _still_there(self) -> list[Row]:
        """The rows as they are, by the titles of now, without chats that are in the trash."""
        rows: list[Row] = []
        for row in self._rows:
            chat = self._library.chat(row.chat_id) if row.chat_id else None
            if chat is None:
                rows += [] if row.chat_id else [row]
                continue
            title = chat.title or "New chat"
            rows.append(row if row.text == title else replace(row, text=title, title_marks=()))
        return rows

    def _grouped(self) -> list[Row]:
        rows: list[Row] = []
        heading = ""
        if not self._library.chats():
            return [Row("Your chats will appear here")]
        for chat in self._library.chats():
            group = day_group(chat.updated_at)
            if group != heading:
                heading = group
                rows.append(Row(heading))
            rows.append(Row(chat.title or "New chat", chat.id))
        return rows

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        index = self.row_of(chat_id)
        if index.isValid():
            self.dataChanged.emit(index, index, [LIVING_ROLE, UNSEEN_ROLE])


def _found_rows(pairs: list[tuple[Chat, SearchHit]]) -> list[Row]:
    rows = [_found_row(chat, hit) for chat, hit in pairs]
    return [Row("Found" if rows else "Nothing found"), *rows]


def _found_row(chat: Chat, hit: SearchHit) -> Row:
    title = chat.title or "New chat"
    if hit.message_id is None or hit.snippet == title:  # the title says it all
        return Row(title, chat.id, hit.message_id, title_marks=hit.marks)
    return Row(title, chat.id, hit.message_id, hit.snippet, hit.marks, hit.title_marks)


Key = tuple[str, str]


def _steps(before: list[Key], after: list[Key]) -> list[tuple[str, int, int]] | None:
    """How one list of keys becomes the other, a row at a time; None where that takes too many.

    Each step is ("remove", at, 0), ("insert", at, 0) or ("move", to, from).
    """
    wanted, rows = set(after), list(before)
    steps: list[tuple[str, int, int]] = []
    for at in reversed(range(len(rows))):
        if rows[at] not in wanted:
            del rows[at]
            steps.append(("remove", at, 0))
            if len(steps) > MOST_STEPS:
                return None
    there = set(rows)
    for at, key in enumerate(after):
        if at < len(rows) and rows[at] == key:
            continue
        if key in there:
            other = rows.index(key, at)
            rows.insert(at, rows.pop(other))
            steps.append(("move", at, other))
        else:
            rows.insert(at, key)
            steps.append(("insert", at, 0))
        if len(steps) > MOST_STEPS:
            return None
    return steps
