"""View of a chat's messages, with widgets only for rows near the visible part.

Resizing 200 message widgets takes 108-156 ms, so distant rows only have a height. The view doesn't
use QLayout because the reader's position must stay when the real height of a distant row replaces
the estimated height.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice
from math import isinf

from msgspec import Struct
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.chats.actions import Action
from app.chats.answer import Phase
from app.chats.chat import Chat
from app.chats.tool_call import turn_with_calls
from app.chats.transcript import omitted_ids
from app.settings.language import tr
from app.store import Attachment, Message, places_in
from app.ui.style import tokens as t
from app.ui.style.figures import phase_line, seconds
from app.ui.style.icons import icon
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import focus_pen, scaled, theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import MessageRow, PaneRequest, show_picture
from app.ui.transcript.selection import Selection
from app.ui.transcript.tool_card import WaitingCalls
from app.ui.transcript.tool_row import ToolRow
from app.ui.transcript.user_row import UserRow
from app.ui.widgets.buttons import PaintedButton
from app.ui.widgets.textview import TextView, Words
from app.ui.widgets.toast import Toast
from app.ui.widgets.widget_behavior import mirror_children


class MessagePlace(Struct):
    """Place of a message: its height, and its row if near the visible part."""

    message_id: str
    height: int = 0
    width: int = 0  # view width when ``height`` was measured; 0 for an estimate
    top: int = 0
    row: MessageRow | None = None
    # code blocks to wrap when the row is created again
    wrapped: frozenset[tuple[int, int]] = frozenset()


class FoundWords(Struct, frozen=True):
    """Highlight of a search result: the words in one message."""

    message_id: str
    words: Words


class SoughtWords(Struct, frozen=True):
    """Highlight of the find bar: the words in all messages, and the current match."""

    words: Words
    message_id: str = ""  # of the current match
    number: int = -1  # of the current match in its message


def text_column_for(width: int) -> tuple[int, int]:
    """Return the left edge and width of the text column for a pane width."""
    edge = 12 if width < t.NARROW else 24
    column = min(scaled(t.COLUMN), width - 2 * edge)
    return (width - column) // 2, column


def estimated_height(message: Message, width: int) -> int:
    """Return the estimated height of a message that hasn't been laid out."""
    if message.role == "tool" and message.status != "streaming":
        return 28
    text = message.content
    return 82 + 22 * text.count("\n") + 163 * len(text) // (width if width > 100 else 100)


