"""Keys, settings, and limits for each key."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import ipaddress
import json
import os
import re
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

import platformdirs
from filelock import FileLock
from msgspec import Struct
from msgspec.structs import asdict, replace
from starlette.types import Scope

from engine.errors import CAPACITY_EXHAUSTED
from engine.serve.errors import RequestError
from engine.text.invisible import is_visible

Policy = Literal["refuse", "evict"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@*]+", re.IGNORECASE)


class Settings(Struct, frozen=True):
    """Settings of a server, validated here only.

    Raises:
        ValueError: with the field and its valid values.
    """

    host: str = "127.0.0.1"  # address to listen at; all but loopback addresses need a key
    require_key: bool = False  # every request needs a key
    # web pages that may send requests, such as `https://example.org`
    origins: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # names for other models, such as `claude-*=MODEL`
    sessions: int = 64  # maximum number of sessions with an id
    # if there is no room for another session: reject it, or evict the session that has been unused
    # for the longest time
    policy: Policy = "refuse"
    session_ttl: float = 3600.0  # seconds until an unused session is freed; 0 keeps it
    # number of concurrent answers. One of these places is for requests without a session. A request
    # for several answers takes a place for each, at most all.
    at_once: int = 64
    queue: int = 1024  # maximum number of waiting requests
    per_key: int = 0  # maximum number of running and waiting answers per key; 0 for no limit
    per_minute: int = 0  # maximum number of requests per key and minute; 0 for no limit
    connections: int = 2048  # maximum number of connections
    unload_after: float = 0.0  # seconds until an unused model is unloaded; 0 keeps it
    # clients may unload models, which may also be in use outside of the server
    may_unload: bool = True

    def __post_init__(self) -> None:
        least = {"sessions": 0, "at_once": 2, "queue": 0, "per_key": 0, "per_minute": 0}
        for name, low in {**least, "connections": 4}.items():
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)}")
        for name, value in asdict(self).items():
            if isinstance(value, float) and not 0 <= value < 1e9:
                raise ValueError(f"{name} must be a number of seconds, not {value}")
        if self.policy not in get_args(Policy):
            raise ValueError(f"policy must be 'refuse' or 'evict', not {self.policy!r}")
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"an origin is written as https://example.org, not {origin!r}")
        for alias in self.aliases:
            if not all(part.strip() for part in alias.partition("=")[::2]):
                raise ValueError(f"an alias is written as claude-*=MODEL, not {alias!r}")
        if not self.is_local and not self.require_key:
            raise ValueError(f"other machines can reach {self.host}, so a key is required there")

    @property
    def is_local(self) -> bool:
        """True if only programs on this machine can reach the server."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a name, which may refer to any address


_PLACE = "stretto.guest"


class Guest(Struct, frozen=True):
    """Sender of requests, identified by key. Sessions and conversations are separate for each."""

    id: str = ""  # of the key, or "" without one
    name: str = ""  # of the key, for display

    @property
    def domain(self) -> str:
        """Engine domain of its sessions, separate from other guests and the window."""
        return f"guest {self.id}"


LOCAL = Guest()


def guest_of(scope: Scope) -> Guest:
    """Return the sender of a request, as determined by the middleware."""
    found: Guest = scope.get(_PLACE, LOCAL)
    return found


def set_guest(scope: Scope, guest: Guest) -> None:
    scope[_PLACE] = guest


PREFIX = "stretto-"
MAX_KEY_CHARACTERS = 200  # characters of a submitted key that are compared


def default_file() -> Path:
    """Return the default path of the key file."""
    return platformdirs.user_data_path("Stretto", appauthor=False) / "serve-keys.json"


class Key(Struct, frozen=True):
    """Stored record of a key."""

    id: str  # unrelated to the key itself
    name: str  # of its user
    digest: str  # SHA-256 of the key, hexadecimal
    made: float  # seconds since 1970
    revoked: float = 0.0  # seconds since 1970, or 0 if valid


