"""What Ctrl+Shift+T and the toast's button (or Ctrl+Z) take back, the latest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut

from app.settings.language import mark, tr
from app.ui.widgets.toast import Toast
from app.ui.window.commands import command

TIME_TO_REGRET_S = 10.0


@dataclass(frozen=True)
class Undo:
    """One thing to take back.

    Attributes:
        act: takes it back; False if that cannot be done now, so that it stays to be undone.
        chat_id: the chat that was closed or deleted, where that is what was done.
    """

    act: Callable[[], object]
    chat_id: str = ""


class Undos(QObject):
    """A stack, and the toast that offers its latest. A chat is closed or deleted once in it."""

    LONGEST = 100

    def __init__(self, toast: Toast) -> None:
        super().__init__(toast)
        self._toast = toast
        self._stack: list[Undo] = []
        toast.acted.connect(self.undo)
        # Only while it is offered: what was done long ago is not what Ctrl+Z is pressed for.
        # Of the window, as the toast may be another window's, and Qt wants to see whose key it is.
        self._keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), toast.window())
        self._keys.setContext(Qt.ShortcutContext.ApplicationShortcut)
        self._keys.setEnabled(False)
        self._keys.activated.connect(self.undo)
        toast.offers.connect(self._keys.setEnabled)

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
