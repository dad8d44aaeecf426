"""The commands of the Help menu."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.language import mark
from app.ui.dialogs import dialogs
from app.ui.dialogs.shortcuts_dialog import show_shortcuts
from app.ui.window.commands import Where, command
from app.ui.window.own_keys import OwnKeys


class HelpCommands:
    """Shows what the keys do, and what this program is."""

    def __init__(self, keys: OwnKeys, window: QWidget) -> None:
        self._keys = keys
        self._window = window

    @command("shortcuts", mark("Keyboard Shortcuts"), "Ctrl+/", where=Where.ANYWHERE)
    def show_shortcuts(self) -> None:
        show_shortcuts(self._keys, self._window)

    @command("about", mark("About Stretto"), where=Where.ANYWHERE)
    def show_about(self) -> None:
        dialogs.show_about(self._window)
