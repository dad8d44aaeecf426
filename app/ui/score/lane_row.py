"""One lane of the score on screen."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from app.language import counted, mark, number, tr
from app.score.feed import ScoreFeed
from app.score.lanes import SPAN, Lane
from app.ui.style import tokens as t
from app.ui.style.figures import bytes_line, rate_line
from app.ui.style.theme import grown, scaled, theme, ui_font
from app.ui.style.tool_figures import doing_line
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.mirror import mirror, mirrored

_WORDS = {
    "queued": mark("waiting"),
    "reading": mark("reading"),
    "writing": mark("writing"),
    "paused": mark("paused"),
    "calling": mark("using a tool"),
    "asking": mark("waiting for your answer"),
    "idle": mark("resting"),
}


class LaneRow(QWidget):
    """One chat: its name, the last half minute, figures, and a button that pauses it.

    By key: Enter is a click on its name, Space one on the button, up and down are the others.

    Signals:
        chosen(chat id): its name was clicked.
        pause_asked(chat id): it is to stand still, or to go on.
    """

    HEIGHT = 28
    LABEL = 168
    FIGURES = 150

    chosen = Signal(str)
    pause_asked = Signal(str)

    def __init__(self, lane: Lane, feed: ScoreFeed, parent: QWidget) -> None:
        super().__init__(parent)
        self._lane = lane
        self._feed = feed
        self._fit()
        theme().changed.connect(self._fit)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button = IconButton("pause", tr("Pause"), self, side=26)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.clicked.connect(lambda: self.pause_asked.emit(self._lane.chat_id))
        self.refresh(lane)

    @property
    def lane(self) -> Lane:
        return self._lane

    def refresh(self, lane: Lane) -> None:
        """Show the lane as it is now."""
        self._lane = lane
        paused = lane.state == "paused"
        self.button.set_icon("play" if paused else "pause", tr("Resume") if paused else tr("Pause"))
        self.button.setEnabled(lane.state != "idle")
        if lane.state == "idle":
            self.button.setToolTip(tr("Nothing to pause: no reply is running"))
        self.button.set_revealed(lane.state != "idle")
        words = tr(_WORDS.get(lane.state, _WORDS["idle"]))
        told = {"title": lane.title, "state": words}
        self.setToolTip(
            counted(
                "{title}: {state}, %Ln tokens in its KV cache at {host}, where {most} fit",
                "{title}: {state}, %Ln tokens in its KV cache at {host}, where {most} fit",
                lane.kv_tokens,
                **told,
                host=lane.host,
                most=number(lane.context),
            )
            if lane.host
            else counted(
                "{title}: {state}, %Ln tokens in its KV cache",
                "{title}: {state}, %Ln tokens in its KV cache",
                lane.kv_tokens,
                **told,
            )
        )
        self.setAccessibleName(f"{lane.title}, {words}")
        self.setAccessibleDescription(self._words())
        self.update()

    def resizeEvent(self, event: object) -> None:
        self.button.move(self.width() - 34, 1)
        mirror(self, self.button)

    def mouseReleaseEvent(self, event: object) -> None:
        self.chosen.emit(self._lane.chat_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.chosen.emit(self._lane.chat_id)
        elif key == Qt.Key.Key_Space:
            self.button.click()
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self.focusNextPrevChild(key == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, lane = theme().tokens, self._lane
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(t.lane_colour(lane.colour, dark=tokens.dark))
        if self.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(4.5, 0.5, -4.5, -0.5), 6, 6)
        middle = self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(mirrored(self, QRectF(14, middle - 4, 8, 8)))
        font = ui_font(t.SMALL_PX)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        room = self._label() - 36
        title = QFontMetrics(font).elidedText(lane.title, Qt.TextElideMode.ElideRight, room)
        place = mirrored(self, QRectF(30, 0, room, self.height()))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, title)
        self._paint_marks(painter, colour)
        painter.setPen(QColor(tokens.muted))
        area = QRectF(self.width() - self._figures() - 36, 0, self._figures() - 6, self.height())
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        words = QFontMetrics(font).elidedText(
            self._words(), Qt.TextElideMode.ElideRight, round(area.width())
        )
        painter.drawText(mirrored(self, area), right, words)

    @Slot()
    def _fit(self) -> None:
        self.setFixedHeight(grown(self.HEIGHT))

    def _label(self) -> int:
        return scaled(self.LABEL if self.width() > 700 else 110)

    def _figures(self) -> int:
        return scaled(self.FIGURES if self.width() > 560 else 84)

    def _words(self) -> str:
        lane = self._lane
        if lane.state == "queued":
            if lane.position:
                return tr("waiting, {place}.", place=lane.position)
            return tr("waiting")
        if lane.state == "paused":
            return tr("paused")
        wide = self.width() > 560
        if lane.doing is not None and lane.state in {"calling", "asking"}:
            return doing_line(lane.doing, short=not wide, timed=True)
        size = bytes_line(lane.kv_bytes) if lane.kv_bytes else ""
        if lane.state == "idle":
            return size if wide else ""
        rate = rate_line(lane.rate)
        if lane.state == "reading":
            rate = tr("{rate} read", "while a prompt is being read", rate=rate)
        return f"{rate} · {size}" if wide and size else rate

    def _paint_marks(self, painter: QPainter, colour: QColor) -> None:
        """Time runs as writing does to the far edge, which is now; the height is the speed."""
        tokens = theme().tokens
        painter.save()
        if self.isRightToLeft():
            painter.translate(self.width(), 0)
            painter.scale(-1, 1)
        left = float(self._label())
        width = self.width() - left - self._figures() - 40
        base = self.height() - 5.0
        painter.fillRect(QRectF(left, base, width, 1), QColor(tokens.border))
        now = self._feed.lanes.now
        fastest = max((m.rate for m in self._lane.marks if m.state == "writing"), default=0.0)
        painter.setPen(Qt.PenStyle.NoPen)
        for each in self._lane.marks:
            start = max(0.0, 1 - (now - each.start) / SPAN)
            end = min(1.0, 1 - (now - each.end) / SPAN)
            if end <= 0:
                continue
            box = QRectF(left + start * width, base - 17, max(1.0, (end - start) * width), 17)
            if each.state == "writing":
                high = 17 * (0.25 + 0.75 * each.rate / fastest) if fastest else 4.0
                painter.fillRect(box.adjusted(0, 17 - high, 0, 0), colour)
            elif each.state == "reading":
                soft = QColor(colour)
                soft.setAlpha(90)
                painter.fillRect(box.adjusted(0, 5, 0, -5), soft)
            elif each.state in {"calling", "asking"}:
                painter.fillRect(box.adjusted(0, 14, 0, 0), colour)
            elif each.state == "queued":
                painter.fillRect(box.adjusted(0, 8, 0, -7), QColor(tokens.border_strong))
            else:
                painter.setPen(QPen(colour, 1.5, Qt.PenStyle.DotLine))
                y = box.center().y()
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
                painter.setPen(Qt.PenStyle.NoPen)
        painter.restore()
