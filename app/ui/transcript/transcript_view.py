"""The conversation of one pane: a column of messages, of which only those nearby exist as widgets.

200 message widgets cost 108-156 ms per resize, so rows far from the viewport are only heights.
The layout is done here and not by QLayout: what is above the reader's place must not move when a
height below or above becomes known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.chats.chat import Chat
from app.ui.style.theme import theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.jump_button import JumpButton
from app.ui.transcript.message_row import MessageRow
from app.ui.transcript.transcript_keys import TranscriptKeys
from app.ui.transcript.transcript_layout import Place, column_in, estimated_height
from app.ui.transcript.user_row import UserRow


class TranscriptView(QAbstractScrollArea):
    """Shows a chat's path and follows its end while the reader is there.

    Signals:
        asked(action, id): what a message's buttons ask for.
        put_up(id): a message has come near enough to what is seen to have a row.
        left(forward): the keys are to go on to what comes after the conversation, or before it.
    """

    TOP, BOTTOM, GAP = 20, 12, 8

    asked = Signal(str, str)
    put_up = Signal(str)
    left = Signal(bool)

    def __init__(self, chat: Chat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._places: list[Place] = []
        self._placed = 0  # of so many the tops are right: the heights before them have not changed
        self._follow = True
        self._laying = False
        self._words = ""
        self._keys = TranscriptKeys(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Conversation")
        self.verticalScrollBar().setSingleStep(32)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.lay_out)
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.jump_to_end)
        self._jump.hide()
        chat.path_changed.connect(self._rebuild)
        chat.turn_changed.connect(self._on_turn)
        chat.message_added.connect(self._on_added)
        chat.message_changed.connect(self._on_changed)
        chat.text_added.connect(self._on_text)
        theme().changed.connect(self._on_theme)
        self._rebuild()

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
        # Of the whole width: a scroll bar that comes or goes moves nothing.
        return column_in(self.width())

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

    def show_message(self, message_id: str) -> None:
        """Bring a message into view (a search result)."""
        self.lay_out()
        place = next((p for p in self._places if p.message_id == message_id), None)
        if place is None:
            return
        self._follow = False
        within = 0
        # Twice: the first brings it near, which makes it and the heights around it known.
        for _ in range(2):
            self.verticalScrollBar().setValue(max(0, place.top + within - self.TOP))
            self.lay_out()
            top = place.row.highlight(self._words) if place.row is not None else None
            within = max(0, (top or 0) - self.viewport().height() // 3)

    def highlight(self, words: str) -> None:
        """Mark these words wherever they stand; none when empty."""
        self._words = words
        for place in self._places:
            if place.row is not None:
                place.row.highlight(words)

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.press(event):
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.enter()

    def enter(self) -> None:
        """Give the keys to the last message that is in view."""
        if not self._keys.enter():
            self.left.emit(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._keys.paint_mark(self.viewport())

    # What the chat tells.

    @Slot()
    def _rebuild(self) -> None:
        """Show the path anew, keeping the widgets of messages that stay."""
        before = {place.message_id: place for place in self._places}
        path = self._chat.transcript.path
        self._places = [before.pop(m.id) if m.id in before else Place(m.id) for m in path]
        self._placed = 0
        for gone in before.values():
            self._take_down(gone)
        self._follow = True
        self._mark_last()
        self._soon.start()

    @Slot(str)
    def _on_added(self, message_id: str) -> None:
        self._places.append(Place(message_id))
        self._follow = True
        self._mark_last()
        self._soon.start()

    @Slot(str)
    def _on_changed(self, message_id: str) -> None:
        row = self.row(message_id)
        if row is not None:
            row.set_message(self._chat.message(message_id))
        else:
            self._forget_height(message_id)

    @Slot()
    def _on_turn(self) -> None:
        """What may be done with a message may be something else now."""
        for place in self._places:
            if place.row is not None:
                place.row.show_actions()

    @Slot(str, str, str)
    def _on_text(self, message_id: str, text: str, kind: str) -> None:
        row = self.row(message_id)
        if row is not None and not self.isVisible():
            # A hidden tab renders nothing: its text is taken as a whole when it is shown.
            self._take_down(next(p for p in self._places if p.row is row))
        elif row is not None:
            row.append(text, kind)
            if isinstance(row, AnswerRow):
                row.set_thought(self._chat.thought_s)
        else:
            self._forget_height(message_id)

    def _forget_height(self, message_id: str) -> None:
        for place in self._places:
            if place.message_id == message_id:
                place.width = 0
                self._soon.start()

    # Layout.

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
        transcript = self._chat.transcript
        for number in range(self._placed, len(self._places)):
            place = self._places[number]
            if not place.height:
                place.height = estimated_height(transcript[place.message_id], width)
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
        self._jump.set_living(self._chat.answering)
        self._jump.move((self.viewport().width() - self._jump.width()) // 2, self.height() - 44)
        self._jump.raise_()

    def _put_up(self, place: Place) -> MessageRow:
        message = self._chat.message(place.message_id)
        kind = UserRow if message.role == "user" else AnswerRow
        row = kind(message, self._chat.can, self.viewport())
        place.row = row
        self._number(place)
        if isinstance(row, AnswerRow):
            row.set_last(place is self._places[-1])
            row.set_thought(self._chat.thought_s)
            row.wrap_code(place.wrapped)
        if self._words:
            row.highlight(self._words)
        row.resized.connect(self._on_row_resized)
        row.asked.connect(self.asked)
        row.left.connect(self.left)
        self.put_up.emit(message.id)
        return row

    def _take_down(self, place: Place) -> None:
        if place.row is not None:
            if isinstance(place.row, AnswerRow):
                place.wrapped = place.row.wrapped_code
            place.row.resized.disconnect(self._on_row_resized)
            if place.row.has_keys():
                self.left.emit(True)
            place.row.hide()
            place.row.deleteLater()
            place.row = None

    def _mark_last(self) -> None:
        for place in self._places:
            if isinstance(place.row, AnswerRow):
                place.row.set_last(place is self._places[-1])
            self._number(place)

    def _number(self, place: Place) -> None:
        """Tell a message which of how many versions it is."""
        if place.row is not None:
            versions = self._chat.transcript.alternatives(place.message_id)
            place.row.set_alternative(versions.index(place.message_id) + 1, len(versions))

    @Slot()
    def _on_theme(self) -> None:
        self.viewport().update()
