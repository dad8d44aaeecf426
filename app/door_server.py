"""The server behind the door for other programs: made from the settings."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.language import tr
from app.settings import Settings
from engine import Engine, EngineError

if TYPE_CHECKING:
    from engine.serve.server import Server

log = logging.getLogger(__name__)


def limits_of(settings: Settings) -> dict[str, Any]:
    """The server's settings, as a person has chosen them here."""
    return {
        "host": "0.0.0.0" if settings.serve_others else "127.0.0.1",
        "require_key": settings.serve_others or settings.serve_with_key,
        "origins": tuple(settings.serve_origins.split()),
        "sessions": settings.serve_sessions,
        "policy": "evict" if settings.serve_evict else "refuse",
        "per_key": settings.serve_per_key,
        "per_minute": settings.serve_per_minute,
        "unload_after": settings.serve_unload_min * 60.0,
        "may_unload": False,
    }


def made(
    before: Server | None,
    engine: Engine,
    port: int,
    limits: dict[str, Any],
    folders: list[tuple[str, str]],
    file: Path,
    is_used: Callable[[str], bool],
) -> Server:
    """A server that answers, once the one before it has ended. Runs in the background.

    Raises:
        OSError, OverflowError, ValueError: as `Server`.
    """
    from engine.serve.auth import Keys
    from engine.serve.auth import Settings as Limits
    from engine.serve.server import Server

    if before is not None:
        before.stop()
    keys = Keys(file) if limits["require_key"] else None
    server = Server(engine, [], port, settings=Limits(**limits), keys=keys)
    server.served.is_used_elsewhere = is_used
    for folder, adapter in folders:
        offer(server, folder, adapter)
    server.start()
    return server


def offer(server: Server, folder: str, adapter: str) -> None:
    """Let a server answer for one more model, or a variant of it. Its folders may have gone."""
    try:
        server.offer(folder, adapter)
    except EngineError as error:
        log.info("a model is not offered: %s", error.code)


def sentence(error: Exception, port: int) -> str:
    """Why it could not be started."""
    if isinstance(error, OSError):
        why = error.strerror or error
        return tr("Port {port} is not free ({why}). Choose another.", port=port, why=why)
    words = str(error) or type(error).__name__
    return f"{words[:1].upper()}{words[1:]}."
