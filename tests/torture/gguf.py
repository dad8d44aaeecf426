"""Damaged GGUF files, loaded in sequence while chats stream.

Each file loads or is refused with a message. No child crashes or takes too long, the chats' replies
are the same as alone, and refused files leave nothing behind.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import struct
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from engine import Engine, EngineError, Model, SamplingParams
from engine.bench.random_models import write_model
from engine.hub.gguf import kept
from tests.engine.families import FAMILIES
from tests.engine.gguf_files import CONFIGS, F32, Q8_0, Written, small
from tests.torture.damage import bent

CHATS = 3
LENGTH = 200
LATEST = 60.0  # seconds for one file on a busy machine
_FAULT = re.compile(r"\b[A-Z]\w*(Error|Exception)\b|crash|took longer|needed more|no answer")
_HUGE = (0, 1, 2**16, 2**31, 2**32 - 1, 2**60, 2**63, 2**64 - 1)

Damage = Callable[[random.Random, bytearray, int], None]
"""Function that damages a file's bytes. Its last argument is the start of the tensor data."""


def changed(rng: random.Random, data: bytearray, begin: int) -> None:
    """Remove, repeat or change a part of the header."""
    data[:begin] = bent(bytes(data[:begin]), rng)


def forged(rng: random.Random, data: bytearray, begin: int) -> None:
    for _ in range(rng.choice([1, 2, 4])):
        struct.pack_into("<Q", data, rng.randrange(begin - 8), rng.choice(_HUGE))


def counted(rng: random.Random, data: bytearray, begin: int) -> None:
    struct.pack_into("<Q", data, rng.choice([8, 16]), rng.choice([*_HUGE, rng.randrange(99)]))


def cut(rng: random.Random, data: bytearray, begin: int) -> None:
    del data[rng.randrange(len(data)) :]


def spoilt(rng: random.Random, data: bytearray, begin: int) -> None:
    for _ in range(rng.choice([1, 100, 3000])):
        at = rng.randrange(begin, len(data) - 4)
        data[at : at + 4] = rng.choice([b"\0\0\xc0\x7f", b"\xff\xff\xff\xff", rng.randbytes(4)])


def torn(rng: random.Random, data: bytearray, begin: int) -> None:
    size = rng.choice([8, 64, 512])
    one, two = (rng.randrange(begin - size) for _ in range(2))
    data[one : one + size], data[two : two + size] = data[two : two + size], data[one : one + size]


def whole(rng: random.Random, data: bytearray, begin: int) -> None: ...


DAMAGES: tuple[Damage, ...] = (changed, changed, forged, counted, cut, spoilt, torn, whole)


class Neighbours:
    def __init__(self, engine: Engine, model: Model) -> None:
        self._engine, self._model = engine, model
        self._over = threading.Event()
        self.wrong: list[str] = []
        self.replies = 0
        self.longest = 0.0
        self._said = [self._answer(chat) for chat in range(CHATS)]  # one after another
        self._threads = [threading.Thread(target=self._stream, args=(n,)) for n in range(CHATS)]
        self._lock = threading.Lock()
        for thread in self._threads:
            thread.start()

    def _answer(self, chat: int, watched: bool = False) -> list[int]:
        session = self._engine.open_session(self._model, reproducible=chat == 0)
        params = SamplingParams(max_tokens=LENGTH, temperature=0.0, seed=chat)
        reply = session.send(f"chat number {chat}", params)
        last = None
        for _ in reply:
            now = time.monotonic()
            if watched and last is not None:
                self.longest = max(self.longest, now - last)
            last = now
        session.close()
        reply.text()  # raises the error that ended the reply
        return list(reply.tokens())

    def _stream(self, chat: int) -> None:
        while not self._over.is_set():
            try:
                said = self._answer(chat, watched=True)
            except Exception as error:
                self.wrong.append(f"chat {chat} ended with {error}")
                return
            with self._lock:
                self.replies += 1
                if said != self._said[chat]:
                    self.wrong.append(f"chat {chat} said something else")

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def _one(
    rng: random.Random, engine: Engine, files: list[Written], place: Path, found: Counter[str]
) -> list[str]:
    damage = rng.choice(DAMAGES)
    content = rng.choice(files)
    data = bytearray(content.bytes())
    begin = len(data) - sum(-(-len(a.data) // 32) * 32 for a in content.arrays)
    damage(rng, data, begin)
    file = place / f"{damage.__name__}.gguf"
    file.write_bytes(data)
    before = {p.name for p in kept.models_folder().glob("*")}
    began, wrong = time.monotonic(), list[str]()
    try:
        engine.unload(engine.load(file))
        found["read"] += 1
    except EngineError as error:
        found[error.code] += 1
        if error.code != "model_load_failed" or _FAULT.search(error.message):
            wrong.append(f"{damage.__name__}: {error.message}")
        if (
            kept.find_converted(file) is None
            and {p.name for p in kept.models_folder().glob("*")} - before
        ):
            wrong.append(f"{damage.__name__}: something is left of it")
        if damage is whole:
            wrong.append(f"a whole file was refused: {error.message}")
    except Exception as error:
        wrong.append(f"{damage.__name__}: {type(error).__name__}: {error}")
    if time.monotonic() - began > LATEST:
        wrong.append(f"{damage.__name__}: it took {time.monotonic() - began:.0f} s")
    found[damage.__name__] += 1
    return wrong


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture gguf", description=__doc__)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--seconds", type=float, default=1e9, help="then no more are begun")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    rng, found, wrong = random.Random(chosen.seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STRETTO_MODELS"] = str(Path(folder, "models"))
        kept.models_folder().mkdir()
        (kept.models_folder() / ".gguf.lock").touch()
        tiny = write_model(Path(folder, "tiny"), FAMILIES["plain"])
        files = [small(family, kind) for family in CONFIGS for kind in (F32, Q8_0)]
        with Engine() as engine:
            model = engine.load(tiny)
            beside = Neighbours(engine, model)
            end = time.monotonic() + chosen.seconds
            try:
                for _ in range(chosen.files):
                    if time.monotonic() > end or beside.wrong:
                        break
                    wrong += _one(rng, engine, files, Path(folder), found)
            finally:
                beside.end()
            wrong += beside.wrong
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(found.items()))
    print(f"files: {kinds}")
    print(f"neighbours: {beside.replies} replies of {LENGTH} tokens, longest gap", end=" ")
    print(f"{beside.longest:.2f} s, {len(beside.wrong)} faults")
    for line in wrong:
        print(f"WRONG {line}")
    print("held" if not wrong else f"{len(wrong)} faults")
    return 1 if wrong else 0
