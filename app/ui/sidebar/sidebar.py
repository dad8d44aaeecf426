"""The sidebar: search filters, the list of chats, and the trash."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.chats.library import ChatLibrary
from app.settings.language import counted, number, tr
from app.store.filters import WORD
from app.ui.sidebar.chat_list import ChatListModel, ChatListView
from app.ui.sidebar.sidebar_organizer import SidebarOrganizer
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import scale_height, theme, ui_font
from app.ui.widgets.buttons import IconButton, PaintedButton
from app.ui.widgets.fields import make_search_field
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout
from app.ui.widgets.menus import add_action, make_menu, pop_below
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.widget_behavior import insert_shortcut

MOST = 20  # limit of folders, tags or models in the menu; the user can type any others


class SearchFilters(QObject):
    def __init__(self, field: QLineEdit, library: ChatLibrary) -> None:
        super().__init__(field)
        self._field = field
        self._library = library
        self._button = QAction(self)
        self._button.setText(tr("Filter"))
        self._button.setToolTip(tr("Filter  Alt+Down"))
        self._button.triggered.connect(self.open)
        field.addAction(self._button, QLineEdit.ActionPosition.TrailingPosition)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    @Slot()
    def open(self) -> None:
        pop_below(self.menu(), self._field, 4)

    def menu(self) -> QMenu:
        menu = make_menu(self._field)
        order, chats = self._library.order, self._library.chats()
        models = {self._library.loader.get(chat.model).name for chat in chats if chat.model}
        for words, name, values in (
            (tr("Folder"), "in", [folder.name for folder in order.folders()]),
            (tr("Tag"), "tag", order.tags()),
            (tr("Model"), "model", sorted(models)),
        ):
            if values:
                part = menu.addMenu(words)
                for value in values[:MOST]:
                    self._offer(part, value, f"{name}:{quote_value(value)}")
        if not menu.isEmpty():
            menu.addSeparator()
        self._offer(menu, tr("From Me"), "from:me")
        self._offer(menu, tr("From the Model"), "from:model")
        menu.addSeparator()
        self._offer(menu, tr("Since Yesterday"), "after:yesterday")
        self._offer(menu, tr("Previous 7 Days"), "after:week")
        self._offer(menu, tr("Previous 30 Days"), "after:month")
        self._offer(menu, tr("Before This Year"), f"before:{time.localtime().tm_year}")
        menu.addSeparator()
        self._offer(menu, tr("Pinned"), "is:pinned")
        self._offer(menu, tr("Archived"), "is:archived")
        return menu

    def _offer(self, menu: QMenu, words: str, written: str) -> None:
        add_action(menu, words, partial(self.add, written)).setToolTip(written)

    def add(self, written: str) -> None:
        name = written.partition(":")[0] + ":"
        rest = _remove_filter(self._field.text(), name)
        self._field.setText(f"{rest} {written} ".lstrip())
        self._field.setFocus()

    @Slot()
    def _on_theme(self) -> None:
        self._button.setIcon(icon("funnel", theme().tokens.muted))


def quote_value(value: str) -> str:
    plain = value.replace('"', "")
    return f'"{plain}"' if " " in plain else plain


def _remove_filter(text: str, name: str) -> str:
    remaining = WORD.sub(lambda match: "" if match[0].lower().startswith(name) else match[0], text)
    return " ".join(remaining.split())


class Rail(QFrame):
    menu_requested = Signal(QPoint)  # (position)

    def __init__(self, parent: QWidget | None = None, *, menu: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setAccessibleName(tr("Collapsed sidebar"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.menu_button = IconButton("list", tr("Menu  F10"), self)
        self.menu_button.setVisible(menu)
        self.unfold = IconButton("sidebar", tr("Show Sidebar  Ctrl+B"), self)
        self.new = IconButton("note-pencil", tr("New Chat  Ctrl+N"), self)
        buttons = (self.menu_button, self.unfold, self.new)
        make_column_layout(*buttons, SPRING, of=self, margins=(8, 4, 8, 8), spacing=4)
        self.menu_button.clicked.connect(self._on_menu_button)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        row = RowPainter.for_widget(self)
        edge = row.to_visual(QRect(self.width() - 1, 0, 1, self.height()))
        row.painter.fillRect(edge, theme().color("border"))

    @Slot()
    def _on_menu_button(self) -> None:
        offset = QPoint(self.menu_button.width() + 8, 0)
        self.menu_requested.emit(self.menu_button.mapToGlobal(offset))


class TrashButton(PaintedButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(tr("Trash"))
        self.setToolTip(tr("Deleted chats"))
        self.setAccessibleName(tr("Trash"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._on_theme()
        theme().changed.connect(self._on_theme)

    def sizeHint(self) -> QSize:
        return QSize(100, scale_height(t.ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = RowPainter.for_widget(self, 16, 8), theme().tokens
        over = self.underMouse() or self.isDown()
        ground = tokens.pressed if self.isDown() else tokens.hover
        row.ground(row.inner(8), ground if over else "", ring=self.hasFocus(), radius=7)
        color = tokens.text if over else tokens.muted
        row.icon("trash", color, 8)
        row.text(self.text(), color, font=ui_font(t.UI_PX))

    @Slot()
    def _on_theme(self) -> None:
        self.setFixedHeight(scale_height(t.ROW))
        self.update()


class Sidebar(QFrame):
    # (chat ID, message ID, query), the latter two "" outside of a search
    chat_opened = Signal(str, str, str)
    # (chat ID): open it to the right of the active pane
    chat_opened_beside = Signal(str)
    open_together_requested = Signal(list)  # (chat IDs): open them side by side
    # (chat ID)
    chat_deleted = Signal(str)
    delete_several_requested = Signal(list)
    menu_requested = Signal(QPoint)  # (position)
    export_requested = Signal(list)  # (chat IDs)
    search_cleared = Signal()

    def __init__(
        self, library: ChatLibrary, parent: QWidget | None = None, *, menu: bool = True
    ) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAccessibleName(tr("Sidebar"))
        self.setFixedWidth(t.SIDEBAR)
        self.model = ChatListModel(library, self)
        self.organizer = SidebarOrganizer(library, self)
        self.menu_button = IconButton("list", tr("Menu  F10"), self)
        self.menu_button.setVisible(menu)
        self.fold = IconButton("sidebar", tr("Hide Sidebar  Ctrl+B"), self)
        self.new = IconButton("note-pencil", tr("New Chat  Ctrl+N"), self)
        self.search = make_search_field(self, tr("Search all chats"), tr("Search"))
        self.search.setObjectName("search")
        self._show_search_keys()
        self._search_icon = QAction(tr("Search"), self)
        self.search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self.filters = SearchFilters(self.search, library)
        self.list = ChatListView(self.model, self)
        self.list.entry_opened.connect(self._on_open)
        self.list.delete_requested.connect(self._on_delete)
        self.list.customContextMenuRequested.connect(self._on_context_menu)
        self.model.dropped.connect(self.organizer.move_dropped, Qt.ConnectionType.QueuedConnection)
        self.organizer.folder_created.connect(
            lambda folder_id: self.list.setCurrentIndex(self.model.row_of(folder_id))
        )
        self.organizer.tags_requested.connect(self._edit_tags)
        self.trash = TrashButton(self)
        top = make_row_layout(self.menu_button, self.fold, SPRING, self.new, spacing=2)
        head = make_column_layout(top, self.search, margins=(10, 4, 10, 4))
        make_column_layout(
            head, (self.list, 1), self.trash, 6, of=self, margins=(0, 0, 1, 0), spacing=2
        )
        self._opens_first_hit = False  # open the first result as soon as it arrives
        self.model.results_received.connect(self._on_answered)
        self._search_timer = QTimer(self, singleShot=True, interval=120)
        self._search_timer.timeout.connect(self._on_search)
        self.search.textChanged.connect(self._search_timer.start)
        self.search.installEventFilter(self)
        self.menu_button.clicked.connect(self._on_menu_button)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def add_part(self, part: QWidget) -> None:
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.trash), part)

    def set_current(self, chat_id: str) -> None:
        if self.list.delegate.current != chat_id:
            self.list.delegate.current = chat_id
            self.list.viewport().update()

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def focus_list(self) -> None:
        self.model.reveal(self.list.delegate.current)
        at = self.model.row_of(self.list.delegate.current)
        self.list.setCurrentIndex(at if at.isValid() else self.model.index(1))
        self.list.setFocus(Qt.FocusReason.TabFocusReason)

    def focused_chat(self) -> str:
        row = self.model.row(self.list.currentIndex()) if self.list.hasFocus() else None
        return row.chat_id if row is not None else ""

    def focused_fold(self) -> str:
        entry = self.model.entry(self.list.currentIndex()) if self.list.hasFocus() else None
        return entry.id if entry is not None and entry.kind in {"folder", "group"} else ""

    def selected_chats(self) -> list[str]:
        return self.list.selected_ids() if self.list.hasFocus() else []

    @Slot(str, str, object)
    def _edit_tags(self, chat_id: str, tags: str, on_done: Callable[[str], object]) -> None:
        if self.list.findChild(QLineEdit, "rename") is None:
            self.list.delegate.tags = tags, on_done
            self.rename(chat_id)
            self.list.delegate.tags = None  # in case there was no row to edit

    def rename(self, chat_id: str) -> None:
        """Edit the title of a chat, folder or group in its row."""
        self.model.reveal(chat_id)
        index = self.model.row_of(chat_id)
        if index.isValid() and self.list.findChild(QLineEdit, "rename") is None:
            before = QApplication.focusWidget()
            self.list.setCurrentIndex(index)
            self.list.edit(index)
            if (editor := self.list.findChild(QLineEdit, "rename")) is not None:
                editor.destroyed.connect(partial(self._restore_focus, before))

    def _restore_focus(self, before: QWidget | None) -> None:
        """Move the focus back after renaming, because Delete in the list would delete the chat."""
        if before is not None and isValid(before) and self.list.hasFocus():
            before.setFocus()

    @Slot(int)
    def set_dot_opacity(self, alpha: int) -> None:
        self.list.delegate.alpha = alpha
        self.model.repaint_dots()

    def _show_search_keys(self) -> None:
        self.search.setToolTip(insert_shortcut(f"{tr('Search all chats')}  Ctrl+Shift+F"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self._show_search_keys()  # the shortcut may have changed
        return (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and self._search_key(event)
        )

    def _search_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key == Qt.Key.Key_Down and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.filters.open()
            return True
        if key == Qt.Key.Key_Escape:
            self.search.clear()
            return True
        if key in {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.search.text():
            self._search_timer.stop()
            self._on_search()
        if key == Qt.Key.Key_Down:
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            # Without results for this query, select nothing.
            self.list.setCurrentIndex(
                QModelIndex() if self.model.is_searching else self.model.index(1)
            )
            return True
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._on_open(QModelIndex() if self.model.is_searching else self.model.index(1))
            return True
        return False

    @Slot()
    def _on_answered(self) -> None:
        if self._opens_first_hit:
            self._opens_first_hit = False
            self._on_open(self.model.index(1))
        elif self.list.hasFocus() and not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self.model.index(1))

    @Slot()
    def _on_delete(self) -> None:
        at, ids = self.list.currentIndex().row(), self.list.selected_ids()
        entry = self.model.entry(self.list.currentIndex())
        if entry is not None and entry.kind == "folder":
            self.organizer.delete_folder(entry.id)
        elif len(ids) > 1:
            self.delete_several_requested.emit(ids)
        elif entry is not None and entry.kind == "chat":
            self.chat_deleted.emit(entry.id)
        else:
            return
        self._select_near(at)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)  # closing a pane moves the focus

    def _select_near(self, row: int) -> None:
        for at in [row, row + 1, *range(row - 1, 0, -1)]:
            entry = self.model.row(self.model.index(at))
            if entry is not None and entry.chat_id:
                self.list.setCurrentIndex(self.model.index(at))
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(self.width() - 1, 0, 1, self.height(), theme().color("border"))

    @Slot()
    def _on_search(self) -> None:
        self._opens_first_hit = False
        query = self.search.text().strip()
        if not query:
            self.list.set_uniform(True)
            self.search_cleared.emit()
        self.model.set_query(query)

    @Slot(QModelIndex)
    def _on_open(self, index: QModelIndex) -> None:
        self._opens_first_hit = self.model.is_searching and not index.isValid()
        row = self.model.row(index)
        if row is not None and row.folder_id:
            self.model.fold(row.folder_id)
            self.list.setCurrentIndex(self.model.row_of(row.folder_id))
        elif row is not None and row.chat_id:
            self.chat_opened.emit(row.chat_id, row.message_id or "", self.model.words)

    @Slot(QPoint)
    def _on_context_menu(self, at: QPoint) -> None:
        entry = self.model.entry(self.list.indexAt(at))
        if entry is None or entry.kind == "heading":
            menu = make_menu(self)
            menu.addAction(tr("New Folder…"), self.organizer.new_folder)
        elif entry.kind == "folder":
            menu = self.organizer.folder_menu(entry.id, lambda: self.rename(entry.id))
        elif entry.kind == "archive":
            menu = make_menu(self)
            words = tr("Collapse") if entry.id in self.model.unfolded else tr("Expand")
            menu.addAction(words, lambda: self.model.fold(entry.id))
        elif entry.kind == "group":
            menu = self._group_menu(entry.id, self.model.chats_of(entry))
        else:
            selected_ids = self.list.selected_ids()
            menu = self._chat_menu(
                entry.id, selected_ids if entry.id in selected_ids else [entry.id]
            )
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _chat_menu(self, chat_id: str, ids: list[str]) -> QMenu:
        menu = make_menu(self)
        if len(ids) == 1:
            menu.addAction(tr("Open"), lambda: self.chat_opened.emit(chat_id, "", ""))
            menu.addAction(tr("Open to the Side"), lambda: self.chat_opened_beside.emit(chat_id))
            menu.addSeparator()
            menu.addAction(tr("Rename"), lambda: self.rename(chat_id))
        self._add_to(menu, ids)
        return menu

    def _group_menu(self, group: str, ids: list[str]) -> QMenu:
        menu = make_menu(self)
        menu.addAction(tr("Open Side by Side"), lambda: self.open_together_requested.emit(ids))
        menu.addSeparator()
        menu.addAction(tr("Rename"), lambda: self.rename(group))
        menu.addAction(tr("Ungroup"), lambda: self.organizer.ungroup(ids))
        self._add_to(menu, ids)
        return menu

    def _add_to(self, menu: QMenu, ids: list[str]) -> None:
        self.organizer.add_to(menu, ids)
        menu.addSeparator()
        menu.addAction(tr("Export…"), lambda: self.export_requested.emit(ids))
        n, count = len(ids), number(len(ids))
        several = counted(
            "Move {count} Chat to Trash", "Move {count} Chats to Trash", n, count=count
        )
        menu.addAction(tr("Move to Trash") if n == 1 else several, lambda: self._delete(ids))

    def _delete(self, ids: list[str]) -> None:
        if len(ids) > 1:
            self.delete_several_requested.emit(ids)
        else:
            self.chat_deleted.emit(ids[0])

    @Slot()
    def _on_menu_button(self) -> None:
        below = QPoint(0, self.menu_button.height() + 4)
        self.menu_requested.emit(self.menu_button.mapToGlobal(below))

    @Slot()
    def _on_theme(self) -> None:
        self._search_icon.setIcon(icon("magnifying-glass", theme().tokens.muted))
        self.update()
