"""`python -m engine bench`: run benchmarks, print tables, and write JSON."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from engine.bench import contenders, graph, latency, memory, tables, throughput
from engine.bench.server import mlx_server
from engine.bench.subject import Subject, subject
from engine.bench.traffic import Contender, LoadResult, compare
from engine.cli.arguments import positive_int
from engine.errors import EngineError
from engine.sandbox.process import FROZEN

PARTS = ("decode", "traffic", "latency")
SEPARATE_PARTS = ("memory", "graph")  # load models themselves
FAMILIES = "families"
AGAINST = ("alone", "batch", "server")
Say = Callable[[str], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        nargs="?",
        default=FAMILIES,
        help="model folder, GGUF file, hub id, random:135m or real; families (memory, graph)",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=(*PARTS, *SEPARATE_PARTS),
        default=PARTS,
        help="parts to run (default: all but memory and graph)",
    )
    parser.add_argument(
        "--against",
        nargs="*",
        choices=AGAINST,
        default=AGAINST,
        help="contenders in traffic: one after another, BatchGenerator, mlx_lm.server "
        "(default: all)",
    )
    add = parser.add_argument
    add("--chats", type=positive_int, nargs="+", default=[1, 2, 4, 8, 16], metavar="N")
    for name, default, words in (
        ("--tokens", 48, "tokens per reply"),
        ("--rounds", 3, "rounds per median"),
        ("--short", 64, "short prompt, tokens"),
        ("--long", 1500, "long prompt, tokens"),
        ("--arriving", 3000, "arriving long prompt, tokens"),
        ("--forks", 8, "forks of one chat"),
    ):
        add(name, type=positive_int, default=default, help=f"{words} (%(default)s)")
    add("--every", type=float, default=0.5, help="seconds between staggered requests (0.5)")
    add("--history", type=positive_int, nargs="+", default=[500, 4000], metavar="N")
    add("--length", type=positive_int, nargs="+", metavar="N", help="contexts of memory")
    add("--cases", nargs="+", metavar="NAME", default=(), help="cases of graph (default: all)")
    add("--markdown", metavar="FILE", help="write graph's table into a page")
    add("--json", metavar="FILE", help="also write the figures; - for stdout")


def main(options: argparse.Namespace) -> int:
    quiet = options.json == "-"

    def say(line: str = "") -> None:
        print(line, file=sys.stderr if quiet else sys.stdout, flush=True)

    figures: dict[str, Any] = {}
    try:
        if options.model == FAMILIES and set(options.parts) - set(SEPARATE_PARTS):
            raise ValueError("name a model: a folder, a downloaded hub id, or random:135m")
        if "memory" in options.parts:
            contexts = options.length or memory.CONTEXTS
            figures["memory"] = memory.run(options.model, contexts, say)
        if "graph" in options.parts:
            figures["graph"] = graph.run(
                options.model, options.chats, options.cases, say, options.markdown
            )
        if set(options.parts) - set(SEPARATE_PARTS):
            with subject(options.model) as running:
                _compare_contenders(running, options, say, figures)
    except (EngineError, RuntimeError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if options.json:
        text = json.dumps(figures, indent=2, default=dict)
        if quiet:
            print(text)
        else:
            Path(options.json).write_text(text + "\n", encoding="utf-8")
    return 0


def _compare_contenders(
    it: Subject, options: argparse.Namespace, say: Say, figures: dict[str, Any]
) -> None:
    backend = it.engine.stats()["backend"]
    load = os.getloadavg()[0]
    say(
        f"{it.model.name}: {it.model.nbytes / 1e6:.0f} MB of weights in {it.model.dtype}, "
        f"{it.model.step} step, on {backend['device']} ({backend['blas']} BLAS), {os.cpu_count()} "
        f"cores with a load of {load:.1f} before the run\n"
    )
    figures |= {"model": to_builtins(it.model), "backend": backend, "load_before": load}
    if "decode" in options.parts:
        tables.decode_head(say)
        figures["decode"] = []
        for r in throughput.compare(
            it, options.chats, options.tokens, options.rounds, options.short, options.long
        ):
            tables.decode(r, say)
            ratios = {"over_alone": r.over_alone, "over_batch": r.over_batch}
            figures["decode"].append({**to_builtins(r), **ratios})
    if "traffic" in options.parts:
        loads_found = _traffic(it, options, say)
        figures["traffic"] = [to_builtins(f) for f in loads_found]
    if "latency" in options.parts:
        gap = latency.long_prompt(it, options.arriving)
        tables.long_prompt(gap, say)
        turns = [latency.follow_up(it, n) for n in sorted(options.history)]
        tables.follow_ups(turns, say)
        several = [
            part(it, max(options.history), options.forks)
            for part in (latency.forks, latency.broadcast)
        ]
        tables.many(several, say)
        figures["long_prompt"] = {**to_builtins(gap), "bound": gap.bound}
        figures["follow_ups"] = [to_builtins(t) for t in turns]
        figures["several"] = [to_builtins(m) for m in several]


def _traffic(it: Subject, options: argparse.Namespace, say: Say) -> list[LoadResult]:
    with contextlib.ExitStack() as stack:
        contenders_by_name: dict[str, Contender] = {"Stretto": contenders.stretto(it)}
        if "alone" in options.against:
            contenders_by_name["one after another"] = contenders.one_after_another(it)
        if "batch" in options.against:
            contenders_by_name["BatchGenerator"] = contenders.batch_generator(it)
        if {"alone", "batch"} & set(options.against):
            assert it.net is not None  # load the model before the first measurement
        if "server" in options.against and FROZEN:
            say("mlx_lm.server is skipped: it needs a Python interpreter")
        elif "server" in options.against:
            server = stack.enter_context(mlx_server(it.model.path))
            contenders_by_name["mlx_lm.server"] = server
        tables.traffic_head(say)
        results: list[LoadResult] = []
        lengths = options.short, options.long, options.every
        counts = options.chats, options.tokens, options.rounds
        for loads in compare(it, contenders_by_name, *counts, *lengths):
            tables.traffic(loads, say)
            results += loads
        return results
