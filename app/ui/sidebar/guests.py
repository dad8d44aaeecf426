"""Other programs that ask the engine: below the list of chats, and the text of one's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.serving import Door, Serving
from app.settings.language import counted, mark, number, tr
from app.ui.score import ScoreView
from app.ui.sidebar.sidebar import Sidebar
from app.ui.style import tokens as t
from app.ui.style.theme import focus_pen, grown, theme, ui_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.manners import mirror, mirrored
from app.ui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from engine.serve.requests import Seen


_STATES = {
    "waiting": mark("waiting"),
    "reading": mark("reading"),
    "answering": mark("replying"),
    "paused": mark("paused"),
}


class GuestDialog(Sheet):
    """Follows one guest's answer until it has ended; may stay open beside the chats."""

    def __init__(self, serving: Serving, number: int, parent: QWidget) -> None:
        super().__init__("guest", tr("Client"), parent, spacing=10)
        self._serving, self._number = serving, number
        self.head, self.state = self.headline(""), self.label()
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("field")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Reply so far"))
        self.pause = self.button(tr("Pause"), self._on_pause)
        self.stop = self.button(tr("Stop"), lambda: serving.stop(number))
        self.put(self.head, self.state, self.text)
        self.put_foot(None, self.pause, self.stop)
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
            self.state.setText(tr("This reply has ended."))
            for button in (self.pause, self.stop):
                button.setToolTip(tr("This reply has ended."))
            return
        self._paused = seen.state == "paused"
        self.pause.setText(tr("Resume") if self._paused else tr("Pause"))
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


MOST_ROWS = 4
"""More are counted only."""
_ROW_STATES = {"waiting": mark("waiting"), "reading": mark("reading")}


def state_line(seen: Seen) -> str:
    """How a guest's answer stands, in a few words."""
    pieces = counted("{count} piece", "{count} pieces", seen.pieces, count=number(seen.pieces))
    if seen.state in _ROW_STATES:
        return tr(_ROW_STATES[seen.state])
    return pieces if seen.state == "answering" else tr("paused · {pieces}", pieces=pieces)


