"""Selection of text across several messages of a chat.

Qt handles selections within a single text. Once a drag leaves that text, we track a start and end
message ourselves. Messages in between are highlighted if they have a row. Copying reads from the
chat, so it doesn't need rows.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from html import escape
from itertools import pairwise
from typing import NamedTuple, Protocol

import shiboken6
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QScrollBar, QTextBrowser, QWidget

from app import flows
from app.chats.chat import Chat
from app.chats.options import answer_markdown
from app.settings.language import tr
from app.store import Message
from app.ui.transcript.message_row import MOST_LAID_OUT, MessageRow, author_of, truncate_text
from app.ui.widgets.menus import make_menu
from app.ui.widgets.textview import TextView

_TEXT_END = 2**31 - 1  # past the end of any text
_MAX_SYNC_CHARACTERS = 60_000
"""Characters of a selection above which a worker thread prepares the copy."""


class SelectablePlace(Protocol):
    """Message in the chat's path. It has a row only near the visible part."""

    message_id: str
    top: int
    row: MessageRow | None


class SelectableView(Protocol):
    following: bool

    @property
    def places(self) -> Sequence[SelectablePlace]: ...
    def viewport(self) -> QWidget: ...
    def verticalScrollBar(self) -> QScrollBar: ...


class SelectionEnd(NamedTuple):
    """Start or end of a selection: message number and text position."""

    number: int
    position: int
    message_id: str


class CopiedText(NamedTuple):
    """Text copied from a message: Markdown, or plain text typed by the user."""

    speaker: str
    text: str
    typed: bool


