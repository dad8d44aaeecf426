"""Keys in the spelling of the system that the program runs on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QKeySequence

_instead: list[Callable[[str], str]] = []


def native(keys: str) -> str:
    """The keys, given in Qt's portable spelling, as this system writes them: Cmd for Ctrl on a Mac.

    Empty for what is no key.
    """
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def follow(instead: Callable[[str], str]) -> None:
    """From now on `in_force` asks this which keys a command has instead of its usual ones."""
    _instead[:] = [instead]


def in_force(keys: str) -> str:
    """The keys that now do what these usually do, in portable spelling; "" where none do.

    Keys that are no command's, such as Esc, stay as they are.
    """
    return _instead[0](keys) if _instead else keys


def with_keys(tip: str) -> str:
    """A tooltip: words, two blanks, usual keys. They become those in force, in native spelling."""
    words, _, keys = tip.partition("  ")
    shown = native(in_force(keys)) if keys else ""
    return f"{words}  {shown}" if shown else words
