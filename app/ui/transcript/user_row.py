"""Row of a user message."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPushButton, QWidget

from app.chats.actions import Action
from app.settings.language import mark, tr
from app.store import Message
from app.ui.style import tokens as t
from app.ui.style.theme import scale_height, scaled, theme, ui_font
from app.ui.transcript.message_row import (
    DELETE_GAP,
    MOST_LAID_OUT,
    SIDE,
    AttachedFiles,
    MessageRow,
    WhyNot,
    small_text_width,
    truncate_text,
)
from app.ui.widgets.labels import make_link
from app.ui.widgets.textview import TextView, Words
from app.ui.widgets.widget_behavior import mirror_area, mirror_children

LEFT_OUT = mark("No longer in context")


class UserRow(MessageRow):
    PAD_X, PAD_Y = 14, 10
    LONGEST = 460
    """Height above which a message, e.g. a pasted file, is folded to ``FOLDED`` pixels with a link.
    """
    FOLDED = 320
    MORE = 28
    PIECE = 20_000
    """Characters to lay out at a time. Laying out 1,000,000 at once blocks for 0.7 s."""

    def __init__(self, message: Message, why_not: WhyNot, parent: QWidget) -> None:
        self._left_out = False
        super().__init__(message, why_not, parent)
        self._document = QTextDocument(self)
        self._view = TextView(self._document, self)
        self._view.setAccessibleName(tr("Your message"))
        self._copy = self._button("copy", tr("Copy Message"), Action.COPY)
        self._edit = self._button("pencil", tr("Edit Message"), Action.EDIT)
        self._panel = self._button("scales", tr("Compare…  Ctrl+Alt+C"), Action.COMPARE)
        self._branch = self._button("git-branch", tr("Edit in New Chat"), Action.BRANCH)
        self._delete = self._button("trash", tr("Delete from Here"), Action.DELETE)
        self.files = AttachedFiles(message.attachments, self) if message.attachments else None
        if self.files is not None:
            self.files.resized.connect(self.resized)
        self._bubble = QRectF()
        self._folded = True
        self._note = QRectF()
        self._fold_link = self._link(self._on_more)
        self._more_text_link = self._link(lambda: self._lay_out_to(len(self._laid_out) + 1))
        self._laid_out = self._text_to_chunk_end(1)
        self._fill()
        self._reveal()

    def _link(self, on_clicked: Callable[[], None]) -> QPushButton:
        link = make_link(self, tr("Show More"))
        link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        link.clicked.connect(on_clicked)
        return link

    @property
    def body(self) -> TextView | None:
        return self._view

    @property
    def note(self) -> str:
        return tr(LEFT_OUT) if self._left_out else ""

    def set_left_out(self, left_out: bool) -> None:
        if left_out != self._left_out:
            self._left_out = left_out
            self._view.setAccessibleDescription(self.note)
            self._name()
            self.update()

    def restyle(self) -> None:
        self._fill()  # in case the text size has changed
        if self.files is not None:
            self.files.restyle()
        self._view.mark_again()
        self.resized.emit()
        self.update()

    def _fill(self) -> None:
        self._document.setDefaultFont(ui_font(theme().body_px))
        self._document.setPlainText(self._laid_out)
        cursor = QTextCursor(self._document)
        cursor.select(QTextCursor.SelectionType.Document)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(
            t.LINE_HEIGHT * scaled(theme().body_px),
            QTextBlockFormat.LineHeightTypes.MinimumHeight.value,
        )
        cursor.mergeBlockFormat(spacing)
        self._view.moveCursor(QTextCursor.MoveOperation.Start)

    @property
    def _full_text(self) -> str:
        return truncate_text(self.message.content, MOST_LAID_OUT)

    @property
    def _has_rest(self) -> bool:
        return len(self._laid_out) < min(len(self.message.content), MOST_LAID_OUT)

    def _text_to_chunk_end(self, end: int) -> str:
        """Return the text up to the end of the chunk that contains the character before ``end``."""
        full_text, limit = self._full_text, min(len(self.message.content), MOST_LAID_OUT)
        to = -(-end // self.PIECE) * self.PIECE
        to += full_text[to - 1 : to + 1] == "\r\n"  # Qt makes \r\n a single line break
        return full_text[:to] if to < limit else full_text

    def _lay_out_to(self, end: int) -> None:
        text, before = self._text_to_chunk_end(end), len(self._laid_out)
        if len(text) > before:
            cursor = QTextCursor(self._document)
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[before:])
            self._laid_out = text
            self.resized.emit()

    def arrange(self, width: int) -> int:
        limit = round(width * 0.85) - 2 * self.PAD_X
        self._document.setTextWidth(limit)
        inner = min(limit, int(self._document.idealWidth()) + 2)
        above = 0
        if self.files is not None:
            unfolded = any(line.isChecked() for line in self.files.lines)
            inner = limit if unfolded else min(limit, max(inner, self.files.preferred_width()))
            above = self.files.arrange(inner) + 6
            self.files.setGeometry(width - inner - self.PAD_X, self.PAD_Y, inner, above - 6)
        height = self._view.height_for(inner)
        left_x = width - inner - 2 * self.PAD_X
        long = height > self.LONGEST
        if long and self._folded:
            height = self.FOLDED
        below = self.MORE if long else 0
        self._bubble = QRectF(left_x, 0, inner + 2 * self.PAD_X, height + below + 2 * self.PAD_Y)
        self._bubble.setHeight(self._bubble.height() + above)
        self._view.setGeometry(left_x + self.PAD_X, self.PAD_Y + above, inner, height)
        self._view.verticalScrollBar().setValue(0)  # Qt scrolls to the text cursor at the end
        self._fold_link.setVisible(long)
        further = self._has_rest and not self._folded
        self._more_text_link.setVisible(further)
        if long:
            self._fold_link.setText(tr("Show More") if self._folded else tr("Show Less"))
            self._fold_link.adjustSize()
            x, y = left_x + self.PAD_X, self.PAD_Y + above + height + 4
            if further:
                self._more_text_link.adjustSize()
                self._more_text_link.move(x, y)
                x += self._more_text_link.width() + 8
            self._fold_link.move(x, y)
        y = round(self._bubble.bottom())
        x = width
        for button in (self._delete, self._edit, self._panel, self._branch, self._copy):
            x -= scale_height(SIDE)
            button.move(x, y)
            x -= DELETE_GAP if button is self._delete else 0
        if self._alternative[1] > 1:
            x -= self._alternatives_width() + 4
            self._place_alternatives(x, y)
        self._note = QRectF(left_x + self.PAD_X, y, x - 6 - left_x - self.PAD_X, scale_height(SIDE))
        if (note_width := small_text_width(tr(LEFT_OUT))) > self._note.width():
            self._note.setLeft(max(0, self._note.right() - note_width))
        self._note = mirror_area(self, self._note, width)
        self._bubble = mirror_area(self, self._bubble, width)
        row_buttons = (self._edit, self._panel, self._branch, self._copy, self._delete)
        buttons = (*row_buttons, self._previous, self._next)
        files = (self.files,) if self.files is not None else ()
        mirror_children(
            self, self._view, self._fold_link, self._more_text_link, *buttons, *files, width=width
        )
        return y + self._footer_height

    def highlight(self, words: Words | None) -> int | None:
        if self.files is not None and words is not None:
            self.files.unfold_found(words, self.message.content)
        if words is not None and self._has_rest and (places := words(self._full_text)):
            self._lay_out_to(places[0][1])
        return self._unfold_to(super().highlight(words))

    def seek(self, words: Words, current: int = -1) -> tuple[int, int | None]:
        places = words(self._full_text) if self._has_rest else ()
        if 0 <= current < len(places):
            self._lay_out_to(places[current][1])
        count, top = super().seek(words, current)
        count = max(count, len(places))
        return count, self._unfold_to(top) if current >= 0 else top

    def _unfold_to(self, top: int | None) -> int | None:
        if top is not None and top > self.FOLDED and self._folded:
            self._on_more()
        return top

    @Slot()
    def _on_more(self) -> None:
        self._folded = not self._folded
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.tint))
        painter.drawRoundedRect(self._bubble, t.RADIUS, t.RADIUS)
        self._paint_alternatives(painter)
        if self.note:
            painter.setFont(ui_font(t.SMALL_PX))
            painter.setPen(QColor(theme().tokens.muted))
            painter.drawText(self._note, Qt.AlignmentFlag.AlignVCenter, self.note)
