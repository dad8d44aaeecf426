"""The text of the composer: plain text, whose Enter sends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from app.language import counted, mark, number, tr
from app.ui.style.theme import theme, ui_font
from app.ui.widgets.mirror import begin_at_edge

NO_PICTURES = mark("The models here cannot see pictures. Paste the text that is in it instead.")

MOST_CHARACTERS = 1_000_000
"""Of a message. Laying out as many takes about a second, during which the window stands still; the
longest contexts of today's models hold four times as many."""


MOST_PASTED = 8_000_000
"""Of a text that becomes a file of the message."""


class ComposerText(QTextEdit):
    """The text itself. Plain text only; Enter sends, Shift+Enter breaks the line.

    Attributes:
        sends_with_ctrl: Ctrl+Enter sends instead, and Enter breaks the line. For all fields.
        long_paste: a pasted text of more characters is a file of the message; 0: none is.
        own_menu: opens another menu than the usual one, and returns whether it does.

    Signals:
        submitted(): Enter was pressed.
        recalled(): the up arrow was pressed in an empty field.
        paged(pages): a key that scrolls the transcript.
        unfinished_changed(): an input method has other text that is not finished yet.
        refused(reason): something cannot be put in here.
        files_given(paths): files were pasted or dropped.
        long_pasted(text): a long text was.
    """

    submitted = Signal()
    recalled = Signal()
    paged = Signal(float)
    unfinished_changed = Signal()
    refused = Signal(str)
    files_given = Signal(list)
    long_pasted = Signal(str)

    sends_with_ctrl = False
    long_paste = 0
    own_menu: Callable[[QContextMenuEvent], bool] | None = None

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._unfinished = ""
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(ui_font(theme().body_px))
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Message"))
        begin_at_edge(self)
        self.document().clearUndoRedoStacks()  # Qt counts the margin as something to take back

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Undo)
            and not self.document().isUndoAvailable()
        ):
            event.ignore()  # with nothing to take back here, it is for what a toast offers
            return False
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.own_menu is None or not self.own_menu(event):
            super().contextMenuEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.sends(event):
            self.submitted.emit()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            # Qt's own Shift+Enter is a line separator, not a new line.
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        elif key == Qt.Key.Key_Up and not self.toPlainText() and not event.modifiers():
            self.recalled.emit()
        elif key in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}:
            self.paged.emit(-0.9 if key == Qt.Key.Key_PageUp else 0.9)
        elif key == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def sends(self, event: QKeyEvent) -> bool:
        """Whether an Enter sends: alone, or with Ctrl where the person has chosen so."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.sends_with_ctrl:
            return modifiers == Qt.KeyboardModifier.ControlModifier
        return not modifiers & Qt.KeyboardModifier.ShiftModifier

    @property
    def unfinished(self) -> str:
        """What an input method shows here before the person has accepted it."""
        return self._unfinished

    def finish(self) -> None:
        """Take what the input method shows as it stands."""
        QGuiApplication.inputMethod().commit()
        if self._unfinished:  # there is no input method that would have heard
            event = QInputMethodEvent()
            event.setCommitString(self._unfinished)
            self.inputMethodEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        super().inputMethodEvent(event)
        self._unfinished = event.preeditString()
        self.unfinished_changed.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasImage() or bool(files_in(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        length = len(source.text())
        if files := files_in(source):  # their text would be nothing but "file:///…"
            self.files_given.emit(files)
        elif source.hasImage() and not length:
            self.refused.emit(tr(NO_PICTURES))
        elif 0 < self.long_paste < length <= MOST_PASTED:
            self.long_pasted.emit(source.text())
        elif length + self.document().characterCount() > MOST_CHARACTERS:
            self.refused.emit(
                counted(
                    "The text is {count} characters long. A message takes {most}.",
                    "The text is {count} characters long. A message takes {most}.",
                    length,
                    count=number(length),
                    most=number(MOST_CHARACTERS),
                )
            )
        else:
            super().insertFromMimeData(source)


def files_in(source: QMimeData) -> list[Path]:
    """The files of a drop or of the clipboard."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
