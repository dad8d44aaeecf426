"""A server with clients that come and go.

Thousands of requests with random sessions, forks, deletions and disconnects, then a thousand idle
connections, a thousand agents with ids next to a chat, a thousand unread streams, and crowds of up
to 256 clients, while the engine streams eight replies of its own. No connection is refused, waiting
requests are served in order, and in the end the server uses as much memory and as many threads and
descriptors as at the start.

Then a key attacks a server that it shares with another key, whose short requests continue to get
replies: slow bodies, and storms of canceled requests.
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
from engine.runtime.workers import MAX_THREADS
from engine.sandbox.process import resident_bytes
from engine.serve.agents import MAX_IDLE_AGENTS
from engine.serve.auth import Keys, Settings
from engine.serve.connection import ACCEPTS_PER_ITERATION as ACCEPTED
from engine.serve.connection import SPARE_FILES
from engine.serve.conversations import MAX_IDLE_PER_OWNER
from engine.serve.server import Server
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
    user,
)
from tests.waiting import until

BATCH = 20
AT_ONCE = 16
MOST_GROWTH = 40 * 2**20
STREAMS = 8
STREAM = "stream"
UNREAD_TOKENS = 32
UNREAD_SECONDS = 600.0
UNREAD_EACH = 100_000
"""Process memory in bytes per unread stream: its connection and its queue."""
BUFFERED_EACH = 400_000
"""System memory in bytes per unread stream."""
ATTACKED_GROWTH = 150 * 2**20
"""Bytes that the process may keep after attacks, mostly fragmentation."""
ATTACKED_PATIENCE = 30.0
"""Seconds until an unread connection closes, with a thousand arriving together."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture serve", description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--idle", type=int, default=1000, help="connections that do nothing")
    parser.add_argument("--affinities", type=int, default=1000, help="agents, each with its id")
    parser.add_argument("--unread", type=int, default=1000, help="streams that nobody reads")
    parser.add_argument("--clients", default="1,4,8,16,64,256", help="that come at once")
    parser.add_argument("--slow", type=int, default=1_000, help="connections with slow bodies")
    parser.add_argument("--storms", type=int, default=10, help="of answers that are cancelled")
    parser.add_argument("--only", choices=["clients", "attacks"], help="one half of it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    chosen = parser.parse_args(arguments)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    settings = Settings(sessions=24, policy="evict", at_once=AT_ONCE)
    with tempfile.TemporaryDirectory() as folder, Engine() as engine:
        model = engine.load(write_model(Path(folder) / "plain", FAMILIES["plain"], scale=3.0))
        faults = 0
        if chosen.only != "attacks":
            with Server(engine, [model], 0, 5.0, settings) as server:
                faults += _tortured(server, model, chosen)
        if chosen.only != "clients":
            faults += _attacked(engine, model, Path(folder), chosen)
        return faults


def _attacked(engine: Engine, model: Model, folder: Path, chosen: argparse.Namespace) -> int:
    """Attack with one key while another sends requests, and return the number of faults."""
    keys = Keys(folder / "keys.json")
    good, bad = keys.make("good"), keys.make("bad")
    settings = Settings(connections=chosen.slow + 300, queue=1_000)
    # An unloaded model, so that its requests have no known maximum length.
    unloaded = write_model(folder / "unloaded", FAMILIES["plain"], scale=3.0)
    faults: list[str] = []
    with Server(engine, [model], 0, ATTACKED_PATIENCE, settings, (str(unloaded),), keys) as server:
        asker = Asker(server, good)
        until(lambda: asker.answered > 3)
        before = _held(server)
        print(f"attacks; before: {before}; {asker.told(faults)}", flush=True)
        for name, attack in (
            ("slow bodies", _slow_bodies),
            ("cancel storms", _cancel_storms),
        ):
            said = attack(server, bad, chosen, faults)
            print(f"{name}: {said}; meanwhile {asker.told(faults, name)}", flush=True)
            until(lambda: running(server) <= 1 and server.slots.queue.running <= 1, 120)
        asker.end()
        until(lambda: server.connections == 0, 120)
        time.sleep(2)  # the server frees memory once a second
        faults += _left(server, before, ATTACKED_GROWTH)
    print("\n".join(faults) or "all attacks held")
    return len(faults)


class Asker:
    """Short streamed requests of the other key, in sequence on a thread.

    Attributes:
        answered: number of replies so far.
    """

    def __init__(self, server: Server, key: str) -> None:
        self._server, self._key = server, key
        self._took: list[float] = []
        self._wrong: list[str] = []
        self._ended = threading.Event()
        self.answered = 0
        self._thread = threading.Thread(target=self._run, name=f"{STREAM}-asker")
        self._thread.start()

    def told(self, faults: list[str], during: str = "") -> str:
        """Return the durations since the last call. Incomplete replies are recorded as faults."""
        took, self._took = sorted(self._took), []
        wrong, self._wrong = self._wrong, []
        faults += [f"{during}: the other key got {what!r}" for what in wrong[:3]]
        if during and not took:
            faults.append(f"{during}: the other key got no answer at all")
        if not took:
            return "no answers"
        return f"{len(took)} answers, median {took[len(took) // 2]:.2f} s, longest {took[-1]:.2f} s"

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        asked = raw(body(stream=True), f"Authorization: Bearer {self._key}")
        while not self._ended.wait(0.05):
            began, answer = time.monotonic(), b""
            with suppress(OSError), connect(self._server, asked) as client:
                answer = rest(client)
            self._took.append(time.monotonic() - began)
            self.answered += 1
            if b"data: [DONE]" not in answer:
                self._wrong.append(answer[:300].decode(errors="replace"))


def _slow_bodies(server: Server, key: str, chosen: argparse.Namespace, faults: list[str]) -> str:
    count = chosen.slow
    held = [connect(server, raw(endless(), f"Authorization: Bearer {key}")[:-90])]
    whole = raw(endless(), f"Authorization: Bearer {key}")
    try:
        for _ in range(count - 1):
            held.append(connect(server, whole[:-90]))
        for number in range(10):
            for client in held:
                with suppress(OSError):
                    client.sendall(whole[-90 + number : -89 + number])
            time.sleep(0.5)
        here = server.connections
    finally:
        for client in held:
            client.close()
    until(lambda: server.connections <= 1, 60)
    return f"{count} of them, {here} connections"


def _cancel_storms(server: Server, key: str, chosen: argparse.Namespace, faults: list[str]) -> str:
    asked = raw(endless(), f"Authorization: Bearer {key}")
    several = raw(endless(n=4), f"Authorization: Bearer {key}")
    longest = 0.0
    for storm in range(chosen.storms):
        clients = [connect(server, several if n % 5 == 0 else asked) for n in range(200)]
        until(lambda: server.slots.queue.running > 16, 60)
        if storm % 2:
            time.sleep(0.5)
        began = time.monotonic()
        for client in clients:
            client.close()
        until(lambda: server.slots.queue.running <= 1 and server.slots.waiting <= 1, 60)
        longest = max(longest, time.monotonic() - began)
    until(lambda: running(server) <= 1, 60)
    return f"{chosen.storms} of 200, all over {longest:.1f} s later at most"


def _affinities(server: Server, count: int) -> list[str]:
    """Run agents whose headers name a machine. None is refused, and a chat keeps its cache."""
    faults, said, named = [], [user("hello " * 60)], len(server.sessions)
    for number in range(-2, count):
        if number < 0 or number % 100 == 99:
            answer = ask(server, "POST", CHAT, {"messages": said, "max_tokens": 8}).json
            used = answer["usage"]
            read = used["prompt_tokens"] - used["prompt_tokens_details"]["cached_tokens"]
            if number >= 0 and read > 64:
                faults.append(f"a chat was read again after {number} affinities: {read} tokens")
            said += [answer["choices"][0]["message"], user("and on")]
        sent = {"x_session_affinity": f"ses_{number}", "session_id": f"{number} / ?"}
        status = ask(
            server, "POST", CHAT, body(f"a title for {number}", max_tokens=1), **sent
        ).status
        if status != 200:
            faults.append(f"affinity {number} was answered by {status}")
    if len(server.sessions) != named:
        faults.append("affinities have become sessions")
    if len(server.requests.agents()) > MAX_IDLE_AGENTS + AT_ONCE:
        faults.append(f"{len(server.requests.agents())} agents are known")
    idle = len(server.engine.stats()["sessions"]) - len(server.sessions) - STREAMS
    if idle > MAX_IDLE_PER_OWNER + AT_ONCE:
        faults.append(f"{idle} conversations are open")
    return faults


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
    faults += _affinities(server, chosen.affinities)
    print(f"{chosen.affinities} affinities, {streams.told()}", flush=True)
    faults += _unread(server, chosen.unread)
    print(streams.told(), flush=True)
    for count in map(int, filter(None, chosen.clients.split(","))):
        came = crowd(server, count)
        print(f"{came.told()}; {streams.told()}", flush=True)
        # Replies decode together, and connections are accepted together.
        if came.refused or came.failed or came.overtaken > AT_ONCE + ACCEPTED:
            faults.append(f"{count} clients: {came.told()}")
    streams.end()
    _rest(server)
    faults += _left(server, before, MOST_GROWTH)
    if ask(server, "POST", CHAT, body()).status != 200:
        faults.append("the server does not answer any more")
    print("\n".join(faults) or "nothing is left behind")
    return len(faults)


def _batch(server: Server, rng: random.Random) -> None:
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
    """Hold connections that are idle or stop within a request."""
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
    """Hold unread streams and return the faults.

    Most replies fit into system buffers, and every fortieth has no end. Requests of others are
    served in the meantime, and the server closes these streams on its own.
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
        if taken > 2 * count + SPARE_FILES:  # both ends belong to this process
            faults.append(f"streams that nobody reads took {taken} descriptors")
    finally:
        for client in held:
            client.close()
    return faults


def _in_buffers() -> int:
    with open("/proc/net/sockstat") as file:
        for line in file:
            words = line.split()
            if words[0] == "TCP:":
                return int(words[words.index("mem") + 1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _rest(server: Server) -> None:
    """Wait until all requests have ended, and free the sessions."""
    until(lambda: server.connections == 0, 120)
    for named in server.sessions.all():
        assert ask(server, "DELETE", f"/v1/sessions/{named.name}").status in (200, 404)
    until(lambda: server.connections == 0, 120)


def _held(server: Server) -> dict[str, int]:
    names = [thread.name for thread in threading.enumerate()]
    workers = names.count("stretto-worker")
    assert workers <= MAX_THREADS
    return {
        "memory": resident_bytes(os.getpid()),
        "threads": sum(
            not name.startswith(("stretto-worker", "asyncio", STREAM)) for name in names
        ),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "replies": running(server),
    }


def _left(server: Server, before: dict[str, int], most_growth: int) -> list[str]:
    after = _held(server)
    print(f"after:  {after}")
    limits = {"memory": most_growth, "threads": 0, "descriptors": 0}
    return [
        f"{name}: {before[name]} -> {after[name]}"
        for name, limit in limits.items()
        if after[name] - before[name] > limit
    ]


class Streams:
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
        gaps, self._gaps = sorted(self._gaps), []
        if not gaps:
            return "no gaps"
        p99 = gaps[int(len(gaps) * 0.99)]
        return (
            f"gaps of {STREAMS} streams: median {statistics.median(gaps) * 1e3:.0f} ms, "
            f"p99 {p99 * 1e3:.0f}, longest {gaps[-1] * 1e3:.0f}"
        )

    def end(self) -> None:
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
