"""Features that fail are paused and retried, and never disabled permanently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import SamplingParams
from engine.model import runner
from engine.model.circuit_breaker import (
    MAX_PAUSE_PASSES,
    MIN_PAUSE_PASSES,
    RECOVERY_PASSES,
    CircuitBreaker,
)
from engine.model.loaded_model import DraftSource, LoadedModel
from engine.stepping import SteppedEngine


def rest_of(tried: CircuitBreaker) -> int:
    passes = 0
    while not tried.is_enabled:
        tried.record_success()
        passes += 1
    return passes


def test_repeated_faults_double_the_pause() -> None:
    tried = CircuitBreaker(3)
    for _ in range(2):
        tried.record_failure()
        assert tried.is_enabled
    rests = []
    for _ in range(14):
        tried.record_failure()
        assert not tried.is_enabled
        rests.append(rest_of(tried))
    assert rests[:4] == [
        MIN_PAUSE_PASSES,
        2 * MIN_PAUSE_PASSES,
        4 * MIN_PAUSE_PASSES,
        8 * MIN_PAUSE_PASSES,
    ]
    assert rests[-1] == MAX_PAUSE_PASSES
    assert tried.faults == 16


def test_rare_faults_are_forgiven() -> None:
    """A few faults over months must not disable a feature."""
    tried = CircuitBreaker(3)
    for _ in range(50):
        tried.record_failure()
        assert tried.is_enabled
        for _ in range(RECOVERY_PASSES):
            tried.record_success()
    for _ in range(3):
        tried.record_failure()
    assert rest_of(tried) == MIN_PAUSE_PASSES
    for _ in range(RECOVERY_PASSES):
        tried.record_success()
    for _ in range(3):
        assert tried.is_enabled
        tried.record_failure()
    assert rest_of(tried) == MIN_PAUSE_PASSES, "as for the first time"


def test_passes_are_shared_again_after_faults(
    model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression test: after three faults passes were never shared again until the model was
    reloaded.
    """
    monkeypatch.setattr("engine.model.circuit_breaker.MIN_PAUSE_PASSES", 80)
    decode = runner.decode
    shared: list[bool] = []
    broken = True

    def watched(model: Any, rows: Any, together: bool, *more: Any) -> Any:
        if len(rows) > 1:
            shared.append(together)
            if together and broken:
                raise RuntimeError("injected into a shared pass")
        return decode(model, rows, together, *more)

    monkeypatch.setattr(runner, "decode", watched)
    with SteppedEngine() as engine:
        model = engine.load(model_folder("plain"))

        def ask_two() -> list[list[int]]:
            calm = SamplingParams(max_tokens=12, temperature=0.9, seed=4, logit_bias={2: -1e9})
            chats = [engine.open_session(model) for _ in range(2)]
            said = [chat.send(f"hello {n}", calm) for n, chat in enumerate(chats)]
            told = [reply.tokens(60) for reply in said]
            for chat in chats:
                chat.close()
            return told

        def faults() -> dict[str, Any]:
            found: dict[str, Any] = engine.stats()["faults"][model.id]
            return found

        for number in (1, 2, 3):
            assert not faults()["unshared"]
            expected = ask_two()
            assert faults()["shared"] == number
        assert faults() == {"shared": 3, "unshared": True, "drafts": 0}
        broken = False
        shared.clear()
        assert ask_two() == expected
        assert shared
        assert not any(shared), "it rests"
        while faults()["unshared"]:
            ask_two()
            assert len(shared) < 200
        shared.clear()
        assert ask_two() == expected
        assert shared
        assert all(shared)
        assert faults()["shared"] == 3


def test_draft_is_enabled_again() -> None:
    drafter = DraftSource()
    model: Any = SimpleNamespace(shared_step_breaker=CircuitBreaker(3), drafter=drafter)
    for _ in range(3):
        assert drafter.breaker.is_enabled
        drafter.fail(RuntimeError("injected"))
    assert not drafter.breaker.is_enabled
    for _ in range(MIN_PAUSE_PASSES):
        LoadedModel.record_success(model)
    assert drafter.breaker.is_enabled
