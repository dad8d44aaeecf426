"""Parses the command line and runs one command: `python -m engine chat MODEL`, for example."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "chat": ("engine.cli.chat", "a terminal chat with a model"),
    "batch": ("engine.cli.batch", "answer the requests in a file, many at a time"),
    "serve": ("engine.cli.serve", "answers other programs over HTTP, as OpenAI does"),
    "cluster": (
        "engine.cli.cluster",
        "the machines that a model is spread over: check, copy, test, start",
    ),
    "mcp": ("engine.cli.mcp", "chats and comparisons as tools for other programs (MCP over stdio)"),
    "launch": ("engine.cli.launch", "a coding agent that works with a model of this computer"),
    "load": ("engine.bench.load", "many clients at a server over HTTP"),
    "download": ("engine.cli.download", "a model from the hub, resumable"),
    "bench": ("engine.cli.bench", "throughput and latency against the alternatives"),
    "dialects": ("engine.cli.dialects", "how models mark reasoning, answers and tool calls"),
    "families": ("engine.bench.families", "how every model family shares a step"),
    "convert": ("engine.cli.convert", "a smaller copy of a model, in 4, 6 or 8 bits"),
    "report": ("engine.bench.report", "ten minutes of measuring, one file to send back"),
    "doctor": ("engine.cli.doctor", "what is installed, and what of it works together"),
    "soak": ("engine.bench.soak", "random schedules over all families, compared with alone"),
}
"""The module of each command, with `add_arguments` and `main`, and what it is for.

`packaging/stretto.spec` names these modules, too: they are imported by name.
"""


def main(arguments: Sequence[str] | None = None, prog: str = "python -m engine") -> int:
    """Run one command; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Stretto's engine: many isolated chats on one copy of the weights.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, about) in COMMANDS.items():
        own = commands.add_parser(name, help=about)
        if name in given:  # the others need not be imported, which takes a third of a second
            importlib.import_module(module).add_arguments(own)
    options = parser.parse_args(given)
    status: int = importlib.import_module(COMMANDS[options.command][0]).main(options)
    return status
