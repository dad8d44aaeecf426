"""Search bar of a pane."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.chats.chat import Chat
from app.settings.language import number, tr
from app.store import Message
from app.store.index import displayed_text
from app.store.search import fold
from app.ui.transcript.transcript_view import TranscriptView
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.labels import make_label
from app.ui.widgets.layout_helpers import make_row_layout
from app.ui.widgets.textview import Words


class FindBar(QWidget):
    """Search in the messages of a chat, starting at the first visible message.

    Messages are searched in slices so that typing stays responsive in long chats.
    """

    SLICE_S = 0.008

    closed = Signal()  # the composer then gets the focus

    def __init__(
        self, chat: Chat, transcript: TranscriptView, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._transcript = transcript
        # (position in path, message ID, number of matches)
        self._hits: list[tuple[int, str, int]] = []
        self._ends: list[int] = []  # cumulative number of matches
        self._current = 0
        self._first_in_view = 0  # first visible message when the search started
        self._texts: dict[str, tuple[str, str]] = {}  # by message ID: (source, folded text)
        self._words = ""  # folded text of the field
        self._find: Words | None = None  # finds the matches in a text, None without words
        # exact count by message ID, once the message is laid out
        self._exact_counts: dict[str, int] = {}
        self._unsearched: Iterator[tuple[int, Message]] = iter(())
        self._slice_timer = QTimer(self, interval=0)
        self._slice_timer.timeout.connect(self._search_slice)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Find in this chat"))
        self.field.setAccessibleName(tr("Find in this chat"))
        self.setAccessibleName(tr("Find in this chat"))
        self.count = make_label(self, wrap=False)
        up = IconButton("caret-up", tr("Previous  Shift+Enter"), self)
        on = IconButton("caret-down", tr("Next  Enter"), self)
        close = IconButton("x", tr("Close  Esc"), self)
        parts = (self.count, up, on, close)
        make_row_layout((self.field, 1), 4, *parts, of=self, margins=(12, 5, 8, 6), spacing=4)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.field.textChanged.connect(self._on_text)
        self.field.installEventFilter(self)
        up.clicked.connect(lambda: self.step(-1))
        on.clicked.connect(lambda: self.step(1))
        close.clicked.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        self._first_in_view = self._transcript.first_in_view()
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._on_text()

    @Slot()
    def close_bar(self) -> None:
        self.hide()
        self._slice_timer.stop()
        self._transcript.highlight(None)
        self._texts.clear()
        self.closed.emit()

    def step(self, by: int) -> None:
        if self._hits:
            self._current = (self._current + by) % self._match_count
            self._show_current(back=by < 0)
            if self._hits:
                self._first_in_view = self._hits[bisect_right(self._ends, self._current)][0]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step(-1 if back else 1)
                return True
        return super().eventFilter(watched, event)

    @Slot()
    def _on_text(self) -> None:
        self._words = words = fold(self.field.text().strip())
        path = self._chat.transcript.path if words else []
        sources = [(number, self._chat.reply.message(m.id)) for number, m in enumerate(path)]
        pattern = re.compile(re.escape(words))
        self._find = (
            (lambda text: [m.span() for m in pattern.finditer(fold(text))]) if words else None
        )
        self._exact_counts = self._transcript.highlight(self._find)
        self._current = 0
        self._set_hits(())
        # Search downwards from the first visible message, then upwards, so that a nearby match is
        # found first.
        self._unsearched = iter(
            [*sources[self._first_in_view :], *reversed(sources[: self._first_in_view])]
        )
        self._slice_timer.start()
        self._search_slice()

    @Slot()
    def _search_slice(self) -> None:
        until, new = time.perf_counter() + self.SLICE_S, []
        for index, message in self._unsearched:
            exact_count = self._exact_counts.get(message.id)
            marks = (
                self._plain_text(message).count(self._words) if exact_count is None else exact_count
            )
            if marks:
                new.append((index, message.id, marks))
            if time.perf_counter() >= until:
                break
        else:
            self._slice_timer.stop()
        if self._hits:
            self._add(new)
        elif new:
            self._show_first(new)
        self._show_count()

    def _add(self, new: Iterable[tuple[int, str, int]]) -> None:
        current_index = self._hits[bisect_right(self._ends, self._current)][0]
        self._current += sum(marks for index, _, marks in new if index < current_index)
        self._set_hits(sorted([*self._hits, *new]))

    def _show_first(self, new: Sequence[tuple[int, str, int]]) -> None:
        """Jump to a match in the first message of ``new``.

        In a message above the start of the search, that's the last match, otherwise the first.
        """
        index, _, marks = new[0]
        back = index < self._first_in_view
        self._set_hits(sorted(new))
        self._current = sum(marks for earlier, _, marks in self._hits if earlier < index)
        self._current += marks - 1 if back else 0
        self._show_current(back=back)

    def _set_hits(self, hits: Iterable[tuple[int, str, int]]) -> None:
        self._hits = [hit for hit in hits if hit[2]]
        self._ends = list(accumulate(marks for _, _, marks in self._hits))

    @property
    def _match_count(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _plain_text(self, message: Message) -> str:
        cached = self._texts.get(message.id)
        if cached is None or cached[0] != message.content:
            text = fold(displayed_text(message.content, message.role))
            self._texts[message.id] = cached = (message.content, text)
        return cached[1]

    def _show_current(self, *, back: bool = False) -> None:
        """Scroll to the current match.

        The exact number of matches in a message is known once the message is laid out. If that
        differs from the number found in the source, correct the number and try again.
        """
        while self._hits and self._find is not None:
            hit = bisect_right(self._ends, self._current)
            index, message_id, expected = self._hits[hit]
            begin = self._ends[hit] - expected
            number_in_message = self._current - begin
            marks_seen = self._transcript.show_mark(self._find, message_id, number_in_message)
            if marks_seen in {None, expected}:
                break
            self._hits[hit] = (index, message_id, marks_seen or 0)
            if back and self._current == begin + expected - 1:
                self._current = begin + (marks_seen or 0) - 1
            else:
                self._current = min(self._current, begin + (marks_seen or 0))
            self._set_hits(self._hits)
            self._current %= self._match_count or 1
        self._show_count()

    def _show_count(self) -> None:
        figures = {"number": number(self._current + 1), "count": number(self._match_count)}
        none = tr("Not found") if self._words and not self._slice_timer.isActive() else ""
        self.count.setText(tr("{number} of {count}", **figures) if self._hits else none)
