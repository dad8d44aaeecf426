"""The command of the settings, and what the window does when they change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.language import mark, tr
from app.newer_mlx_lm import NewerMlxLm
from app.paths import Paths, model_fallback_name
from app.serving import Serving
from app.settings import Settings
from app.spelling.speller import Speller
from app.ui.composer.composer_text import ComposerText
from app.ui.models.model_list import put_back
from app.ui.settings.settings_window import SettingsWindow
from app.ui.window.commands import Where, command
from app.ui.window.undo import Undos
from app.updates import Updates


class SettingsCommands(QObject):
    """Opens the settings.

    Attributes:
        shown: the open window, if any.
        updates, serving, newer, speller: None until the program has them.

    Signals:
        changed(): something was chosen in the settings.
        get_asked(): a model is to be downloaded.
        restart_asked(): the program is to start again, as for another language.
    """

    changed = Signal()
    get_asked = Signal()
    restart_asked = Signal()

    def __init__(
        self,
        library: ChatLibrary,
        settings: Settings,
        undos: Undos,
        paths: Paths | None,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._library = library
        self._settings = settings
        self._undos = undos
        self._paths = paths
        self._window = window
        self.shown: SettingsWindow | None = None
        self.updates: Updates | None = None
        self.serving: Serving | None = None
        self.newer: NewerMlxLm | None = None
        self.speller: Speller | None = None
        self._take_over()

    @command("settings", mark("Settings…"), "Ctrl+,", where=Where.ANYWHERE)
    def show_settings(self) -> None:
        """Open the settings, or bring them forward."""
        if self.shown is None:
            about = (None, self._library, self.updates, self.serving, self.newer, self.speller)
            window = SettingsWindow(self._settings, self._paths, self._window, *about)
            window.changed.connect(self._take_over)
            window.changed.connect(self.changed)
            window.finished.connect(self._on_gone)
            window.get_asked.connect(self.get_asked)
            window.restart_asked.connect(self.restart_asked)
            self.shown = window
        self.shown.show()
        self.shown.raise_()
        self.shown.activateWindow()

    @Slot()
    def on_downloaded(self) -> None:
        """There is a model more."""
        if self.shown is not None:
            self.shown.models.refresh()

    @Slot()
    def _take_over(self) -> None:
        ComposerText.sends_with_ctrl = self._settings.send_key == "ctrl_enter"
        ComposerText.long_paste = self._settings.long_paste

    @Slot()
    def _on_gone(self) -> None:
        window, self.shown = self.shown, None
        for at, ref in window.models.removed if window is not None else []:
            self._offer_model(at, ref)

    def _offer_model(self, at: int, ref: str) -> None:
        """What was removed in the settings can still be taken back when they are closed."""

        def restore() -> None:
            put_back(self._settings, at, ref)

        name = model_fallback_name(ref)
        self._undos.offer(tr("{name} is no longer listed", name=name), restore)
