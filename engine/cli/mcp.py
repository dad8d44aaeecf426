"""`python -m engine mcp`: the engine's chats as tools for other programs, over stdio."""

from __future__ import annotations

import argparse
import sys

from engine.cli.arguments import GUIDE
from engine.engine import Engine
from engine.params import SamplingParams

MISSING = "mcp: the package `mcp` is not installed. Run `make` again, or `pip install mcp`."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models",
        nargs="*",
        help="model folders, GGUF files or downloaded hub ids; the bundled model if none is named",
    )
    parser.add_argument("--max-tokens", type=int, default=1024, help="of an answer, at most")


def main(options: argparse.Namespace) -> int:
    try:
        # Only this command pays for the package, which takes a second to import.
        from engine.cli import mcp_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        print(MISSING, file=sys.stderr)
        return 2
    try:
        limit = SamplingParams(max_tokens=options.max_tokens).max_tokens
    except ValueError as error:
        print(f"mcp: {error}", file=sys.stderr)
        return 2
    with Engine() as engine:
        chats = mcp_server.Chats(engine, options.models or [str(GUIDE)], limit)
        mcp_server.server(chats).run("stdio")
    return 0
