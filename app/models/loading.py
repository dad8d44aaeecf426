"""The models a person can choose, and what has become of loading each."""

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
from app.models.engine_errors import DOES_NOT_FIT, arithmetic, meaning
from app.models.engine_figures import EngineFigures
from app.models.names import adapter_of, model_fallback_name, model_location
from app.models.spreading import SpreadModels
from app.remote.address import Remote, is_remote, named
from app.remote.remote_errors import GONE, NOT_STARTED
from app.remote.remote_session import removed
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
    """How far a model is."""

    UNASKED = "unasked"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"
    UNLOADED = "unloaded"
    """A person had it unloaded, or its loading cancelled: only a chat that sends loads it again."""


class ModelStatus(Struct):
    """One model."""

    ref: str  # how chats name it (``paths.GUIDE``, a folder, or a hub id)
    state: LoadState = LoadState.UNASKED  # how far loading is
    model: Model | None = None  # the engine's own record, once ready
    error: str = ""  # a plain sentence, once failed
    code: str = ""  # the engine's code for it, or `DOES_NOT_FIT`
    fit: Fit | None = None  # what it would take, where that was more than is free
    share: float = 0.0  # of its weights that has been read, while it is loading

    @property
    def name(self) -> str:
        return self.model.name if self.model is not None else model_fallback_name(self.ref)

    @classmethod
    def of_remote(cls, ref: str, remotes: Remotes) -> ModelStatus:
        """How it is with a remote model now: it needs no loading, but for the person's list."""
        model = remotes.model(ref)
        if model is None:
            error = removed(named(ref), ref).message
            return cls(ref, LoadState.FAILED, error=error, code=GONE)
        if not_there := remotes.groups.why_not(ref):
            state = LoadState.LOADING if not_there.starts else LoadState.FAILED
            return cls(ref, state, error=not_there.words, code=NOT_STARTED)
        return cls(ref, LoadState.READY, model)


def beside_folder(ref: str) -> dict[str, Any]:
    """What the engine is told of a chat's model beside its folder."""
    adapter = adapter_of(ref)
    return {"adapter": adapter} if adapter else {}


def asked(ask: Callable[[], Future[Any]]) -> Future[Any]:
    """What the engine was asked for. A refusal at once comes by the future, as a later one does."""
    try:
        return ask()
    except EngineError as error:
        refused: Future[Any] = Future()
        refused.set_exception(error)
        return refused


class Wish(Struct, frozen=True):
    """For what chat a model is wanted: how it keeps its KV cache, and how long it may become."""

    kv_bits: int | None = None
    context: int | None = None

    def size(self) -> int:
        """What is smaller takes less memory."""
        return (self.kv_bits or 16) * min(self.context or USUAL_CONTEXT, USUAL_CONTEXT)


class _Load:
    """What the engine is asked for one model, from its estimate to its end."""

    def __init__(self, engine: Engine, ref: str, wish: Wish) -> None:
        self.folder = model_location(ref)
        self.adapter = adapter_of(ref) or None  # it lies beside its base, which counts once
        self._engine, self._wish = engine, wish
        self._asked: Future[Any] | None = None

    async def estimate(self) -> Fit | None:
        """Whether it fits; None where nobody can say."""
        most = self._wish.context
        most = most if most and most < USUAL_CONTEXT else None
        with suppress(Exception):  # what is wrong with a folder is better told by its loading
            self._asked = self._engine.estimate_later(
                self.folder, most, kv_bits=self._wish.kv_bits, adapter=self.adapter
            )
            return await flows.arrived(self._asked)
        return None

    async def load(self, read: Callable[[float], None]) -> Model:
        """As `Engine.load`."""
        self._asked = self._engine.load_later(self.folder, read, adapter=self.adapter)
        return await flows.arrived(self._asked)

    def cancel(self) -> None:
        if self._asked is not None:
            self._asked.cancel()


