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
    """Managers of models, one instance per application."""

    def __init__(
        self, users: ModelUsers, settings: Settings, paths: Paths, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.folder = paths.data / "models"
        self.loader = users.loader
        self.downloads = Downloads(settings, self)
        self.installed = InstalledModels(users, settings, self.folder, self)
        self.removal = ModelRemover(self.installed, users, settings, self.downloads, self)
        self.idle = IdleUnloading(self.installed, users, settings, self)
        self.pressure = MemoryPressure(users, self.idle.unloadable_models, self)
