"""Where a person writes: one rounded field at the foot of the pane."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from app.ui.style import tokens as t
from app.ui.style.theme import theme, ui_font
from app.ui.widgets.buttons import IconButton, RoundButton


class ComposerText(QTextEdit):
    """The text itself. Plain text only; Enter sends, Shift+Enter breaks the line.

    Attributes:
        sends_with_ctrl: Ctrl+Enter sends instead, and Enter breaks the line. For all fields.

    Signals:
        submitted(): Enter was pressed.
        recalled(): the up arrow was pressed in an empty field.
        paged(pages): a key that scrolls the transcript.
    """

    submitted = Signal()
    recalled = Signal()
    paged = Signal(float)

    sends_with_ctrl = False

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(ui_font(theme().body_px))
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Message")

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Undo)
            and not self.document().isUndoAvailable()
        ):
            event.ignore()  # with nothing to take back here, it is for what a toast offers
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._sends(event):
            self.submitted.emit()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            # Qt's own Shift+Enter is a line separator, not a new line.
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        elif key == Qt.Key.Key_Up and not self.toPlainText() and not event.modifiers():
            self.recalled.emit()
        elif key in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}:
            self.paged.emit(-0.9 if key == Qt.Key.Key_PageUp else 0.9)
        elif key == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _sends(self, event: QKeyEvent) -> bool:
        """Whether an Enter sends: alone, or with Ctrl where the person has chosen so."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.sends_with_ctrl:
            return modifiers == Qt.KeyboardModifier.ControlModifier
        return not modifiers & Qt.KeyboardModifier.ShiftModifier

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()


class Composer(QWidget):
    """The field, its round button, and a line above it while an older message is edited.

    Signals:
        sent(text): the person sends what stands here.
        stopped(): the person stops the answer.
        changed(text): the text is another.
        recalled(): the last message should be edited.
        edit_cancelled(): editing is given up.
        paged(pages): scroll the transcript.
        broadcast_toggled(): this chat is to be one of those that hear each other, or no more.
    """

    PAD = 8
    NOTE = 30

    sent = Signal(str)
    stopped = Signal()
    changed = Signal(str)
    recalled = Signal()
    edit_cancelled = Signal()
    paged = Signal(float)
    broadcast_toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._active = False
        self._tinted = False
        self._limit = 240
        self._note = ""
        self._text = ComposerText(self)
        self._button = RoundButton(self)
        self._cancel_edit = IconButton("x", "Keep the message as it was  Esc", self, side=24)
        self._cancel_edit.clicked.connect(self.edit_cancelled)
        self._cancel_edit.hide()
        self._hears = IconButton("broadcast", "", self)
        self._hears.setCheckable(True)
        self._hears.clicked.connect(self.broadcast_toggled)
        self._hears.hide()
        self.setFocusProxy(self._text)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self._button.setCursor(Qt.CursorShape.ArrowCursor)
        self._text.submitted.connect(self._on_submit)
        self._text.recalled.connect(self.recalled)
        self._text.paged.connect(self.paged)
        self._text.textChanged.connect(self._on_text)
        self._button.clicked.connect(self._on_button)
        theme().changed.connect(self._on_theme)
        self._on_text()

    @property
    def text(self) -> str:
        return self._text.toPlainText()

    @property
    def field(self) -> ComposerText:
        return self._text

    @property
    def button(self) -> RoundButton:
        return self._button

    @property
    def broadcast_button(self) -> IconButton:
        return self._hears

    @property
    def tinted(self) -> bool:
        return self._tinted

    @property
    def editing(self) -> bool:
        return bool(self._note)

    def set_text(self, text: str) -> None:
        """Put text here, the cursor at its end."""
        self._text.setPlainText(text)
        self._text.moveCursor(QTextCursor.MoveOperation.End)

    def set_placeholder(self, text: str) -> None:
        self._text.setPlaceholderText(text)

    def set_answering(self, answering: bool) -> None:
        """Make the button stop instead of send."""
        self._button.set_stops(answering)
        self._on_text()

    def set_active(self, active: bool) -> None:
        """Show the ring: the keys go here."""
        if active != self._active:
            self._active = active
            self.update()

    def set_broadcast(self, on: bool, hears: bool) -> None:
        """Show whether a message that is broadcast arrives here, and the button for it."""
        self._hears.setVisible(on)
        self._hears.setChecked(hears)
        self._hears.set_icon(
            "broadcast",
            "Leave the broadcast  Ctrl+Alt+B" if hears else "Join the broadcast  Ctrl+Alt+B",
        )
        self._tinted = on and hears
        self._fit()

    def set_editing(self, note: str) -> None:
        """Show a line above the text that says what is edited; empty for none."""
        self._note = note
        self._cancel_edit.setVisible(bool(note))
        self._fit()

    def set_limit(self, height: int) -> None:
        """The most it may grow to, in pixels; beyond, the text scrolls."""
        self._limit = max(height, 80)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(300, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(tokens.accent_quiet if self._tinted else tokens.raised))
        pen = painter.pen()
        pen.setColor(QColor(tokens.accent if self._active else tokens.border_strong))
        pen.setWidthF(1.5 if self._active else 1.0)
        painter.setPen(pen)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(1, 1, -1, -1), t.RADIUS + 4, t.RADIUS + 4
        )
        if self._note:
            painter.setFont(ui_font(t.SMALL_PX))
            painter.setPen(QColor(tokens.muted))
            area = QRectF(16, 6, self.width() - 60, self.NOTE - 4)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, self._note)

    def _fit(self) -> None:
        """Take the height the text needs and place the parts."""
        width = self.width()
        button = RoundButton.SIDE
        beside = 0 if self._hears.isHidden() else self._hears.width() + 4
        inner = max(40, width - 16 - self.PAD - beside - button - self.PAD)
        top = self.NOTE if self._note else 0
        document = self._text.document()
        document.setTextWidth(inner)
        line = self._text.fontMetrics().lineSpacing()
        wanted = max(ceil(document.size().height()), line)
        room = self._limit - top - 26
        scrolls = wanted > room
        text_height = min(wanted, room)
        on = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self._text.setVerticalScrollBarPolicy(on if scrolls else off)
        height = top + max(text_height + 26, button + 2 * self.PAD)
        inset = (height - top - text_height) // 2
        self._text.setGeometry(16, top + inset, inner, text_height)
        self._button.move(width - button - self.PAD, height - button - self.PAD)
        middle = height - self.PAD - (button + self._hears.height()) // 2
        self._hears.move(width - button - self.PAD - beside, middle)
        self._cancel_edit.move(width - 24 - 12, 6)
        if height != self.height():
            self.setFixedHeight(height)
        self.update()

    @Slot()
    def _on_text(self) -> None:
        self._button.setEnabled(self._button.stops or bool(self.text.strip()))
        self._fit()
        self.changed.emit(self.text)

    @Slot()
    def _on_submit(self) -> None:
        if self.text.strip() and not self._button.stops:
            self.sent.emit(self.text)

    @Slot()
    def _on_button(self) -> None:
        if self._button.stops:
            self.stopped.emit()
        else:
            self._on_submit()

    @Slot()
    def _on_theme(self) -> None:
        self._text.setFont(ui_font(theme().body_px))
        self.update()
