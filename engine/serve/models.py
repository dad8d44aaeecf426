"""The models that a server answers for: loaded when they are asked for, and after a breakdown."""

from __future__ import annotations

import asyncio
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

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, UNKNOWN_MODEL, EngineError
from engine.hub.names import clean_name
from engine.model.folder import context_length, display_name
from engine.model.info import Model
from engine.runtime import pressure
from engine.runtime.examining import resolve, resolve_adapter
from engine.runtime.pressure import Need, Relief
from engine.serve.auth import LOCAL, Guest, Sharing
from engine.serve.errors import RefusedError

log = logging.getLogger(__name__)

T = TypeVar("T")

WAIT_SECONDS = 60.0  # how long a request waits for models that are being loaded again
RETRY_SECONDS = 5.0  # how long after a failure nobody tries to load them
CANNOT = "The engine broke down and cannot load its models again"
BROKE_DOWN = "The engine broke down. Its models are being loaded again; ask again in a moment."
ANSWER_SECONDS = 5.0  # how long the engine may take to say how it is
ELSEWHERE = ("claude-*", "gpt-*", "*-latest", "sonnet", "opus", "haiku")
"""Names of models that only others have. Agents have them built in, and ask so for a part of their
work; the first model answers, unless an alias says which."""
LONGEST_ALIAS = 200  # characters of a name that aliases are looked up for
_MOST_CONFIG = 2**20
MODEL_BUSY = "model_busy"
KEPT = "model_kept"


class Entry:
    """A folder, and its model while that is loaded."""

    def __init__(
        self, name: str, folder: str, model: Model | None = None, adapter: str = ""
    ) -> None:
        self.name = name  # what clients call it
        self.folder = folder  # where it lies
        self.adapter = adapter  # the folder of the adapter that makes it a variant; else empty
        # the folder of the model that drafts for it; else empty
        self.draft = model.draft if model is not None else ""
        self.model = model  # None while it is not loaded
        # done when it has been loaded, or could not be. None while nobody loads it.
        self.loading: asyncio.Future[Model] | None = None
        self.used = time.monotonic()  # when it was used last, of `time.monotonic`
        self.users = 0  # how many requests use it now
        # the keys that have used it since it was loaded, by their ids
        self.guests: set[str] = set()
        # whether it was loaded before the server was: it is not the server's to unload at its end
        self.given = model is not None
        self.elsewhere = False  # others beside the server have it loaded: it is there at once
        self._began = 0.0
        self._context: int | None = None  # as its folder tells
        self._before = 0  # bytes in use when its loading began

    @classmethod
    def of_folder(cls, path_or_id: str, adapter: str = "") -> Entry:
        """A model that is not loaded. Its folder is only looked for.

        With an adapter it is called `NAME+ADAPTER`.

        Raises:
            EngineError: there is no such folder.
        """
        folder = resolve(path_or_id)
        name = clean_name(display_name(folder)) or clean_name(folder.name) or "The model"
        if not adapter:
            return cls(name, str(folder))
        added = resolve_adapter(adapter)
        return cls(f"{name}+{clean_name(added.name) or 'adapter'}", str(folder), None, str(added))

    @classmethod
    def of_model(cls, model: Model) -> Entry:
        name = model.name.replace(" + ", "+") if model.adapter else model.name
        return cls(name, model.path, model, model.adapter)

    @property
    def state(self) -> str:
        """`loaded`, `loading` or `unloaded`."""
        if self.model is not None:
            return "loaded"
        if self.loading is not None:
            return "loading"
        return "loaded" if self.elsewhere else "unloaded"

    @property
    def context_length(self) -> int:
        """The most tokens that it takes; 0 where it is not loaded, and its folder does not tell."""
        if self.model is not None:
            return self.model.context_length
        if self._context is None:
            try:
                with (Path(self.folder) / "config.json").open("rb") as stream:
                    self._context = context_length(json.loads(stream.read(_MOST_CONFIG)), None)
            except (OSError, ValueError, AttributeError, RecursionError):
                self._context = 0
        return self._context

    def is_called(self, name: object) -> bool:
        """Whether a client means this model."""
        ids = () if self.model is None else (self.model.id, self.model.name)
        if self.adapter:  # its folder is its base's name
            return name in (self.name, *ids)
        path = () if self.model is None else (self.model.path,)
        return name in (self.name, self.folder, *ids, *path)

    def begin(self, stats: dict[str, Any] | None) -> None:
        """Take note that its loading begins, and of the engine's figures before it."""
        self._began = time.monotonic()
        self._before = stats["memory_in_use"] if stats else 0

    def told(self, stats: dict[str, Any] | None = None) -> dict[str, Any]:
        """How it stands, as clients see it. The engine's figures tell how far its loading is."""
        told: dict[str, Any] = {"id": self.name, "state": self.state}
        if self.state == "loading":
            total = sum(f.stat().st_size for f in Path(self.folder).glob("*.safetensors"))
            come = stats["memory_in_use"] - self._before if stats else 0
            told["progress"] = round(min(0.99, max(0.0, come / total)), 2) if total else 0.0
            told["seconds"] = round(time.monotonic() - self._began, 2)
        return told


