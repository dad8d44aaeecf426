"""The models a person can choose, and what has become of loading each."""

from __future__ import annotations

import logging
from collections import Counter
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.bridge import Bridge
from app.chats.asked import asked, beside_folder
from app.chats.engine_words import meaning
from app.chats.fitting import DOES_NOT_FIT, arithmetic
from app.chats.model_status import LoadState as LoadState
from app.chats.model_status import ModelStatus as ModelStatus
from app.chats.spread import SpreadModels
from app.language import tr
from app.paths import GUIDE, adapter_of, model_location
from app.remote.address import Remote, is_remote
from app.remote.remotes import Remotes
from engine import EngineError
from engine.cache.estimate import USUAL_CONTEXT

if TYPE_CHECKING:
    from engine import Engine, Fit, Model

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Wish:
    """For what chat a model is wanted: how it keeps its KV cache, and how long it may become."""

    kv_bits: int | None = None
    context: int | None = None

    def size(self) -> int:
        """What is smaller takes less memory."""
        return (self.kv_bits or 16) * min(self.context or USUAL_CONTEXT, USUAL_CONTEXT)


class ModelLoader(QObject):
    """Loads each model once, for whoever asks first.

    A remote model needs no loading: it is ready as long as it is in the person's list.

    Attributes:
        remotes: the models that answer elsewhere.
        spread: those of them that this program starts, on several machines.

    Signals:
        changed(ref): the state of that model is another.
        progressed(ref): another hundredth of it has been read.
        unloaded(id): the engine was told to free the model of that id.
    """

    changed = Signal(str)
    progressed = Signal(str)
    unloaded = Signal(str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.remotes = Remotes()
        self.spread = SpreadModels(self.remotes, bridge, self.changed.emit, self)
        self._bridge = bridge
        self._engine: Engine | None = None
        self._models: dict[str, ModelStatus] = {}
        self._generation = 0
        self._unloads: Counter[str] = Counter()  # by the engine's id of the model
        self._loads: dict[str, Future[Any]] = {}  # estimates and loads under way, by ref
        self._allowed: set[str] = set()
        self._early: dict[str, Wish] = {}  # wanted before there was an engine, by ref

    def generation(self, model: Model) -> tuple[int, int]:
        """Another value each time the engine lost what it had of this model."""
        return self._generation, self._unloads[model.id]

    @property
    def engine(self) -> Engine | None:
        """None until the window is on screen, and again once the engine was stopped."""
        return self._engine

    def engine_for(self, ref: str) -> Engine | None:
        """The engine, for what it alone can do with a model of its own, as counting tokens."""
        return None if is_remote(ref) else self._engine

    def attach(self, engine: Engine) -> None:
        """Take the engine and load what was asked for in the meantime."""
        self._engine = engine
        for model_status in list(self._models.values()):
            if model_status.state is LoadState.LOADING:
                self._estimate(model_status, self._early.get(model_status.ref, Wish()))
        self._early.clear()

    def detach(self) -> None:
        """The program ends."""
        self._engine = None
        self.remotes.shut_down()

    def get(self, ref: str) -> ModelStatus:
        """What is known about a model, asked for or not."""
        model_status = self._models.setdefault(ref, ModelStatus(ref))
        if is_remote(ref):
            model_status.look_up(self.remotes)
        return model_status

    def answers(self, model_status: ModelStatus) -> bool:
        """Whether a model that is ready can be asked now: one of this machine needs the engine."""
        return self._engine is not None or is_remote(model_status.ref)

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
        here = [m for m in self._models.values() if not is_remote(m.ref)]
        ready = {m.model.id: m for m in reversed(here) if m.model is not None}
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
        for ref in (*self.remotes.refs, *filter(is_remote, list(self._models))):
            self.get(ref)
        return [m for m in self._models.values() if m.state in {LoadState.READY, LoadState.LOADING}]

    def want(self, ref: str, kv_bits: int | None = None, context: int | None = None) -> ModelStatus:
        """Load the model unless that is done or under way; a failed one is tried again.

        One that would not fit, with a chat that keeps its KV cache in ``kv_bits`` and may have
        ``context`` tokens, is not loaded.
        """
        model_status, wish = self.get(ref), Wish(kv_bits, context)
        if is_remote(ref):
            return model_status
        if (
            self._engine is None
        ):  # several chats of the last run may want it: one that fits is enough
            self._early[ref] = min(self._early.get(ref, wish), wish, key=Wish.size)
        if model_status.state not in {LoadState.LOADING, LoadState.READY}:
            model_status.state = LoadState.LOADING
            model_status.error = model_status.code = ""
            model_status.fit, model_status.share = None, 0.0
            self._estimate(model_status, wish)
            self.changed.emit(ref)
        return model_status

    def allow(self, ref: str) -> None:
        """Load a model the next time that it is wanted, whatever it takes."""
        self._allowed.add(ref)

    def cancel(self, ref: str) -> bool:
        """Stop loading a model; False where it is not being loaded.

        A load that the engine has just ended cannot be stopped any more: the model is ready then.
        """
        model_status = self.get(ref)
        if model_status.state is not LoadState.LOADING:
            return False
        model_status.state = LoadState.UNLOADED
        future = self._loads.pop(ref, None)
        if future is not None:
            future.cancel()
        self.changed.emit(ref)
        return True

    def unload(self, ref: str) -> bool:
        """Free a model, whose chats must be at rest; False where it is not loaded.

        Other names of the same weights are unloaded with it.
        """
        model = self.get(ref).model
        if model is None or self._engine is None or is_remote(ref):
            return False
        with suppress(EngineError):  # a stopped engine has freed it
            self._engine.unload_later(model)
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
            if model_status.state is LoadState.READY and not is_remote(model_status.ref):
                model_status.state, model_status.model = LoadState.UNASKED, None
                self.changed.emit(model_status.ref)

    def _estimate(self, model_status: ModelStatus, wish: Wish) -> None:
        """Load what fits. What is in memory under another name takes nothing more."""
        engine = self._engine
        if engine is None:  # `attach` begins again
            return
        ref, folder = model_status.ref, model_location(model_status.ref)
        most = wish.context if wish.context and wish.context < USUAL_CONTEXT else None
        more = beside_folder(ref)  # it takes something beside its base, which counts once
        here = any(m.model is not None and m.model.path == folder for m in self._models.values())
        if ref == GUIDE or (here and not more) or ref in self._allowed:
            self._allowed.discard(ref)
            self._load(model_status)
            return

        def done(future: Future[Fit]) -> None:
            if self._loads.get(ref) is not future:  # it was cancelled
                return
            del self._loads[ref]
            told = not future.cancelled() and future.exception() is None
            if told and future.result().verdict == "no":
                model_status.state, model_status.code = LoadState.FAILED, DOES_NOT_FIT
                model_status.fit = future.result()
                model_status.error = arithmetic(future.result())
                self.changed.emit(ref)
            else:  # what is wrong with a folder is better told by its loading
                self._load(model_status)

        future = asked(lambda: engine.estimate_later(folder, most, kv_bits=wish.kv_bits, **more))
        self._loads[ref] = future
        if future.done():
            done(future)
        else:
            self._bridge.when_done(future, done)

    def _load(self, model_status: ModelStatus) -> None:
        engine = self._engine
        if engine is None:  # `attach` begins again
            return
        unloads = self._unloads.copy()

        def read(share: float) -> None:
            before, model_status.share = model_status.share, share
            if self._loads.get(model_status.ref) is loading and int(100 * share) != int(
                100 * before
            ):
                self.progressed.emit(model_status.ref)

        def done(future: Future[Model]) -> None:
            self._bridge.close(channel)
            failed = future.cancelled() or future.exception() is not None
            if self._loads.get(model_status.ref) is not future:  # it was cancelled
                if failed or model_status.state is not LoadState.UNLOADED:
                    return
            else:
                del self._loads[model_status.ref]
            if not failed and self._unloads[future.result().id] != unloads[future.result().id]:
                # The same weights were unloaded meanwhile by another name: perhaps these, too.
                self._load(model_status)
            else:
                self._loaded(model_status, future)

        channel, told = self._bridge.channel(read)
        folder, more = model_location(model_status.ref), beside_folder(model_status.ref)
        loading = asked(lambda: engine.load_later(folder, told, **more))
        self._loads[model_status.ref] = loading
        self._bridge.when_done(loading, done)

    def _loaded(self, model_status: ModelStatus, future: Future[Any]) -> None:
        try:
            model_status.model = future.result()
            model_status.state = LoadState.READY
        except EngineError as error:
            log.warning("A model was not loaded: %s", error.code)
            model_status.state, model_status.code = LoadState.FAILED, error.code
            model_status.error = meaning(error.code, error.message)
        except BaseException as error:
            # A cancelled future or a fault in the engine: it must show, not hang on "Loading…".
            log.exception("A model was not loaded")
            model_status.state = LoadState.FAILED
            why = f"{type(error).__name__}: {error}"
            model_status.error = tr("The model could not be loaded ({why}).", why=why)
        self.changed.emit(model_status.ref)
