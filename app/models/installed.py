"""Models installed on this machine: discovery, pins, use, and removal from the list."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app import flows
from app.models.drafts import DraftModels
from app.models.loading import ModelStatus, ModelUsers, downloaded_folder
from app.models.names import adapter_of, base_model, model_fallback_name, model_location, variant_of
from app.settings.language import tr
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from engine import LOOKUP
from engine.hub.inventory import (
    InstalledModel,
    Inventory,
    ModelPlace,
    ModelSource,
    adapter_entry,
    find_adapters,
    is_adapter,
    model_places,
)
from engine.hub.names import clean_name

PIECE_S = 0.15
"""Interval for showing new results, longer for long lists.

Updating the view takes 20 ms for a thousand models.
"""
_LONG = 2_000
_USE_NOTED_S = 60.0  # interval for storing the last use of a model that is replying


class _Walk:
    """Search of all locations in steps, each in a worker thread. Uses no Qt objects."""

    def __init__(
        self, inventory: Inventory, where: Callable[[], list[ModelPlace]], refs: tuple[str, ...]
    ) -> None:
        self._inventory, self._where, self._refs = inventory, where, refs
        self._stop = threading.Event()
        self._count = 0
        self._models: Iterator[InstalledModel] | None = None

    def search_slice(self, stop: threading.Event) -> tuple[list[InstalledModel], bool]:
        """Search for a short time. Return the models found, and True if the search is done."""
        self._stop = stop
        if self._models is None:
            self._models = self._walk_all()
        give_up = time.monotonic() + PIECE_S * (1 + 4 * self._count / _LONG)
        piece = []
        for model in self._models:
            piece.append(model)
            self._count += 1
            if time.monotonic() > give_up:
                return piece, False
        return piece, True

    def _walk_all(self) -> Iterator[InstalledModel]:
        """Yield the Guide, the models, then variants from the settings or a model's folder."""
        guide = Path(model_location(GUIDE))
        first = self._inventory.inspect(GUIDE, guide, ModelSource.BUNDLED)
        refs = [ref for ref in self._refs if not adapter_of(ref)]
        variants = [ref for ref in self._refs if adapter_of(ref)]
        names: dict[str, str] = {}
        for model in itertools.chain(
            [first], self._inventory.walk(self._where(), refs, self._is_stopped)
        ):
            yield model
            names[model.ref] = names[str(model.folder)] = model.name
            variants += [variant_of(model.ref, adapter) for adapter in find_adapters(model.folder)]
        for ref in refs:
            # List a hub model without files, so that the user can remove it.
            if not os.path.isabs(ref) and downloaded_folder(ref) is None:
                yield self._inventory.inspect(ref, Path(ref), ModelSource.ADDED)
        for ref in dict.fromkeys(variants):
            if self._is_stopped():
                return
            base = names.get(base_model(ref)) or model_fallback_name(base_model(ref))
            yield adapter_entry(ref, base, Path(adapter_of(ref)))

    def _is_stopped(self) -> bool:
        return self._stop.is_set()


