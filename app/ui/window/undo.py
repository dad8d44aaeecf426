"""What is taken back: what was written, and by Ctrl+Shift+T or a toast what was done.

The other commands of editing lie here, too.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.settings.language import mark, tr
from app.ui.widgets.toast import Toast
from app.ui.window.commands import Where, command

TIME_TO_REGRET_S = 10.0


class Undo(Struct, frozen=True):
    """One thing to take back."""

    # takes it back; False if that cannot be done now, so that it stays to be undone
    act: Callable[[], object]
    chat_id: str = ""  # the chat that was closed or deleted, where that is what was done


class Undos(QObject):
    """A stack, and the toast that offers its latest. A chat is closed or deleted once in it."""

    LONGEST = 100

    def __init__(self, toast: Toast) -> None:
        super().__init__(toast)
        self._toast = toast
        self._stack: list[Undo] = []
        toast.acted.connect(self.undo)
        self._offered = False
        toast.offers.connect(self._on_offers)

    @Slot(bool)
    def _on_offers(self, offered: bool) -> None:
        self._offered = offered

    # The fields have these keys before the commands; the commands are for the menu, and for
    # what has the focus and is no field.

    @command("undo", mark("Undo"), "Ctrl+Z", where=Where.ANYWHERE)
    def undo_here(self) -> None:
        """What was written; where that is nothing, what the toast offers to take back.

        Only while it is offered: what was done long ago is not what Ctrl+Z is pressed for.
        """
        if self._offered and not _can_undo(QApplication.focusWidget()):
            self.undo()
        else:
            _press(Qt.Key.Key_Z)

    @command("redo", mark("Redo"), "Ctrl+Shift+Z", where=Where.ANYWHERE)
    def redo_here(self) -> None:
        _press(Qt.Key.Key_Z, Qt.KeyboardModifier.ShiftModifier)

    @command("cut", mark("Cut"), "Ctrl+X", where=Where.ANYWHERE)
    def cut_here(self) -> None:
        _press(Qt.Key.Key_X)

    @command("copy", mark("Copy"), "Ctrl+C", where=Where.ANYWHERE)
    def copy_here(self) -> None:
        _press(Qt.Key.Key_C)

    @command("paste", mark("Paste"), "Ctrl+V", where=Where.ANYWHERE)
    def paste_here(self) -> None:
        _press(Qt.Key.Key_V)

    @command("select_all", mark("Select All"), "Ctrl+A", where=Where.ANYWHERE)
    def select_all_here(self) -> None:
        _press(Qt.Key.Key_A)

    def offer(
        self,
        words: str,
        act: Callable[[], object],
        chat_id: str = "",
        seconds: float = TIME_TO_REGRET_S,
    ) -> None:
        """Say what was done and remember how to take it back.

        With a ``chat_id`` it replaces an older closing or deleting of the same chat.
        """
        if chat_id:
            self.drop(chat_id)
        self._stack.append(Undo(act, chat_id))
        del self._stack[: -self.LONGEST]
        self._toast.show_text(words, tr("Undo"), seconds)

    def _nothing(self) -> str:
        return "" if self._stack else tr("Nothing to undo")

    @command("undo_close", mark("Undo Close or Delete"), "Ctrl+Shift+T", why_not=_nothing)
    @Slot()
    def undo(self) -> None:
        """Take back the latest."""
        if not self._stack:
            return
        undo = self._stack.pop()
        self._toast.put_away()
        if undo.act() is False:
            self._stack.append(undo)

    def say(self, words: str) -> None:
        """Say what has ended well or badly; there is nothing to take back."""
        self._toast.show_text(words)

    def drop(self, chat_id: str) -> None:
        """The chat was brought back in another way."""
        self._stack = [undo for undo in self._stack if undo.chat_id != chat_id]


def _can_undo(field: QWidget | None) -> bool:
    if isinstance(field, QLineEdit):
        return field.isUndoAvailable()
    return isinstance(field, QTextEdit | QPlainTextEdit) and field.document().isUndoAvailable()


def _press(key: Qt.Key, more: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Give the key to what has the focus, and to what is around it until something takes it.

    `QApplication.sendEvent` would ask the commands for it first.
    """
    widget = QApplication.focusWidget()
    event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.ControlModifier | more)
    while widget is not None:
        event.accept()
        if (widget.event(event) and event.isAccepted()) or widget.isWindow():
            return
        widget = widget.parentWidget()
