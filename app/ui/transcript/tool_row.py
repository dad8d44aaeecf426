"""Row of a tool call: first a card that asks for permission, later the folded result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import monotonic

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPushButton, QWidget

from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.lanes import HelperRun, lanes_of
from app.chats.tool_call import CallState, find_argument_error, result_of
from app.settings.language import counted, tr
from app.store import Message
from app.tools.consent import Decision
from app.tools.granted_folders import Difference
from app.tools.tool import to_readable_json
from app.ui.style import tokens as t
from app.ui.style.figures import seconds
from app.ui.style.theme import code_font, repolish, theme, ui_font
from app.ui.transcript.answer_row import FoldButton
from app.ui.transcript.helper_lanes import HelperLanes
from app.ui.transcript.message_row import MessageRow, PaneRequest, truncate_text
from app.ui.transcript.question_form import QuestionForm
from app.ui.transcript.tool_card import (
    BUTTONS,
    FOR_ALL,
    ToolCardState,
    WaitingCalls,
    card_state,
    displayed_arguments,
    result_heading,
    server_questions,
    tool_of,
    visible_lines,
)
from app.ui.widgets.fields import make_text_field
from app.ui.widgets.textview import TextView
from app.ui.widgets.widget_behavior import (
    escape_tooltip,
    mirror_area,
    mirror_children,
    place_in_lines,
)

KEYS = {
    Qt.Key.Key_Return: Decision.ONCE,
    Qt.Key.Key_Enter: Decision.ONCE,
    Qt.Key.Key_T: Decision.TOOL,
    Qt.Key.Key_S: Decision.SERVER,
    Qt.Key.Key_D: Decision.DENY,
}


class CallWriter:
    """Writes a tool call into a document as plain text, without links, images or formatting.

    Labels and diff lines are colored. Text from the call isn't, so it can't imitate them.
    """

    SPACE = 8  # vertical space between parts, in pixels

    def __init__(self, document: QTextDocument) -> None:
        document.setDefaultFont(code_font())
        document.clear()
        self._cursor = QTextCursor(document)
        self._empty = True

    def arguments(self, pairs: Iterable[tuple[str, str]]) -> None:
        for label, text in pairs:
            if label:
                self._insert(label, "muted", ui=True, space=self.SPACE)
            self._insert(text, "text", space=0 if label else self.SPACE)

    def text(self, text: str) -> None:
        if text:
            self._insert(visible_lines(text), "text", space=self.SPACE)

    def difference(self, lines: Sequence[str]) -> None:
        """Color a unified diff. Lines keep their signs for users who can't see the colors."""
        begin = 0
        for at in range(1, len(lines) + 1):
            if at == len(lines) or lines[at][:1] != lines[begin][:1]:
                text, space = "\n".join(lines[begin:at]), 0 if begin else self.SPACE
                color, ground = _SIGNS.get(lines[begin][:1], ("muted", ""))
                self._insert(text, color, ground=ground, space=space)
                begin = at

    def _insert(
        self, text: str, color: str, *, ground: str = "", ui: bool = False, space: int = 0
    ) -> None:
        block, letters = QTextBlockFormat(), QTextCharFormat()
        if ground:
            block.setBackground(theme().color(ground))
        letters.setForeground(theme().color(color))
        letters.setFont(ui_font(t.SMALL_PX) if ui else code_font())
        first = QTextBlockFormat(block)
        first.setTopMargin(0 if self._empty else space)
        if self._empty:
            self._cursor.setBlockFormat(first)
            self._cursor.setBlockCharFormat(letters)
        else:
            self._cursor.insertBlock(first, letters)
        self._empty = False
        line, newline, rest = text.partition("\n")
        self._cursor.insertText(line, letters)
        if newline:
            self._cursor.insertBlock(block, letters)
            self._cursor.insertText(rest, letters)


_SIGNS = {"+": ("success", "success_wash"), "-": ("danger", "danger_wash"), " ": ("text", "")}


PAD, GAP, HEAD = 14, 8, 24


