"""The live text of an answer that another program is getting."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.language import mark, number, tr
from app.serving import Serving
from app.ui.style.theme import ui_font

_STATES = {
    "waiting": mark("waiting"),
    "reading": mark("reading"),
    "answering": mark("answering"),
    "paused": mark("paused"),
}


class GuestDialog(QDialog):
    """Follows one guest's answer until it has ended; may stay open beside the chats."""

    def __init__(self, serving: Serving, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("guest")
        self.setWindowTitle(tr("Guest"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._serving, self._number = serving, number
        self.head = QLabel(self)
        self.head.setTextFormat(Qt.TextFormat.PlainText)
        self.head.setFont(ui_font(15, ui_font().Weight.DemiBold))
        self.state = QLabel(self)
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setProperty("muted", True)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("field")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("The answer so far"))
        self.buttons = QDialogButtonBox(self)
        self.pause = self.buttons.addButton(tr("Pause"), QDialogButtonBox.ButtonRole.ActionRole)
        self.stop = self.buttons.addButton(tr("Stop"), QDialogButtonBox.ButtonRole.ActionRole)
        close = self.buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        self.pause.clicked.connect(self._on_pause)
        self.stop.clicked.connect(lambda: serving.stop(number))
        close.clicked.connect(self.close)
        close.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(10)
        for widget in (self.head, self.state, self.text, self.buttons):
            layout.addWidget(widget)
        self.resize(560, 420)
        self._paused = False
        serving.guests_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what has come meanwhile."""
        seen = next((s for s in self._serving.guests.seen if s.id == self._number), None)
        self.pause.setEnabled(seen is not None)
        self.stop.setEnabled(seen is not None)
        if seen is None:
            self.state.setText(tr("This answer has ended."))
            for button in (self.pause, self.stop):
                button.setToolTip(tr("This answer has ended."))
            return
        self._paused = seen.state == "paused"
        self.pause.setText(tr("Go On") if self._paused else tr("Pause"))
        self.head.setText(seen.who + (f" · {seen.session}" if seen.session else ""))
        state = tr(_STATES.get(seen.state, seen.state))
        passed = tr("{number} s", "seconds", number=number(round(seen.seconds)))
        self.state.setText(f"{seen.model} · {state} · {passed}")
        shown = self.text.toPlainText()
        if shown == seen.text:
            return
        bar = self.text.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        if shown and seen.text.startswith(shown):
            cursor = QTextCursor(self.text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(seen.text[len(shown) :])
        else:
            self.text.setPlainText(seen.text)
        if at_end:
            bar.setValue(bar.maximum())

    @Slot()
    def _on_pause(self) -> None:
        self._serving.pause(self._number, not self._paused)
