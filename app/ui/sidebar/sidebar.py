"""The list of saved chats at the left, with the search above it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from app.chats.library import ChatLibrary
from app.language import counted, number, tr
from app.ui.sidebar.chat_list import ChatListModel
from app.ui.sidebar.list_view import ChatListView
from app.ui.sidebar.organiser import Organiser
from app.ui.sidebar.search_filters import SearchFilters
from app.ui.sidebar.trash_button import TrashButton
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.keys import native


class Sidebar(QFrame):
    """Search, then the chats. One click opens or brings forward.

    Signals:
        opened(id, message_id, words): a chat was chosen; with a search, the message that has its
            words, and these; otherwise both are "".
        opened_beside(id): the same, at the right of the active pane.
        deleted(id), several_deleted(ids): the person deletes it, or them.
        new_asked(), fold_asked(), menu_asked(at): the buttons at the top.
        trash_asked(): the entry at the foot.
        export_asked(ids): the person takes these out of the program.
    """

    opened = Signal(str, str, str)
    opened_beside = Signal(str)
    deleted = Signal(str)
    several_deleted = Signal(list)
    new_asked = Signal()
    fold_asked = Signal()
    menu_asked = Signal(QPoint)
    trash_asked = Signal()
    export_asked = Signal(list)

    def __init__(
        self, library: ChatLibrary, parent: QWidget | None = None, *, menu: bool = True
    ) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAccessibleName(tr("Sidebar"))
        self.setFixedWidth(t.SIDEBAR)
        self.model = ChatListModel(library, self)
        self.organiser = Organiser(library, self)
        self.menu_button = IconButton("list", tr("Menu  F10"), self)
        self.menu_button.setVisible(menu)
        fold = IconButton("sidebar", tr("Hide the sidebar  Ctrl+B"), self)
        new = IconButton("note-pencil", tr("New chat  Ctrl+N"), self)
        self.search = QLineEdit(self)
        self.search.setObjectName("search")
        self.search.setPlaceholderText(tr("Search chats"))
        self.search.setAccessibleName(tr("Search all chats"))
        self.search.setClearButtonEnabled(False)
        self.search.setToolTip(tr("Search all chats  {keys}", keys=native("Ctrl+Shift+F")))
        self._glass = QAction(tr("Search"), self)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.filters = SearchFilters(self.search, library)
        self.list = ChatListView(self.model, self)
        self.list.opened.connect(self._on_open)
        self.list.delete_asked.connect(self._on_delete)
        self.list.customContextMenuRequested.connect(self._on_context_menu)
        self.model.dropped.connect(self.organiser.drop, Qt.ConnectionType.QueuedConnection)
        self.organiser.made.connect(self._on_folder_made)
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self.menu_button)
        top.addWidget(fold)
        top.addStretch(1)
        top.addWidget(new)
        head = QVBoxLayout()
        head.setContentsMargins(10, 4, 10, 4)
        head.setSpacing(8)
        head.addLayout(top)
        head.addWidget(self.search)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 1, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        self.trash = TrashButton(self)
        self.trash.clicked.connect(self.trash_asked)
        layout.addWidget(self.trash)
        layout.addSpacing(6)
        self._then = False  # open the first hit as soon as there is one
        self.model.answered.connect(self._on_answered)
        self._wait = QTimer(self, singleShot=True, interval=120)
        self._wait.timeout.connect(self._on_search)
        self.search.textChanged.connect(self._wait.start)
        self.search.installEventFilter(self)
        new.clicked.connect(self.new_asked)
        fold.clicked.connect(self.fold_asked)
        self.menu_button.clicked.connect(self._on_menu_button)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def add_part(self, part: QWidget) -> None:
        """Put something between the chats and the foot."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.trash), part)

    def set_current(self, chat_id: str) -> None:
        """Mark the chat that has the keys."""
        if self.list.delegate.current != chat_id:
            self.list.delegate.current = chat_id
            self.list.viewport().update()

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def enter(self) -> None:
        """Give the keys to the list, at the chat that is shown."""
        self.model.reveal(self.list.delegate.current)
        at = self.model.row_of(self.list.delegate.current)
        self.list.setCurrentIndex(at if at.isValid() else self.model.index(1))
        self.list.setFocus(Qt.FocusReason.TabFocusReason)

    def focused_chat(self) -> str:
        """The chat of the row that has the keys; "" while the list has not."""
        row = self.model.row(self.list.currentIndex()) if self.list.hasFocus() else None
        return row.chat_id if row is not None else ""

    def chosen_chats(self) -> list[str]:
        """The chats of the chosen rows, if the list has the keys."""
        return self.list.chosen() if self.list.hasFocus() else []

    def rename(self, chat_id: str) -> None:
        """Let the person write another title in the row of the chat (or folder)."""
        self.model.reveal(chat_id)
        index = self.model.row_of(chat_id)
        if index.isValid() and self.list.findChild(QLineEdit, "rename") is None:
            self.list.setCurrentIndex(index)
            self.list.edit(index)

    @Slot(int)
    def on_beat(self, alpha: int) -> None:
        """Move the living dots."""
        self.list.delegate.alpha = alpha
        self.model.beat()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            down = key == Qt.Key.Key_Down
            if (
                watched is self.search
                and down
                and event.modifiers() & Qt.KeyboardModifier.AltModifier
            ):
                self.filters.open()
                return True
            if watched is self.search and self._search_key(key):
                return True
        return super().eventFilter(watched, event)

    def _search_key(self, key: int) -> bool:
        if key == Qt.Key.Key_Escape:
            self.search.clear()
            return True
        if key in {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.search.text():
            self._wait.stop()
            self._on_search()
        if key == Qt.Key.Key_Down:
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            self.list.setCurrentIndex(self.model.index(1))
            return True
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._then = self.model.waits
            if not self._then:
                self._on_open(self.model.index(1))
            return True
        return False

    @Slot()
    def _on_answered(self) -> None:
        if self._then:
            self._then = False
            self._on_open(self.model.index(1))
        elif self.list.hasFocus() and not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self.model.index(1))

    @Slot()
    def _on_delete(self) -> None:
        """Delete what is chosen: chats, or the folder that has the keys."""
        at, ids = self.list.currentIndex().row(), self.list.chosen()
        entry = self.model.entry(self.list.currentIndex())
        if entry is not None and entry.kind == "folder":
            self.organiser.delete_folder(entry.id)
        elif len(ids) > 1:
            self.several_deleted.emit(ids)
        elif entry is not None and entry.kind == "chat":
            self.deleted.emit(entry.id)
        else:
            return
        self._stay_at(at)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)  # a pane that closes takes the keys

    def _stay_at(self, row: int) -> None:
        """Let the keys be at the chat that has come into this place, else at the one above."""
        for at in [row, row + 1, *range(row - 1, 0, -1)]:
            there = self.model.row(self.model.index(at))
            if there is not None and there.chat_id:
                self.list.setCurrentIndex(self.model.index(at))
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(self.width() - 1, 0, 1, self.height(), theme().color("border"))

    @Slot(str)
    def _on_folder_made(self, folder_id: str) -> None:
        self.list.setCurrentIndex(self.model.row_of(folder_id))

    @Slot()
    def _on_search(self) -> None:
        self._then = False
        query = self.search.text().strip()
        if not query:
            self.list.set_uniform(True)
        self.model.set_query(query)

    @Slot(QModelIndex)
    def _on_open(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None and row.folder_id:
            self.model.fold(row.folder_id)
            self.list.setCurrentIndex(self.model.row_of(row.folder_id))
        elif row is not None and row.chat_id:
            self.opened.emit(row.chat_id, row.message_id or "", self.model.words)

    @Slot(QPoint)
    def _on_context_menu(self, at: QPoint) -> None:
        entry = self.model.entry(self.list.indexAt(at))
        if entry is None or entry.kind == "heading":
            menu = QMenu(self)
            menu.addAction(tr("New Folder…"), self.organiser.new_folder)
        elif entry.kind == "folder":
            menu = self.organiser.folder_menu(entry.id, lambda: self.rename(entry.id))
        elif entry.kind == "archive":
            menu = QMenu(self)
            words = tr("Fold") if entry.id in self.model.unfolded else tr("Unfold")
            menu.addAction(words, lambda: self.model.fold(entry.id))
        else:
            chosen = self.list.chosen()
            menu = self._chat_menu(entry.id, chosen if entry.id in chosen else [entry.id])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _chat_menu(self, chat_id: str, ids: list[str]) -> QMenu:
        menu = QMenu(self)
        if len(ids) == 1:
            menu.addAction(tr("Open"), lambda: self.opened.emit(chat_id, "", ""))
            menu.addAction(tr("Open Beside"), lambda: self.opened_beside.emit(chat_id))
            menu.addSeparator()
            menu.addAction(tr("Rename…"), lambda: self.rename(chat_id))
        self.organiser.add_to(menu, ids)
        menu.addSeparator()
        menu.addAction(tr("Export…"), lambda: self.export_asked.emit(ids))
        n, count = len(ids), number(len(ids))
        several = counted("Delete {count} Chat", "Delete {count} Chats", n, count=count)
        menu.addAction(tr("Delete") if n == 1 else several, lambda: self._delete(ids))
        return menu

    def _delete(self, ids: list[str]) -> None:
        if len(ids) > 1:
            self.several_deleted.emit(ids)
        else:
            self.deleted.emit(ids[0])

    @Slot()
    def _on_menu_button(self) -> None:
        below = QPoint(0, self.menu_button.height() + 4)
        self.menu_asked.emit(self.menu_button.mapToGlobal(below))

    @Slot()
    def _on_theme(self) -> None:
        self._glass.setIcon(icon("magnifying-glass", theme().tokens.muted))
        self.update()
