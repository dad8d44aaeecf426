"""Columns with the replies of a comparison's members."""

from __future__ import annotations

from enum import Enum
from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.chats import panel
from app.chats.chat import Chat
from app.chats.differences import differences
from app.settings.language import mark, tr
from app.store import Message
from app.ui.style import tokens as t
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import focus_pen, scale_height, scaled, set_scaled_font, theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.message_row import state_text
from app.ui.transcript.transcript_view import STEP
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.labels import ElidedLabel
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout, nest
from app.ui.widgets.widget_behavior import announce, escape_tooltip

LEAST = 216  # minimum column width in pixels; four fit into a new window
_MAX_QUESTION_CHARACTERS = 300

WORDS = {
    panel.JUDGE: (mark("Judge"), mark("A model compares the replies in both orders")),
    panel.MERGE: (
        mark("Merge"),
        mark("Combines the replies and cites where each part came from"),
    ),
    panel.VOTE: (mark("Count Votes"), mark("Counts replies that are numbers, choices, or JSON")),
}
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class ComparisonRequest(Enum):
    ASK = "ask"  # compare replies to a message
    KEEP = "keep"  # continue with one reply
    OPEN_AS_CHATS = "open"
    JUDGE = panel.JUDGE
    MERGE = panel.MERGE
    VOTE = panel.VOTE


