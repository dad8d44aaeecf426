"""A model's answer on screen: page text under a small name, with what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.chats.actions import Action, cut_off
from app.chats.tool_history import turn_with_calls
from app.language import mark, tr
from app.markdown import MarkdownDocument
from app.store import Message
from app.ui.style import tokens as t
from app.ui.style.figures import figures_line
from app.ui.style.markdown_style import markdown_style
from app.ui.style.theme import scaled, theme, ui_font
from app.ui.transcript.error_block import ErrorBlock, remedies
from app.ui.transcript.markdown_view import MarkdownView
from app.ui.transcript.message_row import FOOTER, Can, MessageRow, small_text_width
from app.ui.transcript.reasoning import Reasoning
from app.ui.transcript.tool_words import MOST_LAID_OUT, beginning
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.mirror import mirror, mirrored

_MARKS = {
    "cancelled": mark("Stopped"),
    "interrupted": mark("Interrupted when Stretto was closed"),
}


class AnswerRow(MessageRow):
    """Name, thought, text, then an error or a mark where the text ends, and the footer."""

    NAME = 24
    PAD = 12

    def __init__(self, message: Message, can: Can, parent: QWidget) -> None:
        super().__init__(message, can, parent)
        self._markdown = MarkdownDocument(markdown_style(), self)
        self._view = MarkdownView(self._markdown, self)
        self._view.setAccessibleName(tr("Answer"))
        self._view.height_changed.connect(self.resized)
        self._view.code_copied.connect(lambda: self.asked.emit("copied", message.id))
        self._reasoning: Reasoning | None = None
        self._thought_s: float | None = None
        self._last = False
        self._width = 0
        self._mark = QRectF()
        self._footer_y = 0
        self._room = 0
        self._copy = self._button("copy", tr("Copy answer"), Action.COPY)
        self._again = self._button(
            "arrows-clockwise", tr("Answer again  Ctrl+R"), Action.REGENERATE
        )
        self._same = self._button(
            "repeat-once",
            tr("Same again, with this answer's model, seed and settings  Ctrl+Shift+R"),
            Action.SAME_AGAIN,
        )
        self._branch = self._button("git-branch", tr("Go on in a new chat"), Action.BRANCH)
        self._delete = self._button("trash", tr("Delete this and what follows"), Action.DELETE)
        self._continue = QPushButton(tr("Continue"), self)
        self._continue.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._continue.clicked.connect(lambda: self._ask(Action.CONTINUE, self.message.id))
        self._continue.hide()
        self._error = ErrorBlock(self)
        self._error.asked.connect(self.asked)
        self._error.resized.connect(self.resized)
        self._error.hide()
        self._append_answer(beginning(message.content, MOST_LAID_OUT, "\n\n"))
        if message.reasoning:
            self._append_reasoning(beginning(message.reasoning, MOST_LAID_OUT, "\n\n"))
        self.set_message(message)
        self._reveal()

    @property
    def text(self) -> str:
        """The answer's Markdown as it is shown."""
        return self._markdown.source

    @property
    def plain_text(self) -> str:
        """The answer as it reads, a character for each of the document's."""
        return self._view.document().toPlainText()

    def mark(self, places: Sequence[tuple[int, int]]) -> None:
        """Mark places of `plain_text`; none takes the marks away."""
        self._view.mark(places)

    @property
    def remedies(self) -> list[QPushButton]:
        """The buttons below an error."""
        return self._error.buttons

    def move_code(self, by: int) -> None:
        self._view.move_code(by)

    def pop_menu(self) -> None:
        self._view.pop_menu()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.pop_menu()

    @property
    def wrapped_code(self) -> frozenset[tuple[int, int]]:
        """The code blocks whose long lines the person had broken."""
        return self._markdown.wrapped

    def wrap_code(self, names: frozenset[tuple[int, int]]) -> None:
        """Break the long lines of these code blocks."""
        for name in names:
            self._markdown.wrap(name, True)

    @property
    def streaming(self) -> bool:
        return self.message.status == "streaming"

    def append(self, text: str, kind: str) -> None:
        if kind == "reasoning":
            self._append_reasoning(text)
        elif kind == "answer":
            self._append_answer(text)
        self._update_reasoning()

    def set_message(self, message: Message) -> None:
        super().set_message(message)
        self._thought_s = message.stats.get("thought_s")
        if not self.streaming:
            self._markdown.finish()
        self._view.set_caret(self.streaming)
        self._continue.setVisible(self._can_continue())
        self._error.setVisible(message.status == "error")
        self._update_reasoning()
        self._reveal()
        self.resized.emit()

    def set_last(self, last: bool) -> None:
        """The newest answer shows its figures always, the others on hover."""
        if last != self._last:
            self._last = last
            self._continue.setVisible(self._can_continue())
            self.resized.emit()
            self.update()

    @property
    def _only_calls(self) -> bool:
        """Whether it called tools and said nothing: its name and its footer share a line."""
        ended = not self.streaming and self.message.status not in (*_MARKS, "error")
        return ended and not self._markdown.source and turn_with_calls(self.message) is not None

    def _can_continue(self) -> bool:
        """Whether the answer ended before its time, and stands last."""
        return self._last and not self.streaming and cut_off(self.message)

    def set_thought(self, thought_s: float | None) -> None:
        """How long it has thought, known as soon as the answer begins."""
        if thought_s is not None and self._thought_s is None:
            self._thought_s = thought_s
            self._update_reasoning()

    def arrange(self, width: int) -> int:
        self._width = width
        only_calls = self._only_calls
        y = max(FOOTER if only_calls else self.NAME, scaled(self.NAME))
        if self._reasoning is not None:
            height = self._reasoning.arrange(width)
            self._reasoning.setGeometry(0, y, width, height)
            y += height + 4
        empty = not self._markdown.source
        self._view.setVisible(not empty or self.streaming)
        if not empty or self.streaming:
            height = max(self._view.height_for(width), 22)
            self._view.setGeometry(0, y, width, height)
            y += height
        y = self._arrange_end(width, y)
        self._footer_y = 0 if only_calls else y + 2
        x = width - 26 + 5
        for button in self._actions():
            button.move(x, self._footer_y)
            x -= 26
        self._room = x + 26
        if self._alternative[1] > 1:
            self._room -= self._alternatives_width() + 6
            self._place_alternatives(self._room, self._footer_y)
        buttons = (*self._actions(), self._previous, self._next, self._continue)
        mirror(self, *buttons, width=width)
        return y if only_calls else self._footer_y + FOOTER

    def _arrange_end(self, width: int, y: int) -> int:
        """Place the error block or the mark below the text; returns where it ends."""
        self._mark = QRectF()
        if self.message.status == "error":
            top = y + (8 if self._markdown.source else 0)
            height = self._error.arrange(width)
            self._error.setGeometry(0, top, width, height)
            return top + height + 2
        if self.message.status in _MARKS:
            self._mark = QRectF(0, y + 4, width, 20)
            y += 24
        if self._can_continue():
            self._continue.adjustSize()
            self._continue.move(0, y + 6)
            y += 6 + self._continue.height() + 2
        return y

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(ui_font(t.SMALL_PX))
        painter.setPen(QColor(tokens.muted))
        name = QRectF(0, 0, self._width, scaled(self.NAME))
        upright, beside = Qt.AlignmentFlag.AlignTop, 0
        if self._only_calls:
            name.setHeight(26)
            upright = Qt.AlignmentFlag.AlignVCenter
            beside = small_text_width(self.message.model) + 12
        painter.drawText(name, upright, self.message.model)
        # The status may be newer than the layout: an answer that was stopped goes on.
        if not self._mark.isEmpty() and (ending := _MARKS.get(self.message.status)):
            painter.drawText(self._mark, Qt.AlignmentFlag.AlignVCenter, tr(ending))
        if self._last or self._revealed():
            room = self._room - beside
            area = QRectF(beside, self._footer_y, room, 26)
            line = figures_line(self.message.stats)
            if small_text_width(line) > room - 8:
                line = figures_line(self.message.stats, short=True)
            if small_text_width(line) > room:
                line = ""
            area = mirrored(self, area)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, line)
        self._paint_alternatives(painter)

    def _reveal(self) -> None:
        # While it streams there is nothing to copy or to ask again.
        for button in self._actions():
            button.setVisible(not self.streaming)
        super()._reveal()

    def show_actions(self) -> None:
        super().show_actions()
        self._allow(self._continue, Action.CONTINUE, tr("Go on where the answer was cut off"))
        if self.message.status == "error":
            self._error.show_error(self.message.error, remedies(self.message, self._can))

    def _actions(self) -> tuple[IconButton, ...]:
        """The footer's buttons from the right."""
        return (self._again, self._same, self._branch, self._copy, self._delete)

    def _append_answer(self, text: str) -> None:
        if text:
            first = not self._markdown.source
            self._markdown.append(text)
            if first:
                self.resized.emit()

    def _append_reasoning(self, text: str) -> None:
        if self._reasoning is None:
            self._reasoning = Reasoning(self)
            self._reasoning.resized.connect(self.resized)
            self._reasoning.show()
            self.resized.emit()
        self._reasoning.append(text)

    def _update_reasoning(self) -> None:
        if self._reasoning is not None:
            running = self.streaming and not self._markdown.source
            self._reasoning.set_state(running=running, thought_s=self._thought_s)
            self._view.set_caret(self.streaming and not running)

    @Slot()
    def _on_theme(self) -> None:
        self._markdown.set_style(markdown_style())
        self._view.mark_again()
        if self._reasoning is not None:
            self._reasoning.restyle()
        self.resized.emit()
        self.update()
