"""A trial of 40 prompts, put to the Guide in three ways and to a random model, killed twice.

Its table must be that of a run that nobody has interrupted, byte for byte, and no answer that was
on the disk may be asked for again. Then a chat streams beside a table of the window, and beside
eight helpers: forks of a chat, as a tool asks them.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from app.chats.session import BACKGROUND
from engine import Engine, SamplingParams
from engine.bench.random_models import SHAPES, SPECIAL, write_model
from engine.bench.subject import gaps, timed

ROOT = Path(__file__).resolve().parents[1]
TOPICS = ("chats", "models", "memory", "panes", "shortcuts", "downloads", "seeds", "tools")
WAYS = ("What are {}?", "Where are {}?", "How do I use {}?", "Say one word about {}.", "Why {}?")
TRIAL = """
name = "The Guide, in three ways, and noise"
max_tokens = 16
prompts = {prompts}
checks = [{{ regex = "(?i)chat|model|pane" }}]

[[variants]]
name = "the Guide"
temperature = 0.0

[[variants]]
name = "hot"
temperature = 1.3
seed = 5

[[variants]]
name = "told to be brief"
system = "Answer in one word."

[[variants]]
name = "random weights"
model = {model}
"""


def lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines() if file.exists() else []


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture trial", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--gaps", action="store_true", help="measure the neighbour alone")
    options = parser.parse_args(arguments)
    prompts = [way.format(topic) for topic in TOPICS for way in WAYS]
    if options.gaps:
        with tempfile.TemporaryDirectory() as folder:
            return 0 if beside(Path(folder), prompts) else 1
    seed = options.seed
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        model = write_model(root / "random", SHAPES["tiny"])
        told = TRIAL.format(prompts=json.dumps(prompts), model=json.dumps(str(model)))
        (root / "trial.toml").write_text(told)
        command = [sys.executable, "-m", "engine", "trial", str(root / "trial.toml"), "--out"]
        answers, began = root / "broken" / "answers.jsonl", time.monotonic()
        kept: list[bytes] = []
        for least in sorted(dice.sample(range(1, 155), 2)):
            child = subprocess.Popen([*command, str(root / "broken")], cwd=ROOT)
            while len(lines(answers)) < least and child.poll() is None:
                time.sleep(0.002)
            child.send_signal(signal.SIGKILL)
            if child.wait() != -signal.SIGKILL:
                print(f"trial: it ended before {least} answers with {child.returncode}")
                return 1
            found = lines(answers)
            print(f"killed with {len(found)} of 160 answers on the disk", flush=True)
            if found[: len(kept)] != kept:
                print("trial: an answer that was on the disk is gone")
                return 1
            kept = found[:-1]  # the last one may be torn
        for name in ("broken", "whole"):
            if subprocess.run([*command, str(root / name)], cwd=ROOT, check=False).returncode:
                return 1
        same = [
            name
            for name in ("table.json", "table.csv", "table.html")
            if (root / "broken" / name).read_bytes() == (root / "whole" / name).read_bytes()
        ]
        keys = [json.loads(line)["key"] for line in lines(answers)]
        again = len(keys) - len(set(keys))
        print(
            f"trial: seed {seed}, {len(keys)} answers, {again} asked twice, the same as unbroken: "
            f"{', '.join(same) or 'none'}; {time.monotonic() - began:.0f} s"
        )
        held = beside(root, prompts)
        return 0 if len(same) == 3 and not again and len(keys) == 160 and held else 1


def beside(root: Path, prompts: list[str]) -> bool:
    """Whether a streaming chat's longest gap holds its bar beside a table's replies, and helpers'.

    The replies' share is taken away for a last measurement, which only says what it is good for.
    """
    model = write_model(root / "135m", SHAPES["135m"])
    goes_on = dict.fromkeys(range(len(SPECIAL)), -1e9)  # no turn ends by itself
    few = SamplingParams(max_tokens=12, logit_bias=goes_on)
    endless = SamplingParams(max_tokens=100_000, logit_bias=goes_on)
    with Engine() as engine:
        loaded = engine.load(model)
        stream = timed(engine.open_session(loaded), "Go on.", endless)
        found: dict[str, list[float]] = {}
        asking = engine.open_session(loaded)
        asking.send(" ".join(prompts), few).text(300)
        equal, opened = (0, "", 0.0), partial(engine.open_session, loaded)
        for name, count, way, session_of in (
            ("alone", 0, equal, opened),
            ("beside a table", 6, BACKGROUND, opened),
            ("beside helpers", 8, BACKGROUND, asking.fork),
            ("beside equals", 6, equal, opened),
        ):
            asked = prompts[:count]
            sessions = [session_of() for _ in asked]
            began, replies = time.perf_counter(), []
            for session, prompt in zip(sessions, asked, strict=True):
                session.prioritise(*way)
                replies.append(session.send(prompt, few))
            if not asked:
                time.sleep(5)
            for reply in replies:
                reply.text(300)
            times = [moment for moment in list(stream.moments) if moment > began]
            found[name] = gaps(times)
            for session in sessions:
                session.close()
        assert stream.reply is not None
        stream.reply.cancel()
    bar = 3 * statistics.median(found["alone"]) + 0.1
    for name, some in found.items():
        print(
            f"a streaming chat {name}: {len(some)} gaps, median "
            f"{1000 * statistics.median(some):.0f} ms, longest {1000 * max(some):.0f} ms"
        )
    print(f"the bar is {1000 * bar:.0f} ms")
    return max(found["beside a table"] + found["beside helpers"]) <= bar
