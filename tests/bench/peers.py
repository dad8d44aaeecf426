"""Comparison with llama.cpp in alternating runs: `python -m tests.bench.peers FILE.gguf`.

Each file runs in a llama.cpp process, and the engine runs the first file. Figures are medians over
rounds, and a ratio above 1 means that the engine is faster. `--python` names a Python with
`llama-cpp-python` built on this machine (and `xllamacpp` for HTTP).
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.bench.clients import RequestSettings, run, words
from engine.bench.server import serving
from engine.bench.subject import Subject, send_timed, subject
from engine.bench.throughput import stretto_rate
from engine.bench.traffic import Arrival, summarize
from engine.cli.arguments import positive_int
from engine.params import SamplingParams

CHILD = Path(__file__).with_name("llama_child.py")
OURS = "Stretto"
GREEDY = SamplingParams(max_tokens=1, temperature=0.0)

LOAD = """
import json, sys, time
from engine.cli.arguments import GUIDE, cache_dir
from engine.engine import Engine
from engine.params import SamplingParams
def memory(name):
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(name))
with Engine(ways_dir=cache_dir("ways")) as engine:
    engine.unload(engine.load(GUIDE))  # imports what any model needs
    engine.stats()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak until now
    before = memory("VmRSS")
    began = time.perf_counter()
    model = engine.load(sys.argv[1])
    seconds = time.perf_counter() - began
    engine.open_session(model).send("Hi", SamplingParams(max_tokens=2)).tokens()
    grown = {"resident": memory("VmRSS") - before, "peak": memory("VmHWM") - before}
    print(json.dumps({"seconds": seconds, **grown}))
"""
"""Script that loads a model in a new process and prints seconds and memory growth in bytes."""

SERVER = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_parallel = int(sys.argv[3])
params.n_ctx = params.n_parallel * 2048
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[4])
server = xllamacpp.Server(params)
sys.stdin.read()
"""


