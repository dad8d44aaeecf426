"""The keys of a conversation: they move between messages and scroll long or wide ones."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from app.chats.actions import Action
from app.ui.style.theme import theme
from app.ui.transcript.transcript_area import TranscriptArea

STEP = 96
"""Pixels: how far an arrow key scrolls."""

_PAGES = {Qt.Key.Key_PageUp: -0.9, Qt.Key.Key_PageDown: 0.9}
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ASIDE = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}
_DELETES = {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class TranscriptKeys:
    """Up and down go from message to message, left and right move wide code, Delete deletes.

    Tab goes through the buttons of a message (`MessageRow`).
    """

    def __init__(self, view: TranscriptArea) -> None:
        self._view = view

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key means here; False if it means nothing."""
        key, number = Qt.Key(event.key()), self._with_keys()
        row = self._view.places[number].row if number is not None else None
        if key in _PAGES:
            self._view.scroll_pages(_PAGES[key])
        elif number is None:
            return False
        elif key in _STEPS:
            self._step(number, _STEPS[key])
        elif key == Qt.Key.Key_Home:
            self._go(0)
        elif key == Qt.Key.Key_End:
            self._go(len(self._view.places) - 1)
        elif row is not None and key in _DELETES and not row.in_text():
            self._delete(number)
        elif row is not None and key in _ASIDE:
            row.move_code(_ASIDE[key])
        elif row is not None and key == Qt.Key.Key_F10 and event.modifiers() == _SHIFT:
            row.pop_menu()  # by X11 it is the menu's key only where a desktop says so
        elif event.matches(QKeySequence.StandardKey.Copy):
            self._view.asked.emit("copy", self._view.places[number].message_id)
        else:
            return False
        return True

    def enter(self) -> bool:
        """Give the keys to the last message that is in view; False if there is none."""
        self._view.lay_out()
        seen = self._view.nearby(0)
        if seen:
            self._go(seen[-1])
        return bool(seen)

    def paint_mark(self, viewport: QWidget) -> None:
        """Paint a line in the margin of the message that has the focus."""
        for place in self._view.places:
            if place.row is not None and place.row.hasFocus():
                area = place.row.geometry()
                painter = QPainter(viewport)
                painter.fillRect(
                    area.left() - 10, area.top(), 2, area.height(), theme().color("accent")
                )

    def _with_keys(self) -> int | None:
        """The number of the message that has the keys."""
        rows = ((number, place.row) for number, place in enumerate(self._view.places))
        return next((number for number, row in rows if row is not None and row.has_keys()), None)

    def _go(self, number: int) -> None:
        """Give a message the keys and bring it into view: its end, coming from below."""
        view, place = self._view, self._view.places[number]
        bar = view.verticalScrollBar()
        # Twice: the first brings it near, which makes it and the heights around it known.
        for _ in range(2):
            head = place.top - view.TOP
            foot = place.top + place.height + view.BOTTOM - view.viewport().height()
            bar.setValue(min(max(bar.value(), min(head, foot)), max(head, foot)))
            view.lay_out()
        if place.row is not None:
            place.row.setFocus(Qt.FocusReason.OtherFocusReason)

    def _delete(self, number: int) -> None:
        """Ask for it to be deleted; the keys are then at the message before it."""
        gone = self._view.places[number].message_id
        self._view.asked.emit(Action.DELETE.value, gone)
        left = self._view.places
        if left and all(place.message_id != gone for place in left):
            self._view.lay_out()
            self._go(min(max(0, number - 1), len(left) - 1))

    def _step(self, number: int, by: int) -> None:
        """To the next message, or on in this one while more of it is beyond the view."""
        view, place = self._view, self._view.places[number]
        bar = view.verticalScrollBar()
        foot = place.top + place.height - view.viewport().height()
        beyond = foot - bar.value() if by > 0 else bar.value() - place.top
        if beyond > 0:
            bar.setValue(bar.value() + by * min(STEP, beyond + view.BOTTOM))
        elif number + by == len(view.places):
            view.left.emit(True)
        else:
            self._go(max(0, number + by))
