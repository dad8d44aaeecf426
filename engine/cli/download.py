"""`python -m engine download REPO_ID`: the model's folder on stdout, how far it is on stderr."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TextIO

from engine import hub
from engine.batch.results import duration
from engine.cli.arguments import Line, bar, terminable
from engine.errors import INVALID_REQUEST, EngineError

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
_EVERY_S = 0.1

EPILOG = """\
Takes config, weights in safetensors and tokenizer, and no code. They lie in huggingface_hub's
cache, so HF_HOME, HF_TOKEN and HF_ENDPOINT hold. Interrupted in whatever way, the same command
goes on where it was. Exit status: 0 it is there, 1 it is not, 2 that is no model's id,
130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("repo", metavar="REPO_ID", help="owner/name, or the address of its page")
    parser.add_argument("--revision", metavar="R", help="a branch, tag or commit (main)")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")


def main(options: argparse.Namespace) -> int:
    progress = _Progress(sys.stderr, quiet=options.quiet)
    try:
        with terminable():
            model = hub.look_up(
                options.repo,
                options.revision,
                most_wait_s=hub.MAX_WAIT_S,
                on_wait=progress.waits,
            )
            if not options.quiet:
                print(_about(model), file=sys.stderr)
            folder = hub.download(model, progress, on_wait=progress.waits)
    except KeyboardInterrupt:
        progress.clear()
        words = f"download: interrupted{progress.so_far()}; the same command goes on from here."
        print(words, file=sys.stderr)
        return INTERRUPTED
    except EngineError as error:
        progress.clear()
        print(f"download: {error}", file=sys.stderr)
        return WRONG if error.code == INVALID_REQUEST else FAILED
    progress.clear()
    print(folder)
    return DONE


def _about(model: hub.HubModel) -> str:
    bits = f", {model.bits}-bit" if model.bits else ""
    at = "" if model.revision == "main" else f" at {model.revision}"
    return f"{model.repo}{at}: {_size(model.size)}, {model.architecture}{bits}"


class _Progress:
    """On a terminal one line that is drawn again and again; in a file a line for every tenth."""

    def __init__(self, stream: TextIO, quiet: bool) -> None:
        self._stream = stream
        self._quiet = quiet
        self._line = Line(stream)
        self._began = (0.0, 0)  # when, and what was there already
        self._told = 0.0
        self._tenth = -1
        self._last = (0, 0)

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._began[0]:
            self._began = (now, done)
        self._last = (done, total)
        if self._quiet:
            return
        if self._line.shown and (now - self._told >= _EVERY_S or done == total):
            self._told = now
            self._line.draw(self._words(now))
        elif not self._line.shown and (tenth := 10 * done // max(total, 1)) > self._tenth:
            self._tenth = tenth
            print(f"{_size(done)} of {_size(total)}", file=self._stream, flush=True)

    def waits(self, seconds: float) -> None:
        """Say that the hub asks to wait."""
        if not self._quiet:
            self.clear()
            words = f"The hub asks to wait {duration(seconds)}. The download then continues."
            print(words, file=self._stream, flush=True)

    def clear(self) -> None:
        if self._last[1]:
            self._line.clear()

    def so_far(self) -> str:
        done, total = self._last
        return f" at {_size(done)} of {_size(total)}" if total else ""

    def _words(self, now: float) -> str:
        done, total = self._last
        rate = (done - self._began[1]) / max(now - self._began[0], 1e-6)
        left = f"{duration((total - done) / rate)} left" if rate > 0 else "…"
        shown = bar(done, max(total, 1))
        return f"{shown} {_size(done)} of {_size(total)}  {_size(int(rate))}/s  {left}"


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 10**9 else f"{count / 1e6:.1f} MB"
