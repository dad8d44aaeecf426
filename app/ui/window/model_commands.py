from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app import flows
from app.models.downloads import Recipe, conversion_of
from app.models.names import model_location
from app.models.removal import RemovedModel
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.ui.models.downloads_in_window import DownloadsInWindow
from app.ui.models.fit import FitFlow
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import CommandScope, command
from app.ui.window.context import WindowController, WindowParts
from engine.hub.inventory import InstalledModel

if TYPE_CHECKING:
    from app.ui.models.models_window import ModelsWindow


class ModelCommands(WindowController):
    """Commands for models, and notices about removals while the Models window is closed."""

    def __init__(
        self,
        parts: WindowParts,
        chats: ChatCommands,
        fitting: FitFlow,
        dialog: DownloadsInWindow,
    ) -> None:
        super().__init__(parts)
        self._models, self._chats, self._downloads = parts.context.models, chats, dialog
        self._hosts = parts.context.paths.hosts
        show_text = self._toast.show_text
        # Append the notice, since a notice from startup may still be visible.
        self._models.installed.drafts.rejected.connect(self._toast.add_text)
        self._models.pressure.notice_posted.connect(show_text)
        self.fitting = fitting  # offers alternatives to models that don't fit in memory
        self.fitting.conversion_requested.connect(self.convert)
        self.fitting.download_requested.connect(dialog.show_for)
        self.fitting.notice_posted.connect(show_text)
        removal = self._models.removal
        removal.model_removed.connect(self._on_removed)
        removal.model_restored.connect(self._on_restored)
        removal.removal_failed.connect(self._on_failed)
        self._models.downloads.download_finished.connect(self._on_downloaded)
        self.window: ModelsWindow | None = None  # None while closed

    @command("models", mark("Models…"), "Ctrl+Shift+M", where=CommandScope.ANYWHERE)
    @Slot()
    def show_models(self) -> None:
        from app.ui.models.models_window import ModelsWindow

        if self.window is None:
            models = self._models
            window = ModelsWindow(models.installed, models.removal, self._library, self._window)
            window.chat_requested.connect(self._chats.use_model)
            window.too_large_found.connect(lambda ref: self.fitting.open(ref, None, window))
            window.get.clicked.connect(self._downloads.show)
            window.conversion_requested.connect(self.convert)
            window.finished.connect(self._on_gone)
            self.window = window
        self.window.begin()

    @command("machines", mark("Multiple Computers…"), where=CommandScope.ANYWHERE)
    @Slot()
    def show_machines(self) -> None:
        from app.ui.models.machines_dialog import MachinesDialog

        installed_models = self._models.installed.models.values()
        models = [(self._models.loader.get(GUIDE).name, model_location(GUIDE))]
        models += [(model.name, str(model.folder)) for model in installed_models]
        dialog = MachinesDialog(self._models.loader.spread, models, self._hosts, self._window)
        dialog.chat_requested.connect(self._chats.use_model)
        dialog.open()

    @Slot(object)
    def convert(self, model: InstalledModel) -> None:
        """Ask for a precision, then convert the model. The downloads list shows the progress."""
        from app.ui.models.library_foot import ConvertDialog

        dialog = ConvertDialog(model, self.window or self._window)
        dialog.recipe_chosen.connect(lambda recipe: flows.start(self, self._convert(model, recipe)))
        dialog.open()

    async def _convert(self, model: InstalledModel, recipe: Recipe) -> None:
        folder = self._models.folder
        job = await flows.run_in_thread(lambda _: conversion_of(model, recipe, folder))
        self._models.downloads.convert(job)
        self._downloads.show()

    @command("get_model", mark("Get Model…"), "Ctrl+Shift+O", where=CommandScope.ANYWHERE)
    @Slot()
    def show_get_model(self) -> None:
        self._downloads.show()

    @Slot()
    def _on_downloaded(self) -> None:
        if self.window is not None:
            self._models.installed.rescan()

    @Slot()
    def _on_gone(self) -> None:
        """Offer undo for the removals of the Models window, which was closed."""
        window, self.window = self.window, None
        for removed in window.talk.removed if window is not None else []:
            self._offer(removed)

    def _offer(self, removed: RemovedModel) -> None:
        self._undos.offer_undo(removed.message, lambda: self._models.removal.restore(removed))

    @Slot(object)
    def _on_removed(self, removed: RemovedModel) -> None:
        if self.window is not None:
            return
        if removed.can_come_back:
            self._offer(removed)
        else:
            self._toast.show_text(removed.message)

    @Slot(str)
    def _on_restored(self, name: str) -> None:
        if self.window is None:
            self._toast.show_text(tr("{name} restored", name=name))

    @Slot(str)
    def _on_failed(self, words: str) -> None:
        if self.window is None:
            self._toast.show_text(words)
