"""What the Models window asks and says while a model gets an adapter."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.installed import InstalledModels
from app.ui.models.library_foot import LibraryFoot
from engine.hub.inventory import Installed


class AdapterTalk(QObject):
    """Talks in the window's foot."""

    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot

    def begin(self, model: Installed | None) -> None:
        """Ask for an adapter's folder and list the model with it."""
        if model is None:
            return
        title = f"Add an Adapter to {model.name}"
        chosen = QFileDialog.getExistingDirectory(self._foot.window(), title)
        if chosen:
            folder = Path(chosen).absolute()
            why = self._installed.add_adapter(model, folder)
            self._foot.say(why or f"Listed as {model.name} + {folder.name}.")
