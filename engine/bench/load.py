"""`python -m engine load URL`: load test for OpenAI-compatible servers.

Each number of clients is measured with three kinds of traffic: all start together with equally long
prompts; the same with one prompt 20 times longer; or they start one after another. With
`--against`, two servers take turns, so that conditions are equal. With `--agents`, agents and a
user are simulated instead (`bench/agents.py`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins

from engine.bench import agents
from engine.bench.clients import TRAFFIC, RequestSettings, arrivals, run
from engine.bench.traffic import LoadResult, middle, summarize
from engine.cli.arguments import positive_int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("url", metavar="URL", help="server, such as http://127.0.0.1:8080/v1")
    add("--against", metavar="URL", help="second server, measured alternately")
    counts, kinds = "1,4,8,16,64,256", ",".join(TRAFFIC)
    add("--clients", type=_counts, default=counts, help="numbers of clients (default: %(default)s)")
    add("--traffic", type=_kinds, default=kinds, help="kinds (default: %(default)s)")
    for name, default, words in (
        ("--tokens", 64, "tokens per answer"),
        ("--words", 40, "words per prompt"),
        ("--turns", 1, "turns per client"),
        ("--rounds", 1, "rounds, for the median"),
    ):
        add(name, type=positive_int, default=default, help=f"{words} (default: %(default)s)")
    for name, seconds, words in (
        ("--every", 0.25, "seconds between staggered clients"),
        ("--seconds", 300.0, "timeout of a request"),
    ):
        add(name, type=float, default=seconds, help=f"{words} (default: %(default)g)")
    add("--sessions", action="store_true", help="use a named session per client")
    add("--key", default="", help="key for both servers")
    add("--model", default="", help="model for both servers (default: theirs)")
    add("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    group = parser.add_argument_group("agents, and a person's chat beside them")
    add, defaults = group.add_argument, agents.Crowd(0)
    for name, kind, usually, unit, words in (
        ("--agents", positive_int, 0, "N", "number of agents, instead of clients"),
        (
            "--beginning",
            positive_int,
            defaults.beginning,
            "WORDS",
            "length of their common beginning",
        ),
        ("--for", float, defaults.seconds, "SECONDS", "duration"),
        ("--tasks", int, 0, "N", "tasks per agent, 0 for no limit"),
        ("--person-every", float, defaults.every, "SECONDS", "pause between the user's questions"),
    ):
        help_text = f"{words} (default: %(default)s)"
        add(name, type=kind, default=usually, metavar=unit, help=help_text)
    add("--person-key", default="", help="key of the user, if different from --key")


def main(options: argparse.Namespace) -> int:
    urls = [options.url, *([options.against] if options.against else [])]
    request_options = {
        "key": options.key,
        "model": options.model,
        "tokens": options.tokens,
        "turns": options.turns,
        "sessions": options.sessions,
        "seconds": options.seconds,
    }
    configs = [RequestSettings.for_url(url, **request_options) for url in urls]
    if options.agents:
        return _with_agents(options, configs)
    results: list[LoadResult] = []
    print(_HEAD)
    for clients in options.clients:
        for traffic in options.traffic:
            several: dict[str, list[LoadResult]] = {}
            for salt in range(options.rounds):
                for settings in configs:
                    planned = arrivals(traffic, clients, options.words, options.every, salt)
                    turns = run(settings, planned)
                    several.setdefault(settings.url, []).append(
                        summarize(settings.url, traffic, clients, turns)
                    )
            for loads in several.values():
                results.append(middle(loads))
                print(_line(results[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps([to_builtins(load) for load in results], indent=1))
    failed = sum(sum(load.failed.values()) for load in results)
    if failed:
        print(f"{failed} requests got no whole answer.", file=sys.stderr)
    return 1 if failed else 0


def _with_agents(options: argparse.Namespace, configs: Sequence[RequestSettings]) -> int:
    crowd = agents.Crowd(
        options.agents,
        options.beginning,
        options.person_every,
        getattr(options, "for"),
        options.tasks,
        options.person_key,
    )
    tallies = {settings.url: agents.CrowdResult() for settings in configs}
    for salt in range(options.rounds):
        for settings in configs:
            agents.run(settings, crowd, tallies[settings.url], salt)
            print(f"round {salt + 1} at {settings.url}", file=sys.stderr, flush=True)
    print(agents.table(tallies))
    if options.json:
        figures = {url: tally.figures for url, tally in tallies.items()}
        options.json.write_text(json.dumps(figures, indent=1))
    return 1 if any(tally.failed for tally in tallies.values()) else 0


_HEAD = (
    f"{'clients':>7} {'traffic':9} {'tokens/s':>8}  {'first token: p50':>16} {'p90':>7} {'p99':>7} "
    f"{'max':>7} {'long':>7} {'later':>7}  {'gap: p50':>9} {'p99':>7} {'max':>7}  failed  server"
)


def _line(load: LoadResult) -> str:
    firsts = (load.first_p90, load.first_p99, load.first_max, load.first_long, load.second_p50)
    failed = ", ".join(f"{count}x {reason}" for reason, count in load.failed.items()) or "0"
    return (
        f"{load.clients:7} {load.traffic:9} {load.rate:8.1f}  {_shown(load.first_p50):>16} "
        + " ".join(f"{_shown(value):>7}" for value in firsts)
        + f"  {_shown(load.gap_p50):>9} {_shown(load.gap_p99):>7} {_shown(load.gap_max):>7}"
        + f"  {failed:6}  {load.server}"
    )


def _shown(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.0f}ms" if seconds < 1 else f"{seconds:.2f}s"


def _counts(text: str) -> list[int]:
    return [positive_int(part) for part in text.split(",")]


def _kinds(text: str) -> list[str]:
    for part in text.split(","):
        if part not in TRAFFIC:
            raise argparse.ArgumentTypeError(f"{part!r} is none of {', '.join(TRAFFIC)}")
    return text.split(",")
