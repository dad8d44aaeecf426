"""Hostile input in the real engine fails with its own error and doesn't affect other chats.

The inputs are the same as in `python -m tests.torture hostile`, which measures how long
other chats stall. The limits of child processes are shorter here to keep the tests fast.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Engine, EngineError, Model, SamplingParams
from engine.bench.random_models import SHAPES, write_model
from engine.errors import ENGINE_STOPPED
from engine.sandbox import confined
from engine.sandbox.confined import Sandbox
from engine.sandbox.protocol import TaskLimits
from tests.engine.hostile import INPUTS, Ask, Input

MB = 2**20
PATIENCE = 60.0
PARAMS = SamplingParams(max_tokens=60, temperature=0.8, seed=5, logit_bias={2: -1e9})
TO_STOP = 10.0  # seconds; usually takes milliseconds, and a hang takes longer


EVERY_INPUT = pytest.mark.parametrize("given", INPUTS, ids=lambda g: g.name)
"""Every known hostile input."""


@pytest.fixture(scope="module")
def children() -> Iterator[Sandbox]:
    """Run the child processes of all engines here with a limit of one second per template."""
    made = Sandbox(template=TaskLimits(1.0, 1024 * MB, 4 * MB))
    patch = pytest.MonkeyPatch()
    patch.setattr(confined, "shared", lambda: made)
    yield made
    patch.undo()
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("sound") / "model", SHAPES["tiny"], scale=3.0)


@pytest.fixture(scope="module")
def asks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {given.name: tmp_path_factory.mktemp("hostile") for given in INPUTS}


class Chats:
    def __init__(self, engine: Engine, folder: Path) -> None:
        self.engine = engine
        self.model = engine.load(folder)
        self.expected = self.neighbour(self.model)

    def neighbour(self, model: Model) -> list[int]:
        return self.engine.open_session(model).send("neighbour", PARAMS).tokens(PATIENCE)


@pytest.fixture(scope="module")
def chats(children: Sandbox, folder: Path) -> Iterator[Chats]:
    with Engine() as engine:
        yield Chats(engine, folder)


def harms_nobody(given: Input, chats: Chats, root: Path) -> None:
    engine, model = chats.engine, chats.model
    ask = given.prepare(root, engine)
    models = set(engine.stats()["models"])
    streaming = engine.open_session(model).send("neighbour", PARAMS)
    outcome = ask(engine, model)
    with pytest.raises(EngineError) as refused:
        outcome(PATIENCE)
    assert refused.value.code == given.code
    says = refused.value.message
    assert says.endswith(".")
    assert "Traceback" not in says
    assert len(says) < 400
    assert streaming.tokens(PATIENCE) == chats.expected
    assert chats.neighbour(model) == chats.expected
    assert set(engine.stats()["models"]) == models


def stops(given: Input, folder: Path, root: Path) -> None:
    with Engine() as engine:
        model = engine.load(folder)
        ask: Ask = given.prepare(root, engine)
        streaming = engine.open_session(model).send("neighbour", PARAMS)
        next(iter(streaming))
        outcome = ask(engine, model)
        began = time.monotonic()
        engine.stop()
        took = time.monotonic() - began
        with pytest.raises(EngineError) as ended:
            outcome(PATIENCE)
        assert ended.value.code in (ENGINE_STOPPED, given.code)
        assert streaming.done
        assert took < TO_STOP


@EVERY_INPUT
@pytest.mark.turns(5)
def test_hostile_input_affects_no_other_chat(
    given: Input, chats: Chats, asks: dict[str, Path]
) -> None:
    harms_nobody(given, chats, asks[given.name])


@EVERY_INPUT
@pytest.mark.turns(7)
def test_engine_stops_during_hostile_input(
    given: Input, children: Sandbox, folder: Path, asks: dict[str, Path]
) -> None:
    stops(given, folder, asks[given.name])


def test_prompt_over_context_reports_token_count(
    chats: Chats,
) -> None:
    text = "e" * 400_000  # short enough for the context by its number of characters
    reply = chats.engine.open_session(chats.model).send(text, PARAMS)
    with pytest.raises(EngineError, match=r"400,0\d\d tokens") as refused:
        reply.tokens(PATIENCE)
    assert refused.value.code == "context_overflow"


@pytest.mark.parametrize(
    ("params", "says"),
    [
        (SamplingParams(stop=tuple(f"stop {n}" for n in range(20_000))), "stop strings"),
        (SamplingParams(stop=("x" * 100_000,)), "Stop strings are too long"),
        (SamplingParams(logit_bias=dict.fromkeys(range(100_000), 1.0)), "logit_bias has"),
    ],
)
def test_costly_parameters_are_refused(params: SamplingParams, says: str, chats: Chats) -> None:
    reply = chats.engine.open_session(chats.model).send("hello", params)
    with pytest.raises(EngineError, match=says) as refused:
        reply.tokens(PATIENCE)
    assert refused.value.code == "invalid_request"
