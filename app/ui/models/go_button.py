"""The main button of Get Model: what it does now, and why it cannot be pressed."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from app.language import mark, tr

DOWNLOAD, OPEN, LOOK_UP = mark("Download"), mark("Open"), mark("Look Up")
"""What it can do. They are shown translated, and compared as they stand here."""


class GoButton(QPushButton):
    """Is pressed by Enter.

    Attributes:
        verb: what it does.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setDefault(True)
        self.offer(DOWNLOAD)

    def offer(self, verb: str) -> None:
        """Do this from now on, one of those above."""
        self.verb = verb
        self.setText(tr(verb))

    def allow(self, why_not: str) -> None:
        """Can be pressed, or says why it cannot be."""
        self.setEnabled(not why_not)
        self.setToolTip(why_not)
