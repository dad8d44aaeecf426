"""A server with malformed requests.

First, schemathesis generates requests from the server's `/openapi.json` and corrupts them. Then
random and damaged bodies and headers are sent on raw sockets. Each request gets a response that
isn't a 500, and at the end the server still works as before.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import socket
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from engine import Engine
from engine.bench.random_models import write_model
from engine.serve.auth import Settings
from engine.serve.server import Server
from tests.engine.bodies import ODD, values
from tests.engine.families import FAMILIES
from tests.engine.scripted import write_scripted
from tests.engine.serving import CHAT, ask, body, raw, rest
from tests.environments import python_of
from tests.waiting import until

CONTEXT = 256  # tokens, so that no answer is long
MOST_SECONDS = 60  # per response
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,negative_data_rejection,unsupported_method"
)
_PIECES = ("\r\n", "\n", "\0", ":", " ", "HTTP/1.1", "Content-Length: 5\r\n", "{", '"', "\xff")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture http", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="for each of the two parts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["schemathesis", "raw"], help="one of the two parts")
    chosen = parser.parse_args(arguments)
    config = {**FAMILIES["plain"], "max_position_embeddings": CONTEXT}
    with tempfile.TemporaryDirectory() as name, Engine() as engine:
        folder = Path(name)
        models = [
            engine.load(write_model(folder / "plain", config, scale=3.0)),
            engine.load(write_scripted(folder / "scripted")),
        ]
        with Server(engine, models, 0, 5.0, Settings(sessions=8, policy="evict")) as server:
            faults = 0
            if chosen.only != "raw":
                faults += _schemathesis(server, chosen)
            if chosen.only != "schemathesis":
                faults += _raw(server, chosen)
            until(lambda: server.connections == 0, 120)
            if ask(server, "POST", CHAT, body()).status != 200:
                print("the server does not answer any more")
                faults += 1
    print("all held" if not faults else f"{faults} faults")
    return int(faults > 0)


def _schemathesis(server: Server, chosen: argparse.Namespace) -> int:
    program = python_of("http").with_name("schemathesis")
    address = f"http://127.0.0.1:{server.port}/openapi.json"
    options = {
        "--max-time": f"{max(1, chosen.seconds):.0f}",
        "--seed": str(chosen.seed),
        "--checks": CHECKS,
        "--request-timeout": str(MOST_SECONDS),
        "--suppress-health-check": "all",
        "--generation-database": "none",
        "--phases": "coverage,fuzzing,stateful",
    }
    asked = [str(program), "run", address, "--continue-on-failure", "--no-color"]
    for pair in options.items():
        asked += pair
    return subprocess.call(asked, cwd=tempfile.gettempdir())


def _raw(server: Server, chosen: argparse.Namespace) -> int:
    told = ask(server, "GET", "/openapi.json").json
    bodies = {
        path: methods["post"]["requestBody"]["content"]["application/json"]["schema"]
        for path, methods in told["paths"].items()
        if "requestBody" in methods.get("post", {}) and "/load" not in path
    }
    rng = random.Random(chosen.seed)
    seen: Counter[str] = Counter()
    faults: list[str] = []
    end, longest = time.monotonic() + chosen.seconds, 0.0
    while time.monotonic() < end:
        for path, content in _drawn(bodies, rng):
            data = _request(path, content, rng)
            begun = time.monotonic()
            try:
                answer = _exchange(server, data, rng)
            except TimeoutError:
                answer = b"nothing"
            longest = max(longest, time.monotonic() - begun)
            status = re.match(rb"HTTP/1\.1 (\d+) ", answer)
            what = status[1].decode() if status else "closed" if not answer else "no HTTP"
            seen[what] += 1
            if what in ("500", "no HTTP", "closed"):
                faults.append(f"{what}: {data[:2000]!r} -> {answer[:500]!r}")
                print(faults[-1], flush=True)
            if time.monotonic() > end:
                break
    told = ", ".join(f"{count:,} {what}" for what, count in sorted(seen.items()))
    print(f"raw: {seen.total():,} requests: {told}; longest {longest:.1f} s")
    return len(faults)


def _drawn(bodies: dict[str, Any], rng: random.Random) -> list[tuple[str, Any]]:
    drawn: list[tuple[str, Any]] = []
    one = st.one_of([st.tuples(st.just(path), values(schema)) for path, schema in bodies.items()])

    @seed(rng.randrange(2**32))
    @settings(
        max_examples=50,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(one, st.lists(st.tuples(st.sampled_from(["model", "n", "stream", "x"]), ODD)))
    def draw(found: tuple[str, Any], odd: list[tuple[str, Any]]) -> None:
        path, content = copy.deepcopy(found)
        content = content | ({"model": "scripted"} if rng.random() < 0.3 else {})
        drawn.append((path, content | dict(odd if rng.random() < 0.2 else [])))

    draw()
    return drawn


def _request(path: str, content: Any, rng: random.Random) -> bytes:
    path = path.replace(
        "{id}", rng.choice(["a", "plain", "%2e%2e", "%00", "a/b", "é".encode().hex()])
    )
    if rng.random() < 0.5:
        return raw(content, path=path)
    data = json.dumps(content, ensure_ascii=rng.random() < 0.5)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        put = rng.choice(["", "\ud800", "}", "{", "[" * 150, '"', "9" * 50, "NaN", "\0", "\\ud800"])
        data = data[:at] + put + data[at + rng.choice([0, 0, 1, 5]) :]
    sent = data.encode(errors="surrogatepass")
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    if rng.random() < 0.3:
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (sent[:7], sent[7:]) if c)
        whole = f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks + b"0\r\n\r\n"
    else:
        whole = f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent
    if rng.random() < 0.15:
        at = rng.randrange(len(whole))
        whole = whole[:at] + rng.choice(_PIECES).encode("latin-1") + whole[at:]
    return whole


def _exchange(server: Server, data: bytes, rng: random.Random) -> bytes:
    """Return the complete answer. Half of the clients close their side first, as `nc` does."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=MOST_SECONDS) as client:
        with suppress(OSError):
            if rng.random() < 0.2:
                at = rng.randrange(len(data))
                client.sendall(data[:at])
                time.sleep(rng.random() * 0.01)
                client.sendall(data[at:])
            else:
                client.sendall(data)
            if rng.random() < 0.5:
                client.shutdown(socket.SHUT_WR)
        return rest(client)
