"""The output file: one record a line, in the order of the input; and the figures of a run.

Answers come in any order. A record whose turn has not come yet is kept in a second file beside
the output, so that no answer is in memory only. After an interruption, `kill -9` too, both files
are read again; what was being written at that moment is cut off and answered anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import math
import os
import stat
import time
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.batch.run import Answer

BEGIN = b'{"line": '  # every record's; a file that holds anything else was not written here
SYNC_SECONDS = 1.0  # work that may be lost when the machine loses its power
_SPARE = 1 << 20  # bytes that the file beside may grow to before it is emptied
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class OutputError(Exception):
    """The output file cannot be used. The message says why and what to do."""


class Known(Struct, frozen=True):
    """A record of an earlier run, and where it stands."""

    line: int
    request: str
    failed: bool
    file: Path
    start: int
    size: int

    def raw(self) -> bytes:
        with self.file.open("rb") as file:
            file.seek(self.start)
            return file.read(self.size)


def record(line: int, request: str, content: dict[str, Any]) -> bytes:
    """One record with its newline; `request` is the digest by which it is recognized."""
    text = json.dumps({"line": line, **content, "request": request}, ensure_ascii=False)
    for separator in "\u0085\u2028\u2029":  # some programs take these for ends of lines
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    return text.encode("utf-8", "backslashreplace") + b"\n"  # half a character becomes \udXXX


class Results:
    """The output file `path`, locked, and the records that wait beside it.

    Tell every line of the input in order by `expect`, and `put` the records as they come.

    Args:
        restart: throw away what earlier runs have written.
        retry_failed: forget the records of failures, so that those lines are answered anew.

    Attributes:
        known: the records of earlier runs by line.

    Raises:
        OutputError: the file holds something else, or another run is writing it.
        OSError: a file cannot be read or written; also from `put` and `close`.
    """

    def __init__(self, path: Path, restart: bool = False, retry_failed: bool = False) -> None:
        self._path = path
        self._path_beside = path.with_name(path.name + ".waiting")
        self._out = os.open(path, _FLAGS, 0o666)
        self._beside: int | None = None
        self._due: deque[int] = deque()  # lines whose records are to come, in order
        self._waiting: dict[int, bytes] = {}
        self._synced = time.monotonic()
        try:
            lock(self._out, path)
            if restart:
                os.ftruncate(self._out, 0)
                self._path_beside.unlink(missing_ok=True)
            if retry_failed:
                self._forget_failed()
            ordered, beside = _read(path), _read(self._path_beside)
            os.ftruncate(self._out, _size(ordered))  # a torn end goes
            self.known = {k.line: k for k in [*beside, *ordered]}
            self._written = {k.line for k in ordered}
            self._unclaimed = set(self.known) - self._written
        except BaseException:
            os.close(self._out)
            raise

    def check(self, requests: Iterable[tuple[int, str]]) -> int:
        """Check that the known records belong to `requests`, lines and digests; returns how many.

        Raises:
            OutputError: a record belongs to another request.
        """
        count, unseen = 0, set(self.known)
        for line, request in requests:
            count += 1
            if line in self.known and self.known[line].request == request:
                unseen.discard(line)
        if unseen:
            line = min(unseen)
            raise OutputError(
                f"The answer to line {line} in {self._path} is one to something else: the input, "
                "the model or the options have changed since. Name another output file, or throw "
                "the old answers away with --restart"
                + (", or failed ones only with --retry-failed." if self.known[line].failed else ".")
            )
        return count

    def expect(self, line: int) -> bool:
        """Announce the next line of the input. Returns whether it is still to be answered."""
        if line in self._written:
            return False
        self._due.append(line)
        if line not in self.known:
            return True
        self._unclaimed.discard(line)
        self._waiting[line] = self.known[line].raw()
        self._advance()
        return False

    def put(self, line: int, raw: bytes) -> None:
        """Write a record to the output when its turn has come, else to the file beside it."""
        self._waiting[line] = raw
        if self._due[0] == line:
            self._advance()
        else:
            if self._beside is None:
                self._beside = os.open(self._path_beside, _FLAGS, 0o666)
                os.ftruncate(self._beside, _size(_read(self._path_beside)))  # a torn end goes
            append(self._beside, raw)
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self._sync()

    def close(self) -> None:
        """Bring everything to the disk. The file beside is removed when nothing waits in it."""
        try:
            self._sync()
            if self._all_out:
                self._path_beside.unlink(missing_ok=True)
        finally:
            os.close(self._out)
            if self._beside is not None:
                os.close(self._beside)

    def _advance(self) -> None:
        """Write the waiting records whose turn has come to the output."""
        ready = []
        while self._due and self._due[0] in self._waiting:
            ready.append(self._waiting.pop(self._due.popleft()))
        if ready:
            append(self._out, b"".join(ready))

    @property
    def _all_out(self) -> bool:
        """Whether every record of the file beside is in the output, too."""
        return not self._waiting and not self._unclaimed

    def _sync(self) -> None:
        os.fsync(self._out)
        if self._beside is not None:
            if self._all_out and os.fstat(self._beside).st_size > _SPARE:
                os.ftruncate(self._beside, 0)
            os.fsync(self._beside)
        self._synced = time.monotonic()

    def _forget_failed(self) -> None:
        """Keep the output up to its first failure. The good records after it go beside it."""
        ordered, beside = _read(self._path), _read(self._path_beside)
        if not any(k.failed for k in [*ordered, *beside]):
            return
        stay = list(itertools.takewhile(lambda k: not k.failed, ordered))
        # Beside first: a record may stand in both files, but must be in one of them.
        fresh = self._path_beside.with_name(self._path_beside.name + ".new")
        with fresh.open("wb") as file:
            file.writelines(k.raw() for k in [*beside, *ordered[len(stay) :]] if not k.failed)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path_beside)
        os.ftruncate(self._out, _size(stay))


def _size(records: list[Known]) -> int:
    return sum(k.size for k in records)


def lock(out: int, path: Path) -> None:
    if not stat.S_ISREG(os.fstat(out).st_mode):
        raise OutputError(f"{path} is not a file. Name one to write to.")
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(f"Another run is writing {path}. Wait for its end.") from None


def _read(path: Path) -> list[Known]:
    """The whole records of a file; a torn end is left out, anything else is refused."""
    found: list[Known] = []
    if not path.exists():
        return found
    start = 0
    with path.open("rb") as file:
        for raw in file:
            entry = _entry(raw)
            if entry is not None:
                failed = entry.get("error") is not None
                known = Known(entry["line"], entry["request"], failed, path, start, len(raw))
                found.append(known)
                start += len(raw)
            elif not _is_torn(raw):
                raise OutputError(
                    f"{path} holds something else than answers of `python -m engine batch`. "
                    "Name another output file."
                )
    return found


def _entry(raw: bytes) -> dict[str, Any] | None:
    """A record, or None where there is none, or half of one."""
    if not raw.startswith(BEGIN) or not raw.endswith(b"\n"):
        return None
    try:
        entry = json.loads(raw)
    except ValueError:
        return None
    whole = isinstance(entry.get("line"), int) and isinstance(entry.get("request"), str)
    return entry if whole else None


def _is_torn(raw: bytes) -> bool:
    """Whether these bytes, the last of a file, can be the beginning of a record.

    A machine that lost its power may have left zeros there.
    """
    ours = raw.startswith(BEGIN) or BEGIN.startswith(raw) or not raw.strip(b"\0")
    return ours and not raw.endswith(b"\n")


def append(file: int, data: bytes) -> None:
    """Write all of `data` at the end, or leave the file as it was."""
    before = os.fstat(file).st_size
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, before)
        raise


# -- figures ------------------------------------------------------------------------------------


class Summary:
    """Counts what this run has done.

    Args:
        lines: how many lines the input has.
        before: how many of them earlier runs have answered or failed to.
        failed_before: how many of those have failed.
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

    def add(self, answer: Answer) -> None:
        """Count an answer, or the failure to give one."""
        if answer.failed:
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

    def add_bad_line(self) -> None:
        """Count a line that is no valid request."""
        self.failed += 1

    @property
    def done(self) -> int:
        """Lines that have a record."""
        return self.before + self.answered + self.failed

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def all_failed(self) -> int:
        """Lines without an answer, those of earlier runs among them."""
        return self.failed + self._failed_before

    def figures(self) -> dict[str, Any]:
        """Everything, times in seconds, rates per second; percentiles are None without answers."""
        seconds = self.seconds
        return {
            "lines": self.lines,
            "done_before": self.before,
            "answered": self.answered,
            "failed": self.failed,
            "failed_before": self._failed_before,
            "missing": self.lines - self.done,
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
        """The same for people, in a few lines."""
        f = self.figures()
        earlier = f", {self.before:,} before" if self.before else ""
        missing = f", {f['missing']:,} not done" if f["missing"] else ""
        lines = [
            f"{self.answered:,} answered, {self.failed:,} failed{earlier}{missing}; "
            f"{duration(f['seconds'])}"
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
    """The smallest value that `share` per cent of them do not exceed; None of nothing."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]


def duration(seconds: float) -> str:
    """1.2 s, 3:05, 2:03:05."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
