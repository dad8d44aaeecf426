"""The models that a server answers for. They are loaded again after a breakdown of the engine."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, UNKNOWN_MODEL, EngineError
from engine.model.info import Model
from engine.openai.load_again import load_again

log = logging.getLogger(__name__)

WAIT_SECONDS = 60.0
"""How long a request waits for models that are being loaded again."""
RETRY_SECONDS = 5.0
"""How long after a failure nobody tries to load them."""
ANSWER_SECONDS = 5.0
"""How long the engine may take to say how it is."""
BROKE_DOWN = "The engine broke down. Its models are being loaded again; ask again in a moment."


class Served:
    """Knows the models, and whether the engine still has them. Lives on the server's event loop.

    Args:
        on_loss: called when the engine has lost its models, before they are loaded again.
    """

    def __init__(self, engine: Engine, models: list[Model], on_loss: Callable[[], None]) -> None:
        self.models = list(models)
        self._engine = engine
        self._on_loss = on_loss
        self._loading: asyncio.Future[str] | None = None  # what went wrong, or nothing
        self._failed = ("", 0.0)  # why the last loading failed, and when

    def find(self, name: object) -> Model:
        """The model of that name, id or folder. The first one where no name is given.

        Raises:
            EngineError: `unknown_model`.
        """
        if name is None or name == "":
            return self.models[0]
        for model in self.models:
            if name in (model.name, model.id, str(model.path)):
                return model
        served = ", ".join(repr(m.name) for m in self.models)
        raise EngineError(UNKNOWN_MODEL, f"There is no model {name!r} here, but {served}.")

    async def ready(self) -> None:
        """Wait until the engine has its models.

        Raises:
            EngineError: `engine_stopped` when it does not get them.
        """
        if self._loading is None and self._engine.is_running and not self._failed[0]:
            return
        self.lost()
        if self._loading is not None:
            done, _ = await asyncio.wait([self._loading], timeout=WAIT_SECONDS)
            if not done:
                raise EngineError(ENGINE_STOPPED, BROKE_DOWN)
        if self._failed[0]:
            raise EngineError(ENGINE_STOPPED, self._failed[0])

    def lost(self) -> None:
        """Begin to load the models again, unless that goes on or has just failed."""
        why, when = self._failed
        if self._loading is not None or (why and time.monotonic() - when < RETRY_SECONDS):
            return
        log.warning("the engine has lost its models: loading them again")
        self._on_loss()
        loop = asyncio.get_running_loop()
        self._loading = loop.create_future()
        known = list(self.models)
        threading.Thread(
            target=self._load, args=(loop, known), name="serve-loading", daemon=True
        ).start()

    async def health(self) -> tuple[str, str]:
        """How the server is, in a word (`ok`, `loading`, `busy`, `stopped`) and in a sentence."""
        if self._loading is not None:
            return "loading", BROKE_DOWN
        if self._failed[0]:
            self.lost()  # it may have become possible
            return "stopped", self._failed[0]
        if not self._engine.is_running:
            self.lost()
            return "loading", BROKE_DOWN
        try:
            asked = asyncio.wrap_future(self._engine.stats_later())
            stats = await asyncio.wait_for(asked, ANSWER_SECONDS)
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

    def _load(self, loop: asyncio.AbstractEventLoop, known: list[Model]) -> None:
        """Load all models. Runs on a thread of its own, which may have to wait for the engine."""
        models: list[Model] = []
        why = ""
        try:
            models = [load_again(self._engine, model) for model in known]
        except EngineError as error:
            why = f"The engine broke down and cannot load its models again: {error.message}"
        except Exception as error:
            log.exception("the models could not be loaded again")
            why = f"The engine broke down and cannot load its models again ({type(error).__name__})"
        try:
            loop.call_soon_threadsafe(self._loaded, models, why)
        except RuntimeError:
            log.debug("the server has ended meanwhile")

    def _loaded(self, models: list[Model], why: str) -> None:
        if why:
            log.error("%s", why)
        else:
            self.models[:] = models
        self._failed = (why, time.monotonic())
        loading, self._loading = self._loading, None
        if loading is not None:
            loading.set_result(why)
