"""The models on this machine as the window lists them: found by a worker, pinned, used, removed."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QObject, Signal, Slot

from app import flows
from app.models.drafts import DraftModels
from app.models.loading import ModelStatus, ModelUsers, downloaded
from app.models.names import adapter_of, base_of, model_fallback_name, model_location, variant_of
from app.settings.language import tr
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from engine import LOOKUP
from engine.hub.inventory import (
    InstalledModel,
    Inventory,
    ModelPlace,
    ModelSource,
    adapters_beside,
    is_adapter,
    places,
    variant,
)
from engine.hub.names import clean_name


class ModelFolder(Struct, frozen=True):
    """One remembered model."""

    # how chats name it: a folder, or a hub id, or one of these with an adapter's folder, which is
    # then looked at
    ref: str
    local: bool  # whether that is a folder, and not a model of the hub that was downloaded
    path: Path | None = None  # the folder, also of a downloaded one; None where it is not there
    found: bool = False  # whether the folder is there
    holds_model: bool = False  # whether a model's config.json is in it, or an adapter's
    bytes: int = 0  # of all files in it, links followed, each file once


def look_at(ref: str, stop: Callable[[], bool] = lambda: False) -> ModelFolder:
    """Look at a model's folder now. Never raises: what cannot be read counts as not there.

    ``stop``: says that nobody wants to know any more; the size is then what was counted by now.
    """
    adapter = adapter_of(ref)
    local = bool(adapter) or Path(ref).is_absolute()
    folder = Path(adapter or ref) if local else downloaded(ref)
    if folder is not None and not adapter and not os.path.isdir(folder):
        folder = _converted(folder)
    if folder is None or not os.path.isdir(folder):
        return ModelFolder(ref, local)
    from engine.hub.inventory import folder_bytes

    holds = os.path.isfile(folder / ("adapter_config.json" if adapter else "config.json"))
    return ModelFolder(ref, local, folder, True, holds, folder_bytes(folder, stop))


def _converted(file: Path) -> Path | None:
    """The folder that was made of a GGUF file."""
    from engine.hub.gguf import kept

    return kept.known(file) if kept.is_gguf(file) else None


PIECE_S = 0.15
"""What a worker has found is shown so often; less often where the list is long: showing it anew
takes 20 ms for a thousand models."""
_LONG = 2_000
_USE_NOTED_S = 60.0  # a model that answers has been used so often noted


class _Walk:
    """One look at all places, in pieces, each on a worker. Holds no Qt object."""

    def __init__(
        self, inventory: Inventory, where: Callable[[], list[ModelPlace]], refs: tuple[str, ...]
    ) -> None:
        self._inventory, self._where, self._refs = inventory, where, refs
        self._stop = threading.Event()
        self._count = 0
        self._found: Iterator[InstalledModel] | None = None

    def piece(self, stop: threading.Event) -> tuple[list[InstalledModel], bool]:
        """What was found within a moment, and whether that was the last of it."""
        self._stop = stop
        if self._found is None:
            self._found = self._all()
        give_up = time.monotonic() + PIECE_S * (1 + 4 * self._count / _LONG)
        piece = []
        for model in self._found:
            piece.append(model)
            self._count += 1
            if time.monotonic() > give_up:
                return piece, False
        return piece, True

    def _all(self) -> Iterator[InstalledModel]:
        """The Guide, the models, and then their variants: named, or lying in a model's folder."""
        guide = Path(model_location(GUIDE))
        first = self._inventory.look(GUIDE, guide, ModelSource.BUNDLED)
        refs = [ref for ref in self._refs if not adapter_of(ref)]
        variants = [ref for ref in self._refs if adapter_of(ref)]
        names: dict[str, str] = {}
        for model in itertools.chain(
            [first], self._inventory.walk(self._where(), refs, self._stopped)
        ):
            yield model
            names[model.ref] = names[str(model.folder)] = model.name
            variants += [variant_of(model.ref, found) for found in adapters_beside(model.folder)]
        for ref in dict.fromkeys(variants):
            if self._stopped():
                return
            base = names.get(base_of(ref)) or model_fallback_name(base_of(ref))
            yield variant(ref, base, Path(adapter_of(ref)))

    def _stopped(self) -> bool:
        return self._stop.is_set()


