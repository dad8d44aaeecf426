"""Conflicting requests, compared with each request alone."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import Engine, EngineError, Model
from engine.bench.random_models import write_model
from engine.engine import Session
from engine.errors import ENGINE_STOPPED, UNKNOWN_MODEL
from engine.messages import Event, Failed
from engine.params import SamplingParams
from engine.serve import bodies
from engine.serve.auth import Keys
from engine.serve.connection import READ_BYTES, Connection
from engine.serve.conversations import Conversation, ConversationPool
from engine.serve.model_requests import SERVER_STOPPING
from engine.serve.models import ModelRegistry
from engine.serve.queue import Queue, QueueEntry
from engine.serve.reply_slots import ReplySlots
from engine.serve.requests import ModelRequest
from engine.serve.routes.base import Choice
from engine.serve.server import Server
from tests.engine.families import FAMILIES
from tests.engine.serve.conftest import Serve
from tests.engine.serving import (
    CHAT,
    Answer,
    ask,
    body,
    connect,
    endless,
    raw,
    rest,
    status,
    until_said,
)
from tests.torture.serve_race import Broken, Race
from tests.torture.serve_schedule import schedule
from tests.waiting import until


@pytest.fixture(autouse=True)
def nothing_is_left(loaded: tuple[Engine, Model]) -> Iterator[None]:
    yield
    engine, model = loaded
    until(lambda: not engine.stats()["sessions"])
    until(lambda: [m.id for m in engine.stats()["models"]] == [model.id])


def test_stopped_replies_have_their_last_event() -> None:
    """A reply may have ended when its last event is still on its way to the event loop."""
    ended = Failed("session", "reply", "cancelled", "")

    def send(_prompt: Any, _params: Any, on_event: Callable[[Event], None], _template: Any) -> Any:
        on_event(ended)
        return SimpleNamespace(cancel=lambda *_: None)

    async def played() -> None:
        generation: Any = SimpleNamespace(
            config=None, model=None, n=1, prompts=[[]], params=SamplingParams(), template={}
        )
        session: Any = SimpleNamespace(id="session", send=send)
        with ExitStack() as held:
            engine: Any = None
            request = ModelRequest({})
            request.generation, request.choices = generation, [Choice(0)]
            request.start(engine, session, held)
            await request.stop_replies()
        assert request.last is ended

    asyncio.run(played())


@pytest.fixture(scope="module")
def other(model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("models") / "other"
    shutil.copytree(model_folder("sliding window"), folder)
    return str(folder)


def in_background(server: Server, **fields: Any) -> Future[Answer]:
    answer: Future[Answer] = Future()

    def run() -> None:
        answer.set_result(ask(server, "POST", CHAT, body(**fields)))

    threading.Thread(target=run, daemon=True).start()
    return answer


class Slow:
    def __init__(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, str | None, Future[Model]]] = []
        self._load = engine.load_later
        monkeypatch.setattr(engine, "load_later", self._later)

    def _later(
        self, path: str, *, adapter: str | None = None, draft: str | None = None
    ) -> Future[Model]:
        answer: Future[Model] = Future()
        self.asked.append((path, adapter, answer))
        return answer

    def go_on(self) -> None:
        for path, adapter, answer in self.asked:
            answer.set_result(self._load(path, adapter=adapter).result())


# ---------------------------------------------------------------- sessions


def test_refused_setting_is_not_kept_in_session(serve: Serve) -> None:
    server = serve()  # its model's heads are too small for 8 bits
    for name in ("known", "new"):
        if name == "known":
            assert ask(server, "POST", CHAT, body(session_id=name)).status == 200
        refused = ask(server, "POST", CHAT, body(session_id=name, kv_bits=8))
        assert (refused.status, refused.code) == (400, "unsupported_session")
        assert ask(server, "POST", CHAT, body(session_id=name)).status == 200


def test_session_lost_by_engine_is_reopened(serve: Serve) -> None:
    server = serve()
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 200
    (named,) = server.sessions.all()
    assert named.session is not None
    named.session.close()  # the server isn't notified
    assert ask(server, "POST", CHAT, body(session_id="a")).code == "session_closed"
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 200


def test_waiting_request_learns_of_freed_session(
    serve: Serve,
) -> None:
    server = serve(at_once=2)
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        waiting = in_background(server, session_id="b")
        until(lambda: server.slots.waiting == 1)
        assert ask(server, "DELETE", "/v1/sessions/b").status == 200
        assert waiting.result(60).code == "session_closed"
        assert server.slots.queue.running == 1, "the first one still has its place"


def test_each_answer_takes_a_slot(serve: Serve) -> None:
    server = serve(at_once=4)
    with connect(server, raw(endless(n=3))) as three:
        until_said(three, b"data: ")
        assert server.slots.queue.running == 3
        assert ask(server, "POST", CHAT, body()).status == 200
        two = in_background(server, n=2)
        until(lambda: server.slots.waiting == 1)
        one = in_background(server)
        until(lambda: server.slots.waiting == 2)
        assert server.slots.queue.running == 3, "nobody overtakes who waits for two places"
    assert len(two.result(60).json["choices"]) == 2
    assert one.result(60).status == 200
    until(lambda: server.slots.queue.running == 0)
    many = ask(server, "POST", CHAT, body(n=9))
    assert len(many.json["choices"]) == 9, "who wants more than there are has all of them"


def test_request_for_several_places_is_not_overtaken() -> None:
    async def played() -> None:
        line = Queue(6, reserved=1)
        first = [line.enter(named) for named in (True, True, False, False)]
        several = line.enter(True, slots=4)
        behind = [line.enter(named) for named in (False, True, False)]
        assert all(turn.admitted.done() for turn in first)
        assert not any(turn.admitted.done() for turn in (several, *behind))
        first[2].leave()
        assert not any(turn.admitted.done() for turn in (several, *behind))
        first[3].leave()  # the slots reserved for requests without a session stay free
        assert [turn.admitted.done() for turn in (several, *behind)] == [False, True, False, False]
        for turn in (first[0], first[1]):
            turn.leave()
        assert [turn.admitted.done() for turn in (several, *behind)] == [True] * 3 + [False]
        assert line.running == 6
        several.leave()
        assert behind[2].admitted.done()
        for turn in behind:
            turn.leave()
        assert (line.running, line.busy) == (0, False)

    asyncio.run(played())


def test_unnamed_model_is_that_of_new_session(
    serve: Serve,
    loaded: tuple[Engine, Model],
    other: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, model = loaded
    server = serve(folders=(other,))
    assert ask(server, "POST", "/v1/models/other/load").status == 200
    server.note_unloaded(model.id)  # only the server is notified
    until(lambda: server.served.entries[0].model is None)
    slow = Slow(engine, monkeypatch)
    first = in_background(server, session_id="a")
    until(lambda: len(slow.asked) == 1)
    assert ask(server, "POST", CHAT, body(session_id="a", model="other")).status == 200
    slow.go_on()
    answer = first.result(60)
    assert (answer.status, answer.json["model"]) == (200, "other")
    named = ask(server, "POST", CHAT, body(session_id="a", model=model.name))
    assert named.status == 400, "another model was named"


# ---------------------------------------------------------------- models


def test_window_unload_ends_no_answer_of_other_model(
    serve: Serve, loaded: tuple[Engine, Model], other: str
) -> None:
    engine, _ = loaded
    server = serve(folders=(other,))
    with (
        connect(server, raw(endless(session_id="a"))) as one,
        connect(server, raw(endless(session_id="b", model="other"))) as two,
    ):
        until_said(one, b"data: ")
        until_said(two, b"data: ")
        unloaded = server.served.entries[1].model
        assert unloaded is not None
        engine.unload(unloaded)
        assert b'"model_unloaded"' in rest(two)
        server.note_unloaded(unloaded.id)
        # It is reloaded on demand, without closing another session.
        assert ask(server, "POST", CHAT, body(session_id="b")).json["model"] == "other"
        until_said(one, b"data: ")
        assert [n.name for n in server.sessions.all() if n.queue.busy] == ["a"]


def test_idle_unload_waits_for_a_concurrent_request(
    loaded: tuple[Engine, Model], other: str
) -> None:
    engine, model = loaded

    async def run() -> str:
        served = ModelRegistry(engine, [model], lambda _: None, folders=(other,))
        entry = served.entries[1]
        await served.load(entry)
        entry.used -= 100

        async def request() -> str:
            with served.use("other") as used:
                session = engine.open_session(await served.load(used))
                reply = session.send("hello", SamplingParams(max_tokens=2))
                return await asyncio.to_thread(reply.text)

        coming = asyncio.ensure_future(request())  # starts after the check for idle models
        served.unload_idle(10)
        said = await coming
        await served.unload(entry)
        return said

    asyncio.run(run())


def test_failed_reload_does_not_block_other_models(
    serve: Serve, loaded: tuple[Engine, Model], other: str, tmp_path: Path
) -> None:
    folder = tmp_path / "moved"
    shutil.copytree(other, folder)
    (folder / "config.json").write_text((folder / "config.json").read_text() + " ")
    engine, model = loaded
    server = serve(folders=(str(folder),))
    assert ask(server, "POST", "/v1/models/moved/load").status == 200
    shutil.rmtree(folder)
    for lost in list(server.served.models):
        engine.unload(lost)
    assert ask(server, "POST", CHAT, body()).code == "model_unloaded"
    assert ask(server, "POST", CHAT, body()).status == 200
    assert [m.path for m in server.served.models] == [model.path]
    assert ask(server, "POST", CHAT, body(model="moved")).code == "model_load_failed"


# ---------------------------------------------------------------- faults


GIVING_UP: dict[str, tuple[Any, str]] = {
    "a place": (ReplySlots, "_leave"),
    "a named place": (ReplySlots, "_leave_named"),
    "a conversation": (ConversationPool, "put_back"),
    "a session": (Session, "close"),
    "a ticket": (QueueEntry, "leave"),
    "replies": (ModelRequest, "stop_replies"),
    "sending": (ModelRequest, "_send"),
}


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("part", GIVING_UP)
@pytest.mark.turns(7)
def test_a_fault_while_a_request_ends_leaves_nothing_behind(
    serve: Serve,
    loaded: tuple[Engine, Model],
    monkeypatch: pytest.MonkeyPatch,
    part: str,
    call: int,
) -> None:
    (engine, _), server = loaded, serve(at_once=2)
    where, name = GIVING_UP[part]
    usual, calls = getattr(where, name), count(1)

    def faulty(*args: Any) -> Any:
        if next(calls) == call:
            raise RuntimeError("injected")
        return usual(*args)

    for fields in ({}, {"n": 2}, {"session_id": "a"}):
        with monkeypatch.context() as patched:
            patched.setattr(where, name, faulty)
            calls = count(1)
            assert ask(server, "POST", CHAT, body(**fields)).status in (200, 500)
        until(lambda: not server.slots.queue.busy)
        assert ask(server, "POST", CHAT, body(**fields)).status == 200
    server.conversations.clear()
    named = server.sessions.all()
    until(lambda: len(engine.stats()["sessions"]) == len(named) == 1)


def test_each_part_of_a_request_is_cleaned_up_once(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Returning a conversation twice would give it two users if a request took it in between."""
    server, calls = serve(), []
    put_back = ConversationPool.put_back

    def counted(known: ConversationPool, conversation: Conversation) -> None:
        calls.append(conversation)
        put_back(known, conversation)

    monkeypatch.setattr(ConversationPool, "put_back", counted)
    assert ask(server, "POST", CHAT, body()).status == 200
    until(lambda: not server.slots.queue.busy)
    assert len(calls) == 1