class InstalledModels(QObject):
    changed = Signal()

    def __init__(
        self,
        users: ModelUsers,
        settings: Settings,
        own_path: Path | None = None,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        # by folder, in the order they were found
        self.models: dict[Path, InstalledModel] = {}
        self.looking = False  # a search is running
        self._users, self._loader = users, users.loader
        self._settings = settings
        self._own_path = own_path
        self._clock = clock
        self._inventory = Inventory()
        self._walking = flows.Latest(self)
        self.drafts = DraftModels(self._loader, settings, self)
        self.drafts.changed.connect(self.changed)
        self._loader.changed.connect(self.changed)
        self._loader.model_loaded.connect(self._on_loaded)
        users.activity.connect(self._on_activity)

    @Slot()
    def rescan(self) -> None:
        """Search all locations again. Models stay in the list until they're known to be gone."""
        own_path, added = self._own_path, self._settings.model_folders
        walk = _Walk(self._inventory, lambda: model_places(own_path, added), self._settings.models)
        self.looking = True
        self._walking.start(self._scan(walk))
        self.changed.emit()

    def stop(self) -> None:
        self._walking.cancel()
        self.looking = False

    def remove_deleted(self, removes: Path) -> list[InstalledModel]:
        deleted = [m for m in self.models.values() if m.removes == removes]
        for model in deleted:
            del self.models[model.folder]
        self.changed.emit()
        return deleted

    async def _scan(self, walk: _Walk) -> None:
        folders: set[Path] = set()
        while self.looking:
            models, is_done = await flows.run_in_thread(walk.search_slice)
            for model in models:
                self.models[model.folder] = model
                folders.add(model.folder)
            if is_done:
                self.looking = False
                for folder in self.models.keys() - folders:
                    del self.models[folder]
            self.changed.emit()

    def status(self, model: InstalledModel) -> ModelStatus:
        return self._loader.status_of_folder(model.ref, str(model.folder))

    def is_pinned(self, model: InstalledModel) -> bool:
        return bool({model.ref, str(model.folder)} & {*self._settings.pinned})

    def pins(self, status: ModelStatus) -> bool:
        path = status.model.path if status.model is not None else ""
        names = {status.ref, path}
        names |= {model.ref for model in self.models.values() if str(model.folder) == path}
        return bool(names & {*self._settings.pinned})

    def last_used(self, model: InstalledModel) -> float:
        used = self._settings.used
        return max(used.get(model.ref, 0.0), used.get(str(model.folder), 0.0))

    def draft_figures(self, model: InstalledModel) -> Mapping[str, Any] | None:
        loaded = self.status(model).model
        return self.drafts.figures.get(loaded.id) if loaded is not None else None

    def draft_name(self, ref: str) -> str:
        if ref == LOOKUP:
            return tr("Prompt lookup")
        name = next((model.name for model in self.models.values() if model.ref == ref), "")
        return name or (model_fallback_name(ref) if ref else "")

    def chats(self, model: InstalledModel) -> list[str]:
        refs = {model.ref, str(model.folder), *model.shares}
        records = [c for c in self._users.chats() if refs & {c.model, base_model(c.model)}]
        return [chat.display_title for chat in records]

    def pin(self, model: InstalledModel, on: bool) -> None:
        """Pin or unpin a model. Pinned models come first in the list and stay in memory."""
        refs = [ref for ref in self._settings.pinned if ref not in {model.ref, str(model.folder)}]
        self._settings.set(pinned=(*refs, model.ref) if on else tuple(refs))
        self.changed.emit()

    def add_folder(self, folder: str) -> None:
        folders = [path for path in self._settings.model_folders if path != folder]
        self._settings.set(model_folders=(*folders, folder))
        self.rescan()

    def add_adapter(self, model: InstalledModel, folder: Path) -> str:
        """Add a model with an adapter. Return why that's not possible, or ""."""
        if not is_adapter(folder):
            return tr(
                "{name} isn’t an adapter. Choose a folder with adapter_config.json and "
                "adapters.safetensors.",
                name=clean_name(folder.name) or tr("That folder"),
            )
        self._settings.remember_model(variant_of(model.ref, folder))
        self.rescan()
        return ""

    def listing_entries(self, model: InstalledModel) -> tuple[str, ...]:
        """Return the settings entries that cause a model to be listed.

        Models of other programs and in the hub's cache are found without an entry.
        """
        if model.source is not ModelSource.ADDED:
            return ()
        roots = [f for f in self._settings.model_folders if model.folder.is_relative_to(f)]
        return (*roots, *(ref for ref in self._settings.models if ref == model.ref))

    def remove_from_list(self, model: InstalledModel) -> Callable[[], None]:
        """Remove a model from the list but keep its files. Return a function that undoes this."""
        before = (self._settings.model_folders, self._settings.models)
        removed = self.listing_entries(model)
        self._settings.set(
            model_folders=tuple(f for f in before[0] if f not in removed),
            models=tuple(ref for ref in before[1] if ref not in removed),
        )
        self.rescan()

        def restore() -> None:
            for ref in removed:
                for name, old in zip(("model_folders", "models"), before, strict=True):
                    now = getattr(self._settings, name)
                    if ref in old and ref not in now:
                        at = old.index(ref)
                        self._settings.set(**{name: (*now[:at], ref, *now[at:])})
            self.rescan()

        return restore

    @Slot(str)
    def _on_loaded(self, ref: str) -> None:
        self._settings.note_use(ref, self._clock())
        if ref != GUIDE:
            self._settings.remember_model(ref)
        self.changed.emit()

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._users.find(chat_id)
        now = self._clock()
        for ref in chat.reply.models if chat is not None else ():
            if not 0 <= now - self._settings.used.get(ref, 0.0) < _USE_NOTED_S:
                self._settings.note_use(ref, now)
                self.changed.emit()
