"""The log file. What a person or a model wrote never goes into it."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

log = logging.getLogger("app")

on_uncaught: Callable[..., object] | None = None
"""Told the kind, the error and the traceback of what nobody caught, besides the log."""


class _LogFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A line that finds no room is left out; the program goes on without a word of it."""


def start(folder: Path) -> logging.Handler | None:
    """Log into ``folder``; None (and log nothing) where the folder cannot be written."""
    try:
        handler = _LogFile(
            folder / "stretto.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True
        )
    except OSError:
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return handler


def stop(handler: logging.Handler | None) -> None:
    """Take the handler away again and close its file."""
    if handler is not None:
        logging.getLogger().removeHandler(handler)
        with contextlib.suppress(OSError):  # a full disk must not keep the program from ending
            handler.close()


def log_uncaught() -> None:
    """Write errors that nobody caught into the log as well as to the terminal."""

    def on_error(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        log.error("Uncaught", exc_info=(kind, error, trace))
        if on_uncaught is not None and not issubclass(kind, KeyboardInterrupt):
            on_uncaught(kind, error, trace)
        sys.__excepthook__(kind, error, trace)

    def on_thread_error(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            on_error(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = on_error
    threading.excepthook = on_thread_error
