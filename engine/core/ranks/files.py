"""Caches on disk of a spread model: a file in each rank, of its own part of a chat's caches.

Rank 0 decides what is written and removed; followers do the same at their place in its records.
A file is read again only where all ranks have one of the same tokens, which rank 0 asks outside the
collectives; otherwise the chat's prompt is read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

from engine.core.ranks.journal import Journal, SpreadKV
from engine.core.ranks.record import Do, as_numbers
from engine.errors import words_of
from engine.kv.cache_file import Contents, DamagedError, Record, build_caches
from engine.kv.offload import LEAST_TOKENS, Offload
from engine.kv.session_kv import SessionKV
from engine.model.slices import at_once

WAIT = 20.0
"""Seconds for all followers to read their files. They are about as large as rank 0's."""

LEAVING = 8.0
"""Seconds for them to write what is on its way, when the engine ends."""

MEANT, READ = 256, 4
"""So many files are known by what was asked about them, and so many held as they were read. A chat
may be stopped before it comes back; whose file is not held any more is read once more."""

_LATE = 5.0  # seconds for a follower to come to where rank 0 was when it asked


def folder_of(folder: Path | None, rank: int, ranks: int) -> Path | None:
    """Where a rank's files lie, on whatever machine it is; None where nothing is kept."""
    return folder.expanduser() / f"rank {rank} of {ranks}" if folder is not None else None


def portable(folder: Path | None) -> Path | None:
    """A folder by a name that means the same on a machine where the home is another."""
    if folder is None or not folder.is_relative_to(Path.home()):
        return folder
    return "~" / folder.relative_to(Path.home())


def told_by(record: Record) -> int:
    """What is the same in files that ranks have written of the same chat."""
    said = (record.fingerprint, record.tokens, record.cuts, record.boundary)
    return crc32(repr(said).encode())


class LeadingFiles(Offload):
    """Rank 0's files. Whatever is written or removed is noted for the followers.

    Args:
        ranks: how many there are.
        tell: sends a message to all followers.
    """

    def __init__(
        self,
        journal: Journal,
        ranks: int,
        tell: Callable[[dict[str, Any]], None],
        folder: Path | None,
        limit: int,
    ) -> None:
        super().__init__(folder_of(folder, 0, ranks), limit // ranks)
        self._journal, self._ranks, self._tell = journal, ranks, tell
        self._noted = 0  # files written and removed; followers count them, too
        self._asked = 0
        self._news = threading.Condition()  # guards what follows
        self._answers: dict[int, list[bool]] = {}
        self._left = 0

    @property
    def nbytes(self) -> int:
        return super().nbytes * self._ranks

    def save(self, name: str, fingerprint: str, kv: SessionKV) -> None:
        if self._folder is not None and kv.caches is not None and kv.length >= LEAST_TOKENS:
            assert isinstance(kv, SpreadKV)
            self._note(Do.SAVE, kv.number, *as_numbers(self._path(name).stem))
        super().save(name, fingerprint, kv)

    def forget(self, name: str) -> None:
        if self._folder is not None:
            self._note(Do.FORGET, *as_numbers(self._path(name).stem))
        super().forget(name)

    def _note(self, do: Do, *numbers: int) -> None:
        self._noted += 1
        self._journal.add(do, *numbers)

    def read(self, name: str, fingerprint: str) -> Contents | None:
        """As of one rank, where all ranks have such a file. Waits for them."""
        contents = super().read(name, fingerprint)
        if contents is None:
            return None
        with self._news:
            self._asked += 1
            number = self._asked
            self._answers[number] = []
        self._tell(
            {
                "do": "read file",
                "file": number,
                "name": contents.record.name,
                "fingerprint": fingerprint,
                "told": told_by(contents.record),
                "after": self._noted,
            }
        )
        with self._news:
            answers = self._answers[number]
            self._news.wait_for(lambda: len(answers) == self._ranks - 1, WAIT)
            del self._answers[number]
            return contents if len(answers) == self._ranks - 1 and all(answers) else None

    def leave(self) -> None:
        """Have the followers write what is on its way to their disks."""
        self._tell({"do": "leave"})
        with self._news:
            self._news.wait_for(lambda: self._left == self._ranks - 1, LEAVING)

    def hear(self, message: dict[str, Any]) -> None:
        """Take a follower's answer; on any thread."""
        with self._news:
            if "left" in message:
                self._left += 1
                self._news.notify_all()
                return
            answers = self._answers.get(int(message["file"]))
            if answers is not None:
                answers.append(message["holds"] is True)
                self._news.notify_all()


class FollowingFiles(Offload):
    """A follower's files, by the names that rank 0 gives them.

    Args:
        tell: sends a message to rank 0.
    """

    def __init__(
        self, folder: Path | None, limit: int, tell: Callable[[dict[str, Any]], None]
    ) -> None:
        super().__init__(folder, limit)
        self._tell = tell
        self._news = threading.Condition()  # guards what follows
        self._done = 0
        self._meant: dict[str, dict[str, Any]] = {}  # what was asked about a file last, by its name
        self._read: dict[str, Contents] = {}

    def _path(self, name: str) -> Path:
        return (self._folder or Path()) / f"{name}.safetensors"

    def done(self) -> None:
        """Take note that one more file has been written or removed as rank 0 said."""
        with self._news:
            self._done += 1
            self._news.notify_all()

    def fetch(self, message: dict[str, Any]) -> None:
        """Read a file on a thread of its own, and tell whether it is the one that is meant."""

        def fetch() -> None:
            holds = False
            try:
                holds = self._fetch(message)
            finally:
                self._tell({"file": message["file"], "holds": holds})

        threading.Thread(target=fetch, name="stretto-rank-files", daemon=True).start()

    def _fetch(self, message: dict[str, Any]) -> bool:
        with self._news:
            if not self._news.wait_for(lambda: self._done >= message["after"], _LATE):
                return False
        contents = self._look_into(message)
        with self._news:
            _keep(self._meant, message["name"], message, MEANT)
            if contents is not None:
                _keep(self._read, message["name"], contents, READ)
        return contents is not None

    def _look_into(self, message: dict[str, Any]) -> Contents | None:
        contents = self.read(message["name"], message["fingerprint"])
        alike = contents is not None and told_by(contents.record) == message["told"]
        return contents if alike else None

    def restore(self, name: str, kv: SessionKV) -> None:
        """Make caches of what `fetch` has read.

        Raises:
            ValueError: there is nothing, or it is damaged; the file is removed then.
        """
        with self._news:
            contents, meant = self._read.pop(name, None), self._meant.pop(name, None)
        if contents is None and meant is not None:
            contents = self._look_into(meant)
        if contents is None:
            raise ValueError("a cache that was to come back from disk is not there")
        record = contents.record
        try:
            caches, snapshot = at_once(build_caches(contents, kv.make(), kv.make()))
        except DamagedError as error:
            self.remove(name, words_of(error))
            raise ValueError(f"a cache on disk is damaged: {error}") from None
        boundary = (snapshot, record.boundary) if snapshot else None
        kv.restore(record.name, caches, record.tokens, record.cuts, boundary)


def _keep(held: dict[str, Any], name: str, value: Any, most: int) -> None:
    """Keep a value, and only the latest so many."""
    held.pop(name, None)
    held[name] = value
    while len(held) > most:
        del held[next(iter(held))]
