"""A list over a pane while what stands in its message's field looks for something."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from app.ui.palette.card import Card
from app.ui.palette.entries import Entry
from app.ui.palette.finder import Finder
from app.ui.style import tokens as t
from app.ui.style.theme import grown

LONGEST = 60
"""What is longer is a message, and looks for nothing."""


class FieldPicker(Card):
    """The list, its place above the field, and the keys that it takes while it is shown."""

    MOST = 7

    def __init__(self, name: str, field: QTextEdit, composer: QWidget, parent: QWidget) -> None:
        super().__init__(name, parent)
        self._field = field
        self._composer = composer
        self._dismissed = False
        self.setAccessibleName(name)
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

    def wanted(self) -> str | None:
        """What the field looks for; None where it looks for nothing of this list."""
        raise NotImplementedError

    def found(self, typed: str) -> list[Entry]:
        """What there is for it, the best first."""
        raise NotImplementedError

    @Slot()
    def refresh(self) -> None:
        """Show the list as it is now, with the row that was meant, if it is still there.

        What nothing was found for until now may have come.
        """
        before = self.rows.entry(self.list.currentIndex()) if self.isVisible() else None
        self._on_text()
        for number in range(self.rows.rowCount()):
            entry = self.rows.entry(self.rows.index(number))
            if before is not None and entry is not None and entry.key == before.key:
                self.list.setCurrentIndex(self.rows.index(number))

    @Slot()
    def _on_text(self) -> None:
        typed = self.wanted()
        if typed is None:
            self._dismissed = False
        if typed is None or self._dismissed or not self._field.hasFocus():
            self.hide()
            return
        entries = self.found(typed)
        self.rows.show(entries)
        if not entries:
            self.hide()
            return
        self.list.setCurrentIndex(self.rows.index(0))
        self._place()
        self.show()
        self.raise_()

    def _best(self, entries: list[Entry], typed: str) -> list[Entry]:
        """Those that match, the best first."""
        finder = Finder(entries, {}, self)
        finder.look_for(typed)
        finder.finish()
        found = finder.best()
        finder.deleteLater()
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
        if entry is not None and not entry.why_not:
            entry.choose()

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self._choose(index)

    def _place(self) -> None:
        field = self._composer.geometry()
        rows = min(self.rows.rowCount(), self.MOST)
        height = min(rows * max(t.ROW, grown(t.ROW)) + 14, max(60, field.top() - 8))
        self.setGeometry(field.left(), field.top() - height - 6, field.width(), height)
