"""A trial of 40 prompts, put to the Guide in three ways and to a random model, killed twice.

Its table must be that of a run that nobody has interrupted, byte for byte, and no answer that was
on the disk may be asked for again.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine.bench.random_models import SHAPES, write_model

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
    seed = parser.parse_args(arguments).seed
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        model = write_model(root / "random", SHAPES["tiny"])
        prompts = [way.format(topic) for topic in TOPICS for way in WAYS]
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
        return 0 if len(same) == 3 and not again and len(keys) == 160 else 1
