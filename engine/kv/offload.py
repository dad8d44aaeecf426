"""KV caches on disk: those of chats that had to make room, or were closed, come back from a file.

The engine thread only looks: it takes the bytes of evaluated arrays and hands them to a writer
thread, which gives them back when they are on disk. Reading is done by the engine thread, since
the chat waits for it anyway. A file that is damaged, or of another model, is removed and costs the
chat nothing but reading its prompt again.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import queue
import threading
from collections import deque
from pathlib import Path

from engine.core.session import SessionState
from engine.kv.cache_file import DamagedError, Image, Record, read_caches, read_record, take_image

log = logging.getLogger(__name__)

LEAST_TOKENS = 64
"""Fewer are read again sooner than written and read."""


class Offload:
    """The files of one folder.

    Args:
        folder: where they lie; None writes nothing. Made when needed, for its owner only.
        limit: bytes that they may take together; the least recently used go first.
    """

    def __init__(self, folder: Path | None, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._jobs: queue.SimpleQueue[tuple[Path, Image] | None] = queue.SimpleQueue()
        self._written: deque[tuple[Path, Image]] = deque()
        self._pending: dict[Path, int] = {}
        self._change = threading.Condition()
        self._writer: threading.Thread | None = None
        self._held: int | None = None
        for half in folder.glob("*.part") if folder is not None else ():
            with contextlib.suppress(OSError):  # left by a program that was killed
                half.unlink()

    @property
    def nbytes(self) -> int:
        """Bytes on disk; looked up again only after something was written or removed."""
        if self._held is None:
            self._held = sum(size for _, _, size in self._files())
        return self._held

    @property
    def pending(self) -> int:
        """Bytes of memory that are still being written."""
        return sum(self._pending.values())

    def save(self, session: SessionState) -> None:
        """Have a session's caches written; nobody uses them any more."""
        kv = session.kv
        if self._folder is None or kv.caches is None or kv.length < LEAST_TOKENS:
            return
        path = self._path(session.id)
        if kv.length == kv.on_disk and path.exists():
            return
        try:
            image = take_image(kv, _fingerprint(session))
        except ValueError as error:
            log.info("A KV cache is not kept on disk: %s", error)
            return
        if image.nbytes > self._limit:
            return
        self._pending[path] = image.nbytes
        self._jobs.put((path, image))
        if self._writer is None:
            self._writer = threading.Thread(target=self._write, name="stretto-offload")
            self._writer.start()

    def look(self, session: SessionState) -> Record | None:
        """What there is on disk for a session, if it can be used."""
        path = self._path(session.id)
        if self._folder is None:
            return None
        self.settle(path)
        if not path.exists():
            return None
        try:
            record = read_record(path)
        except (DamagedError, OSError) as error:
            self._remove(path, str(error))
            return None
        return record if record.fingerprint == _fingerprint(session) else None

    def restore(self, session: SessionState) -> bool:
        """Fill a session's empty caches from its file."""
        record = self.look(session)
        if record is None:
            return False
        path = self._path(session.id)
        kv = session.kv
        try:
            caches, border = read_caches(path, record, kv.make(), kv.make())
        except (DamagedError, OSError) as error:
            self._remove(path, str(error))
            return False
        kv.take(caches, record.tokens, record.cuts, (border, record.border) if border else None)
        kv.on_disk = kv.length
        with contextlib.suppress(OSError):
            os.utime(path)  # used just now
        return True

    def forget(self, session_id: str) -> None:
        """Remove a session's file, also one that is still being written."""
        path = self._path(session_id)
        self.settle(path)
        self._unlink(path)

    def settle(self, path: Path | None = None) -> None:
        """Free what has been written. With a path, wait until that is on disk."""
        if not self._pending:
            return
        with self._change:
            while True:
                while self._written:
                    done, _ = self._written.popleft()
                    self._pending.pop(done, None)
                    self._held = None
                if path not in self._pending:
                    return
                self._change.wait()

    def close(self) -> None:
        """Wait until all is written."""
        if self._writer is not None:
            self._jobs.put(None)
            self._writer.join()
            self._writer = None
        self._written.clear()
        self._pending.clear()

    def _path(self, session_id: str) -> Path:
        # The name tells nothing: ids may be anything, and need not be fit for a file.
        name = hashlib.sha256(session_id.encode()).hexdigest()[:40]
        return (self._folder or Path()) / f"{name}.safetensors"

    def _files(self) -> list[tuple[float, Path, int]]:
        found = []
        if self._folder is not None:
            for path in self._folder.glob("*.safetensors"):
                with contextlib.suppress(OSError):
                    stat = path.stat()
                    found.append((stat.st_mtime, path, stat.st_size))
        return sorted(found)

    def _remove(self, path: Path, why: str) -> None:
        log.warning("A KV cache on disk cannot be used and is removed: %s", why)
        self._unlink(path)

    def _unlink(self, path: Path) -> None:
        self._held = None
        with contextlib.suppress(OSError):
            path.unlink()

    # -- the writer thread ------------------------------------------------------------------

    def _write(self) -> None:
        while (job := self._jobs.get()) is not None:
            path, image = job
            try:
                self._write_one(path, image)
            except OSError as error:  # a full disk: the chat is read again, nothing is lost
                log.warning("A KV cache was not written: %s", error)
            # Back to the engine thread, which frees MLX's memory; nothing of it is left here.
            with self._change:
                self._written.append((path, image))
                del job, image
                self._change.notify()

    def _write_one(self, path: Path, image: Image) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "wb") as stream:
                image.write(stream)
            os.replace(part, path)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        files = self._files()
        surplus = sum(size for _, _, size in files) - self._limit
        for _, old, size in files:
            if surplus <= 0:
                break
            if old != path:
                with contextlib.suppress(OSError):
                    old.unlink()
                surplus -= size


def _fingerprint(session: SessionState) -> str:
    return f"{session.model.info.id} {session.kv_bits}"
