"""Dialog that shows two branches of a chat side by side, from their fork."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Event

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app import flows
from app.chats.chat import Chat
from app.chats.differences import Span, differences
from app.chats.tree import branch_name
from app.markdown import MarkdownDocument
from app.settings.language import counted, tr
from app.store import Message
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import markdown_style, scaled, theme, ui_font
from app.ui.transcript.markdown_view import MarkdownView
from app.ui.transcript.message_row import author_of, truncate_text
from app.ui.widgets.labels import make_label
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout, nest
from app.ui.widgets.sheet import Sheet, retain_size_when_hidden
from app.ui.widgets.textview import TextView

MOST = 40  # limit of messages per branch
_MAX_CHARACTERS = 20_000  # per message


class BranchColumn(QScrollArea):
    def __init__(self, messages: Sequence[Message], parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        float_bars(self)
        inside = QWidget(self)
        self._rows = make_column_layout(of=inside, margins=(0, 8, 16, 12), spacing=4)
        # In message order.
        self.texts = [self._add_message(message, inside) for message in messages[:MOST]]
        if (omitted := len(messages) - MOST) > 0:
            words = counted("… %Ln more message", "… %Ln more messages", omitted)
            self._rows.addWidget(make_label(inside, words))
        self._rows.addStretch(1)
        self.setWidget(inside)
        self.setWidgetResizable(True)

    def _add_message(self, message: Message, inside: QWidget) -> TextView:
        head = make_label(inside, author_of(message), wrap=False)
        text = truncate_text(message.content or message.error, _MAX_CHARACTERS, "\n\n")
        if message.role == "assistant":
            markdown = MarkdownDocument(markdown_style(), inside)
            view: TextView = MarkdownView(markdown, inside)
            markdown.append(text)
            markdown.finish()
        else:
            document = QTextDocument(inside)
            document.setDefaultFont(ui_font(theme().body_px))
            document.setPlainText(text)
            view = TextView(document, inside)
        view.setAccessibleName(author_of(message))
        view.height_changed.connect(self._update_heights)
        self._rows.addWidget(head)
        self._rows.addWidget(view)
        self._rows.addSpacing(12)
        return view

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_heights()

    def _update_heights(self) -> None:
        margins = self._rows.contentsMargins()
        width = self.viewport().width() - margins.left() - margins.right()
        for view in self.texts:
            view.setFixedHeight(max(22, view.height_for(width)))


class BranchCompare(Sheet):
    branch_chosen = Signal(str)  # (message ID): show the branch with this message

    def __init__(self, chat: Chat, first_id: str, other: str, parent: QWidget) -> None:
        super().__init__("branch-compare", tr("Compare Branches"), parent)
        paths = [chat.transcript.branch_through(message_id) for message_id in (first_id, other)]
        now, common = {message.id for message in chat.transcript.iterate_back()}, 0
        for left, right in zip(*paths, strict=False):
            if left.id != right.id:
                break
            common += 1
        if common:
            beginning_of_last = " ".join(paths[0][common - 1].content[:200].split())
            self.add_rows(
                self.make_label(tr("Both continue from “{words}”", words=beginning_of_last))
            )
        row = make_row_layout(spacing=16)
        self.columns = []
        for path in paths:
            rest = [chat.message_to_display(message.id) for message in path[common:]]
            column = make_column_layout(spacing=4)
            first = path[common] if len(path) > common else path[-1]
            is_current = first.id in now
            name = branch_name(first.stats) or (
                tr("Shown branch") if is_current else tr("Other branch")
            )
            head = make_row_layout((self.make_heading(name), 1), spacing=None)
            show = self.button(tr("Show This Branch"), partial(self._on_chosen, first.id))
            show.setAccessibleDescription(name)
            retain_size_when_hidden(show)  # lets both columns start at the same height
            show.setVisible(not is_current)
            head.addWidget(show)
            self.columns.append(BranchColumn(rest, self))
            self.columns[-1].setAccessibleName(name)
            nest(column, head)
            column.addWidget(self.columns[-1], 1)
            nest(row, column, 1)
        nest(self.rows, row, 1)
        self.add_buttons()
        self.setMinimumSize(scaled(440), scaled(300))
        self.resize(scaled(920), scaled(600))
        flows.start(self, self._mark_differences())

    def _on_chosen(self, message_id: str) -> None:
        self.branch_chosen.emit(message_id)
        self.accept()

    async def _mark_differences(self) -> None:
        for first, second in zip(*(column.texts for column in self.columns), strict=False):
            texts = [view.document().toPlainText() for view in (first, second)]
            first_spans, second_spans = await flows.run_in_thread(
                partial(_find_differences, *texts)
            )
            first.mark(first_spans)
            second.mark(second_spans)


def _find_differences(first: str, second: str, stop: Event) -> tuple[list[Span], list[Span]]:
    return differences(first, second)
