"""Random damage to the folders of models, adapters and chats' caches.

A child process has an engine with an intact model and a chat, which replies after each folder. Each
folder is either refused with a message or usable. The chat's replies stay the same, and no child is
killed by a signal or hangs. A seed reproduces a folder: `python -m tests.torture folders --only
SEED`.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.torture import ROOT
from tests.torture.damage import bent, damaged, to_json

_PATIENCE = 60.0  # seconds for a folder, on a busy machine
_EACH = 40  # folders per child process
_MEMORY = 24 * 2**30

_GENERATION = "generation_config.json"


def _json(rng: random.Random, file: Path) -> None:
    content = json.loads(file.read_text()) if file.exists() else {"eos_token_id": 2, "top_p": 1.0}
    file.write_text("[" * 100_000 if rng.random() < 0.05 else to_json(damaged(content, rng)))


def _arrays(rng: random.Random, file: Path, sums: bool = False) -> None:
    """Change the header of a safetensors file. `sums` keeps a cache's checksums correct."""
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    head, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    if sums:
        body = body[:-8]
        meta = head.pop("__metadata__")
        name = rng.choice([*meta, ""])
        if name in ("", "format", "fingerprint"):
            head = damaged(head, rng)
        else:
            meta[name] = to_json(damaged(json.loads(meta[name]), rng))
        head["__metadata__"] = meta
    elif rng.random() < 0.3:
        body = bytes(rng.choice([b"\x00", b"\xff", b"\x7f\xc0"])) * (len(body) // 2)
    else:
        head = damaged(head, rng)
    text = to_json(head).encode()
    made = len(text).to_bytes(8, "little") + text
    end = crc32(made).to_bytes(4, "little") + crc32(body).to_bytes(4, "little") if sums else b""
    file.write_bytes(made + body + end)


def _file(rng: random.Random, file: Path) -> None:
    data = file.read_bytes()
    how = rng.choice(
        ["bent", "bent", "empty", "pipe", "itself", "device", "folder", "gone", "hole"]
    )
    if how == "bent":
        file.write_bytes(bent(data, rng))
    elif how == "empty":
        file.write_bytes(b"")
    elif how == "hole":
        os.truncate(file, len(data) + 2**33)
    else:
        file.unlink()
        if how == "pipe":
            os.mkfifo(file)
        elif how == "itself":
            file.symlink_to(file)
        elif how == "device":
            file.symlink_to("/dev/zero")
        elif how == "folder":
            file.mkdir()


def spoil(rng: random.Random, folder: Path) -> str:
    """Damage a file of a folder, and return its name."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    file = rng.choice(files)
    if rng.random() < 0.15:
        _file(rng, file)
    elif file.suffix == ".safetensors" and "__metadata__" not in file.name:
        _arrays(rng, file)
    elif file.name == "config.json" and rng.random() < 0.2:
        _json(rng, folder / _GENERATION)
    else:
        _json(rng, file)
    return file.name


class Trial:
    def __init__(self, root: Path) -> None:
        from engine import Engine, SamplingParams
        from engine.bench.random_models import write_model
        from tests.engine.adapters import write_adapter
        from tests.engine.families import FAMILIES

        self.root = root
        no_end = {2: -1e9}
        self.few = SamplingParams(max_tokens=6, temperature=0.0, logit_bias=no_end)
        self.base = write_model(root / "base", FAMILIES["plain"], scale=3.0)
        self.families = FAMILIES
        self.adapter = write_adapter(root / "adapter", self.base)
        self.caches = root / "caches"
        self.engine = Engine(cache_dir=self.caches)
        self.sound = self.engine.load(self.base)
        self.want = self.answer(self.sound)
        self.long = [{"role": "user", "content": "hello there " * 20}]

    def answer(self, model: Any, chat: str | None = None) -> list[int]:
        """Return a short greedy reply of a model."""
        session = self.engine.open_session(model, chat)
        try:
            return list(session.send("Hello", self.few).tokens(_PATIENCE))
        finally:
            session.close()

    def one(self, seed: int) -> tuple[str, str]:
        rng = random.Random(seed)
        kind = rng.choice(["model", "model", "adapter", "cache"])
        place = self.root / f"of {seed}"
        told = kind
        try:
            if kind == "cache":
                told, ended = self._cache(rng, seed)
            else:
                told, ended = self._folder(rng, kind, place)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        if self.answer(self.sound) != self.want:
            ended = "THE NEIGHBOUR SAYS SOMETHING ELSE"
        return ended, told

    def _folder(self, rng: random.Random, kind: str, place: Path) -> tuple[str, str]:
        from engine.bench.random_models import write_model

        if kind == "adapter":
            shutil.copytree(self.adapter, place)
        else:
            family = rng.choice(["plain", "plain", "MoE", "MLA", "hybrid recurrent"])
            held = self.root / f"family {family}"
            if not held.exists():
                write_model(held, self.families[family], scale=3.0)
            shutil.copytree(held, place)
        told = f"{kind}, {spoil(rng, place)}"

        def use() -> None:
            folder, adapter = (self.base, place) if kind == "adapter" else (place, None)
            model = self.engine.load(folder, adapter=adapter)
            try:
                self.answer(model)
            finally:
                if model.id != self.sound.id:  # not equal to the intact model
                    self.engine.unload(model)

        return told, _ended(use)

    def _cache(self, rng: random.Random, seed: int) -> tuple[str, str]:
        name = f"chat {seed}"
        chat = self.engine.open_session(self.sound, name)
        said = chat.send(self.long, self.few).text(_PATIENCE)
        chat.close()
        self.engine.stats()
        turns = [*self.long, {"role": "assistant", "content": said}, self.long[0]]
        deadline = time.monotonic() + _PATIENCE
        file = self.caches / f"{sha256(name.encode()).hexdigest()[:40]}.safetensors"
        while not file.exists():
            if time.monotonic() > deadline:
                return "cache", "NOTHING IS WRITTEN"
            time.sleep(0.01)
        if rng.random() < 0.3:
            _file(rng, file)
        else:
            _arrays(rng, file, sums=True)

        def use() -> None:
            again = self.engine.open_session(self.sound, name)
            try:
                for _ in range(2):
                    again.send(turns, self.few).tokens(_PATIENCE)
            finally:
                again.close(forget=True)

        ended = _ended(use)
        if file.is_dir() and not file.is_symlink():
            file.rmdir()
        return "cache", ended if ended == "used" else f"A CHAT IS LOST: {ended}"


def _ended(use: Callable[[], None]) -> str:
    from engine import EngineError

    began = time.monotonic()
    try:
        use()
    except EngineError as error:
        if error.code not in ("internal_error", "engine_stopped"):
            return f"refused: {error.code}"
        return f"NO SENTENCE: {error.message[:200]}"
    except TimeoutError:
        return "HANGS"
    return "used" if time.monotonic() - began < _PATIENCE else "HANGS"


def _child(first: int, count: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        with trial.engine:
            for seed in range(first, first + count):
                print(json.dumps({"begun": seed}), flush=True)
                ended, told = trial.one(seed)
                print(json.dumps({"seed": seed, "ended": ended, "told": told}), flush=True)


def run(first: int, count: int, found: Counter[str], faults: list[str]) -> None:
    """Let a child process handle folders, and continue after a folder that killed it."""
    end = first + count
    while first < end:
        asked = [
            sys.executable,
            "-m",
            "tests.torture.folders",
            "--child",
            str(first),
            str(end - first),
        ]
        child = subprocess.Popen(
            asked, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        begun = first
        try:
            output, errors = child.communicate(timeout=_PATIENCE * 4 + 10.0 * (end - first))
            status = f"the child ended with {child.returncode}" if child.returncode else ""
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
            status = "the child hangs"
        for line in output.splitlines():
            said = json.loads(line)
            begun = said.get("begun", begun)
            if "seed" not in said:
                continue
            found[re.sub(r":.*", "", said["ended"])] += 1
            if said["ended"][:2].isupper():
                faults.append(f"{said['seed']}: {said['ended']} ({said['told']})")
        if status:
            last = (errors.strip().splitlines() or [""])[-1][:300]
            faults.append(f"{begun}: {status}: {last}")
            first = begun + 1
        else:
            first = end


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture folders", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", type=int, help="this seed alone")
    chosen = parser.parse_args(arguments)
    found, faults = Counter[str](), list[str]()
    if chosen.only is not None:
        run(chosen.only, 1, found, faults)
    else:
        began, seed = time.monotonic(), chosen.first
        while time.monotonic() - began < chosen.seconds:
            run(seed, _EACH, found, faults)
            seed += _EACH
    for ended, count in found.most_common():
        print(f"{count:5} {ended}")
    for fault in faults:
        print(f"FAULT {fault}")
    print(f"{sum(found.values())} folders, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        from engine.model import backend

        backend.load_openblas()
        _child(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
