"""`python -m engine bench`: the measurements in order, as tables or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from engine.bench import latency, throughput
from engine.bench.subject import Subject, subject
from engine.errors import EngineError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a model folder, a downloaded hub id, or random:135m")
    parser.add_argument("--chats", type=_positive, nargs="+", default=[1, 2, 4, 8], metavar="N")
    parser.add_argument("--tokens", type=int, default=48, help="tokens per reply (48)")
    parser.add_argument("--rounds", type=int, default=3, help="median over so many rounds (3)")
    parser.add_argument("--short", type=int, default=64, help="tokens in a short prompt (64)")
    parser.add_argument("--long", type=int, default=1500, help="tokens in the long one (1500)")
    parser.add_argument("--arriving", type=int, default=3000, help="long prompt that arrives")
    parser.add_argument("--history", type=int, default=4000, help="history of the follow-up")
    parser.add_argument("--json", metavar="FILE", help="also write the figures; - for stdout")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def main(options: argparse.Namespace) -> int:
    quiet = options.json == "-"

    def say(line: str = "") -> None:
        print(line, file=sys.stderr if quiet else sys.stdout, flush=True)

    try:
        with subject(options.model) as it:
            return _run(it, options, say)
    except (EngineError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2


def _run(it: Subject, options: argparse.Namespace, say: object) -> int:
    assert callable(say)
    backend = it.engine.stats()["backend"]
    say(
        f"{it.model.name}: {it.model.nbytes / 1e6:.0f} MB of weights in {it.model.dtype}, "
        f"{it.model.step} step, on {backend['device']} ({backend['blas']} BLAS)\n"
    )
    rows = throughput.compare(
        it, options.chats, options.tokens, options.rounds, options.short, options.long, say
    )
    say("\nDecode, all chats together, tokens/s")
    say(
        f"{'chats':>5}  {'lengths':<9} {'Stretto':>9} {'alone':>9} {'batch':>9}",
    )
    for r in rows:
        say(
            f"{r.chats:>5}  {r.lengths:<9} {r.stretto:>9.1f} {r.alone:>9.1f} {r.batch:>9.1f}"
            f"   {r.over_alone:>5.2f}x alone  {r.over_batch:>5.2f}x BatchGenerator"
        )
    gap = latency.long_prompt(it, options.arriving)
    say(
        f"\nA prompt of {gap.prompt_tokens:,} tokens arrives while three chats stream\n"
        f"  gap between tokens before  {gap.median_before * 1e3:8.1f} ms (median)\n"
        f"  while it is read           {gap.median * 1e3:8.1f} ms (median)\n"
        f"  the longest                {gap.longest * 1e3:8.1f} ms = "
        f"{gap.longest / gap.median_before:.1f}x the median before; bound 3x + 100 ms = "
        f"{gap.bound * 1e3:.0f} ms: {'held' if gap.longest <= gap.bound else 'BROKEN'}\n"
        f"  first token of the long    {gap.first_long:8.2f} s\n"
        f"  first token of a short one sent after it {gap.first_short:.2f} s"
    )
    turn = latency.follow_up(it, options.history)
    say(
        f"\nSecond turn after {turn.history_tokens:,} tokens: {turn.new_tokens} tokens read, "
        f"first token after {turn.second_turn * 1e3:.0f} ms; the first turn took "
        f"{turn.first_turn * 1e3:.0f} ms ({turn.first_turn / turn.second_turn:.1f}x)"
    )
    if options.json:
        figures = {
            "model": asdict(it.model),
            "backend": backend,
            "decode": [
                {**asdict(r), "over_alone": r.over_alone, "over_batch": r.over_batch} for r in rows
            ],
            "long_prompt": {**asdict(gap), "bound": gap.bound},
            "follow_up": asdict(turn),
        }
        text = json.dumps(figures, indent=2, default=dict)
        if options.json == "-":
            print(text)
        else:
            with open(options.json, "w", encoding="utf-8") as file:
                file.write(text + "\n")
    return 0
