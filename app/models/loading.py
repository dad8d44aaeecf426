"""Models available to chats, and their loading state."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from app import flows
from app.bridge import Bridge
from app.models import suggestions
from app.models.distributed_models import SpreadModels
from app.models.engine_errors import DOES_NOT_FIT, explain, memory_sentences
from app.models.engine_figures import EngineFigures
from app.models.names import adapter_of, model_fallback_name, model_location
from app.remote.address import Remote, is_remote, parse_ref
from app.remote.remote_errors import GONE, NOT_STARTED
from app.remote.remote_session import removed_model_error
from app.remote.remotes import Remotes
from app.settings.language import tr
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from app.store import ChatRecord
from engine import EngineError
from engine.cache.estimate import USUAL_CONTEXT

if TYPE_CHECKING:
    from engine import Engine, Fit, Model

log = logging.getLogger(__name__)


class LoadState(Enum):
    UNASKED = "unasked"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"
    UNLOADED = "unloaded"
    """Unloaded or canceled by the user. Only a message in one of its chats loads it again."""


class ModelStatus(Struct):
    ref: str  # chat reference (``paths.GUIDE``, a folder, or a hub ID)
    state: LoadState = LoadState.UNASKED
    model: Model | None = None  # the engine's model, once it's loaded
    error: str = ""
    code: str = ""  # engine's error code, or `DOES_NOT_FIT`
    fit: Fit | None = None  # estimate, if the model needs more than the free memory
    share: float = 0.0  # fraction of the weights read so far

    @property
    def name(self) -> str:
        return self.model.name if self.model is not None else model_fallback_name(self.ref)

    @classmethod
    def from_remote(cls, ref: str, remotes: Remotes) -> ModelStatus:
        """Return the status of a remote model, which is ready while it's in the list."""
        model = remotes.model(ref)
        if model is None:
            error = removed_model_error(parse_ref(ref), ref).message
            return cls(ref, LoadState.FAILED, error=error, code=GONE)
        if not_there := remotes.groups.unavailable_reason(ref):
            state = LoadState.LOADING if not_there.starts else LoadState.FAILED
            return cls(ref, state, error=not_there.words, code=NOT_STARTED)
        return cls(ref, LoadState.READY, model)


def extra_load_arguments(ref: str) -> dict[str, Any]:
    adapter = adapter_of(ref)
    return {"adapter": adapter} if adapter else {}


def call_engine(ask: Callable[[], Future[Any]]) -> Future[Any]:
    """Call the engine. If the call raises an EngineError, return a failed future."""
    try:
        return ask()
    except EngineError as error:
        refused: Future[Any] = Future()
        refused.set_exception(error)
        return refused


class LoadRequirements(Struct, frozen=True):
    kv_bits: int | None = None
    context: int | None = None

    def size(self) -> int:
        return (self.kv_bits or 16) * min(self.context or USUAL_CONTEXT, USUAL_CONTEXT)


class _ModelLoad:
    def __init__(self, engine: Engine, ref: str, needs: LoadRequirements) -> None:
        self.folder = model_location(ref)
        self.adapter = adapter_of(ref) or None  # count the adapter's base only once
        self._engine, self._needs = engine, needs
        self._future: Future[Any] | None = None

    async def estimate(self) -> Fit | None:
        """Return the estimated memory use, or None if the estimate fails."""
        context = self._needs.context
        context = context if context and context < USUAL_CONTEXT else None
        with suppress(Exception):  # loading reports problems with the folder in more detail
            self._future = self._engine.estimate_later(
                self.folder, context, kv_bits=self._needs.kv_bits, adapter=self.adapter
            )
            return await flows.wait_for_future(self._future)
        return None

    async def load(self, read: Callable[[float], None]) -> Model:
        self._future = self._engine.load_later(self.folder, read, adapter=self.adapter)
        return await flows.wait_for_future(self._future)

    def cancel(self) -> None:
        if self._future is not None:
            self._future.cancel()


