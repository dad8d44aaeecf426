"""Pickers that open while the user types in a pane: "/" for prompts, "@" for resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from app.settings.language import tr
from app.ui.palette.finder import EntryKind, Finder, PaletteEntry
from app.ui.palette.palette import Card
from app.ui.style import tokens as t
from app.ui.style.theme import scale_height
from app.ui.widgets.layout_helpers import make_column_layout

LONGEST = 60  # longer text is a message rather than a query


class FieldPicker(Card):
    """List above the message field that takes some of the field's keys while visible."""

    MOST = 7

    def __init__(self, name: str, field: QTextEdit, composer: QWidget, parent: QWidget) -> None:
        super().__init__(name, parent)
        self._field = field
        self._composer = composer
        self._dismissed = False
        self.setAccessibleName(name)
        self.announce_rows_for(field)
        field.textChanged.connect(self._on_text)
        self.hide()

    def names(self) -> list[str]:
        return [str(self.rows.index(n).data()) for n in range(self.rows.rowCount())]

    def query_before_cursor(self) -> str | None:
        raise NotImplementedError

    def find_entries(self, typed: str) -> list[PaletteEntry]:
        raise NotImplementedError

    @Slot()
    def refresh(self) -> None:
        """Update the list but keep the selected entry, because results may arrive late."""
        before = self.rows.entry(self.list.currentIndex()) if self.isVisible() else None
        self._on_text()
        for number in range(self.rows.rowCount()):
            entry = self.rows.entry(self.rows.index(number))
            if before is not None and entry is not None and entry.key == before.key:
                self.list.setCurrentIndex(self.rows.index(number))

    @Slot()
    def _on_text(self) -> None:
        typed = self.query_before_cursor()
        if typed is None:
            self._dismissed = False
        if typed is None or self._dismissed or not self._field.hasFocus():
            self.hide()
            return
        entries = self.find_entries(typed)
        self.rows.show(entries)
        if not entries:
            self.hide()
            return
        if self.layout() is None:
            self._create_contents()
        self.list.setCurrentIndex(self.rows.index(0))
        self._update_geometry()
        self.show()
        self.raise_()

    def _create_contents(self) -> None:
        make_column_layout(self.list, of=self, margins=(6, 6, 6, 6), spacing=None)
        self.list.clicked.connect(self._choose)
        self._field.installEventFilter(self)
        self._composer.installEventFilter(self)
        if (pane := self.parentWidget()) is not None:
            pane.installEventFilter(self)

    def _best(self, entries: list[PaletteEntry], typed: str) -> list[PaletteEntry]:
        finder = Finder(entries, {}, self)
        finder.start_search(typed)
        finder.finish()
        matches = finder.best_entries()
        finder.deleteLater()
        return matches

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._field and self.isVisible():
            if kind == QEvent.Type.FocusOut:
                self.hide()
            elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._key(event)
        elif watched in (self._composer, self.parentWidget()) and kind in {
            QEvent.Type.Move,  # because the composer resizes after its text has changed
            QEvent.Type.Resize,
        }:
            self._update_geometry()
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

    def _update_geometry(self) -> None:
        field = self._composer.geometry()
        rows = min(self.rows.rowCount(), self.MOST)
        height = min(rows * max(t.ROW, scale_height(t.ROW)) + 14, max(60, field.top() - 8))
        self.setGeometry(field.left(), field.top() - height - 6, field.width(), height)


class PromptPicker(FieldPicker):
    """Prompts, shown while the message consists of "/" and a query."""

    prompt_chosen = Signal(str)  # (name)
    manage_requested = Signal()

    def __init__(
        self,
        field: QTextEdit,
        composer: QWidget,
        prompts: Callable[[], Mapping[str, str]],
        extra_entries: Callable[[], list[PaletteEntry]],
        parent: QWidget,
    ) -> None:
        super().__init__(tr("Prompts"), field, composer, parent)
        self._prompts = prompts
        self._extra = extra_entries

    def query_before_cursor(self) -> str | None:
        text = self._field.toPlainText()
        looks = text.startswith("/") and "\n" not in text and len(text) <= LONGEST
        return text[1:] if looks else None

    def find_entries(self, typed: str) -> list[PaletteEntry]:
        prompts = self._prompts()
        entries = [
            PaletteEntry(
                EntryKind.PROMPT,
                f"prompt:{name}",
                name,
                lambda name=name: self.prompt_chosen.emit(name),  # type: ignore[misc]
                beside=" ".join(text.split())[:200],
            )
            for name, text in prompts.items()
        ]
        matches = self._best([*entries, *self._extra()], typed)
        if not typed.strip():
            words = tr("Edit Prompts…") if prompts else tr("Write a Prompt…")
            matches.append(
                PaletteEntry(EntryKind.COMMAND, "prompts", words, self.manage_requested.emit)
            )
        return matches


_RESOURCE_QUERY = re.compile(rf"(?:^|\s)@([^@\n]{{0,{LONGEST}}})$")


class ResourcePicker(FieldPicker):
    """Resources, shown while the user types a word that starts with "@"."""

    def __init__(
        self,
        field: QTextEdit,
        composer: QWidget,
        resources: Callable[[str], list[PaletteEntry]],
        parent: QWidget,
    ) -> None:
        super().__init__(tr("Resources"), field, composer, parent)
        self._resources = resources
        field.cursorPositionChanged.connect(self._on_text)

    def query_before_cursor(self) -> str | None:
        if self._field.toPlainText().startswith("/"):
            return None  # leave the text to the prompt picker
        match = _RESOURCE_QUERY.search(self._line_before_cursor())
        return match[1] if match is not None and not self._in_code() else None

    def find_entries(self, typed: str) -> list[PaletteEntry]:
        return self._best(self._resources(typed), typed)

    def _in_code(self) -> bool:
        """Return True if the cursor is in Markdown code, in which "@" is probably a decorator."""
        cursor = self._field.textCursor()
        above = self._field.toPlainText().encode("utf-16-le")[: 2 * cursor.block().position()]
        lines = above.decode("utf-16-le", "ignore").split("\n")
        fences = sum(line.lstrip().startswith("```") for line in lines)
        return bool(fences % 2 or self._line_before_cursor().count("`") % 2)

    def take_away(self) -> None:
        match = _RESOURCE_QUERY.search(self._line_before_cursor())
        if match is not None:
            cursor = self._field.textCursor()
            length = len(match[1].encode("utf-16-le")) // 2 + 1
            move, keep = QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor
            cursor.movePosition(move, keep, length)
            cursor.removeSelectedText()

    def _line_before_cursor(self) -> str:
        cursor = self._field.textCursor()
        text = cursor.block().text().encode("utf-16-le")[: 2 * cursor.positionInBlock()]
        return text.decode("utf-16-le", "ignore")[-LONGEST - 2 :]
