"""``python -m tests.bench``: responsiveness of the window, compared with fixed limits."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

from app.settings.paths import GUIDE
from tests.bench.bars import Figure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="figures for machines")
    commands = parser.add_subparsers(dest="command", required=True)
    stalls = commands.add_parser("stalls", help="event-loop stalls while panes stream")
    stalls.add_argument("--panes", type=int, default=8)
    stalls.add_argument("--seconds", type=float, default=20.0)
    stalls.add_argument("--drip", action="store_true", help="long answers, no model")
    stalls.add_argument("--rate", type=float, default=50.0, help="with --drip: tokens/s a pane")
    stalls.add_argument("--characters", type=int, default=60_000, help="with --drip: at first")
    stalls.add_argument("--model", default=GUIDE, help="another model's folder")
    memory = commands.add_parser("memory", help="the process with the Guide and eight chats")
    memory.add_argument("--panes", type=int, default=8)
    opening = commands.add_parser("open", help="a chat of 10,000 messages, asked to painted")
    opening.add_argument("--messages", type=int, default=10_000)
    opening.add_argument("--long", type=int, default=3, help="how many of them")
    scroll = commands.add_parser("scroll", help="stalls while a long chat is scrolled and resized")
    scroll.add_argument("--messages", type=int, default=400)
    scroll.add_argument("--seconds", type=float, default=10.0, help="for each")
    start = commands.add_parser("start", help="process to window, and to 20 usable chats")
    start.add_argument("--rounds", type=int, default=5)
    token = commands.add_parser("token", help="from the engine's event to the screen")
    token.add_argument("--tokens", type=int, default=500)
    token.add_argument("--rate", type=float, default=50.0, help="tokens/s")
    walk = commands.add_parser("walk", help="files and functions of app/ on three main paths")
    walk.add_argument("--names", action="store_true", help="print the functions by file")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    figures = _figures(options)
    if options.json:
        print(json.dumps([asdict(figure) for figure in figures]))
    else:
        print("\n".join(map(str, figures)))
    return 0 if all(figure.held for figure in figures) else 1


def _figures(options: argparse.Namespace) -> list[Figure]:
    # Import only what is needed, because other modules would count as memory and as a warm start.
    match options.command:
        case "memory":
            from tests.bench import memory

            return memory.measure(options.panes)
        case "open":
            from tests.bench import opening

            return opening.measure(options.messages, options.long)
        case "scroll":
            from tests.bench import scrolling

            return scrolling.measure(options.messages, options.seconds)
        case "start":
            from tests.bench import starting

            return starting.measure(options.rounds)
        case "token":
            from tests.bench import token

            return token.measure(options.tokens, options.rate)
        case "walk":
            from tests.bench import walk

            return walk.measure(names=options.names)
        case _:
            from tests.bench import stalls

            if options.drip:
                return stalls.dripping(
                    options.panes, options.seconds, options.rate, options.characters
                )
            return stalls.measure(options.model, options.panes, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
