"""Models that the engine has lost are loaded again: all after a breakdown, or one."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, EngineError
from engine.model.info import Model
from engine.openai.load_again import load_again
from engine.serve.entry import Entry
from engine.serve.watch import Ending

log = logging.getLogger(__name__)

WAIT_SECONDS = 60.0
"""How long a request waits for models that are being loaded again."""
RETRY_SECONDS = 5.0
"""How long after a failure nobody tries to load them."""
CANNOT = "The engine broke down and cannot load its models again"
BROKE_DOWN = "The engine broke down. Its models are being loaded again; ask again in a moment."


class Reloading:
    """Lives on the server's event loop.

    Args:
        entries: of the models; those that are loaded again have another model then.
        figures: asks the engine for its figures.
        on_loss: called with a model that was lost, before it is loaded again; None for all.
        unwanted: called with a model that nobody asks for any more, once it has been loaded.

    Attributes:
        why: what the last loading failed with, a sentence; else "".
    """

    def __init__(
        self,
        engine: Engine,
        entries: list[Entry],
        figures: Callable[[], Awaitable[dict[str, Any]]],
        on_loss: Callable[[str | None], None],
        unwanted: Callable[[Model], None],
        ending: Ending,
    ) -> None:
        self.why = ""
        self._engine, self._entries, self._figures = engine, entries, figures
        self._on_loss, self._unwanted, self._ending = on_loss, unwanted, ending
        self._failed_at = 0.0
        self._going: asyncio.Task[None] | None = None

    @property
    def going(self) -> bool:
        """Whether models are being loaded again."""
        return self._going is not None

    async def ready(self) -> None:
        """Wait until the engine has the models that it had.

        Raises:
            EngineError: `engine_stopped` when it does not get them.
        """
        fine = self._engine.is_running or not self._models()
        if self._going is None and fine and not self.why:
            return
        self.lost()
        if self._going is not None:
            try:
                await self._ending.unless_over(self._going, WAIT_SECONDS)
            except TimeoutError:
                raise EngineError(ENGINE_STOPPED, BROKE_DOWN) from None
        if self.why:
            raise EngineError(ENGINE_STOPPED, self.why)

    def lost(self) -> None:
        """Begin to load again what is missing, unless that goes on or has just failed."""
        tried = self.why and time.monotonic() - self._failed_at < RETRY_SECONDS
        if self._going is None and not tried:
            if not self._engine.is_running:
                self._on_loss(None)
            self._going = asyncio.ensure_future(self._again())

    def _models(self) -> list[Model]:
        return [entry.model for entry in self._entries if entry.model is not None]

    async def _again(self) -> None:
        try:
            missing = await self._missing()
            if missing:
                log.warning("the engine has lost models: loading them again")
                for model in missing:
                    self._on_loss(model.id)
                self._take(missing, *await self._loaded(missing))
            else:
                self.why = ""
        except BaseException as error:
            self._failed_at = time.monotonic()
            self.why = f"{CANNOT} ({type(error).__name__})"
            log.error("lost models were not loaded again (%s)", type(error).__name__)
            log.debug("why lost models were not loaded again", exc_info=True)
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._going = None

    async def _missing(self) -> list[Model]:
        """The models that the engine has no more. Those that it has are left alone."""
        known = self._models()
        if not self._engine.is_running:
            return known
        try:
            loaded = {model.id for model in (await self._figures())["models"]}
        except TimeoutError:  # it is busy, which is no loss
            return []
        except EngineError:
            return known
        return [model for model in known if model.id not in loaded]

    async def _loaded(self, missing: list[Model]) -> tuple[list[Model | None], str]:
        """Those models, None where one does not come back, and why not."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[list[Model | None], str]] = loop.create_future()

        def give(found: tuple[list[Model | None], str]) -> None:
            if not answer.done():  # the server has not ended meanwhile
                answer.set_result(found)

        def load() -> None:
            found = _load(self._engine, missing)
            with suppress(RuntimeError):  # it has
                loop.call_soon_threadsafe(give, found)

        # It may have to wait for the engine, which nobody who ends the program has to wait for.
        threading.Thread(target=load, name="serve-loading", daemon=True).start()
        return await answer

    def _take(self, missing: list[Model], models: list[Model | None], why: str) -> None:
        come = [model for model in models if model is not None]
        self.why = "" if come else why
        self._failed_at = time.monotonic()
        for before, now in zip(missing, models, strict=True):
            wanting = [entry for entry in self._entries if entry.model is before]
            for entry in wanting:
                # One that does not come back is loaded when it is asked for, which tells why.
                # While none does, all are missing.
                entry.model = now or (None if come else before)
            if now is not None and not wanting:
                self._unwanted(now)


def _load(engine: Engine, models: list[Model]) -> tuple[list[Model | None], str]:
    """Load models. Runs on a thread of its own, and always gives an answer."""
    loaded: list[Model | None] = []
    why = ""
    for model in models:
        try:
            loaded.append(load_again(engine, model))
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
