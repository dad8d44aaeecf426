"""Where the window shows other programs that ask the engine."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.serving import Serving
from app.ui.dialogs.guest_dialog import GuestDialog
from app.ui.sidebar.guests_part import GuestsPart
from app.ui.window.main_window import MainWindow


class GuestsInWindow(QObject):
    """The guests' part of the sidebar, their lanes in the score, and dialogs with their text."""

    def __init__(self, serving: Serving, window: MainWindow) -> None:
        super().__init__(window)
        self._serving, self._window = serving, window
        window.settings_commands.serving = serving
        self.part = GuestsPart(serving, window.sidebar)
        window.sidebar.add_part(self.part)
        self.part.opened.connect(self.open)
        score = window.score
        score.feed.guests = serving.lanes
        score.guest_chosen.connect(self.open)
        score.guest_pause_asked.connect(serving.pause)

    @Slot(int)
    def open(self, number: int) -> None:
        """Show the text of a guest's answer as it comes."""
        GuestDialog(self._serving, number, self._window).show()
