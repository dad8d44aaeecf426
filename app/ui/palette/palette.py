from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import shiboken6
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QRect,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.settings.language import tr
from app.ui.palette.finder import EntryKind, Finder, PaletteEntry
from app.ui.style import tokens as t
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scaled, theme
from app.ui.widgets.row_painter import Index, RowDelegate, RowPainter, RowState, prepare_row_view
from app.ui.widgets.widget_behavior import announce

_NONE = QModelIndex()
_ICONS = {
    EntryKind.COMMAND: "terminal",
    EntryKind.CHAT: "chat-circle",
    EntryKind.MODEL: "cube",
    EntryKind.SETTING: "sliders",
    EntryKind.PROMPT: "note-pencil",
    EntryKind.RESOURCE: "paperclip",
}


class EntryListModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.ends = 0  # number of recent entries, which are above a line
        self._entries: list[PaletteEntry] = []

    def show(self, entries: list[PaletteEntry]) -> bool:
        if entries == self._entries:
            return False
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()
        return True

    def entry(self, index: Index) -> PaletteEntry | None:
        return self._entries[index.row()] if index.isValid() else None

    def state(self, index: Index) -> RowState | None:
        entry = self.entry(index)
        return entry_state(entry) if entry is not None else None

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        return {
            Qt.ItemDataRole.DisplayRole: entry.text,
            Qt.ItemDataRole.ToolTipRole: entry.refusal,
            Qt.ItemDataRole.AccessibleTextRole: entry.accessible_text,
        }.get(Qt.ItemDataRole(role))


def entry_state(entry: PaletteEntry) -> RowState:
    """Return what to paint. The row ends with the shortcut or why the entry is unavailable."""
    beside = entry.beside if entry.beside != entry.text.rstrip("…") else ""
    return RowState(
        " ".join(entry.text.split()),
        color="muted" if entry.refusal else "text",
        icon=_ICONS[entry.kind],
        end=entry.refusal or entry.keys,
        end_px=t.UI_PX,
        title_first=True,
        beside=f"· {beside}" if beside else "",
    )


