"""Engines and tiny models. The models have random weights and are loaded by the real loader."""

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
    # As an engine does when it starts: each compiled function would take a run of g++, once a
    # machine, a minute for them all.
    mx.disable_compile()


@pytest.fixture(scope="module")
def all_cores() -> Iterator[None]:
    """For tests of what products give: OpenBLAS's threads as in the program (tests/conftest.py)."""
    if (library := backend._openblas) is None:
        yield
        return
    before = library.openblas_get_num_threads()
    told = os.environ.pop("OPENBLAS_NUM_THREADS", "")  # for the processes that they start
    library.openblas_set_num_threads(os.cpu_count())
    yield
    library.openblas_set_num_threads(before)
    os.environ.update({"OPENBLAS_NUM_THREADS": told} if told else {})


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model, made on first use."""
    root = tmp_path_factory.mktemp("models")

    def folder(family: str) -> Path:
        path = root / family.replace(" ", "-")
        # Large weights make every token depend on the context, so that a mix-up shows; this
        # family's many norms and shared layers fall into a rut with weights that large.
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
    """Call it before so many replies are asked for: all come at one moment.

    However far apart a busy machine lets the test ask for them, none is planned for before all are
    there, and none has waited longer than another. Those that answer already go on.
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
    """A server with a model of random weights, "plain", and one that says what it is told to."""
    from engine.serve.server import Server  # the web server is for these tests alone

    scripted = write_scripted(tmp_path_factory.mktemp("scripted") / "scripted")
    with Engine() as engine:
        models = [engine.load(model_folder("plain")), engine.load(scripted)]
        with Server(engine, models, 0) as running:
            yield running
