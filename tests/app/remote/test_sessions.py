"""Sessions of chats on another Stretto."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from app.remote import remote_errors
from app.remote.address import Remote
from app.remote.remote_session import RemoteSession
from app.remote.server_sessions import figures_of
from app.score import NO_ENGINE, Lanes, merge_remote
from engine import Engine, Finished, SamplingParams
from engine.bench.random_models import write_model
from engine.serve.auth import Settings
from engine.serve.server import Server
from tests.app.remote.conftest import Elsewhere, Heard
from tests.app.remote.scripted import Asked, Writer, delta, events, head
from tests.engine.families import FAMILIES
from tests.waiting import until

MODELS = "/v1/models"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def send(session: RemoteSession, turns: list[Any], **params: Any) -> Heard:
    heard = Heard()
    session.send(turns, SamplingParams(**params), heard)
    return heard


def answered(session: RemoteSession, turns: list[Any], **params: Any) -> Finished:
    """Return the end of a successful answer and append the answer to the turns."""
    heard = send(session, turns, **params)
    last = heard.last
    assert isinstance(last, Finished), last
    turns.append({"role": "assistant", "content": heard.text()})
    return last


# With our own server.


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = write_model(tmp_path_factory.mktemp("own") / "plain", FAMILIES["plain"], scale=3.0)
    with Engine() as engine:
        model = engine.load(folder)
        with Server(engine, [model], 0, settings=Settings(sessions=3)) as server:
            address = f"http://127.0.0.1:{server.port}/v1"
            yield SimpleNamespace(
                server=server, remote=Remote(address, model.name, "stretto", model.context_length)
            )


@pytest.fixture
def at_own(own: SimpleNamespace, elsewhere: Elsewhere) -> RemoteSession:
    elsewhere.remotes.add(own.remote, "")
    return elsewhere.session(own.remote, {"max_tokens": 8, "temperature": 0.0})


def names(own: SimpleNamespace) -> list[str]:
    return [named.name for named in own.server.sessions.all()]


def test_remote_turn_reuses_its_session(
    own: SimpleNamespace, at_own: RemoteSession, elsewhere: Elsewhere
) -> None:
    turns = [user("a long beginning " * 20)]
    first = answered(at_own, turns)
    turns.append(user("and then"))
    second = answered(at_own, turns)
    assert second.stats.reused_tokens >= first.stats.prompt_tokens > 200
    assert names(own) == [at_own.elsewhere.name]
    told = own.server.sessions.all()[0].sent.messages
    assert [message["content"] for message in told] == [turn["content"] for turn in turns[:-1]]
    asked = elsewhere.remotes.figures()
    figures = asked.result(30)["chat"]
    assert figures["kv_tokens"] >= second.stats.prompt_tokens
    assert (figures["status"], figures["host"]) == ("idle", own.remote.host)
    assert figures["context"] == own.remote.context
    at_own.close()
    until(lambda: not names(own))
    assert elsewhere.remotes.figures() is None


def test_remote_fork_shares_its_prefix(own: SimpleNamespace, at_own: RemoteSession) -> None:
    turns = [user("a long beginning " * 20)]
    first = answered(at_own, turns)
    twin = at_own.fork("branch")
    other = [*turns, user("or else")]
    assert answered(twin, other).stats.reused_tokens >= first.stats.prompt_tokens
    assert answered(at_own, [*turns, user("and then")]).stats.reused_tokens > 200
    assert len(names(own)) == 2
    twin.close()
    at_own.close()
    until(lambda: not names(own))


def test_lost_server_session_is_created_again(own: SimpleNamespace, at_own: RemoteSession) -> None:
    turns = [user("a long beginning " * 20)]
    answered(at_own, turns)
    own.server._http.loop.call_soon_threadsafe(own.server.sessions.forget, [""])
    until(lambda: not names(own))
    turns.append(user("and then"))
    assert answered(at_own, turns).stats.prompt_tokens > 200
    assert len(names(own)) == 1
    at_own.close()
    until(lambda: not names(own))


def test_full_server_is_used_without_session(
    own: SimpleNamespace, elsewhere: Elsewhere, at_own: RemoteSession
) -> None:
    sessions = [elsewhere.session(own.remote, {"max_tokens": 2}) for _ in range(4)]
    for each in sessions:
        answered(each, [user("hello")])
    assert len(names(own)) == 3
    for each in sessions:
        each.close()
    until(lambda: not names(own))


# With untrusted servers.


@dataclass
class Strange:
    refuses: dict[str, Any] | None = None  # field of sessions that gets an error
    breaks: bool = False
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, asked: Asked, writer: Writer) -> None:
        if asked.path == MODELS:
            told = {"object": "list", "data": [], "stretto": {"sessions": 1}}
            writer.write(head(kind="application/json") + json.dumps(told).encode())
        elif asked.path != "/v1/chat/completions":
            writer.write(head(201 if asked.method == "POST" else 200, "application/json") + b"{}")
        else:
            self.answer(asked, writer)
        await writer.drain()

    def answer(self, asked: Asked, writer: Writer) -> None:
        self.bodies.append(asked.body)
        if "session_id" in asked.body and self.refuses is not None:
            error = {"error": {"message": "No.", "code": self.refuses["code"]}}
            writer.write(head(self.refuses["status"], "application/json"))
            writer.write(json.dumps(error).encode())
            return
        writer.write(head())
        said = "whole" if "session_id" not in asked.body else "session"
        writer.write(events(delta(said), done=False))
        if not self.breaks:
            writer.write(events(delta(reason="stop")))


@pytest.fixture
def strange(elsewhere: Elsewhere) -> Any:
    def serve(**does: Any) -> tuple[Strange, RemoteSession]:
        acts = Strange(**does)
        server = elsewhere.serve(acts)
        return acts, elsewhere.session(elsewhere.add(server, kind="stretto"))

    return serve


@pytest.mark.parametrize(
    ("status", "code"),
    [(404, "session_not_found"), (400, "invalid_request"), (405, ""), (429, "capacity_exhausted")],
)
def test_refused_session_is_abandoned(strange: Any, status: int, code: str) -> None:
    acts, session = strange(refuses={"status": status, "code": code})
    heard = send(session, [user("one")])
    assert isinstance(heard.last, Finished)
    assert (heard.text(), len(acts.bodies)) == ("whole", 2)


def test_other_refusals_are_reported(strange: Any) -> None:
    for status, code, wanted in (
        (429, "rate_limit_exceeded", remote_errors.BUSY),
        (401, "invalid_api_key", remote_errors.REFUSED),
        (404, "model_not_found", remote_errors.GONE),
    ):
        acts, session = strange(refuses={"status": status, "code": code})
        assert send(session, [user("one")]).last.code == wanted
        assert len(acts.bodies) == 1


def test_broken_stream_keeps_its_text(strange: Any) -> None:
    acts, session = strange(breaks=True)
    heard = send(session, [user("one")])
    assert (heard.last.code, heard.text()) == (remote_errors.BROKEN, "session")
    assert "lost before the reply ended" in heard.last.message
    assert len(acts.bodies) == 1


def test_invalid_stats_are_hidden() -> None:
    told = figures_of(
        {},
        "a",
        {"tokens": -1, "bytes": "many", "status": [], "reply": 7, "context_length": True},
        "h",
    )
    assert (told["status"], told["kv_tokens"], told["kv_bytes"], told["context"]) == (
        "idle",
        0,
        0,
        0,
    )


def test_score_shows_remote_replies_without_engine() -> None:
    lanes = Lanes()
    writing = {"tokens": 90, "bytes": 5, "status": "decoding", "reply": {"tokens_per_s": 12.5}}
    figures = {"chat": figures_of({}, "a", writing | {"context_length": 100}, "studio")}
    for now in (1.0, 2.0):
        lanes.update(
            now, *merge_remote(NO_ENGINE, {}, {**figures, "other": figures["chat"]}, {"chat": "T"})
        )
    (lane,) = lanes
    assert (lane.title, lane.state, lane.host) == ("T", "writing", "studio")
    assert (lane.rate, lane.kv_tokens, lane.context) == (12.5, 90, 100)
    assert (lanes.totals.writing, lanes.totals.rate, lanes.totals.kv_bytes) == (1, 12.5, 0)
