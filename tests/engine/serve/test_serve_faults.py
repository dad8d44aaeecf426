"""Faults of clients. Each test is named after the fault that it prevents."""

from __future__ import annotations

import http.client
import json
import logging
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, Model
from engine.runtime.executor import Executor, PlanResult
from engine.runtime.plan import StepPlan
from engine.runtime.workers import MAX_THREADS
from engine.serve import bodies
from engine.serve import models as loaded_again
from engine.serve.connection import Connection
from engine.serve.conversations import MAX_IDLE_PER_OWNER
from engine.serve.server import Server
from tests.checked import PROGRAM
from tests.engine.serving import NEVER_ENDS, connect, rest, running, status, user
from tests.slices import examples
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
SHORT = 1.0
"""Client timeout of the servers in these tests, in seconds."""
TO_END = 15.0
"""Seconds until a shutdown counts as hung. On an idle machine it takes less than two."""


@pytest.fixture(scope="module")
def served(loaded: tuple[Engine, Model]) -> Iterator[Server]:
    engine, model = loaded
    with Server(engine, [model], 0, SHORT) as up:
        yield up


@pytest.fixture
def own(model_folder: Callable[[str], Path], request: pytest.FixtureRequest) -> Iterator[Server]:
    patience = getattr(request, "param", SHORT)
    with (
        Engine() as engine,
        Server(engine, [engine.load(model_folder("plain"))], 0, patience) as up,
    ):
        yield up


@pytest.fixture
def patient(model_folder: Callable[[str], Path]) -> Iterator[Server]:
    """Run a server that tolerates slow clients, as when hundreds of clients share two cores."""
    with Engine() as engine, Server(engine, [engine.load(model_folder("plain"))], 0) as up:
        yield up


def request(body: object, *headers: str, close: bool = True) -> bytes:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = ["POST /v1/chat/completions HTTP/1.1", "Host: localhost", *headers]
    head += ["Connection: close"] * close + [f"Content-Length: {len(raw)}", "", ""]
    return "\r\n".join(head).encode() + raw


def large_answer(max_tokens: int) -> dict[str, Any]:
    asked = {"messages": [user("hello")], "max_tokens": max_tokens, "logit_bias": NEVER_ENDS}
    return {**asked, "stream": True, "logprobs": True, "top_logprobs": 20}


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def exchange(server: Server, data: bytes, half_close: bool = False) -> bytes:
    with connect(server) as client:
        client.sendall(data)
        if half_close:
            client.shutdown(socket.SHUT_WR)
        return rest(client)