class ModelLoader(QObject):
    """Loads each model once, for whoever asks first.

    A remote model needs no loading: it is ready as long as it is in the person's list.
    """

    changed = Signal(str)  # (ref): the state of that model is another
    progressed = Signal(str)  # (ref): another hundredth of it has been read
    # (ref): a model of this machine has just come into memory by this name
    loaded_now = Signal(str)
    unloaded = Signal(str)  # (id): the engine was told to free the model of that id

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.remotes = Remotes()  # the models that answer elsewhere
        # those of them that this program starts, on several machines
        self.spread = SpreadModels(self.remotes, self.changed.emit, self)
        self._bridge = bridge
        # none until the window is on screen, and again once the engine was stopped
        self.engine: Engine | None = None
        # the engine's, for all who show some
        self.figures = EngineFigures(lambda: self.engine, self)
        self.small = ""  # how chats name the small model, once it is known to lie here
        self._models: dict[str, ModelStatus] = {}
        self._generation = 0
        self._unloads: Counter[str] = Counter()  # by the engine's id of the model
        self._loads: dict[str, _Load] = {}  # by ref; who is not in it was cancelled, or has ended
        self._allowed: set[str] = set()
        self._early: dict[str, Wish] = {}  # wanted before there was an engine, by ref
        self._wanted_by: dict[str, set[str]] = {}  # by ref; of use while it is loading
        self._sees: dict[str, bool | None] = {}  # by ref; of those that somebody asked about
        self._unseen: deque[str] = deque()  # of these, whose folders are yet to be looked at
        self._settings: Settings | None = None

    def open(self, settings: Settings) -> None:
        """Take the models that the settings list, here and elsewhere."""
        self._settings = settings
        self.remotes.open(settings)

    def generation(self, model: Model) -> tuple[int, int]:
        """Another value each time the engine lost what it had of this model."""
        return self._generation, self._unloads[model.id]

    def engine_for(self, ref: str) -> Engine | None:
        """The engine, for what it alone can do with a model of its own, as counting tokens."""
        return None if is_remote(ref) else self.engine

    def attach(self, engine: Engine) -> None:
        """Take the engine and load what was asked for in the meantime."""
        self.engine = engine
        for model_status in list(self._models.values()):
            if model_status.state is LoadState.LOADING:
                self._begin(model_status, self._early.get(model_status.ref, Wish()))
        self._early.clear()
        flows.start(self, self.look_for_small())

    async def look_for_small(self) -> str:
        """How chats name the small model, "" where it does not lie here."""
        if not self.small:
            self.small = await flows.aside(lambda _: suggestions.small_folder())
        return self.small

    def detach(self, timeout_s: float | None = None) -> None:
        """End what answers elsewhere. Waits at most ``timeout_s``, by default `Remotes.STOP_S`."""
        self.engine = None
        self.remotes.shut_down(Remotes.STOP_S if timeout_s is None else timeout_s)

    def get(self, ref: str) -> ModelStatus:
        """What is known about a model, asked for or not; of a remote one, what is so now."""
        if is_remote(ref):
            return ModelStatus.of_remote(ref, self.remotes)
        return self._models.setdefault(ref, ModelStatus(ref))

    def sees(self, ref: str) -> bool | None:
        """Whether a model sees images; None while that is not known.

        The folder of one that is not loaded is looked at for it, and everybody told.
        """
        model = self.get(ref).model
        if model is not None:
            return model.sees
        if ref not in self._sees and self.engine is not None and not is_remote(ref):
            self._sees[ref] = None
            self._unseen.append(ref)
            if len(self._unseen) == 1:
                flows.start(self, self._look())
        return self._sees.get(ref)

    def seeing(self) -> ModelStatus | None:
        """A model that sees images, one in memory before others; None where none is known to."""
        listed = self._settings.models if self._settings is not None else ()
        refs = dict.fromkeys([*(model_status.ref for model_status in self.known()), *listed])
        there = (self.get(ref) for ref in refs if self.sees(ref))
        return next((each for each in there if each.state is not LoadState.FAILED), None)

    async def _look(self) -> None:
        """At one folder after the other: a person may have a hundred."""
        while self._unseen:
            ref = self._unseen[0]
            self._sees[ref] = await flows.aside(partial(_folder_sees, ref))
            self._unseen.popleft()
            self.changed.emit(ref)

    def answers(self, model_status: ModelStatus) -> bool:
        """Whether a model that is ready can be asked now: one of this machine needs the engine."""
        return self.engine is not None or is_remote(model_status.ref)

    def add_remote(self, remote: Remote, key: str | None = None) -> None:
        """As `Remotes.add`, and everybody is told."""
        self.remotes.add(remote, key)
        self.changed.emit(remote.ref)

    def remove_remote(self, ref: str) -> bool:
        """As `Remotes.remove`, and everybody is told."""
        last = self.remotes.remove(ref)
        self.changed.emit(ref)
        return last

    def loaded(self) -> list[ModelStatus]:
        """The models that are in memory, each once, whatever names it has."""
        here = reversed(self._models.values())
        ready = {m.model.id: m for m in here if m.model is not None}
        return list(reversed(ready.values()))

    def of_folder(self, ref: str, folder: str) -> ModelStatus:
        """What is known about the model in a folder, whichever name it was asked for by."""
        own = self.get(ref)
        if own.state in {LoadState.READY, LoadState.LOADING}:
            return own
        for other in self.known():
            if adapter_of(other.ref):  # lies in its base's folder
                continue
            path = other.model.path if other.model is not None else ""
            if folder in {path, model_location(other.ref)}:
                return other
        return own

    def known(self) -> list[ModelStatus]:
        """Every model that is ready or on its way."""
        there = map(self.get, self.remotes.refs)
        here_or_coming = {LoadState.READY, LoadState.LOADING}
        return [m for m in (*self._models.values(), *there) if m.state in here_or_coming]

    def want(
        self, ref: str, kv_bits: int | None = None, context: int | None = None, by: str = ""
    ) -> ModelStatus:
        """Load the model unless that is done or under way; a failed one is tried again.

        One that would not fit, with a chat that keeps its KV cache in ``kv_bits`` and may have
        ``context`` tokens, is not loaded.

        Args:
            by: the id of a chat, which may `leave` it; "" where the person asked for the model.
        """
        model_status, wish = self.get(ref), Wish(kv_bits, context)
        if is_remote(ref):
            return model_status
        if self.engine is None:
            # Several chats of the last run may want it: one that fits is enough.
            self._early[ref] = min(self._early.get(ref, wish), wish, key=Wish.size)
        if model_status.state not in {LoadState.LOADING, LoadState.READY}:
            model_status.state = LoadState.LOADING
            model_status.error = model_status.code = ""
            model_status.fit, model_status.share = None, 0.0
            self._wanted_by[ref] = {by}
            self._begin(model_status, wish)
            self.changed.emit(ref)
        elif model_status.state is LoadState.LOADING:
            self._wanted_by[ref].add(by)
        return model_status

    def leave(self, ref: str, by: str) -> None:
        """A chat has chosen another model: what nobody else wants is not loaded to its end."""
        wanted_by = self._wanted_by.get(ref, set())
        if by in wanted_by:
            wanted_by.remove(by)
            if not wanted_by:
                self._cancel(ref, LoadState.UNASKED)

    def allow(self, ref: str) -> None:
        """Load a model the next time that it is wanted, whatever it takes."""
        self._allowed.add(ref)

    def cancel(self, ref: str) -> bool:
        """Stop loading a model; False where it is not being loaded.

        A load that the engine has just ended cannot be stopped any more: the model is ready then.
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
        """Free a model, whose chats must be at rest; False where it is not loaded.

        Other names of the same weights are unloaded with it.
        """
        model = self.get(ref).model
        if model is None or self.engine is None or is_remote(ref):
            return False
        with suppress(EngineError):  # a stopped engine has freed it
            self.engine.unload_later(model)
        self._unloads[model.id] += 1
        self.unloaded.emit(model.id)
        for model_status in list(self._models.values()):
            if model_status.model is not None and model_status.model.id == model.id:
                model_status.state, model_status.model = LoadState.UNLOADED, None
                self.changed.emit(model_status.ref)
        return True

    def renew(self, model: Model) -> None:
        """Take what the engine says now of a model that is loaded."""
        for model_status in list(self._models.values()):
            if model_status.model is not None and model_status.model.id == model.id:
                model_status.model = model
                self.changed.emit(model_status.ref)

    def lose(self) -> None:
        """The engine broke down or was emptied: all models have to be loaded again when wanted.

        Sessions of the generation before are of no use any more.
        """
        self._generation += 1
        for model_status in list(self._models.values()):
            if model_status.state is LoadState.READY:
                model_status.state, model_status.model = LoadState.UNASKED, None
                self.changed.emit(model_status.ref)

    def _begin(self, status: ModelStatus, wish: Wish) -> None:
        if self.engine is not None:  # else `attach` does
            load = self._loads[status.ref] = _Load(self.engine, status.ref, wish)
            flows.start(self, self._load(status, load))

    async def _load(self, status: ModelStatus, load: _Load) -> None:
        """Load a model if it fits. What is in memory under another name takes nothing more."""
        here = any(m.model and m.model.path == load.folder for m in self._models.values())
        allowed = status.ref == GUIDE or status.ref in self._allowed or (here and not load.adapter)
        fit = None if allowed else await load.estimate()
        if self._loads.get(status.ref) is not load or self.engine is None:
            return  # it was cancelled, or `attach` begins again
        if fit is not None and fit.verdict == "no":
            status.fit = fit
            self._fail(status, DOES_NOT_FIT, arithmetic(fit))
            return
        self._allowed.discard(status.ref)
        channel, read = self._bridge.channel(partial(self._on_read, load, status))
        try:
            while True:
                unloads = self._unloads.copy()
                model = await load.load(read)
                if self._unloads[model.id] == unloads[model.id]:
                    break
                # The same weights were unloaded meanwhile by another name: perhaps these, too.
                if self._loads.get(status.ref) is not load:
                    return
        except Exception as error:
            if self._loads.get(status.ref) is load:  # else it was cancelled
                self._fail(status, *_told(error))
            return
        finally:
            self._bridge.close(channel)
        if self._loads.get(status.ref) is load:
            del self._loads[status.ref]
        elif status.state not in {LoadState.UNLOADED, LoadState.UNASKED}:
            return
        status.model, status.state = model, LoadState.READY  # a cancel may have come too late
        self.changed.emit(status.ref)
        self.loaded_now.emit(status.ref)

    def _on_read(self, load: _Load, status: ModelStatus, share: float) -> None:
        before, status.share = status.share, share
        if self._loads.get(status.ref) is load and int(100 * share) != int(100 * before):
            self.progressed.emit(status.ref)

    def _fail(self, status: ModelStatus, code: str, words: str) -> None:
        del self._loads[status.ref]
        status.state, status.code, status.error = LoadState.FAILED, code, words
        self.changed.emit(status.ref)


def downloaded(ref: str) -> Path | None:
    """The folder of a model of the hub; None where it is not there."""
    from engine import hub

    wanted = hub.parse(ref)
    return hub.find(wanted.repo, wanted.revision) if wanted is not None else None


def _folder_sees(ref: str, stop: threading.Event) -> bool | None:
    """On a thread of its own."""
    from engine.hub.models import has_vision

    place = model_location(ref)
    try:
        folder = Path(place) if Path(place).is_absolute() else downloaded(place)
        return None if folder is None else has_vision(folder)
    except Exception:  # the next one is looked at all the same
        log.exception("%s could not be looked at", ref)
        return None


def _told(error: Exception) -> tuple[str, str]:
    """A code, and what a person is told."""
    if isinstance(error, EngineError):
        log.warning("A model was not loaded: %s", error.code)
        return error.code, meaning(error.reason or error.code, error.message)
    # The engine has cancelled it, or has a fault: it must show, not hang on "Loading…".
    log.error("A model was not loaded", exc_info=error)
    why = f"{type(error).__name__}: {error}"
    return "", tr("The model could not be loaded ({why}).", why=why)


class ModelReply(Protocol):
    """A chat's reply, as far as models know it."""

    @property
    def models(self) -> Collection[str]:
        """References of the models that replies are asked of."""
        ...

    @property
    def waits_for(self) -> Collection[str]:
        """References of the models that replies wait for."""
        ...


class ModelUser(Protocol):
    """A chat, as far as models know one."""

    @property
    def title(self) -> str: ...

    @property
    def record(self) -> ChatRecord: ...

    @property
    def reply(self) -> ModelReply: ...

    def stop(self) -> bool: ...


class ModelUsers(Protocol):
    """All chats, as far as models know them: the chats import the models, not these the chats."""

    activity: Any  # as `ChatLibrary.activity`

    @property
    def loader(self) -> ModelLoader: ...

    def chats(self) -> Sequence[ChatRecord]: ...

    def find(self, chat_id: str) -> ModelUser | None: ...

    def running(self) -> Sequence[ModelUser]: ...
