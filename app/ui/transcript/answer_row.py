from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QPushButton, QToolTip, QWidget

from app.chats.actions import Action, ending_note, is_cut_off
from app.chats.options import ChatOptions, answer_markdown
from app.chats.panel import format_list, heading_of, panel_of, sources
from app.chats.tool_call import turn_with_calls
from app.models.engine_errors import DOES_NOT_FIT
from app.settings.language import mark, tr
from app.store import Message, stored_number
from app.ui.style import tokens as t
from app.ui.style.figures import FIGURES_HELP, figures_line, thought_line
from app.ui.style.theme import markdown_style, scale_height, scaled, theme, ui_font
from app.ui.transcript.markdown_view import MarkdownView
from app.ui.transcript.message_row import (
    DELETE_GAP,
    MOST_LAID_OUT,
    SIDE,
    MessageRow,
    PaneRequest,
    RowAction,
    ShowColumn,
    WhyNot,
    small_text_width,
    truncate_text,
)
from app.ui.widgets.buttons import IconButton, PaintedButton
from app.ui.widgets.labels import make_label, make_link
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.textview import TextView, Words
from app.ui.widgets.widget_behavior import (
    is_part_visible,
    mirror_area,
    mirror_children,
    place_in_lines,
    show_if,
)
from engine.errors import CAPACITY_EXHAUSTED, MODEL_LOAD_FAILED, OUT_OF_MEMORY

if TYPE_CHECKING:
    from app.markdown import MarkdownDocument


