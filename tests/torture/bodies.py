"""A server with malformed bodies of full size.

They include a hundred megabytes, plain and compressed; ten thousand tools; exponential schemas and
grammars; tool results of fifty megabytes; and ids of a megabyte in every field. Each body gets a
reply or an error message. The memory of the server and its children is measured while another
stream continues.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.sandbox.process import resident_bytes
from tests.engine.scripted import write_agent
from tests.torture import ROOT
from tests.torture.hostile_bodies import Hostile, hostile_bodies, sent, wrong

CONTEXT = 2**20
"""Context of the model in tokens, so that requests can have the maximum length."""
MOST_GROWTH = 2_500 * 2**20
"""Bytes that the server and its children may use at any time: a body in parsed form, and a child at
its limit.
"""
PATIENCE = 20.0
"""Seconds for a reply. A body that fits the context may take longer to read."""
MOST_LEFT = 600 * 2**20
MOST_GAP = 2.0
"""Longest gap of a stream in seconds, on an otherwise idle machine."""

NEIGHBOUR = """
import http.client, json, sys, threading, time
port = int(sys.argv[1])
asked = {"messages": [{"role": "user", "content": "[[long]]"}], "stream": True,
    "tools": [{"type": "function", "function": {"name": "run"}}], "max_tokens": 900000}
def read():
    last = 0.0
    while True:
        there = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        there.request("POST", "/v1/chat/completions", json.dumps(asked))
        answer = there.getresponse()
        while answer.readline():
            now = time.monotonic()
            if last and now - last > 0.05:
                print(f"{now} {now - last}", flush=True)
            last = now
threading.Thread(target=read, daemon=True).start()
sys.stdin.read()
"""


class Watch:
    """Measures memory and the other stream's gaps on threads.

    Attributes:
        most: peak memory of the server and its children since the last reset, in bytes.
        gaps: end and length of each gap in the stream.
    """

    def __init__(self, server: int, neighbour: subprocess.Popen[str]) -> None:
        self._server, self._neighbour = server, neighbour
        self.most = 0
        self.gaps: list[tuple[float, float]] = []
        for work in (self._look, self._listen):
            threading.Thread(target=work, daemon=True).start()

    def held(self) -> int:
        """Return the bytes that the server and its children use."""
        children: list[int] = []
        with suppress(OSError):
            for task in Path(f"/proc/{self._server}/task").iterdir():
                children += map(int, (task / "children").read_text().split())
        return sum(map(resident_bytes, [self._server, *children]))

    def longest(self, since: float) -> float:
        return max((gap for at, gap in self.gaps if at >= since), default=0.0)

    def _look(self) -> None:
        while True:
            self.most = max(self.most, self.held())
            time.sleep(0.02)

    def _listen(self) -> None:
        assert self._neighbour.stdout is not None
        for line in self._neighbour.stdout:
            at, gap = map(float, line.split())
            self.gaps.append((at, gap))


@contextmanager
def _serving(model: Path, home: Path) -> Iterator[tuple[int, int]]:
    options = ["--port", "0", "--quiet", "--for-a-program", "--cache-gb", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "serve", str(model), *options],
        cwd=ROOT,
        env={**os.environ, "HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        try:
            yield server.pid, json.loads(server.stdout.readline())["port"]
        finally:
            server.stdin.close()


@contextmanager
def _watched(pid: int, port: int) -> Iterator[Watch]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", NEIGHBOUR, str(port)]
    with subprocess.Popen(command, text=True, **pipes) as neighbour:
        assert neighbour.stdin is not None
        try:
            yield Watch(pid, neighbour)
        finally:
            neighbour.stdin.close()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture bodies", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100, help="of the largest bodies")
    parser.add_argument("--only", default="", help="those whose name contains this")
    chosen = parser.parse_args(arguments)
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        model = write_agent(Path(folder) / "agent", {"long": ["and so on …"]}, CONTEXT)
        with _serving(model, Path(folder)) as (pid, port), _watched(pid, port) as watch:
            time.sleep(3.0)  # the other stream has started
            before, began = watch.held(), time.monotonic()
            print(f"before: {before / 1e6:.0f} MB", flush=True)
            highest = 0
            for one in hostile_bodies(chosen.megabytes * 10**6, 10_000, 2**20):
                if chosen.only in one.name:
                    highest = max(highest, _tried(port, one, watch, before, faults))
            time.sleep(3.0)  # the server frees memory once a second
            after, gap = watch.held(), watch.longest(began)
            print(
                f"memory before, at most, after: {before / 1e6:.0f}, {highest / 1e6:.0f}, "
                f"{after / 1e6:.0f} MB; the stream's longest gap {gap:.2f} s"
            )
            if after - before > MOST_LEFT:
                faults.append(f"{(after - before) / 1e6:.0f} MB are left behind")
    print("\n".join(faults) or "all held")
    return len(faults)


def _tried(port: int, one: Hostile, watch: Watch, before: int, faults: list[str]) -> int:
    watch.most, began, name = 0, time.monotonic(), f"{one.path[:30]} {one.name}"
    answer = sent(port, one, PATIENCE)
    took = time.monotonic() - began
    most, gap = watch.most, watch.longest(began)
    print(
        f"{name:58} {answer.status}  {took:6.2f} s  +{(most - before) / 1e6:5.0f} MB  "
        f"gap {gap:.2f} s",
        flush=True,
    )
    if told := wrong(answer):
        faults.append(f"{name}: {told}")
    if most - before > MOST_GROWTH:
        faults.append(f"{name}: {(most - before) / 1e6:.0f} MB")
    if gap > MOST_GAP:
        faults.append(f"{name}: the stream stood still for {gap:.1f} s")
    return most
