"""`python -m engine serve MODEL …`: answers OpenAI's chat completions on this machine."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import threading

from engine.cli.arguments import GUIDE
from engine.engine import Engine
from engine.errors import EngineError
from engine.serve.handler import Server


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models", nargs="*", default=[str(GUIDE)], metavar="MODEL", help="folder or hub id (Guide)"
    )
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one (8080)")
    parser.add_argument("--quiet", action="store_true", help="no line for each request")


def main(options: argparse.Namespace) -> int:
    logging.basicConfig(
        level=logging.WARNING if options.quiet else logging.INFO, format="%(message)s"
    )
    try:
        with Engine() as engine:
            return _serve(engine, options)
    except EngineError as error:
        print(f"serve: {error}", file=sys.stderr)
    except OverflowError:
        print(f"serve: a port is 0 to 65535, not {options.port}", file=sys.stderr)
    except OSError as error:
        print(
            f"serve: port {options.port}: {error.strerror or error}. Name another by --port.",
            file=sys.stderr,
        )
    return 2


def _serve(engine: Engine, options: argparse.Namespace) -> int:
    models = [engine.load(path) for path in options.models]
    with Server(engine, models, options.port) as server:

        def stop(*_: object) -> None:
            # Not from this thread, which is the one that has to end for it.
            threading.Thread(target=server.shutdown, daemon=True).start()

        before = {n: signal.signal(n, stop) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            names = ", ".join(model.name for model in models)
            print(f"{names} at http://127.0.0.1:{server.server_port}/v1 (Ctrl+C ends)", flush=True)
            server.serve_forever()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    return 0
