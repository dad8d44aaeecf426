"""Ctrl+W in a dialog that blocks its window, whose own commands are not heard meanwhile."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog


def open_dialog(dialog: QDialog) -> None:
    """Open it over its window, so that Ctrl+W closes it as it closes any other."""
    QShortcut(QKeySequence("Ctrl+W"), dialog, dialog.reject)
    dialog.open()