def content(answer: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


def ask(server: Server, **fields: Any) -> tuple[int, dict[str, Any]]:
    body = {"messages": [user("hello")], "max_tokens": 8, "temperature": 0, **fields}
    answer = exchange(server, request(body))
    return status(answer), content(answer)


def descriptors(process: int | str = "self") -> int:
    folder = f"/proc/{process}/fd"
    if not os.path.isdir(folder):
        pytest.skip("only Linux tells how many descriptors are open")
    return len(os.listdir(folder))


def test_simultaneous_connections_are_all_answered(patient: Server) -> None:
    count = 256
    body = {"messages": [user("x")], "max_tokens": 1, "temperature": 0}
    asked = [request(body), *[get("/v1/models", "Connection: close")] * 3]
    clients = [socket.socket() for _ in range(count)]
    try:
        for client in clients:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", patient.port))
        for i, client in enumerate(clients):
            client.settimeout(60)
            client.sendall(asked[i % 4])
        assert [status(rest(client)) for client in clients] == [200] * count
    finally:
        for client in clients:
            client.close()


# On a busy machine, the client that gets a reply in between needs a longer timeout.
@pytest.mark.parametrize("own", [4 * SHORT], indirect=True, ids=["slow"])
def test_idle_connections_are_closed_without_leaks(own: Server) -> None:
    assert ask(own)[0] == 200
    until(lambda: own.connections == 0)
    threads, files = lasting_threads(), descriptors()
    halves = [b"", b"GET /v1/mod", b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"]
    halves.append(request({"messages": []})[:-5])
    clients = []
    try:
        for i in range(100):
            clients.append(connect(own, halves[i % len(halves)]))
        assert ask(own)[0] == 200
        for i, client in enumerate(clients):
            answer = rest(client)
            assert status(answer) == 408 if i % len(halves) else not answer
    finally:
        for client in clients:
            client.close()
    until(lambda: own.connections == 0)
    until(lambda: lasting_threads() <= threads)
    until(lambda: descriptors() <= files)


@pytest.mark.parametrize("reads", [False, True])
def test_client_reading_too_slowly_is_cut_off(own: Server, reads: bool) -> None:
    # Accepted connections inherit this buffer size. The default would hold megabytes.
    own._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", own.port))
        client.sendall(get("/v1/models") * 2000)
        until(lambda: own.connections == 1)
        with suppress(ConnectionResetError):
            until(lambda: own.connections == 0 or (reads and not client.recv(1)))
        until(lambda: own.connections == 0)


def test_place_is_free_while_a_client_still_reads(loaded: tuple[Engine, Model]) -> None:
    engine, model = loaded
    with Server(engine, [model], 0, patience=600) as server, socket.socket() as client:
        server._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", server.port))
        client.sendall(request(large_answer(max_tokens=200)))
        until(lambda: server.slots.queue.running == 1)
        until(lambda: server.slots.queue.running == 0)
        (waiting,) = server.requests.running
        assert waiting.pieces == 200, "the answer has ended, and its client has not read it"
        assert server.served.entries[0].users == 0
        answer = rest(client)
        assert answer.count(b"data: ") > 200
        assert b"[DONE]" in answer


def test_unread_answer_counts_toward_the_total(
    loaded: tuple[Engine, Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MAX_IN_FLIGHT_BODY_BYTES", 256 * 2**10)
    engine, model = loaded
    with Server(engine, [model], 0, patience=600) as server, socket.socket() as client:
        server._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", server.port))
        client.sendall(request(large_answer(max_tokens=12_000)))
        until(lambda: server.slots.queue.running == 1)
        until(lambda: server.slots.queue.running == 0)
        assert b"capacity_exhausted" in rest(client)
    assert server._answering.held.bytes == 0


def test_at_few_descriptors_a_new_client_is_answered(
    model_folder: Callable[[str], Path],
) -> None:
    command = f"ulimit -n 128; exec {shlex.join(PROGRAM)} serve {model_folder('plain')}"
    with command_serves(["bash", "-c", f"{command} --port 0 --quiet"]) as (child, port):
        assert health(port) == (200, "ok")  # all long-lived descriptors are open now
        files = descriptors(child.pid)
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(150)]
        try:
            for client in idle:
                client.sendall(b"GET /v1")
            for _ in range(5):
                assert health(port) == (200, "ok")
            with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
                body = {"messages": [user("x")], "max_tokens": 200, "stream": True}
                client.sendall(request({**body, "logit_bias": NEVER_ENDS}))
                assert b"data: [DONE]" in rest(client)
        finally:
            for client in idle:
                client.close()
        until(lambda: descriptors(child.pid) <= files)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_client_that_half_closes_gets_the_rest(served: Server, stream: bool, version: str) -> None:
    body = {
        "messages": [user("x")],
        "max_tokens": 80,
        "logit_bias": NEVER_ENDS,
        "stream": stream,
        "stream_options": {"include_usage": True} if stream else None,
    }
    asked = request(body, close=version == "1.1").replace(b"HTTP/1.1", f"HTTP/{version}".encode())
    answer = exchange(served, asked, half_close=True)
    assert b"HTTP/1.1 200 OK" in answer
    assert b'"completion_tokens":80' in answer
    assert (b"data: [DONE]" in answer) is stream


def test_pipelined_requests_survive_half_close_in_order(served: Server) -> None:
    body = {"messages": [user("x")], "max_tokens": 3}
    asked = [get("/v1/models"), request(body, close=False), get("/health")]
    answer = exchange(served, b"".join(asked), half_close=True)
    places = [answer.index(p) for p in (b'"owned_by"', b'"completion_tokens"', b'"status"')]
    assert places == sorted(places)
    assert answer.count(b"HTTP/1.1 200 OK") == 3


def test_disconnect_after_pipelining_stops_the_answer(
    served: Server,
) -> None:
    body = {"messages": [user("x")], "max_tokens": 12_000, "logit_bias": NEVER_ENDS}
    with connect(served) as client:
        client.sendall(request(body, close=False) + get("/health") * 10)
        until(lambda: running(served) == 1)
    until(lambda: running(served) == 0, 8)


LONG_NUMBER = "9" * 5000


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"GET /health HTTP/1.1\r\nHost: [\r\n\r\n", 403),
        (b"GET /health HTTP/1.1\r\nHost: localhost:99999999\r\n\r\n", 403),
        (b"GET /health HTTP/1.1\r\n\r\n", 400),
        (b"GET /health HTTP/1.0\r\n\r\n", 403),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n", 400),
        (get("/health", "Origin: http://["), 403),
        (get("/v1/models", f"Content-Length: {LONG_NUMBER}"), 400),
        (get("/v1/models", "Content-Length: -1"), 400),
        (get("/v1/models", "Content-Length: 1", "Content-Length: 2"), 400),
        (get("/v1/models", "Transfer-Encoding: gzip"), 501),
        (get("/v1/models", "X: " + "a" * 100_000), 431),
        (get("/\x1b]0;x\x07"), 400),
        (b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\xa5\x01\x00\x00\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (request({}).replace(b"Content-Length: 2", b"Content-Length: 99999999999"), 413),
        (request({}).replace(b"Content-Length: 2", b"Transfer-Encoding: chunked") + b"\r\n", 400),
        (get("/health").replace(b"GET", b"BREW"), 405),
        (get("/nothing"), 404),
    ],
)
def test_malformed_head_gets_status_and_message(
    served: Server, head: bytes, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "DRAIN_S", 0.1)  # how long the rest of a body is still read
    answer = exchange(served, head, half_close=False)
    assert status(answer) == expected
    message = content(answer)["error"]["message"]
    assert message.endswith(".")
    assert not re.search(r"bytearray|Traceback|Error\b|object at", message)
    assert ask(served)[0] == 200


def test_escapes_in_a_path_do_not_reach_the_log(
    served: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        exchange(served, get("/\x1b]0;x\x07"))
        exchange(served, get("/%1b]0;x%07?secret=1", "Connection: close"))
        exchange(served, get("/" + "a" * 10_000, "Connection: close"))
        body = {"messages": [user("a secret")], "max_tokens": 1}
        exchange(served, request(body))
        until(lambda: "POST /v1/chat/completions 200" in caplog.text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", caplog.text)
    assert "secret" not in caplog.text
    assert max(len(line) for line in caplog.messages) < 300


def test_body_of_a_get_is_not_a_second_request(served: Server) -> None:
    inner = get("/health")
    outer = get("/v1/models", f"Content-Length: {len(inner)}", "Connection: close")
    answer = exchange(served, outer + inner)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b'"owned_by"' in answer


def test_after_a_breakdown_the_models_are_loaded_again(
    own: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert health(own.port) == (200, "ok")
    whole = ask(own)
    step, broken = Executor.run, list[Executor]()

    def breaking(self: Executor, plan: StepPlan) -> PlanResult:
        if not broken and self._state.requests:
            broken.append(self)
        if self in broken:  # repeatedly, because the engine survives one failure
            raise RuntimeError("broken on purpose")
        return step(self, plan)

    monkeypatch.setattr(Executor, "run", breaking)
    assert ask(own)[0] == 503
    assert ask(own)[1]["choices"] == whole[1]["choices"]
    assert health(own.port) == (200, "ok")


def test_failed_reload_is_reported(
    model_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loaded_again, "RELOAD_RETRY_S", 0.2)
    folder = tmp_path / "model"
    shutil.copytree(model_folder("plain"), folder)
    with Engine() as engine, Server(engine, [engine.load(folder)], 0) as server:
        assert ask(server)[0] == 200
        engine.unload(server.served.models[0])
        folder.rename(tmp_path / "elsewhere")
        got, answer = ask(server)
        assert got == 503
        until(lambda: health(server.port) == (503, "stopped"))
        got, answer = ask(server)
        assert got == 503
        assert "cannot reload its models" in answer["error"]["message"]
        (tmp_path / "elsewhere").rename(folder)
        until(lambda: health(server.port) == (200, "ok"))
        assert ask(server)[0] == 200


def health(port: int) -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", "/health")
        response = connection.getresponse()
        return response.status, json.loads(response.read())["status"]


class command_serves:  # noqa: N801 - used like a function
    def __init__(self, command: list[str]) -> None:
        # Shells make background jobs ignore SIGINT, and child processes inherit that.
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
        self._child = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        signal.signal(signal.SIGINT, before)

    def __enter__(self) -> tuple[subprocess.Popen[str], int]:
        assert self._child.stdout is not None
        told = self._child.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/v1", told)
        assert found, told
        return self._child, int(found[1])

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.communicate()


def test_connection_that_fails_to_open_is_closed(
    served: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = Connection.connection_made

    def fails(connection: Connection, transport: object) -> None:
        monkeypatch.setattr(Connection, "connection_made", made)
        raise RuntimeError("put in")

    monkeypatch.setattr(Connection, "connection_made", fails)
    with caplog.at_level(logging.CRITICAL):
        assert exchange(served, request({"messages": [user("hello")], "max_tokens": 2})) == b""
        assert ask(served, messages=[user("hello")], max_tokens=2)[0] == 200


def test_sigterm_ends_answering_server_in_two_seconds(
    model_folder: Callable[[str], Path],
) -> None:
    folder = str(model_folder("plain"))
    command = [*PROGRAM, "serve", folder, "--port", "0"]
    command += ["--keys", f"{folder}/keys.json"]  # don't touch the user's keys
    with command_serves(command) as (child, port):
        body = {"messages": [user("x")], "max_tokens": 12_000, "logit_bias": NEVER_ENDS}
        streams = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(4)]
        for i, client in enumerate(streams):
            client.sendall(request({**body, "stream": i < 3}))
        streams.append(socket.create_connection(("127.0.0.1", port)))  # sends no request
        streams.append(socket.create_connection(("127.0.0.1", port)))
        streams[-1].sendall(request({})[:-1])  # an incomplete body
        assert streams[0].recv(1000)
        began = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 0
        assert time.monotonic() - began < TO_END
        answers = [rest(client) for client in streams[:4]]
        assert b"The server is shutting down" in answers[0]
        assert status(answers[3]) == 503
        for client in streams:
            client.close()
        assert child.stderr is not None
        assert "Traceback" not in child.stderr.read()


def test_sigint_ends_loading_server_in_two_seconds(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for file in model_folder("plain").iterdir():
        (folder / file.name).symlink_to(file)
    os.mkfifo(folder / "notes.txt")  # if loading reads this file, it blocks
    code = (
        "import threading, sys, engine.runtime.model_loader as m\n"
        "def stand(*_):\n    print('loading', flush=True)\n    threading.Event().wait()\n"
        "m.check_candidate = stand\n"
        "from engine.cli.main import main\n"
        "from tests import checked\n"
        "checked.once()\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    child = subprocess.Popen(
        [sys.executable, "-c", code, "serve", str(folder), "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "loading\n"
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        child.wait(30)
        assert time.monotonic() - began < TO_END
    finally:
        child.kill()
        _, errors = child.communicate()
    assert child.returncode == 0
    assert "Traceback" not in errors


def test_random_disconnects_leave_nothing(own: Server) -> None:
    chosen = random.Random(9)
    body = {"messages": [user("x")], "max_tokens": 2, "temperature": 0}

    def batch(count: int) -> None:
        clients = []
        for _ in range(count):
            client = connect(own)
            data = request({**body, "stream": chosen.random() < 0.5})
            if chosen.random() < 0.75:
                data = get("/v1/models", "Connection: close")
            kind = chosen.random()
            if kind < 0.3:
                data = data[: chosen.randrange(len(data))]
            client.sendall(data)
            if kind > 0.6:
                clients.append(client)
            else:
                client.close()
        for client in clients:
            if chosen.random() < 0.5:
                client.recv(chosen.randrange(1, 200))
            else:
                assert status(rest(client)) == 200
            client.close()

    def at_rest() -> None:
        until(lambda: own.connections == 0 and running(own) == 0)

    for _ in range(examples(10)):
        batch(20)
    at_rest()
    threads, files, sessions = lasting_threads(), descriptors(), memory()
    for _ in range(examples(60)):  # `torture serve` runs longer
        batch(20)
    at_rest()
    assert lasting_threads() <= threads
    until(lambda: descriptors() <= files)
    until(lambda: len(own.engine.stats()["sessions"]) <= MAX_IDLE_PER_OWNER)
    assert memory() - sessions < 30 * 2**20
    assert ask(own)[0] == 200


def lasting_threads() -> int:
    """Count the threads other than the engine's few workers, which start on demand."""
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("stretto-worker") <= MAX_THREADS
    return len(names) - names.count("stretto-worker")


def memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
