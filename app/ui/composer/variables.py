"""Template variables such as {{topic}} in an inserted prompt."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QRegularExpression, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor

from app.settings.language import tr
from app.settings.settings import Settings
from app.ui.composer.composer import ComposerText, enter_sends

PATTERN = r"\{\{\s*([^{}\n]{1,60}?)\s*\}\}"


class PromptVariables(QObject):
    """Steps through the variables of a prompt with Tab. Equal names get the same value."""

    notice_posted = Signal(str)  # (text)

    def __init__(self, field: ComposerText, settings: Settings) -> None:
        super().__init__(field)
        self._field, self._settings = field, settings
        self._names: set[str] = set()
        self._warned = False
        self._name = ""
        self._begin = self._end = QTextCursor()
        field.installEventFilter(self)

    @property
    def empty_variables(self) -> list[str]:
        return [name for name, _ in self._find_remaining()]

    def begin(self) -> None:
        everything = QRegularExpression(PATTERN).globalMatch(self._field.toPlainText())
        self._names = set()
        while everything.hasNext():
            self._names.add(everything.next().captured(1))
        self._warned = False
        self._name = ""
        self._select_next(1, from_start=True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._names and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Tab and not event.modifiers():
                return self._select_next(1)
            if event.key() == Qt.Key.Key_Backtab:
                return self._select_next(-1)
            enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
            if enter and enter_sends(event, self._settings):
                return self._block_send()
        return super().eventFilter(watched, event)

    def _block_send(self) -> bool:
        """Return True for the first attempt to send while a variable is empty."""
        self._copy_value()
        pending = self.empty_variables
        if not pending or self._warned:
            self._names = set()
            return False
        self._warned = True
        self._select_next(1, from_start=True)
        self.notice_posted.emit(
            tr(
                "“{name}” isn’t filled in yet. Press Enter again to send it anyway.",
                name=pending[0],
            )
        )
        return True

    def _select_next(self, step: int, *, from_start: bool = False) -> bool:
        """Select the next (+1) or previous (-1) variable. Return False if there are none left."""
        self._copy_value()
        spots = list(self._find_remaining())
        if not spots:
            self._names = set()
            return False
        cursor_at = 0 if from_start else self._field.textCursor().selectionStart()
        if step > 0:
            after = [s for s in spots if s[1].selectionStart() > cursor_at or from_start]
            name, cursor = (after or spots)[0]
        else:
            before = [s for s in spots if s[1].selectionStart() < cursor_at]
            name, cursor = (before or spots)[-1]
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
        self._name = name
        self._begin, self._end = QTextCursor(cursor), QTextCursor(cursor)
        self._begin.setPosition(cursor.selectionStart())
        self._begin.setKeepPositionOnInsert(True)
        self._end.setPosition(cursor.selectionEnd())
        return True

    def _copy_value(self) -> None:
        name, self._name = self._name, ""
        if not name:
            return
        cursor = QTextCursor(self._begin)
        cursor.setPosition(self._begin.position())  # insertions have moved the anchor
        cursor.setPosition(self._end.position(), QTextCursor.MoveMode.KeepAnchor)
        written = cursor.selectedText().replace("\u2029", "\n")
        if not written or QRegularExpression(PATTERN).match(written).hasMatch():
            return
        for variable, spot in reversed(list(self._find_remaining())):
            if variable == name:
                spot.insertText(written)

    def _find_remaining(self) -> Iterator[tuple[str, QTextCursor]]:
        document, at = self._field.document(), 0
        pattern = QRegularExpression(PATTERN)
        while not (cursor := document.find(pattern, at)).isNull():
            at = cursor.selectionEnd()
            name = pattern.match(cursor.selectedText()).captured(1)
            if name in self._names:
                yield name, cursor
