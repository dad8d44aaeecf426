"""What several commands use: arguments, constants, a line that shows a progress."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import platformdirs

from engine.cluster.hosts import Host, Hosts

GUIDE = Path(__file__).resolve().parents[2] / "resources" / "guide"
"""The folder of the bundled model."""


_BAR_WIDTH = 24


def positive(text: str) -> int:
    """A whole number of at least 1, for `argparse`."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def add_adapter(parser: argparse.ArgumentParser) -> None:
    """The argument `--adapter`, for commands with one model."""
    parser.add_argument(
        "--adapter", metavar="FOLDER", help="a LoRA or DoRA adapter for it, in mlx-lm's layout"
    )


def add_draft(parser: argparse.ArgumentParser) -> None:
    """The argument `--draft-model`, for commands with one model."""
    parser.add_argument(
        "--draft-model",
        metavar="MODEL",
        help="a smaller one with the same tokenizer: it drafts for a chat that runs alone, where "
        'that is faster; the text stays the same. "lookup" drafts from what the chat holds, for '
        "text or code that is written again with changes",
    )


def ways_dir() -> Path | None:
    """What the engine is given as its `ways_dir`: the window's folder, so that all use its files.

    None where STRETTO_NO_WAYS in the environment says so.
    """
    if os.environ.get("STRETTO_NO_WAYS"):
        return None
    return platformdirs.user_cache_path("Stretto", appauthor=False) / "ways"


def serve_cache_dir() -> Path | None:
    """Where `serve` keeps caches of conversations if no other folder is named; as `ways_dir`."""
    if os.environ.get("STRETTO_NO_WAYS"):
        return None
    return platformdirs.user_cache_path("Stretto", appauthor=False) / "serve"


def add_ranks(parser: argparse.ArgumentParser) -> None:
    """The argument `--ranks`, for commands that answer many."""
    parser.add_argument(
        "--ranks",
        type=positive,
        default=1,
        metavar="N",
        help="spread each model over N processes on this machine (1)",
    )
    parser.add_argument(
        "--hosts", metavar="NAME,NAME…", help="or over these machines; see the command cluster"
    )
    add_hosts_file(parser)


def add_hosts_file(parser: argparse.ArgumentParser) -> None:
    """The argument `--hosts-file`."""
    parser.add_argument(
        "--hosts-file", type=Path, metavar="FILE", help="where the hosts lie (in the profile)"
    )


def ranks_of(options: argparse.Namespace) -> int | Sequence[Host]:
    """What the engine is given as its ranks.

    Raises:
        HostError: a host is not known, or they cannot be one group.
    """
    if not options.hosts:
        ranks: int = options.ranks
        return ranks
    return Hosts(options.hosts_file).group(options.hosts.split(","))


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM is a KeyboardInterrupt meanwhile, as Ctrl+C is."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Line:
    """One line that is redrawn in place. It draws nothing into a file or a pipe."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()  # whether the stream is a terminal

    def draw(self, text: str) -> None:
        """Show this text, cut to the terminal's width, in place of the last one."""
        if self.shown:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r\x1b[K{text[:width]}")
            self._stream.flush()

    def clear(self) -> None:
        """Empty the line."""
        self.draw("")


def bar(done: int, of: int) -> str:
    """A bar of characters, full if `done` equals `of` (or `of` is 0)."""
    filled = round(_BAR_WIDTH * done / of) if of else _BAR_WIDTH
    return "█" * filled + "░" * (_BAR_WIDTH - filled)
