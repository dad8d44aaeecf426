"""Stopping replies that repeat themselves, if the caller asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine import Engine, Finished, FinishReason, Model, SamplingParams
from engine.serve.server import Server
from engine.text.repetition import CHECK_INTERVAL, MIN_TOKENS
from tests.engine.scripted import ANSWER, write_scripted
from tests.engine.serving import ask

LOOP = "on"  # makes the model repeat itself forever
MOST = 700


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Model]]:
    folder = write_scripted(tmp_path_factory.mktemp("models") / "loops", endless=LOOP)
    with Engine() as engine:
        yield engine, engine.load(folder)


def _params(**settings: Any) -> SamplingParams:
    return SamplingParams(**{"max_tokens": MOST, "temperature": 0.0, **settings})


def _ended(loaded: tuple[Engine, Model], **settings: Any) -> Finished:
    engine, model = loaded
    session = engine.open_session(model)
    *_, last = session.send(LOOP, _params(**settings))
    session.close()
    assert isinstance(last, Finished)
    assert last.reason == FinishReason.LENGTH
    return last


def test_loop_is_stopped_on_request(loaded: tuple[Engine, Model]) -> None:
    stats = _ended(loaded, stop_repetition=True).stats
    assert stats.generated_tokens <= MIN_TOKENS + CHECK_INTERVAL
    assert stats.repeated_tokens == MIN_TOKENS


@pytest.mark.parametrize("settings", [{}, {"stop_repetition": True, "regex": "[a-z]{2000}"}])
@pytest.mark.turns(2)
def test_loop_continues_by_default(loaded: tuple[Engine, Model], settings: dict[str, Any]) -> None:
    stats = _ended(loaded, **settings).stats
    assert (stats.generated_tokens, stats.repeated_tokens) == (MOST, 0)


def test_session_answers_after_a_loop(loaded: tuple[Engine, Model]) -> None:
    engine, model = loaded
    session = engine.open_session(model)
    first = session.send(LOOP, _params(stop_repetition=True))
    first.text(60)
    assert session.send("hello", _params(stop_repetition=True)).text(60) == "".join(ANSWER)
    session.close()


def test_http_client_sees_a_limit(loaded: tuple[Engine, Model]) -> None:
    engine, model = loaded
    asked = {
        "messages": [{"role": "user", "content": LOOP}],
        "max_tokens": MOST,
        "temperature": 0,
        "stop_repetition": True,
    }
    with Server(engine, [model], 0) as server:
        told = ask(server, "POST", "/v1/chat/completions", asked).json
    assert told["choices"][0]["finish_reason"] == "length"
    assert told["usage"]["completion_tokens"] < MOST
