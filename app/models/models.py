"""Parts of the program that manage models, with or without a window."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.models.downloads import Downloads
from app.models.installed import InstalledModels
from app.models.loading import ModelUsers
from app.models.removal import ModelRemover
from app.models.residency import IdleUnloading, MemoryPressure
from app.settings.paths import Paths
from app.settings.settings import Settings


class Models(QObject):
    """Owner of the parts that manage models, one per program."""

    def __init__(
        self, users: ModelUsers, settings: Settings, paths: Paths, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.folder = paths.data / "models"  # the program's own folder of models
        # models that chats may choose, and their loading
        self.loader = users.loader
        self.downloads = Downloads(settings, self)  # downloads and conversions
        # installed models
        self.installed = InstalledModels(users, settings, self.folder, self)
        # moves models to the system's trash, and back
        self.removal = ModelRemover(self.installed, users, settings, self.downloads, self)
        # unloads models that have been idle for long
        self.idle = IdleUnloading(self.installed, users, settings, self)
        # frees memory if the system needs it
        self.pressure = MemoryPressure(users, self.idle.resting, self)
