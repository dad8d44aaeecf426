from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from app import flows
from app.models import residency, system_trash
from app.models.downloads import Downloads, DownloadState
from app.models.installed import InstalledModels
from app.models.loading import LoadState, ModelUsers
from app.models.system_trash import TrashedFolder
from app.settings.language import counted, tr
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from engine.hub.inventory import InstalledModel, ModelSource


class RemovedModel(Struct, frozen=True):
    trashed: TrashedFolder
    name: str
    # removed settings entries: option, index, reference
    listed: tuple[tuple[str, int, str], ...] = ()
    new_chats: str = ""  # reference of the model, if it was the default for new chats

    @property
    def message(self) -> str:
        if self.trashed.kept is None:
            return tr("{name} moved to the Trash. You can put it back from there.", name=self.name)
        return tr("{name} moved to the Trash.", name=self.name)

    @property
    def can_come_back(self) -> bool:
        return self.trashed.kept is not None


class ModelRemover(QObject):
    model_removed = Signal(object)  # (RemovedModel)
    model_restored = Signal(str)  # (name)
    removal_failed = Signal(str)  # (reason)

    def __init__(
        self,
        installed: InstalledModels,
        users: ModelUsers,
        settings: Settings,
        downloads: Downloads,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._installed = installed
        self._users = users
        self._settings = settings
        self._downloads = downloads
        self._going: set[Path] = set()

    def why_not(self, model: InstalledModel) -> str:
        if model.source is ModelSource.BUNDLED:
            return tr("{name} is part of Stretto.", name=model.name)
        if _holds_more(model.removes):
            return tr(
                "{folder} contains other files too. Remove the model’s files by hand.",
                folder=model.removes,
            )
        if model.removes in self._going:
            return tr("{name} is being moved to the Trash.", name=model.name)
        for one in self._models_in_folder(model):
            status = self._installed.status(one)
            if status.state is LoadState.LOADING:
                return tr("{name} is loading. Wait until it has loaded, or cancel.", name=one.name)
            if status.model is not None and (
                reason := residency.why_not_unload(self._users, status.ref)
            ):
                return reason
        if any(self._downloads.is_converting(one.folder) for one in self._models_in_folder(model)):
            return tr("{name} is being converted. Cancel the conversion first.", name=model.name)
        repos = {one.ref.partition("@")[0] for one in self._models_in_folder(model)}
        for download in self._downloads.items:
            unfinished = download.state is not DownloadState.DONE
            if unfinished and download.ref.partition("@")[0] in repos:
                return tr("{name} is downloading. Cancel the download first.", name=download.name)
        return ""

    def removal_warning(self, model: InstalledModel) -> str:
        words = []
        chats = self._installed.chats(model)
        if len(chats) == 1:
            words.append(
                tr("The chat “{title}” uses it and will need another model.", title=chats[0])
            )
        elif chats:
            words.append(
                counted(
                    "%Ln chat uses it and will need another model.",
                    "%Ln chats use it and will need another model.",
                    len(chats),
                )
            )
        if model.shares:
            words.append(
                counted(
                    "%n other revision shares its files and is removed too.",
                    "%n other revisions share its files and are removed too.",
                    len(model.shares),
                )
            )
        if other_models := model.facts.others:
            listed = ", ".join(other_models[:3])
            words.append(
                tr(
                    "Its folder contains other files, which are removed too: {list} and more.",
                    list=listed,
                )
                if len(other_models) > 3
                else tr(
                    "Its folder contains other files, which are removed too: {list}.", list=listed
                )
            )
        return " ".join(words)

    def remove(self, model: InstalledModel) -> str:
        """Move a model to the trash. Return why that isn't possible, or ""."""
        reason = self.why_not(model)
        if reason:
            return reason
        for sibling in self._models_in_folder(model):
            self._users.loader.unload(self._installed.status(sibling).ref)
        self._going.add(model.removes)
        flows.start(self, self._remove(model))
        self._installed.changed.emit()
        return ""

    def restore(self, removed: RemovedModel) -> None:
        flows.start(self, self._restore(removed))

    def _models_in_folder(self, model: InstalledModel) -> list[InstalledModel]:
        """Return all models in the same folder, which are removed along with the given model."""
        if not model.shares:
            return [model]
        everything = self._installed.models.values()
        return [m for m in everything if m.removes == model.removes] or [model]

    async def _remove(self, model: InstalledModel) -> None:
        try:
            trashed = await flows.run_in_thread(lambda _: system_trash.move(model.removes))
        except Exception as error:
            self._going.discard(model.removes)
            self.removal_failed.emit(
                tr(
                    "{name} couldn’t be removed: {why}. Show its folder and remove it there.",
                    name=model.name,
                    why=_error_text(error),
                )
            )
            self._installed.rescan()
            return
        self._going.discard(model.removes)
        deleted = self._installed.remove_deleted(model.removes)
        refs = {ref for item in (*deleted, model) for ref in (item.ref, str(item.folder))}
        listed = []
        for option in ("models", "pinned"):
            before = getattr(self._settings, option)
            listed += [(option, at, ref) for at, ref in enumerate(before) if ref in refs]
            self._settings.set(**{option: tuple(ref for ref in before if ref not in refs)})
        first = self._settings.model if self._settings.model in refs else ""
        if first:
            self._settings.set(model=GUIDE)
        self.model_removed.emit(RemovedModel(trashed, model.name, tuple(listed), first))

    async def _restore(self, removed: RemovedModel) -> None:
        try:
            await flows.run_in_thread(lambda _: system_trash.restore(removed.trashed))
        except Exception as error:
            self.removal_failed.emit(
                tr("{name} couldn’t be restored: {why}.", name=removed.name, why=_error_text(error))
            )
            return
        for option, at, ref in removed.listed:
            now = [ref_kept for ref_kept in getattr(self._settings, option) if ref_kept != ref]
            self._settings.set(**{option: (*now[:at], ref, *now[at:])})
        if removed.new_chats and self._settings.model == GUIDE:
            self._settings.set(model=removed.new_chats)
        self._installed.rescan()
        self.model_restored.emit(removed.name)


def _holds_more(folder: Path) -> bool:
    """Return True for the home folder, its standard subfolders, and any folder with one of them."""
    home = Path.home()
    standard_folders = {
        home / name for name in ("Desktop", "Documents", "Downloads", "Library", "Public")
    }
    return folder in standard_folders or home.is_relative_to(folder)


def _error_text(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words[:1].lower() + words[1:] if words else type(error).__name__
