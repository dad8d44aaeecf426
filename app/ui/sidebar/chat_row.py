"""Rows in the list of chats."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QAbstractItemModel, QObject, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPixmap
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionViewItem, QWidget

from app.chats.attachment_texts import format_page_numbers
from app.chats.chat_organizer import ARCHIVE
from app.settings.language import counted, number, tr
from app.store import UNTITLED, ChatRecord, SearchHit
from app.ui.style import tokens as t
from app.ui.style.theme import scale_height, scaled, theme
from app.ui.widgets.row_painter import Index, RowDelegate, RowPainter, RowState


class ChatListRow(Struct, frozen=True):
    text: str
    chat_id: str = ""
    message_id: str | None = None  # message that matched the search
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    title_marks: tuple[tuple[int, int], ...] = ()
    # see `ListEntry.kind`
    kind: str = "heading"
    depth: int = 0
    folder_id: str = ""  # ID of the folder, or ARCHIVE
    count: int = 0  # chats inside
    unfolded: bool = False
    tags: tuple[str, ...] = ()
    # file and page of a match, or the folder of a pinned chat
    place: str = ""
    holds: tuple[str, ...] = ()  # IDs of chats in a folded group

    @property
    def end_texts(self) -> list[str]:
        sorted_by = [] if self.snippet else [f"#{tag}" for tag in self.tags]
        return [*([self.place] if self.place else []), *sorted_by]


ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
LIVING_ROLE = ROW_ROLE + 1
UNSEEN_ROLE = ROW_ROLE + 2
WAITING_ROLE = ROW_ROLE + 3
"""Number of tool calls in the row's chats that need the user's decision."""


def found_row(chat: ChatRecord, hit: SearchHit) -> ChatListRow:
    title, own_title = chat.display_title, chat.title or tr(UNTITLED)
    row = ChatListRow(title, chat.id, hit.message_id, kind="chat", tags=chat.tags)
    if hit.message_id is None or hit.snippet == own_title:  # only the title matched
        return replace(row, title_marks=hit.marks)
    page = f", {format_page_numbers(hit.unit, [hit.page])}" if hit.file and hit.unit else ""
    where = replace(row, place=f"{hit.file}{page}", title_marks=hit.title_marks)
    return replace(where, snippet=hit.snippet, marks=hit.marks)


def accessible_name(row: ChatListRow, *, living: bool, unseen: bool, waiting: bool = False) -> str:
    """Return the name with the chat's state, e.g. "Trees, replying"."""
    if row.kind == "heading":
        return row.text
    parts = [row.text]
    if row.kind != "chat":
        group = tr("group", "of chats that were asked together")
        kinds = {"folder": tr("folder"), "group": group}
        parts.append(kinds.get(row.kind, tr("archived chats")))
        parts.append(counted("%Ln chat", "%Ln chats", row.count))
        parts.append(tr("expanded") if row.unfolded else tr("collapsed"))
    if waiting:
        parts.append(tr("waits for your answer"))
    elif living:
        parts.append(tr("replying"))
    elif unseen:
        parts.append(tr("unread"))
    return ", ".join(parts)


def accessible_description(row: ChatListRow, chat: ChatRecord | None, *, opened: bool) -> str:
    parts = list(filter(None, (row.place, row.snippet)))
    if opened:
        parts.append(tr("open", "it stands in a pane"))
    if chat is not None:
        parts += [tr("pinned")] if chat.pinned_at is not None else []
        parts += [tr("archived")] if chat.archived_at is not None else []
        parts += [tr("tagged {tags}", tags=", ".join(chat.tags))] if chat.tags else []
    return ", ".join(parts)


INDENT = 20  # per folder level, in pixels


def row_state(
    row: ChatListRow,
    *,
    waiting: int = 0,
    living: bool = False,
    unseen: bool = False,
    current: bool = False,
) -> RowState:
    """Return what to paint. Folders have a count in place of tags."""
    if row.kind == "heading":
        return RowState(row.text, px=t.TINY_PX, weight=QFont.Weight.DemiBold, color="muted")
    folder = bool(row.folder_id)
    count = number(row.count) if row.count else ""
    return RowState(
        row.text,
        weight=QFont.Weight.Medium if current else QFont.Weight.Normal,
        color="muted" if row.folder_id == ARCHIVE else "text",
        marks=row.title_marks,
        indent=scaled(INDENT) * row.depth,
        unfolded=row.unfolded if folder else None,
        badge_icon=waiting,
        dot=living or unseen,
        ring=living,
        end=count if folder else "  ".join(row.end_texts),
        end_px=t.SMALL_PX if folder else t.TINY_PX,
        title_first=not folder and not row.place,
        # For search results, don't cut off the page number.
        end_elide=Qt.TextElideMode.ElideMiddle if row.snippet else Qt.TextElideMode.ElideRight,
        below=row.snippet or None,
        below_marks=row.marks,
    )


class TagsEditor(QLineEdit):
    def __init__(self, tags: str, on_done: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(tags, parent)
        self.done = on_done
        self.setPlaceholderText(tr("Tags, separated by commas"))
        self.setAccessibleName(tr("Tags, separated by commas"))


class ChatDelegate(RowDelegate):
    PADDING = 8

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, self._state, inset=8)
        self.current = ""
        self.several = False  # multiple rows are selected
        # if the next editor edits tags: the tags, and a function that gets the edited text
        self.tags: tuple[str, Callable[[str], object]] | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: ChatListRow = index.data(ROW_ROLE)
        return QSize(100, scale_height(50, 2)) if row.snippet else super().sizeHint(option, index)

    def dot_area(self, view: QWidget, row: QRect) -> QRect:
        return QStyle.visualRect(
            view.layoutDirection(), row, row.adjusted(row.width() - 26, 0, 0, 0)
        )

    def _state(self, index: Index) -> RowState:
        row: ChatListRow = index.data(ROW_ROLE)
        return row_state(
            row,
            waiting=index.data(WAITING_ROLE) or 0,
            living=bool(index.data(LIVING_ROLE)),
            unseen=bool(index.data(UNSEEN_ROLE)),
            current=self._is_current(row),
        )

    def _is_current(self, row: ChatListRow) -> bool:
        return bool(self.current) and (row.chat_id == self.current or self.current in row.holds)

    def paint_ground(self, row: RowPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        item: ChatListRow = index.data(ROW_ROLE)
        if isinstance(row.painter.device(), QPixmap):
            # Dragged rows. Without a compositor, transparent parts would be black.
            row.painter.fillRect(option.rect, theme().color("surface"))
        if item.kind == "heading":
            row.line.adjust(0, 4, 0, 0)
            return False
        if self._is_current(item):
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            row.ground(row.line, theme().tokens.pressed, ring=focused, radius=7)
            return True
        if not self.several:
            option.state &= ~QStyle.StateFlag.State_Selected
        super().paint_ground(row, option, index)
        return False

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent) if self.tags is None else TagsEditor(*self.tags, parent)
        editor.setObjectName("rename")
        self.tags = None
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if not isinstance(editor, TagsEditor):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, TagsEditor):
            editor.done(editor.text())
        else:
            super().setModelData(editor, model, index)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(8, 1, -8, -1))
