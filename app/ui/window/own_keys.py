"""The keys of the commands: the usual ones, and those that a person has given them instead."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from app.language import mark, tr
from app.settings import Settings
from app.ui.widgets.keys import follow, native
from app.ui.window.commands import REGISTRY

_PORTABLE = QKeySequence.SequenceFormat.PortableText
_TEXT_KEYS = {
    QKeySequence.StandardKey.Copy: mark("{keys} copies text."),
    QKeySequence.StandardKey.Cut: mark("{keys} cuts text."),
    QKeySequence.StandardKey.Paste: mark("{keys} pastes text."),
    QKeySequence.StandardKey.SelectAll: mark("{keys} selects all text."),
    QKeySequence.StandardKey.Undo: mark("{keys} takes back what was written."),
    QKeySequence.StandardKey.Redo: mark("{keys} writes again what was taken back."),
}
"""Fields need these."""
_ADD = (
    mark("{keys} is needed for writing. Add Command or Option to it.")
    if sys.platform == "darwin"
    else mark("{keys} is needed for writing. Add Ctrl or Alt to it.")
)


class OwnKeys(QObject):
    """What was chosen is kept in the settings, in Qt's portable spelling, and holds at once.

    Signals:
        changed(): some command has other keys.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._keys = self._in_force()
        usual = {name: _tidy(made.keys) for name, made in REGISTRY.items()}
        self._usual = {keys: name for name, held in usual.items() for keys in held}
        follow(self.instead)

    def instead(self, keys: str) -> str:
        """The first keys of the command that usually has these, "" for none; see `in_force`."""
        name = self._usual.get(_portable(keys))
        if name is None:
            return keys
        held = self.of(name)
        return keys if _portable(keys) in held else next(iter(held), "")

    def of(self, name: str) -> tuple[str, ...]:
        """The command's keys; the first is shown."""
        return self._keys[name]

    def is_own(self, name: str) -> bool:
        """Whether they are others than usual."""
        return self.of(name) != _tidy(REGISTRY[name].keys)

    @property
    def any_own(self) -> bool:
        return any(map(self.is_own, REGISTRY))

    def why_not(self, keys: str) -> str:
        """Why no command can have these keys, as a sentence; "" if one can."""
        sequence = QKeySequence(keys)
        if sequence.isEmpty():
            return tr("Press the keys that it is to have.")
        keyed: Any = sequence  # the stubs do not know that it can be indexed
        pressed: QKeyCombination = keyed[0]
        modifiers, key = pressed.keyboardModifiers(), pressed.key()
        strong = (
            Qt.KeyboardModifier.ControlModifier
            | Qt.KeyboardModifier.AltModifier
            | Qt.KeyboardModifier.MetaModifier
        )
        if not modifiers & strong and not Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35:
            return tr(_ADD, keys=native(keys))
        for standard, words in _TEXT_KEYS.items():
            if sequence in QKeySequence.keyBindings(standard):
                return tr(words, keys=native(keys))
        return ""

    def holder(self, keys: str, besides: str = "") -> str:
        """The name of the command that has these keys, "" for none."""
        wanted = _portable(keys)
        found = (n for n, held in self._keys.items() if n != besides and wanted in held)
        return next(found, "")

    def give(self, name: str, keys: str) -> None:
        """Let these be the command's only keys; whoever had them has them no more. "": none."""
        own = dict(self._settings.shortcuts)
        loser = self.holder(keys, besides=name) if keys else ""
        if loser:
            own[loser] = [k for k in self.of(loser) if k != _portable(keys)]
        own[name] = [_portable(keys)] if keys else []
        self._keep(own)

    def reset(self, name: str) -> None:
        """Give the command its usual keys again, and take them from who was given them."""
        own = {n: keys for n, keys in self._settings.shortcuts.items() if n != name}
        usual = set(_tidy(REGISTRY[name].keys))
        for other in list(own):
            if usual & set(map(_portable, own[other])):
                own[other] = [k for k in own[other] if _portable(k) not in usual]
        self._keep(own)

    def all(self) -> Mapping[str, list[str]]:
        """What was chosen, to be given to `put_all` later."""
        return dict(self._settings.shortcuts)

    def put_all(self, own: Mapping[str, list[str]]) -> None:
        """Let this be what was chosen; {} for the usual keys of all."""
        self._keep(dict(own))

    def _keep(self, own: dict[str, list[str]]) -> None:
        usual = {name: list(_tidy(made.keys)) for name, made in REGISTRY.items()}
        self._settings.set(
            shortcuts={n: keys for n, keys in own.items() if n not in usual or keys != usual[n]}
        )
        self._keys = self._in_force()
        self.changed.emit()

    def _in_force(self) -> dict[str, tuple[str, ...]]:
        """One's own keys, and of the usual ones those that nobody was given."""
        own = {
            name: _tidy(keys) for name, keys in self._settings.shortcuts.items() if name in REGISTRY
        }
        given: set[str] = set()
        for name in own:  # a file may have been written by hand: the first to have a key keeps it
            own[name] = tuple(k for k in own[name] if k not in given and not self.why_not(k))
            given.update(own[name])
        return {
            name: own[name] if name in own else tuple(k for k in _tidy(made.keys) if k not in given)
            for name, made in REGISTRY.items()
        }


def _portable(keys: str) -> str:
    return QKeySequence(keys).toString(_PORTABLE)


def _tidy(keys: object) -> tuple[str, ...]:
    found = map(_portable, keys) if isinstance(keys, (list, tuple)) else ()
    return tuple(k for k in found if k)
