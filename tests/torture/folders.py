"""Random damage to the folders of models, adapters and chats' caches.

A child process has an engine with an intact model and a chat, which replies after each folder. Each
folder is either refused with a message or usable. The chat's replies stay the same, and no child is
killed by a signal or hangs. A seed reproduces a folder: `python -m tests.torture folders --only
SEED`.
"""

from __future__ import annotations

import argparse
import contextlib
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

_PATIENCE = 60.0  # seconds for a folder, on a busy machine
_EACH = 40  # folders per child process
_MEMORY = 24 * 2**30

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 3, 7, 64, 255, 10**6, 2**31, 2**63, -(10**9), 10**30, 0.5),
    *(
        -0.0,
        1e-300,
        1e308,
        float("nan"),
        float("inf"),
        "",
        "x",
        "<s>",
        "../../etc",
        "\x00",
        "a" * 9999,
    ),
    *("\ufdd0", "\ud800", [], {}, [[]], [None], [0], ["x"], {"x": 1}, {"type": "x"}, {"": {}}),
    *([-1, -1], [2**40, 2**40], {"rope_type": "yarn"}, {"quantization": {"bits": 3}}),
)
_PLACES = ("config.json", "tokenizer.json", "tokenizer_config.json", "adapter_config.json")
_GENERATION = "generation_config.json"


def _spots(content: Any, depth: int = 0) -> list[tuple[Any, Any]]:
    """Return places in a JSON value, with only a few from long lists and vocabularies."""
    if depth > 20:
        return []
    if isinstance(content, dict):
        inner = list(content.items())
    elif isinstance(content, list):
        inner = list(enumerate(content))
    else:
        return []
    found = []
    for key, value in inner[:40]:
        found += [(content, key)] * max(1, 4 - depth) + _spots(value, depth + 1)
    return found


def change(rng: random.Random, content: Any) -> str:
    told = []
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        spots = _spots(content)
        if not spots:
            break
        held, key = rng.choice(spots)
        how = rng.randrange(8)
        value = rng.choice(_VALUES)
        if how == 0:
            del held[key]
            value = "removed"
        elif how == 1 and type(held[key]) is int:
            held[key] = value = held[key] + rng.choice([-1, 1, 2, 1000])
        elif how == 2 and isinstance(held[key], str):
            held[key] = value = held[key] * rng.choice([2, 1000])
        elif how == 3:
            for _ in range(rng.choice([10, 100, 3000])):
                held[key] = {"x": held[key]}
            value = "deep"
        else:
            held[key] = value
        told.append(f"{str(key)[:40]} = {str(value)[:40]!r}")
    return ", ".join(told)


def _json(rng: random.Random, file: Path) -> str:
    content = json.loads(file.read_text()) if file.exists() else {"eos_token_id": 2, "top_p": 1.0}
    told = change(rng, content)
    try:
        text = json.dumps(content)
    except (ValueError, RecursionError):
        text = "[" * 100_000
    file.write_bytes(text.encode(errors="surrogatepass"))
    return f"{file.name}: {told}"


def _arrays(rng: random.Random, file: Path, sums: bool = False) -> str:
    """Change the header of a safetensors file. `sums` keeps a cache's checksums correct."""
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    head, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    if sums:
        body = body[:-8]
        meta = head["__metadata__"]
        name = rng.choice([*meta, None])
        if name is not None and name not in ("format", "fingerprint"):
            inner = [json.loads(meta[name])]
            told = change(rng, inner)
            with contextlib.suppress(ValueError, RecursionError):
                meta[name] = json.dumps(inner[0] if inner else None)
            told = f"{name}: {told}"
        else:
            told = change(rng, {k: v for k, v in head.items() if k != "__metadata__"})
    elif rng.random() < 0.3:
        body = bytes(rng.choice([b"\x00", b"\xff", b"\x7f\xc0"])) * (len(body) // 2)
        told = "its numbers"
    else:
        told = change(rng, head)
    try:
        text = json.dumps(head).encode(errors="surrogatepass")
    except (ValueError, RecursionError):
        text = b"[" * 100_000
    made = len(text).to_bytes(8, "little") + text
    end = crc32(made).to_bytes(4, "little") + crc32(body).to_bytes(4, "little") if sums else b""
    file.write_bytes(made + body + end)
    return f"{file.name}: {told}"


def _file(rng: random.Random, file: Path) -> str:
    data = file.read_bytes()
    how = rng.choice(["cut", "flip", "pipe", "itself", "device", "folder", "empty", "gone", "hole"])
    if how == "cut":
        file.write_bytes(data[: rng.randrange(len(data) + 1)])
    elif how == "flip":
        changed = bytearray(data)
        for _ in range(rng.choice([1, 5, 100])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        file.write_bytes(changed)
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
    return f"{file.name}: {how}"


def spoil(rng: random.Random, folder: Path) -> str:
    """Damage a folder at a random place and return a description."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    file = rng.choice(files)
    if rng.random() < 0.15:
        return _file(rng, file)
    if file.suffix == ".safetensors" and "__metadata__" not in file.name:
        return _arrays(rng, file)
    if file.name == "config.json" and rng.random() < 0.2:
        return _json(rng, folder / _GENERATION)
    return _json(rng, file)


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
        told = _file(rng, file) if rng.random() < 0.3 else _arrays(rng, file, True)

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
        return f"cache, {told}", ended if ended == "used" else f"A CHAT IS LOST: {ended}"


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