class Served:
    """Knows the models, and whether the engine still has them. Lives on the server's event loop.

    Args:
        models: those that are loaded.
        on_loss: called when the engine has lost its models, before they are loaded again, and
            when one is unloaded, with its id.
        folders: of models that are loaded when a request names them.
        may_unload: whether clients may unload models.
        sharing: tells whether several keys share them.
    """

    def __init__(
        self,
        engine: Engine,
        models: list[Model],
        on_loss: Callable[[str | None], None],
        folders: Sequence[str] = (),
        may_unload: bool = True,
        sharing: Sharing | None = None,
    ) -> None:
        self._may_unload = may_unload
        self._sharing = sharing or Sharing()
        self._relief = Relief()
        # all of them; the first one answers requests that name none
        self.entries = [Entry.of_model(m) for m in models]
        for folder in folders:
            self.add(Entry.of_folder(folder))
        # models by patterns of names, which come before `ELSEWHERE`
        self.aliases: dict[str, str] = {}
        self._told: set[str] = set()  # patterns of aliases that the log has
        self.stats: dict[str, Any] | None = None  # the engine's figures when it was asked last
        # whether others beside the server use a model, by its id. It is not unloaded then.
        self.is_used_elsewhere: Callable[[str], bool] = lambda _: False
        self._engine = engine
        self._on_loss = on_loss
        # what those hear who wait for a model when the server has ended; None before that
        self.ended: Exception | None = None
        self._why = ""  # the last loading of what was lost failed, a sentence
        self._failed_at = 0.0
        self._reloading: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # of loading
        self._unloading: Future[None] | None = None  # the last one

    def add(self, entry: Entry) -> None:
        """Answer for one more model. May be called from any thread."""
        known = {(e.folder, e.adapter) for e in self.entries}
        if (entry.folder, entry.adapter) not in known:
            self.entries.append(entry)

    @property
    def models(self) -> list[Model]:
        """Those that are loaded."""
        return [entry.model for entry in self.entries if entry.model is not None]

    def entry(self, name: object) -> Entry:
        """The model of that name, id or folder. The first one where no name is given.

        Raises:
            EngineError: `unknown_model`.
        """
        if name is None or name == "":
            return self.entries[0]
        # The second is as Ollama's clients write it.
        for meant in (name, str(name).removesuffix(":latest")):
            for entry in self.entries:
                if entry.is_called(meant):
                    return entry
        served = ", ".join(repr(entry.name) for entry in self.entries)
        raise EngineError(UNKNOWN_MODEL, f"There is no model {name!r} here, but {served}.")

    def is_shown_loaded(self, entry: Entry, guest: Guest) -> bool:
        """Return True if a key may see that a model is loaded or being loaded.

        One of several keys does not see what only others have asked for.
        """
        known = entry.given or guest.id in entry.guests
        return entry.state != "unloaded" and (known or not self._sharing.several)

    def asked(self, name: object) -> Entry:
        """As `entry`, for a request: what no model is called may be an alias, or of `ELSEWHERE`.

        Raises:
            EngineError: `unknown_model`.
        """
        try:
            return self.entry(name)
        except EngineError:
            if not isinstance(name, str) or len(name) > LONGEST_ALIAS:
                raise
            known = [*self.aliases.items(), *((pattern, "") for pattern in ELSEWHERE)]
            for pattern, meant in known:
                if fnmatchcase(name, pattern):
                    entry = self.entry(meant)
                    if pattern not in self._told:
                        self._told.add(pattern)
                        log.info("requests for %s are answered by %s", pattern, entry.name)
                    return entry
            raise

    def entry_of(self, model: Model) -> Entry:
        """Where a model is answered for: by what it was made of, not by what something is called.

        Raises:
            EngineError: `unknown_model`.
        """
        made_of = (model.path, model.adapter)
        for entry in self.entries:
            held = entry.model
            if held is not None and (held.path, held.adapter) == made_of:
                return entry
            if (entry.folder, entry.adapter) == made_of:
                return entry
        raise EngineError(UNKNOWN_MODEL, f"There is no model {model.name!r} here any more.")

    def find(self, name: object) -> Model:
        """As `entry`, of those that are loaded.

        Raises:
            EngineError: `unknown_model`.
        """
        entry = self.entry(name)
        if entry.model is None:
            raise EngineError(UNKNOWN_MODEL, f"The model {entry.name!r} is not loaded.")
        return entry.model

    async def load(self, entry: Entry) -> Model:
        """Load a model, or wait for those who do. One that is loaded is given at once.

        Without a use it may have been unloaded again when this returns.

        Raises:
            EngineError: it cannot be loaded, the engine broke down and stays so, or the server
                ends.
        """
        await self.ready()
        entry.used = time.monotonic()
        if entry.model is not None:
            return entry.model
        if self.ended is not None:
            raise self.ended
        if entry.loading is None:
            entry.loading = asyncio.get_running_loop().create_future()
            # Its error is nobody's where all have given up waiting.
            entry.loading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._start(self._load_one(entry, entry.loading))
        # Whoever gives up waiting does not stop it for the others.
        return await asyncio.shield(entry.loading)

    def end(self, error: Exception) -> None:
        """The server ends: those who wait for a model hear that."""
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

    async def unload(self, entry: Entry, guest: Guest = LOCAL) -> None:
        """Free a model's memory. Its sessions read their messages anew when they are used again.

        Args:
            guest: who asks for it. One of several keys unloads only what no other has used.

        Raises:
            RefusedError: 409 while requests use it, or where it is not the guest's, or the models
                are not the server's.
        """
        if not self._may_unload:
            raise RefusedError(409, "Models are unloaded in the window of this program.", KEPT)
        if self._sharing.several and (entry.given or entry.guests - {guest.id}):
            raise RefusedError(409, f"{entry.name} is kept for other keys, too.", KEPT)
        if entry.users or entry.loading is not None:
            raise RefusedError(409, f"{entry.name} is in use. Ask again later.", MODEL_BUSY, 5)
        unloading = self._unload(entry)
        if unloading is not None:
            await asyncio.wrap_future(unloading)

    def _unload(self, entry: Entry) -> Future[None] | None:
        """Unload a model that is not in use. Return None if nothing is to be freed.

        The check for users and this must be in one step of the event loop. The engine gets its
        message now, before that of a load that a next request asks for.
        """
        model, entry.model = entry.model, None
        entry.guests.clear()
        if model is None or any(m.id == model.id for m in self.models):
            return None
        self._on_loss(model.id)
        self._unloading = unloading = self._engine.unload_later(model)
        return unloading

    def gone(self, model_id: str) -> None:
        """Others have unloaded a model: it is loaded again when it is asked for."""
        for entry in self.entries:
            if entry.model is not None and entry.model.id == model_id:
                entry.model = None
                entry.guests.clear()
        self._on_loss(model_id)

    def unload_idle(self, after: float) -> None:
        """Unload the models that nobody has used for so many seconds."""
        for entry in self.entries:
            unused = time.monotonic() - entry.used
            if entry.model is None or entry.users or unused <= after:
                continue
            if not self.is_used_elsewhere(entry.model.id):
                self._unload(entry)

    def relieve(self) -> None:
        """Give memory back where the system is short of it, if the models are the server's."""
        if not self._may_unload:
            return
        need = self._relief.need(pressure.pressure(), time.monotonic())
        if need is Need.CACHES:
            with suppress(EngineError):  # a stopped engine holds nothing
                self._engine.relieve_later()
        elif need is Need.MODEL:
            self._unload_oldest()

    def _unload_oldest(self) -> None:
        """Unload the model that nobody has used for longest, if one is unused."""
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
    def use(self, named: object, guest: Guest = LOCAL) -> Iterator[Entry]:
        """Keep a model from being unloaded until this is left: begun before `load`.

        Args:
            named: a request's name of it, or the model that a session talks to.

        Raises:
            EngineError: `unknown_model`.
        """
        entry = self.entry_of(named) if isinstance(named, Model) else self.asked(named)
        entry.guests.add(guest.id)
        entry.users += 1
        try:
            yield entry
        finally:
            entry.users -= 1
            entry.used = time.monotonic()

    async def figures(self) -> dict[str, Any]:
        """The engine's figures.

        Raises:
            TimeoutError: it does not answer.
            EngineError: it cannot.
        """
        asked = asyncio.wrap_future(self._engine.stats_later())
        self.stats = await asyncio.wait_for(asked, ANSWER_SECONDS)
        return self.stats

    async def health(self) -> tuple[str, str]:
        """How the server is, in a word (`ok`, `loading`, `busy`, `stopped`) and in a sentence."""
        if self._reloading is not None:
            return "loading", BROKE_DOWN
        if why := self._why:
            self.lost()  # it may have become possible
            return "stopped", why
        if not self.models:
            going = any(entry.loading is not None for entry in self.entries)
            return ("loading", "A model is being loaded.") if going else ("ok", "")
        if not self._engine.is_running:
            self.lost()
            return "loading", BROKE_DOWN
        try:
            stats = await self.figures()
        except TimeoutError:
            return "busy", f"The engine has not answered for {ANSWER_SECONDS:g} seconds."
        except EngineError as error:
            self.lost()
            return "stopped", error.message
        loaded = {model.id for model in stats["models"]}
        if not all(model.id in loaded for model in self.models):
            self.lost()
            return "loading", BROKE_DOWN
        return "ok", ""

    async def _load_one(self, entry: Entry, loading: asyncio.Future[Model]) -> None:
        try:
            stats = None
            with suppress(TimeoutError):  # an engine that has just been started
                stats = await self.figures() if self._engine.is_running else None
            entry.begin(stats)
            adapter, draft = entry.adapter or None, entry.draft or None
            asked = self._engine.load_later(entry.folder, adapter=adapter, draft=draft)
            entry.model = await _awaited(asked, lambda model: self._too_late([model]))
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
        """Have the models unloaded that clients have had loaded, and nobody else uses."""
        for entry in self.entries:
            if not entry.given and entry.model is not None:
                self._let_go(entry.model)

    def _unwanted(self, model: Model) -> None:
        """A model was loaded again that nobody asks for any more."""
        loading = any(e.loading is not None and e.folder == model.path for e in self.entries)
        if not loading and not any(m.id == model.id for m in self.models):
            self._let_go(model)

    def _too_late(self, models: list[Model | None]) -> None:
        """Models have been loaded when the server had ended. May be called on any thread."""
        given = {(entry.folder, entry.adapter) for entry in self.entries if entry.given}
        for model in models:
            if model is not None and (model.path, model.adapter) not in given:
                self._let_go(model)

    def _let_go(self, model: Model) -> None:
        if self._engine.is_running and not self.is_used_elsewhere(model.id):
            with suppress(EngineError):
                self._engine.unload_later(model)

    # -- what the engine has lost ---------------------------------------------------------

    async def ready(self) -> None:
        """Wait until the engine has the models that it had.

        Raises:
            EngineError: `engine_stopped` when it does not get them, or the server ends.
        """
        fine = self._engine.is_running or not self.models
        if self._reloading is None and fine and not self._why:
            return
        self.lost()
        if self._reloading is not None:
            done, _ = await asyncio.wait({self._reloading}, timeout=WAIT_SECONDS)
            if self.ended is not None:
                raise self.ended
            if not done:
                raise EngineError(ENGINE_STOPPED, BROKE_DOWN)
        if self._why:
            raise EngineError(ENGINE_STOPPED, self._why)

    def lost(self) -> None:
        """Begin to load again what the engine has lost, unless that goes on or has just failed."""
        tried = self._why and time.monotonic() - self._failed_at < RETRY_SECONDS
        if self._reloading is None and not tried:
            if not self._engine.is_running:
                self._on_loss(None)
            self._reloading = asyncio.ensure_future(self._reload())

    async def _reload(self) -> None:
        try:
            missing = await self._missing()
            self._why = "" if not missing else self._why
            if missing:
                log.warning("the engine has lost models: loading them again")
                for model in missing:
                    self._on_loss(model.id)
                answer: Future[tuple[list[Model | None], str]] = Future()
                answer.set_running_or_notify_cancel()
                # It may have to wait for the engine, for which nobody who ends the program waits.
                threading.Thread(
                    target=lambda: answer.set_result(_load(self._engine, missing)),
                    name="serve-loading",
                    daemon=True,
                ).start()
                found = await _awaited(answer, lambda found: self._too_late(found[0]))
                self._take(missing, *found)
        except BaseException as error:
            self._failed_at = time.monotonic()
            self._why = f"{CANNOT} ({type(error).__name__})"
            log.error("lost models were not loaded again (%s)", type(error).__name__)
            log.debug("why lost models were not loaded again", exc_info=True)
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._reloading = None

    async def _missing(self) -> list[Model]:
        """The models that the engine has no more. Those that it has are left alone."""
        known = self.models
        if not self._engine.is_running:
            return known
        try:
            loaded = {model.id for model in (await self.figures())["models"]}
        except TimeoutError:  # it is busy, which is no loss
            return []
        except EngineError:
            return known
        return [model for model in known if model.id not in loaded]

    def _take(self, missing: list[Model], models: list[Model | None], why: str) -> None:
        come = any(model is not None for model in models)
        self._why = "" if come else why
        self._failed_at = time.monotonic()
        for before, now in zip(missing, models, strict=True):
            wanting = [entry for entry in self.entries if entry.model is before]
            for entry in wanting:
                # One that does not come back is loaded when it is asked for, which tells why.
                # While none does, all are missing.
                entry.model = now or (None if come else before)
            if now is not None and not wanting:
                self._unwanted(now)


async def _awaited(asked: Future[T], too_late: Callable[[T], None]) -> T:
    """The result. Where who waits for it is cancelled it comes all the same, and is `too_late`."""

    def take(done: Future[T]) -> None:
        if not done.cancelled() and done.exception() is None:
            too_late(done.result())

    try:
        return await asyncio.wrap_future(asked)
    except asyncio.CancelledError:
        asked.add_done_callback(take)
        raise


def _load(engine: Engine, models: list[Model]) -> tuple[list[Model | None], str]:
    """Load models. Runs on a thread of its own, and always gives an answer."""
    loaded: list[Model | None] = []
    why = ""
    for model in models:
        try:
            loaded.append(engine.load_again(model))
        except EngineError as error:
            why = f"{CANNOT}: {error.message}"
            log.error("a model cannot be loaded again (%s)", error.code)
            loaded.append(None)
        except BaseException as error:
            why = f"{CANNOT} ({type(error).__name__})"
            log.error("a model cannot be loaded again (%s)", type(error).__name__)
            log.debug("why a model cannot be loaded again", exc_info=True)
            loaded.append(None)
    return loaded, why
