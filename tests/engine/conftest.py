"""Fixtures for engines and tiny models, which have random weights but use the real loader."""

from __future__ import annotations

import itertools
import os
import random
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import mlx.core as mx
import pytest

from engine import Engine
from engine.bench.random_models import write_model
from engine.cache.ledger import CacheKey
from engine.cache.prefix_index import PrefixIndex
from engine.model import backend, sampling
from engine.runtime.executor import Executor
from engine.runtime.mailbox import this_thread
from engine.runtime.memory import Memory
from engine.runtime.plan import StepPlan
from engine.stepping import SteppedEngine
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
    root = tmp_path_factory.mktemp("models")

    def folder(family: str) -> Path:
        path = root / family.replace(" ", "-")
        # Large weights make every token depend on the context, which exposes mix-ups. This family
        # has many norms and shared layers and gets stuck in a loop with weights that large.
        scale = 1.5 if family == "shared KV" else 3.0
        return path if path.exists() else write_model(path, FAMILIES[family], scale=scale)

    return folder


@pytest.fixture(autouse=True)
def fixed_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make random arrays and replies without a seed the same in each run."""
    mx.random.seed(0)
    # The first random array adds a few bytes, which tests of memory would count.
    mx.eval(mx.random.uniform())
    bits = random.Random(0).getrandbits
    monkeypatch.setattr(sampling, "secrets", SimpleNamespace(randbits=bits))


@pytest.fixture(autouse=True)
def planned_evictions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail if an engine evicts a cache or reserves memory outside a plan."""
    outside: list[str] = []
    run, evict, reserve, drop = Executor.run, Memory.evict, Memory.reserve, PrefixIndex.drop
    plans: dict[int, StepPlan] = {}  # plans being executed, by thread

    def running(executor: Executor, plan: StepPlan) -> Any:
        plans[threading.get_ident()] = plan
        try:
            return run(executor, plan)
        finally:
            del plans[threading.get_ident()]

    def check(planned: Callable[[StepPlan], object]) -> None:
        if not getattr(this_thread, "runs_an_engine", False):
            return
        plan = plans.get(threading.get_ident())
        if plan is None or not planned(plan):
            outside.append("".join(traceback.format_stack(limit=5)))

    def evicting(memory: Memory, keys: Iterable[CacheKey], skip_saving: bool = False) -> None:
        keys = tuple(keys)
        check(lambda plan: set(keys) <= set(plan.evict))
        evict(memory, keys, skip_saving)

    def reserving(memory: Memory, owner: object, nbytes: int, weights: bool = False) -> None:
        check(lambda plan: plan.load if weights else plan.embed)
        reserve(memory, owner, nbytes, weights)

    def dropping(index: PrefixIndex, key: CacheKey) -> None:
        if sys._getframe(1).f_code.co_name != "drop_model":  # its model is unloaded
            check(lambda plan: key in plan.evict)
        drop(index, key)

    monkeypatch.setattr(Executor, "run", running)
    monkeypatch.setattr(Memory, "evict", evicting)
    monkeypatch.setattr(Memory, "reserve", reserving)
    monkeypatch.setattr(PrefixIndex, "drop", dropping)
    yield
    assert not outside, outside[0]


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Return an engine with a thread, or one that runs on the test's thread (`stepped`).

    In the latter, requests arrive together if they are sent without waiting in between.
    """
    stepped = request.node.get_closest_marker("stepped") is not None
    ticks = itertools.count(step=0.001).__next__
    with SteppedEngine(clock=ticks) if stepped else Engine() as running:
        yield running
    assert not running.is_running


@pytest.fixture
def lazy_tokens(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function that lets MLX sample tokens, as on a GPU: they are known a pass later."""
    return lambda: monkeypatch.setattr(sampling, "_cpu_kernels", lambda: None)


@pytest.fixture(autouse=True, scope="session")
def known_probes() -> Iterator[None]:
    """Probe each model only once in all processes of a run.

    Probing takes two thirds of the time to load a tiny model.
    """
    with pytest.MonkeyPatch.context() as patch:
        _set_ways_folder(patch, Path(os.environ["STRETTO_PASSED"], "ways"))
        yield


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make engines probe models again, for tests that change the result."""
    _set_ways_folder(monkeypatch, None)


def _set_ways_folder(patch: pytest.MonkeyPatch, folder: Path | None) -> None:
    *others, _, niceness = Engine.__init__.__defaults__ or ()
    patch.setattr(Engine.__init__, "__defaults__", (*others, folder, niceness))


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
