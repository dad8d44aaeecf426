"""Fixtures: one engine per test file, and servers with individual settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Model
from engine.serve.auth import Keys, Settings
from engine.serve.server import Server

Serve = Callable[..., Server]
"""Function that starts a server with the given settings."""


@pytest.fixture(scope="module")
def loaded(model_folder: Callable[[str], Path]) -> Iterator[tuple[Engine, Model]]:
    with Engine() as engine:
        yield engine, engine.load(model_folder("plain"))


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys.json")


@pytest.fixture
def serve(loaded: tuple[Engine, Model]) -> Iterator[Serve]:
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
