"""KV cache files of sessions that were evicted or closed.

The engine thread passes evaluated arrays to a writer thread. Worker threads read files
(`read_header`, `read`), and the engine thread converts them to arrays in pieces. Unusable files
are removed, and their sessions prefill again.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import queue
import re
import threading
from collections import deque
from collections.abc import Callable, Container
from functools import partial
from pathlib import Path
from typing import TypeVar

from engine.cache.cache_file import (
    CacheImage,
    Contents,
    DamagedError,
    Record,
    create_image,
    read_contents,
    read_record,
)
from engine.cache.ledger import common_length
from engine.cache.session_kv import CacheBytes, SessionKV
from engine.errors import describe_error

log = logging.getLogger(__name__)

T = TypeVar("T")

MIN_TOKENS = 64  # shorter sessions aren't written, because prefilling them is faster than I/O
SHARE_DIVISOR = 16
"""A file is only used for at least 1/16 of its text, because it's read as a whole."""
CLIENT_PREFIX = "clients/"
"""Prefix of the ids of API clients' sessions, and subfolder for their files. The size limit applies
to each folder separately, so clients can't displace the user's chats. These sessions can start from
any file in their domain (see `Offload.find`).
"""

_STEM = re.compile("[0-9a-f]{40}")
# Older versions stored an index in `conversations`.
_CLIENT_FILE = re.compile(rf"{_STEM.pattern}\.(safetensors|([0-9]+\.)?part)|conversations(\.new)?")


def client_files(folder: Path) -> list[Path]:
    client_folder = folder / CLIENT_PREFIX
    return (
        [f for f in client_folder.iterdir() if _CLIENT_FILE.fullmatch(f.name)]
        if client_folder.exists()
        else []
    )


def _is_being_written(part: Path) -> bool:
    """Return True if another process is writing this partial file."""
    number = part.suffixes[0][1:]
    if not number.isdecimal() or int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except PermissionError:  # the process exists but belongs to another user
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def kv_fingerprint(model_id: str, bits: int | None) -> str:
    return f"{model_id} {bits}"


