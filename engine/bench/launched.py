"""`mlx_lm.server` on a model that `mlx.launch` has spread, beside Stretto's ranks: the same chats.

One chat gives the rates. Two show what becomes of each: `mlx_lm.server` may end then (its issue
1737). In the first round they ask at once, in the next ones the second comes later.
`python -m engine bench MODEL --parts launched --ranks 2`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from engine.bench import ranks as spread
from engine.bench.server import Server
from engine.bench.traffic import Arrival, Contender, Trace, wait_until
from engine.engine import Engine
from engine.errors import EngineError
from engine.params import SamplingParams

PATIENCE = 60.0  # seconds for the answers of a server that may have ended

LATER = 0.3  # seconds by which the second chat comes later in each round

LAUNCH = "from mlx._distributed_utils.launch import main; main()"
"""What the command `mlx.launch` runs; its script need not be on the path."""


class Found(Struct, frozen=True):
    """One line of the table."""

    who: str
    chats: int
    # read, decoded: tokens of a second: of the prompts until all first tokens have come, and of one
    # chat after its first; medians. 0 where there was no answer.
    read: float = 0.0
    decoded: float = 0.0
    wrong: str = ""  # what happened instead


class Launched(Server):
    """The server of a model on several ranks, as `mlx.launch` starts it.

    Raises:
        RuntimeError: as of any server.
    """

    def __init__(self, model_path: str, ranks: int) -> None:
        super().__init__(model_path, patience=PATIENCE)
        self._ranks = ranks

    def start(
        self, command: Sequence[str], env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        threads = max(1, (os.cpu_count() or 1) // self._ranks)  # as Stretto's ranks
        options = ("-n", str(self._ranks), "--backend", "ring")
        return super().start(
            [sys.executable, "-c", LAUNCH, *options, "--", *command],
            {"OPENBLAS_NUM_THREADS": str(threads), **(env or {})},
        )

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # the launcher leaves its ranks behind
            os.killpg(self._child.pid, signal.SIGKILL)
        super().__exit__()


def run(
    model: str,
    ranks: int,
    words: int,
    tokens: int,
    rounds: int,
    say: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Measure one chat and two, of Stretto and then of the server; print a line for each.

    Args:
        model: a folder, or `random:` and a shape.
        words: of each prompt.

    Raises:
        RuntimeError: the model cannot be spread over so many ranks, or nobody has answered.
    """
    from engine.model import backend

    backend.start()  # before anything imports MLX
    spread.check(model, ranks)
    say("| who | chats at once | prompt, tokens/s | answer of each, tokens/s | |")
    say("|---|---|---|---|---|")
    found: list[Found] = []

    def tell(one: Found) -> None:
        found.append(one)
        say(f"| {one.who} | {one.chats} | {one.read:.0f} | {one.decoded:.1f} | {one.wrong} |")

    with tempfile.TemporaryDirectory() as scratch:
        folder = spread.folder(model, Path(scratch))
        with Engine(ranks=ranks) as engine:
            length, answer = _stretto(engine, folder, words)
            prompt = words, length
            for chats in (1, 2):
                tell(_measured(f"Stretto, {ranks} ranks", chats, prompt, rounds, answer, tokens))
        name = f"mlx_lm.server, {ranks} ranks"
        with Launched(str(folder), ranks) as server:
            for chats in (1, 2):
                tell(_measured(name, chats, prompt, rounds, server, tokens))
    return [to_builtins(each) for each in found]


def _text(words: int, number: int) -> str:
    """A prompt that nobody has asked before."""
    return " ".join(f"word{(number * 7919 + at * 31) % 997}" for at in range(words))


def _stretto(engine: Engine, folder: Path, words: int) -> tuple[int, Contender]:
    """How many tokens such a prompt has, and what answers several at once."""
    model = engine.load(folder)

    def ask(arrival: Arrival, began: float, tokens: int) -> Trace:
        session = engine.open_session(model)
        wait_until(began + arrival.after)
        sent = time.perf_counter()
        reply = session.send(arrival.prompt, SamplingParams(max_tokens=tokens, temperature=0.0))
        reply.text(timeout=PATIENCE)
        session.close()
        stats = reply.stats
        first = sent + stats.ttft_s
        return Trace(sent, [first, first + stats.decode_s], stats.generated_tokens)

    def answer(arrivals: Sequence[Arrival], tokens: int) -> list[Trace]:
        began = time.perf_counter()
        with ThreadPoolExecutor(len(arrivals)) as threads:
            return list(threads.map(lambda arrival: ask(arrival, began, tokens), arrivals))

    first = engine.open_session(model).send(_text(words, 0), SamplingParams(max_tokens=2))
    first.text()
    return first.stats.prompt_tokens, answer


def _measured(
    who: str, chats: int, prompt: tuple[int, int], rounds: int, answer: Contender, tokens: int
) -> Found:
    """Ask so many at once, in several rounds; what goes wrong is told."""
    words, length = prompt
    read, decoded = [], []
    try:
        for number in range(rounds):
            asked = [
                Arrival(LATER * number * n, _text(words, 1 + number * chats + n))
                for n in range(chats)
            ]
            traces = answer(asked, tokens)
            waited = max(trace.moments[0] - trace.sent for trace in traces)
            read.append(chats * length / waited)
            decoded += [
                (trace.tokens - 1) / (trace.moments[-1] - trace.moments[0])
                for trace in traces
                if trace.tokens > 1
            ]
    except (EngineError, RuntimeError, OSError, HTTPException, TimeoutError) as error:
        return Found(who, chats, wrong=f"no answer: {error or type(error).__name__}")
    return Found(who, chats, statistics.median(read), statistics.median(decoded))
