"""Arguments, constants and a status line that several commands need."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import platformdirs

from engine.cluster.hosts import Host, HostsFile

GUIDE = Path(__file__).resolve().parents[2] / "resources" / "guide"


_BAR_WIDTH = 24


def positive_int(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def add_adapter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--adapter", metavar="FOLDER", help="LoRA or DoRA adapter for it, in mlx-lm's layout"
    )


def add_draft(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--draft-model",
        metavar="MODEL",
        help="smaller model with the same tokenizer that drafts for a chat running alone, if "
        'that is faster; the text stays the same. "lookup" drafts from the chat\'s own text, for '
        "text or code that is repeated with changes",
    )


def cache_dir(name: str) -> Path | None:
    """Return a folder of Stretto's caches, or None if STRETTO_NO_WAYS is set.

    Args:
        name: "ways" (see `Engine`) or "serve" (conversations of `serve`).
    """
    if os.environ.get("STRETTO_NO_WAYS"):
        return None
    return platformdirs.user_cache_path("Stretto", appauthor=False) / name


def add_ranks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ranks",
        type=positive_int,
        default=1,
        metavar="N",
        help="processes on this machine over which each model is spread (default: 1)",
    )
    parser.add_argument(
        "--hosts",
        metavar="NAME,NAME…",
        help="machines over which each model is spread; see the command cluster",
    )
    add_hosts_file(parser)


def add_hosts_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hosts-file", type=Path, metavar="FILE", help="hosts file (default: in the profile)"
    )


def parse_ranks(options: argparse.Namespace) -> int | Sequence[Host]:
    """Return the engine's `ranks` argument.

    Raises:
        HostError: if a host is unknown, or the hosts can't form a group.
    """
    if not options.hosts:
        ranks: int = options.ranks
        return ranks
    return HostsFile(options.hosts_file).group(options.hosts.split(","))


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def postpone_interrupts() -> Iterator[None]:
    """Delay SIGINT and SIGTERM until the end of the block. Main thread only."""
    received: list[int] = []
    before: dict[int, Any] = {}
    try:
        for name in (signal.SIGINT, signal.SIGTERM):
            before[name] = signal.signal(name, lambda number, _: received.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in received:
            signal.raise_signal(number)


class StatusLine:
    """Line of the terminal that is redrawn in place. Does nothing outside of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()

    def draw(self, text: str) -> None:
        if self.shown:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r\x1b[K{text[:width]}")
            self._stream.flush()

    def clear(self) -> None:
        self.draw("")


def progress_bar(current: int, total: int) -> str:
    filled = round(_BAR_WIDTH * current / total) if total else _BAR_WIDTH
    return "█" * filled + "░" * (_BAR_WIDTH - filled)
