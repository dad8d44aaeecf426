"""How the engine is asked for a model, and for its figures."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any

from app import flows
from app.paths import adapter_of
from engine import EngineError

if TYPE_CHECKING:
    from engine import Engine


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


async def figures(engine: Engine) -> dict[str, Any] | None:
    """As `Engine.stats`; None where the engine has ended."""
    try:
        return await flows.arrived(engine.stats_later())
    except (EngineError, CancelledError):
        return None