class JumpButton(PaintedButton):
    """Button that jumps to the end, with a dot while new text arrives."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._living = False
        self.setFixedSize(34, 34)
        self.setToolTip(tr("Scroll to End"))
        self.setAccessibleName(tr("Scroll to End"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme().changed.connect(self.update)

    def set_living(self, living: bool) -> None:
        if living != self._living:
            self._living = living
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(focus_pen() if self.hasFocus() else QPen(QColor(tokens.divider)))
        painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.raised))
        painter.drawEllipse(QRectF(1.5, 1.5, 31, 31))
        icon("arrow-down", tokens.text).paint(painter, 9, 9, 16, 16)
        if self._living:
            painter.setPen(QColor(tokens.background))
            painter.setBrush(QColor(tokens.accent))
            painter.drawEllipse(QPointF(27, 7), 4.5, 4.5)


STEP = 96  # scroll distance of an arrow key in pixels

_PAGES = {Qt.Key.Key_PageUp: -0.9, Qt.Key.Key_PageDown: 0.9}
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ASIDE = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}
_DELETES = {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class TranscriptKeys:
    """Keys of the transcript: Up/Down select messages, Left/Right scroll code, Delete deletes.

    `MessageRow` handles Tab, which moves through a message's controls.
    """

    def __init__(self, view: TranscriptView) -> None:
        self._view = view
        self._focus_line = QRect()

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key press. Return False if the key has no function here."""
        key, number = Qt.Key(event.key()), self._focused_number()
        selection = self._view.selection
        row = self._view.places[number].row if number is not None else None
        if key in _PAGES:
            self._view.scroll_pages(_PAGES[key])
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            selection.select_all()
        elif event.matches(QKeySequence.StandardKey.Copy) and selection.copy():
            pass
        elif key == Qt.Key.Key_Escape:
            return selection.clear()
        elif number is None:
            return False
        elif key in _STEPS:
            self._step(number, _STEPS[key])
        elif key == Qt.Key.Key_Home:
            self._focus_message(0)
        elif key == Qt.Key.Key_End:
            self._focus_message(len(self._view.places) - 1)
        elif row is not None and key in _DELETES and not row.has_text_focus():
            self._delete(number)
        elif row is not None and key in _ASIDE:
            row.move_code(_ASIDE[key])
        elif row is not None and key == Qt.Key.Key_F10 and event.modifiers() == _SHIFT:
            row.pop_menu()  # many X11 desktops don't send a context menu event for this key
        elif event.matches(QKeySequence.StandardKey.Copy):
            self._view.action_requested.emit(Action.COPY, self._view.places[number].message_id)
        else:
            return False
        return True

    def focus_last(self) -> bool:
        """Focus the last visible message. Return False if no message is visible."""
        self._view.lay_out()
        places = self._view.places_near_view(0)
        if places:
            self._focus_message(places[-1])
        return bool(places)

    def paint_focus_line(self, painter: QPainter) -> None:
        self._focus_line = self._focus_line_area()
        painter.fillRect(self._focus_line, theme().color("accent"))

    def follow_focused(self, viewport: QWidget) -> None:
        """Repaint the focus line if the focused message has moved or been resized."""
        if self._focus_line != self._focus_line_area():
            viewport.update()

    def _focus_line_area(self) -> QRect:
        rows = (p.row for p in self._view.places if p.row is not None and p.row.hasFocus())
        area = row.geometry() if (row := next(rows, None)) is not None else QRect()
        return QRect(area.left() - 10, area.top(), 2, area.height()) if area.isValid() else area

    def _focused_number(self) -> int | None:
        rows = ((number, place.row) for number, place in enumerate(self._view.places))
        return next((number for number, row in rows if row is not None and row.has_keys()), None)

    def _focus_message(self, number: int) -> None:
        """Focus a message and scroll it into view. Scrolling up to a tall message shows its end."""
        view, place = self._view, self._view.places[number]
        bar = view.verticalScrollBar()
        # scroll twice, because the first pass measures the surrounding rows
        for _ in range(2):
            head = place.top - view.TOP
            foot = place.top + place.height + view.BOTTOM - view.viewport().height()
            bar.setValue(min(max(bar.value(), min(head, foot)), max(head, foot)))
            view.lay_out()
        if place.row is not None:
            place.row.setFocus(Qt.FocusReason.OtherFocusReason)

    def _delete(self, number: int) -> None:
        """Ask for confirmation, delete a message, and focus the previous message."""
        message_id = self._view.places[number].message_id
        self._view.action_requested.emit(Action.DELETE, message_id)
        places = self._view.places
        if places and all(place.message_id != message_id for place in places):
            self._view.lay_out()
            self._focus_message(min(max(0, number - 1), len(places) - 1))

    def _step(self, number: int, by: int) -> None:
        """Scroll in a partly hidden message, or focus the next (+1) or previous (-1) message."""
        view, place = self._view, self._view.places[number]
        bar = view.verticalScrollBar()
        foot = place.top + place.height - view.viewport().height()
        beyond = foot - bar.value() if by > 0 else bar.value() - place.top
        if beyond > 0:
            bar.setValue(bar.value() + by * min(STEP, beyond + view.BOTTOM))
        elif number + by == len(view.places):
            view.focus_left.emit(True)
        else:
            self._focus_message(max(0, number + by))


