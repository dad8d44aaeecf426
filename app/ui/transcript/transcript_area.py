"""A column of messages of which only those near the viewport exist as widgets.

200 message widgets cost 108-156 ms per resize, so rows far from the viewport are only heights.
The layout is done here and not by QLayout: what is above the reader's place must not move when a
height below or above becomes known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.ui.transcript.jump_button import JumpButton
from app.ui.transcript.message_row import MessageRow
from app.ui.transcript.transcript_layout import Place, column_in


class TranscriptArea(QAbstractScrollArea):
    """Places the rows and scrolls them; keeps the reader's line, or the end, where it is.

    Signals:
        asked(action, id): what a message's buttons ask for.
        left(forward): the keys are to go on to what comes after the conversation, or before it.
    """

    TOP, BOTTOM, GAP = 20, 12, 8

    asked = Signal(str, str)
    left = Signal(bool)

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._places: list[Place] = []
        self._placed = 0  # of the tops of so many places are right, the heights above them known
        self._follow = True
        self._laying = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.verticalScrollBar().setSingleStep(32)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.lay_out)
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.jump_to_end)
        self._jump.hide()

    # What a subclass knows of the messages.

    def _estimate(self, place: Place, width: int) -> int:
        """About how high a message is that was never laid out, in pixels."""
        raise NotImplementedError

    def _answering(self) -> bool:
        """Whether text is coming at the end."""
        raise NotImplementedError

    def _put_up(self, place: Place) -> MessageRow:
        """Make the message's widget."""
        raise NotImplementedError

    def _take_down(self, place: Place) -> None:
        """Remove the message's widget, if it has one."""
        raise NotImplementedError

    @property
    def places(self) -> Sequence[Place]:
        """The path's messages, from the first to the last."""
        return self._places

    @property
    def following(self) -> bool:
        """Whether new text pulls the view along."""
        return self._follow

    def column(self) -> tuple[int, int]:
        """Left edge and width of the text, in pixels of the viewport."""
        # Of the whole width: a scroll bar that comes or goes moves nothing. It stands left of the
        # viewport in a window that runs from right to left.
        left, width = column_in(self.width())
        return left - self.viewport().x(), width

    def row(self, message_id: str) -> MessageRow | None:
        """The message's widget, if it has one at present."""
        return next((p.row for p in self._places if p.message_id == message_id), None)

    def rows_alive(self) -> int:
        """How many messages are widgets at present."""
        return sum(place.row is not None for place in self._places)

    @Slot()
    def jump_to_end(self) -> None:
        """Go to the newest text and follow it."""
        self._follow = True
        self.lay_out()

    def scroll_pages(self, pages: float) -> None:
        """Scroll by viewports, for keys that arrive in the composer."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(pages * self.viewport().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._placed:
            self.lay_out()
        else:
            self._soon.start()  # a new pane is given two sizes in a row

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if not self._laying:
            bar = self.verticalScrollBar()
            self._follow = bar.value() >= bar.maximum() - 4
            self.lay_out()

    @Slot(int, int)
    def _on_reached(self, top: int, bottom: int) -> None:
        """Scroll as little as brings a place of a row into view."""
        row = self.sender()
        if isinstance(row, MessageRow):
            bar, view = self.verticalScrollBar(), self.viewport().height()
            head, foot = row.y() + top - self.TOP, row.y() + bottom + self.BOTTOM
            bar.setValue(bar.value() + (min(head, 0) or max(0, min(head, foot - view))))

    @Slot()
    def _on_row_resized(self) -> None:
        row = self.sender()
        for place in self._places:
            if place.row is row:
                place.width = 0
        self._soon.start()

    @Slot()
    def lay_out(self) -> None:
        """Place what is near the viewport; keep the reader's line, or the end, where it is."""
        if self._laying or self.viewport().width() < 50 or not self.isVisible():
            return
        self._laying = True
        try:
            anchor = None if self._follow else self._anchor()
            # Heights that become known move the edges of what is near: a few rounds settle it.
            for _ in range(6):
                self._set_tops(anchor)
                if not self._measure_nearby():
                    break
            self._set_tops(anchor)
            self._place_rows()
        finally:
            self._laying = False

    def _anchor(self) -> tuple[Place, int] | None:
        """The first message in view and how far its top is from the viewport's."""
        value = self.verticalScrollBar().value()
        number = bisect_right(
            self._places, value, hi=self._placed, key=lambda p: p.top + p.height + self.GAP
        )
        if number == self._placed:
            return None
        return self._places[number], self._places[number].top - value

    def _set_tops(self, anchor: tuple[Place, int] | None) -> None:
        _, width = self.column()
        y = self.TOP
        if self._placed:
            last = self._places[self._placed - 1]
            y = last.top + last.height + self.GAP
        for number in range(self._placed, len(self._places)):
            place = self._places[number]
            if not place.height:
                place.height = self._estimate(place, width)
            place.top = y
            y += place.height + self.GAP
        self._placed = len(self._places)
        total = y - self.GAP + self.BOTTOM
        bar = self.verticalScrollBar()
        view = self.viewport().height()
        bar.setPageStep(view)
        bar.setRange(0, max(0, total - view))
        if self._follow:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(anchor[0].top - anchor[1])

    def nearby(self, screens: float) -> range:
        """The numbers of the places in the view, or so many of its heights above or below it."""
        value, view = self.verticalScrollBar().value(), self.viewport().height()
        reach = round(view * screens)
        first = bisect_right(self._places, value - reach, key=lambda p: p.top + p.height)
        return range(first, bisect_left(self._places, value + view + reach, key=lambda p: p.top))

    def _measure_nearby(self) -> bool:
        """Make and measure what is in or near the view; True if a height was not what it seemed."""
        _, width = self.column()
        moved = False
        for number in self.nearby(0.75):
            place = self._places[number]
            if place.width == width and place.row is not None:
                continue
            if place.row is None:
                place.row = self._put_up(place)
            height = place.row.arrange(width)
            place.width = width
            if height != place.height:
                place.height = height
                self._placed = min(self._placed, number + 1)
                moved = True
        return moved

    def _place_rows(self) -> None:
        left, width = self.column()
        value = self.verticalScrollBar().value()
        near = self.nearby(2.5)
        for number, place in enumerate(self._places):
            row = place.row
            if row is None:
                continue
            if number not in near and not row.in_use():
                self._take_down(place)
                continue
            row.setGeometry(QRect(QPoint(left, place.top - value), row.size()))
            row.resize(width, place.height)
            row.show()
        bar = self.verticalScrollBar()
        self._jump.setVisible(bar.value() < bar.maximum() - self.viewport().height() // 4)
        self._jump.set_living(self._answering())
        self._jump.move((self.viewport().width() - self._jump.width()) // 2, self.height() - 44)
        self._jump.raise_()
