"""Lanes with the helpers of a tool call, which can be expanded and stopped."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QTextDocument,
    QTextLayout,
)
from PySide6.QtWidgets import QWidget

from app.chats.lanes import HelperRun, LaneState
from app.settings.language import mark, tr
from app.tools.tool import clean, one_line
from app.ui.style import tokens as t
from app.ui.style.figures import rate_line
from app.ui.style.theme import scale_height, scaled, theme, ui_font
from app.ui.transcript.message_row import truncate_text
from app.ui.widgets.buttons import PaintedButton
from app.ui.widgets.labels import make_link
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.textview import TextView
from app.ui.widgets.widget_behavior import mirror_children

_STATES = {
    LaneState.WAITING: mark("Waiting", "a helper"),
    LaneState.READING: mark("Reading", "a helper"),
    LaneState.THINKING: mark("Thinking", "a helper"),
    LaneState.WRITING: mark("Writing", "a helper"),
    LaneState.DONE: mark("Done", "a helper"),
    LaneState.STOPPED: mark("Stopped", "a helper"),
    LaneState.TOKENS: mark("Out of tokens", "a helper"),
    LaneState.TIME: mark("Out of time", "a helper"),
    LaneState.FAILED: mark("Failed", "a helper"),
}
_MAX_PAINTED_CHARACTERS = 1_000  # twice what two lines usually need
_MAX_SPOKEN_CHARACTERS = 500


def state_line(lane: HelperRun) -> str:
    words = tr(_STATES[lane.state], "a helper")
    has_rate = lane.rate and lane.state in {LaneState.WRITING, LaneState.DONE, LaneState.TOKENS}
    return f"{words} · {rate_line(lane.rate)}" if has_rate else words


def two_lines(text: str, font: QFont, width: int, *, end: bool) -> list[str]:
    """Return the first two lines of a text, or with ``end`` the last two."""
    # Keep the start of a growing text for a while, so that the text doesn't reflow with every word.
    start = max(0, len(text) // _MAX_PAINTED_CHARACTERS - 1) * _MAX_PAINTED_CHARACTERS if end else 0
    text = one_line(text[start:], 2 * _MAX_PAINTED_CHARACTERS)
    layout = QTextLayout(text, font)
    layout.beginLayout()
    starts = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        starts.append(line.textStart())
    layout.endLayout()
    if end:
        starts = starts[-2:]
    elided = QFontMetrics(font).elidedText
    ends = [*starts[1:2], len(text)]
    return [
        elided(text[a:b].strip(), Qt.TextElideMode.ElideRight, width)
        for a, b in zip(starts[:2], ends, strict=False)
    ]


class LaneHead(PaintedButton):
    """Helper's question, its state, and two lines of its output."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lane = HelperRun("")
        self.button_width = 0  # pixels covered by a button at the end of the first line
        self._lines: list[str] = []
        self._lines_of: tuple[object, ...] = ()
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def lines(self, width: int) -> list[str]:
        lane, font = self.lane, ui_font(t.SMALL_PX)
        if self.isChecked():
            return []
        of = (lane.why or lane.text, width, lane.is_over, font.key())
        if of != self._lines_of:  # cached, because painting and layout ask several times per frame
            room = width - self.text_left - 4
            self._lines = two_lines(of[0], font, room, end=not lane.is_over)
            self._lines_of = of
        return self._lines

    @property
    def text_left(self) -> int:
        return scaled(t.SMALL_ICON) + 6

    def question_line(self) -> tuple[str, int]:
        state = QFontMetrics(ui_font(t.SMALL_PX)).horizontalAdvance(state_line(self.lane))
        room = self.width() - self.button_width - state - 16 - self.text_left
        return one_line(self.lane.question, _MAX_PAINTED_CHARACTERS), max(0, room)

    @property
    def is_cut(self) -> bool:
        words, room = self.question_line()
        return QFontMetrics(ui_font()).horizontalAdvance(words) > room

    def height_for(self, width: int) -> int:
        below = QFontMetrics(ui_font(t.SMALL_PX)).lineSpacing() * len(self.lines(width))
        return scale_height(26) + (below + 4 if below else 0)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height_for(200))

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens, lane = (
            RowPainter.for_widget(self, 2, self.button_width + 4),
            theme().tokens,
            self.lane,
        )
        row.ground(row.inner(), ring=self.hasFocus())
        head, edge, width = scale_height(26), self.text_left, self.width()
        row.line.setHeight(head)
        color = tokens.text if self.underMouse() else tokens.muted
        row.caret(color, 0, unfolded=self.isChecked())
        failed = tokens.danger if lane.state is LaneState.FAILED else tokens.muted
        row.text(state_line(lane), failed, 12, font=ui_font(t.SMALL_PX), end=True)
        row.line.setLeft(edge)
        row.text(self.question_line()[0], tokens.text, font=ui_font())
        row.painter.setFont(ui_font(t.SMALL_PX))
        step = row.painter.fontMetrics().lineSpacing()
        for number, line in enumerate(self.lines(width)):
            row.line = QRect(edge, head + number * step, width - edge - 2, step)
            row.text(line, tokens.danger if lane.why else tokens.muted)


