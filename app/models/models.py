"""All that is known and done about models while the program runs, with or without a window."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.models.downloads import Downloads
from app.models.installed import InstalledModels
from app.models.loading import ModelUsers
from app.models.removal import Removal
from app.models.residency import IdleUnloading, MemoryPressure
from app.settings.paths import Paths
from app.settings.settings import Settings


class Models(QObject):
    """The parts that look after models, made once for the program."""

    def __init__(
        self, users: ModelUsers, settings: Settings, paths: Paths, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.folder = paths.data / "models"  # the program's own folder of models
        # which models chats may choose, and what has become of loading each
        self.loader = users.loader
        self.downloads = Downloads(settings, self)  # models on their way from the hub
        # what is installed, as far as it was looked at
        self.installed = InstalledModels(users, settings, self.folder, self)
        # moves models to the system's trash, and back
        self.removal = Removal(self.installed, users, settings, self.downloads, self)
        # unloads what has rested for long
        self.idle = IdleUnloading(self.installed, users, settings, self)
        # gives memory back where the system is short of it
        self.pressure = MemoryPressure(users, self.idle.resting, self)
