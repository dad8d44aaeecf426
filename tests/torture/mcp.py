"""Hostile tool servers next to an honest server.

Each attack of `tests.app.tools.hostile_server` is called over stdio and HTTP, while an honest
server handles calls and a thread measures delays. Only the hostile server's calls may be delayed.
Then names are fetched whose address changes between lookups, in random order: connections may only
be made to addresses that were checked.
"""

from __future__ import annotations

import random
import socket
import sys
import threading
import time
from pathlib import Path

from app.tools import connection
from app.tools.fetch import fetch, is_public
from app.tools.host import ToolHost
from app.tools.servers import ServerConfig
from app.tools.tool import ToolError
from tests.app.tools import hostile_server
from tests.app.tools.test_hostile_server import ENDS, HTTP, config

LONGEST_GAP = 1.5
"""Seconds; parsing a hostile message once took minutes or never ended. On a busy machine, a thread
sometimes waits a second for its turn.
"""
ROUNDS = 300


class Clock:
    """Thread that measures the delays a window would have.

    Attributes:
        gap: longest delay since the last query.
    """

    def __init__(self) -> None:
        self._gap = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        last = time.monotonic()
        while not self._over.wait(0.005):
            now = time.monotonic()
            self._gap, last = max(self._gap, now - last), now

    def gap(self) -> float:
        found, self._gap = self._gap, 0.0
        return found

    def end(self) -> None:
        self._over.set()
        self._thread.join()


def _attacked(host: ToolHost, honest: ServerConfig, hostile: ServerConfig) -> tuple[str, int]:
    """Return the result of a call to the hostile server, and the number of successful honest
    calls.
    """
    host.set_servers([honest, hostile])
    add = next(t for t in host.tools("honest").result(60) if t.name == "echo")
    told = host.tools("hostile")
    good, words = 0, ""
    call = None
    while True:
        good += host.call(add, {"text": "there"}, "other").result(60).text == "there"
        if call is None and told.done():
            try:
                echo = next(t for t in told.result() if t.name == "echo")
            except ToolError as error:
                words = f"ToolError: {error}"
                break
            call = host.call(echo, {"text": "x"}, "chat")
        if call is not None and call.done():
            try:
                words = call.result().text
            except ToolError as error:
                words = f"ToolError: {error}"
            break
    return words, good


def servers(folder: Path) -> list[str]:
    connection.CONNECT_S = 4.0
    program = str(Path(hostile_server.__file__).with_name("raw_server.py"))
    honest = ServerConfig("honest", sys.executable, (program, str(folder)))
    host, clock, faults = ToolHost(), Clock(), list[str]()
    for attack, way in [*((a, "pipe") for a in ENDS), *((a, "HTTP") for a in HTTP)]:
        if (attack, way) == ("endless", "HTTP"):
            continue  # ends at the limit of 64 MB, which the test suite lowers
        seconds = 2.0 if attack in ("silent", "closes") else 30.0
        expected = ENDS[attack] if way == "pipe" else HTTP[attack]
        clock.gap()
        if way == "pipe":
            words, good = _attacked(host, honest, config(attack, seconds))
        else:
            with hostile_server.over_http(attack) as url:
                hostile = ServerConfig("hostile", url=url, timeout=seconds)
                words, good = _attacked(host, honest, hostile)
                host.set_servers([honest])
        gap = clock.gap()
        print(
            f"{way:4} {attack:16} {good:5} good calls beside it, longest gap {gap:.2f} s",
            flush=True,
        )
        if expected not in words:
            faults.append(f"{way} {attack}: {words[:200]}")
        if gap > LONGEST_GAP:
            faults.append(f"{way} {attack}: all stood still for {gap:.1f} s")
        if not good:
            faults.append(f"{way} {attack}: no honest call ended")
    clock.end()
    host.shut_down()
    return faults


def names(chance: random.Random) -> list[str]:
    """Fetch names whose addresses change at random, and return the failures."""
    faults: list[str] = []
    own = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "fec0::1", "::127.0.0.1"]
    public = ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"]
    looked, reached = list[list[str]](), list[str]()
    real_names, real_connect = socket.getaddrinfo, socket.socket.connect

    def getaddrinfo(host: object, at: object, *args: object, **named: object) -> object:
        if not str(host).endswith(".example"):
            return real_names(host, at, *args, **named)  # type: ignore[call-overload]
        found = chance.choices(public * 3 + own, k=chance.randint(1, 3))
        looked.append(found)
        family = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(family[":" in a], socket.SOCK_STREAM, 6, "", (a, at)) for a in found]

    def connect(self: socket.socket, place: tuple[str, int]) -> None:
        reached.append(place[0])
        raise ConnectionRefusedError("as if nobody answered")

    socket.getaddrinfo = getaddrinfo  # type: ignore[assignment]
    socket.socket.connect = connect  # type: ignore[method-assign,assignment]
    try:
        for number in range(ROUNDS):
            looked.clear()
            reached.clear()
            try:
                fetch(f"http://n{number}.example:8080/")
                faults.append("nobody was there, and it was fetched")
            except ToolError:
                pass
            if len(looked) != 1:
                faults.append(f"the name was looked up {len(looked)} times")
            if reached and not all(map(is_public, [*looked[0], *reached])):
                faults.append(f"{looked} led to {reached}")
    finally:
        socket.getaddrinfo = real_names
        socket.socket.connect = real_connect  # type: ignore[method-assign]
    print(f"{ROUNDS} names that change: {len(faults)} led elsewhere")
    return faults


def main(arguments: list[str]) -> int:
    import tempfile

    seed = int(arguments[0]) if arguments else random.randrange(10**6)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        faults = [*names(random.Random(seed)), *servers(Path(folder))]
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0
