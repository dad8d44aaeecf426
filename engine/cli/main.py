"""The engine's command line, e.g. `python -m engine chat MODEL`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "chat": ("engine.cli.chat", "chat with a model in the terminal"),
    "batch": ("engine.cli.batch", "answer the requests in a file concurrently"),
    "serve": ("engine.cli.serve", "serve an OpenAI-compatible HTTP API"),
    "cluster": (
        "engine.cli.cluster",
        "manage the machines over which a model is spread",
    ),
    "mcp": ("engine.cli.mcp", "offer chats and comparisons as MCP tools over stdio"),
    "launch": ("engine.cli.launch", "start a coding agent with a local model"),
    "load": ("engine.bench.load", "load-test a server with many HTTP clients"),
    "download": ("engine.cli.download", "download a model from the hub, resumable"),
    "bench": ("engine.cli.bench", "measure throughput and latency against alternatives"),
    "dialects": ("engine.cli.dialects", "list how models mark reasoning, answers and tool calls"),
    "families": ("engine.bench.families", "test how every model family shares a step"),
    "convert": ("engine.cli.convert", "write a smaller copy of a model, in 4, 6 or 8 bits"),
    "report": ("engine.bench.report", "measure for ten minutes and write one file to send back"),
    "doctor": ("engine.cli.doctor", "check installed versions"),
    "soak": ("engine.bench.soak", "run random schedules on all families and compare with alone"),
}
"""Module and help text of each command. Modules define `add_arguments` and `main`.

Modules are imported by name, so they must be listed in `packaging/stretto.spec`.
"""


def main(arguments: Sequence[str] | None = None, prog: str = "python -m engine") -> int:
    argv = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Stretto's engine: many isolated chats on one copy of the weights.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if name in argv:  # importing all commands would take 0.3 s
            importlib.import_module(module).add_arguments(command)
    options = parser.parse_args(argv)
    status: int = importlib.import_module(COMMANDS[options.command][0]).main(options)
    return status
