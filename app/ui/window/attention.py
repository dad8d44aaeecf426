"""An answer has ended while the person looked elsewhere: the window asks for a glance."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from app.chats.library import ChatLibrary


class Attention(QObject):
    """Counts the chats whose answers ended while another program was in front.

    The taskbar or the Dock is told as the system does it (a flash, a bounce, a number), and the
    title carries the number for those that show nothing else. Looking at the window ends it.
    """

    def __init__(self, window: QWidget, library: ChatLibrary) -> None:
        super().__init__(window)
        self._window = window
        self._title = window.windowTitle()
        self._library = library
        self._answering: set[str] = set()
        self._ended: set[str] = set()
        library.activity.connect(self._on_activity)
        QApplication.instance().applicationStateChanged.connect(self._on_state)  # type: ignore[union-attr]

    def set_title(self, title: str) -> None:
        """Give the window a title, with the number before it."""
        self._title = title
        self._tell()

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        if chat is not None and chat.answering:
            self._answering.add(chat_id)
        elif chat_id in self._answering:
            self._answering.discard(chat_id)
            if QGuiApplication.applicationState() != Qt.ApplicationState.ApplicationActive:
                self._ended.add(chat_id)
                QApplication.alert(self._window)
                self._tell()

    @Slot(Qt.ApplicationState)
    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive and self._ended:
            self._ended.clear()
            self._tell()

    def _tell(self) -> None:
        count = len(self._ended)
        self._window.setWindowTitle(f"({count}) {self._title}" if count else self._title)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.setBadgeNumber(count)
