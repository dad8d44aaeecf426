"""Fixtures for engines and tiny models, which have random weights but use the real loader."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import mlx.core as mx
import pytest
from msgspec.structs import replace

from engine import Engine
from engine.bench.random_models import write_model
from engine.model import backend
from engine.runtime.plan import Status, StepPlan, View
from engine.runtime.scheduler import Scheduler
from tests.engine.families import FAMILIES
from tests.engine.scripted import write_scripted

if TYPE_CHECKING:
    from engine.serve.server import Server


if backend.current_device() == "cpu":
    # As an engine does on startup. Otherwise each compiled function runs g++ on a new machine,
    # which adds up to a minute.
    mx.disable_compile()


@pytest.fixture(scope="module")
def all_cores() -> Iterator[None]:
    """Use all OpenBLAS threads, as the program does, in tests of numeric results
    (tests/conftest.py).
    """
    if (library := backend._openblas) is None:
        yield
        return
    before = library.openblas_get_num_threads()
    told = os.environ.pop("OPENBLAS_NUM_THREADS", "")  # for child processes
    library.openblas_set_num_threads(os.cpu_count())
    yield
    library.openblas_set_num_threads(before)
    os.environ.update({"OPENBLAS_NUM_THREADS": told} if told else {})


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that maps a family to the folder of its tiny model, created on first
    use.
    """
    root = tmp_path_factory.mktemp("models")

    def folder(family: str) -> Path:
        path = root / family.replace(" ", "-")
        # Large weights make every token depend on the context, which exposes mix-ups. This family
        # has many norms and shared layers and gets stuck in a loop with weights that large.
        scale = 1.5 if family == "shared KV" else 3.0
        return path if path.exists() else write_model(path, FAMILIES[family], scale=scale)

    return folder


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running
    assert not running.is_running


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make the next `count` replies arrive at the same moment.

    Call it before sending them. However slowly a busy machine lets the test send them, none is
    planned until they're all there, and they all count as having waited equally long. Replies that
    are already decoding continue.
    """
    plan, wanted = Scheduler.plan, [0]

    def held(scheduler: Scheduler, view: View) -> StepPlan:
        rows = [replace(row, waiting_since=view.now) for row in view.rows]
        if wanted[0]:
            going_on = [row for row in rows if row.begun or row.status == Status.FINISHED]
            there = [row for row in rows if row not in going_on and row.status >= Status.QUEUED]
            if len(there) < wanted[0]:
                rows = going_on
            else:
                wanted[0] = 0
        return plan(scheduler, replace(view, rows=rows))

    def expect(count: int) -> None:
        wanted[0] = count

    monkeypatch.setattr(Scheduler, "plan", held)
    return expect


@pytest.fixture(scope="module")
def server(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Run a server with a random model, "plain", and a scripted model that says what it's given."""
    from engine.serve.server import Server  # only these tests need the web server

    scripted = write_scripted(tmp_path_factory.mktemp("scripted") / "scripted")
    with Engine() as engine:
        models = [engine.load(model_folder("plain")), engine.load(scripted)]
        with Server(engine, models, 0) as running:
            yield running
