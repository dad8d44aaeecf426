"""What the tabs say: the chat's title, a dot for its answer, a line where the keys go."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractButton

from app.chats.chat import Chat
from app.language import tr
from app.ui.style.icons import badge, dot
from app.ui.style.theme import repolish, theme
from app.ui.widgets.plain import plain_tip
from app.ui.window.docks import Docks


class TabMarks(QObject):
    """Keeps the tabs of all docks up to date with their chats."""

    def __init__(self, docks: Docks, parent: QObject) -> None:
        super().__init__(parent)
        self._docks = docks
        self._alpha = 255
        theme().changed.connect(self._on_theme)

    def follow(self, chat: Chat) -> None:
        """Show the chat's title in its tab, also when it changes."""
        chat.chat_changed.connect(self._on_chat_changed)
        self._show_title(chat.id)

    def let_go(self, chat: Chat) -> None:
        chat.chat_changed.disconnect(self._on_chat_changed)

    def show_dot(self, chat_id: str) -> None:
        """A living dot while the chat answers, a still one when it has ended unseen."""
        dock = self._docks.get(chat_id)
        if dock is None:
            return
        chat, accent = dock.pane.chat, theme().tokens.accent
        words = chat.title
        if waiting := chat.tools.waiting:
            words = tr("{title}, waits for your answer", title=chat.title)
            dock.widget.setIcon(badge(waiting, accent, theme().tokens.accent_text))
        elif chat.answering:
            words = tr("{title}, answering", title=chat.title)
            dock.widget.setIcon(dot(accent, self._alpha))
        elif chat.unseen:
            words = tr("{title}, finished, not read yet", title=chat.title)
            dock.widget.setIcon(dot(accent, 255))
        elif not dock.widget.icon().isNull():
            dock.widget.setIcon(QIcon())
        tab = dock.widget.tabWidget()
        if tab.accessibleName() != words:
            tab.setAccessibleName(words)

    def show_keys(self, chat_id: str, *, active: bool) -> None:
        """The accent below a tab says where the keys go, as the ring of the composer does."""
        dock = self._docks.get(chat_id)
        if dock is not None:
            tab = dock.widget.tabWidget()
            tab.setProperty("keys", active)
            repolish(tab)

    @Slot(int)
    def on_beat(self, alpha: int) -> None:
        """Move the living dots."""
        self._alpha = alpha
        for dock in self._docks.all():
            if dock.pane.chat.answering and not dock.closed:
                self.show_dot(dock.pane.chat.id)

    @Slot(str)
    def on_activity(self, chat_id: str) -> None:
        self.show_dot(chat_id)

    def _show_title(self, chat_id: str) -> None:
        dock = self._docks[chat_id]
        title = dock.pane.chat.title
        dock.widget.setWindowTitle(title.replace("&", "&&"))
        dock.widget.setTabToolTip(plain_tip(title))
        dock.pane.setAccessibleName(title)
        for button in dock.widget.tabWidget().findChildren(QAbstractButton):
            button.setAccessibleName(tr("Close {title}", title=title))
        self.show_dot(chat_id)

    @Slot()
    def _on_chat_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and self._docks.get(chat.id) is not None:
            self._show_title(chat.id)

    @Slot()
    def _on_theme(self) -> None:
        for dock in self._docks.all():
            self.show_dot(dock.pane.chat.id)
