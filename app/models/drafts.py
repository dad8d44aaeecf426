"""Draft models: candidates for a model, and the user's choice."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from PySide6.QtCore import QObject, Signal, Slot

from app import flows
from app.models.loading import (
    LoadState,
    ModelLoader,
    ModelStatus,
    call_engine,
    extra_load_arguments,
)
from app.models.names import adapter_of, base_model, model_location
from app.remote.address import is_remote
from app.settings.language import tr
from app.settings.settings import Settings
from engine.errors import ENGINE_STOPPED, UNSUPPORTED_SESSION, EngineError
from engine.hub.inventory import InstalledModel
from engine.hub.vocabulary import may_share, vocabulary_of

if TYPE_CHECKING:
    from engine import Model


class Candidate(Struct, frozen=True):
    model: InstalledModel
    fits: bool  # the draft model's files look like it has the same tokenizer


def find_smaller_models(
    model: InstalledModel, installed: Iterable[InstalledModel]
) -> tuple[InstalledModel, list[InstalledModel]]:
    """Return the model (or an adapter's base model) and all smaller models, smallest first.

    Adapters and models that can't be loaded are skipped.
    """
    listed = list(installed)
    names = {base_model(model.ref)} if adapter_of(model.ref) else {model.ref}
    base = next((m for m in listed if names & {m.ref, str(m.folder)}), model)
    usable = [m for m in listed if not m.facts.problem and not adapter_of(m.ref) and m is not base]
    return base, sorted(
        (m for m in usable if m.facts.nbytes < base.facts.nbytes), key=lambda m: m.facts.nbytes
    )


def candidates(
    base: InstalledModel, models: Iterable[InstalledModel], stop: threading.Event
) -> list[Candidate]:
    """Return the candidates, those with the same tokenizer first. Reads files, so it blocks."""
    words, choices = vocabulary_of(base.folder, stop.is_set), []
    for model in models:
        if stop.is_set():
            break
        choices.append(Candidate(model, may_share(words, vocabulary_of(model.folder, stop.is_set))))
    return sorted(choices, key=lambda one: not one.fits)


class _DraftLoad(NamedTuple):
    future: Future[Any]
    wanted: tuple[object, str]


class DraftModels(QObject):
    changed = Signal()  # also the draft stats
    rejected = Signal(str)  # (reason)

    def __init__(self, loader: ModelLoader, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        # Draft stats from `Engine.stats`, by the engine's model ID.
        self.figures: Mapping[str, Mapping[str, Any]] = {}
        self._loader, self._settings = loader, settings
        # Current draft model (None if unknown) by the engine's model ID, with the model's
        # generation.
        self._cache: dict[str, tuple[object, str | None]] = {}
        # Draft models that failed to load, which aren't retried automatically.
        self._failed: dict[str, tuple[object, str]] = {}
        self._loads: dict[str, _DraftLoad] = {}
        loader.changed.connect(self._on_model)
        loader.unloaded.connect(self._on_unloaded)
        loader.figures.stats_received.connect(self._on_figures)

    def get_ref(self, *names: str) -> str:
        refs = (self._settings.drafts.get(name, "") for name in names)
        return next(filter(None, refs), "")

    def choose(self, draft: str, *names: str) -> None:
        """Choose the draft model for a model with these names, or "" for none.

        A loaded model uses it immediately. Failed draft models are tried again.
        """
        drafts = {ref: d for ref, d in self._settings.drafts.items() if ref not in names}
        self._settings.set(drafts=drafts | (dict.fromkeys(names, draft) if draft else {}))
        for status in self._loader.loaded_statuses():
            if status.model is not None and {*names} & {*self._names(status.model)}:
                self._failed.pop(status.model.id, None)
            self._apply(status)
        self.changed.emit()

    def has_failed(self, model: Model) -> bool:
        pair = (self._loader.generation(model), self.get_ref(*self._names(model)))
        return self._failed.get(model.id) == pair

    @Slot(object)
    def _on_figures(self, stats: dict[str, Any]) -> None:
        if stats.get("drafts", {}) != self.figures:
            self.figures = stats.get("drafts", {})
            self.changed.emit()

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        status = self._loader.get(ref)
        if status.state is LoadState.READY:
            self._apply(status)

    @Slot(str)
    def _on_unloaded(self, model_id: str) -> None:
        """Cancel loading a draft model after its model was unloaded, to keep the model unloaded."""
        for by_model in (self._cache, self._failed):
            by_model.pop(model_id, None)
        load = self._loads.pop(model_id, None)
        if load is not None:
            load.future.cancel()

    def _apply(self, status: ModelStatus) -> None:
        engine, model = self._loader.engine, status.model
        if engine is None or model is None or is_remote(status.ref):
            return
        generation = self._loader.generation(model)
        draft_ref = "" if self.has_failed(model) else self.get_ref(*self._names(model))
        load = self._loads.get(model.id)
        if (generation, draft_ref) == (self._current(model) if load is None else load.wanted):
            return
        if load is not None:
            load.future.cancel()
            self._cache[model.id] = (generation, None)  # the load may already have finished
        ref, draft = status.ref, model_location(draft_ref) if draft_ref else ""
        arguments = extra_load_arguments(ref)
        future = call_engine(
            lambda: engine.load_later(model_location(ref), draft=draft, **arguments)
        )
        load = self._loads[model.id] = _DraftLoad(future, (generation, draft_ref))
        flows.start(self, self._finish_load(model, load))

    def _current(self, model: Model) -> tuple[object, str | None]:
        generation = self._loader.generation(model)
        cached = self._cache.get(model.id)
        if cached is not None and cached[0] == generation:
            return cached
        return generation, None if model.draft else ""

    def _names(self, model: Model) -> list[str]:
        statuses = [
            s
            for s in self._loader.known_statuses()
            if s.model is not None and s.model.id == model.id
        ]
        return [*(status.ref for status in statuses), *([] if model.adapter else [model.path])]

    async def _finish_load(self, model: Model, load: _DraftLoad) -> None:
        loaded, error = None, None
        try:
            loaded = await flows.wait_for_future(load.future)
        except Exception as raised:
            error = raised
        if self._loads.get(model.id) is not load:  # the model was unloaded or the choice changed
            return
        del self._loads[model.id]
        if loaded is not None:
            self._cache[model.id] = load.wanted
            self._loader.renew(loaded)
        else:
            self._failed[model.id] = load.wanted
        if isinstance(error, EngineError) and error.code != ENGINE_STOPPED:
            if error.code == UNSUPPORTED_SESSION:  # permanent failure
                self.choose("", *self._names(model))
            elif load.wanted[1]:  # the previous draft model is gone
                for status in self._loader.loaded_statuses():
                    self._apply(status)
            reason = error.message
            self.rejected.emit(tr("{name} has no draft model. {why}", name=model.name, why=reason))
        self.changed.emit()
