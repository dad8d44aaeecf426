"""`python -m engine download REPO_ID`: download a model and print where it is."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TextIO

from engine import hub
from engine.batch.results import format_duration
from engine.cli.arguments import StatusLine, progress_bar, sigterm_as_interrupt
from engine.errors import INVALID_REQUEST, EngineError

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
_REDRAW_S = 0.1

EPILOG = """\
Downloads config, safetensors weights and tokenizer, but no code, into huggingface_hub's cache.
HF_HOME, HF_TOKEN and HF_ENDPOINT apply. After an interruption, run the same command again to
continue. Exit status: 0 downloaded, 1 failed, 2 invalid model id, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("repo", metavar="REPO_ID", help="owner/name, or the page's address")
    parser.add_argument("--revision", metavar="R", help="branch, tag or commit (default: main)")
    parser.add_argument("--quiet", action="store_true", help="show no progress on stderr")


def main(options: argparse.Namespace) -> int:
    progress = DownloadProgress(sys.stderr, quiet=options.quiet)
    try:
        with sigterm_as_interrupt():
            model = hub.look_up(
                options.repo,
                options.revision,
                most_wait_s=hub.MAX_WAIT_S,
                on_wait=progress.show_wait,
            )
            if not options.quiet:
                print(_describe_model(model), file=sys.stderr)
            folder = hub.download(model, progress, on_wait=progress.show_wait)
    except KeyboardInterrupt:
        progress.clear()
        words = f"download: interrupted{progress.downloaded_text()}. "
        words += "Run the same command again to continue."
        print(words, file=sys.stderr)
        return INTERRUPTED
    except EngineError as error:
        progress.clear()
        print(f"download: {error}", file=sys.stderr)
        return WRONG if error.code == INVALID_REQUEST else FAILED
    progress.clear()
    print(folder)
    return DONE


def _describe_model(model: hub.HubModel) -> str:
    bits = f", {model.bits}-bit" if model.bits else ""
    at = "" if model.revision == "main" else f" at {model.revision}"
    return f"{model.repo}{at}: {_format_size(model.size)}, {model.architecture}{bits}"


class DownloadProgress:
    """Progress as a redrawn line in a terminal, or one line per 10% in a file."""

    def __init__(self, stream: TextIO, quiet: bool) -> None:
        self._stream = stream
        self._quiet = quiet
        self._line = StatusLine(stream)
        self._began = (0.0, 0)  # start time, and bytes already on disk at that time
        self._drawn_at = 0.0
        self._tenth = -1
        self._last = (0, 0)

    def __call__(self, downloaded_bytes: int, total: int) -> None:
        now = time.monotonic()
        if not self._began[0]:
            self._began = (now, downloaded_bytes)
        self._last = (downloaded_bytes, total)
        if self._quiet:
            return
        if self._line.shown and (now - self._drawn_at >= _REDRAW_S or downloaded_bytes == total):
            self._drawn_at = now
            self._line.draw(self._line_text(now))
        elif (
            not self._line.shown and (tenth := 10 * downloaded_bytes // max(total, 1)) > self._tenth
        ):
            self._tenth = tenth
            print(
                f"{_format_size(downloaded_bytes)} of {_format_size(total)}",
                file=self._stream,
                flush=True,
            )

    def show_wait(self, seconds: float) -> None:
        if not self._quiet:
            self.clear()
            wait = format_duration(seconds)
            words = f"Hugging Face asks to wait {wait}. The download then continues."
            print(words, file=self._stream, flush=True)

    def clear(self) -> None:
        if self._last[1]:
            self._line.clear()

    def downloaded_text(self) -> str:
        size, total = self._last
        return f" at {_format_size(size)} of {_format_size(total)}" if total else ""

    def _line_text(self, now: float) -> str:
        size, total = self._last
        rate = (size - self._began[1]) / max(now - self._began[0], 1e-6)
        remaining = f"{format_duration((total - size) / rate)} left" if rate > 0 else "…"
        text = progress_bar(size, max(total, 1))
        speed = _format_size(int(rate))
        return f"{text} {_format_size(size)} of {_format_size(total)}  {speed}/s  {remaining}"


def _format_size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 10**9 else f"{count / 1e6:.1f} MB"
