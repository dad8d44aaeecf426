"""List of queued messages above the composer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.settings.language import counted, mark, number, tr
from app.store import Queued
from app.ui.style import tokens as t
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scale_height, theme, ui_font
from app.ui.widgets.buttons import IconButton, RemovableButton
from app.ui.widgets.labels import make_label, make_link
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, scrolling
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.widget_behavior import escape_tooltip

_MAX_ROW_CHARACTERS = 400  # characters of a message to display, of up to a million


class QueuedRow(RemovableButton):
    """Queued message. Enter or a click edits it in the composer, and Delete removes it."""

    HEIGHT = 30
    row_focused = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = self._files = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleDescription(tr("Enter edits the message, Delete removes it"))
        self.edit = IconButton("pencil", tr("Edit Message  Enter"), self, side=24)
        self.remove = IconButton("x", tr("Remove  Del"), self, side=24)
        for button in (self.edit, self.remove):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.edit.clicked.connect(self.click)
        self.remove.clicked.connect(self.remove_requested)
        make_row_layout(SPRING, self.edit, self.remove, of=self, margins=(0, 0, 4, 0), spacing=0)
        self._fit()
        theme().changed.connect(self._fit)

    def _fit(self) -> None:
        self.setFixedHeight(scale_height(self.HEIGHT))
        self.update()

    def show_message(self, queued: Queued, index: int) -> None:
        files, beginning = queued.attachments, queued.text[:_MAX_ROW_CHARACTERS]
        self._words = " ".join(beginning.split()) or (files[0].name if files else "")
        self._files = counted("%n file", "%n files", len(files)) if files else ""
        words = ", ".join(filter(None, (self._words, self._files)))
        name = mark("Queued message {number}: {text}")
        self.setAccessibleName(tr(name, number=number(index), text=words))
        self.setToolTip(
            escape_tooltip(beginning + "…" if len(queued.text) > _MAX_ROW_CHARACTERS else beginning)
        )
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.row_focused.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = (
            RowPainter.for_widget(self, 16, self.edit.width() + self.remove.width() + 8),
            theme().tokens,
        )
        ground = tokens.hover if self.underMouse() else tokens.tint
        row.ground(row.inner(), ground, ring=self.hasFocus(), radius=8)
        row.text(self._files, tokens.muted, 8, font=ui_font(t.SMALL_PX), end=True)
        row.text(self._words, tokens.text)


class QueueView(QWidget):
    """Queued messages in order, with a note about when they'll be sent."""

    MOST = 4.5  # rows visible without scrolling
    GAP = 3
    # (message ID)
    edit_requested = Signal(str)
    message_removed = Signal(str)
    focus_left = Signal()  # the queue is about to become empty, so move the focus elsewhere

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Queued messages"))
        self.rows: dict[str, QueuedRow] = {}
        self._shown: tuple[Queued, ...] = ()
        self.words = make_label(self)
        self.send = make_link(self, tr("Send"))
        self.send.setCursor(Qt.CursorShape.PointingHandCursor)
        head = make_row_layout((self.words, 1), self.send, margins=(16, 0, 8, 0), spacing=None)
        self._list = QWidget()
        self._column = make_column_layout(of=self._list, spacing=self.GAP)
        self._area = scrolling(self._list, self)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.viewport().setAutoFillBackground(False)
        float_bars(self._area)
        self._list.setAutoFillBackground(False)  # QScrollArea turns this on
        make_column_layout(head, self._area, of=self, spacing=4)
        theme().changed.connect(self._fit)

    def show_queue(self, messages: Sequence[Queued], words: str, *, is_held: bool) -> None:
        """Show the queue. ``words`` says when it's sent. ``is_held``: the user must send it."""
        self.words.setText(words)
        self.send.setVisible(is_held)
        if self._shown == (entries := tuple(messages)):
            return
        focused = next((n for n, row in enumerate(self.rows.values()) if row.hasFocus()), None)
        if entries[-1] not in self._shown:
            QTimer.singleShot(0, self, self._show_last)  # wait for the layout pass
        rows, self._shown = self.rows, entries
        self.rows = {
            e.id: rows.pop(e.id) if e.id in rows else self._make_row(e.id) for e in entries
        }
        for old_row in rows.values():
            old_row.hide()
            old_row.deleteLater()
        last: QWidget = self.send
        for index, (queued, row) in enumerate(zip(entries, self.rows.values(), strict=True)):
            if self._column.indexOf(row) != index:
                self._column.insertWidget(index, row)
                row.show()  # hidden widgets can't get the focus
            row.show_message(queued, index + 1)
            QWidget.setTabOrder(last, row)
            last = row
        self._fit()
        remaining = list(self.rows.values())
        if focused is not None and not any(row.hasFocus() for row in remaining):
            remaining[min(focused, len(remaining) - 1)].setFocus()

    @Slot()
    def _show_last(self) -> None:
        self._area.ensureWidgetVisible(list(self.rows.values())[-1], 0, 0)

    def _make_row(self, message_id: str) -> QueuedRow:
        row = QueuedRow(self._list)
        row.clicked.connect(lambda: self.edit_requested.emit(message_id))
        row.remove_requested.connect(lambda: self._remove(message_id))
        row.row_focused.connect(lambda: self._area.ensureWidgetVisible(row, 0, 0))
        return row

    def _remove(self, message_id: str) -> None:
        if len(self.rows) == 1:
            self.focus_left.emit()
        self.message_removed.emit(message_id)

    def _fit(self) -> None:
        height = scale_height(QueuedRow.HEIGHT) + self.GAP
        rows = min(len(self._shown), self.MOST)
        self._area.setFixedHeight(round(rows * height) - self.GAP * (rows < self.MOST))
