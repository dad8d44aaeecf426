"""Container for everything that manages models, with or without a window."""

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
    """Owns the model managers. There's one instance per application."""

    def __init__(
        self, users: ModelUsers, settings: Settings, paths: Paths, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.folder = paths.data / "models"  # the app's own model folder
        # Loads models and lists those available to chats.
        self.loader = users.loader
        self.downloads = Downloads(settings, self)  # downloads and conversions
        # Installed models.
        self.installed = InstalledModels(users, settings, self.folder, self)
        # Moves models to the system trash and restores them.
        self.removal = ModelRemover(self.installed, users, settings, self.downloads, self)
        # Unloads models after a long idle time.
        self.idle = IdleUnloading(self.installed, users, settings, self)
        # Frees memory when the system is low on it.
        self.pressure = MemoryPressure(users, self.idle.unloadable_models, self)
