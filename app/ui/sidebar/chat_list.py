"""The rows of the sidebar: headings and chats, or what a search has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)

from app.chats.library import ChatLibrary, day_group
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
    """

    text: str
    chat_id: str = ""
    message_id: str | None = None
    snippet: str = ""


ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
LIVING_ROLE = ROW_ROLE + 1
UNSEEN_ROLE = ROW_ROLE + 2


class ChatListModel(QAbstractListModel):
    """The saved chats by day, or the hits of ``query``."""

    def __init__(self, library: ChatLibrary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._query = ""
        self._rows: list[Row] = []
        library.listed.connect(self.refresh)
        library.activity.connect(self._on_activity)
        self.refresh()

    @property
    def query(self) -> str:
        return self._query

    def set_query(self, query: str) -> None:
        """Show what has these words; all chats when empty."""
        self._query = query.strip()
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
        rows = self._found() if self._query else self._grouped()
        if rows == self._rows:
            return
        if [row.chat_id for row in rows] == [row.chat_id for row in self._rows]:
            # Only words differ: a reset would take down the editor that is just renaming.
            self._rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

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

    def _found(self) -> list[Row]:
        hits = self._library.search(self._query)
        rows = [
            Row(
                chat.title or "New chat",
                chat.id,
                hit.message_id,
                " ".join(hit.snippet.split()) if hit.message_id else "",
            )
            for chat, hit in hits
        ]
        return [Row("Found" if rows else "Nothing found"), *rows]

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        index = self.row_of(chat_id)
        if index.isValid():
            self.dataChanged.emit(index, index, [LIVING_ROLE, UNSEEN_ROLE])
