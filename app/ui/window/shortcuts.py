"""Keyboard shortcuts: defaults, user changes, and their dialog."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QKeySequenceEdit, QLabel, QPushButton, QWidget

from app.settings.language import mark, tr
from app.settings.settings import Settings
from app.ui.style.theme import scaled
from app.ui.widgets.fields import make_search_field
from app.ui.widgets.labels import make_button, make_heading, make_label
from app.ui.widgets.layout_helpers import make_column_layout, nest, scrolling
from app.ui.widgets.sheet import Sheet
from app.ui.widgets.widget_behavior import set_shortcut_lookup, to_native_keys
from app.ui.window.commands import MENUS, REGISTRY, focus_keys

_PORTABLE = QKeySequence.SequenceFormat.PortableText
_TEXT_KEYS = {
    QKeySequence.StandardKey.Copy: mark("{keys} copies text."),
    QKeySequence.StandardKey.Cut: mark("{keys} cuts text."),
    QKeySequence.StandardKey.Paste: mark("{keys} pastes text."),
    QKeySequence.StandardKey.SelectAll: mark("{keys} selects all text."),
    QKeySequence.StandardKey.Undo: mark("{keys} undoes typing."),
    QKeySequence.StandardKey.Redo: mark("{keys} redoes typing."),
}
"""Shortcuts that text fields need."""
_NEEDS_MODIFIER = (
    mark("{keys} types text. Add Command or Option.")
    if sys.platform == "darwin"
    else mark("{keys} types text. Add Ctrl or Alt.")
)


class Shortcuts(QObject):
    """Shortcuts of all commands. Changes apply immediately and are saved."""

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._keys = self._effective_keys()
        defaults = {name: _clean_keys(command.keys) for name, command in REGISTRY.items()}
        self._default_owners = {keys: name for name, bound in defaults.items() for keys in bound}
        set_shortcut_lookup(self.current_keys)

    def focus_keys(self) -> list[tuple[str, str]]:
        return focus_keys(self._settings.send_key)

    def current_keys(self, keys: str) -> str:
        """Return the current shortcut of the command whose default is ``keys``."""
        name = self._default_owners.get(_portable(keys))
        if name is None:
            return keys
        assigned = self.keys_of(name)
        return keys if _portable(keys) in assigned else next(iter(assigned), "")

    def keys_of(self, name: str) -> tuple[str, ...]:
        return self._keys[name]

    def is_own(self, name: str) -> bool:
        return self.keys_of(name) != _clean_keys(REGISTRY[name].keys)

    @property
    def has_changes(self) -> bool:
        return any(map(self.is_own, REGISTRY))

    def why_not(self, keys: str) -> str:
        """Return why ``keys`` can't be used as a shortcut, or ""."""
        sequence = QKeySequence(keys)
        if sequence.isEmpty():
            return tr("Press the new shortcut.")
        keyed: Any = sequence  # indexing isn't in the stubs
        pressed: QKeyCombination = keyed[0]
        modifiers, key = pressed.keyboardModifiers(), pressed.key()
        strong = (
            Qt.KeyboardModifier.ControlModifier
            | Qt.KeyboardModifier.AltModifier
            | Qt.KeyboardModifier.MetaModifier
        )
        if not modifiers & strong and not Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35:
            return tr(_NEEDS_MODIFIER, keys=to_native_keys(keys))
        for standard, words in _TEXT_KEYS.items():
            if sequence in QKeySequence.keyBindings(standard):
                return tr(words, keys=to_native_keys(keys))
        return ""

    def find_command(self, keys: str, besides: str = "") -> str:
        """Return the command that uses a shortcut, or ""."""
        shortcut = _portable(keys)
        owners = (n for n, assigned in self._keys.items() if n != besides and shortcut in assigned)
        return next(owners, "")

    def assign(self, name: str, keys: str) -> None:
        """Make ``keys`` the only shortcut of a command, taking it from any other command.

        With "", the command has no shortcut.
        """
        changed = dict(self._settings.shortcuts)
        loser = self.find_command(keys, besides=name) if keys else ""
        if loser:
            changed[loser] = [k for k in self.keys_of(loser) if k != _portable(keys)]
        changed[name] = [_portable(keys)] if keys else []
        self._save(changed)

    def reset(self, name: str) -> None:
        """Restore a command's default shortcuts, taking them from any other command."""
        changed = {n: keys for n, keys in self._settings.shortcuts.items() if n != name}
        defaults = set(_clean_keys(REGISTRY[name].keys))
        for command in list(changed):
            if defaults & set(map(_portable, changed[command])):
                changed[command] = [k for k in changed[command] if _portable(k) not in defaults]
        self._save(changed)

    def get_changes(self) -> Mapping[str, list[str]]:
        """Return the user's changes, which `set_changes` can restore."""
        return dict(self._settings.shortcuts)

    def set_changes(self, changes: Mapping[str, list[str]]) -> None:
        """Replace the user's changes. An empty mapping restores the defaults."""
        self._save(dict(changes))

    def _save(self, changes: dict[str, list[str]]) -> None:
        defaults = {name: list(_clean_keys(command.keys)) for name, command in REGISTRY.items()}
        self._settings.set(
            shortcuts={
                n: keys for n, keys in changes.items() if n not in defaults or keys != defaults[n]
            }
        )
        self._keys = self._effective_keys()
        self.changed.emit()

    def _effective_keys(self) -> dict[str, tuple[str, ...]]:
        result = {
            name: _clean_keys(keys)
            for name, keys in self._settings.shortcuts.items()
            if name in REGISTRY
        }
        used: set[str] = set()
        for name in result:  # the file may have been edited by hand, so ignore duplicates
            result[name] = tuple(k for k in result[name] if k not in used and not self.why_not(k))
            used.update(result[name])
        return {
            name: result[name]
            if name in result
            else tuple(k for k in _clean_keys(command.keys) if k not in used)
            for name, command in REGISTRY.items()
        }


