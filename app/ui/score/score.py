"""The score on screen: a strip under the panes with a lane for each chat."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.language import counted, tr
from app.score.feed import ScoreFeed
from app.score.lanes import GUEST
from app.ui.score.lane_row import LaneRow
from app.ui.score.memory import memory_line, memory_parts
from app.ui.style import tokens as t
from app.ui.style.figures import percent, rate_line
from app.ui.style.theme import grown, keep_font, theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.mirror import mirrored


class MemoryBar(QWidget):
    """How much of the budget weights and KV caches take."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._weights = self._kv = 0.0
        self.setFixedSize(QSize(96, 6))
        self.show_shares(0, 0)

    def show_shares(self, weights: float, kv: float) -> None:
        self._weights, self._kv = min(1.0, weights), min(1.0, kv)
        shares = {"weights": percent(weights), "kv": percent(kv)}
        self.setAccessibleName(tr("Memory: weights {weights}, KV caches {kv}", **shares))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        painter.setBrush(QColor(tokens.pressed))
        painter.drawRoundedRect(whole, 3, 3)
        for share, colour in (
            (self._weights + self._kv, tokens.accent),
            (self._weights, tokens.muted),
        ):
            if share > 0:
                painter.setBrush(QColor(colour))
                width = max(6.0, min(1.0, share) * whole.width())
                part = mirrored(self, QRectF(0, 0, width, whole.height()))
                painter.drawRoundedRect(part, 3, 3)


class ScoreView(QWidget):
    """The strip: a line of totals, and the lanes under it.

    Signals:
        chosen(chat id), pause_asked(chat id): what a person wants of a chat.
        guest_chosen(number), guest_pause_asked(number, on): of a request of another program.
        closed(): the strip is to go.

    Attributes:
        feed: what it shows.
    """

    ROWS = 5  # more scroll

    chosen = Signal(str)
    pause_asked = Signal(str)
    guest_chosen = Signal(int)
    guest_pause_asked = Signal(int, bool)
    closed = Signal()

    def __init__(self, feed: ScoreFeed, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("score")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.feed = feed
        self._rows: dict[str, LaneRow] = {}
        self.totals = QLabel(self)
        self.totals.setProperty("muted", True)
        self.memory = QLabel(self)
        self.memory.setProperty("muted", True)
        self._bar = MemoryBar(self)
        name = QLabel(tr("Score"), self)
        keep_font(name, t.UI_PX, QFont.Weight.DemiBold)
        close = IconButton("x", tr("Close the score  Ctrl+J"), self, side=26)
        close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.setContentsMargins(14, 6, 8, 4)
        head.setSpacing(10)
        head.addWidget(name)
        head.addWidget(self.totals)
        head.addStretch(1)
        head.addWidget(self.memory)
        head.addWidget(self._bar)
        head.addWidget(close)
        self._lanes = QWidget(self)
        self._column = QVBoxLayout(self._lanes)
        self._column.setContentsMargins(0, 0, 0, 6)
        self._column.setSpacing(0)
        self._empty = QLabel(tr("No chat has asked the engine anything yet."), self)
        self._empty.setProperty("muted", True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.addWidget(self._empty)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._lanes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 1, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._area)
        feed.sampled.connect(self._refresh)
        self._fit()
        self.hide()

    def rows(self) -> list[LaneRow]:
        return list(self._rows.values())

    def enter(self) -> None:
        """Give the keys to the first lane."""
        for row in self.rows()[:1]:
            row.setFocus(Qt.FocusReason.TabFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        self.feed.start()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.feed.stop()

    @Slot()
    def _refresh(self) -> None:
        lanes, totals = self.feed.lanes, self.feed.lanes.totals
        present = {lane.chat_id: lane for lane in lanes}
        for chat_id in [c for c in self._rows if c not in present]:
            row = self._rows.pop(chat_id)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for chat_id, lane in present.items():
            if chat_id in self._rows:
                self._rows[chat_id].refresh(lane)
            else:
                row = self._rows[chat_id] = LaneRow(lane, self.feed, self._lanes)
                row.chosen.connect(self._on_chosen)
                row.pause_asked.connect(self._on_pause)
                self._column.addWidget(row)
        self._empty.setVisible(not self._rows)
        doing = []
        if totals.writing:
            doing.append(
                counted(
                    "%n answering · {rate} in all",
                    "%n answering · {rate} in all",
                    totals.writing,
                    rate=rate_line(totals.rate),
                )
            )
        if totals.waiting:
            doing.append(counted("%n waiting for memory", "%n waiting for memory", totals.waiting))
        self.totals.setText(" · ".join(doing) or tr("At rest"))
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
        if lane_id.startswith(GUEST):
            self.guest_chosen.emit(_number(lane_id))
        else:
            self.chosen.emit(lane_id)

    @Slot(str)
    def _on_pause(self, lane_id: str) -> None:
        if lane_id.startswith(GUEST):
            paused = self._rows[lane_id].lane.state == "paused"
            self.guest_pause_asked.emit(_number(lane_id), not paused)
        else:
            self.pause_asked.emit(lane_id)

    def _fit(self) -> None:
        rows = max(1, min(self.ROWS, len(self._rows)))
        self._area.setFixedHeight(rows * grown(LaneRow.HEIGHT) + 6)


def _number(lane_id: str) -> int:
    """Of the request that a guest's lane stands for."""
    return int(lane_id.removeprefix(GUEST).partition(":")[0])