class HelperLane(QWidget):
    resized = Signal()  # the height that `arrange` returns has changed

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.head = LaneHead(self)
        self.head.clicked.connect(self.resized)
        self.stop = make_link(self, tr("Stop"))
        self.stop.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stop.setToolTip(tr("Stop this helper"))
        self.view = TextView(QTextDocument(), self)
        self.view.setAccessibleName(tr("Reply"))
        self.view.hide()
        self._filled = ""

    def show_lane(self, lane: HelperRun, number: int, of: int) -> None:
        state, head = tr(_STATES[lane.state], "a helper"), self.head
        head.lane = lane
        name = tr("Helper {number} of {count}, {state}", number=number, count=of, state=state)
        name = f"{name}: {lane.question[:_MAX_SPOKEN_CHARACTERS]}"
        if name != head.accessibleName():
            head.setAccessibleName(name)
            self.stop.setAccessibleName(
                f"{tr('Stop this helper')}: {lane.question[:_MAX_SPOKEN_CHARACTERS]}"
            )
        if lane.is_over:
            head.setAccessibleDescription((lane.why or lane.text)[:_MAX_SPOKEN_CHARACTERS])
        if lane.is_over and self.stop.hasFocus():
            head.setFocus()  # otherwise Qt would focus the next widget
        self.stop.setVisible(not lane.is_over)
        head.update()

    def arrange(self, width: int) -> int:
        self.stop.adjustSize()
        self.head.button_width = 0 if self.stop.isHidden() else self.stop.width() + 4
        self.head.setGeometry(0, 0, width, self.head.height_for(width))
        self.stop.move(width - self.stop.width(), (scale_height(26) - self.stop.height()) // 2)
        height, edge = self.head.height(), self.head.text_left
        self.view.setVisible(self.head.isChecked())
        if self.head.isChecked():
            self._fill()
            high = self.view.height_for(width - edge)
            self.view.setGeometry(edge, height, width - edge, high)
            height += high + 6
        mirror_children(self, self.stop, self.view, width=width)
        self.stop.raise_()
        return height

    def _fill(self) -> None:
        lane, head = self.head.lane, self.head
        question = lane.question if head.is_cut or not lane.text + lane.why else ""
        text = "\n\n".join(filter(None, (question, lane.text, lane.why)))
        if text != self._filled:
            self._filled, document = text, self.view.document()
            document.setDefaultFont(ui_font(t.SMALL_PX))
            document.setPlainText(truncate_text(clean(text)))


class HelperLanes(QWidget):
    GAP = 4
    FRAME_MS = 80  # at most one layout pass per interval, even if several helpers are writing
    resized = Signal()  # the height that `arrange` returns has changed
    stop_requested = Signal(int)  # (number of the helper, from 0)

    def __init__(self, count: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.lanes = [HelperLane(self) for _ in range(count)]
        self._heights: list[int] = []
        self._pending_lanes: Sequence[HelperRun] = ()
        self._update_timer = QTimer(self, singleShot=True, interval=self.FRAME_MS)
        self._update_timer.timeout.connect(lambda: self.show_lanes(self._pending_lanes))
        for number, lane in enumerate(self.lanes):
            lane.resized.connect(self.resized)
            lane.stop.clicked.connect(lambda _=False, n=number: self.stop_requested.emit(n))
        theme().changed.connect(self.update)

    def show_soon(self, lanes: Sequence[HelperRun]) -> None:
        """Update the lanes in the next frame, to limit layout passes."""
        self._pending_lanes = lanes
        if not self._update_timer.isActive():
            self._update_timer.start()

    def show_lanes(self, lanes: Sequence[HelperRun]) -> None:
        for number, (row, lane) in enumerate(zip(self.lanes, lanes, strict=True), 1):
            row.show_lane(lane, number, len(lanes))
        if self.width() and [view.arrange(self.width()) for view in self.lanes] != self._heights:
            self.resized.emit()

    def arrange(self, width: int) -> int:
        y, self._heights = 0, []
        for lane in self.lanes:
            height = lane.arrange(width)
            lane.setGeometry(0, y, width, height)
            self._heights.append(height)
            y += height + self.GAP
        return max(0, y - self.GAP)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for lane in self.lanes[1:]:
            y = lane.y() - self.GAP // 2
            painter.fillRect(0, y, self.width(), 1, QColor(theme().tokens.border))
