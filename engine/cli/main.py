"""Parses the command line and runs one command: `python -m engine chat MODEL`, for example."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from engine.bench import families, soak
from engine.cli import batch, bench, chat, download, serve


def main(arguments: Sequence[str] | None = None, prog: str = "python -m engine") -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Stretto's engine: many isolated chats on one copy of the weights.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chat.add_arguments(commands.add_parser("chat", help="a terminal chat with a model"))
    batch.add_arguments(
        commands.add_parser("batch", help="answer the requests in a file, many at a time")
    )
    serve.add_arguments(
        commands.add_parser("serve", help="answers other programs over HTTP, as OpenAI does")
    )
    download.add_arguments(commands.add_parser("download", help="a model from the hub, resumable"))
    bench.add_arguments(
        commands.add_parser("bench", help="throughput and latency against the alternatives")
    )
    families.add_arguments(
        commands.add_parser("families", help="how every model family of mlx-lm shares a step")
    )
    soak.add_arguments(
        commands.add_parser("soak", help="random schedules over all families, compared with alone")
    )
    options = parser.parse_args(arguments)
    run = {
        "chat": chat.main,
        "batch": batch.main,
        "serve": serve.main,
        "download": download.main,
        "bench": bench.main,
        "families": families.main,
        "soak": soak.main,
    }[options.command]
    return run(options)