def test_fault_during_session_creation_leaves_it_usable(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    left = [RuntimeError("injected")]
    leave = QueueEntry.leave

    def faulty(ticket: QueueEntry) -> None:
        if left:
            raise left.pop()
        leave(ticket)

    monkeypatch.setattr(QueueEntry, "leave", faulty)
    assert ask(server, "POST", "/v1/sessions", {"session_id": "a"}).status == 201
    assert not left
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 200


# ---------------------------------------------------------------- keys


def test_revoked_key_loses_answers_and_sessions(serve: Serve, tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys.json")
    good, bad = (f"Bearer {keys.make(name)}" for name in ("good", "bad"))
    server = serve(keys, sessions=2, at_once=2)
    kept = {"session_id": "kept", "ttl_seconds": 0}
    assert ask(server, "POST", "/v1/sessions", kept, Authorization=bad).status == 201
    asked = {"input": "hello", "max_output_tokens": 4}
    stored = ask(server, "POST", "/v1/responses", asked, Authorization=bad)
    assert stored.status == 200
    with connect(server, raw(endless(session_id="a"), f"Authorization: {bad}")) as one:
        until_said(one, b"data: ")
        with connect(server, raw(body(session_id="a"), f"Authorization: {bad}")) as two:
            until(lambda: server.slots.waiting == 1)
            keys.revoke("bad")
            assert b'"invalid_api_key"' in rest(one)
            assert status(rest(two)) in (401, 409)
    until(lambda: not server.sessions.all())
    assert ask(server, "POST", CHAT, body(session_id="b"), Authorization=good).status == 200
    assert not any(server._stored._by_owner.values())


# ---------------------------------------------------------------- the end


def test_request_waiting_for_model_learns_of_shutdown(
    serve: Serve, loaded: tuple[Engine, Model], other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(folders=(other,))
    slow = Slow(loaded[0], monkeypatch)
    clients = [
        connect(server, raw(body(model="other"))),
        connect(server, raw(body(model="other", stream=True))),
        connect(server, raw({}, path="/v1/models/other/load")),
        connect(server, raw({"model": "other", "input": "x"}, path="/v1/embeddings")),
    ]
    until(lambda: bool(slow.asked) and server.served.entries[1].users == 3)
    server.stop()
    for client in clients:
        with client:
            got = rest(client)
        assert status(got) == 503
        assert b"The server is shutting down." in got


@pytest.mark.parametrize("code", [UNKNOWN_MODEL, ENGINE_STOPPED])
def test_request_for_lost_model_learns_of_server_end(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """The shutdown and the engine's error coincide. The model exists, so 404 would be wrong."""
    server = serve()

    async def fails(request: ModelRequest, on_event: Callable[[Choice, Event], bool]) -> None:
        server.served.end(EngineError(ENGINE_STOPPED, SERVER_STOPPING))
        on_event(request.choices[0], Failed("", "", code, "The model of this chat is not loaded."))

    monkeypatch.setattr(ModelRequest, "relay", fails)
    answer = ask(server, "POST", CHAT, body())
    assert (answer.status, answer.code) == (503, ENGINE_STOPPED)
    assert answer.json["error"]["message"] == SERVER_STOPPING


def test_stopped_server_leaves_nothing_in_engine(
    serve: Serve, loaded: tuple[Engine, Model], other: str
) -> None:
    engine, model = loaded
    server = serve(folders=(other,))
    for fields in ({}, {"session_id": "a"}, {"model": "other"}, {"model": "other", "n": 2}):
        assert ask(server, "POST", CHAT, body(**fields)).status == 200
    with connect(server, raw(endless(session_id="b"))) as one:
        until_said(one, b"data: ")
        assert len(engine.stats()["sessions"]) >= 4
        server.stop()
    until(lambda: not engine.stats()["sessions"])
    until(lambda: [m.id for m in engine.stats()["models"]] == [model.id])


def test_model_loaded_after_server_end_is_not_kept(
    serve: Serve, loaded: tuple[Engine, Model], other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, model = loaded
    server = serve(folders=(other,))
    assert ask(server, "POST", CHAT, body(model="other")).status == 200
    again, begun, go_on = engine.load_again, threading.Event(), threading.Event()
    come: list[Model] = []

    def slow(lost: Model) -> Model:
        begun.set()
        assert go_on.wait(60)
        come.append(again(lost))
        return come[-1]

    monkeypatch.setattr(engine, "load_again", slow)
    lost = server.served.models
    for one in lost:
        engine.unload(one)
    assert ask(server, "POST", CHAT, body()).code == "model_unloaded"
    assert begun.wait(60)
    server.stop()
    go_on.set()
    until(lambda: len(come) == len(lost))
    until(lambda: [m.id for m in engine.stats()["models"]] == [model.id])


# ---------------------------------------------------------------- client limits


def test_requests_hold_no_more_than_they_may_together(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MAX_IN_FLIGHT_BODY_BYTES", 200_000)
    server = serve()
    long = raw(body("x" * 90_000))
    halves = [connect(server, long[:-1]) for _ in range(2)]
    until(lambda: server._answering.held.bytes > 180_000)
    refused = ask(server, "POST", CHAT, body("x" * 90_000))
    assert (refused.status, refused.code) == (429, "capacity_exhausted")
    assert "retry-after" in refused.headers
    assert ask(server, "POST", CHAT, body()).status == 200, "there is room for a short one"
    for client in halves:
        client.close()
    until(lambda: server._answering.held.bytes == 0)
    assert ask(server, "POST", CHAT, body("x" * 90_000)).status == 400  # exceeds its context


def test_tiny_chunks_are_read_a_few_at_a_time(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    before = Connection.data_received

    def received(connection: Connection, data: bytes) -> None:
        read.append(len(data))
        before(connection, data)

    monkeypatch.setattr(Connection, "data_received", received)
    server = serve()
    sent = json.dumps(body()).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in sent + b" " * 20_000) + b"0\r\n\r\n"
    head = [f"POST {CHAT} HTTP/1.1", "Host: localhost", "Connection: close"]
    asked = "\r\n".join([*head, "Transfer-Encoding: chunked", "", ""]).encode() + chunks
    with connect(server, asked) as client:
        assert status(rest(client)) == 200
    assert sum(read) == len(asked)
    assert max(read) <= READ_BYTES


# ---------------------------------------------------------------- random schedules


@pytest.mark.parametrize("seed", [11])
def test_random_schedule_gives_right_answers_without_leaks(
    seed: int, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """`python -m tests.torture races` plays many more."""
    other = write_model(tmp_path / "other", FAMILIES["plain"], seed=5, scale=3.0)
    folders = [model_folder("plain"), other]
    with Broken() as broken, Engine() as engine:
        race = Race(engine, folders, tmp_path / "keys.json", broken, {})
        steps = schedule(seed)
        assert race.play(steps) == [], steps
