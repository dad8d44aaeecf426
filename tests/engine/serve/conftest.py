"""One engine for the tests of a file, and servers on it with settings of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Model
from engine.serve.auth import Keys, Settings
from engine.serve.server import Server

Serve = Callable[..., Server]
"""What the fixture of this name gives."""


@pytest.fixture(scope="module")
def loaded(model_folder: Callable[[str], Path]) -> Iterator[tuple[Engine, Model]]:
    with Engine() as engine:
        yield engine, engine.load(model_folder("plain"))


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys.json")


@pytest.fixture
def serve(loaded: tuple[Engine, Model]) -> Iterator[Serve]:
    """Starts servers on one engine."""
    engine, model = loaded
    servers = []

    def start(keys: Keys | None = None, folders: tuple[str, ...] = (), **settings: Any) -> Server:
        server = Server(
            engine, [model], 0, settings=Settings(**settings), folders=folders, keys=keys
        )
        server.start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stop()