class PaletteDelegate(RowDelegate):
    def __init__(self, rows: EntryListModel, parent: QObject) -> None:
        super().__init__(parent, rows.state, inset=6)
        self._rows = rows

    def paint_ground(self, row: RowPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        if index.row() and index.row() == self._rows.ends:
            area: QRect = option.rect
            line = QRect(area.left() + 8, area.top(), area.width() - 16, 1)
            row.painter.fillRect(line, theme().color("border"))
        return super().paint_ground(row, option, index)


class Card(QWidget):
    """Base class of the palette and the pickers. ``name`` is the list's accessible name."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._speaker: QWidget = self
        self.rows = EntryListModel(self)
        theme().changed.connect(self.update)

    @cached_property
    def list(self) -> QListView:
        view = QListView(self)
        view.setModel(self.rows)
        prepare_row_view(view, self._name)
        view.setItemDelegate(PaletteDelegate(self.rows, view))
        view.setUniformItemSizes(True)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setObjectName("found")
        float_bars(view)
        view.entered.connect(view.setCurrentIndex)
        view.selectionModel().currentChanged.connect(self._on_current)
        return view

    def announce_rows_for(self, field: QWidget) -> None:
        """Make screen readers announce the current row, although ``field`` has the focus."""
        self._speaker = field

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, index: QModelIndex, _focus_before: QModelIndex) -> None:
        entry = self.rows.entry(index)
        if entry is not None:
            announce(self._speaker, entry.accessible_text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme().tokens.divider), 1))
        painter.setBrush(QColor(theme().tokens.raised))
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(area, t.RADIUS, t.RADIUS)


_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


class Palette(Card):
    """Command palette over a window. It closes when an entry runs or when it loses the focus.

    The palette isn't a separate window because commands depend on the focus, which is restored
    before a command runs.
    """

    WIDTH = 640
    MOST = 10  # rows visible without scrolling

    entry_chosen = Signal(object)  # (entry)
    notice_posted = Signal(str)  # (reason)
    closed = Signal()

    def __init__(
        self,
        entries: Iterable[PaletteEntry],
        recent: Sequence[str],  # keys, most recent first
        parent: QWidget,
        last: Callable[[str], PaletteEntry] | None,  # returns an additional last entry for a query
        words: str = "",  # placeholder, if only some entries are searched
    ) -> None:
        super().__init__(tr("Found", "the list of what was found"), parent)
        self.setObjectName("palette")
        self.setAccessibleName(words or tr("Command palette"))
        self._focus_before = QApplication.focusWidget()
        self._closed = False
        self._make_last_entry = last
        self.finder = Finder(entries, {key: ago for ago, key in enumerate(recent)}, self)
        self.field = QLineEdit(self)
        words = words or tr("Search commands, chats, models, settings")
        self.field.setPlaceholderText(words)
        self.field.setAccessibleName(words)
        self.field.setAccessibleDescription(tr("Up and Down choose, Enter opens, Esc closes"))
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._on_clicked)
        self.announce_rows_for(self.field)
        self.nothing = QLabel(tr("No results"), self)
        self.recent = QLabel(tr("Recent"), self)
        for label in (self.nothing, self.recent):
            label.setProperty("muted", True)
            label.setContentsMargins(16, 2, 16, 2)
            label.hide()
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.nothing)
        column.addWidget(self.recent)
        column.addWidget(self.list)
        self.finder.results_changed.connect(self._on_found)
        self.field.textChanged.connect(self._on_typed)
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]
        parent.installEventFilter(self)
        self.finder.start_search("")
        self._update_geometry()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    @Slot()
    def refresh(self) -> None:
        self.list.viewport().update()

    def close_palette(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.finder.end()
        QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr]
        had_keys = self.field.hasFocus()
        before = self._focus_before
        self.hide()
        self.deleteLater()
        if had_keys and before is not None and shiboken6.isValid(before):
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()

    def choose(self, *, beside: bool = False) -> None:
        """Run the current entry. If it's unavailable, show the reason and stay open."""
        self.finder.finish()
        entry = self.rows.entry(self.list.currentIndex())
        if entry is None:
            return
        if refused := entry.refusal:
            self.notice_posted.emit(refused)
            return
        self.close_palette()
        act = entry.choose_beside if beside and entry.choose_beside is not None else entry.choose
        act()
        self.entry_chosen.emit(entry)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parentWidget() and event.type() == QEvent.Type.Resize:
            self._update_geometry()
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
        count = self.rows.rowCount()
        if not count:
            return
        at = self.list.currentIndex().row() + by
        at = at % count if abs(by) == 1 else min(max(at, 0), count - 1)
        self.list.setCurrentIndex(self.rows.index(at))

    @Slot(str)
    def _on_typed(self, typed: str) -> None:
        self.list.setCurrentIndex(QModelIndex())
        self.finder.start_search(typed)

    @Slot()
    def _on_found(self) -> None:
        selected = self.rows.entry(self.list.currentIndex())
        at_top = self.list.currentIndex().row() <= 0
        entries, typed = self.finder.best_entries(), self.field.text().strip()
        self.nothing.setVisible(self.finder.is_complete and not entries)
        if typed and self.finder.is_complete and self._make_last_entry is not None:
            entries.append(self._make_last_entry(typed))
        if self.rows.show(entries) or not self.list.currentIndex().isValid():
            row = entries.index(selected) if selected in entries and not at_top else 0
            self.list.setCurrentIndex(self.rows.index(row))
        lately = 0 if typed else self.finder.recent_count
        self.recent.setVisible(lately > 0)
        if self.rows.ends != lately:
            self.rows.ends = lately
            self.list.viewport().update()
        self._update_geometry()

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.list.setCurrentIndex(index)
        control = Qt.KeyboardModifier.ControlModifier
        self.choose(beside=bool(QApplication.keyboardModifiers() & control))

    @Slot(QWidget, QWidget)
    def _on_focus(self, _focus_before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and now is not self and not self.isAncestorOf(now):
            self.close_palette()

    def _update_geometry(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            width = min(scaled(self.WIDTH), parent.width() - 16)
            count = min(self.rows.rowCount(), self.MOST)
            self.list.setVisible(count > 0)
            self.list.setFixedHeight(min(count * self.list.sizeHintForRow(0), parent.height() // 2))
            height = self._column.sizeHint().height()
            self.setGeometry((parent.width() - width) // 2, parent.height() // 10, width, height)
