"""Parses the command line and runs one command: `python -m engine chat MODEL`, for example."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from types import ModuleType


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
            module().add_arguments(own)
    options = parser.parse_args(given)
    status: int = COMMANDS[options.command][0]().main(options)
    return status


def _chat() -> ModuleType:
    from engine.cli import chat

    return chat


def _batch() -> ModuleType:
    from engine.cli import batch

    return batch


def _serve() -> ModuleType:
    from engine.cli import serve

    return serve


def _cluster() -> ModuleType:
    from engine.cli import cluster

    return cluster


def _load() -> ModuleType:
    from engine.bench import load

    return load


def _download() -> ModuleType:
    from engine.cli import download

    return download


def _bench() -> ModuleType:
    from engine.cli import bench

    return bench


def _families() -> ModuleType:
    from engine.bench import families

    return families


def _soak() -> ModuleType:
    from engine.bench import soak

    return soak


def _dialects() -> ModuleType:
    from engine.cli import dialects

    return dialects


def _mcp() -> ModuleType:
    from engine.cli import mcp

    return mcp


def _convert() -> ModuleType:
    from engine.cli import convert

    return convert


def _doctor() -> ModuleType:
    from engine.cli import doctor

    return doctor


def _report() -> ModuleType:
    from engine.cli import report

    return report


COMMANDS: dict[str, tuple[Callable[[], ModuleType], str]] = {
    "chat": (_chat, "a terminal chat with a model"),
    "batch": (_batch, "answer the requests in a file, many at a time"),
    "serve": (_serve, "answers other programs over HTTP, as OpenAI does"),
    "cluster": (_cluster, "the machines that a model is spread over: check, copy, test, start"),
    "mcp": (_mcp, "chats and comparisons as tools for other programs (MCP over stdio)"),
    "load": (_load, "many clients at a server over HTTP"),
    "download": (_download, "a model from the hub, resumable"),
    "bench": (_bench, "throughput and latency against the alternatives"),
    "dialects": (_dialects, "how models mark reasoning, answers and tool calls"),
    "families": (_families, "how every model family of mlx-lm shares a step"),
    "convert": (_convert, "a smaller copy of a model, in 4, 6 or 8 bits"),
    "report": (_report, "ten minutes of measuring, one file to send back"),
    "doctor": (_doctor, "what is installed, and what of it works together"),
    "soak": (_soak, "random schedules over all families, compared with alone"),
}