class Keys:
    """Keys in a file that only its owner can read. Thread-safe.

    A change by another process applies from the next request on. Changes are made under a lock
    shared by all processes, so none is lost.

    Raises (also from the methods):
        OSError: if the file cannot be read or written.
        ValueError: if it is damaged, or writable by others.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._keys: list[Key] = []
        self._read()

    def all(self) -> list[Key]:
        """Return all keys ever created, including revoked ones."""
        with self._lock:
            self._read()
            return list(self._keys)

    def make(self, name: str) -> str:
        """Create a key and return it. It cannot be shown again.

        Raises:
            ValueError: if the name is empty, too long or not displayable.
        """
        if not 0 < len(name) <= 60 or not is_visible(name):
            raise ValueError("a key's name must have 1 to 60 characters that can be shown")
        made = PREFIX + secrets.token_urlsafe(32)
        with self._locked():
            key = Key(secrets.token_hex(4), name, _digest(made), time.time())
            self._write([*self._keys, key])
        return made

    def revoke(self, name: str) -> int:
        """Revoke the keys with this name or id, and return their number."""
        with self._locked():
            chosen = [k for k in self._keys if name in (k.name, k.id) and not k.revoked]
            now = time.time()
            self._write([replace(k, revoked=now) if k in chosen else k for k in self._keys])
        return len(chosen)

    def owner(self, given: str) -> Guest | None:
        """Return the owner of a key, or None if it is unknown or revoked."""
        digest = _digest(given[:MAX_KEY_CHARACTERS])
        found = None
        for key in self.all():
            # Compare all, in a time that does not depend on where they differ.
            if hmac.compare_digest(key.digest, digest) and not key.revoked:
                found = Guest(key.id, key.name)
        return found

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock out other processes and threads, and read the file again."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # The key file itself cannot be the lock, as each change replaces it.
        lock = FileLock(self._file.with_name(self._file.name + ".lock"), mode=0o600)
        with lock, self._lock:
            self._stamp = None
            self._read()
            yield

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
        # `mkstemp` creates files that only their owner can read.
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


SPARE_DIVISOR = 16  # one of this number of places is reserved for keys that have none
CHECK_S = 1.0  # for which the number of keys is cached


class FairShare:
    """Fair sharing of resources between keys. A single key may use everything.

    A key may use no more than is left for the others afterwards: the first greedy key gets one
    half, the next a quarter, and so on. So there is always something left for new keys, without
    configuring their number.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._several, self._until = False, float("-inf")

    @property
    def several(self) -> bool:
        """True if there are several valid keys."""
        now = time.monotonic()
        if self._keys is not None and now >= self._until:
            self._until = now + CHECK_S
            with suppress(OSError, ValueError):  # no key is valid then
                self._several = sum(not key.revoked for key in self._keys.all()) > 1
        return self._several

    def spare(self, places: int) -> int:
        """Return how many of these places are reserved for keys that have none."""
        return places // SPARE_DIVISOR if self.several else 0

    def may_have(self, mine: float, left: float) -> bool:
        """Return True if a key may have `mine` of a resource when `left` remains afterwards."""
        return mine <= left or not self.several

    def refused(self, what: str) -> RequestError:
        """Return the error for exceeding the share of a resource."""
        return RequestError(
            429,
            f"This key has its share of {what}: the rest is for other keys. Ask again later.",
            CAPACITY_EXHAUSTED,
        )


RATE_LIMITED = "rate_limit_exceeded"
_SHARE = "stretto.share"


class _Account(Struct):
    """Usage of a guest: `left` requests of this minute at the time `at`."""

    left: float
    at: float
    at_once: int = 0


class AccountShare:
    """A request's part of its key's account, with at most `most` concurrent answers, or 0 for no
    limit."""

    def __init__(self, account: _Account, most: int) -> None:
        self._account = account
        self._most = most
        self.counted = 0  # answers

    def count(self, answers: int) -> None:
        """Count the request as this number of answers.

        Raises:
            RefusedError: 429 if the key has other answers; 400 if it exceeds the limit by itself.
        """
        others = self._account.at_once - self.counted
        if self._most and others + answers > self._most:
            if answers > self._most:
                raise RequestError(
                    400,
                    f"This request wants {answers} answers at once, and a key may have "
                    f"{self._most}. Ask for fewer.",
                )
            raise RequestError(
                429,
                f"{others} answers are being given to this key, and {self._most} may be at once.",
                RATE_LIMITED,
                1,
            )
        self._account.at_once = others + answers
        self.counted = answers


def count_answers(scope: Scope, answers: int) -> None:
    """Count a request as this number of answers. See `Share.count`."""
    share: AccountShare | None = scope.get(_SHARE)
    if share is not None:
        share.count(answers)


class RateLimiter:
    """Counter of the guests' requests. Lives on the server's event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._accounts: dict[str, _Account] = {}  # limited by the number of keys

    @contextlib.contextmanager
    def counted(self, guest: Guest, scope: Scope) -> Iterator[None]:
        """Count a request while the block runs. `count_answers` may count it several times.

        Raises:
            RefusedError: 429 with the time to retry.
        """
        a_minute, now = self._settings.per_minute, time.monotonic()
        account = self._accounts.setdefault(guest.id, _Account(a_minute, now))
        share = AccountShare(account, self._settings.per_key)
        share.count(1)
        try:
            self._count_minute(account, a_minute, now)
            scope[_SHARE] = share
            yield
        finally:
            account.at_once -= share.counted

    def _count_minute(self, account: _Account, a_minute: int, now: float) -> None:
        if a_minute:
            left = account.left + (now - account.at) * a_minute / 60
            account.left, account.at = min(float(a_minute), left), now
            if account.left < 1:
                raise RequestError(
                    429,
                    f"This key may send {a_minute} requests a minute.",
                    RATE_LIMITED,
                    int((1 - account.left) * 60 / a_minute) + 1,
                )
            account.left -= 1
