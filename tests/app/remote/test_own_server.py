"""Remote chats with our own `serve`."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from app.remote.address import Remote
from engine import Engine, Finished, FinishReason, SamplingParams
from engine.bench.random_models import write_model
from engine.errors import INVALID_REQUEST
from engine.serve.server import Server
from tests.app.remote.conftest import Heard
from tests.engine.families import FAMILIES

QUESTION = [{"role": "user", "content": "Hello"}]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = write_model(tmp_path_factory.mktemp("own") / "plain", FAMILIES["plain"], scale=3.0)
    with Engine() as engine:
        model = engine.load(folder)
        with Server(engine, [model], 0) as server:
            address = f"http://127.0.0.1:{server.port}/v1"
            yield SimpleNamespace(engine=engine, model=model, address=address)


@pytest.fixture
def remote(own, elsewhere):
    (one,) = elsewhere.remotes.models_at(own.address, None).result(30)
    assert (one.kind, one.context) == ("stretto", own.model.context_length)
    found = Remote(own.address, one.model, one.kind, one.context)
    elsewhere.remotes.add(found, "")
    return found


def test_same_seed_gives_the_local_engines_text(own, elsewhere, remote):
    chosen = {"temperature": 0.9, "max_tokens": 24, "top_k": 40}
    heard, _ = elsewhere.ask(remote, chosen=chosen, seed=7)
    assert isinstance(heard.last, Finished)
    session = own.engine.open_session(own.model)
    reply = session.send(QUESTION, SamplingParams(seed=7, **chosen))
    assert heard.text() == reply.text(60) != ""
    assert heard.last.stats.generated_tokens == reply.stats.generated_tokens
    assert heard.last.stats.prompt_tokens == reply.stats.prompt_tokens
    session.close()


def test_stopping_frees_the_server(own, elsewhere, remote):
    heard, reply = elsewhere.ask(remote, chosen={"max_tokens": 100_000, "temperature": 1.0}, seed=1)
    heard.until(heard.text)
    reply.cancel()
    assert heard.last.reason is FinishReason.CANCELLED
    short, _ = elsewhere.ask(remote, chosen={"max_tokens": 4}, seed=1)
    assert short.last.reason is FinishReason.LENGTH


def test_truncated_remote_answer_continues(own, elsewhere, remote):
    chosen = {"temperature": 0.0, "max_tokens": 12}
    whole, _ = elsewhere.ask(remote, chosen=chosen, seed=3)
    assert whole.last.reason is FinishReason.LENGTH
    turns = [*QUESTION, {"role": "assistant", "content": whole.text()}]
    more, _ = elsewhere.ask(remote, turns, chosen, seed=3)
    assert isinstance(more.last, Finished), more.last
    longer, _ = elsewhere.ask(remote, chosen=chosen | {"max_tokens": 24}, seed=3)
    assert isinstance(longer.last, Finished)
    assert more.text()


def test_remote_answer_is_constrained_and_refusals_are_shown(own, elsewhere, remote):
    bound, _ = elsewhere.ask(remote, chosen={"max_tokens": 40}, seed=5, choices=("yes", "no"))
    assert isinstance(bound.last, Finished), bound.last
    assert bound.text() in {"yes", "no"}
    gone = Remote(remote.address, "another", "stretto")
    elsewhere.remotes.add(gone)
    heard, _ = elsewhere.ask(gone)
    assert "has no model named “another”" in heard.last.message
    far, _ = elsewhere.ask(remote, chosen={"top_k": -5}, seed=1)
    assert far.last.code == INVALID_REQUEST
    assert "top_k" in far.last.message


def test_next_turn_reuses_the_servers_cache(own, elsewhere, remote):
    turns = [{"role": "user", "content": "a long beginning " * 20}]
    session = elsewhere.session(remote, {"max_tokens": 8, "temperature": 0.0})
    first, second = Heard(), Heard()
    session.send(turns, SamplingParams(), first)
    prompt_tokens = first.last.stats.prompt_tokens
    turns += [{"role": "assistant", "content": first.text()}, *QUESTION]
    session.send(turns, SamplingParams(), second)
    assert second.last.stats.reused_tokens >= prompt_tokens > 200