class ModelLoader(QObject):
    """Loads models, once for all chats. Remote models are ready while the user's list has them."""

    changed = Signal(str)  # (ref)
    load_progressed = Signal(str)  # (ref): another percent was read
    # (ref): a local model was loaded under this name
    model_loaded = Signal(str)
    unloaded = Signal(str)  # (the engine's ID)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.remotes = Remotes()
        self.spread = SpreadModels(self.remotes, self.changed.emit, self)
        self._bridge = bridge
        self.engine: Engine | None = None
        self.figures = EngineFigures(lambda: self.engine, self)
        self.small = ""  # reference of the small model, if installed
        self._models: dict[str, ModelStatus] = {}
        self._generation = 0
        self._unloads: Counter[str] = Counter()  # by the engine's model ID
        self._loads: dict[str, _ModelLoad] = {}  # by reference, until canceled or done
        self._allowed_oversize: set[str] = set()
        # requests made before the engine existed, by reference
        self._early: dict[str, LoadRequirements] = {}
        self._wanted_by: dict[str, set[str]] = {}  # chat IDs by reference, for models being loaded
        self._vision: dict[str, bool | None] = {}  # by reference, None if unknown
        self._uninspected: deque[str] = deque()  # references of folders to inspect for vision
        self._settings: Settings | None = None

    def open(self, settings: Settings) -> None:
        self._settings = settings
        self.remotes.open(settings)

    def generation(self, model: Model) -> tuple[int, int]:
        """Return a value that changes when the engine loses its data for this model."""
        return self._generation, self._unloads[model.id]

    def engine_for(self, ref: str) -> Engine | None:
        """Return the engine for a local model, e.g. to count tokens, or None for a remote model."""
        return None if is_remote(ref) else self.engine

    def attach(self, engine: Engine) -> None:
        """Set the engine, and load the models requested before it existed."""
        self.engine = engine
        for model_status in list(self._models.values()):
            if model_status.state is LoadState.LOADING:
                self._begin(model_status, self._early.get(model_status.ref, LoadRequirements()))
        self._early.clear()
        flows.start(self, self.look_for_small())

    async def look_for_small(self) -> str:
        if not self.small:
            self.small = await flows.run_in_thread(lambda _: suggestions.find_small_folder())
        return self.small

    def detach(self, timeout_s: float | None = None) -> None:
        self.engine = None
        self.remotes.shut_down(Remotes.STOP_S if timeout_s is None else timeout_s)

    def get(self, ref: str) -> ModelStatus:
        if is_remote(ref):
            return ModelStatus.from_remote(ref, self.remotes)
        return self._models.setdefault(ref, ModelStatus(ref))

    def has_vision(self, ref: str) -> bool | None:
        """Return True if a model can see, or None if that isn't known yet.

        In that case, a worker inspects the folder, and then `changed` is emitted.
        """
        model = self.get(ref).model
        if model is not None:
            return model.sees
        if ref not in self._vision and self.engine is not None and not is_remote(ref):
            self._vision[ref] = None
            self._uninspected.append(ref)
            if len(self._uninspected) == 1:
                flows.start(self, self._inspect_folders())
        return self._vision.get(ref)

    def find_vision_model(self) -> ModelStatus | None:
        listed = self._settings.models if self._settings is not None else ()
        refs = dict.fromkeys(
            [*(model_status.ref for model_status in self.known_statuses()), *listed]
        )
        statuses = (self.get(ref) for ref in refs if self.has_vision(ref))
        return next((status for status in statuses if status.state is not LoadState.FAILED), None)

    async def _inspect_folders(self) -> None:
        while self._uninspected:
            ref = self._uninspected[0]
            self._vision[ref] = await flows.run_in_thread(partial(_has_vision, ref))
            self._uninspected.popleft()
            self.changed.emit(ref)

    def answers(self, model_status: ModelStatus) -> bool:
        """Return True if a ready model can be used now. Local models need the engine."""
        return self.engine is not None or is_remote(model_status.ref)

    def add_remote(self, remote: Remote, key: str | None = None) -> None:
        self.remotes.add(remote, key)
        self.changed.emit(remote.ref)

    def remove_remote(self, ref: str) -> bool:
        last = self.remotes.remove(ref)
        self.changed.emit(ref)
        return last

    def loaded_statuses(self) -> list[ModelStatus]:
        models = reversed(self._models.values())
        ready = {m.model.id: m for m in models if m.model is not None}
        return list(reversed(ready.values()))

    def status_of_folder(self, ref: str, folder: str) -> ModelStatus:
        """Return the status of the model in a folder, by any name it was loaded under."""
        status = self.get(ref)
        if status.state in {LoadState.READY, LoadState.LOADING}:
            return status
        for candidate in self.known_statuses():
            if adapter_of(candidate.ref):  # adapters are listed under their base model's folder
                continue
            path = candidate.model.path if candidate.model is not None else ""
            if folder in {path, model_location(candidate.ref)}:
                return candidate
        return status

    def known_statuses(self) -> list[ModelStatus]:
        remote_statuses = map(self.get, self.remotes.refs)
        here_or_coming = {LoadState.READY, LoadState.LOADING}
        return [m for m in (*self._models.values(), *remote_statuses) if m.state in here_or_coming]

    def request(
        self, ref: str, kv_bits: int | None = None, context: int | None = None, by: str = ""
    ) -> ModelStatus:
        """Load a model unless it's loaded or loading. Failed models are retried.

        The model isn't loaded if the free memory is too small for it and a chat with ``kv_bits``
        and ``context``. ``by`` is a chat ID for `withdraw_request`, or "" if the user asked for
        the model.
        """
        model_status, needs = self.get(ref), LoadRequirements(kv_bits, context)
        if is_remote(ref):
            return model_status
        if self.engine is None:
            # Several chats from the last run may request the model. It is enough if the smallest
            # fits.
            self._early[ref] = min(self._early.get(ref, needs), needs, key=LoadRequirements.size)
        if model_status.state not in {LoadState.LOADING, LoadState.READY}:
            model_status.state = LoadState.LOADING
            model_status.error = model_status.code = ""
            model_status.fit, model_status.share = None, 0.0
            self._wanted_by[ref] = {by}
            self._begin(model_status, needs)
            self.changed.emit(ref)
        elif model_status.state is LoadState.LOADING:
            self._wanted_by[ref].add(by)
        return model_status

    def withdraw_request(self, ref: str, by: str) -> None:
        """Withdraw a chat's request. Loading is canceled unless others have requested the model."""
        wanted_by = self._wanted_by.get(ref, set())
        if by in wanted_by:
            wanted_by.remove(by)
            if not wanted_by:
                self._cancel(ref, LoadState.UNASKED)

    def allow_oversize(self, ref: str) -> None:
        self._allowed_oversize.add(ref)

    def cancel(self, ref: str) -> bool:
        """Cancel loading a model. Return False if it isn't loading.

        If the engine has just finished loading, the model still becomes ready.
        """
        return self._cancel(ref, LoadState.UNLOADED)

    def _cancel(self, ref: str, state: LoadState) -> bool:
        model_status = self.get(ref)
        if model_status.state is not LoadState.LOADING or is_remote(ref):
            return False
        model_status.state = state
        load = self._loads.pop(ref, None)
        if load is not None:
            load.cancel()
        self.changed.emit(ref)
        return True

    def unload(self, ref: str) -> bool:
        """Unload a model under all of its names. Return False if it isn't loaded.

        No reply may be using the model.
        """
        model = self.get(ref).model
        if model is None or self.engine is None or is_remote(ref):
            return False
        with suppress(EngineError):  # a stopped engine has already freed it
            self.engine.unload_later(model)
        self._unloads[model.id] += 1
        self.unloaded.emit(model.id)
        for model_status in list(self._models.values()):
            if model_status.model is not None and model_status.model.id == model.id:
                model_status.state, model_status.model = LoadState.UNLOADED, None
                self.changed.emit(model_status.ref)
        return True

    def renew(self, model: Model) -> None:
        for model_status in list(self._models.values()):
            if model_status.model is not None and model_status.model.id == model.id:
                model_status.model = model
                self.changed.emit(model_status.ref)

    def mark_all_unloaded(self) -> None:
        """Mark all models as not loaded after an engine failure. They're loaded again on demand."""
        self._generation += 1
        for model_status in list(self._models.values()):
            if model_status.state is LoadState.READY:
                model_status.state, model_status.model = LoadState.UNASKED, None
                self.changed.emit(model_status.ref)

    def _begin(self, status: ModelStatus, needs: LoadRequirements) -> None:
        if self.engine is not None:  # otherwise, `attach` starts the load
            load = self._loads[status.ref] = _ModelLoad(self.engine, status.ref, needs)
            flows.start(self, self._load(status, load))

    async def _load(self, status: ModelStatus, load: _ModelLoad) -> None:
        """Load a model if it fits.

        If its weights are loaded under another name, it needs no extra memory.
        """
        is_loaded = any(m.model and m.model.path == load.folder for m in self._models.values())
        is_allowed = (
            status.ref == GUIDE
            or status.ref in self._allowed_oversize
            or (is_loaded and not load.adapter)
        )
        fit = None if is_allowed else await load.estimate()
        if self._loads.get(status.ref) is not load or self.engine is None:
            return  # canceled, or `attach` will restart the load
        if fit is not None and fit.verdict == "no":
            status.fit = fit
            self._fail(status, DOES_NOT_FIT, memory_sentences(fit))
            return
        self._allowed_oversize.discard(status.ref)
        channel, read = self._bridge.channel(partial(self._on_read, load, status))
        try:
            while True:
                unloads = self._unloads.copy()
                model = await load.load(read)
                if self._unloads[model.id] == unloads[model.id]:
                    break
                # The weights were unloaded under another name while this request waited, so load
                # them again.
                if self._loads.get(status.ref) is not load:
                    return
        except Exception as error:
            if self._loads.get(status.ref) is load:  # unless the load was canceled
                self._fail(status, *_code_and_message(error))
            return
        finally:
            self._bridge.close(channel)
        if self._loads.get(status.ref) is load:
            del self._loads[status.ref]
        elif status.state not in {LoadState.UNLOADED, LoadState.UNASKED}:
            return
        status.model, status.state = model, LoadState.READY  # may be too late to cancel
        self.changed.emit(status.ref)
        self.model_loaded.emit(status.ref)

    def _on_read(self, load: _ModelLoad, status: ModelStatus, share: float) -> None:
        before, status.share = status.share, share
        if self._loads.get(status.ref) is load and int(100 * share) != int(100 * before):
            self.load_progressed.emit(status.ref)

    def _fail(self, status: ModelStatus, code: str, words: str) -> None:
        del self._loads[status.ref]
        status.state, status.code, status.error = LoadState.FAILED, code, words
        self.changed.emit(status.ref)


