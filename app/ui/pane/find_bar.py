"""Find in this chat: a line below the pane's header."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from app.chats.chat import Chat
from app.language import tr
from app.store.plain import shown_text
from app.ui.style.theme import theme
from app.ui.transcript.transcript_view import TranscriptView
from app.ui.widgets.buttons import IconButton


class FindBar(QWidget):
    """Looks for words in the shown messages, the newest first, and leads from one to the next.

    Signals:
        closed(): the person is done; the keys go back to the composer.
    """

    closed = Signal()

    def __init__(
        self, chat: Chat, transcript: TranscriptView, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._transcript = transcript
        self._hits: list[str] = []
        self._at = 0
        self._texts: dict[str, tuple[str, str]] = {}  # by message: its source, and what it shows
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Find in this chat"))
        self.field.setAccessibleName(tr("Find in this chat"))
        self.setAccessibleName(tr("Find in this chat"))
        self.count = QLabel(self)
        self.count.setProperty("muted", True)
        up = IconButton("caret-up", tr("Earlier message  Enter"), self)
        down = IconButton("caret-down", tr("Later message  Shift+Enter"), self)
        close = IconButton("x", tr("Close  Esc"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 6)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addSpacing(4)
        for widget in (self.count, up, down, close):
            row.addWidget(widget)
        self.field.textChanged.connect(self._on_text)
        self.field.installEventFilter(self)
        up.clicked.connect(lambda: self.step(1))
        down.clicked.connect(lambda: self.step(-1))
        close.clicked.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        """Show it with the keys in its field."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._on_text()

    @Slot()
    def close_bar(self) -> None:
        self.hide()
        self._transcript.highlight("")
        self._texts.clear()
        self.closed.emit()

    def step(self, by: int) -> None:
        """Go to the next earlier (+1) or later (-1) message that has the words."""
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._go()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                later = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step(-1 if later else 1)
                return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        line = self.rect().adjusted(0, self.height() - 1, 0, 0)
        QPainter(self).fillRect(line, theme().color("border"))

    @Slot()
    def _on_text(self) -> None:
        words = self.field.text().strip().casefold()
        path = self._chat.transcript.path if words else []
        self._hits = [m.id for m in reversed(path) if words in self._shown(m.id)]
        self._at = 0
        self._transcript.highlight(self.field.text().strip())
        if self._hits:
            self._go()
        else:
            self.count.setText(tr("Not found") if words else "")

    def _shown(self, message_id: str) -> str:
        """What the message reads like: its marks are not looked through."""
        message = self._chat.message(message_id)
        kept = self._texts.get(message_id)
        if kept is None or kept[0] != message.content:
            text = shown_text(message.content, message.role).casefold()
            self._texts[message_id] = kept = (message.content, text)
        return kept[1]

    def _go(self) -> None:
        self.count.setText(tr("{number} of {count}", number=self._at + 1, count=len(self._hits)))
        self._transcript.show_message(self._hits[self._at])
