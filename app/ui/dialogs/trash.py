"""The trash: chats that were deleted, to be brought back or erased for good."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.chats.library import ChatLibrary
from app.language import counted, tr
from app.store import Chat
from app.ui.dialogs.two_lines import TwoLines

DAYS = 30
_DAY = 86_400


class TrashDialog(QDialog):
    """Lists deleted chats. Erasing asks once, in the dialog itself: it cannot be undone."""

    def __init__(
        self, library: ChatLibrary, parent: QWidget, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self.setObjectName("trash-dialog")
        self.setWindowTitle(tr("Trash"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._library = library
        self._clock = clock
        self._chats: dict[str, Chat] = {}
        self._asked: list[str] = []
        self.words = QLabel(self)
        self.words.setProperty("muted", True)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.list = TwoLines(tr("Deleted chats"), self, several=True)
        self.list.installEventFilter(self)
        self.list.itemSelectionChanged.connect(self._on_chosen)
        self.list.itemDoubleClicked.connect(self.restore)
        self.question = QLabel(self)
        self.question.setWordWrap(True)
        self.question.setTextFormat(Qt.TextFormat.PlainText)
        self.restore_button = self._push_button(tr("Restore"), self.restore)
        self.erase_button = self._push_button(tr("Delete Now"), self.ask_to_erase)
        self.empty_button = self._push_button(tr("Empty Trash"), self.ask_to_empty)
        self.close_button = self._push_button(tr("Close"), self.close)
        self.keep_button = self._push_button(tr("Keep"), self._forget_question)
        self.sure_button = self._push_button(tr("Erase for Good"), self.erase)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        self._buttons.addWidget(self.empty_button)
        self._buttons.addStretch(1)
        for button in (self.erase_button, self.restore_button, self.close_button):
            self._buttons.addWidget(button)
        self._buttons.addWidget(self.keep_button)
        self._buttons.addWidget(self.sure_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(10)
        layout.addWidget(self.words)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.question)
        layout.addSpacing(2)
        layout.addLayout(self._buttons)
        self.resize(520, 460)
        library.trash_changed.connect(self.refresh)
        self.refresh()

    def _push_button(self, words: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: act())
        return button

    @Slot()
    def refresh(self) -> None:
        """Show what is in the trash now."""
        self._chats = {chat.id: chat for chat in self._library.trash()}
        now = self._clock()
        self.list.fill([(c.id, c.shown_title, _when(c, now)) for c in self._chats.values()])
        if self._chats:
            words = counted(
                "Deleted chats stay here for %n day. Then they are erased for good.",
                "Deleted chats stay here for %n days. Then they are erased for good.",
                DAYS,
            )
        else:
            words = tr("The trash is empty.")
        left = self._library.unscrubbed()
        if left:
            words += "\n" + tr(
                "Damaged files that were set aside may still hold text of erased chats: {files}",
                files=", ".join(left),
            )
        self.words.setText(words)
        self._forget_question()

    @Slot()
    def restore(self) -> None:
        """Bring the chosen chats back into the list."""
        for chat_id in self.list.chosen():
            self._library.restore(chat_id)

    def ask_to_erase(self) -> None:
        """Ask whether the chosen chats are to go for good."""
        self._ask(self.list.chosen())

    def ask_to_empty(self) -> None:
        """Ask whether all are to go."""
        self._ask(list(self._chats))

    def erase(self) -> None:
        """What was asked about goes."""
        asked, self._asked = self._asked, []
        self._library.erase(asked)

    def _ask(self, ids: list[str]) -> None:
        if not ids:
            return
        self._asked = ids
        one = self._chats[ids[0]].shown_title
        if len(ids) == 1:
            words = tr(
                "Erase “{title}” for good, from backups too? This cannot be taken back.", title=one
            )
        else:
            words = counted(
                "Erase %Ln chat for good, from backups too? This cannot be taken back.",
                "Erase %Ln chats for good, from backups too? This cannot be taken back.",
                len(ids),
            )
        self.question.setText(words)
        self._show_buttons()
        self.keep_button.setFocus()

    @Slot()
    def _forget_question(self) -> None:
        self._asked = []
        self.question.clear()
        self._show_buttons()

    @Slot()
    def _on_chosen(self) -> None:
        if self._asked:
            self._forget_question()
        else:
            self._show_buttons()

    def _show_buttons(self) -> None:
        asked, some = bool(self._asked), bool(self.list.chosen())
        self.question.setVisible(asked)
        for button in (self.keep_button, self.sure_button):
            button.setVisible(asked)
        for button in (self.empty_button, self.erase_button, self.restore_button):
            button.setVisible(not asked and bool(self._chats))
        self.close_button.setVisible(not asked)
        self.list.setVisible(bool(self._chats))
        for button in (self.erase_button, self.restore_button):
            button.setEnabled(some)
            button.setToolTip("" if some else tr("Choose a chat first"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.list and isinstance(event, QKeyEvent):
            pressed = event.type() == QEvent.Type.KeyPress
            if pressed and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self.restore()
                return True
            if pressed and event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
                self.ask_to_erase()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._asked:
            self._forget_question()
        else:
            super().keyPressEvent(event)


def _when(chat: Chat, now: float) -> str:
    """ "Deleted 3 days ago · erased in 27 days"."""
    deleted = chat.deleted_at or now
    days = max(0, int((now - deleted) // _DAY))
    ago = counted("Deleted %n day ago", "Deleted %n days ago", days)
    if days < 2:
        ago = tr("Deleted yesterday") if days else tr("Deleted today")
    left = DAYS - days
    goes = counted("erased in %n day", "erased in %n days", left)
    if left < 2:
        goes = tr("erased tomorrow") if left == 1 else tr("erased today")
    return f"{ago} · {goes}"
