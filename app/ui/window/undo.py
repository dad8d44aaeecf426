from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.settings.language import mark, tr
from app.ui.widgets.toast import Toast
from app.ui.window.commands import CommandScope, command

TIME_TO_REGRET_S = 10.0


class UndoStep(Struct, frozen=True):
    # undoes the action; returns False if that isn't possible now, which keeps the step
    act: Callable[[], object]
    chat_id: str = ""  # chat that the action closed or deleted


class UndoStack(QObject):
    """Stack of actions that can be undone. A toast offers to undo the latest.

    There's at most one step per chat that was closed or deleted.
    """

    LONGEST = 100

    def __init__(self, toast: Toast) -> None:
        super().__init__(toast)
        self._toast = toast
        self._stack: list[UndoStep] = []
        toast.action_requested.connect(self.undo)
        self._offered = False
        toast.button_toggled.connect(self._on_offers)

    @Slot(bool)
    def _on_offers(self, offered: bool) -> None:
        self._offered = offered

    # Text fields handle these keys themselves. The commands are for the menu and other widgets.

    @command("undo", mark("Undo"), "Ctrl+Z", where=CommandScope.ANYWHERE)
    def undo_here(self) -> None:
        """Undo typing in the focused field, or else the action that the toast offers to undo.

        Older actions aren't undone because the user wouldn't expect that from Ctrl+Z.
        """
        if self._offered and not _can_undo(QApplication.focusWidget()):
            self.undo()
        else:
            _send_key(Qt.Key.Key_Z)

    @command("redo", mark("Redo"), "Ctrl+Shift+Z", where=CommandScope.ANYWHERE)
    def redo_here(self) -> None:
        _send_key(Qt.Key.Key_Z, Qt.KeyboardModifier.ShiftModifier)

    @command("cut", mark("Cut"), "Ctrl+X", where=CommandScope.ANYWHERE)
    def cut_here(self) -> None:
        _send_key(Qt.Key.Key_X)

    @command("copy", mark("Copy"), "Ctrl+C", where=CommandScope.ANYWHERE)
    def copy_here(self) -> None:
        _send_key(Qt.Key.Key_C)

    @command("paste", mark("Paste"), "Ctrl+V", where=CommandScope.ANYWHERE)
    def paste_here(self) -> None:
        _send_key(Qt.Key.Key_V)

    @command("select_all", mark("Select All"), "Ctrl+A", where=CommandScope.ANYWHERE)
    def select_all_here(self) -> None:
        _send_key(Qt.Key.Key_A)

    def offer_undo(
        self,
        words: str,
        act: Callable[[], object],
        chat_id: str = "",
        seconds: float = TIME_TO_REGRET_S,
        label: str = "",
    ) -> None:
        """Add a step. If ``words`` isn't empty, show it with an Undo button.

        With ``chat_id``, the step replaces an earlier step for the same chat. ``label`` is the
        button's text if it isn't Undo.
        """
        if chat_id:
            self.forget_chat(chat_id)
        self._stack.append(UndoStep(act, chat_id))
        del self._stack[: -self.LONGEST]
        if words:
            self._toast.show_text(words, label or tr("Undo"), seconds)
        elif self._offered:
            self._toast.dismiss()  # its button would undo this step

    def _nothing(self) -> str:
        return "" if self._stack else tr("Nothing to undo")

    @command("undo_close", mark("Undo Close or Delete"), "Ctrl+Shift+T", why_not=_nothing)
    @Slot()
    def undo(self) -> None:
        if not self._stack:
            return
        undo = self._stack.pop()
        self._toast.dismiss()
        if undo.act() is False:
            self._stack.append(undo)

    def forget_chat(self, chat_id: str) -> None:
        self._stack = [undo for undo in self._stack if undo.chat_id != chat_id]


def _can_undo(field: QWidget | None) -> bool:
    if isinstance(field, QLineEdit):
        return field.isUndoAvailable()
    return isinstance(field, QTextEdit | QPlainTextEdit) and field.document().isUndoAvailable()


def _send_key(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Send a key press to the focused widget and then its parents, until one accepts it.

    `QApplication.sendEvent` isn't suitable because it triggers shortcuts.
    """
    widget = QApplication.focusWidget()
    event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.ControlModifier | modifiers)
    while widget is not None:
        event.accept()
        if (widget.event(event) and event.isAccepted()) or widget.isWindow():
            return
        widget = widget.parentWidget()
