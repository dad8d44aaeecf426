"""Models of the server: loading on demand, unloading, recovery when the engine fails."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, UNKNOWN_MODEL, EngineError
from engine.hub.names import clean_name
from engine.model.folder import context_length, display_name
from engine.model.info import Model
from engine.runtime import pressure
from engine.runtime.candidate import resolve, resolve_adapter
from engine.runtime.pressure import Relief, ReliefStep
from engine.serve.auth import LOCAL, FairShare, KeyOwner
from engine.serve.errors import RequestError

log = logging.getLogger(__name__)

T = TypeVar("T")

RELOAD_WAIT_S = 60.0  # maximum time that requests wait for a reload
RELOAD_RETRY_S = 5.0  # delay before retrying a failed reload
RELOAD_FAILED = "The engine failed and cannot reload its models"
RELOADING = "The engine failed and is reloading its models. Retry in a moment."
STATS_TIMEOUT_S = 5.0  # timeout for the engine's statistics
BUILT_IN_NAMES = ("claude-*", "gpt-*", "*-latest", "sonnet", "opus", "haiku")
"""Model names that agents hardcode. Without an alias, they mean the default model."""
MAX_ALIAS_CHARACTERS = 200  # longer names aren't matched against aliases
_MAX_CONFIG_BYTES = 2**20
MODEL_BUSY = "model_busy"
MODEL_KEPT = "model_kept"


class ModelEntry(Struct, eq=False):
    name: str  # name shown to clients
    folder: str
    adapter: str = ""  # adapter folder if this is a variant, or ""
    draft: str = ""  # draft model folder, or ""
    model: Model | None = None  # None if not loaded
    # Loaded before the server started, so it stays loaded at shutdown.
    preloaded: bool = False
    # The model is also loaded outside the server, so "loading" it is instant.
    elsewhere: bool = False
    loading: asyncio.Future[Model] | None = None  # set while the model is being loaded
    used: float = field(default_factory=time.monotonic)  # monotonic time of last use
    users: int = 0  # number of requests that use the model
    # Ids of the keys that have used the model since it was loaded.
    owner_ids: set[str] = field(default_factory=set)
    _began: float = 0.0
    _context: int | None = None  # context length according to the folder's config
    _initial_bytes: int = 0  # bytes in use before the load started

    @classmethod
    def of_folder(cls, path_or_id: str, adapter: str = "") -> ModelEntry:
        """Return an entry for a model that isn't loaded.

        Variants are named `NAME+ADAPTER`.

        Raises:
            EngineError: if the folder doesn't exist.
        """
        folder = resolve(path_or_id)
        name = clean_name(display_name(folder)) or clean_name(folder.name) or "The model"
        if not adapter:
            return cls(name, str(folder))
        added = resolve_adapter(adapter)
        return cls(f"{name}+{clean_name(added.name) or 'adapter'}", str(folder), str(added))

    @classmethod
    def of_model(cls, model: Model) -> ModelEntry:
        name = model.name.replace(" + ", "+") if model.adapter else model.name
        return cls(name, model.path, model.adapter, model.draft, model, preloaded=True)

    @property
    def state(self) -> str:
        if self.model is not None:
            return "loaded"
        if self.loading is not None:
            return "loading"
        return "loaded" if self.elsewhere else "unloaded"

    @property
    def context_length(self) -> int:
        """Context length in tokens. 0 if the model isn't loaded and its config doesn't say."""
        if self.model is not None:
            return self.model.context_length
        if self._context is None:
            try:
                with (Path(self.folder) / "config.json").open("rb") as stream:
                    self._context = context_length(json.loads(stream.read(_MAX_CONFIG_BYTES)), None)
            except (OSError, ValueError, AttributeError, RecursionError):
                self._context = 0
        return self._context

    def is_called(self, name: object) -> bool:
        ids = () if self.model is None else (self.model.id, self.model.name)
        if self.adapter:  # the folder alone would refer to the base model
            return name in (self.name, *ids)
        path = () if self.model is None else (self.model.path,)
        return name in (self.name, self.folder, *ids, *path)

    def begin(self, stats: dict[str, Any] | None) -> None:
        self._began = time.monotonic()
        self._initial_bytes = stats["memory_in_use"] if stats else 0

    def describe(self, stats: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the state for clients.

        Loading progress is estimated from the engine's memory use.
        """
        description: dict[str, Any] = {"id": self.name, "state": self.state}
        if self.state == "loading":
            total = sum(f.stat().st_size for f in Path(self.folder).glob("*.safetensors"))
            loaded_bytes = stats["memory_in_use"] - self._initial_bytes if stats else 0
            description["progress"] = (
                round(min(0.99, max(0.0, loaded_bytes / total)), 2) if total else 0.0
            )
            description["seconds"] = round(time.monotonic() - self._began, 2)
        return description


