"""Scenes that run on an engine while a fault is injected."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

from engine.batch.requests import BatchRequest
from engine.batch.run import BatchRunner
from engine.params import SamplingParams
from engine.serve.server import Server
from tests.torture.fault_stage import KEPT, PATIENCE, SUBJECT, Scene, Stage, one_of, some

WORDS = "hello there " * 12
SYSTEM = {"role": "system", "content": "Be brief."}
FIRST = {"role": "user", "content": WORDS}
SCHEMA = SamplingParams(
    max_tokens=6,
    json_schema={"type": "object", "properties": {"a": {"enum": ["b", "c"]}}, "required": ["a"]},
)
GRAMMAR = SamplingParams(max_tokens=4, grammar='start: "a" | "b"')
PATTERN = SamplingParams(max_tokens=4, regex="[ab]{2}")


def states(stage: Stage) -> None:
    neighbour = stage.send(stage.open(), "neighbour", some(900))
    stage.begins(neighbour)
    before = stage.open(SUBJECT, "Be brief.")
    stage.ends(stage.send(before, WORDS, some(8)), "the turn before")
    stage.close(before)  # writes its caches to disk; they are restored below
    large = stage.send(stage.open(), WORDS * 4, some(1600))
    stage.begins(large)
    stage.where.forget()
    subject = stage.open(SUBJECT, "Be brief.")
    stage.arm()
    asked = [SYSTEM, FIRST, {"role": "user", "content": WORDS * 8}]
    reply = stage.send(subject, asked, some(40, penalty=1.1))
    stage.reaches("queued", reply)
    if large is not None:
        stage.attempt(large.cancel)
    stage.begins(reply)
    if reply is not None:
        stage.attempt(reply.pause)
    stage.reaches("paused", reply)
    stage.future(stage.engine.stats_later, "figures")
    if reply is not None:
        stage.attempt(reply.resume)
        stage.attempt(reply.resume)  # the first call may have raised the fault
    stage.ends(reply, "the subject")
    stage.ends(large, "the large one")
    _stop(stage, neighbour)
    stage.ends(neighbour, "the neighbour")


def talk(stage: Stage) -> None:
    """Prepare, queue, restore, prefill, decode, stop, fork and close replies."""
    streaming = stage.open()
    neighbour = stage.send(streaming, "neighbour", some(800))
    stage.begins(neighbour)
    stage.arm()
    kept = stage.open(KEPT, "Be brief.")
    stage.ends(stage.send(kept, WORDS, some(8)), "the kept chat")
    stage.close(kept)
    kept = stage.open(KEPT, "Be brief.")
    restored = stage.send(kept, [SYSTEM, FIRST, {"role": "user", "content": "and?"}], some(6))
    other = stage.open(on_overflow="slide")
    formed = stage.send(other, "yes or no?", one_of("yes", "no"))
    single = stage.attempt(lambda: stage.engine.ask(stage.model, "a title", some(5)))
    if single is not None:
        stage.replies.append(single)
    long = stage.open()
    running = stage.send(long, WORDS * 4, some(700, ("zzz",), 1.1))
    stage.begins(running)
    twin = stage.fork(long)
    forked = stage.send(twin, WORDS * 4 + "more", some(6))
    if running is not None:
        stage.attempt(running.pause)
    stage.future(stage.engine.stats_later, "figures")
    if running is not None:
        stage.attempt(running.resume)
    waiting = [stage.open() for _ in range(2)]
    queued = [stage.send(c, WORDS * 3 + "wait", some(300)) for c in waiting]
    if waiting[1] is not None:
        stage.attempt(lambda: waiting[1].prioritise(1))
    for reply, what in ((restored, "restored"), (formed, "formed"), (single, "single")):
        stage.ends(reply, what)
    stage.ends(forked, "forked")
    _stop(stage, running)
    stage.close(long)
    stage.ends(running, "cancelled")
    for reply in queued:
        stage.begins(reply)
        _stop(stage, reply)
        stage.ends(reply, "queued")
    stage.attempt(lambda: stage.engine.forget(KEPT))
    stage.future(lambda: stage.engine.load_later(stage.folder), "loading again")
    stage.close(kept, forget=True)
    late = stage.send(other, "closed while it answers", some(400))
    stage.close(other)
    stage.close(other)  # the first call may have raised the fault
    stage.ends(late, "closed")
    _stop(stage, neighbour)
    stage.ends(neighbour, "the neighbour")


def load(stage: Stage) -> None:
    neighbour = stage.send(stage.open(), "neighbour", some(800))
    stage.begins(neighbour)
    stage.engine.unload(stage.model)
    stage.arm()
    stage.future(lambda: stage.engine.load_later(stage.folder), "loading")
    stage.future(lambda: stage.engine.load_later("/no/such/folder"), "loading nothing")
    stage.ends(neighbour, "the neighbour")


def check(stage: Stage) -> None:
    neighbour = stage.send(stage.open(), "neighbour", some(900))
    stage.begins(neighbour)
    stage.unknown_folder()
    stage.arm()
    stage.future(lambda: stage.engine.load_later(stage.folder), "loading")
    for params in (SCHEMA, GRAMMAR, PATTERN):
        stage.ends(stage.send(stage.open(), "hello", params), "formed")
    _stop(stage, neighbour)
    stage.ends(neighbour, "the neighbour")


def start(stage: Stage) -> None:
    stage.unstarted()
    stage.other_children()
    stage.arm()
    stage.future(lambda: stage.engine.load_later(stage.folder), "loading")
    stage.ends(stage.send(stage.open(), WORDS, some(5)), "the first answer")


def stop(stage: Stage) -> None:
    for _ in range(3):
        stage.begins(stage.send(stage.open(), WORDS, some(500)))
    stage.ends(stage.send(stage.open(KEPT), WORDS, some(5)), "named")
    stage.send(stage.open(), WORDS, some(700))
    running = stage.engine._thread
    assert running is not None
    stage.arm()
    loading = stage.attempt(lambda: stage.engine.load_later(stage.folder))
    stage.attempt(lambda: stage.engine.stop(PATIENCE))
    running.join(PATIENCE)
    if running.is_alive():
        stage.quiet()
        stage.attempt(lambda: stage.engine.stop(PATIENCE))
        if running.is_alive():
            stage.problems.append("the thread has not ended")
    for reply in stage.replies:
        stage.ends(reply, "stopped")
    if loading is not None:
        stage.future(lambda: loading, "loading")
    stage.quiet()
    stage.fresh()


def serve(stage: Stage) -> None:
    with Server(stage.engine, [stage.model], 0) as server:
        assert _request(server, "GET", "/v1/models") == 200
        stage.arm()
        for method, path, body in (
            ("POST", "/v1/chat/completions", {"max_tokens": 4}),
            ("POST", "/v1/chat/completions", {"max_tokens": 4, "stream": True}),
            ("POST", "/v1/chat/completions", {"max_tokens": 4, "session_id": "named"}),
            ("POST", "/v1/chat/completions", {"max_tokens": 4, "n": 2}),
            ("POST", "/v1/chat/completions", {"max_tokens": "many"}),
            ("GET", "/v1/models", None),
            ("GET", "/health", None),
            ("GET", "/elsewhere", None),
        ):
            if body is not None:
                body["messages"] = [{"role": "user", "content": "hello"}]
            if _request(server, method, path, body) < 0:
                stage.problems.append(f"{method} {path}: no answer in time")
        stage.quiet()
        body = {"max_tokens": 2, "messages": [{"role": "user", "content": "and now?"}]}
        if not stage.until(lambda: _request(server, "POST", "/v1/chat/completions", body) == 200):
            stage.problems.append("the next request gets no answer")
        server.conversations.clear()
    stage.until(lambda: not stage.engine.stats_later().result(PATIENCE)["sessions"])


def batch(stage: Stage) -> None:
    stage.arm()
    hello = [{"role": "user", "content": "hello"}]
    requests = [BatchRequest(i, str(i), hello, some(4)) for i in range(4)]
    records: list[Any] = []

    def work() -> None:
        runner = BatchRunner(stage.engine, stage.model, 2)
        stage.attempt(lambda: runner.run(iter(requests), lambda _, answer: records.append(answer)))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE)
    if worker.is_alive():
        stage.problems.append("the batch never ended")
    elif not stage.switch.fired_in and len(records) != len(requests):
        stage.problems.append(f"{len(records)} of {len(requests)} have a record")


_ALL: tuple[Scene, ...] = (states, talk, load, stop, batch, serve, check, start)
SCENES = {scene.__name__: scene for scene in _ALL}


def _stop(stage: Stage, reply: Any) -> None:
    """Cancel a reply twice, because the first call may raise the fault."""
    if reply is not None:
        stage.attempt(reply.cancel)
        stage.attempt(reply.cancel)


def _request(server: Server, method: str, path: str, body: Any = None) -> int:
    """Return the response status, 0 for a closed connection, or -1 after a timeout."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        response.read()
    except TimeoutError:
        return -1
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
    return response.status
