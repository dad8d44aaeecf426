"""Activity of all chats: totals, and a lane per active chat."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from app.score import AGENT_PREFIX, SHOWN_S, ScoreFeed, ScoreLane, Totals
from app.settings.language import counted, mark, percent, tr
from app.ui.style import tokens as t
from app.ui.style.figures import activity_line, bytes_line, rate_line
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scale_height, scaled, theme, ui_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.labels import make_heading, make_label
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, scrolling
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.widget_behavior import mirror_area

_WORDS = {
    "queued": mark("queued"),
    "reading": mark("reading the prompt"),
    "writing": mark("replying"),
    "paused": mark("paused"),
    "calling": mark("using a tool"),
    "asking": mark("waiting for you"),
    "idle": mark("idle"),
}


class LaneRow(QWidget):
    """Lane of a chat: name, the last 30 seconds of activity, stats, and a pause button.

    Enter opens the chat and Space presses the button. Up and Down select another lane.
    """

    HEIGHT = 28
    LABEL = 168
    FIGURES = 170

    chat_clicked = Signal(str)  # (chat ID)
    pause_requested = Signal(str)  # (chat ID)

    def __init__(self, lane: ScoreLane, feed: ScoreFeed, parent: QWidget) -> None:
        super().__init__(parent)
        self.lane = lane
        self._feed = feed
        self._fit()
        theme().changed.connect(self._fit)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button = IconButton("pause", tr("Pause"), self, side=26)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.clicked.connect(lambda: self.pause_requested.emit(self.lane.chat_id))
        make_row_layout(SPRING, self.button, of=self, margins=(0, 0, 8, 0))
        self.refresh(lane)

    def refresh(self, lane: ScoreLane) -> None:
        self.lane = lane
        paused = lane.state == "paused"
        self.button.set_icon("play" if paused else "pause", tr("Resume") if paused else tr("Pause"))
        self.button.setEnabled(lane.state != "idle")
        if lane.state == "idle":
            self.button.setToolTip(tr("The model isn’t replying."))
        self.button.set_revealed(lane.state != "idle")
        words = tr(_WORDS.get(lane.state, _WORDS["idle"]))
        self.setToolTip(
            counted(
                "{title}: {state}, %Ln tokens in memory",
                "{title}: {state}, %Ln tokens in memory",
                lane.kv_tokens,
                title=lane.title,
                state=words,
            )
        )
        self.setAccessibleName(f"{lane.title}, {words}")
        self.setAccessibleDescription(self._lane_text())
        self.update()

    def mouseReleaseEvent(self, event: object) -> None:
        self.chat_clicked.emit(self.lane.chat_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.chat_clicked.emit(self.lane.chat_id)
        elif key == Qt.Key.Key_Space:
            self.button.click()
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self.focusNextPrevChild(key == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens, lane = RowPainter.for_widget(self, 14, 42), theme().tokens, self.lane
        color, font = QColor(t.lane_color(lane.color, dark=tokens.dark)), ui_font(t.SMALL_PX)
        row.ground(row.inner(5), ring=self.hasFocus())
        row.painter.setPen(Qt.PenStyle.NoPen)
        row.painter.setBrush(color)
        middle = self.height() // 2
        row.painter.drawEllipse(row.to_visual(QRect(14, middle - 4, 8, 8)))
        row.line.setLeft(30)
        row.text(lane.title, tokens.text, font=font, most=self._label() - 36)
        self._paint_samples(row.painter, color)
        max_width = self._figures() - 6
        row.text(self._lane_text(), tokens.muted, font=font, most=max_width, end=True)

    @Slot()
    def _fit(self) -> None:
        self.setFixedHeight(scale_height(self.HEIGHT))

    def _label(self) -> int:
        return scaled(self.LABEL if self.width() > 700 else 110)

    def _figures(self) -> int:
        return scaled(self.FIGURES if self.width() > 560 else 84)

    def _lane_text(self) -> str:
        lane = self.lane
        if lane.state == "queued":
            if lane.position:
                return tr("queued, no. {place}", place=lane.position)
            return tr("queued")
        if lane.state == "paused":
            return tr("paused")
        wide = self.width() > 560
        if lane.activity is not None and lane.state in {"calling", "asking"}:
            return activity_line(lane.activity, short=not wide, timed=True)
        size = bytes_line(lane.kv_bytes) if lane.kv_bytes else ""
        if lane.state == "idle":
            return size if wide else ""
        rate = rate_line(lane.rate)
        if lane.state == "reading":
            rate = tr("{rate} read", "while a prompt is being read", rate=rate)
        return f"{rate} · {size}" if wide and size else rate

    def _paint_samples(self, painter: QPainter, color: QColor) -> None:
        tokens = theme().tokens
        painter.save()
        if self.isRightToLeft():
            painter.translate(self.width(), 0)
            painter.scale(-1, 1)
        x = float(self._label())
        width = self.width() - x - self._figures() - 40
        base = self.height() - 5.0
        painter.fillRect(QRectF(x, base, width, 1), QColor(tokens.border))
        now = self._feed.lanes.now
        fastest = max((m.rate for m in self.lane.samples if m.state == "writing"), default=0.0)
        painter.setPen(Qt.PenStyle.NoPen)
        for bar in self.lane.samples:
            start = max(0.0, 1 - (now - bar.start) / SHOWN_S)
            end = min(1.0, 1 - (now - bar.end) / SHOWN_S)
            if end <= 0:
                continue
            box = QRectF(x + start * width, base - 17, max(1.0, (end - start) * width), 17)
            if bar.state == "writing":
                high = 17 * (0.25 + 0.75 * bar.rate / fastest) if fastest else 4.0
                painter.fillRect(box.adjusted(0, 17 - high, 0, 0), color)
            elif bar.state == "reading":
                soft = QColor(color)
                soft.setAlpha(90)
                painter.fillRect(box.adjusted(0, 5, 0, -5), soft)
            elif bar.state in {"calling", "asking"}:
                painter.fillRect(box.adjusted(0, 14, 0, 0), color)
            elif bar.state == "queued":
                painter.fillRect(box.adjusted(0, 8, 0, -7), QColor(tokens.border_strong))
            else:
                painter.setPen(QPen(color, 1.5, Qt.PenStyle.DotLine))
                y = box.center().y()
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
                painter.setPen(Qt.PenStyle.NoPen)
        painter.restore()


def memory_line(totals: Totals) -> str:
    kv = bytes_line(totals.kv_bytes)
    if totals.process_bytes:
        return tr("{all} in use · chats {kv}", all=bytes_line(totals.all_bytes), kv=kv)
    models = bytes_line(totals.weights_bytes)
    return tr("models {models} · chats {kv}", models=models, kv=kv)


def memory_parts(totals: Totals) -> str:
    parts = [
        (tr("models"), totals.weights_bytes),
        (tr("context of chats"), totals.kv_bytes),
        (tr("free, kept for reuse"), totals.buffer_bytes),
        (tr("Stretto"), totals.program_bytes if totals.process_bytes else 0),
        (tr("helper processes"), totals.children_bytes),
    ]
    lines = [f"{bytes_line(count)}  {words}" for words, count in parts if count]
    if totals.process_bytes:
        lines.insert(0, tr("Memory in use: {size}", size=bytes_line(totals.all_bytes)))
    used = bytes_line(totals.weights_bytes + totals.kv_bytes)
    budget = bytes_line(totals.budget)
    lines.append(tr("Models and chats use {used} of {most}.", most=budget, used=used))
    return "\n".join(lines)


class MemoryBar(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._weights = self._kv = 0.0
        self.setFixedSize(QSize(96, 6))
        self.show_shares(0, 0)

    def show_shares(self, weights: float, kv: float) -> None:
        self._weights, self._kv = min(1.0, weights), min(1.0, kv)
        shares = {"weights": percent(weights), "kv": percent(kv)}
        self.setAccessibleName(tr("Memory: models {weights}, chats {kv}", **shares))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        outline = QRectF(self.rect())
        painter.setBrush(QColor(tokens.pressed))
        painter.drawRoundedRect(outline, 3, 3)
        for share, color in (
            (self._weights + self._kv, tokens.accent),
            (self._weights, tokens.muted),
        ):
            if share > 0:
                painter.setBrush(QColor(color))
                width = max(6.0, min(1.0, share) * outline.width())
                part = mirror_area(self, QRectF(0, 0, width, outline.height()))
                painter.drawRoundedRect(part, 3, 3)


class ScoreView(QWidget):
    # the view is never shorter than LEAST lanes and scrolls beyond MOST
    LEAST, MOST = 3, 6

    chat_clicked = Signal(str)
    pause_requested = Signal(str)
    agent_chosen = Signal(int)
    agent_pause_requested = Signal(int, bool)

    def __init__(self, feed: ScoreFeed, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("score")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.feed = feed
        self._rows: dict[str, LaneRow] = {}
        self.totals = make_label(self, wrap=False)
        self.memory = make_label(self, wrap=False)
        self._bar = MemoryBar(self)
        name = make_heading(self, tr("Score"))
        self.close_button = IconButton("x", tr("Close Score  Ctrl+J"), self, side=26)
        parts = (name, self.totals, SPRING, self.memory, self._bar, self.close_button)
        head = make_row_layout(*parts, margins=(14, 6, 8, 4), spacing=10)
        self._lanes = QWidget(self)
        self._column = make_column_layout(of=self._lanes, margins=(0, 0, 0, 6), spacing=0)
        self._empty = make_label(self, tr("Chats appear here while they reply."), wrap=False)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.addWidget(self._empty, 1_000)
        self._column.addStretch(1)
        self._area = scrolling(self._lanes, self)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        float_bars(self._area)
        make_column_layout(head, self._area, of=self, margins=(0, 1, 0, 0), spacing=0)
        feed.lanes_updated.connect(self._refresh)
        self._fit()
        self.hide()

    def rows(self) -> list[LaneRow]:
        return sorted(self._rows.values(), key=self._column.indexOf)

    def focus_first_lane(self) -> None:
        for row in self.rows()[:1]:
            row.setFocus(Qt.FocusReason.TabFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        self.feed.start()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.feed.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.memory.setVisible(self.width() > scaled(640))  # the bar's tooltip has more details
        self._bar.setVisible(self.width() > scaled(420))

    @Slot()
    def _refresh(self) -> None:
        lanes, totals = self.feed.lanes, self.feed.lanes.totals
        present = {lane.chat_id: lane for lane in lanes}
        for chat_id in [c for c in self._rows if c not in present]:
            row = self._rows.pop(chat_id)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        top = 0
        for chat_id, lane in present.items():
            was_enabled = False
            if chat_id in self._rows:
                row = self._rows[chat_id]
                was_enabled = row.button.isEnabled()
                row.refresh(lane)
            else:
                row = self._rows[chat_id] = LaneRow(lane, self.feed, self._lanes)
                row.chat_clicked.connect(self._on_chosen)
                row.pause_requested.connect(self._on_pause)
                self._column.insertWidget(self._column.count() - 1, row)
            if row.button.isEnabled() and not was_enabled:
                # Active lanes move to the top and stay there after becoming idle.
                self._column.insertWidget(top, row)
                top += 1
        self._empty.setVisible(not self._rows)
        doing = []
        if totals.writing:
            doing.append(
                counted(
                    "%n replying · {rate} in total",
                    "%n replying · {rate} in total",
                    totals.writing,
                    rate=rate_line(totals.rate),
                )
            )
        if totals.waiting:
            doing.append(counted("%n waiting for memory", "%n waiting for memory", totals.waiting))
        self.totals.setText(" · ".join(doing) or tr("Idle"))
        if totals.budget:
            parts = memory_parts(totals)
            self.memory.setText(memory_line(totals))
            self.memory.setToolTip(parts)
            self._bar.setToolTip(parts)
            budget = totals.budget
            self._bar.show_shares(totals.weights_bytes / budget, totals.kv_bytes / budget)
        self._fit()

    @Slot(str)
    def _on_chosen(self, lane_id: str) -> None:
        if lane_id.startswith(AGENT_PREFIX):
            self.agent_chosen.emit(_agent_number(lane_id))
        else:
            self.chat_clicked.emit(lane_id)

    @Slot(str)
    def _on_pause(self, lane_id: str) -> None:
        if lane_id.startswith(AGENT_PREFIX):
            paused = self._rows[lane_id].lane.state == "paused"
            self.agent_pause_requested.emit(_agent_number(lane_id), not paused)
        else:
            self.pause_requested.emit(lane_id)

    def _fit(self) -> None:
        rows = max(self.LEAST, min(self.MOST, len(self._rows)))
        self._area.setFixedHeight(rows * scale_height(LaneRow.HEIGHT) + 6)


def _agent_number(lane_id: str) -> int:
    return int(lane_id.removeprefix(AGENT_PREFIX))
