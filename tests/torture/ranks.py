"""Engines of several ranks: random schedules compared with one rank, and failing or slow ranks.

`tokens` plays random schedules (`engine.bench.schedules`) on ranks and repeats each chat on
a single-rank engine. In every second schedule a few chats continue until their contexts slide. In
each step the followers check that they hold as many tokens as rank 0. `faults` kills, stops or
slows a rank at a random moment. Every reply must end exactly once within five seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.bench.alone import END, Chat, Prompt, compare
from engine.bench.limits import tight_budget
from engine.bench.random_models import write_model
from engine.bench.schedules import Schedule
from engine.bench.small_configs import small_config
from engine.cluster import processes
from engine.engine import Engine
from engine.errors import EngineError
from engine.messages import Failed, Finished
from engine.params import SamplingParams

FAMILIES = (
    *("llama", "qwen2", "qwen3", "qwen3_moe"),
    *("deepseek_v2", "deepseek_v3", "gpt_oss", "glm4_moe"),
)
THREE = {
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "hidden_size": 96,
    "intermediate_size": 96,
    "moe_intermediate_size": 96,
}
"""Sizes that divide by three ranks."""

SHORT = {"max_position_embeddings": 320, "head_dim": 32}
"""A short context that conversations exceed, and heads whose keys can be quantized."""

PATIENCE = 60.0
"""Timeout for silent ranks while comparing tokens. MLX's ring keeps a core busy in each waiting
rank, so with fewer cores than ranks, a rank may not run for a long time.
"""

WITHIN = 5.0
"""Seconds after a fault within which every reply must have ended."""


class SpreadSchedule(Schedule):
    """Schedule like on one rank, with constrained replies among the others.

    Args:
        talks: use a few long chats that exceed their context, instead of many short chats.
    """

    _continues = False

    def __init__(
        self, engine: Engine, folder: Path, seed: int, tight: bool = False, talks: bool = False
    ) -> None:
        super().__init__(engine, folder, seed, 3 if talks else 16, tight)
        self._talks = talks
        if talks:
            self._overflow = ("slide",)

    def _step(self) -> None:
        """Perform an action. Talking chats send messages and wait for most replies to end."""
        if not self._talks or len(self._chats) < self._limit or self._random.random() < 0.15:
            return super()._step()
        chat = self._random.choice(self._chats)
        if chat.reply is None:
            return self._send(chat)
        return self._settle(chat)

    def _ask(self, chat: Chat, prompt: Prompt) -> None:
        self._continues = not isinstance(prompt, str) and prompt[-1]["role"] == "assistant"
        super()._ask(chat, prompt)
        self._continues = False

    def _params(self) -> SamplingParams:
        params = replace(super()._params(), temperature=0.0, repetition_penalty=1.0)
        if self._continues or params.logit_bias or self._random.random() < 0.7:
            return params
        return replace(params, grammar='start: /[a-z ]{3,60}/ "."')


def tokens(options: argparse.Namespace) -> int:
    """Play random schedules of each family on each number of ranks, and return the number of
    faults.

    Every second engine has little memory, so that chats are evicted. Each engine plays both kinds
    of schedule, even if only a few turns are requested.
    """
    processes.SILENCE_S = PATIENCE
    faults = turns = 0
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch, Engine() as judge:
        judge.stats()  # chooses the BLAS before anything imports MLX
        for number, family in enumerate(options.families):
            for count in options.ranks:
                config = {**small_config(family), **SHORT, **(THREE if count == 3 else {})}
                folder = write_model(Path(scratch) / f"{family}-{count}", config, scale=3.0)
                for tight in [memory == "tight" for memory in options.memory]:
                    budget = _little(folder, count) if tight else None
                    played = 0
                    with Engine(budget, ranks=count) as spread:
                        for talks in itertools.cycle((False, True)):
                            if not talks and played >= options.steps / len(options.memory):
                                break
                            seed = options.seed + number + played
                            schedule = SpreadSchedule(spread, folder, seed, tight, talks)
                            schedule.run(options.actions)
                            total.update(schedule.actions)
                            found = compare(judge, folder, schedule.done, None)
                            played = spread.stats()["ranks"][0]["turn"]
                            faults += len(found.faults)
                            total.update(slid=found.slid, rebuilt=found.rebuilt)
                            print(
                                f"{count} ranks {family:<12} {'tight' if tight else 'wide':<5} "
                                f"{found.replies:>3} replies {found.tokens:>5} tokens "
                                f"{found.ties:>2} ties {found.rebuilt:>2} rebuilt {found.slid:>2} "
                                f"slid {len(found.faults):>2} faults, {played} turns",
                                flush=True,
                            )
                            for fault in found.faults:
                                print(f"    {fault}", flush=True)
                    turns += played
    print(f"{turns} turns, {faults} faults; {dict(total)}")
    return faults


def _little(folder: Path, count: int) -> int:
    with Engine(ranks=count) as spread:
        return tight_budget(spread, folder, 2, 200, count)


def faults(options: argparse.Namespace) -> int:
    choose, wrong = random.Random(options.seed), 0
    longest: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        config = {**small_config("llama"), "max_position_embeddings": 65536}
        folder = write_model(Path(scratch) / "llama", config, scale=3.0)
        for count in options.ranks:
            if count == 3:
                folder = write_model(Path(scratch) / "three", {**config, **THREE}, scale=3.0)
            with Engine(ranks=count) as engine:
                for number in range(options.rounds):
                    kind = choose.choice(("kill", "stop", "slow"))
                    said = _round(engine, folder, choose, kind, longest)
                    wrong += said is not None
                    if said is not None or number % 10 == 9:
                        print(
                            f"{count} ranks, round {number}, {kind}: {said or 'well'}", flush=True
                        )
    print(f"longest seconds until all had ended: {dict(longest)}; {wrong} rounds failed")
    return wrong


def _round(
    engine: Engine, folder: Path, choose: random.Random, kind: str, longest: Counter[str]
) -> str | None:
    model = engine.load(folder)
    ranks = engine.stats()["ranks"]
    pid = choose.choice(ranks)["pid"]
    ends: list[list[tuple[str, float]]] = [[] for _ in range(choose.randint(1, 4))]
    replies = []
    for number, mine in enumerate(ends):

        def note(event: Any, mine: list[tuple[str, float]] = mine) -> None:
            if isinstance(event, (Failed, Finished)):
                code = event.code if isinstance(event, Failed) else str(event.reason)
                mine.append((code, time.monotonic()))

        goes_on = {END: -1e9}  # until stopped, because replies mustn't end before the fault
        params = SamplingParams(60000, temperature=1.0, seed=number, logit_bias=goes_on)
        replies.append(
            engine.open_session(model).send("la " * choose.randint(1, 400), params, note)
        )
    time.sleep(choose.random() * 3)
    began = time.monotonic()
    with _harm(pid, kind):
        if kind == "slow":  # a slow rank isn't a fault, so replies continue until they are stopped
            time.sleep(2)
            began = time.monotonic()
            for reply in replies:
                reply.cancel()
        for reply in replies:
            with contextlib.suppress(EngineError, TimeoutError):
                reply.tokens(timeout=4 * WITHIN)
    if any(len(each) != 1 for each in ends):
        return f"replies ended {[len(each) for each in ends]} times"
    took = max(at for each in ends for _, at in each) - began
    longest[kind] = max(longest[kind], round(took, 1))  # type: ignore[call-overload]
    codes = {code for each in ends for code, _ in each}
    if codes - {"engine_stopped", "stop", "length", "cancelled"}:
        return f"replies ended with {sorted(codes)}"
    if took > WITHIN:
        return f"it took {took:.1f} s until all had ended"
    if kind == "slow":
        return None
    engine.stats()  # starts new ranks once the old ranks have ended
    left = [r["pid"] for r in ranks if Path(f"/proc/{r['pid']}").exists()]
    return f"processes are left: {left}" if left else None


@contextlib.contextmanager
def _harm(pid: int, kind: str) -> Iterator[None]:
    """Kill or stop a process, or let it run a tenth of the time in this block."""
    over = threading.Event()

    def drag() -> None:
        with contextlib.suppress(ProcessLookupError):
            while not over.wait(0.01):
                os.kill(pid, signal.SIGSTOP)
                over.wait(0.09)
                os.kill(pid, signal.SIGCONT)

    if kind == "slow":
        thread = threading.Thread(target=drag)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        return
    os.kill(pid, signal.SIGKILL if kind == "kill" else signal.SIGSTOP)
    yield


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture ranks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=("tokens", "faults", []), default=[])
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3], help="how many (2 and 3)")
    parser.add_argument("--families", nargs="+", default=FAMILIES, help="of models")
    parser.add_argument("--steps", type=int, default=10_000, help="turns of each (10000)")
    memory = ("wide", "tight")
    parser.add_argument("--memory", nargs="+", choices=memory, default=memory, help="both")
    parser.add_argument("--actions", type=int, default=120, help="of a schedule (120)")
    parser.add_argument("--rounds", type=int, default=100, help="of faults (100)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    parts = options.parts or ["tokens", "faults"]
    wrong = sum({"tokens": tokens, "faults": faults}[part](options) for part in parts)
    return 1 if wrong else 0
