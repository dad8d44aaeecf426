"""Vision models compared with mlx-vlm's `generate`, and random schedules compared with chats alone.

Each family has a tiny model with random weights. mlx-vlm runs in a separate environment
(`tests/environments`). In a schedule, chats get questions about images of several sizes, fork,
cancel and lose caches. Every reply must match that of a chat alone, canceled replies up to their
end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from engine.bench.seeing import FAMILIES, write_seeing
from engine.engine import Engine, Session
from engine.messages import Image, Message
from engine.model.info import Model
from engine.params import SamplingParams
from engine.reply import Reply
from tests import environments
from tests.engine.model.seeing import image, shown

PATIENCE = 120
TOKENS = 24
SIZES = ((64, 32), (24, 48), (56, 56), (40, 16))
TEXTS = ("What is it?", "And in this one, which is longer than the other?", "No.")
PARAMS = SamplingParams(max_tokens=TOKENS, temperature=0.0)


def its_own(folder: Path, file: Path, text: str) -> list[int]:
    """Return the tokens that mlx-vlm's `generate` outputs for an image."""
    script = environments.HERE / "clients" / "vlm_generate.py"
    command = [environments.python_of("vlm"), script, folder, file, text, TOKENS]
    made = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    tokens: list[int] = json.loads(made.stdout.splitlines()[-1])
    return tokens


def against_its_own(engine: Engine, model: Model, folder: Path, scratch: Path) -> int:
    """Return the number of answers that differ from mlx-vlm's."""
    wrong = 0
    for number, size in enumerate(SIZES[:2]):
        file = scratch / f"{number}.png"
        seen = image(*size, number)
        file.write_bytes(seen.data)
        wanted = its_own(folder, file, TEXTS[0])
        said = engine.open_session(model).send(shown(TEXTS[0], seen), PARAMS).tokens(PATIENCE)
        if said != wanted[: len(said)]:
            print(f"{model.name}, {size}: {said} is not {wanted}")
            wrong += 1
    return wrong


def asked(rng: random.Random, images: list[Image]) -> list[Message]:
    first = shown(rng.choice(TEXTS), *rng.sample(images, rng.choice((0, 1, 1, 2))))
    if rng.random() < 0.5:
        return first
    more = shown(rng.choice(TEXTS), *rng.sample(images, rng.choice((0, 0, 1))))
    return [*first, {"role": "assistant", "content": "word"}, *more]


def schedule(engine: Engine, model: Model, seed: int) -> tuple[int, int]:
    """Return the number of answers, and of answers that differ from a chat alone."""
    rng = random.Random(seed)
    images = [image(*size, seed * 10 + n) for n, size in enumerate(SIZES)]
    questions = [asked(rng, images) for _ in range(6)]
    alone = []
    for one in questions:
        fresh = engine.open_session(model)
        alone.append(fresh.send(one, PARAMS).tokens(PATIENCE))
        fresh.close()
    engine.relieve_later().result(PATIENCE)
    chats = [engine.open_session(model, reproducible=n == 0) for n in range(4)]
    live: dict[Session, tuple[Reply, int]] = {}
    answers = wrong = 0

    def end(chat: Session, cancelled: bool = False) -> None:
        nonlocal answers, wrong
        reply, number = live.pop(chat)
        if cancelled:
            reply.cancel()
        said = reply.tokens(PATIENCE)
        answers += 1
        wanted = alone[number][: len(said)] if cancelled else alone[number]
        if said != wanted:
            print(f"{model.name}, schedule {seed}: {said} is not {wanted}")
            wrong += 1

    for _ in range(30):
        act, place = rng.random(), rng.randrange(len(chats))
        chat = chats[place]
        if act < 0.1:
            engine.relieve_later().result(PATIENCE)
        elif chat in live:
            end(chat, cancelled=act < 0.25)
            if act > 0.7:
                chats[place] = chat.fork()
                chat.close()
        else:
            number = rng.randrange(len(questions))
            live[chat] = chat.send(questions[number], PARAMS), number
    for chat in list(live):
        end(chat)
    for chat in chats:
        chat.close()
    return answers, wrong


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture sees", description=__doc__)
    parser.add_argument("families", nargs="*", help="which ones (all)")
    parser.add_argument("--schedules", type=int, default=16, help="of each family")
    parser.add_argument("--without-its-own", action="store_true", help="only schedules")
    options: Any = parser.parse_args(arguments)
    faults = 0
    for name in options.families or FAMILIES:
        with tempfile.TemporaryDirectory() as held, Engine() as engine:
            scratch = Path(held)
            folder = write_seeing(scratch / name, name)
            model = engine.load(folder)
            wrong = 0
            if not options.without_its_own:
                wrong = against_its_own(engine, model, folder, scratch)
            played = [schedule(engine, model, seed) for seed in range(options.schedules)]
            answers, off = sum(a for a, _ in played), sum(w for _, w in played)
            faults += wrong + off
            print(
                f"{name}: {wrong} answers unlike mlx-vlm's; {len(played)} schedules, {answers} "
                f"answers, {off} unlike those of a chat alone",
                flush=True,
            )
    return 1 if faults else 0
