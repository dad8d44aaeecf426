"""System memory pressure: how it's detected, what is freed, and in what order."""

from __future__ import annotations

import asyncio
import math
import queue
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.engine import Engine
from engine.errors import EngineError
from engine.model import backend
from engine.model.info import Model
from engine.params import SamplingParams
from engine.runtime import loop, pressure, state
from engine.runtime.pressure import PAUSE, Pressure, Relief, ReliefStep
from engine.serve import models as rooms
from engine.serve.models import ModelRegistry

NONE, SOME, HIGH = Pressure
PLENTY = "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  900 kB\n"
SHORT = SamplingParams(max_tokens=4)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (PLENTY, NONE),
        (PLENTY.replace("900", "35"), SOME),
        (PLENTY.replace("900", "10"), HIGH),
        ("", NONE),
        ("some\n", NONE),
        ("MemTotal: 0 kB\nMemAvailable: 0 kB\n", NONE),
    ],
)
def test_linux_pressure_follows_available_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, shown: Pressure
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(pressure, "_MEMORY", tmp_path / "memory")
    assert pressure.pressure() is NONE
    (tmp_path / "memory").write_text(told)
    assert pressure.pressure() is shown


@pytest.mark.parametrize(("level", "shown"), [(0, NONE), (1, NONE), (2, SOME), (4, HIGH)])
def test_macos_reports_a_level(
    monkeypatch: pytest.MonkeyPatch, level: int, shown: Pressure
) -> None:
    def sysctlbyname(name: bytes, value: Any, size: Any, new: None, length: Any) -> int:
        assert name == b"kern.memorystatus_vm_pressure_level"
        assert size._obj.value == 4
        value._obj.value = level
        return 0

    monkeypatch.setattr(sys, "platform", "darwin")
    library = SimpleNamespace(sysctlbyname=sysctlbyname)
    monkeypatch.setattr("ctypes.CDLL", lambda _: library)
    assert pressure.pressure() is shown


def test_caches_are_freed_first_and_then_one_model_at_a_time() -> None:
    relief = Relief()
    looks = [
        (0, NONE, ReliefStep.NOTHING),
        (2, HIGH, ReliefStep.CACHES),
        (4, HIGH, ReliefStep.NOTHING),  # too early to see the effect
        (2 + PAUSE, HIGH, ReliefStep.MODEL),
        (2 + 2 * PAUSE, HIGH, ReliefStep.MODEL),
        (2 + 3 * PAUSE, SOME, ReliefStep.CACHES),
        (4 + 3 * PAUSE, NONE, ReliefStep.NOTHING),
        (2 + 4 * PAUSE, HIGH, ReliefStep.MODEL),  # the same period, as the pause in it was short
        (2 + 5 * PAUSE, NONE, ReliefStep.NOTHING),
        (4 + 5 * PAUSE, HIGH, ReliefStep.CACHES),
    ]
    assert [relief.need(level, now) for now, level, _ in looks] == [due for *_, due in looks]


def test_idle_caches_are_freed_and_replies_continue(
    tmp_path: Path, model_folder: Callable[[str], Path]
) -> None:
    with Engine(cache_dir=tmp_path) as engine:
        model = engine.load(model_folder("plain"))
        idle, other = engine.open_session(model, session_id="idle"), engine.open_session(model)
        idle.send("Hello", SHORT).text(60)
        reply = other.send("Hello", SamplingParams(max_tokens=200, temperature=0))
        next(iter(reply))
        assert engine.stats()["sessions"]["idle"]["kv_tokens"] > 0
        assert engine.relieve_later().result(60) > 0
        assert engine.stats()["sessions"]["idle"]["kv_tokens"] == 0
        assert isinstance(reply.text(60), str)  # its own caches were kept
        idle.send("And now?", SHORT).text(60)


def test_stopped_engine_frees_nothing() -> None:
    engine = Engine()
    engine.start()
    engine.stop()
    with pytest.raises(EngineError, match="stopped"):
        engine.relieve_later()


def test_pressure_frees_caches_then_idle_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model in use stays loaded. If unloading isn't allowed, all models stay."""
    now = 0.0
    monkeypatch.setattr(rooms, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(pressure, "pressure", lambda: HIGH)

    async def run(may_unload: bool) -> list[str]:
        nonlocal now
        engine = Asked()
        models = [model("old"), model("used"), model("new")]
        served = ModelRegistry(engine, models, lambda _: None, may_unload=may_unload)  # type: ignore[arg-type]
        for age, entry in zip((1, 0, 2), served.entries, strict=True):
            entry.used = age
        with served.use("used"):
            for _ in range(5):
                now += PAUSE
                served.relieve()
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        return engine.asked

    assert asyncio.run(run(True)) == ["caches", "old", "new"]
    assert asyncio.run(run(False)) == []


class Asked:
    is_running = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def relieve_later(self) -> Future[int]:
        self.asked.append("caches")
        return done(0)

    def unload_later(self, model: Model) -> Future[None]:
        self.asked.append(model.name)
        return done(None)


def done(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def model(name: str) -> Model:
    return Model(name, name, f"/models/{name}", 1, 0, "float32", "shared", True, {})


def test_unused_buffers_are_freed_once_when_idle(
    model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "RELEASE_AFTER_S", math.inf)  # not after loading
    given: queue.Queue[int] = queue.Queue()
    giving = SimpleNamespace(**{**vars(backend), "release_memory": lambda: given.put(1)})
    with Engine() as engine:
        model = engine.load(model_folder("plain"))
        monkeypatch.setattr(loop, "backend", giving)  # other modules release memory, too
        monkeypatch.setattr(state, "RELEASE_AFTER_S", 0.05)
        chat = engine.open_session(model)
        for act in (lambda: chat.send("Hello", SHORT).text(60), chat.close):
            act()
            given.get(timeout=60)
        with pytest.raises(queue.Empty):
            given.get(timeout=0.2)
