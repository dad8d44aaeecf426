"""``python -m app.bench stalls``: does the window stay quick while eight panes stream?
``python -m app.bench kill``: what of the chats does `kill -9` cost?
"""

from __future__ import annotations

import argparse
import json
import sys

from app.bench import kill
from app.paths import GUIDE


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m app.bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    stalls = commands.add_parser("stalls", help="event-loop stalls while panes stream")
    stalls.add_argument("--panes", type=int, default=8)
    stalls.add_argument("--seconds", type=float, default=20.0)
    stalls.add_argument("--model", default=GUIDE, help="another model's folder")
    stalls.add_argument("--json", action="store_true", help="figures for machines")
    kill.add_to(commands)
    options = parser.parse_args()
    if options.command == "kill":
        return kill.run(options)

    from app.bench.stalls import measure

    report = measure(options.model, options.panes, options.seconds)
    if options.json:
        print(json.dumps(report.as_dict()))
        return 0
    print(f"{report.panes} panes, {report.seconds} s, {report.probes} probes")
    print(f"{'p50':>8} {'p90':>8} {'p99':>8} {'max':>8}   over 50 ms")
    print(
        f"{report.p50_ms:>7} {report.p90_ms:>8} {report.p99_ms:>8} {report.max_ms:>8} ms"
        f" {report.over_50_ms}"
    )
    print(
        f"answering {report.share_streaming:.0%} of the time, "
        f"{report.characters_per_s:,.0f} characters/s on screen"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
