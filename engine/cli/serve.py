"""`python -m engine serve MODEL …`: answers OpenAI's chat completions on this machine."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator

from engine.cli.arguments import GUIDE
from engine.engine import Engine
from engine.errors import EngineError
from engine.model.info import Model

END_SECONDS = 0.7
"""How long the engine may take to end in order before the process ends without it."""


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
    wanted = threading.Event()
    with _signals(wanted):
        engine = Engine()
        status = 2
        try:
            status = _serve(engine, options, wanted)
        except EngineError as error:
            print(f"serve: {error}", file=sys.stderr)
        except OverflowError:
            print(f"serve: a port is 0 to 65535, not {options.port}", file=sys.stderr)
        except OSError as error:
            print(
                f"serve: port {options.port}: {error.strerror or error}. Name another by --port.",
                file=sys.stderr,
            )
        _end(engine, status)
    return status


def _serve(engine: Engine, options: argparse.Namespace, wanted: threading.Event) -> int:
    """Answer until a signal comes."""
    from engine.serve.server import Server  # other commands need no web server

    models: list[Model] = []
    for path in options.models:
        loading = engine.load_later(path)
        woken = threading.Event()
        loading.add_done_callback(lambda _, woken=woken: woken.set())  # type: ignore[misc]
        while not woken.wait(0.05):
            if wanted.is_set():
                return 0
        models.append(loading.result())
    if wanted.is_set():
        return 0
    with Server(engine, models, options.port) as server:
        names = ", ".join(model.name for model in models)
        print(f"{names} at http://127.0.0.1:{server.port}/v1 (Ctrl+C ends)", flush=True)
        wanted.wait()
    return 0


def _end(engine: Engine, status: int) -> None:
    """Stop the engine. Something native that does not come back must not keep the process."""
    engine.stop(END_SECONDS)
    if engine.is_running:
        logging.getLogger(__name__).warning("the engine does not stop: ending without it")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


@contextlib.contextmanager
def _signals(wanted: threading.Event) -> Iterator[None]:
    """Let Ctrl+C and SIGTERM set the event. A second one ends the process at once."""

    def stop(number: int, _: object) -> None:
        if wanted.is_set():
            os._exit(128 + number)
        wanted.set()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
