"""`python -m engine download`: its progress. What it downloads is in tests/engine/hub."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from engine.cli import download
from engine.cli.download import DownloadProgress

_MB = 10**6


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_line_shows_rate_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, terminal = SimpleNamespace(), Terminal()
    monkeypatch.setattr(download, "time", clock)
    monkeypatch.setenv("COLUMNS", "200")
    progress = DownloadProgress(terminal, quiet=False)
    for now, done in ((100.0, 400), (110.0, 500), (110.05, 501), (110.06, 1000)):
        clock.monotonic = lambda now=now: now
        progress(done * _MB, 1000 * _MB)
    drawn = [line.split(" ", 1)[1] for line in terminal.getvalue().split("\r\x1b[K")[1:]]
    assert drawn == [
        "400.0 MB of 1.00 GB  0.0 MB/s  …",
        "500.0 MB of 1.00 GB  10.0 MB/s  50.0 s left",
        "1.00 GB of 1.00 GB  59.6 MB/s  0.0 s left",  # the third call came too early
    ]


def test_progress_in_a_file_is_a_line_per_tenth() -> None:
    file = io.StringIO()
    progress = DownloadProgress(file, quiet=False)
    for done in range(101):
        progress(done * _MB, 100 * _MB)
    assert file.getvalue().splitlines() == [f"{n}.0 MB of 100.0 MB" for n in range(0, 101, 10)]