class LlamaProcess:
    def __init__(self, python: str, file: Path | None = None) -> None:
        self._child = subprocess.Popen(
            [python, "-P", str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.about = self._answer()["about"]
        self.load_s = self.ask("load", path=str(file), threads=cores())["seconds"] if file else 0.0

    def ask(self, name: str, **given: Any) -> dict[str, float]:
        assert self._child.stdin is not None
        print(json.dumps([name, given]), file=self._child.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        found: dict[str, Any] = json.loads(line) if line else {"error": "the process ended"}
        if "error" in found:
            raise RuntimeError(f"llama.cpp: {found['error']}")
        return found

    def close(self) -> None:
        self._child.kill()
        self._child.communicate()


class Table:
    def __init__(self, names: Sequence[str]) -> None:
        self.rows: list[dict[str, Any]] = []
        head = "  ".join(f"{name[-12:]:>12} {'':>6}" for name in names)
        print(f"{'':<34} {OURS:>10}  {head}", flush=True)

    def add(self, what: str, found: Mapping[str, Sequence[float]], is_time: bool = False) -> None:
        middle = {name: statistics.median(several) for name, several in found.items()}
        ours = middle.pop(OURS)
        ratios = {n: v / ours if is_time else ours / v for n, v in middle.items()}
        self.rows.append({"what": what, OURS: ours, "theirs": middle, "ratios": ratios})
        cells = "  ".join(f"{_shown(v)} {ratios[n]:>5.2f}x" for n, v in middle.items())
        print(f"{what:<34} {_shown(ours)[-10:]}  {cells}", flush=True)


def _shown(number: float) -> str:
    return f"{number:>12.3f}" if number < 10 else f"{number:>12,.1f}"


def cores() -> int:
    return len(os.sched_getaffinity(0))


@contextmanager
def busy(count: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def prompt(it: Subject, tokens: int, salt: int) -> str:
    chosen = random.Random(salt)
    # Different from the start, because common prefixes are only read once.
    written = f"{chosen.randrange(10**6)} tales of {words(chosen, tokens)}"

    def length(characters: int) -> int:
        return len(it.prompt_ids([written[:characters]])[0])

    return written[: bisect.bisect_left(range(1, len(written)), tokens, key=length) + 1]


def compare(it: Subject, llamas: Mapping[str, LlamaProcess], options: argparse.Namespace) -> Table:
    table = Table(list(llamas))
    salt = iter(range(10**6))
    for chats in options.chats:
        found: dict[str, list[float]] = {name: [] for name in (OURS, *llamas)}
        for _ in range(options.rounds):
            texts = [prompt(it, options.short, next(salt)) for _ in range(chats)]
            found[OURS].append(stretto_rate(it, texts, options.tokens))
            for name, llama in llamas.items():
                size = {"chats": chats, "prompt": options.short, "tokens": options.tokens}
                found[name].append(llama.ask("decode", **size)["rate"])
        table.add(f"decode, {chats} chats, tokens/s", found)
    for tokens in options.prompts:
        found, exact = {name: [] for name in (OURS, *llamas)}, tokens
        for _ in range(options.rounds):
            session = it.engine.open_session(it.model)
            stream = send_timed(session, prompt(it, tokens, next(salt)), GREEDY)
            found[OURS].append(stream.first)
            assert stream.reply is not None
            exact = stream.reply.stats.prompt_tokens
            session.close()
            for name, llama in llamas.items():
                found[name].append(llama.ask("first", prompt=exact)["seconds"])
        table.add(f"first token after {exact:,} tokens, s", found, is_time=True)
    return table


def compare_loads(it: Subject, files: Mapping[str, Path], options: argparse.Namespace) -> Table:
    table = Table(list(files))
    found: dict[str, list[float]] = {name: [] for name in (OURS, *files)}
    memory: list[tuple[int, int]] = []
    for _ in range(options.rounds):
        command = [sys.executable, "-c", LOAD, it.model.path]
        loaded = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        found[OURS].append(loaded["seconds"])
        memory.append((loaded["resident"], loaded["peak"]))
        for name, file in files.items():
            llama = LlamaProcess(options.python, file)
            found[name].append(llama.load_s)
            llama.close()
    table.add("load, s", found, is_time=True)
    size = sum(file.stat().st_size for file in Path(it.model.path).glob("*.safetensors"))
    resident, peak = (statistics.median(part) / 1e6 for part in zip(*memory, strict=True))
    print(
        f"memory: the file has {size / 1e6:.0f} MB, the process grew by {resident:.0f} MB "
        f"({resident * 1e6 / size:.2f}x), at most by {peak:.0f} MB ({peak * 1e6 / size:.2f}x)"
    )
    table.rows.append({"what": "memory", "file": size, "resident": resident, "peak": peak})
    return table


def compare_http(it: Subject, files: Mapping[str, Path], options: argparse.Namespace) -> Table:
    slots = str(max(options.http))

    def command(name: str) -> Callable[[int], list[str]]:
        if name == OURS:
            start = [sys.executable, "-m", "engine", "serve", it.model.path, "--quiet"]
            return lambda port: [*start, "--cache-gb", "0", "--at-once", slots, "--port", str(port)]
        begin = [options.python, "-c", SERVER, str(files[name])]
        return lambda port: [*begin, str(port), slots, str(cores())]

    salt = iter(range(10**6))
    with contextlib.ExitStack() as stack:
        urls = {name: stack.enter_context(serving(command(name))) for name in (OURS, *files)}
        table = Table(list(files))
        for chats in options.http:
            rates: dict[str, list[float]] = {name: [] for name in urls}
            firsts: dict[str, list[float]] = {name: [] for name in urls}
            for _ in range(options.rounds):
                texts = [prompt(it, options.short, next(salt)) for _ in range(chats)]
                for name, url in urls.items():
                    turns = run(
                        RequestSettings(url, tokens=2 * options.tokens),
                        [Arrival(0.0, t) for t in texts],
                    )
                    load = summarize(name, "equal", chats, turns)
                    if load.failed or load.first_max is None:
                        raise RuntimeError(f"{name}: {load.failed}")
                    rates[name].append(load.rate)
                    firsts[name].append(load.first_max)
            table.add(f"HTTP, {chats} chats, tokens/s", rates)
            table.add("  the last first token, s", firsts, is_time=True)
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.peers", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="GGUF files; the engine runs the first")
    parser.add_argument("--python", required=True, help="a Python that has llama-cpp-python")
    numbers: dict[str, Any] = {"type": int, "nargs": "*", "metavar": "N"}
    parser.add_argument("--chats", default=[1, 2, 4, 8, 16, 32, 64], **numbers)
    parser.add_argument("--prompts", default=[37, 512, 2000], help="tokens", **numbers)
    parser.add_argument("--http", default=[], help="chats over HTTP, too (none)", **numbers)
    parser.add_argument("--loads", action="store_true", help="time of loading and memory, too")
    parser.add_argument("--rounds", type=positive_int, default=3, help="median over so many (3)")
    parser.add_argument(
        "--tokens", type=positive_int, default=48, help="per reply (48); HTTP: twice"
    )
    parser.add_argument("--short", type=positive_int, default=64, help="tokens of decoding prompts")
    parser.add_argument("--busy", type=int, default=0, help="busy processes next to them (0)")
    parser.add_argument(
        "--quantize",
        metavar="Q4_0",
        help="only write the first file in this format, as the second",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no process is left running
    if options.quantize:
        source, target = map(str, options.files)
        LlamaProcess(options.python).ask("quantize", path=source, out=target, kind=options.quantize)
        return 0
    files = {file.stem: file for file in options.files}
    llamas: dict[str, LlamaProcess] = {}
    rows = []
    try:
        with subject(str(options.files[0])) as it, busy(options.busy):
            print(
                f"{it.model.name} on {cores()} cores, {options.busy} busy processes, load before "
                f"{os.getloadavg()[0]:.1f}",
                flush=True,
            )
            if options.chats or options.prompts:
                for name, file in files.items():
                    llamas[name] = LlamaProcess(options.python, file)
                rows += compare(it, llamas, options).rows
                print(next(iter(llamas.values())).about)
            if options.loads:
                rows += compare_loads(it, files, options).rows
            if options.http:
                rows += compare_http(it, files, options).rows
    finally:
        for llama in llamas.values():
            llama.close()
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