class ModelRegistry:
    """Registry of a server's models.

    Args:
        on_loss: called with a model's id when it was unloaded, or with None when the engine has
            lost all models, before they are reloaded.
    """

    def __init__(
        self,
        engine: Engine,
        models: list[Model],
        on_loss: Callable[[str | None], None],
        folders: Sequence[str] = (),
        may_unload: bool = True,
        sharing: FairShare | None = None,
    ) -> None:
        self._may_unload = may_unload
        self._sharing = sharing or FairShare()
        self._relief = Relief()
        # The first entry is the default model.
        self.entries = [ModelEntry.of_model(m) for m in models]
        for folder in folders:
            self.add(ModelEntry.of_folder(folder))
        # Model names by pattern. These take precedence over `BUILT_IN_NAMES`.
        self.aliases: dict[str, str] = {}
        self._logged: set[str] = set()  # patterns that have already been logged
        self.stats: dict[str, Any] | None = None  # latest engine statistics
        # Checks whether a model is used outside the server, in which case it isn't unloaded.
        self.is_used_elsewhere: Callable[[str], bool] = lambda _: False
        self._engine = engine
        self._on_loss = on_loss
        # Error for requests waiting for a model, set when the server stops.
        self.ended: Exception | None = None
        self._reload_error = ""  # error message if the last reload failed
        self._failed_at = 0.0
        self._reloading: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # running loads
        self._unloading: Future[None] | None = None  # latest unload

    def add(self, entry: ModelEntry) -> None:
        """Add a model, with a number in its name if the name is taken. Thread-safe."""
        known_models = {(e.folder, e.adapter) for e in self.entries}
        if (entry.folder, entry.adapter) in known_models:
            return
        used_names, name = {e.name for e in self.entries}, entry.name
        numbers = itertools.count(2)
        while entry.name in used_names:
            entry.name = f"{name}-{next(numbers)}"
        self.entries.append(entry)

    @property
    def models(self) -> list[Model]:
        return [entry.model for entry in self.entries if entry.model is not None]

    def entry(self, name: object) -> ModelEntry:
        """Return a model by name, id or folder. An empty name means the default model.

        Raises:
            EngineError: `unknown_model`.
        """
        if name is None or name == "":
            return self.entries[0]
        # Ollama clients append ":latest".
        for candidate in (name, str(name).removesuffix(":latest")):
            for entry in self.entries:
                if entry.is_called(candidate):
                    return entry
        served = ", ".join(repr(entry.name) for entry in self.entries)
        raise EngineError(UNKNOWN_MODEL, f"Unknown model {name!r}. Available models: {served}.")

    def may_see_loaded(self, entry: ModelEntry, owner: KeyOwner) -> bool:
        """Return True if an owner may see that a model is loaded or loading.

        If several keys are in use, models that only others have requested appear unloaded.
        """
        has_used = entry.preloaded or owner.id in entry.owner_ids
        return entry.state != "unloaded" and (has_used or not self._sharing.several)

    def asked(self, name: object) -> ModelEntry:
        """Return the model for a request.

        Like `entry`, but names may also match an alias or `BUILT_IN_NAMES`.

        Raises:
            EngineError: `unknown_model`.
        """
        try:
            return self.entry(name)
        except EngineError:
            if not isinstance(name, str) or len(name) > MAX_ALIAS_CHARACTERS:
                raise
            patterns = [*self.aliases.items(), *((pattern, "") for pattern in BUILT_IN_NAMES)]
            for pattern, target in patterns:
                if fnmatchcase(name, pattern):
                    entry = self.entry(target)
                    if pattern not in self._logged:
                        self._logged.add(pattern)
                        log.info("requests for %s are answered by %s", pattern, entry.name)
                    return entry
            raise

    def entry_of(self, model: Model) -> ModelEntry:
        """Return the entry of a loaded model by its folder, because names may change.

        Raises:
            EngineError: `unknown_model`.
        """
        made_of = (model.path, model.adapter)
        for entry in self.entries:
            loaded = entry.model
            if loaded is not None and (loaded.path, loaded.adapter) == made_of:
                return entry
            if (entry.folder, entry.adapter) == made_of:
                return entry
        raise EngineError(UNKNOWN_MODEL, f"The model {model.name!r} is no longer available.")

    async def load(self, entry: ModelEntry) -> Model:
        """Load a model, or wait for a load that is already running.

        Unless the caller holds the model with `use`, it may be unloaded again at any time.
        """
        await self.ready()
        entry.used = time.monotonic()
        if entry.model is not None:
            return entry.model
        if self.ended is not None:
            raise self.ended
        if entry.loading is None:
            entry.loading = asyncio.get_running_loop().create_future()
            # Mark the error as retrieved, in case all waiting requests have ended.
            entry.loading.add_done_callback(lambda future: future.cancelled() or future.exception())
            self._start(self._load_one(entry, entry.loading))
        # Shield the load, because other requests may be waiting for it.
        return await asyncio.shield(entry.loading)

    def end(self, error: Exception) -> None:
        self.ended = error
        for entry in self.entries:
            if entry.loading is not None and not entry.loading.done():
                entry.loading.set_exception(error)
        if self._reloading is not None:
            self._reloading.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def unload(self, entry: ModelEntry, owner: KeyOwner = LOCAL) -> None:
        """Unload a model. Sessions that use it have to prefill again.

        Raises:
            RequestError: 409 if it's in use, other keys have used it, or clients may not unload
                models.
        """
        if not self._may_unload:
            raise RequestError(409, "Models can only be unloaded in the app's window.", MODEL_KEPT)
        if self._sharing.several and (entry.preloaded or entry.owner_ids - {owner.id}):
            raise RequestError(409, f"{entry.name} is also used by other keys.", MODEL_KEPT)
        if entry.users or entry.loading is not None:
            raise RequestError(409, f"{entry.name} is in use. Retry later.", MODEL_BUSY, 5)
        unloading = self._unload(entry)
        if unloading is not None:
            await asyncio.wrap_future(unloading)

    def _unload(self, entry: ModelEntry) -> Future[None] | None:
        """Unload a model that isn't in use. Return None if nothing needs to be freed.

        The caller must check for users in the same step of the event loop.
        """
        model, entry.model = entry.model, None
        entry.owner_ids.clear()
        if model is None or any(m.id == model.id for m in self.models):
            return None
        self._on_loss(model.id)
        self._unloading = unloading = self._engine.unload_later(model)
        return unloading

    def note_unloaded(self, model_id: str) -> None:
        for entry in self.entries:
            if entry.model is not None and entry.model.id == model_id:
                entry.model = None
                entry.owner_ids.clear()
        self._on_loss(model_id)

    def unload_idle(self, after: float) -> None:
        for entry in self.entries:
            unused = time.monotonic() - entry.used
            if entry.model is None or entry.users or unused <= after:
                continue
            if not self.is_used_elsewhere(entry.model.id):
                self._unload(entry)

    def relieve(self) -> None:
        """If the system is short of memory, free caches or unload a model (if allowed)."""
        if not self._may_unload:
            return
        need = self._relief.need(pressure.pressure(), time.monotonic())
        if need is ReliefStep.CACHES:
            with suppress(EngineError):  # a stopped engine has nothing to free
                self._engine.relieve_later()
        elif need is ReliefStep.MODEL:
            self._unload_oldest()

    def _unload_oldest(self) -> None:
        unused = [
            entry
            for entry in self.entries
            if entry.model is not None
            and not entry.users
            and not self.is_used_elsewhere(entry.model.id)
        ]
        if unused and (self._unloading is None or self._unloading.done()):
            self._unload(min(unused, key=lambda entry: entry.used))

    @contextmanager
    def use(self, model_or_name: object, owner: KeyOwner = LOCAL) -> Iterator[ModelEntry]:
        """Keep a model loaded during the block. The block must call `load`.

        Args:
            model_or_name: name from the request, or a session's model.

        Raises:
            EngineError: `unknown_model`.
        """
        entry = (
            self.entry_of(model_or_name)
            if isinstance(model_or_name, Model)
            else self.asked(model_or_name)
        )
        entry.owner_ids.add(owner.id)
        entry.users += 1
        try:
            yield entry
        finally:
            entry.users -= 1
            entry.used = time.monotonic()

    async def figures(self) -> dict[str, Any]:
        """Return the engine's statistics.

        Raises:
            TimeoutError: if the engine doesn't respond.
            EngineError: if the engine has failed.
        """
        stats = asyncio.wrap_future(self._engine.stats_later())
        self.stats = await asyncio.wait_for(stats, STATS_TIMEOUT_S)
        return self.stats

    async def health(self) -> tuple[str, str]:
        if self._reloading is not None:
            return "loading", RELOADING
        if reason := self._reload_error:
            self.reload_lost()  # another attempt may succeed
            return "stopped", reason
        if not self.models:
            is_loading = any(entry.loading is not None for entry in self.entries)
            return ("loading", "A model is being loaded.") if is_loading else ("ok", "")
        if not self._engine.is_running:
            self.reload_lost()
            return "loading", RELOADING
        try:
            stats = await self.figures()
        except TimeoutError:
            return "busy", f"The engine has not responded for {STATS_TIMEOUT_S:g} seconds."
        except EngineError as error:
            self.reload_lost()
            return "stopped", error.message
        loaded = {model.id for model in stats["models"]}
        if not all(model.id in loaded for model in self.models):
            self.reload_lost()
            return "loading", RELOADING
        return "ok", ""

    async def _load_one(self, entry: ModelEntry, loading: asyncio.Future[Model]) -> None:
        try:
            stats = None
            with suppress(TimeoutError):  # the engine may be starting up
                stats = await self.figures() if self._engine.is_running else None
            entry.begin(stats)
            adapter, draft = entry.adapter or None, entry.draft or None
            future = self._engine.load_later(entry.folder, adapter=adapter, draft=draft)
            entry.model = await _result_of(future, lambda model: self._unload_late([model]))
            entry.used = time.monotonic()
            if not loading.done():
                loading.set_result(entry.model)
        except BaseException as error:
            if not loading.done():
                loading.set_exception(error)
            if not isinstance(error, Exception):
                raise
        finally:
            entry.loading = None

    def free(self) -> None:
        """Unload models that were loaded for clients, except if used elsewhere."""
        for entry in self.entries:
            if not entry.preloaded and entry.model is not None:
                self._release_model(entry.model)

    def _unload_if_unwanted(self, model: Model) -> None:
        loading = any(e.loading is not None and e.folder == model.path for e in self.entries)
        if not loading and not any(m.id == model.id for m in self.models):
            self._release_model(model)

    def _unload_late(self, models: list[Model | None]) -> None:
        """Unload models whose load finished after the server stopped. Thread-safe."""
        pinned = {(entry.folder, entry.adapter) for entry in self.entries if entry.preloaded}
        for model in models:
            if model is not None and (model.path, model.adapter) not in pinned:
                self._release_model(model)

    def _release_model(self, model: Model) -> None:
        if self._engine.is_running and not self.is_used_elsewhere(model.id):
            with suppress(EngineError):
                self._engine.unload_later(model)

    async def ready(self) -> None:
        """Wait until the engine has all its models again.

        Raises:
            EngineError: `engine_stopped` if reloading fails or the server stops.
        """
        fine = self._engine.is_running or not self.models
        if self._reloading is None and fine and not self._reload_error:
            return
        self.reload_lost()
        if self._reloading is not None:
            finished, _ = await asyncio.wait({self._reloading}, timeout=RELOAD_WAIT_S)
            if self.ended is not None:
                raise self.ended
            if not finished:
                raise EngineError(ENGINE_STOPPED, RELOADING)
        if self._reload_error:
            raise EngineError(ENGINE_STOPPED, self._reload_error)

    def reload_lost(self) -> None:
        """Start reloading lost models, unless a reload is running or has just failed."""
        was_tried = self._reload_error and time.monotonic() - self._failed_at < RELOAD_RETRY_S
        if self._reloading is None and not was_tried:
            if not self._engine.is_running:
                self._on_loss(None)
            self._reloading = asyncio.ensure_future(self._reload())

    async def _reload(self) -> None:
        try:
            missing = await self._missing()
            self._reload_error = "" if not missing else self._reload_error
            if missing:
                log.warning("engine lost models; reloading them")
                for model in missing:
                    self._on_loss(model.id)
                answer: Future[tuple[list[Model | None], str]] = Future()
                answer.set_running_or_notify_cancel()
                # A daemon thread, because the call may block on the engine and must not delay the
                # exit.
                threading.Thread(
                    target=lambda: answer.set_result(_load(self._engine, missing)),
                    name="serve-loading",
                    daemon=True,
                ).start()
                result = await _result_of(
                    answer, lambda late_result: self._unload_late(late_result[0])
                )
                self._take(missing, *result)
        except BaseException as error:
            self._failed_at = time.monotonic()
            self._reload_error = f"{RELOAD_FAILED} ({type(error).__name__})"
            log.error("cannot reload lost models (%s)", type(error).__name__)
            log.debug("cannot reload lost models", exc_info=True)
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._reloading = None

    async def _missing(self) -> list[Model]:
        models = self.models
        if not self._engine.is_running:
            return models
        try:
            loaded = {model.id for model in (await self.figures())["models"]}
        except TimeoutError:  # the engine is busy, so assume that nothing is lost
            return []
        except EngineError:
            return models
        return [model for model in models if model.id not in loaded]

    def _take(self, missing: list[Model], models: list[Model | None], reason: str) -> None:
        is_reloaded = any(model is not None for model in models)
        self._reload_error = "" if is_reloaded else reason
        self._failed_at = time.monotonic()
        for before, now in zip(missing, models, strict=True):
            waiting_entries = [entry for entry in self.entries if entry.model is before]
            for entry in waiting_entries:
                # If at least one model was reloaded, the next request retries the others and gets
                # the error. Otherwise, treat all models as lost.
                entry.model = now or (None if is_reloaded else before)
            if now is not None and not waiting_entries:
                self._unload_if_unwanted(now)


async def _result_of(future: Future[T], too_late: Callable[[T], None]) -> T:
    """Await a future. If the caller is cancelled, pass a later result to `too_late`."""

    def take(result_future: Future[T]) -> None:
        if not result_future.cancelled() and result_future.exception() is None:
            too_late(result_future.result())

    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        future.add_done_callback(take)
        raise


def _load(engine: Engine, models: list[Model]) -> tuple[list[Model | None], str]:
    """Load models on a separate thread. Errors are returned, not raised."""
    loaded: list[Model | None] = []
    reason = ""
    for model in models:
        try:
            loaded.append(engine.load_again(model))
        except BaseException as error:
            name = type(error).__name__
            detail = f": {error.message}" if isinstance(error, EngineError) else f" ({name})"
            reason = RELOAD_FAILED + detail
            log.error("cannot reload a model (%s)", getattr(error, "code", name))
            log.debug("cannot reload a model", exc_info=True)
            loaded.append(None)
    return loaded, reason