class Offload:
    """Folder of cache files.

    Only `find`, `names_of`, `read_header` and `read` may be called on worker threads.

    Args:
        folder: created when needed, with access for the owner only. None disables writing.
        limit: size limit in bytes, applied separately to the user's chats and to API clients. The
            least recently used files are removed first.
    """

    def __init__(self, folder: Path | None, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        # Called on the writer thread after each write. Makes the engine call `free_written`.
        self.wake: Callable[[], None] = lambda: None
        self._jobs: queue.SimpleQueue[tuple[Path, CacheImage] | None] = queue.SimpleQueue()
        self._change = threading.Condition()  # guards the next four fields
        self._writing: dict[Path, int] = {}  # number of queued images by path
        self._completed: deque[CacheImage] = deque()  # images to free on the engine thread
        self._forgotten: set[Path] = set()  # files to delete as soon as they are written
        # Fingerprint and text of each API client file. Both are empty if it can't be read.
        self._texts: dict[Path, tuple[str, str]] = {}
        self.pending: list[CacheBytes] = []  # memory of images that aren't on disk yet
        self._writer: threading.Thread | None = None
        folders = [] if folder is None else [folder, folder / CLIENT_PREFIX]
        for part in (file for f in folders for file in f.glob(f"{'[0-9a-f]' * 40}.*part")):
            with contextlib.suppress(OSError):  # failing to remove a leftover file is harmless
                if not _is_being_written(part):
                    part.unlink()

    def pending_bytes(self, excluded_groups: Container[int] = ()) -> int:
        """Return the bytes of memory that only pending writes keep alive.

        Args:
            excluded_groups: groups of shared memory still in use elsewhere.
        """
        groups = {p.group: p.shared for p in self.pending if p.group not in excluded_groups}
        return sum(p.own for p in self.pending) + sum(groups.values())

    def save(self, name: str, fingerprint: str, kv: SessionKV) -> None:
        """Queue a session's caches for writing. The caches must not be used afterwards."""
        if self._folder is None or not kv.leave_slots() or kv.length < MIN_TOKENS:
            return
        path = self._path(name)
        if kv.length == kv.on_disk and path.exists():
            return
        try:
            image = create_image(kv, fingerprint)
        except ValueError as error:
            log.info("cannot keep a KV cache on disk: %s", error)
            return
        if image.nbytes > self._limit:
            return
        if self._writer is None or not self._writer.is_alive():
            writer = threading.Thread(target=self._run_writer, name="stretto-offload")
            writer.start()  # may raise, so the file isn't marked as being written yet
            self._writer = writer
        with self._change:
            self._writing[path] = self._writing.get(path, 0) + 1
            self._forgotten.discard(path)
            if name.startswith(CLIENT_PREFIX):
                self._texts[path] = fingerprint, kv.ledger.text
        self.pending.append(image.cache_bytes)
        self._jobs.put((path, image))

    def may_hold(self, name: str) -> bool:
        if self._folder is None:
            return False
        path = self._path(name)
        with self._change:
            return path in self._writing or path.exists()

    def find(self, fingerprint: str, text: str) -> tuple[str, Record] | None:
        """Return the name and header of the API client file whose text has the longest prefix in
        common with `text`, or None.
        """
        matches = [
            (common, -len(its_text), path)
            for path, (its_fingerprint, its_text) in self._read_texts().items()
            if its_fingerprint == fingerprint
            and (common := common_length(its_text, text)) * SHARE_DIVISOR > len(its_text)
        ]
        if not matches:
            return None
        name = CLIENT_PREFIX + max(matches)[-1].stem
        record = self.read_header(name, fingerprint)
        return None if record is None else (name, record)

    def names_of(self, domain: str) -> list[str]:
        """Return the names of all files in an API client's domain, or without a known domain."""
        owners = {
            path: fingerprint.split(" ", 2)[2:]
            for path, (fingerprint, _) in self._read_texts().items()
        }
        return [
            CLIENT_PREFIX + path.stem for path, owner in owners.items() if owner in ([], [domain])
        ]

    def _read_texts(self) -> dict[Path, tuple[str, str]]:
        """Read the headers of new files. Other processes may add and remove files at any time."""
        with self._change:
            known_paths = set(self._texts)
            written = known_paths - self._writing.keys()
        there = (
            set()
            if self._folder is None
            else set((self._folder / CLIENT_PREFIX).glob("*.safetensors"))
        )
        texts = {path: _fingerprint_and_text(path) for path in there - known_paths}
        with self._change:
            for path in written - there:
                self._texts.pop(path, None)
            self._texts = {**texts, **self._texts}
            return dict(self._texts)

    def read_header(self, name: str, fingerprint: str) -> Record | None:
        """Return the header of a session's file, or None if it's unusable. Waits for pending
        writes."""
        if self._folder is None:
            return None
        path = self._path(name)
        with self._change:
            self._change.wait_for(lambda: path not in self._writing)
        if not os.path.lexists(path):
            return None
        record = self._read_or_remove(name, partial(read_record, path))
        return record if record is not None and record.fingerprint == fingerprint else None

    def read(self, name: str, fingerprint: str) -> Contents | None:
        record = self.read_header(name, fingerprint)
        if record is None:
            return None
        path = self._path(name)
        contents = self._read_or_remove(name, partial(read_contents, path, record))
        with contextlib.suppress(OSError):
            os.utime(path)  # mark the file as recently used
        return contents

    def _read_or_remove(self, name: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except (DamagedError, OSError) as error:
            self.remove_unusable(name, str(error))
            return None

    def remove_unusable(self, name: str, reason: str) -> None:
        log.warning("removed an unusable KV cache from disk: %s", reason)
        self._unlink(self._path(name))

    def delete(self, name: str) -> None:
        path = self._path(name)
        with self._change:
            self._texts.pop(path, None)
            if path in self._writing:
                self._forgotten.add(path)
        self._unlink(path)

    def free_written(self) -> None:
        with self._change:
            while self._completed:
                self.pending.remove(self._completed.popleft().cache_bytes)

    def close(self) -> None:
        if self._writer is not None:
            self._jobs.put(None)
            self._writer.join()
            self._writer = None
        self._completed.clear()
        self.pending.clear()

    def _path(self, session_id: str) -> Path:
        prefix = CLIENT_PREFIX if session_id.startswith(CLIENT_PREFIX) else ""
        name = session_id.removeprefix(prefix)
        # Hash other ids, because they can be any text and may not be a valid file name.
        if not prefix or not _STEM.fullmatch(name):
            name = hashlib.sha256(session_id.encode(errors="surrogatepass")).hexdigest()[:40]
        return (self._folder or Path()) / prefix / f"{name}.safetensors"

    def _files(self, folder: Path) -> list[tuple[float, Path, int]]:
        dated_files = []
        for path in folder.glob("*.safetensors"):
            with contextlib.suppress(OSError):
                stat = path.lstat()
                dated_files.append((stat.st_mtime, path, stat.st_size))
        return sorted(dated_files)

    def _unlink(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()

    def _run_writer(self) -> None:
        while (job := self._jobs.get()) is not None:
            path, image = job
            try:
                self._write_one(path, image)
            except BaseException as error:  # e.g. disk full; the session will prefill again
                log.warning("cannot write a KV cache: %s", describe_error(error))
            # Return the image to the engine thread, which is the only thread that may free MLX's
            # memory.
            with self._change:
                self._writing[path] -= 1
                if not self._writing[path]:
                    del self._writing[path]
                    if path in self._forgotten:
                        self._forgotten.discard(path)
                        with contextlib.suppress(OSError):
                            path.unlink()
                self._completed.append(image)
                del job, image
                self._change.notify_all()
            try:
                self.wake()
            except BaseException:  # the engine has stopped
                log.debug("engine gone after writing a KV cache")

    def _write_one(self, path: Path, image: CacheImage) -> None:
        for folder in (self._folder or path.parent, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with open(handle, "wb") as stream:
                image.write(stream)
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        files = self._files(path.parent)
        surplus = sum(size for _, _, size in files) - self._limit
        for _, old_file, size in files:
            if surplus <= 0:
                break
            if old_file != path:
                with contextlib.suppress(OSError):
                    old_file.unlink()
                surplus -= size


def _fingerprint_and_text(path: Path) -> tuple[str, str]:
    try:
        record = read_record(path)
    except (DamagedError, OSError):
        return "", ""
    return record.fingerprint, record.ledger.text
