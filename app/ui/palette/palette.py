"""The palette itself: a field and the rows below it, over the upper middle of a window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import shiboken6
from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import (
    QKeyEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.language import tr
from app.ui.palette.card import Card
from app.ui.palette.entries import Entry
from app.ui.palette.finder import Finder

_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: 8,
    Qt.Key.Key_PageUp: -8,
}


class Palette(Card):
    """Opens over a window, and is gone as soon as something is chosen or the keys go elsewhere.

    It is no window of its own: commands mean what has the focus, and get it back before they run.

    Signals:
        chosen(entry): the person chose it; its function was called.
        said(text): why something cannot be chosen now.
        closed(): it is gone.
    """

    WIDTH = 640
    HEIGHT = 420

    chosen = Signal(object)
    said = Signal(str)
    closed = Signal()

    def __init__(self, entries: Iterable[Entry], recent: Sequence[str], parent: QWidget) -> None:
        """``recent``: keys of entries that were chosen before, the latest first."""
        super().__init__(tr("Found", "the list of what was found"), parent)
        self.setObjectName("palette")
        self.setAccessibleName(tr("Command palette"))
        self._before = QApplication.focusWidget()
        self._done = False
        self.finder = Finder(entries, {key: ago for ago, key in enumerate(recent)}, self)
        self.field = QLineEdit(self)
        words = tr("Find a command, a chat, a model or a setting")
        self.field.setPlaceholderText(words)
        self.field.setAccessibleName(words)
        self.field.setAccessibleDescription(tr("Up and Down choose, Enter opens, Esc closes"))
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._on_clicked)
        self.speak_for(self.field)
        self.nothing = QLabel(tr("Nothing is called so"), self)
        self.nothing.setProperty("muted", True)
        self.nothing.setContentsMargins(16, 4, 16, 12)
        self.nothing.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.nothing)
        column.addWidget(self.list, 1)
        self.finder.found.connect(self._on_found)
        self.field.textChanged.connect(self._on_typed)
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]
        parent.installEventFilter(self)
        self.finder.look_for("")
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def shown(self) -> list[Entry]:
        """The rows from top to bottom."""
        return self.finder.best()

    def close_palette(self) -> None:
        """Go, and give the keys back to what had them."""
        if self._done:
            return
        self._done = True
        self.finder.end()
        QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr]
        had_keys = self.field.hasFocus()
        before = self._before
        self.hide()
        self.deleteLater()
        if had_keys and before is not None and shiboken6.isValid(before):
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()

    def choose(self, *, beside: bool = False) -> None:
        """Do what the current row says; where that cannot be done, say why and stay."""
        self.finder.finish()
        entry = self.rows.entry(self.list.currentIndex())
        if entry is None:
            return
        if entry.why_not:
            self.said.emit(entry.why_not)
            return
        self.close_palette()
        act = entry.choose_beside if beside and entry.choose_beside is not None else entry.choose
        act()
        self.chosen.emit(entry)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parentWidget() and event.type() == QEvent.Type.Resize:
            self._place()
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self.close_palette()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.choose(beside=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        elif key in _STEPS:
            self._step(_STEPS[key])
        elif key in {Qt.Key.Key_Tab, Qt.Key.Key_Backtab}:
            self._step(1 if key == Qt.Key.Key_Tab else -1)
        else:
            return False
        return True

    def _step(self, by: int) -> None:
        """By one it goes round, by a page it stops at the ends."""
        count = self.rows.rowCount()
        if not count:
            return
        at = self.list.currentIndex().row() + by
        at = at % count if abs(by) == 1 else min(max(at, 0), count - 1)
        self.list.setCurrentIndex(self.rows.index(at))

    @Slot(str)
    def _on_typed(self, typed: str) -> None:
        self.list.setCurrentIndex(QModelIndex())
        self.finder.look_for(typed)

    @Slot()
    def _on_found(self) -> None:
        kept = self.rows.entry(self.list.currentIndex())
        at_top = self.list.currentIndex().row() <= 0
        entries = self.finder.best()
        if self.rows.show(entries) or not self.list.currentIndex().isValid():
            row = entries.index(kept) if kept in entries and not at_top else 0
            self.list.setCurrentIndex(self.rows.index(row))
        self.nothing.setVisible(self.finder.complete and not entries)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.list.setCurrentIndex(index)
        control = Qt.KeyboardModifier.ControlModifier
        self.choose(beside=bool(QApplication.keyboardModifiers() & control))

    @Slot(QWidget, QWidget)
    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and now is not self and not self.isAncestorOf(now):
            self.close_palette()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            width = min(self.WIDTH, parent.width() - 32)
            height = min(self.HEIGHT, parent.height() - 48)
            self.setGeometry((parent.width() - width) // 2, parent.height() // 10, width, height)