class TranscriptView(QAbstractScrollArea):
    """View of the messages on a chat's path.

    The view keeps the reader's position while heights change, or follows the end of the chat.
    """

    TOP, BOTTOM, GAP = 20, 12, 4
    LONG_TOKENS = 500  # shorter prompts are prefilled before anyone could read a notice
    SILENT_S = 10  # seconds without a response before the user can retry

    action_requested = Signal(object, str)  # (RowAction, message ID)
    # (forward): the focus moved past the end or start of the conversation
    focus_left = Signal(bool)
    chat_requested = Signal(str)
    _text_grown = Signal()

    def __init__(self, chat: Chat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ground = "back"
        # Avoids repainting the window's background for each token.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.places: list[MessagePlace] = []
        self._by_id: dict[str, MessagePlace] = {}
        self._placed_count = 0  # number of places at the start whose ``top`` is valid
        self.following = True  # scroll along with new text
        self._is_laying_out = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.verticalScrollBar().setSingleStep(32)
        float_bars(self)
        self._layout_timer = QTimer(self, singleShot=True, interval=0)
        self._silence_timer = QTimer(self, singleShot=True, interval=1000)
        self._silence_timer.timeout.connect(self._on_phase)
        self._layout_timer.timeout.connect(self.lay_out)
        self._text_grown.connect(self.lay_out, Qt.ConnectionType.QueuedConnection)
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.jump_to_end)
        self._jump.hide()
        self._chat = chat
        self._highlighted: FoundWords | SoughtWords | None = None
        self._left_out: frozenset[str] = frozenset()
        self._keys = TranscriptKeys(self)
        self.selection = Selection(self, chat)
        self.selection.copied.connect(
            lambda: self.action_requested.emit(PaneRequest.SAY_COPIED, "")
        )
        self.setAccessibleName(tr("Messages"))
        chat.path_changed.connect(self._rebuild)
        chat.turn_changed.connect(self._on_turn)
        # The Compare button is disabled while a message is being edited.
        chat.compose_changed.connect(self._on_turn)
        chat.phase_changed.connect(self._on_phase)
        chat.message_added.connect(self._on_added)
        chat.message_changed.connect(self._on_changed)
        chat.text_added.connect(self._on_text)
        theme().changed.connect(self.viewport().update)
        self._rebuild()

    def text_column(self) -> tuple[int, int]:
        """Return the left edge and width of the text, in viewport coordinates."""
        # Use the full width so that showing the scroll bar doesn't shift the text. In right-to-left
        # layouts the scroll bar is on the left.
        x, width = text_column_for(self.width())
        return x - self.viewport().x(), width

    def row(self, message_id: str) -> MessageRow | None:
        place = self._by_id.get(message_id)
        return place.row if place is not None else None

    @Slot()
    def jump_to_end(self) -> None:
        """Scroll to the end and keep following new text."""
        self.following = True
        self.lay_out()

    def scroll_pages(self, pages: float) -> None:
        """Scroll by a number of viewport heights."""
        bar = self.verticalScrollBar()
        if isinf(pages):
            if pages > 0:
                self.jump_to_end()
            else:
                bar.setValue(0)
            return
        bar.setValue(bar.value() + round(pages * self.viewport().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._placed_count:
            self.lay_out()
        else:
            self._layout_timer.start()  # wait, because a new pane is resized twice

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._layout_timer.start()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if not self._is_laying_out:
            bar = self.verticalScrollBar()
            self.following = bar.value() >= bar.maximum() - 4
            self.lay_out()

    @Slot(int, int)
    def _on_reached(self, top: int, bottom: int) -> None:
        """Scroll as little as needed to show the part of the row between ``top`` and ``bottom``."""
        row = self.sender()
        if isinstance(row, MessageRow):
            bar, view = self.verticalScrollBar(), self.viewport().height()
            head, foot = row.y() + top - self.TOP, row.y() + bottom + self.BOTTOM
            bar.setValue(bar.value() + (min(head, 0) or max(0, min(head, foot - view))))

    @Slot()
    def _on_row_resized(self) -> None:
        row = self.sender()
        place = self._by_id.get(row.message.id) if isinstance(row, MessageRow) else None
        if place is not None and place.row is row:
            place.width = 0
        if not self._layout_timer.isActive():
            self._layout_timer.start()
            # Update before painting, because the timer would fire later and cause a second repaint.
            self._text_grown.emit()

    @Slot()
    def lay_out(self) -> None:
        """Lay out the rows near the visible part.

        The reader's position or the end of the chat stays in place.
        """
        if self._is_laying_out or self.viewport().width() < 50 or not self.isVisible():
            return
        self._is_laying_out = True
        self._layout_timer.stop()
        try:
            anchor = None if self.following else self._anchor()
            # Measuring rows can move other rows into view, which usually settles after a few
            # passes.
            for _ in range(6):
                self._set_tops(anchor)
                if not self._measure_nearby():
                    break
            self._set_tops(anchor)
            self._place_rows()
        finally:
            self._is_laying_out = False

    def _anchor(self) -> tuple[MessagePlace, int] | None:
        value = self.verticalScrollBar().value()
        number = bisect_right(
            self.places, value, hi=self._placed_count, key=lambda p: p.top + p.height + self.GAP
        )
        if number == self._placed_count:
            return None
        return self.places[number], self.places[number].top - value

    def _set_tops(self, anchor: tuple[MessagePlace, int] | None) -> None:
        _, width = self.text_column()
        y = self.TOP
        if self._placed_count:
            last = self.places[self._placed_count - 1]
            y = last.top + last.height + self.GAP
        messages, gap = self._chat.transcript, self.GAP
        for place in islice(self.places, self._placed_count, None):
            if not place.height:
                place.height = estimated_height(messages[place.message_id], width)
            place.top = y
            y += place.height + gap
        self._placed_count = len(self.places)
        total = y - self.GAP + self.BOTTOM + scaled(Toast.HEIGHT)
        bar = self.verticalScrollBar()
        view = self.viewport().height()
        bar.setPageStep(view)
        bar.setRange(0, max(0, total - view))
        if self.following:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(anchor[0].top - anchor[1])

    def places_near_view(self, screens: float) -> range:
        """Return the indexes of places within ``screens`` viewport heights of the visible part."""
        value, view = self.verticalScrollBar().value(), self.viewport().height()
        reach = round(view * screens)
        first = bisect_right(self.places, value - reach, key=lambda p: p.top + p.height)
        return range(first, bisect_left(self.places, value + view + reach, key=lambda p: p.top))

    def first_in_view(self) -> int:
        """Return the index of the first place that shows more than its last line."""
        top = self.verticalScrollBar().value() + 2 * self.TOP
        return bisect_right(self.places, top, key=lambda p: p.top + p.height)

    def _measure_nearby(self) -> bool:
        """Create and measure rows in or near the view. Return True if any height changed."""
        _, width = self.text_column()
        moved = False
        for number in self.places_near_view(0.75):
            place = self.places[number]
            if place.width == width and place.row is not None:
                continue
            if place.row is None:
                self._create_row(number)
            assert place.row is not None
            height = place.row.arrange(width)
            # Some texts may be new (reasoning, files).
            for text in place.row.findChildren(TextView):
                text.across = self.selection
            place.width = width
            if height != place.height:
                place.height = height
                self._placed_count = min(self._placed_count, number + 1)
                moved = True
        return moved

    def _place_rows(self) -> None:
        x, width = self.text_column()
        value = self.verticalScrollBar().value()
        near = self.places_near_view(2.5)
        for number, place in enumerate(self.places):
            row = place.row
            if row is None:
                continue
            if number not in near and not row.is_in_use():
                self._remove_row(place)
                continue
            row.setGeometry(QRect(QPoint(x, place.top - value), row.size()))
            row.resize(width, place.height)
            row.show()
        bar = self.verticalScrollBar()
        self._jump.setVisible(bar.value() < bar.maximum() - self.viewport().height() // 4)
        self._jump.set_living(self._chat.reply.is_active)
        # Place the button next to the text if there's space, else where it covers the least.
        left = min(x + width + 8, self.width() - self._jump.width() - 12)
        self._jump.move(left, self.height() - self._jump.height() - 8)
        mirror_children(self, self._jump)
        self._jump.raise_()
        self._keys.follow_focused(self.viewport())

    def show_message(self, message_id: str) -> None:
        self.lay_out()
        place = self._by_id.get(message_id)
        if place is None:
            return
        self.following = False
        within = 0
        # Scroll twice, because the first pass measures the surrounding rows.
        for _ in range(2):
            self.verticalScrollBar().setValue(max(0, place.top + within - self.TOP))
            self.lay_out()
            top = self._highlight(place)
            within = max(0, (top or 0) - self.viewport().height() // 3)

    def show_found(self, message_id: str, words: str) -> None:
        """Scroll to a search result and highlight the matches.

        Highlights stay until another message is shown, the user types, Escape is pressed, or the
        search is cleared.
        """
        self._set_highlighted(FoundWords(message_id, lambda text: places_in(text, words)))
        self.show_message(message_id)

    def forget_found(self) -> bool:
        """Clear the highlights of a search result. Return False if there were none."""
        is_found = isinstance(self._highlighted, FoundWords)
        if is_found:
            self._set_highlighted(None)
        return is_found

    def highlight(self, words: Words | None) -> dict[str, int]:
        """Highlight matches in all messages. None clears the highlights.

        Returns the number of matches by message ID, for messages that are laid out.
        """
        self._set_highlighted(None)  # file attachments may be highlighted as well
        if words is None:
            return {}
        self._highlighted = SoughtWords(words)
        return {p.message_id: p.row.seek(words)[0] for p in self.places if p.row is not None}

    def show_mark(self, words: Words, message_id: str, number: int) -> int | None:
        """Scroll to a match of the find bar's words in a message, and make it the current match.

        Returns the number of matches in the message, or None if it isn't laid out.
        """
        self.lay_out()
        if not isinstance(self._highlighted, SoughtWords):  # a search result replaced it
            self.highlight(words)
        before, self._highlighted = self._highlighted, SoughtWords(words, message_id, number)
        earlier_id = before.message_id if isinstance(before, SoughtWords) else ""
        if earlier_id != message_id and earlier_id in self._by_id:
            self._highlight(self._by_id[earlier_id])
        if (place := self._by_id.get(message_id)) is None:
            return None
        self.following = False
        bar, view = self.verticalScrollBar(), self.viewport().height()
        if place.row is None:
            bar.setValue(max(0, place.top - self.TOP))
            self.lay_out()
        if place.row is None:
            return None
        count, top = place.row.seek(words, number)
        # Scroll twice, because expanding or creating rows changes heights.
        for _ in range(2):
            self.lay_out()
            y = place.top + (top or 0) - bar.value()
            if not self.TOP <= y <= view - 2 * self.TOP:
                bar.setValue(max(0, place.top + (top or 0) - view // 3))
        return count

    def _set_highlighted(self, highlighted: FoundWords | None) -> None:
        self._highlighted = highlighted
        for place in self.places:
            self._highlight(place)

    def _highlight(self, place: MessagePlace) -> int | None:
        """Highlight matches in a message. Return the top of the current or first match, if any."""
        if place.row is None:
            return None
        match self._highlighted:
            case SoughtWords(words, message_id, number):
                return place.row.seek(words, number if message_id == place.message_id else -1)[1]
            case FoundWords(message_id, words) if message_id == place.message_id:
                return place.row.highlight(words)
        return place.row.highlight(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.press(event):
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.selection.press(None, event)
        event.ignore()  # the pane must get the event as well, so that it becomes active

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.selection.drag(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.release()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            self.selection.pop_menu(None, event.pos(), event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.focus_last()

    def focus_last(self) -> None:
        """Focus the last visible message, or pass the focus on if there's none."""
        if not self._keys.focus_last():
            self.focus_left.emit(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), theme().color(self.ground))
        self._keys.paint_focus_line(painter)

    @Slot()
    def _rebuild(self) -> None:
        """Rebuild the places for a changed path. Messages that are still there keep their rows."""
        before = {place.message_id: place for place in self.places}
        path = self._chat.transcript.path
        self.places = [before.pop(m.id) if m.id in before else MessagePlace(m.id) for m in path]
        self._by_id = {place.message_id: place for place in self.places}
        self._placed_count = 0
        for place in before.values():
            self._remove_row(place)
        self.following = True
        self.selection.check()
        self._update_rows()
        self._layout_timer.start()

    @Slot(str)
    def _on_added(self, message_id: str) -> None:
        self.forget_found()
        self.places.append(MessagePlace(message_id))
        self._by_id[message_id] = self.places[-1]
        self.following = True
        self._update_rows()
        self._layout_timer.start()

    @Slot(str)
    def _on_changed(self, message_id: str) -> None:
        row = self.row(message_id)
        if row is not None:
            row.set_message(self._chat.message_to_display(message_id))
            if isinstance(row, ToolRow):
                self._count_waiting()
                self._on_turn()  # the allowed actions depend on the call
        else:
            self._forget_height(message_id)

    @Slot()
    def _on_turn(self) -> None:
        for place in self.places:
            if place.row is not None:
                place.row.show_actions()

    @Slot()
    def _on_phase(self) -> None:
        """Show a notice in the reply while a remote server is silent.

        In a narrow pane, the notice also appears while a long prompt is queued or read, because the
        header has no space for it.
        """
        reply, remote = self._chat.reply, self._chat.reply.remote
        silent, prompt = reply.silent_s, reply.progress
        self._silence_timer.stop()
        row = self.row(reply.message_id or "")
        words = ""
        if prompt is not None and self.width() < t.NARROW:
            long = reply.phase is Phase.READING and prompt.total >= self.LONG_TOKENS
            waits = reply.phase is Phase.QUEUED and (prompt.queue_position or prompt.queued)
            words = phase_line(reply.phase, prompt) if long or waits else ""
        if silent is not None and remote is not None:
            self._silence_timer.start()
            host = tr("this computer") if remote.is_local else remote.host
            time = seconds(round(silent))
            words = tr("No reply from {host} for {time}", host=host, time=time)
            words = words if silent >= self.SILENT_S else ""
        if isinstance(row, AnswerRow):
            row.set_silent(words, can_retry=silent is not None)

    @Slot(str, str, str)
    def _on_text(self, message_id: str, text: str, kind: str) -> None:
        row = self.row(message_id)
        if row is not None and not self.isVisible():
            # Hidden tabs don't render, so drop the row. It's created again when the tab becomes
            # visible.
            self._remove_row(self._by_id[message_id])
        elif row is not None:
            row.append(text, kind)
            if isinstance(row, AnswerRow):
                row.set_thought(self._chat.reply.thought_s(message_id))
        else:
            self._forget_height(message_id)

    def _forget_height(self, message_id: str) -> None:
        if (place := self._by_id.get(message_id)) is not None:
            place.width = 0
            self._layout_timer.start()

    def _create_row(self, number: int) -> None:
        place = self.places[number]
        message = self._chat.message_to_display(place.message_id)
        row: MessageRow
        if message.role == "tool":
            row = ToolRow(message, self._chat, self.viewport())
        else:
            kind = UserRow if message.role == "user" else AnswerRow
            row = kind(message, self._chat.why_not, self.viewport())
        place.row = row
        self._update_row(place)
        if isinstance(row, AnswerRow):
            row.set_thought(self._chat.reply.thought_s(place.message_id))
            row.wrap_code(place.wrapped)
        elif isinstance(row, ToolRow):
            self._count_waiting()
        elif isinstance(row, UserRow) and row.files is not None:
            row.files.set_source(self._chat.attacher)
            row.files.picture_requested.connect(self._on_picture)
            row.files.folding_changed.connect(self._on_file_folding)
            row.files.chat_requested.connect(self.chat_requested)
        if self._highlighted is not None:
            self._highlight(place)
        row.resized.connect(self._on_row_resized)
        row.action_requested.connect(self.action_requested)
        row.focus_left.connect(self.focus_left)
        row.focus_moved.connect(self._on_reached)
        if self.selection.is_across_rows:
            self.selection.show_in(number)

    @Slot()
    def _on_file_folding(self) -> None:
        self.following = False  # keep the clicked line in place

    @Slot(object)
    def _on_picture(self, attachment: Attachment) -> None:
        show_picture(self._chat.attacher.images, attachment, self)

    def _count_waiting(self) -> None:
        waiting = self._chat.tools.calls_to_decide
        count, allowable = len(waiting), sum(not call.is_obstructed for call in waiting)
        for place in self.places:
            if isinstance(place.row, ToolRow):
                last = count > 1 and place.message_id == waiting[-1].message_id
                place.row.set_waiting(WaitingCalls(count, allowable, ends_here=last))

    def _remove_row(self, place: MessagePlace) -> None:
        if place.row is not None:
            if isinstance(place.row, AnswerRow):
                place.wrapped = place.row.wrapped_code
            place.row.resized.disconnect(self._on_row_resized)
            if place.row.has_keys():
                self.focus_left.emit(True)
            place.row.hide()
            place.row.deleteLater()
            place.row = None

    def _update_rows(self) -> None:
        self._left_out = omitted_ids(self._chat.transcript.path)
        for place in self.places:
            self._update_row(place)
        self._on_turn()  # allowed actions may depend on the position

    def _update_row(self, place: MessagePlace) -> None:
        if (row := place.row) is None:
            return
        if isinstance(row, AnswerRow | ToolRow):
            row.set_last(place is self.places[-1])
        if isinstance(row, AnswerRow):
            row.set_continues_tools(self._continues_after_tools(place.message_id))
        elif isinstance(row, UserRow):
            row.set_left_out(place.message_id in self._left_out)
        versions = self._chat.transcript.alternatives(place.message_id)
        row.set_alternative(versions.index(place.message_id) + 1, len(versions))

    def _continues_after_tools(self, message_id: str) -> bool:
        messages = self._chat.transcript
        before = messages[message_id]
        while before.parent_id is not None:
            before = messages[before.parent_id]
            if before.role != "tool":
                break
        calls = before.id != message_id and turn_with_calls(before) is not None
        return calls and before.model == messages[message_id].model
