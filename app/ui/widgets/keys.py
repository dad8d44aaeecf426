"""Keys in the spelling of the system that the program runs on."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence


def native(keys: str) -> str:
    """The keys, given in Qt's portable spelling, as this system writes them: Cmd for Ctrl on a Mac.

    Empty for what is no key.
    """
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