class GuestRow(QWidget):
    """One request of another program.

    By key: Enter opens its text, Space pauses it, Delete stops it.

    Signals:
        opened(id): its text is wanted.
        pause_asked(id, on), stop_asked(id): what is to become of its answer.
    """

    HEIGHT = 42

    opened = Signal(int)
    pause_asked = Signal(int, bool)
    stop_asked = Signal(int)

    def __init__(self, seen: Seen, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedHeight(grown(self.HEIGHT, 2))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.pause = IconButton("pause", tr("Pause"), self, side=24)
        self.stop = IconButton("x", tr("Stop this reply"), self, side=24)
        for button in (self.pause, self.stop):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.pause.clicked.connect(self._on_pause)
        self.stop.clicked.connect(lambda: self.stop_asked.emit(self.seen.id))
        self._reveal(False)
        theme().changed.connect(self.update)
        self.show_seen(seen)

    def show_seen(self, seen: Seen) -> None:
        """Show how it stands now."""
        self.seen = seen
        paused = seen.state == "paused"
        self.pause.set_icon("play" if paused else "pause", tr("Resume") if paused else tr("Pause"))
        who, model, session = seen.who, seen.model, seen.session
        parts = [who, tr("session {name}", name=session) if session else "", model]
        self.setAccessibleName(", ".join([*filter(None, parts), state_line(seen)]))
        self.setToolTip(
            tr("{who} asks {model}, session {name}", who=who, model=model, name=session)
            if session
            else tr("{who} asks {model}", who=who, model=model)
        )
        self.update()

    @Slot()
    def _on_pause(self) -> None:
        self.pause_asked.emit(self.seen.id, self.seen.state != "paused")

    def _reveal(self, on: bool) -> None:
        self.pause.setVisible(on)
        self.stop.setVisible(on)
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        self._reveal(self.hasFocus())

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._reveal(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._reveal(self.underMouse())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.stop.move(self.width() - 16 - 24, 9)
        self.pause.move(self.width() - 16 - 50, 9)
        mirror(self, self.stop, self.pause)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.pos()):
            self.opened.emit(self.seen.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit(self.seen.id)
        elif event.key() == Qt.Key.Key_Space:
            self._on_pause()
        elif event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.stop_asked.emit(self.seen.id)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(8, 1, -8, -1)
        if self.underMouse() or self.hasFocus():
            painter.setPen(focus_pen() if self.hasFocus() else QPen(Qt.PenStyle.NoPen))
            painter.setBrush(QColor(tokens.hover))
            painter.drawRoundedRect(area, 7, 7)
        room = int(area.width()) - 20 - (56 if self.pause.isVisible() else 0)
        first = self.seen.who + (f" · {self.seen.session}" if self.seen.session else "")
        second = f"{self.seen.model} · {state_line(self.seen)}"
        lines = (
            (first, tokens.text, ui_font(t.UI_PX), 1),
            (second, tokens.muted, ui_font(t.SMALL_PX), grown(19)),
        )
        for words, colour, font, top in lines:
            painter.setFont(font)
            painter.setPen(QColor(colour))
            shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, room)
            line = QRectF(area.left() + 10, area.top() + top, room, grown(18))
            painter.drawText(mirrored(self, line), Qt.AlignmentFlag.AlignVCenter, shown)


class GuestsHead(QWidget):
    """The line above them: a light, and how many programs are connected."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words, self._lit = "", False
        self.setFixedHeight(grown(26))
        theme().changed.connect(self.update)

    def show_words(self, words: str, lit: bool) -> None:
        """``lit``: whether somebody is connected."""
        self._words, self._lit = words, lit
        self.setAccessibleName(tr("Clients, {words}", words=words))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent if self._lit else tokens.border))
        middle = self.height() / 2
        painter.drawEllipse(mirrored(self, QRectF(18, middle - 4, 8, 8)))
        painter.setPen(QColor(tokens.muted))
        painter.setFont(ui_font(t.SMALL_PX, ui_font().Weight.DemiBold))
        area = mirrored(self, QRectF(34, 0, self.width() - 50, self.height()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, tr("Clients"))
        painter.setFont(ui_font(t.SMALL_PX))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(area, right, self._words)


class GuestsPart(QWidget):
    """There while the door for other programs is open.

    Signals:
        opened(id): the text of a guest's answer is wanted.
    """

    opened = Signal(int)

    def __init__(self, serving: Serving, parent: QWidget) -> None:
        super().__init__(parent)
        self._serving = serving
        self._rows: dict[int, GuestRow] = {}
        self._head = GuestsHead(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 2, 1, 2)
        self._column.setSpacing(0)
        self._column.addWidget(self._head)
        serving.changed.connect(self.refresh)
        serving.guests_changed.connect(self.refresh)
        self.refresh()

    @property
    def rows(self) -> list[GuestRow]:
        """Those that are shown."""
        return list(self._rows.values())

    @Slot()
    def refresh(self) -> None:
        """Show who is there now."""
        guests = self._serving.guests
        self.setVisible(self._serving.door is Door.OPEN)
        there = guests.connections
        hidden = max(0, len(guests.seen) - MOST_ROWS)
        words = counted("%n connected", "%n connected", there) if there else tr("none")
        if hidden:
            words += ", " + counted("%n more", "%n more", hidden)
        self._head.show_words(words, bool(there))
        address = f"{self._serving.address}/v1"
        self._head.setToolTip(tr("Local API at {address}", address=address))
        here = {seen.id: seen for seen in guests.seen[:MOST_ROWS]}
        for guest in [n for n in self._rows if n not in here]:
            row = self._rows.pop(guest)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for guest, seen in here.items():
            if guest in self._rows:
                self._rows[guest].show_seen(seen)
                continue
            row = self._rows[guest] = GuestRow(seen, self)
            row.opened.connect(self.opened)
            row.pause_asked.connect(self._serving.pause)
            row.stop_asked.connect(self._serving.stop)
            self._column.addWidget(row)


class GuestsInWindow(QObject):
    """The guests' part of the sidebar, their lanes in the score, and dialogs with their text."""

    def __init__(
        self, serving: Serving, sidebar: Sidebar, score: ScoreView, window: QWidget
    ) -> None:
        super().__init__(window)
        self._serving, self._window = serving, window
        self.part = GuestsPart(serving, sidebar)
        sidebar.add_part(self.part)
        self.part.opened.connect(self.open)
        score.guest_chosen.connect(self.open)
        score.guest_pause_asked.connect(serving.pause)

    @Slot(int)
    def open(self, number: int) -> None:
        """Show the text of a guest's answer as it comes."""
        GuestDialog(self._serving, number, self._window).show()
