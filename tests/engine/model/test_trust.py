"""What has failed rests and is tried again: nothing is given up for good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, SamplingParams
from engine.model import runner
from engine.model.drafting import Drafter
from engine.model.loaded import FORGIVEN, LONGEST_REST, REST, LoadedModel, Trust
from engine.model.loader import load_at_once


def rest_of(tried: Trust) -> int:
    """Passes until it works again."""
    passes = 0
    while not tried.works:
        tried.passed()
        passes += 1
    return passes


def test_repeated_faults_double_the_pause() -> None:
    tried = Trust(3)
    for _ in range(2):
        tried.failed()
        assert tried.works
    rests = []
    for _ in range(14):
        tried.failed()
        assert not tried.works
        rests.append(rest_of(tried))
    assert rests[:4] == [REST, 2 * REST, 4 * REST, 8 * REST]
    assert rests[-1] == LONGEST_REST
    assert tried.faults == 16


def test_faults_are_forgiven() -> None:
    """Three faults in months of answers are no reason to go without."""
    tried = Trust(3)
    for _ in range(50):
        tried.failed()
        assert tried.works
        for _ in range(FORGIVEN):
            tried.passed()
    for _ in range(3):
        tried.failed()
    assert rest_of(tried) == REST
    for _ in range(3 * FORGIVEN):
        tried.passed()
    for _ in range(3):
        assert tried.works
        tried.failed()
    assert rest_of(tried) == REST, "as for the first time"


def test_passes_are_shared_again_after_faults(
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    together: Callable[[int], None],
) -> None:
    """After three faults all passes were apart until the model was loaded anew."""
    monkeypatch.setattr("engine.model.loaded.REST", 80)
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
    with Engine() as engine:
        model = engine.load(model_folder("plain"))

        def ask_two() -> list[list[int]]:
            calm = SamplingParams(max_tokens=12, temperature=0.9, seed=4, logit_bias={2: -1e9})
            chats = [engine.open_session(model) for _ in range(2)]
            together(2)
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


def test_draft_comes_back(loaded_plain: LoadedModel) -> None:
    model = loaded_plain
    model.drafter = drafter = Drafter(model, model, 300)
    try:
        for _ in range(3):
            assert drafter.works
            drafter.fail(RuntimeError("injected"))
        assert not drafter.works
        for _ in range(REST):
            model.passed()
        assert drafter.works
    finally:
        model.drafter = None


@pytest.fixture
def loaded_plain(model_folder: Callable[[str], Path]) -> LoadedModel:
    return load_at_once(model_folder("plain"), True)
