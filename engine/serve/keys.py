"""Keys for programs that may ask the server. Only their digests are kept.

A key is 256 random bits, so that a plain SHA-256 of it tells nobody what it was.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import platformdirs

from engine.serve.guests import Guest

PREFIX = "stretto-"
LONGEST_KEY = 200
"""Characters of anything that is compared with the keys."""


def standard_file() -> Path:
    """Where the keys lie if no other place is named."""
    return platformdirs.user_data_path("Stretto", appauthor=False) / "serve-keys.json"


@dataclass(frozen=True)
class Key:
    """What is kept of a key.

    Attributes:
        id: names it; no part of the key.
        name: whom it was made for.
        digest: SHA-256 of the key, hexadecimal.
        made: seconds since 1970.
        revoked: the same, 0 while it is good.
    """

    id: str
    name: str
    digest: str
    made: float
    revoked: float = 0.0


class Keys:
    """The keys in a file that only its owner can read. Every method may be called from any thread.

    A change by another process counts from the next request on.

    Raises (also by the methods):
        OSError: the file cannot be read or written.
        ValueError: it is damaged, or others may write to it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._keys: list[Key] = []
        self._read()

    def all(self) -> list[Key]:
        """All keys that were ever made, revoked ones too."""
        with self._lock:
            self._read()
            return list(self._keys)

    def make(self, name: str) -> str:
        """A new key. It cannot be shown again.

        Raises:
            ValueError: the name is empty, too long or cannot be shown.
        """
        if not 0 < len(name) <= 60 or not name.isprintable():
            raise ValueError("a key's name must have 1 to 60 characters that can be shown")
        made = PREFIX + secrets.token_urlsafe(32)
        with self._lock:
            self._read()
            key = Key(secrets.token_hex(4), name, _digest(made), time.time())
            self._write([*self._keys, key])
        return made

    def revoke(self, name: str) -> int:
        """Revoke the keys of that name or id; returns how many."""
        with self._lock:
            self._read()
            chosen = [k for k in self._keys if name in (k.name, k.id) and not k.revoked]
            now = time.time()
            self._write([replace(k, revoked=now) if k in chosen else k for k in self._keys])
        return len(chosen)

    def owner(self, given: str) -> Guest | None:
        """Whose key that is; None where it is nobody's, or revoked."""
        digest = _digest(given[:LONGEST_KEY])
        found = None
        for key in self.all():
            # All are compared, in a time that does not depend on where they differ.
            if hmac.compare_digest(key.digest, digest) and not key.revoked:
                found = Guest(key.id, key.name)
        return found

    def _read(self) -> None:
        try:
            about = self._file.stat()
        except FileNotFoundError:
            self._stamp, self._keys = None, []
            return
        stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
        if stamp == self._stamp:
            return
        if about.st_mode & 0o022:
            raise ValueError(f"others may write to {self._file}: chmod 600 it")
        try:
            self._keys = [Key(**entry) for entry in json.loads(self._file.read_bytes())]
        except (ValueError, TypeError):
            raise ValueError(f"{self._file} holds no keys, or is damaged") from None
        self._stamp = stamp

    def _write(self, keys: list[Key]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # `mkstemp` makes files that only their owner can read.
        part, name = tempfile.mkstemp(dir=self._file.parent, prefix=".serve-keys")
        try:
            with os.fdopen(part, "w", encoding="utf-8") as out:
                json.dump([asdict(key) for key in keys], out, indent=1)
                out.flush()
                os.fsync(out.fileno())
            os.replace(name, self._file)
        except BaseException:
            os.unlink(name)
            raise
        self._stamp = None
        self._read()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