class FoldButton(PaintedButton):
    """Line such as "Thought for 3 s" that shows or hides the text below."""

    HEIGHT = 28

    def __init__(self, parent: QWidget, sign: str = "light-bulb") -> None:
        super().__init__(parent)
        self._sign = sign
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        width = QFontMetrics(ui_font()).horizontalAdvance(self.text())
        return QSize(
            width + scaled(t.SMALL_ICON) + scaled(12) + 18,
            max(self.HEIGHT, scale_height(self.HEIGHT)),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = RowPainter.for_widget(self, 2, 6), theme().tokens
        color = tokens.text if self.underMouse() else tokens.muted
        row.ground(row.inner(), ring=self.hasFocus())
        row.icon(self._sign, color, 6)
        row.caret(color, 2, unfolded=self.isChecked(), end=True)
        row.text(self.text(), color, font=ui_font())


class Reasoning(QWidget):
    """Reasoning of a reply, expanded until the text begins unless the user has clicked it."""

    resized = Signal()  # the height that `arrange` returns has changed

    def __init__(self, parent: QWidget) -> None:
        from app.markdown import MarkdownDocument

        super().__init__(parent)
        self.setAccessibleName(tr("Thought"))
        self._markdown = MarkdownDocument(markdown_style(quiet=True), self)
        self._view = MarkdownView(self._markdown, self)
        self._view.setAccessibleName(tr("Thought"))
        self._fold = FoldButton(self)
        self._toggled_by_user = False
        self._fold.clicked.connect(self._on_clicked)
        self._view.height_changed.connect(self.resized)

    @property
    def text(self) -> str:
        return self._markdown.source

    def append(self, text: str) -> None:
        self._markdown.append(text)

    def set_state(self, *, running: bool, thought_s: float | None) -> None:
        self._fold.setText(thought_line(None if running else thought_s or 0.0))
        self._fold.setAccessibleName(self._fold.text())
        if not running:
            self._markdown.finish()
        if not self._toggled_by_user and self._fold.isChecked() != running:
            self._fold.setChecked(running)
            self.resized.emit()
        self._fold.resize(self._fold.sizeHint())

    def restyle(self) -> None:
        self._markdown.set_style(markdown_style(quiet=True))
        self._fold.resize(self._fold.sizeHint())

    def arrange(self, width: int) -> int:
        self._fold.move(0, 0)
        self._view.setVisible(self._fold.isChecked())
        if not self._fold.isChecked():
            return self._fold.height()
        height = self._view.height_for(width - 18)
        self._view.setGeometry(18, self._fold.height() + 4, width - 18, height)
        return self._fold.height() + 4 + height + 4

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._fold.isChecked():
            painter = QPainter(self)
            bar = QRectF(8, self._fold.height() + 4, 2, self._view.height())
            painter.fillRect(bar, QColor(theme().tokens.divider))

    @Slot()
    def _on_clicked(self) -> None:
        self._toggled_by_user = True
        self.resized.emit()


WITHOUT = mark("Use Without Adapter")


class Remedy(Struct, frozen=True):
    words: str
    action: RowAction
    message_id: str
    why_not: str = ""  # reason for disabling the button, or ""


def remedies(message: Message, why_not: WhyNot) -> list[Remedy]:
    """Return the buttons for a failed reply, most promising first."""
    code = str(message.stats.get("code"))
    if code == "context_overflow":
        actions = []
        if not why_not(Action.FORGET_OLDEST, message.id, at_rest=True):
            actions.append((tr("Leave Out Oldest Messages"), Action.FORGET_OLDEST, message.id))
        if message.parent_id is not None:
            actions.append((tr("Edit Message"), Action.EDIT, message.parent_id))
            actions.append((tr("Delete Message"), Action.DELETE, message.parent_id))
        offers = [Remedy(words, act, on, why_not(act, on)) for words, act, on in actions]
        if ChatOptions.from_params(message.stats.get("options", {})).context is not None:
            # the chat uses a reduced context, so raising the limit may help
            offers.append(Remedy(tr("Chat Settings…"), PaneRequest.OPEN_OPTIONS, message.id))
        offers.append(Remedy(tr("Choose Another Model…"), PaneRequest.CHOOSE_MODEL, message.id))
        return offers
    reason = why_not(Action.REGENERATE, message.id)
    offers = [Remedy(tr("Try Again"), Action.REGENERATE, message.id, reason)]
    if message.stats.get("adapter") and code == MODEL_LOAD_FAILED:
        offers.append(Remedy(tr(WITHOUT), PaneRequest.USE_BASE_MODEL, message.id, reason))
    elif code == MODEL_LOAD_FAILED:
        offers.append(Remedy(tr("Choose Another Model…"), PaneRequest.CHOOSE_MODEL, message.id))
    if code == DOES_NOT_FIT:
        offers.insert(0, Remedy(tr("Make It Fit…"), PaneRequest.FREE_MEMORY, message.id))
    if code in {OUT_OF_MEMORY, CAPACITY_EXHAUSTED}:
        offers.append(Remedy(tr("Unload a Model…"), PaneRequest.FREE_MEMORY, message.id))
    return offers


class ErrorBlock(QWidget):
    PAD, GAP = 12, 8

    action_requested = Signal(object, str)  # (RowAction, message ID)
    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = ""
        self.setAccessibleName(tr("Error"))
        self._text = QRect()
        self.buttons: list[QPushButton] = []
        self._offers: list[Remedy] = []

    def show_error(self, words: str, offers: Sequence[Remedy]) -> None:
        self._words = words
        self.setAccessibleName(words)
        if [offer.words for offer in offers] != [offer.words for offer in self._offers]:
            for button in self.buttons:
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(number, offer) for number, offer in enumerate(offers)]
            self.arrange(self.width())
            self.resized.emit()
        self._offers = list(offers)
        for button, offer in zip(self.buttons, offers, strict=True):
            button.setEnabled(not offer.why_not)
            button.setToolTip(offer.why_not)
        self.update()

    def arrange(self, width: int) -> int:
        inner = width - 2 * self.PAD
        flags = Qt.TextFlag.TextWordWrap
        bound = QFontMetrics(ui_font(t.LEAD_PX)).boundingRect(
            0, 0, inner, 10_000, flags, self._words
        )
        self._text = QRect(self.PAD, self.PAD, inner, bound.height())
        bottom = self._text.bottom() + 1
        if self.buttons:
            for button in self.buttons:
                button.adjustSize()
            bottom = place_in_lines(self, self.buttons, bottom + 10, width, self.GAP, self.PAD)
        return bottom + self.PAD

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.danger_wash))
        painter.drawRoundedRect(QRectF(self.rect()), t.RADIUS_SMALL, t.RADIUS_SMALL)
        painter.setPen(QColor(tokens.text))
        painter.setFont(ui_font(t.LEAD_PX))
        if self._words[:1].isascii():  # engine errors are always in English
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.drawText(self._text, Qt.TextFlag.TextWordWrap, self._words)

    def _button(self, number: int, offer: Remedy) -> QPushButton:
        button = QPushButton(offer.words, self)
        if number:  # only the first button is prominent
            button.setObjectName("link")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self._on_clicked(number))
        button.show()
        return button

    def _on_clicked(self, number: int) -> None:
        offer = self._offers[number]
        self.action_requested.emit(offer.action, offer.message_id)


