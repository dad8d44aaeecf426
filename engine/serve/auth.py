"""Who may ask, by which key, and how much of the server each may have: its settings and limits."""

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
from engine.serve.errors import RefusedError
from engine.text.invisible import is_visible

Policy = Literal["refuse", "evict"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@*]+", re.IGNORECASE)


class Settings(Struct, frozen=True):
    """A server's limits. Validated here, trusted everywhere else.

    Raises:
        ValueError: names the field and says what it may be.
    """

    host: str = "127.0.0.1"  # the address it listens at. All but the loopback's need a key.
    require_key: bool = False  # whether every request must bring a key
    # web pages that may ask it, as `https://example.org`. None by default.
    origins: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # names that mean another model, as `claude-*=MODEL`
    sessions: int = 64  # how many sessions with an id there may be
    # what happens to one more: it is refused, or takes the place of the idle session that nobody
    # has used for the longest time
    policy: Policy = "refuse"
    session_ttl: float = 3600.0  # seconds after which an unused session is freed; 0 keeps it
    # how many answers are given at once. One of these places is for requests without a session. A
    # request that wants several answers takes a place for each of them, at most all.
    at_once: int = 64
    queue: int = 1024  # how many more requests may wait
    per_key: int = 0  # how many answers one key may have at once, or wait for; 0 sets no limit
    per_minute: int = 0  # how many requests a key may send in a minute; 0 sets no limit
    connections: int = 2048  # how many there may be
    unload_after: float = 0.0  # seconds after which an unused model is unloaded; 0 keeps it
    # whether clients may unload models, which others may be using beside the server
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
        """Whether only programs of this machine can reach the server."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a name, which may mean any address


_PLACE = "stretto.guest"


class Guest(Struct, frozen=True):
    """Whoever sends requests. Sessions and conversations of one are not seen by another."""

    id: str = ""  # the key's; empty where no key is needed
    name: str = ""  # the key's, to be shown

    @property
    def domain(self) -> str:
        """The engine's domain of its sessions: no other guest's, and not the window's."""
        return f"guest {self.id}"


LOCAL = Guest()


def guest_of(scope: Scope) -> Guest:
    """Who sent a request. The guard knows."""
    found: Guest = scope.get(_PLACE, LOCAL)
    return found


def set_guest(scope: Scope, guest: Guest) -> None:
    """Take note of who sent a request."""
    scope[_PLACE] = guest


PREFIX = "stretto-"
LONGEST_KEY = 200  # characters of anything that is compared with the keys


def standard_file() -> Path:
    """Where the keys lie if no other place is named."""
    return platformdirs.user_data_path("Stretto", appauthor=False) / "serve-keys.json"


class Key(Struct, frozen=True):
    """What is kept of a key."""

    id: str  # names it; no part of the key
    name: str  # whom it was made for
    digest: str  # SHA-256 of the key, hexadecimal
    made: float  # seconds since 1970
    revoked: float = 0.0  # the same, 0 while it is good


class Keys:
    """The keys in a file that only its owner can read. Every method may be called from any thread.

    A change by another process counts from the next request on. Changes are made under a lock
    that all processes share, so none of them is lost.

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
        if not 0 < len(name) <= 60 or not is_visible(name):
            raise ValueError("a key's name must have 1 to 60 characters that can be shown")
        made = PREFIX + secrets.token_urlsafe(32)
        with self._locked():
            key = Key(secrets.token_hex(4), name, _digest(made), time.time())
            self._write([*self._keys, key])
        return made

    def revoke(self, name: str) -> int:
        """Revoke the keys of that name or id; returns how many."""
        with self._locked():
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

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock out other processes and threads, and read the file again."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # The key file itself cannot carry the lock: each change replaces it by another file.
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


SPARE = 16  # of so many places in the queue one is for keys that have none
LOOK_SECONDS = 1.0  # how long it is taken for known how many keys there are


class Sharing:
    """Knows whether several keys share the server. Alone, one has everything.

    Who shares takes no more than is left for the others: the first greedy key gets one half, the
    next a quarter, and so on. So a key that has nothing always gets something, and nobody needs to
    say how many there are.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._several, self._until = False, float("-inf")

    @property
    def several(self) -> bool:
        """Whether there are several keys that open the server."""
        now = time.monotonic()
        if self._keys is not None and now >= self._until:
            self._until = now + LOOK_SECONDS
            with suppress(OSError, ValueError):  # then no key opens anything
                self._several = sum(not key.revoked for key in self._keys.all()) > 1
        return self._several

    def spare(self, places: int) -> int:
        """How many of these places are for keys that have none."""
        return places // SPARE if self.several else 0

    def may_have(self, mine: float, left: float) -> bool:
        """Whether a key may have `mine` of something, when so much is left then."""
        return mine <= left or not self.several

    def refused(self, what: str) -> RefusedError:
        """The refusal of more of it."""
        return RefusedError(
            429,
            f"This key has its share of {what}: the rest is for other keys. Ask again later.",
            CAPACITY_EXHAUSTED,
        )


RATE_LIMITED = "rate_limit_exceeded"
_SHARE = "stretto.share"


class _Account(Struct):
    """What a guest has used: `left` requests of this minute at the moment `at`."""

    left: float
    at: float
    at_once: int = 0


class Share:
    """What one request has of its key's account; `most` answers at once, 0 for any number."""

    def __init__(self, account: _Account, most: int) -> None:
        self._account = account
        self._most = most
        self.counted = 0  # as how many answers it counts

    def count(self, answers: int) -> None:
        """Let the request count as so many.

        Raises:
            RefusedError: 429, the key has others; 400, it may never have so many at once.
        """
        others = self._account.at_once - self.counted
        if self._most and others + answers > self._most:
            if answers > self._most:
                raise RefusedError(
                    400,
                    f"This request wants {answers} answers at once, and a key may have "
                    f"{self._most}. Ask for fewer.",
                )
            raise RefusedError(
                429,
                f"{others} answers are being given to this key, and {self._most} may be at once.",
                RATE_LIMITED,
                1,
            )
        self._account.at_once = others + answers
        self.counted = answers


def count_answers(scope: Scope, answers: int) -> None:
    """Let a request count as so many. As `Share.count`."""
    share: Share | None = scope.get(_SHARE)
    if share is not None:
        share.count(answers)


class Limits:
    """Counts the guests' requests. Lives on the server's event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._accounts: dict[str, _Account] = {}  # as many as there are keys

    @contextlib.contextmanager
    def counted(self, guest: Guest, scope: Scope) -> Iterator[None]:
        """Count a request for as long as it is answered; `count_answers` lets it count for more.

        Raises:
            RefusedError: 429, saying when to ask again.
        """
        a_minute, now = self._settings.per_minute, time.monotonic()
        account = self._accounts.setdefault(guest.id, _Account(a_minute, now))
        share = Share(account, self._settings.per_key)
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
                raise RefusedError(
                    429,
                    f"This key may send {a_minute} requests a minute.",
                    RATE_LIMITED,
                    int((1 - account.left) * 60 / a_minute) + 1,
                )
            account.left -= 1