class Selection(QObject):
    copied = Signal()  # a large selection was copied in the background

    def __init__(self, view: SelectableView, chat: Chat) -> None:
        super().__init__(view.viewport())
        self._view, self._chat = view, chat
        self._ends: tuple[SelectionEnd, SelectionEnd] | None = None  # anchor and moving end
        # Position of the mouse press, which becomes the anchor if the user drags or Shift+clicks.
        self._origin: SelectionEnd | None = None
        self._last_pressed: TextView | None = None
        self._dragging = False
        self._pointer = QPointF()
        self._pressed_at = QPointF()
        self._scroll = QTimer(self, interval=25)
        self._scroll.timeout.connect(self._on_scroll)

    @property
    def is_across_rows(self) -> bool:
        return self._ends is not None

    def part(self, number: int) -> tuple[int, int] | None:
        if self._ends is None:
            return None
        first, last = sorted(self._ends)
        if not first.number <= number <= last.number:
            return None
        return (
            first.position if number == first.number else 0,
            last.position if number == last.number else _TEXT_END,
        )

    def show_in(self, number: int) -> None:
        row = self._view.places[number].row
        if row is not None and row.body is not None:
            row.body.show_part(self.part(number))

    def clear(self) -> bool:
        had_selection = self._clear_native() or self._ends is not None
        self._set_ends(None)
        return had_selection

    def select_all(self) -> None:
        self.clear()
        places = self._view.places
        if places:
            end = SelectionEnd(len(places) - 1, _TEXT_END, places[-1].message_id)
            self._set_ends((SelectionEnd(0, 0, places[0].message_id), end))

    def begin_in(self, text: TextView) -> None:
        if self._ends is not None or text is not self._last_pressed:
            self.clear()
            self._last_pressed, self._origin = text, None

    def check(self) -> None:
        """Clear the selection if its start or end message has left the path."""
        places = self._view.places
        for end in (*(self._ends or ()), *filter(None, [self._origin])):
            if end.number >= len(places) or places[end.number].message_id != end.message_id:
                self._dragging, self._origin, self._ends = False, None, None
                for number in range(len(places)):
                    self.show_in(number)
                break

    # Mouse. Until the button is released, Qt sends all moves to the text that was pressed.

    def press(self, text: TextView | None, event: QMouseEvent) -> bool:
        """Handle a press in a text or the margin. Return True if the text should ignore it."""
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._pointer = self._pressed_at = event.globalPosition()
        offset = text.place_at(event.position()) if text is not None else 0
        pressed_end = (
            self._end_in(text, offset) if text is not None else self._end_at(self._pointer)
        )
        self._dragging = True
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._origin is not None:
            if text is not None and text is self._last_pressed and self._ends is None:
                return False  # Qt extends its own selection
            if pressed_end is not None:
                self._clear_native()
                self._set_ends((self._ends[0] if self._ends else self._origin, pressed_end))
                self._last_pressed = text
                return True
        if text is None or text is not self._last_pressed or self._ends is not None:
            self.clear()
        self._last_pressed, self._origin = text, pressed_end
        if text is not None:
            cursor = text.textCursor()
            # Pressing on selected text may start drag and drop.
            self._dragging = not cursor.selectionStart() <= offset < cursor.selectionEnd()
        return False

    def drag(self, event: QMouseEvent) -> bool:
        """Extend the selection. Return True if the pressed text should ignore the move."""
        if not self._dragging or not event.buttons() & Qt.MouseButton.LeftButton:
            return False
        self._pointer = event.globalPosition()
        if not self._is_drag():
            return False
        self._view.following = False
        if not self._scroll.isActive():
            self._scroll.start()
        return self._extend_to_pointer()

    def release(self) -> None:
        self._scroll.stop()
        self._dragging = False
        bar = self._view.verticalScrollBar()
        self._view.following = bar.value() >= bar.maximum() - 4
        if self._ends is not None and self._ends[0] == self._ends[1]:
            self._set_ends(None)

    def _is_drag(self) -> bool:
        way = (self._pointer - self._pressed_at).manhattanLength()
        return self._ends is not None or way >= QApplication.startDragDistance()

    def _extend_to_pointer(self) -> bool:
        """Move the end to the pointer. Return False while Qt's own selection is sufficient."""
        text, end = self._pressed_text(), self._end_at(self._pointer)
        if end is None or self._origin is None:
            return False
        if text is not None and not self._is_body(text):
            return False
        if self._ends is None:
            if text is not None:
                if end.number == self._origin.number:
                    return False
                # After a double click, start at the beginning of the word.
                self._origin = self._origin._replace(position=text.textCursor().anchor())
                self._clear_native()
            else:
                row = self._view.places[self._origin.number].row
                if row is not None and row.body is not None:
                    # Needed for the Copy shortcut.
                    row.body.setFocus(Qt.FocusReason.MouseFocusReason)
            self._set_ends((self._origin, end))
        elif end != self._ends[1]:
            self._set_ends((self._ends[0], end))
        return True

    @Slot()
    def _on_scroll(self) -> None:
        """Scroll while the user drags outside the view, faster if the pointer is farther away."""
        view, text = self._view, self._pressed_text()
        at, height = self._content_position(self._pointer).y(), view.viewport().height()
        if not QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self.release()  # a menu or dialog got the event, or the pressed text is gone
            return
        if 0 <= at <= height:
            return
        beyond = at if at < 0 else at - height
        bar = view.verticalScrollBar()
        bar.setValue(bar.value() + max(-80, min(80, beyond // 3 or 1)))
        if not self._extend_to_pointer() and text is not None:  # Qt's own selection continues
            local = text.viewport().mapFromGlobal(self._pointer)
            left_button, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
            move, keys = QEvent.Type.MouseMove, Qt.KeyboardModifier.NoModifier
            event = QMouseEvent(move, local, self._pointer, none, left_button, keys)
            QTextBrowser.mouseMoveEvent(text, event)

    def _content_position(self, pointer: QPointF) -> QPoint:
        return self._view.viewport().mapFromGlobal(pointer).toPoint()

    def _end_at(self, pointer: QPointF) -> SelectionEnd | None:
        view, places = self._view, self._view.places
        if not places:
            return None
        visible_y = min(max(self._content_position(pointer).y(), 0), view.viewport().height() - 1)
        y = visible_y + view.verticalScrollBar().value()
        number = max(0, bisect_right(places, y, key=lambda row_place: row_place.top) - 1)
        row_place, position = places[number], 0
        body = row_place.row.body if row_place.row is not None else None
        if body is not None:
            at = body.mapFromGlobal(pointer)
            at.setY(at.y() + visible_y - self._content_position(pointer).y())
            position = body.place_at(at)
        return SelectionEnd(number, position, row_place.message_id)

    def _end_in(self, text: TextView, position: int) -> SelectionEnd | None:
        for number, row_place in enumerate(self._view.places):
            if row_place.row is not None and row_place.row.isAncestorOf(text):
                return SelectionEnd(number, position, row_place.message_id)
        return None

    def _set_ends(self, ends: tuple[SelectionEnd, SelectionEnd] | None) -> None:
        before, self._ends = self._ends, ends
        spans = [sorted(end.number for end in pair) for pair in (before, ends) if pair is not None]
        if before is not None and ends is not None and before[0] == ends[0]:
            spans = [sorted((before[1].number, ends[1].number))]
        for low, high in spans:
            for number in range(low, high + 1):
                self.show_in(number)

    def _is_body(self, text: TextView) -> bool:
        """Return True for the main text of a message, unlike reasoning or tool results."""
        row = self._view.places[self._origin.number].row if self._origin is not None else None
        return row is not None and row.body is text

    def _pressed_text(self) -> TextView | None:
        return (
            self._last_pressed
            if self._last_pressed is not None and shiboken6.isValid(self._last_pressed)
            else None
        )

    def _natively_selected(self) -> TextView | None:
        for text in (self._pressed_text(), QApplication.focusWidget()):
            if (
                isinstance(text, TextView)
                and text.across is self
                and text.textCursor().hasSelection()
            ):
                return text
        return None

    def _clear_native(self) -> bool:
        native = self._natively_selected()
        if native is not None:
            cursor = native.textCursor()
            cursor.clearSelection()
            native.setTextCursor(cursor)
        return native is not None

    def copy(self, *, as_markdown: bool = False) -> bool:
        """Copy the selection. Return False if nothing is selected."""
        native = self._natively_selected() if self._ends is None else None
        if native is not None:
            data = native.createMimeDataFromSelection()
            if as_markdown and data.hasFormat("text/markdown"):
                data.setText(data.data("text/markdown").toStdString())
                data.removeFormat("text/html")
            QGuiApplication.clipboard().setMimeData(data)
            return True
        if self._ends is None:
            return False
        copied = self._copied_texts()
        if _count_characters(copied) > _MAX_SYNC_CHARACTERS:
            flows.start(self, self._copy_aside(copied, as_markdown))
        elif copied:
            QGuiApplication.clipboard().setMimeData(_mime_data_of(copied, as_markdown))
        return bool(copied)

    async def _copy_aside(self, copied: Sequence[CopiedText], as_markdown: bool) -> None:
        def work(_stop: threading.Event) -> tuple[tuple[str, str], str]:
            return _texts(copied), "" if as_markdown else _html(copied)

        (plain, marked), html = await flows.run_in_thread(work)
        data = make_mime_data(marked if as_markdown else plain, marked, html)
        QGuiApplication.clipboard().setMimeData(data)
        self.copied.emit()

    def _copied_texts(self) -> list[CopiedText]:
        copied: list[CopiedText] = []
        if self._ends is None:
            return copied
        first, last = sorted(self._ends)
        for number in range(first.number, last.number + 1):
            message = self._chat.message_to_display(self._view.places[number].message_id)
            part = self.part(number)
            if message.role == "tool" or part is None:
                continue
            text = (
                message.content
                if part == (0, _TEXT_END)
                else self._part_text(number, message, *part)
            )
            if text.strip():
                copied.append(
                    CopiedText(author_of(message), text.strip("\n"), message.role == "user")
                )
        return copied

    def _part_text(self, number: int, message: Message, first: int, last: int) -> str:
        if message.role == "user":
            units = message.content.encode("utf-16-le", "surrogatepass")
            return units[2 * first : 2 * last].decode("utf-16-le", "replace")
        row = self._view.places[number].row
        markdown = row.markdown if row is not None else None
        if markdown is None:
            from app.markdown import MarkdownDocument

            markdown = MarkdownDocument()
            markdown.set_text(truncate_text(answer_markdown(message), MOST_LAID_OUT, "\n\n"))
        end = markdown.end_position
        if first <= 0 and last >= end:
            return message.content
        return markdown.markdown_text(first, min(last, end))

    def pop_menu(self, text: TextView | None, at: QPoint, position: QPoint) -> None:
        """Open a menu for the selection and for the link or word under the pointer."""
        menu = make_menu(self._view.viewport())
        if text is not None and self._ends is None:
            self.begin_in(text)
        has_selection = self._ends is not None or self._natively_selected() is not None
        copies = (
            menu.addAction(tr("Copy"), self.copy),
            menu.addAction(tr("Copy as Markdown"), partial(self.copy, as_markdown=True)),
        )
        for action in copies:
            action.setEnabled(has_selection)
        link = text.anchorAt(at) if text is not None else ""
        if link and not link.startswith("#"):  # other links are internal
            menu.addAction(tr("Copy Link"), partial(QGuiApplication.clipboard().setText, link))
        menu.addAction(tr("Select All"), self.select_all)
        if text is not None:
            text.add_to_menu(menu, at)
            if isinstance(row := text.parentWidget(), MessageRow):
                row.add_to_menu(menu)
        menu.popup(position)


def _count_characters(copied: Sequence[CopiedText]) -> int:
    return sum(len(part.text) for part in copied)


def _texts(copied: Sequence[CopiedText]) -> tuple[str, str]:
    """Return plain text and Markdown. Several messages get headings with their speakers."""
    from app.markdown.plain_text import remove_markup

    plain = [part.text if part.typed else remove_markup(part.text) for part in copied]
    if len(copied) == 1:
        return plain[0], copied[0].text
    heads = _speaker_headings(copied)
    return (
        "\n\n".join(f"{h}:\n{p}" if h else p for h, p in zip(heads, plain, strict=True)),
        "\n\n".join(
            f"**{h}**\n\n{part.text}" if h else part.text
            for h, part in zip(heads, copied, strict=True)
        ),
    )


def _speaker_headings(copied: Sequence[CopiedText]) -> list[str]:
    """Return a speaker heading per message, "" if the previous message has the same speaker."""
    new = [True, *(first.speaker != second.speaker for first, second in pairwise(copied))]
    return [part.speaker if changes else "" for part, changes in zip(copied, new, strict=True)]


def _html(copied: Sequence[CopiedText]) -> str:
    from app.markdown.html_text import to_html

    heads = _speaker_headings(copied) if len(copied) > 1 else [""]
    return "\n".join(
        (f"<p><b>{escape(head)}</b></p>\n" if head else "")
        + (typed_html(part.text) if part.typed else to_html(part.text))
        for head, part in zip(heads, copied, strict=True)
    )


def typed_html(text: str) -> str:
    return f'<p dir="auto" style="white-space: pre-wrap">{escape(text)}</p>'


def make_mime_data(plain: str, marked: str, html: str = "") -> QMimeData:
    data = QMimeData()
    data.setText(plain)
    data.setData("text/markdown", marked.encode())
    if html:
        data.setHtml(html)
    return data


def reply_data(message: Message) -> QMimeData:
    from app.markdown.html_text import to_html

    return make_mime_data(message.content, message.content, to_html(answer_markdown(message)))


def _mime_data_of(copied: Sequence[CopiedText], as_markdown: bool = False) -> QMimeData:
    plain, marked = _texts(copied)
    return make_mime_data(
        marked if as_markdown else plain, marked, "" if as_markdown else _html(copied)
    )