@cache
def _portable(keys: str) -> str:
    return QKeySequence(keys).toString(_PORTABLE)


def _clean_keys(keys: object) -> tuple[str, ...]:
    shortcuts = map(_portable, keys) if isinstance(keys, (list, tuple)) else ()
    return tuple(k for k in shortcuts if k)


def show_shortcuts(keys: Shortcuts, parent: QWidget) -> ShortcutsDialog:
    dialog = parent.findChild(ShortcutsDialog) or ShortcutsDialog(keys, parent)
    dialog.show_or_raise()
    return dialog


def search_text_of(name: str) -> str:
    return tr(REGISTRY[name].text).rstrip("…")


class ShortcutsDialog(Sheet):
    """Searchable list of all shortcuts, grouped by menu, with a button to change each."""

    def __init__(self, keys: Shortcuts, parent: QWidget) -> None:
        super().__init__("shortcuts", tr("Keyboard Shortcuts"), parent)
        self._keys = keys
        self._before_reset: Mapping[str, list[str]] = {}
        self.buttons: dict[str, QPushButton] = {}
        self._searchable_rows: list[tuple[str, QLabel, list[QWidget]]] = []  # text, heading, row
        self.search = make_search_field(self, tr("Search shortcuts"))
        self.search.textChanged.connect(self._filter)
        table = QWidget(self)
        self._column = make_column_layout(of=table, margins=(0, 4, 12, 12))
        for title in ("", *MENUS):
            self._section(title, table)
        self._column.addStretch(1)
        self.nothing = self.make_label(tr("No matches"))
        self.nothing.hide()
        scroll = scrolling(table, self)
        scroll.setAccessibleName(tr("Commands and shortcuts"))
        self.reset = self.button(tr("Reset All"), self._on_reset)
        self.undo = self.button(tr("Undo Reset"), self._on_undo)
        self.undo.hide()
        self.add_rows(self.search, self.nothing)
        self.rows.addWidget(scroll, 1)
        self.add_buttons(None, self.reset, self.undo)
        keys.changed.connect(self.refresh)
        self.refresh()
        room, bar = self.screen().availableSize(), scroll.verticalScrollBar().sizeHint().width()
        width = max(scaled(560), table.sizeHint().width() + bar + 48)
        self.resize(min(room.width() - 40, width), min(room.height() - 80, scaled(640)))

    @Slot()
    def refresh(self) -> None:
        for name, button in self.buttons.items():
            keys = to_native_keys(next(iter(self._keys.keys_of(name)), ""))
            button.setText(keys or "–")
            own, label = self._keys.is_own(name), keys or tr("no shortcut")
            button.setAccessibleName(
                tr("{command}: {keys}, changed. Change", command=search_text_of(name), keys=label)
                if own
                else tr("{command}: {keys}. Change", command=search_text_of(name), keys=label)
            )
            font = button.font()
            font.setBold(own)
            button.setFont(font)
            default = to_native_keys(next(iter(REGISTRY[name].keys), "")) or tr("none", "no keys")
            button.setToolTip(
                tr("Default: {usual}", usual=default) if own else tr("Change shortcut")
            )
        self.reset.setEnabled(self._keys.has_changes)
        self.reset.setToolTip("" if self._keys.has_changes else tr("All shortcuts reset"))

    def change(self, name: str) -> None:
        KeyDialog(name, self._keys, self).open()

    def _section(self, title: str, table: QWidget) -> None:
        """Add a group with a menu's commands. If ``title`` is "", add keys handled by widgets."""
        head = make_heading(table, tr(title) if title else tr("In a chat"))
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(2)
        rows: list[tuple[str, QWidget]]
        if title:
            names = [name for name in MENUS[title] if name != "-"]
            rows = [(search_text_of(name), self._key_button(name, table)) for name in names]
        else:
            rows = [
                (words, self._keys_label(keys, table)) for words, keys in self._keys.focus_keys()
            ]
        for number, (words, keys) in enumerate(rows):
            label = make_label(table, words, muted=False)
            grid.addWidget(label, number, 0)
            grid.addWidget(keys, number, 1, Qt.AlignmentFlag(0) if not title else _RIGHT)
            self._searchable_rows.append((words, head, [label, keys]))
        self._column.addWidget(head)
        grid.setContentsMargins(0, 0, 0, 12)  # the margin disappears if the search hides all rows
        nest(self._column, grid)

    def _keys_label(self, keys: str, table: QWidget) -> QLabel:
        label = make_label(table, keys)
        label.setAlignment(_RIGHT)
        # Align with the button texts below, which have this padding.
        gap = 9
        before, after = (gap, 0) if self.isRightToLeft() else (0, gap)
        label.setContentsMargins(before, 4, after, 4)
        return label

    @Slot(str)
    def _filter(self, text: str) -> None:
        search_words = text.casefold().split()
        head_matches: dict[QLabel, bool] = {}
        for words, head, parts in self._searchable_rows:
            keys = parts[1].text() if isinstance(parts[1], QLabel | QPushButton) else ""
            row_text = f"{words} {keys} {head.text()}".casefold()
            fits = all(word in row_text for word in search_words)
            for part in parts:
                part.setVisible(fits)
            head_matches[head] = head_matches.get(head, False) or fits
        for head, has_match in head_matches.items():
            head.setVisible(has_match)
        self.nothing.setVisible(not any(head_matches.values()))

    def _key_button(self, name: str, table: QWidget) -> QPushButton:
        button = self.buttons[name] = make_button(table, pressed=lambda: self.change(name))
        button.setObjectName("key")
        return button

    @Slot()
    def _on_reset(self) -> None:
        self._before_reset = self._keys.get_changes()
        self._keys.set_changes({})
        self.undo.show()

    @Slot()
    def _on_undo(self) -> None:
        self._keys.set_changes(self._before_reset)
        self.undo.hide()


