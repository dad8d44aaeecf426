"""Cost of idle chats per scheduler turn: `python -m tests.engine.idle_turns [CHATS] [TOKENS]`.

Two chats use a small random model, with the second still reading its prompt, next to CHATS idle
chats with TOKENS distinct tokens each. The output is the time in milliseconds to view and plan a
turn, with and without the idle chats.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import mlx.core as mx
from mlx_lm.models.cache import KVCache

from engine import Engine, SamplingParams
from engine.bench.random_models import write_model
from engine.runtime import loop
from engine.runtime.plan import View
from engine.runtime.scheduler import Scheduler
from engine.runtime.state import State
from engine.runtime.view import view
from tests.engine.families import FAMILIES


def fill(state: State, tokens: int) -> None:
    """Give each idle session tokens of its own, as if it had read them."""
    chance = random.Random(7)
    for session in state.sessions.values():
        if session.id.startswith("idle") and not session.kv.tokens:
            made = KVCache()
            keys = mx.zeros((1, 1, tokens, 1), mx.float16)
            made.update_and_fetch(keys, keys)
            session.kv.take([made], [chance.randrange(250) for _ in range(tokens)], ())


def turns(folder: Path, chats: int, tokens: int) -> float:
    """Return the median time for viewing and planning a turn, in milliseconds."""
    spent: list[float] = []
    plan = Scheduler.plan

    def timed_view(state: State, *more: object) -> View:
        if len(state.sessions) > chats:
            fill(state, tokens)
        began = time.perf_counter()
        seen = view(state, *more)  # type: ignore[arg-type]
        spent.append(time.perf_counter() - began)
        return seen

    def timed_plan(self: Scheduler, seen: View) -> object:
        began = time.perf_counter()
        made = plan(self, seen)
        spent[-1] += time.perf_counter() - began
        return made

    loop.view, Scheduler.plan = timed_view, timed_plan  # type: ignore[assignment, attr-defined]
    try:
        with Engine() as engine:
            model = engine.load(folder)
            idle = [engine.open_session(model, f"idle {n}") for n in range(chats)]
            chat, other = engine.open_session(model), engine.open_session(model)
            chat.send("go", SamplingParams(max_tokens=4)).tokens(600)  # visits every chat once
            del spent[:]
            answer = chat.send("on", SamplingParams(max_tokens=300, logit_bias={2: -1e9}))
            other.send("a longer question " * 40, SamplingParams(max_tokens=200)).tokens(600)
            answer.tokens(600)
            assert len(idle) == chats
    finally:
        loop.view, Scheduler.plan = view, plan  # type: ignore[attr-defined]
    return statistics.median(spent) * 1000


def main() -> None:
    chats, tokens = (int(n) for n in (*sys.argv[1:], 1000, 8000)[:2])
    with tempfile.TemporaryDirectory() as made:
        folder = write_model(Path(made) / "model", FAMILIES["plain"])
        without, among = turns(folder, 0, tokens), turns(folder, chats, tokens)
    print(f"a turn is seen and planned in {without:.3f} ms, among {chats:,} idle chats of", end=" ")
    print(f"{tokens:,} tokens in {among:.3f} ms ({among / without:.2f} times)")


if __name__ == "__main__":
    main()
