"""A server under clients that come and go: `python -m tests.torture serve`.

Thousands of requests with random sessions, forks, deletions and disconnects, then a thousand idle
connections, then a thousand streams that nobody reads, then crowds of up to 256 clients, while
eight streams of the engine's own go on. No connection is refused, those who wait are answered in
their order, and at the end memory, threads and descriptors are what they were at the start.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import socket
import statistics
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine import Engine, Model, SamplingParams, TextDelta
from engine.bench.random_models import write_model
from engine.core.workers import THREADS
from engine.serve.connection import AT_ONCE as ACCEPTED
from engine.serve.connection import SPARE_FILES
from engine.serve.server import Server
from engine.serve.settings import Settings
from tests.engine.crowd import crowd
from tests.engine.families import FAMILIES
from tests.engine.serving import (
    CHAT,
    NEVER_ENDS,
    ask,
    body,
    connect,
    endless,
    raw,
    rest,
    running,
    until,
)

BATCH = 20
AT_ONCE = 16
MOST_GROWTH = 40 * 2**20
STREAMS = 8
STREAM = "stream"
UNREAD_TOKENS = 32
UNREAD_SECONDS = 600.0
UNREAD_EACH = 100_000
"""Bytes of the process for each stream that nobody reads: its connection, and what waits for it."""
BUFFERED_EACH = 400_000
"""Bytes of the system for each."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture serve", description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--idle", type=int, default=1000, help="connections that do nothing")
    parser.add_argument("--unread", type=int, default=1000, help="streams that nobody reads")
    parser.add_argument("--clients", default="1,4,8,16,64,256", help="that come at once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    chosen = parser.parse_args(arguments)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    settings = Settings(sessions=24, policy="evict", at_once=AT_ONCE)
    with tempfile.TemporaryDirectory() as folder, Engine() as engine:
        model = engine.load(write_model(Path(folder) / "plain", FAMILIES["plain"], scale=3.0))
        with Server(engine, [model], 0, 5.0, settings) as server:
            return _tortured(server, model, chosen)


def _tortured(server: Server, model: Model, chosen: argparse.Namespace) -> int:
    rng, faults = random.Random(chosen.seed), []
    streams = Streams(server.engine, model)
    for _ in range(20):
        _batch(server, rng)
    _idle(server, 50)
    _rest(server)
    before = _held(server)
    print(f"before: {before}", flush=True)
    end = time.monotonic() + chosen.seconds
    done = 0
    while done < chosen.requests and time.monotonic() < end:
        _batch(server, rng)
        done += BATCH
        if done % 500 == 0:
            print(f"{done} requests, {streams.told()}", flush=True)
    _idle(server, chosen.idle)
    print(f"{chosen.idle} idle connections, {streams.told()}", flush=True)
    faults += _unread(server, chosen.unread)
    print(streams.told(), flush=True)
    for count in map(int, filter(None, chosen.clients.split(","))):
        came = crowd(server, count)
        print(f"{came.told()}; {streams.told()}", flush=True)
        # Those that are answered together, and those whose connections are taken together.
        if came.refused or came.failed or came.overtaken > AT_ONCE + ACCEPTED:
            faults.append(f"{count} clients: {came.told()}")
    streams.end()
    _rest(server)
    after = _held(server)
    print(f"after:  {after}")
    for name in ("threads", "descriptors"):
        if after[name] > before[name]:
            faults.append(f"{name}: {before[name]} -> {after[name]}")
    if after["memory"] - before["memory"] > MOST_GROWTH:
        faults.append(f"memory: {before['memory']} -> {after['memory']} bytes")
    if ask(server, "POST", CHAT, body()).status != 200:
        faults.append("the server does not answer any more")
    print("\n".join(faults) or "nothing is left behind")
    return len(faults)


def _batch(server: Server, rng: random.Random) -> None:
    """Send requests, and go away from some of them at any moment."""
    clients = []
    for _ in range(BATCH):
        client = connect(server)
        data = _request(rng)
        kind = rng.random()
        with suppress(ConnectionError):
            client.sendall(data[: rng.randrange(len(data))] if kind < 0.2 else data)
        if kind > 0.5:
            clients.append(client)
            continue
        if kind > 0.4:
            client.settimeout(0.2)
            with suppress(OSError):
                client.recv(rng.randrange(1, 2000))
        client.close()
    for client in clients:
        with client:
            answer = rest(client)
            if not answer.startswith(b"HTTP/1.1 ") or answer.startswith(b"HTTP/1.1 500"):
                raise AssertionError(answer)


def _request(rng: random.Random) -> bytes:
    name = f"s{rng.randrange(40)}"
    kind = rng.random()
    if kind < 0.6:
        asked: dict[str, Any] = body("hello " * rng.randrange(1, 30), stream=rng.random() < 0.5)
        asked["max_tokens"] = rng.choice([1, 2, 8, 200])
        if asked["max_tokens"] == 200:
            asked["logit_bias"] = NEVER_ENDS
        if rng.random() < 0.6:
            asked["session_id"] = name
        return raw(asked)
    if kind < 0.7:
        return raw({}, path=f"/v1/sessions/{name}/fork")
    method, path = rng.choice(
        [
            *(("GET", "/health"), ("GET", "/metrics"), ("GET", "/v1/models")),
            *(("GET", "/v1/sessions"), ("GET", f"/v1/sessions/{name}")),
            *(("DELETE", f"/v1/sessions/{name}"), ("GET", "/nothing")),
        ]
    )
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", "", ""]
    return "\r\n".join(head).encode()


def _idle(server: Server, count: int) -> None:
    """Hold connections that do nothing, or stop in the midst of a request."""
    halves = [b"", b"GET /v1/mod", raw(body())[:-5]]
    held: list[socket.socket] = []
    try:
        for i in range(count):
            held.append(connect(server, halves[i % len(halves)]))
        assert ask(server, "POST", CHAT, body()).status == 200
    finally:
        for client in held:
            client.close()


def _unread(server: Server, count: int) -> list[str]:
    """Hold streams that nobody reads; returns what went wrong.

    Most answers are short enough for the system's buffers; every fortieth has no end. The others'
    requests are answered in their turn, and the server gets rid of all of these streams by itself.
    """
    before, began = _held(server), time.monotonic()
    without_end = raw(endless())
    short = raw({**endless(), "max_tokens": UNREAD_TOKENS})
    held: list[socket.socket] = []
    longest, faults = 0.0, []
    try:
        for i in range(count):
            client = socket.socket()
            held.append(client)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(120)
            client.connect(("127.0.0.1", server.port))
            client.sendall(short if i % 40 else without_end)
            if i % 200 == 100:
                asked = time.monotonic()
                if ask(server, "POST", CHAT, body()).status != 200:
                    faults.append(f"no answer beside {i} streams that nobody reads")
                longest = max(longest, time.monotonic() - asked)
        most, buffers = _held(server), 0
        while server.connections and time.monotonic() - began < UNREAD_SECONDS:
            now = _held(server)
            most = {name: max(value, now[name]) for name, value in most.items()}
            buffers = max(buffers, _in_buffers())
            time.sleep(0.2)
        grown, taken = (most[n] - before[n] for n in ("memory", "descriptors"))
        print(
            f"{count} streams that nobody reads: gone after {time.monotonic() - began:.0f} s; "
            f"others were answered after {longest:.1f} s at most; {grown / 1e6:.0f} MB of memory, "
            f"{buffers / 1e6:.0f} MB of the system's buffers, {taken} descriptors",
            flush=True,
        )
        if server.connections:
            faults.append(f"{server.connections} streams that nobody reads are still there")
        if grown > MOST_GROWTH + count * UNREAD_EACH:
            faults.append(f"streams that nobody reads took {grown} bytes")
        if buffers > count * BUFFERED_EACH:
            faults.append(f"streams that nobody reads left {buffers} bytes with the system")
        if taken > 2 * count + SPARE_FILES:  # both ends are here
            faults.append(f"streams that nobody reads took {taken} descriptors")
    finally:
        for client in held:
            client.close()
    return faults


def _in_buffers() -> int:
    """Bytes in the buffers of all TCP sockets of this machine."""
    with open("/proc/net/sockstat") as file:
        for line in file:
            words = line.split()
            if words[0] == "TCP:":
                return int(words[words.index("mem") + 1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _rest(server: Server) -> None:
    """Wait until all has ended, and free the sessions."""
    until(lambda: server.connections == 0, 120)
    for named in server.sessions.all():
        assert ask(server, "DELETE", f"/v1/sessions/{named.name}").status in (200, 404)
    until(lambda: server.connections == 0, 120)


def _held(server: Server) -> dict[str, int]:
    names = [thread.name for thread in threading.enumerate()]
    workers = names.count("stretto-worker")
    assert workers <= THREADS
    with open("/proc/self/statm") as file:
        memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return {
        "memory": memory,
        "threads": sum(
            not name.startswith(("stretto-worker", "asyncio", STREAM)) for name in names
        ),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "replies": running(server),
    }


class Streams:
    """Chats of the program itself that answer all the time, and the gaps between their pieces."""

    def __init__(self, engine: Engine, model: Model) -> None:
        self._engine = engine
        self._model = model
        self._gaps: list[float] = []
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(i,), name=f"{STREAM}-{i}")
            for i in range(STREAMS)
        ]
        for thread in self._threads:
            thread.start()

    def told(self) -> str:
        """The gaps since the last time."""
        gaps, self._gaps = sorted(self._gaps), []
        if not gaps:
            return "no gaps"
        p99 = gaps[int(len(gaps) * 0.99)]
        return (
            f"gaps of {STREAMS} streams: median {statistics.median(gaps) * 1e3:.0f} ms, "
            f"p99 {p99 * 1e3:.0f}, longest {gaps[-1] * 1e3:.0f}"
        )

    def end(self) -> None:
        """Stop them all."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self, seed: int) -> None:
        params = SamplingParams(max_tokens=4000, seed=seed, logit_bias={2: -100.0})
        while not self._ended.is_set():
            session = self._engine.open_session(self._model)
            reply, last = session.send("Tell me a story.", params), 0.0
            for event in reply:
                if isinstance(event, TextDelta):
                    now = time.perf_counter()
                    if last:
                        self._gaps.append(now - last)
                    last = now
                if self._ended.is_set():
                    reply.cancel()
            session.close()