def paint_card(painter: QPainter, card: QRect, headline: str, waits: bool) -> None:
    """Paint a card's frame and headline. ``waits``: the user has to decide."""
    tokens = theme().tokens
    painter.setPen(QColor(tokens.accent if waits else tokens.border_strong))
    painter.setBrush(QColor(tokens.raised))
    edge = QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(edge, t.RADIUS_SMALL, t.RADIUS_SMALL)
    head = QRectF(PAD, PAD, card.width() - 2 * PAD, HEAD)
    font = ui_font(t.UI_PX, QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(QColor(tokens.text))
    middle = Qt.TextElideMode.ElideMiddle
    words = QFontMetrics(font).elidedText(headline, middle, round(head.width()))
    painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, words)


def paint_words(painter: QPainter, area: QRect, words: str, color: str) -> None:
    painter.setFont(ui_font())
    painter.setPen(theme().color(color))
    painter.drawText(area, Qt.TextFlag.TextWordWrap, words)


def height_of(words: str, width: int) -> int:
    flags = Qt.TextFlag.TextWordWrap
    bound = QFontMetrics(ui_font()).boundingRect(0, 0, width, 10_000, flags, words)
    return bound.height() if words else 0


class ToolRow(MessageRow):
    MOST_LINES = 12
    # Characters of arguments that are displayed. Longer arguments open in the editor.
    MOST_SHOWN = 20_000
    INSET = 10  # padding of text inside its background
    SILENT_S = 10  # seconds without a result before the user can retry

    def __init__(self, message: Message, chat: Chat, parent: QWidget) -> None:
        super().__init__(message, chat.why_not, parent)
        self._tools, self._helper_runner = chat.tools, chat.helper_runner
        self._call = self._tools.calls.get(message.id)
        self._card, self._last, self._error = QRect(), False, ""
        self._about_area, self._note_area = QRect(), QRect()
        self._ground, self._separator = QRect(), QRect()
        self._calls = WaitingCalls()
        self._fold = FoldButton(self, "wrench")
        self._fold.clicked.connect(self.resized)
        self.arguments = make_text_field(self, tr("Arguments"))
        self.arguments.textChanged.connect(self._on_written)
        self._view = TextView(QTextDocument(), self)
        self.lanes: HelperLanes | None = None
        self._shows_match = False  # a search match is shown in place of the lanes
        self._buttons_by_key = {
            key: self._make_button(words and tr(words), tr(tip))
            for key, (words, tip) in BUTTONS.items()
        }
        tools, message_id = self._tools, message.id
        acts: dict[Decision | str, Callable[[], object]] = {
            "grant": partial(tools.allow_writing, message_id),
            "tools": partial(self._ask, PaneRequest.OPEN_TOOLS, message_id),
            **{decision: partial(self._decide, decision) for decision in KEYS.values()},
            "edit": self.edit,
            "stop": partial(tools.stop_call, message_id),
            "retry": partial(tools.retry_call, message_id),
            "all": partial(tools.decide_all, Decision.ONCE),
            "none": partial(tools.decide_all, Decision.DENY),
        }
        for key, act in acts.items():
            self._buttons_by_key[key].clicked.connect(lambda _=False, act=act: act())
        self._continue_button = self._make_button(
            tr("Continue"), tr("Let the model continue with the results")
        )
        self._continue_button.clicked.connect(lambda: self._ask(Action.GO_ON, message_id))
        for primary in ("grant", Decision.ONCE):
            self._buttons_by_key[primary].setObjectName("primary")
        self._card_state = ToolCardState()
        self._form: QuestionForm | None = None
        self._tick_timer = QTimer(self, interval=1000)
        self._tick_timer.timeout.connect(self._on_tick)
        self._show()
        self._reveal()

    @property
    def state(self) -> CallState:
        return self._call.state if self._call is not None else CallState.OVER

    @property
    def buttons(self) -> list[QPushButton]:
        candidates = [b for key, b in self._buttons_by_key.items() if key not in FOR_ALL]
        return [b for b in (*candidates, self._continue_button) if not b.isHidden()]

    @property
    def buttons_for_all(self) -> list[QPushButton]:
        return [
            self._buttons_by_key[key] for key in FOR_ALL if not self._buttons_by_key[key].isHidden()
        ]

    @property
    def notice(self) -> str:
        """Return the problem shown in the card, or ""."""
        return self._error or self._card_state.notice

    @property
    def text(self) -> str:
        return self._view.toPlainText()

    def _sought_in(self, *, is_shown: bool) -> TextView | None:
        if is_shown and self.state is CallState.OVER and not self._fold.isChecked():
            self.fold()
        if is_shown and self.lanes is not None and not self._shows_match:
            self._shows_match = True
            self.resized.emit()
        return self._view

    def append(self, text: str, kind: str) -> None:
        if self.lanes is not None and self._call is not None:
            self.lanes.show_soon(self._call.lanes)

    def set_message(self, message: Message) -> None:
        super().set_message(message)
        self._call = self._tools.calls.get(message.id)
        self._show()

    def set_waiting(self, waiting: WaitingCalls) -> None:
        if waiting != self._calls:
            self._calls = waiting
            self._show()

    @Slot()
    def fold(self) -> None:
        self._fold.click()

    @Slot()
    def edit(self) -> None:
        if self._call is not None and self.state is CallState.ASKING:
            self._call.edited_arguments = to_readable_json(self._call.arguments)
            self._show()
            self.arguments.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_fault(self, words: str) -> None:
        self._error = words
        stands = self._call.displayed_arguments if self._call is not None else "{}"
        self._mark_wrong(bool(words) and find_argument_error(stands) is not None)
        self.resized.emit()
        self.update()

    def _mark_wrong(self, wrong: bool) -> None:
        if bool(self.arguments.property("wrong")) != wrong:
            self.arguments.setProperty("wrong", wrong)
            repolish(self.arguments)

    def show_actions(self) -> None:
        super().show_actions()
        is_visible = (
            self.state is CallState.OVER and not self._why_not(Action.GO_ON, "") and self._last
        )
        if is_visible == self._continue_button.isHidden():
            self._continue_button.setVisible(is_visible)
            self.resized.emit()

    def set_last(self, last: bool) -> None:
        self._last = last
        self.show_actions()

    def arrange(self, width: int) -> int:
        if self.state is CallState.OVER:
            return self._arrange_over(width)
        inner = width - 2 * PAD
        y = PAD + HEAD + 4
        self._about_area = QRect(PAD, y, inner, height_of(self._card_state.about, inner))
        y += self._about_area.height() + (GAP if self._card_state.about else 4)
        self._ground = QRect()
        if not self._view.isHidden():
            height = self._view.height_for(inner - 2 * self.INSET)
            self._ground = QRect(PAD, y, inner, height + 2 * GAP)
            self._view.setGeometry(PAD + self.INSET, y + GAP, inner - 2 * self.INSET, height)
            y += self._ground.height() + GAP
        if self.lanes is not None:
            height = self.lanes.arrange(inner)
            self.lanes.setGeometry(PAD, y, inner, height)
            y += height + GAP
        if not self.arguments.isHidden():
            font = QFontMetrics(self.arguments.font())
            lines = min(max(self.arguments.blockCount(), 1), self.MOST_LINES)
            height = lines * font.lineSpacing() + 38
            self.arguments.setGeometry(PAD, y, inner, height)
            y += height + GAP
        if self._form is not None:
            y += self._form.arrange(PAD, y, inner) + GAP
        self._note_area = QRect(PAD, y, inner, height_of(self.notice, inner))
        y += self._note_area.height() + (GAP + 4 if self.notice else 4)
        for button in (*self.buttons, *self.buttons_for_all):
            button.adjustSize()
        y = place_in_lines(self, self.buttons, y, width, GAP, PAD)
        self._separator = QRect()
        if self.buttons_for_all:
            self._separator = QRect(PAD, y + 12, inner, 1)
            y = place_in_lines(self, self.buttons_for_all, y + 25, width, GAP, PAD)
        self._card = QRect(0, 0, width, y + PAD)
        return y + PAD + 4

    def _arrange_over(self, width: int) -> int:
        hint = self._fold.sizeHint()
        self._fold.resize(min(hint.width(), width), hint.height())
        self._fold.setToolTip(escape_tooltip(self._fold.text()) if hint.width() > width else "")
        self._fold.move(0, 0)
        y = self._fold.height()
        open_, lanes = self._fold.isChecked(), self.lanes
        self._shows_match = self._shows_match and open_
        self._view.setVisible(open_ and (lanes is None or self._shows_match))
        if lanes is not None:
            lanes.setVisible(open_ and not self._shows_match)
            height = lanes.arrange(width - 18)
            lanes.setGeometry(18, y + 4, width - 18, height)
            mirror_children(self, lanes, width=width)
            y += height + 8 if not lanes.isHidden() else 0
        if not self._view.isHidden():
            height = self._view.height_for(width - 18)
            self._view.setGeometry(18, y + 4, width - 18, height)
            y += height + 8
        self._card = QRect(8, self._fold.height() + 4, 2, y - self._fold.height() - 8)
        if not self._continue_button.isHidden():
            self._continue_button.adjustSize()
            self._continue_button.move(0, y + 4)
            y += self._continue_button.height() + 8
        mirror_children(self, self._fold, self._view, self._continue_button, width=width)
        return y

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = theme().tokens, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.state is CallState.OVER:
            if self._fold.isChecked():
                painter.fillRect(mirror_area(self, QRectF(self._card)), QColor(tokens.divider))
            return
        waits = self._call is not None and self._call.is_waiting
        paint_card(painter, self._card, self.headline, waits)
        if self._card_state.about:
            paint_words(painter, self._about_area, self._card_state.about, "muted")
        if not self._ground.isEmpty():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.code_background))
            painter.drawRoundedRect(QRectF(self._ground), t.RADIUS_SMALL, t.RADIUS_SMALL)
        if self.notice:
            paint_words(
                painter, self._note_area, self.notice, "danger" if self._is_wrong else "text"
            )
        if not self._separator.isEmpty():
            painter.fillRect(self._separator, QColor(tokens.border))

    @property
    def _is_wrong(self) -> bool:
        return bool(self.arguments.property("wrong"))

    @property
    def headline(self) -> str:
        """Return the headline of the card, with the elapsed time of a running call."""
        words, call = self._card_state.headline, self._call
        if call is None or call.state is not CallState.RUNNING or call.questions:
            return words
        ran = monotonic() - call.since
        return f"{words} · {seconds(round(ran))}" if ran >= 3 else words

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._form is not None and self._form.press(event, self.hasFocus()):
            return
        decision = KEYS.get(Qt.Key(event.key()))
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        focused = self.window().focusWidget()
        button_key = {Qt.Key.Key_E: "edit", Qt.Key.Key_W: "grant"}.get(Qt.Key(event.key()))
        can_decide = self.state is CallState.ASKING and plain and focused is self
        if isinstance(focused, QPushButton) and decision is Decision.ONCE:
            focused.click()  # Qt only presses buttons with Space; the focused button may be Deny
        elif can_decide and (act := decision or button_key) is not None:
            if act in self._card_state.buttons:
                self._buttons_by_key[act].click()
        elif can_decide and event.key() == Qt.Key.Key_A and self._calls.allowable > 1:
            self._buttons_by_key["all"].click()  # hidden on all cards except the last
        elif self.state is CallState.OVER and event.key() == Qt.Key.Key_Space:
            self._fold.click()
        else:
            super().keyPressEvent(event)

    def _decide(self, decision: Decision) -> None:
        text = self._call.displayed_arguments if self._call is not None else "{}"
        if fault := self._tools.decide(self.message.id, decision, text):
            self.show_fault(fault)

    def _arguments_text(self) -> str:
        if self._call is not None:
            return self._call.arguments
        return str(self.message.stats.get("arguments", ""))

    @Slot()
    def _on_written(self) -> None:
        if self._call is not None and self._call.edited_arguments is not None:
            self._call.edited_arguments = self.arguments.toPlainText()
        if self._error:
            self.show_fault("")

    @Slot()
    def _on_tick(self) -> None:
        if self._is_late == self._buttons_by_key["retry"].isHidden():
            self._show()
        self.update()

    @property
    def _is_late(self) -> bool:
        if self._call is None or self.state is not CallState.RUNNING or self._form is not None:
            return False
        return self.lanes is None and monotonic() - self._call.since >= self.SILENT_S

    def _show_lanes(self) -> None:
        """Create or remove the helper lanes. A call that waits for permission has none."""
        call = self._call
        lanes = call.lanes if call is not None else lanes_of(self.message)
        visible_lanes: list[HelperRun] = lanes if self.state is not CallState.ASKING else []
        if self.lanes is not None and len(self.lanes.lanes) != len(visible_lanes):
            self.lanes.hide()
            self.lanes.deleteLater()
            self.lanes = None
        if visible_lanes and self.lanes is None:
            self.lanes = HelperLanes(len(visible_lanes), self)
            self.lanes.resized.connect(self.resized)
            self.lanes.stop_requested.connect(
                partial(self._helper_runner.stop_lane, self.message.id)
            )
            self.lanes.setVisible(self.state is not CallState.OVER)
        if self.lanes is not None:
            self.lanes.show_lanes(visible_lanes)

    def _show(self) -> None:
        state, call = self.state, self._call
        self._show_lanes()
        asking = state is CallState.ASKING and call is not None and call.tool is not None
        self._show_question()
        if not asking:
            self._error = ""
        pairs = displayed_arguments(tool_of(self.message), self._arguments_text())
        unfit = call is not None and (pairs is None or len(call.arguments) > self.MOST_SHOWN)
        if asking and call is not None and call.edited_arguments is None and unfit:
            call.edited_arguments = to_readable_json(call.arguments)
        card = self._card_state = card_state(
            call, self.message, pairs, self._calls, late=self._is_late
        )
        editing = card.is_editing
        self.arguments.setVisible(editing)
        self.arguments.setFont(code_font())
        if editing and call is not None and self.arguments.toPlainText() != call.edited_arguments:
            self.arguments.setPlainText(call.edited_arguments or "")
        self._mark_wrong(editing and bool(self._error) and self._is_wrong)
        self._fold.setVisible(state is CallState.OVER)
        for key, button in self._buttons_by_key.items():
            button.setVisible(key in card.buttons)
        once, (_, tip) = self._buttons_by_key[Decision.ONCE], BUTTONS[Decision.ONCE]
        once.setEnabled(card.is_ready)
        once.setToolTip(tr(tip) if card.is_ready else tr("Looking for changes…"))
        self._buttons_by_key["all"].setText(
            counted("Allow All", "Allow All %Ln", self._calls.allowable)
        )
        running = "stop" in card.buttons
        if running != self._tick_timer.isActive():
            self._tick_timer.start() if running else self._tick_timer.stop()
        self._fill(pairs, editing)
        if state is CallState.OVER:
            self._fold.setText(result_heading(self.message))
            self._fold.setAccessibleName(self._fold.text())
        self.setAccessibleDescription(self._described())
        self.show_actions()
        self.resized.emit()
        self.update()

    def _described(self) -> str:
        if self.state is CallState.OVER:
            return ""
        return "\n".join(filter(None, (self.headline, self._card_state.about, self.notice)))

    def _fill(self, pairs: list[tuple[str, str]] | None, editing: bool) -> None:
        """Write the arguments, diff or result into the document.

        While the user edits the arguments, the document is empty.
        """
        writer, call = CallWriter(self._view.document()), self._call
        if self.state is CallState.OVER:
            self._view.setAccessibleName(tr("Result"))
            writer.arguments(
                pairs if pairs is not None else [("", visible_lines(self._arguments_text()))]
            )
            for words in server_questions(self.message):
                writer.text(words)
            writer.text(truncate_text(result_of(self.message)))
            return
        self._view.setAccessibleName(tr("What will happen"))
        preview = call.preview if call is not None else None
        if editing:
            pass  # the preview shows the arguments before the edit
        elif isinstance(preview, Difference):
            writer.arguments([("", preview.path)])
            writer.difference(preview.lines)
        elif self._form is None and self.lanes is None and call is not None:
            shown_pairs = pairs or []
            file = [pair for pair in shown_pairs if not pair[0]] if call.needs_preview else []
            # The diff isn't ready yet, so omit the file's text.
            writer.arguments(file or shown_pairs)
        self._view.setVisible(not self._view.document().isEmpty())

    def _show_question(self) -> None:
        questions = self._call.questions if self._call is not None else []
        open_question = questions[0] if questions else None
        if self._form is not None and self._form.open_question is not open_question:
            if self._form.isAncestorOf(self.window().focusWidget() or self):
                self.setFocus()  # otherwise Qt would focus the next widget
            self._form.hide()
            self._form.deleteLater()
            self._form = None
        if open_question is not None and self._form is None:
            self._form = QuestionForm(open_question, self)
            self._form.resized.connect(self.resized)
            self._form.response_chosen.connect(partial(self._tools.answer, self.message.id))
            self._form.show()

    def fields(self) -> list[QWidget]:
        form = self._form.fields() if self._form is not None else []
        return form if self.arguments.isHidden() else [self.arguments, *form]

    def _make_button(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip(tip)
        button.hide()
        return button

    def restyle(self) -> None:
        self._show()