def downloaded_folder(ref: str) -> Path | None:
    from engine import hub

    location = hub.parse(ref)
    return hub.find(location.repo, location.revision) if location is not None else None


def _has_vision(ref: str, stop: threading.Event) -> bool | None:
    from engine.hub.models import has_vision

    location = model_location(ref)
    try:
        folder = Path(location) if Path(location).is_absolute() else downloaded_folder(location)
        return None if folder is None else has_vision(folder)
    except Exception:  # don't let one failure stop the others
        log.exception("cannot examine %s", ref)
        return None


def _code_and_message(error: Exception) -> tuple[str, str]:
    if isinstance(error, EngineError):
        log.warning("model not loaded: %s", error.code)
        return error.code, explain(error.reason or error.code, error.message)
    # The engine canceled or failed, so don't leave the status at "Loading…".
    log.error("model not loaded", exc_info=error)
    reason = f"{type(error).__name__}: {error}"
    return "", tr("The model couldn’t be loaded ({why}).", why=reason)


class ModelReply(Protocol):
    @property
    def models(self) -> Collection[str]: ...

    @property
    def awaited_models(self) -> Collection[str]: ...


class ModelUser(Protocol):
    @property
    def title(self) -> str: ...

    @property
    def record(self) -> ChatRecord: ...

    @property
    def reply(self) -> ModelReply: ...

    def stop(self) -> bool: ...


class ModelUsers(Protocol):
    """Part of the chat library used by models.

    Chats import models, so models can't import chats.
    """

    activity: Any  # the signal `ChatLibrary.activity`

    @property
    def loader(self) -> ModelLoader: ...

    def chats(self) -> Sequence[ChatRecord]: ...

    def find(self, chat_id: str) -> ModelUser | None: ...

    def replying_chats(self) -> Sequence[ModelUser]: ...
