"""What the Models window asks and says while a folder of models, or an adapter, is added."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app import flows
from app.installed import InstalledModels
from app.language import tr
from app.ui.models.library_foot import LibraryFoot
from app.ui.widgets import asking
from engine.hub.inventory import Installed
from engine.hub.names import clean_name


class AddingTalk(QObject):
    """Asks by the system's dialog, and says in the window's foot what came of it."""

    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot

    @Slot()
    def choose_folder(self) -> None:
        """Ask for a folder in which models are looked for."""
        flows.start(self, self._add_folder())

    def choose_adapter(self, model: Installed | None) -> None:
        """Ask for an adapter's folder, and list the model with it."""
        if model is not None:
            flows.start(self, self._add_adapter(model))

    async def _add_folder(self) -> None:
        folder = await asking.folder(self._foot.window(), tr("Add Model Folder"))
        if folder is not None:
            self._installed.add_folder(str(folder))

    async def _add_adapter(self, model: Installed) -> None:
        title = tr("Add an Adapter to {name}", name=model.name)
        folder = await asking.folder(self._foot.window(), title)
        if folder is not None:
            why = self._installed.add_adapter(model, folder.absolute())
            adapter = clean_name(folder.name)
            done = tr("Listed as {name} + {adapter}.", name=model.name, adapter=adapter)
            self._foot.say(why or done)