class ComparisonColumn(QFrame):
    """Column with the reply of one member."""

    action_requested = Signal(object, str)  # (`RowAction`, message ID)
    keep_requested = Signal(str)  # (message ID)
    step_requested = Signal(int)  # (direction): focus another column
    column_scrolled = Signal(int)  # (pixels): the user scrolled the column
    column_focused = Signal()

    def __init__(self, title: str, message: Message, chat: Chat, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.message_id = message.id
        self._title = title
        self._follows_end = True
        self._name = ElidedLabel(title, self)
        self._name.setToolTip(escape_tooltip(title))
        self.keep = QPushButton(tr("Keep"), self)
        self.keep.setObjectName("keep")
        self.keep.setAccessibleName(tr("Keep {name}", name=title))
        self.keep.clicked.connect(lambda: self.keep_requested.emit(self.message_id))
        self._inside = QWidget(self)
        self.row = AnswerRow(message, chat.why_not, self._inside, apart=True)
        self.row.set_continues_tools(True)
        self.row.action_requested.connect(self.action_requested)
        self.row.focus_left.connect(lambda forward: self.step_requested.emit(1 if forward else -1))
        self.area = QScrollArea(self)
        self.area.setWidget(self._inside)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.bar = self.area.verticalScrollBar()
        self.bar.valueChanged.connect(self._on_scrolled)
        # Unlike `valueChanged`, this is only emitted for actions of the user.
        self.bar.actionTriggered.connect(
            lambda _: self.column_scrolled.emit(self.bar.sliderPosition() - self.bar.value())
        )
        head = make_row_layout((self._name, 1), self.keep, margins=(0, 0, 6, 0), spacing=None)
        make_column_layout(head, (self.area, 1), of=self, margins=(12, 10, 6, 6), spacing=6)
        self._layout_timer = QTimer(self, singleShot=True, interval=0)
        self._layout_timer.timeout.connect(self.lay_out)
        self.row.resized.connect(self._layout_timer.start)
        self.row.show()
        self.letter = panel.letter_of(message)
        self.set_message(message)

    def set_message(self, message: Message) -> None:
        self.row.set_message(message)
        words = ", ".join(filter(None, (self._title, state_text(message))))
        self.setAccessibleName(words)
        self.setAccessibleDescription(message.content[:_MAX_QUESTION_CHARACTERS])
        self._layout_timer.start()

    def set_keep_blocked(self, reason: str) -> None:
        self.keep.setEnabled(not reason)
        self.keep.setToolTip(
            reason or tr("Continue from this reply. The others are kept as versions.")
        )
        self.row.show_actions()

    @Slot()
    def lay_out(self) -> None:
        width = max(80, self.area.viewport().width() - 10)
        height = self.row.arrange(width)
        self.row.setGeometry(0, 0, width, height)
        self._inside.resize(width + 10, height + 8)
        if self._follows_end and self.row.is_streaming:
            self.bar.setValue(self.bar.maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._layout_timer.start()
        if self.hasFocus():
            self.column_focused.emit()  # stay on this column's page

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        self._follows_end = value >= self.bar.maximum() - 4

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS:
            self.step_requested.emit(-_STEPS[key] if self.isRightToLeft() else _STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.keep.click()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._scroll_by(STEP if key == Qt.Key.Key_Down else -STEP)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            page = round(self.bar.pageStep() * 0.9)
            self._scroll_by(page if key == Qt.Key.Key_PageDown else -page)
        else:
            super().keyPressEvent(event)

    def _scroll_by(self, by: int) -> None:
        before = self.bar.value()
        self.bar.setValue(before + by)
        self.column_scrolled.emit(self.bar.value() - before)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.column_focused.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(focus_pen())
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), t.RADIUS, t.RADIUS)
        elif self.property("first") is not True:
            edge = self.width() - 1 if self.isRightToLeft() else 0
            painter.fillRect(edge, 8, 1, self.height() - 16, theme().color("border"))


class ComparisonView(QWidget):
    """Page of a pane with a comparison's columns, and buttons to judge, merge or count them."""

    action_requested = Signal(object, str)  # (`RowAction`, message ID)
    requested = Signal(object, str)  # (`ComparisonRequest`, message ID)
    hide_requested = Signal()

    def __init__(self, chat: Chat, parent: QWidget) -> None:
        super().__init__(parent)
        self._chat = chat
        self.columns: list[ComparisonColumn] = []
        self.about = ""  # ID of a message in the displayed comparison
        self.setAccessibleName(tr("Comparison"))
        self.setMinimumWidth(1)  # never widen the pane
        self._question = ElidedLabel("", self, Qt.TextElideMode.ElideRight)
        set_scaled_font(self._question, t.LEAD_PX)
        self.diff = IconButton("git-diff", tr("Show Differences"), self)
        self.diff.setCheckable(True)
        self.diff.toggled.connect(self._mark_differences)
        self.sync = IconButton("arrows-vertical", tr("Scroll Compared Replies Together"), self)
        self.sync.setCheckable(True)
        self.as_chats = IconButton("chat-circle", tr("Open as Chats"), self)
        self.as_chats.clicked.connect(partial(self._request, ComparisonRequest.OPEN_AS_CHATS))
        self.close_button = IconButton("x", tr("Hide Comparison  Esc"), self)
        self.close_button.clicked.connect(self.hide_requested)
        self._inside = QWidget(self)
        self._row = make_row_layout(of=self._inside, spacing=0)
        self._area = QScrollArea(self)
        self._area.setWidget(self._inside)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        # The horizontal bar isn't floating, because it shows that there are more columns.
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.buttons: dict[str, QPushButton] = {}
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        rows = (QHBoxLayout(), QHBoxLayout())  # stacked if the pane is narrow
        for stretch, row in enumerate((self._foot, *rows)):
            row.setSpacing(8)
            if stretch:
                nest(self._foot, row, stretch - 1)
        for kind, (words, tip) in WORDS.items():
            button = QPushButton(tr(words), self)
            button.setToolTip(tr(tip))
            button.clicked.connect(partial(self._request, ComparisonRequest(kind)))
            self.buttons[kind] = button
            rows[kind == panel.VOTE].addWidget(button)
        rows[0].addStretch(1)
        rows[1].addStretch(1)
        buttons = (self.diff, self.sync, self.as_chats, self.close_button)
        head = make_row_layout((self._question, 1), *buttons, spacing=4)
        make_column_layout(head, (self._area, 1), self._foot, of=self, margins=(12, 8, 12, 4))
        chat.text_added.connect(self._on_text)
        chat.message_changed.connect(self._on_changed)
        chat.reply_ended.connect(self._on_ended)
        chat.turn_changed.connect(self.refresh)
        chat.compose_changed.connect(self.refresh)
        chat.path_changed.connect(self._on_path)

    def show_columns(self, message_id: str) -> None:
        self.about = message_id
        focused = [c.letter for c in self.columns if c.message_id == self.current]
        self._remove_columns()
        messages = [
            self._chat.message_to_display(m.id) for m in self._chat.panel_runner.columns(message_id)
        ]
        self.columns = [
            ComparisonColumn(title, message, self._chat, self._inside)
            for title, message in zip(panel.titles(messages), messages, strict=True)
        ]
        for number, column in enumerate(self.columns):
            column.setProperty("first", number == 0)
            column.column_scrolled.connect(partial(self._on_scrolled, column))
            column.action_requested.connect(self.action_requested)
            column.keep_requested.connect(partial(self.requested.emit, ComparisonRequest.KEEP))
            column.step_requested.connect(partial(self._step, number))
            column.column_focused.connect(partial(self._area.ensureWidgetVisible, column, 0, 0))
            self._row.addWidget(column, 1)
            float_bars(column)
        question = panel.question(self._chat.transcript, message_id)
        words = question.content if question is not None else ""
        words = " ".join(words[:_MAX_QUESTION_CHARACTERS].split())
        self._question.set_whole(words)
        self._question.setToolTip(escape_tooltip(words))
        self._fit_columns()
        self._mark_differences()
        self.refresh()
        if focused:
            self.focus_column(focused[0])

    def _request(self, request: ComparisonRequest, *_: object) -> None:
        self.requested.emit(request, self.first_message_id)

    def _remove_columns(self) -> None:
        for column in self.columns:
            column.hide()
            column.deleteLater()
        self.columns = []

    @property
    def first_message_id(self) -> str:
        return self.columns[0].message_id if self.columns else ""

    @property
    def current(self) -> str:
        focused = self.window().focusWidget()
        has = (c.message_id for c in self.columns if c is focused or c.isAncestorOf(focused))
        return next(has, "") if focused is not None else ""

    def focus_column(self, letter: str = "") -> bool:
        """Focus the column with a letter, or else the first. Return True if the letter exists."""
        matches = [c for c in self.columns if c.letter == letter]
        for column in (matches or self.columns)[:1]:
            column.setFocus(Qt.FocusReason.OtherFocusReason)
        return bool(matches)

    @Slot()
    def refresh(self) -> None:
        if not self.columns or self.first_message_id not in self._chat.transcript:
            return
        for kind, button in self.buttons.items():
            reason = self._chat.comparison.why_not(kind, self.first_message_id)
            button.setEnabled(not reason)
            button.setToolTip(reason or tr(WORDS[kind][1]))
            button.setAccessibleDescription(reason or tr(WORDS[kind][1]))
        busy = self._chat.panel_runner.why_not_keep()
        for column in self.columns:
            column.set_keep_blocked(busy)

    def _column(self, message_id: str) -> ComparisonColumn | None:
        return next((c for c in self.columns if c.message_id == message_id), None)

    @Slot(str, str, str)
    def _on_text(self, message_id: str, text: str, kind: str) -> None:
        if (column := self._column(message_id)) is not None:
            column.row.append(text, kind)
            column.row.set_thought(self._chat.reply.thought_s(message_id))

    @Slot(str)
    def _on_changed(self, message_id: str) -> None:
        column = self._column(message_id)
        if column is not None and message_id in self._chat.transcript:
            column.set_message(self._chat.message_to_display(message_id))
            self._mark_differences()

    @Slot()
    def _mark_differences(self) -> None:
        """Highlight differences from the first reply. The first is compared with the second."""
        rows = [column.row for column in self.columns]
        for row in rows:
            row.mark(())
        ended = [row for row in rows if not row.is_streaming] if self.diff.isChecked() else []
        for row in ended[1:]:
            first_spans, second_spans = differences(ended[0].plain_text, row.plain_text)
            row.mark(second_spans)
            if row is ended[1]:
                ended[0].mark(first_spans)

    def _on_scrolled(self, column: ComparisonColumn, by: int) -> None:
        for sibling in self.columns if self.sync.isChecked() else ():
            if sibling is not column:
                sibling.bar.setValue(sibling.bar.value() + by)

    @Slot(str)
    def _on_ended(self, message_id: str) -> None:
        if (
            message_id in self._chat.panel_runner.generators
        ):  # otherwise, one column was regenerated
            announce(self, tr("All members have replied"))

    @Slot()
    def _on_path(self) -> None:
        shown_ids = [c.message_id for c in self.columns]
        message_id = next((i for i in (self.about, *shown_ids) if i in self._chat.transcript), "")
        column_ids = [m.id for m in self._chat.panel_runner.columns(message_id)]
        if shown_ids and not column_ids:
            self._remove_columns()
            self.hide_requested.emit()
        elif column_ids != shown_ids:
            self.show_columns(message_id)

    def _step(self, number: int, by: int) -> None:
        if 0 <= number + by < len(self.columns):
            self.columns[number + by].setFocus(Qt.FocusReason.TabFocusReason)
        elif by > 0:
            self.focusNextChild()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_tall = self.height() > scale_height(230, 6)
        for button in self.buttons.values():
            button.setVisible(is_tall)
        buttons_width = sum(8 + button.sizeHint().width() for button in self.buttons.values())
        horizontal, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._foot.setDirection(horizontal if self.width() > buttons_width + 24 else below)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Set the columns' widths. If not all fit, a page of whole columns is shown."""
        room = self.width() - 24
        column_count = min(len(self.columns), max(1, room // scaled(LEAST)))
        for column in self.columns:
            column.setMinimumWidth(room // column_count)
