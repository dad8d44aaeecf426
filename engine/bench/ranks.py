"""What the decision record costs: steps of a spread model with it and without it, in one run.

The ranks of the bench are processes of their own, without an engine: the follower knows what comes
and hears the record all the same, or does not. `python -m engine bench MODEL --parts ranks`.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from engine.errors import EngineError

PROMPT = 64  # tokens that each chat has before its first step

_LIMIT = 900.0  # seconds for all ranks


class Cost(Struct, frozen=True):
    """One line of the table."""

    ranks: int
    chats: int
    # with_record, without: seconds of a step, the median over the rounds
    with_record: float
    without: float

    @property
    def ratio(self) -> float:
        """How many times as long a step with its record takes."""
        return self.with_record / self.without


def run(
    model: str,
    ranks: int,
    chats: Sequence[int],
    steps: int,
    rounds: int,
    say: Callable[[str], None],
) -> list[Cost]:
    """Measure each number of chats, and print a line for it.

    Args:
        model: a folder, or `random:` and a shape.

    Raises:
        RuntimeError: the model cannot be spread over so many ranks, or one has failed.
    """
    from engine.model import backend

    backend.start()  # before anything imports MLX

    check(model, ranks)
    with tempfile.TemporaryDirectory() as scratch:
        path = folder(model, Path(scratch))
        hosts = Path(scratch) / "hosts.json"
        hosts.write_text(json.dumps(_ends(ranks)))
        asked = {"folder": str(path), "chats": list(chats), "steps": steps, "rounds": rounds}
        with _children(ranks, hosts, json.dumps(asked)) as first:
            told, _ = first.communicate(timeout=_LIMIT)
        if first.returncode:
            raise RuntimeError(f"a rank of the bench has ended with {first.returncode}")
    found = [Cost(ranks, *row) for row in json.loads(told.splitlines()[-1])]
    say("| ranks | chats | a step with its record | without | ratio |")
    say("|---|---|---|---|---|")
    for cost in found:
        ms = f"{cost.with_record * 1e3:.2f} ms | {cost.without * 1e3:.2f} ms"
        say(f"| {cost.ranks} | {cost.chats} | {ms} | {cost.ratio:.3f} |")
    return found


def _ends(count: int) -> list[list[str]]:
    """An `MLX_HOSTFILE` of so many ranks on this machine, at ports where nobody listens."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [[f"127.0.0.1:{each.getsockname()[1]}"] for each in sockets]


def as_figures(costs: Sequence[Cost]) -> list[dict[str, Any]]:
    """For the JSON of the bench."""
    return [{**to_builtins(cost), "ratio": cost.ratio} for cost in costs]


def check(model: str, ranks: int) -> None:
    """Refuse a model that cannot be spread over so many ranks.

    Raises:
        RuntimeError: says why.
    """
    from engine.cluster import sharding

    try:
        sharding.check(Path(model).name, _config(model), ranks)
    except EngineError as error:
        raise RuntimeError(error.message) from None


def _config(model: str) -> dict[str, Any]:
    from engine.bench.random_models import SHAPES

    if model.startswith("random:"):
        return SHAPES[model.removeprefix("random:")]
    read: dict[str, Any] = json.loads((Path(model) / "config.json").read_text())
    return read


def folder(model: str, scratch: Path) -> Path:
    """The folder of a model; one of random weights is written below `scratch`."""
    if not model.startswith("random:"):
        return Path(model)
    from engine.bench.random_models import SHAPES, write_model

    return write_model(scratch / "model", SHAPES[model.removeprefix("random:")])


@contextmanager
def _children(ranks: int, hosts: Path, asked: str) -> Iterator[subprocess.Popen[str]]:
    started: list[subprocess.Popen[str]] = []
    try:
        for number in range(ranks):
            started.append(
                subprocess.Popen(
                    [sys.executable, "-m", "engine.bench.ranks", asked],
                    stdout=subprocess.PIPE if number == 0 else subprocess.DEVNULL,
                    text=True,
                    env={**os.environ, "MLX_RANK": str(number), "MLX_HOSTFILE": str(hosts)},
                )
            )
        yield started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()


def _rank(asked: dict[str, Any]) -> None:
    """Be a rank of the bench."""
    from engine.model import backend

    about = backend.start()
    from engine.cluster import sharding
    from engine.cluster.group import Group
    from engine.model import loader

    group = Group()
    folder = Path(asked["folder"])
    net, _ = sharding.part(folder, folder.name, group.mlx, about.prefers_float32)
    for _ in loader.read_weights(net):
        pass
    model, _ = sharding.try_out(net, 256, group.size, lambda: None)
    rows = []
    for chats in asked["chats"]:
        steps = _Steps(group, model, chats)
        steps.run(4, True)
        each: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(asked["rounds"]):
            for record in (True, False):
                each[record].append(steps.run(asked["steps"], record))
        rows.append((chats, statistics.median(each[True]), statistics.median(each[False])))
    if group.rank == 0:
        print(json.dumps(rows), flush=True)
    os._exit(0)


class _Steps:
    """So many chats of one model, stepped together."""

    def __init__(self, group: Any, model: Any, chats: int) -> None:
        from engine.cache.session_kv import SessionKV
        from engine.model import runner

        self._group, self._model = group, model
        self._kvs = [SessionKV(model.new_caches) for _ in range(chats)]
        prompt = list(range(PROMPT))
        for kv in self._kvs:
            kv.begin([*prompt, 1])
            runner.prefill(model, kv, prompt)
        self._turn = 0

    def run(self, steps: int, record: bool) -> float:
        """Seconds of a step."""
        import mlx.core as mx

        from engine.cluster.group import Order, Record, integers
        from engine.model import runner

        group, rows = self._group, range(1, len(self._kvs) + 1)
        feeds = [mx.array([[7]])] * len(self._kvs)
        mx.synchronize()
        began = time.perf_counter()
        for _ in range(steps):
            self._turn += 1
            if record and group.rank == 0:
                group.send(Record(self._turn, (Order("pass", (1, True, *rows)),)))
            elif record:
                group.receive()
            fed = (lambda count: group.feed(feeds, 0)) if group.rank == 0 else group.fed
            _, told = runner.follow(self._model, self._kvs, True, fed)
            for kv, token in zip(self._kvs, integers(told), strict=False):
                kv.note_fed(token)
        mx.synchronize()
        return (time.perf_counter() - began) / steps


if __name__ == "__main__":
    _rank(json.loads(sys.argv[1]))
