"""Output file of a batch, with one record per line, and statistics of a run.

Records are appended as answers arrive, and sorted by line at the end. After an interruption, an
incomplete last record is cut off, and its line is answered again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import shutil
import stat
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.batch.run import BatchAnswer

RECORD_START = b'{"line": '  # first bytes of each record
SYNC_S = 1.0  # interval between syncs; a power failure loses at most this much work
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class OutputError(Exception):
    pass


class StoredRecord(Struct, frozen=True):
    request: str
    failed: bool
    start: int
    size: int


def encode_record(line: int, request: str, content: dict[str, Any]) -> bytes:
    """Return a record with a newline at the end. `request` is the digest of the line."""
    text = json.dumps({"line": line, **content, "request": request}, ensure_ascii=False)
    for separator in "\u0085\u2028\u2029":  # some programs split lines at these characters
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    return text.encode("utf-8", "backslashreplace") + b"\n"  # lone surrogates become \udXXX


class ResultsFile:
    """Output file, locked until it's closed.

    Args:
        restart: delete all records from earlier runs.
        retry_failed: drop records of failed lines, so that they're answered again.

    Raises:
        OutputError: if the file has other content, or another run is writing to it.
        OSError: if a file can't be read or written. Also raised by `write` and `close`.
    """

    def __init__(self, path: Path, restart: bool = False, retry_failed: bool = False) -> None:
        # If this is a link, sorting should replace the target, not the link.
        self._path = path.resolve()
        self._descriptor = os.open(path, _FLAGS, 0o666)
        self._synced = time.monotonic()
        try:
            _lock(self._descriptor, path)
            if restart:
                os.ftruncate(self._descriptor, 0)
            self.known, self._size = _read_records(path)
            os.ftruncate(self._descriptor, self._size)  # cut off an incomplete record
        except BaseException:
            os.close(self._descriptor)
            raise
        if retry_failed:
            self.known = {line: k for line, k in self.known.items() if not k.failed}
        # Start and size of each record to keep, by line.
        self._record_places = {line: (k.start, k.size) for line, k in self.known.items()}

    def check(self, requests: Iterable[tuple[int, str]]) -> int:
        """Check that known records match these lines and digests. Return the number of lines.

        Raises:
            OutputError: if a record is for a different request.
        """
        count, unseen = 0, set(self.known)
        for line, request in requests:
            count += 1
            if line in self.known and self.known[line].request == request:
                unseen.discard(line)
        if unseen:
            line = min(unseen)
            raise OutputError(
                f"The answer to line {line} in {self._path} is to a different request: the input, "
                "the model or the options have changed. Choose another output file, or delete "
                "the old answers with --restart"
                + (" (failed ones only: --retry-failed)." if self.known[line].failed else ".")
            )
        return count

    def write(self, line: int, raw: bytes) -> None:
        _append(self._descriptor, raw)
        self._record_places[line] = self._size, len(raw)
        self._size += len(raw)
        if time.monotonic() - self._synced > SYNC_S:
            os.fsync(self._descriptor)
            self._synced = time.monotonic()

    def close(self) -> None:
        try:
            os.fsync(self._descriptor)
            places = [offsets for _, offsets in sorted(self._record_places.items())]
            if places != sorted(places) or sum(size for _, size in places) < self._size:
                self._rewrite(places)
        finally:
            os.close(self._descriptor)

    def _rewrite(self, places: list[tuple[int, int]]) -> None:
        fresh = self._path.with_name(self._path.name + ".sorted")
        try:
            with fresh.open("wb") as file:
                file.writelines(os.pread(self._descriptor, size, start) for start, size in places)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(self._path, fresh)
            fresh.replace(self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise


def _lock(out: int, path: Path) -> None:
    if not stat.S_ISREG(os.fstat(out).st_mode):
        raise OutputError(f"{path} is not a regular file. Choose another output file.")
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(f"Another run is writing {path}. Wait until it ends.") from None
    if not os.path.samestat(os.fstat(out), path.stat()):  # replaced by a run that has just finished
        raise OutputError(f"Another run has written {path}. Run this command again.")


def _read_records(path: Path) -> tuple[dict[int, StoredRecord], int]:
    """Return a file's records by line (the last record wins), and their total size in bytes,
    excluding an incomplete record at the end.
    """
    records: dict[int, StoredRecord] = {}
    start = 0
    with path.open("rb") as file:
        for raw in file:
            entry = _parse_record(raw)
            if entry is not None:
                failed = entry.get("error") is not None
                records[entry["line"]] = StoredRecord(entry["request"], failed, start, len(raw))
                start += len(raw)
            elif not _is_torn(raw):
                raise OutputError(
                    f"{path} was not written by `python -m engine batch`. Choose another output "
                    "file."
                )
    return records, start


def _parse_record(raw: bytes) -> dict[str, Any] | None:
    if not raw.startswith(RECORD_START) or not raw.endswith(b"\n"):
        return None
    try:
        entry = json.loads(raw)
    except ValueError:
        return None
    valid = isinstance(entry.get("line"), int) and isinstance(entry.get("request"), str)
    return entry if valid else None


def _is_torn(raw: bytes) -> bool:
    """Return True if the end of a file could be an incomplete record, or zeros after a power
    failure.
    """
    is_record = raw.startswith(RECORD_START) or RECORD_START.startswith(raw) or not raw.strip(b"\0")
    return is_record and not raw.endswith(b"\n")


def _append(file: int, data: bytes) -> None:
    before = os.fstat(file).st_size
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, before)
        raise


class BatchSummary:
    """Statistics of a run.

    Args:
        before: number of lines that already have a record from an earlier run.
        failed_before: number of those records that are errors.
    """

    def __init__(self, lines: int, before: int, failed_before: int) -> None:
        self.lines = lines
        self.before = before
        self.answered = 0
        self.failed = 0
        self._failed_before = failed_before
        self._began = time.perf_counter()
        self._prompt_tokens = self._reused_tokens = self._generated_tokens = 0
        self._latencies: list[float] = []
        self._firsts: list[float] = []

    def add(self, answer: BatchAnswer) -> None:
        if answer.is_failure:
            self.failed += 1
            return
        self.answered += 1
        stats = answer.stats
        self._prompt_tokens += stats.prompt_tokens
        self._reused_tokens += stats.reused_tokens
        self._generated_tokens += stats.generated_tokens
        self._latencies.append(answer.latency_s)
        if stats.generated_tokens:
            self._firsts.append(stats.ttft_s)

    def add_invalid_line(self) -> None:
        self.failed += 1

    @property
    def done_lines(self) -> int:
        return self.before + self.answered + self.failed

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def total_failed(self) -> int:
        return self.failed + self._failed_before

    def statistics(self) -> dict[str, Any]:
        """Return all statistics. Times are in seconds. Without answers, percentiles are None."""
        seconds = self.seconds
        return {
            "lines": self.lines,
            "done_before": self.before,
            "answered": self.answered,
            "failed": self.failed,
            "failed_before": self._failed_before,
            "missing": self.lines - self.done_lines,
            "seconds": seconds,
            "requests_per_s": self.answered / seconds,
            "tokens_per_s": self._generated_tokens / seconds,
            "prompt_tokens": self._prompt_tokens,
            "reused_tokens": self._reused_tokens,
            "generated_tokens": self._generated_tokens,
            "latency_p50_s": percentile(self._latencies, 50),
            "latency_p95_s": percentile(self._latencies, 95),
            "first_token_p50_s": percentile(self._firsts, 50),
            "first_token_p95_s": percentile(self._firsts, 95),
        }

    def text(self) -> str:
        f = self.statistics()
        earlier = f", {self.before:,} before" if self.before else ""
        missing = f", {f['missing']:,} not done" if f["missing"] else ""
        lines = [
            f"{self.answered:,} answered, {self.failed:,} failed{earlier}{missing}; "
            f"{format_duration(f['seconds'])}"
        ]
        if self.answered:
            reused = f", {f['reused_tokens']:,} of them reused" if f["reused_tokens"] else ""
            lines += [
                f"{f['requests_per_s']:.2f} requests/s, {f['tokens_per_s']:.1f} tokens/s generated "
                f"({f['generated_tokens']:,} in all; {f['prompt_tokens']:,} of prompts{reused})",
                f"latency     p50 {f['latency_p50_s']:.2f} s, p95 {f['latency_p95_s']:.2f} s",
            ]
        if self._firsts:
            lines.append(
                f"first token p50 {f['first_token_p50_s']:.2f} s, p95 "
                f"{f['first_token_p95_s']:.2f} s"
            )
        return "\n".join(lines)


def percentile(values: Sequence[float], share: float) -> float | None:
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]


def format_duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