_RIGHT = Qt.AlignmentFlag.AlignRight


class KeyDialog(Sheet):
    def __init__(self, name: str, keys: Shortcuts, parent: QWidget) -> None:
        super().__init__("key-dialog", tr("Change Shortcut"), parent, spacing=10)
        self._name = name
        self._keys = keys
        self.field = QKeySequenceEdit(self)
        self.field.setMaximumSequenceLength(1)
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName(tr("Shortcut for {command}", command=search_text_of(name)))
        self.field.setKeySequence(QKeySequence(next(iter(keys.keys_of(name)), "")))
        self.field.keySequenceChanged.connect(self._refresh)
        self.hint = self.make_label()
        self.ok = self.button(tr("Set"), self._on_set)
        self.clear = self.button(tr("Clear"), self._on_clear)
        self.reset = self.button(tr("Reset"), self._on_reset)
        words = tr("Press the new shortcut for “{command}”", command=search_text_of(name))
        self.add_rows(self.make_label(words, muted=False), self.field, self.hint)
        self.add_buttons(self.ok, self.clear, self.reset)
        self.set_scaled_width(420)
        self.reset.setEnabled(keys.is_own(name))
        self.reset.setToolTip("" if keys.is_own(name) else tr("This is the default shortcut"))
        self.clear.setEnabled(bool(keys.keys_of(name)))
        self.clear.setToolTip("" if keys.keys_of(name) else tr("This command has no shortcut"))
        self._refresh()
        self.field.setFocus()

    @property
    def pressed(self) -> str:
        return self.field.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    @Slot()
    def _refresh(self) -> None:
        pressed = self.pressed
        reason = self._keys.why_not(pressed)
        holder = "" if reason else self._keys.find_command(pressed, besides=self._name)
        if holder:
            self.hint.setText(
                tr(
                    "{keys} is used by “{command}” and will be removed there.",
                    keys=to_native_keys(pressed),
                    command=search_text_of(holder),
                )
            )
        else:
            self.hint.setText(reason)
        self.ok.setEnabled(not reason)
        self.ok.setToolTip(reason)

    @Slot()
    def _on_set(self) -> None:
        self._keys.assign(self._name, self.pressed)
        self.accept()

    @Slot()
    def _on_clear(self) -> None:
        self._keys.assign(self._name, "")
        self.accept()

    @Slot()
    def _on_reset(self) -> None:
        self._keys.reset(self._name)
        self.accept()
