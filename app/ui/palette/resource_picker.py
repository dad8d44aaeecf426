"""The resources of a chat's servers, opened by "@" in a message, above its field."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from app.language import tr
from app.ui.palette.entries import Entry
from app.ui.palette.field_picker import LONGEST, FieldPicker

_LOOKS = re.compile(rf"(?:^|\s)@([^@\n]{{0,{LONGEST}}})$")


class ResourcePicker(FieldPicker):
    """A list over the pane while the word before the cursor looks for a resource."""

    def __init__(
        self,
        field: QTextEdit,
        composer: QWidget,
        resources: Callable[[], list[Entry]],
        parent: QWidget,
    ) -> None:
        super().__init__(tr("Resources"), field, composer, parent)
        self._resources = resources
        field.cursorPositionChanged.connect(self._on_text)

    def wanted(self) -> str | None:
        if self._field.toPlainText().startswith("/"):
            return None  # a prompt is being looked for
        found = _LOOKS.search(self._before())
        return found[1] if found is not None else None

    def found(self, typed: str) -> list[Entry]:
        return self._best(self._resources(), typed)

    def take_away(self) -> None:
        """Take what looked for the resource out of the message."""
        found = _LOOKS.search(self._before())
        if found is not None:
            cursor = self._field.textCursor()
            length = len(found[1].encode("utf-16-le")) // 2 + 1
            move, keep = QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor
            cursor.movePosition(move, keep, length)
            cursor.removeSelectedText()

    def _before(self) -> str:
        """The line up to the cursor, as much of it as may look for something."""
        cursor = self._field.textCursor()
        text = cursor.block().text().encode("utf-16-le")[: 2 * cursor.positionInBlock()]
        return text.decode("utf-16-le", "ignore")[-LONGEST - 2 :]