class InstalledModels(QObject):
    """What is installed, and what the person has said of it."""

    changed = Signal()  # models were found or are gone, or something is known of one that was not

    def __init__(
        self,
        users: ModelUsers,
        settings: Settings,
        own: Path | None = None,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``own``: the program's own folder of models."""
        super().__init__(parent)
        # by their folders, in the order in which they were found
        self.models: dict[Path, InstalledModel] = {}
        self.looking = False  # whether more may be found yet
        self._users, self._loader = users, users.loader
        self._settings = settings
        self._own = own
        self._clock = clock
        self._inventory = Inventory()
        self._walking = flows.Latest(self)
        self.drafts = DraftModels(self._loader, settings, self)  # which of them draft for others
        self.drafts.changed.connect(self.changed)
        self._loader.changed.connect(self.changed)
        self._loader.loaded_now.connect(self._on_loaded)
        users.activity.connect(self._on_activity)

    # Looking.

    @Slot()
    def look(self) -> None:
        """Look at all places anew; what is listed stays until it is known to be gone."""
        own, added = self._own, self._settings.model_folders
        walk = _Walk(self._inventory, lambda: places(own, added), self._settings.models)
        self.looking = True
        self._walking.start(self._look(walk))
        self.changed.emit()

    def stop(self) -> None:
        """Nobody looks at the list."""
        self._walking.cancel()
        self.looking = False

    def drop(self, removes: Path) -> list[InstalledModel]:
        """Take the models of a folder that was removed off the list; returns them."""
        gone = [m for m in self.models.values() if m.removes == removes]
        for model in gone:
            del self.models[model.folder]
        self.changed.emit()
        return gone

    async def _look(self, walk: _Walk) -> None:
        seen: set[Path] = set()
        while self.looking:
            found, done = await flows.aside(walk.piece)
            for model in found:
                self.models[model.folder] = model
                seen.add(model.folder)
            if done:
                self.looking = False
                for folder in self.models.keys() - seen:
                    del self.models[folder]
            self.changed.emit()

    # What is known of one.

    def status(self, model: InstalledModel) -> ModelStatus:
        """How far it is in the engine, whichever name it was loaded by."""
        return self._loader.of_folder(model.ref, str(model.folder))

    def is_pinned(self, model: InstalledModel) -> bool:
        return bool({model.ref, str(model.folder)} & {*self._settings.pinned})

    def pins(self, status: ModelStatus) -> bool:
        """Whether a loaded model is pinned, by whichever of its names."""
        path = status.model.path if status.model is not None else ""
        names = {status.ref, path}
        names |= {one.ref for one in self.models.values() if str(one.folder) == path}
        return bool(names & {*self._settings.pinned})

    def last_used(self, model: InstalledModel) -> float:
        """In seconds since 1970; 0.0 where it is not known to have been used."""
        used = self._settings.used
        return max(used.get(model.ref, 0.0), used.get(str(model.folder), 0.0))

    def draft_figures(self, model: InstalledModel) -> Mapping[str, Any] | None:
        """How its drafts do, as `Engine.stats` tells it; None where none are made."""
        loaded = self.status(model).model
        return self.drafts.figures.get(loaded.id) if loaded is not None else None

    def draft_name(self, ref: str) -> str:
        """What is called what drafts, by its ref as of `drafts.of`; "" for nothing."""
        if ref == LOOKUP:
            return tr("Prompt lookup")
        found = next((one.name for one in self.models.values() if one.ref == ref), "")
        return found or (model_fallback_name(ref) if ref else "")

    def chats(self, model: InstalledModel) -> list[str]:
        """The titles of the chats that answer with it, a variant or another of its revisions."""
        refs = {model.ref, str(model.folder), *model.shares}
        found = [c for c in self._users.chats() if refs & {c.model, base_of(c.model)}]
        return [chat.shown_title for chat in found]

    # What is done with one.

    def pin(self, model: InstalledModel, on: bool) -> None:
        """Keep it first in the list and in memory, or no longer."""
        others = [ref for ref in self._settings.pinned if ref not in {model.ref, str(model.folder)}]
        self._settings.set(pinned=(*others, model.ref) if on else tuple(others))
        self.changed.emit()

    def add_folder(self, folder: str) -> None:
        """Look for models in a folder of the person's, from now on."""
        kept = [other for other in self._settings.model_folders if other != folder]
        self._settings.set(model_folders=(*kept, folder))
        self.look()

    def add_adapter(self, model: InstalledModel, folder: Path) -> str:
        """List a model with an adapter, too; returns why that cannot be, or ""."""
        if not is_adapter(folder):
            return tr(
                "{name} is not an adapter. Choose a folder with adapter_config.json "
                "and adapters.safetensors.",
                name=clean_name(folder.name) or tr("That folder"),
            )
        self._settings.remember_model(variant_of(model.ref, folder))
        self.look()
        return ""

    def listed_by(self, model: InstalledModel) -> tuple[str, ...]:
        """The entries of the settings for which a model stands in the list.

        Empty for those of other programs and of the hub's cache, which are found without one.
        """
        if model.source is not ModelSource.ADDED:
            return ()
        roots = [f for f in self._settings.model_folders if model.folder.is_relative_to(f)]
        return (*roots, *(ref for ref in self._settings.models if ref == model.ref))

    def forget(self, model: InstalledModel) -> Callable[[], None]:
        """List it no longer; its files stay. Returns what takes that back."""
        before = (self._settings.model_folders, self._settings.models)
        gone = self.listed_by(model)
        self._settings.set(
            model_folders=tuple(f for f in before[0] if f not in gone),
            models=tuple(ref for ref in before[1] if ref not in gone),
        )
        self.look()

        def restore() -> None:
            for ref in gone:
                for name, old in zip(("model_folders", "models"), before, strict=True):
                    now = getattr(self._settings, name)
                    if ref in old and ref not in now:
                        at = old.index(ref)
                        self._settings.set(**{name: (*now[:at], ref, *now[at:])})
            self.look()

        return restore

    @Slot(str)
    def _on_loaded(self, ref: str) -> None:
        """A model that was loaded stays in the list, until a person takes it off."""
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
