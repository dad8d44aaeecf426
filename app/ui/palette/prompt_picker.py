"""The prompts, opened by "/" at the start of an empty message, above its field."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import (
    QKeyEvent,
)
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from app.language import tr
from app.ui.palette.card import Card
from app.ui.palette.entries import Entry, Kind
from app.ui.palette.finder import Finder
from app.ui.style import tokens as t
from app.ui.style.theme import grown

LONGEST = 60
"""What is longer is a message that begins with "/"."""


class PromptPicker(Card):
    """A list over the pane while what stands in the field looks for a prompt.

    Signals:
        chosen(name): this prompt is to stand in the field.
        manage_asked(): the person wants to write prompts.
    """

    MOST = 7

    chosen = Signal(str)
    manage_asked = Signal()

    def __init__(
        self,
        field: QTextEdit,
        composer: QWidget,
        prompts: Callable[[], Mapping[str, str]],
        parent: QWidget,
    ) -> None:
        super().__init__(tr("Prompts"), parent)
        self._field = field
        self._composer = composer
        self._prompts = prompts
        self._dismissed = False
        self.setAccessibleName(tr("Prompts"))
        self.list.clicked.connect(self._on_clicked)
        self.speak_for(field)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.list)
        field.installEventFilter(self)
        field.textChanged.connect(self._on_text)
        parent.installEventFilter(self)
        self.hide()

    def names(self) -> list[str]:
        """What is listed, from top to bottom."""
        return [str(self.rows.index(n).data()) for n in range(self.rows.rowCount())]

    @Slot()
    def _on_text(self) -> None:
        text = self._field.toPlainText()
        looks = text.startswith("/") and "\n" not in text and len(text) <= LONGEST
        if not looks:
            self._dismissed = False
        if not looks or self._dismissed or not self._field.hasFocus():
            self.hide()
            return
        entries = self._found(text[1:])
        self.rows.show(entries)
        if not entries:
            self.hide()
            return
        self.list.setCurrentIndex(self.rows.index(0))
        self._place()
        self.show()
        self.raise_()

    def _found(self, typed: str) -> list[Entry]:
        prompts = self._prompts()
        entries = [
            Entry(
                Kind.PROMPT,
                f"prompt:{name}",
                name,
                lambda name=name: self.chosen.emit(name),  # type: ignore[misc]
                beside=" ".join(text.split())[:200],
            )
            for name, text in prompts.items()
        ]
        finder = Finder(entries, {}, self)
        finder.look_for(typed)
        finder.finish()
        found = finder.best()
        finder.deleteLater()
        if not typed.strip():
            words = tr("Edit Prompts…") if prompts else tr("Write a Prompt…")
            found.append(Entry(Kind.COMMAND, "prompts", words, self.manage_asked.emit))
        return found

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._field and self.isVisible():
            if kind == QEvent.Type.FocusOut:
                self.hide()
            elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._key(event)
        elif watched is self.parentWidget() and kind == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        key, count = event.key(), self.rows.rowCount()
        at = self.list.currentIndex().row()
        if key == Qt.Key.Key_Escape:
            self._dismissed = True
            self.hide()
        elif key in {Qt.Key.Key_Down, Qt.Key.Key_Up}:
            step = 1 if key == Qt.Key.Key_Down else -1
            self.list.setCurrentIndex(self.rows.index((at + step) % count))
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab}:
            self._choose(self.list.currentIndex())
        else:
            return False
        return True

    def _choose(self, index: QModelIndex) -> None:
        entry = self.rows.entry(index)
        self.hide()
        if entry is not None:
            entry.choose()

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self._choose(index)

    def _place(self) -> None:
        field = self._composer.geometry()
        rows = min(self.rows.rowCount(), self.MOST)
        height = min(rows * max(t.ROW, grown(t.ROW)) + 14, max(60, field.top() - 8))
        self.setGeometry(field.left(), field.top() - height - 6, field.width(), height)
