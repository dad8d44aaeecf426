"""Log file. Must never contain text from the user or a model."""

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
"""Called with type, exception and traceback of an uncaught exception, after logging."""


class _LogFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None: ...


def start(folder: Path) -> logging.Handler:
    """Start logging to ``folder``. If it isn't writable, nothing is logged."""
    handler = _LogFile(
        folder / "stretto.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return handler


def stop(handler: logging.Handler | None) -> None:
    if handler is not None:
        logging.getLogger().removeHandler(handler)
        with contextlib.suppress(OSError):  # a full disk mustn't keep us from quitting
            handler.close()


def log_uncaught() -> None:
    def on_error(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        log.error("uncaught error", exc_info=(kind, error, trace))
        if on_uncaught is not None and not issubclass(kind, KeyboardInterrupt):
            on_uncaught(kind, error, trace)
        sys.__excepthook__(kind, error, trace)

    def on_thread_error(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            on_error(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = on_error
    threading.excepthook = on_thread_error