class SilenceNotice(QWidget):
    action_requested = Signal(object)  # (action): Stop or Try Again

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.words = make_label(self)
        self.buttons: list[QPushButton] = []
        row = make_row_layout()
        for words, action in ((tr("Stop"), Action.STOP), (tr("Try Again"), Action.RETRY)):
            button = QPushButton(words, self)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _=False, a=action: self.action_requested.emit(a))
            self.buttons.append(button)
            row.addWidget(button)
        row.addStretch(1)
        self._column = make_column_layout(self.words, row, of=self, margins=(0, 2, 0, 2))
        self.hide()

    def arrange(self, y: int, width: int, line: int) -> int:
        self._column.activate()
        height = max(self._column.totalHeightForWidth(width), self._column.minimumSize().height())
        height = max(height, line)
        self.setGeometry(0, y, width, height)
        return height


class AnswerRow(MessageRow):
    """Row of a reply: model name, reasoning, text, error or end mark, and footer."""

    NAME = 24
    PAD = 12

    def __init__(
        self, message: Message, why_not: WhyNot, parent: QWidget, *, apart: bool = False
    ) -> None:
        """``apart``: the row is in a column that has a heading."""
        from app.markdown import MarkdownDocument

        super().__init__(message, why_not, parent)
        self._markdown = MarkdownDocument(markdown_style(), self, parts=sources(message))
        self._view = MarkdownView(self._markdown, self)
        self._view.setAccessibleName(tr("Reply"))
        self._view.part_requested.connect(lambda letter: self._ask(ShowColumn(letter), message.id))
        self._view.height_changed.connect(self.resized)
        self._view.code_copied.connect(lambda: self._ask(PaneRequest.SAY_COPIED, message.id))
        self._reasoning: Reasoning | None = None
        self._thought_s: float | None = None
        self._last = self._continues_tools = False
        self._in_column = apart
        self._width = 0
        self._mark_area = QRectF()
        self._footer_y = 0
        self._footer_end = 0
        self._figures_area = QRectF()  # empty while the figures are hidden
        self._copy = self._button("copy", tr("Copy Reply"), Action.COPY)
        self._retry = self._button("arrows-clockwise", tr("Regenerate  Ctrl+R"), Action.REGENERATE)
        self._same = self._button(
            "repeat-once", tr("Regenerate with Same Seed  Ctrl+Shift+R"), Action.SAME_AGAIN
        )
        self._panel = self._button("scales", tr("Compare…  Ctrl+Alt+C"), Action.COMPARE)
        self._branch = self._button("git-branch", tr("Branch in New Chat"), Action.BRANCH)
        self._delete = self._button("trash", tr("Delete from Here"), Action.DELETE)
        self._append_answer(truncate_text(message.content, MOST_LAID_OUT, "\n\n"))
        if message.reasoning:
            self._append_reasoning(truncate_text(message.reasoning, MOST_LAID_OUT, "\n\n"))
        self.set_message(message)
        self._reveal()

    # These are created lazily because most replies don't need them.

    @cached_property
    def next_step_button(self) -> QPushButton:
        button = QPushButton(self)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(self._run_end_action)
        button.hide()
        return button

    @cached_property
    def columns_link(self) -> QPushButton:
        link = make_link(self)
        link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        link.clicked.connect(lambda: self._ask(Action.SHOW_COMPARISON, self.message.id))
        return link

    @cached_property
    def silence(self) -> SilenceNotice:
        notice = SilenceNotice(self)
        notice.action_requested.connect(lambda action: self._ask(action, self.message.id))
        return notice

    @cached_property
    def error(self) -> ErrorBlock:
        block = ErrorBlock(self)
        block.action_requested.connect(self.action_requested)
        block.resized.connect(self.resized)
        block.hide()
        return block

    @property
    def text(self) -> str:
        return self._markdown.source

    @property
    def plain_text(self) -> str:
        return self._view.document().toPlainText()

    def mark(self, places: Sequence[tuple[int, int]]) -> None:
        self._view.mark(places)

    def move_code(self, by: int) -> None:
        self._view.move_code(by)

    @property
    def body(self) -> TextView | None:
        return None if self._markdown.is_empty else self._view

    @property
    def markdown(self) -> MarkdownDocument | None:
        return self._markdown

    def pop_menu(self) -> None:
        self._view.pop_menu_by_key()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.pop_menu()

    @property
    def wrapped_code(self) -> frozenset[tuple[int, int]]:
        return self._markdown.wrapped_blocks

    def wrap_code(self, names: frozenset[tuple[int, int]]) -> None:
        for name in names:
            self._markdown.set_wrapped(name, True)

    @property
    def is_streaming(self) -> bool:
        return self.message.status == "streaming"

    def highlight(self, words: Words | None) -> int | None:
        if words is not None:
            self._markdown.refresh()  # also renders text that arrived since the last refresh
        return super().highlight(words)

    def seek(self, words: Words, current: int = -1) -> tuple[int, int | None]:
        self._markdown.refresh()
        return super().seek(words, current)

    def append(self, text: str, kind: str) -> None:
        if kind == "reasoning":
            self._append_reasoning(text)
        elif kind == "answer":
            self._append_answer(text)
        self._update_reasoning()

    def set_silent(self, words: str, *, can_retry: bool = False) -> None:
        """Show a notice that nothing has been generated yet, or hide it if ``words`` is "".

        ``can_retry``: the model is remote, so the request can be sent again.
        """
        words = words if self.is_streaming else ""
        before = self.silence.words.text() if is_part_visible(self, "silence") else ""
        if words == before:
            return
        moves = bool(words) is not bool(before)
        self.silence.words.setText(words)
        for button in self.silence.buttons:
            button.setVisible(can_retry)
        self.silence.setVisible(bool(words))
        self._view.set_caret(self.is_streaming and not words)
        if moves:
            self.resized.emit()

    def set_message(self, message: Message) -> None:
        super().set_message(message)
        has_thought = "thought_s" in message.stats
        self._thought_s = stored_number(message.stats, "thought_s") if has_thought else None
        if not self.is_streaming:
            self._markdown.finish()
        self._view.set_caret(self.is_streaming)
        if not self.is_streaming:
            self.set_silent("")
        self._update_end_action()
        show_if(self, "error", message.status == "error")
        show_if(self, "columns_link", bool(panel_of(message)) and not self._in_column)
        self._update_reasoning()
        self._reveal()
        self.resized.emit()

    def set_last(self, last: bool) -> None:
        """Set whether this is the last message, which is the only one that can be continued."""
        if last != self._last:
            self._last = last
            self._update_end_action()
            self.resized.emit()
            self.update()

    def set_continues_tools(self, continues: bool) -> None:
        """Set whether the reply follows its own tool calls, which already show the name."""
        if continues != self._continues_tools:
            self._continues_tools = continues
            self.resized.emit()
            self.update()

    @property
    def heading(self) -> str:
        return "" if self._continues_tools else heading_of(self.message)

    @property
    def _end_text(self) -> str:
        if words := ending_note(self.message):
            return words
        calls = turn_with_calls(self.message) is not None
        empty = self.message.status == "complete" and self._markdown.is_empty and not calls
        return tr("Empty reply") if empty else ""

    @property
    def _is_only_calls(self) -> bool:
        """Return True if the reply has only tool calls. Its name and footer share a line."""
        complete = self.message.status == "complete"
        return complete and self._markdown.is_empty and turn_with_calls(self.message) is not None

    @property
    def _end_action(self) -> Action | None:
        """Return the action to offer below an unfinished last reply, or None.

        That's Regenerate if the reply has no text or the server can't continue it.
        """
        if not self._last or self.is_streaming:
            return None
        if is_cut_off(self.message) and not self._why_not(
            Action.CONTINUE, self.message.id, at_rest=True
        ):
            return Action.CONTINUE
        cut = self.message.status == "interrupted" or is_cut_off(self.message)
        empty = self.message.status == "complete"
        return Action.REGENERATE if (cut or empty) and self._end_text else None

    @Slot()
    def _run_end_action(self) -> None:
        if (way := self._end_action) is not None:
            self._ask(way, self.message.id)

    def _update_end_action(self) -> None:
        way = self._end_action
        if way is None and not is_part_visible(self, "next_step_button"):
            return
        before = (self.next_step_button.text(), self.next_step_button.isHidden())
        if way is not None:
            regenerates = way is Action.REGENERATE
            self.next_step_button.setText(tr("Regenerate") if regenerates else tr("Continue"))
            self._set_button_enabled(
                self.next_step_button, way, tr("Continue this reply") if not regenerates else ""
            )
        self.next_step_button.setVisible(way is not None)
        if before != (self.next_step_button.text(), self.next_step_button.isHidden()):
            self.resized.emit()

    def set_thought(self, thought_s: float | None) -> None:
        if thought_s is not None and self._thought_s is None:
            self._thought_s = thought_s
            self._update_reasoning()

    def arrange(self, width: int) -> int:
        self._width = width
        only_calls = self._is_only_calls
        y = 0 if self._continues_tools else scaled(self.NAME)
        y = max(y, scale_height(SIDE)) if only_calls else y
        if self._reasoning is not None:
            height = self._reasoning.arrange(width)
            self._reasoning.setGeometry(0, y, width, height)
            y += height + 4
        empty = self._markdown.is_empty
        silent = is_part_visible(self, "silence")
        waits = self.is_streaming and not silent
        self._view.setVisible(not empty or waits)
        height = max(self._view.height_for(width), 22)
        if not empty or waits:
            self._view.setGeometry(0, y, width, height)
            y += height
        if silent:
            y += self.silence.arrange(y, width, height if empty else 0)
        y = self._arrange_end(width, y)
        self._footer_y = 0 if only_calls else y
        # Align the icons with the text, not the edges of their buttons.
        x = self._footer_left() - 4
        for button in self._actions():
            x += DELETE_GAP if button is self._delete else 0
            button.move(x, self._footer_y)
            x += scale_height(SIDE)
        # After the icons, which keep their places when the reply gets a second version.
        if self._alternative[1] > 1:
            self._place_alternatives(x + 4, self._footer_y)
            x += 4 + self._alternatives_width()
        self._footer_end = x + 8
        ways = [
            getattr(self, part)
            for part in ("next_step_button", "columns_link")
            if is_part_visible(self, part)
        ]
        mirror_children(self, *self._actions(), self._previous, self._next, *ways, width=width)
        return y if only_calls else self._footer_y + self._footer_height

    def _arrange_end(self, width: int, y: int) -> int:
        self._mark_area = QRectF()
        if self.message.status == "error":
            top = y + (0 if self._markdown.is_empty else 8)
            height = self.error.arrange(width)
            self.error.setGeometry(0, top, width, height)
            return top + height + 2
        if self._end_text:
            self._mark_area = QRectF(0, y + 4, width, scale_height(20))
            y = round(self._mark_area.bottom())
        if is_part_visible(self, "next_step_button"):
            self.next_step_button.adjustSize()
            self.next_step_button.move(0, y + 6)
            y += 6 + self.next_step_button.height() + 2
        if is_part_visible(self, "columns_link"):
            names = format_list(sources(self.message))
            words = tr("Show Comparison: {names}", names=names) if names else tr("Show Comparison")
            measure, right = self.columns_link.fontMetrics(), Qt.TextElideMode.ElideRight
            self.columns_link.setText(
                measure.elidedText(words, right, width - 24).replace("&", "&&")
            )
            self.columns_link.setAccessibleName(words)
            self.columns_link.adjustSize()
            self.columns_link.move(0, y + 8)
            y += 8 + self.columns_link.height()
        return y

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._view.isVisible() and self._view.geometry().contains(event.rect()):
            return  # only text was added, and the view paints it
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(ui_font(t.SMALL_PX))
        painter.setPen(QColor(tokens.muted))
        name = QRectF(0, 0, self._width, scaled(self.NAME))
        upright = Qt.AlignmentFlag.AlignTop
        if self._is_only_calls:
            name.setHeight(scale_height(SIDE))
            upright = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(name, upright, self.heading)
        # A stopped reply may have been resumed since the last layout.
        if not self._mark_area.isEmpty():
            painter.drawText(self._mark_area, Qt.AlignmentFlag.AlignVCenter, self._end_text)
        # While a reply is being continued, its stats are outdated.
        if not self.is_streaming and (self._are_buttons_revealed() or self._should_show_figures()):
            room = self._width - self._footer_end
            area = QRectF(self._footer_end, self._footer_y, room, scale_height(SIDE))
            line = figures_line(self.message.stats)
            if small_text_width(line) > room - 8:
                line = figures_line(self.message.stats, short=True)
            if small_text_width(line) > room:
                line = ""
            self._figures_area = area = mirror_area(self, area)
            alignment = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(area, alignment, line)
        else:
            self._figures_area = QRectF()
        self._paint_alternatives(painter)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            is_over = self._figures_area.contains(QPointF(event.pos()))
            line = figures_line(self.message.stats) if is_over else ""
            QToolTip.showText(
                event.globalPos(), f"{line}\n{tr(FIGURES_HELP)}" if line else "", self
            )
            return True
        return super().event(event)

    def _footer_left(self) -> int:
        return small_text_width(self.heading) + 12 if self._is_only_calls and self.heading else 0

    def _should_show_figures(self) -> bool:
        return self._last and self.message.stats.get("same") is not None

    def _reveal(self) -> None:
        # A reply can't be copied or regenerated while it's still being generated.
        for button in self._actions():
            button.setVisible(not self.is_streaming)
        super()._reveal()

    def show_actions(self) -> None:
        super().show_actions()
        self._update_end_action()
        if self.message.status == "error":
            self.error.show_error(self.message.error, remedies(self.message, self._why_not))

    def _actions(self) -> tuple[IconButton, ...]:
        return self._copy, self._branch, self._panel, self._same, self._retry, self._delete

    def _append_answer(self, text: str) -> None:
        if text:
            first = self._markdown.is_empty
            if first:
                text = answer_markdown(replace(self.message, content=text))
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
            running = self.is_streaming and self._markdown.is_empty
            self._reasoning.set_state(running=running, thought_s=self._thought_s)
            self._view.set_caret(self.is_streaming and not running)

    def restyle(self) -> None:
        self._markdown.set_style(markdown_style())
        self._view.mark_again()
        if self._reasoning is not None:
            self._reasoning.restyle()
        self.resized.emit()
        self.update()
