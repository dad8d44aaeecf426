"""What the person's and the model's messages have in common on screen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QPainter,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.chats.actions import Action
from app.language import tr
from app.store import Message
from app.ui.style import tokens as t
from app.ui.style.theme import theme, ui_font
from app.ui.transcript import row_words
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.mirror import caret
from app.ui.widgets.textview import TextView, Words

FOOTER = 28

Can = Callable[[Action, str], str | None]
"""`Chat.can`: why an action cannot be done with a message now; None when it can."""


def small_text_width(text: str) -> int:
    """How wide small interface text is, in pixels."""
    return QFontMetrics(ui_font(t.SMALL_PX)).horizontalAdvance(text)


class MessageRow(QWidget):
    """What all messages share: a footer of actions in a fixed place, shown on hover and focus.

    To the Tab key a conversation is one place: `TranscriptView` gives a message the keys, and from
    there Tab goes through what can be pressed in it.

    Signals:
        resized(): ``arrange`` would give another height now.
        asked(action, id): the value of an `Action`; or "copied", of code in it.
        left(forward): Tab, or Shift+Tab, went past the last, or the first, of its buttons.
        reached(top, bottom): the keys are at a place in it, which is to be in view.
    """

    resized = Signal()
    asked = Signal(str, str)
    left = Signal(bool)
    reached = Signal(int, int)

    def __init__(self, message: Message, can: Can, parent: QWidget) -> None:
        super().__init__(parent)
        self.message = message
        self._can = can
        self._alternative = (1, 1)
        self._over = False
        self._buttons: dict[IconButton, Action] = {}
        back = caret("caret-left", rtl=self.isRightToLeft())
        on = caret("caret-right", rtl=self.isRightToLeft())
        self._previous = self._button(back, tr("Earlier version"), Action.EARLIER)
        self._next = self._button(on, tr("Later version"), Action.LATER)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._name()
        theme().changed.connect(self._on_theme)

    def arrange(self, width: int) -> int:
        """Place everything for ``width`` pixels; returns the height needed."""
        raise NotImplementedError

    def set_message(self, message: Message) -> None:
        """Take the message as it is now."""
        self.message = message
        self._name()

    @property
    def note(self) -> str:
        """What else is painted below its text; "" for nothing."""
        return ""

    def _name(self) -> None:
        """Say to screen readers what stands here."""
        self.setAccessibleName(row_words.name(self.message))
        told = row_words.description(self.message, self._alternative, self.note)
        self.setAccessibleDescription(told)

    def append(self, text: str, kind: str) -> None:
        """More text at the end."""

    def set_alternative(self, number: int, of: int) -> None:
        """Which of how many versions this is, counted from 1."""
        if self._alternative != (number, of):
            self._alternative = (number, of)
            self._name()
            self._reveal()
            self.resized.emit()

    def highlight(self, words: Words) -> int | None:
        """Mark every place of ``words``; returns the top of the first in this row, if any."""
        tops = [
            view.mapTo(self, QPoint()).y() + top
            for view in self.findChildren(TextView)
            if (top := view.highlight(words)) is not None and view.isVisibleTo(self)
        ]
        return round(min(tops)) if tops else None

    def in_use(self) -> bool:
        """Whether a selection or the focus would be lost if this row were taken down."""
        if self.has_keys():
            return True
        return any(view.textCursor().hasSelection() for view in self.findChildren(TextView))

    def has_keys(self) -> bool:
        """Whether the keys go to this message or to something in it."""
        focused = QGuiApplication.focusObject()
        return isinstance(focused, QWidget) and (focused is self or self.isAncestorOf(focused))

    def in_text(self) -> bool:
        """Whether the keys go to its text, where the person marks and copies words."""
        return isinstance(QGuiApplication.focusObject(), TextView)

    def fields(self) -> list[QWidget]:
        """What Tab goes to in it besides its buttons and texts."""
        return []

    def move_code(self, by: int) -> None:
        """Move wide code that is in view sideways, by so many pixels."""

    def pop_menu(self) -> None:
        """Open the menu of its text, where it has one of its own."""

    def _button(self, icon: str, tip: str, action: Action) -> IconButton:
        button = IconButton(icon, tip, self, side=26)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.installEventFilter(self)
        button.clicked.connect(lambda: self._ask(action, self.message.id))
        self._buttons[button] = action
        return button

    def _ask(self, action: Action, message_id: str) -> None:
        self.asked.emit(action.value, message_id)

    def show_actions(self) -> None:
        """Show what can be done with the message now; the tooltip says why something cannot."""
        for button, action in self._buttons.items():
            self._allow(button, action, button.tip)

    def _allow(
        self, button: QAbstractButton, action: Action, tip: str, message_id: str = ""
    ) -> None:
        refusal = self._can(action, message_id or self.message.id)
        if refusal is not None and button.hasFocus():
            self.setFocus()  # Qt would give the keys to whatever comes next
        button.setEnabled(refusal is None)
        button.setToolTip(refusal or tip)

    def _revealed(self) -> bool:
        return self._over or self.hasFocus() or any(button.hasFocus() for button in self._buttons)

    def _reveal(self) -> None:
        shown = self._revealed()
        several = self._alternative[1] > 1
        for button in self._buttons:
            if button in (self._previous, self._next):
                button.setVisible(several)
                button.set_revealed(several)
            else:
                button.set_revealed(shown)
        self.show_actions()
        self.update()

    def _alternatives_width(self) -> int:
        label = small_text_width(f"{self._alternative[0]}/{self._alternative[1]}")
        return 26 + label + 4 + 26

    def _place_alternatives(self, x: int, y: int) -> None:
        """Put "< 2/3 >" at ``x``."""
        self._previous.move(x, y)
        self._next.move(x + self._alternatives_width() - 26, y)

    def _paint_alternatives(self, painter: QPainter) -> None:
        if self._alternative[1] < 2:
            return
        area = QRectF(self._previous.geometry().united(self._next.geometry()))
        painter.setFont(ui_font(t.SMALL_PX))
        painter.setPen(QColor(theme().tokens.muted))
        painter.drawText(
            area, Qt.AlignmentFlag.AlignCenter, f"{self._alternative[0]}/{self._alternative[1]}"
        )

    def enterEvent(self, event: QEnterEvent) -> None:
        self._over = True
        self._reveal()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._over = False
        self._reveal()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._name()
        self._on_keys()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._on_keys()

    def _on_keys(self) -> None:
        self._reveal()
        if (viewport := self.parentWidget()) is not None:
            viewport.update()  # the transcript marks whose the keys are

    def focusNextPrevChild(self, forward: bool) -> bool:
        pressed: list[QWidget] = [*self.findChildren(QAbstractButton), *self.fields()]
        buttons = [each for each in pressed if each.isVisibleTo(self) and each.isEnabled()]
        buttons.sort(key=lambda button: button.mapTo(self, QPoint()).toTuple()[::-1])
        texts = [view for view in self.findChildren(TextView) if view.isVisibleTo(self)]
        texts.sort(key=lambda view: view.mapTo(self, QPoint()).y())
        within = [(view, number) for view in texts for number in range(view.count_stops())]
        stops: list[tuple[QWidget, int]] = [(self, -1), *within, *((b, -1) for b in buttons)]
        focus = QGuiApplication.focusObject()
        here = (focus, focus.stop if isinstance(focus, TextView) else -1)
        at = stops.index(here) if here in stops else -1 if forward else 1
        at += 1 if forward else -1
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        if not 0 <= at < len(stops):
            self.left.emit(forward)
        elif isinstance(stop := stops[at][0], TextView):
            top = stop.mapTo(self, QPoint()).y()
            first, last = stop.go_to_stop(stops[at][1], reason)
            self.reached.emit(top + first, top + last)
        else:
            stop.setFocus(reason)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self._reveal()
        return super().eventFilter(watched, event)

    @Slot()
    def _on_theme(self) -> None:
        self.update()
