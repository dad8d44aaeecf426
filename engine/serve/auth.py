"""Keys, settings, and limits for each key."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import ipaddress
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

import platformdirs
from filelock import FileLock
from msgspec import Struct
from msgspec.structs import asdict, replace
from starlette.types import Scope

from engine.errors import CAPACITY_EXHAUSTED
from engine.files import replace_text
from engine.serve.errors import RequestError
from engine.text.invisible import is_visible

Policy = Literal["refuse", "evict"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@*]+", re.IGNORECASE)


class Settings(Struct, frozen=True):
    """Server settings.

    Raises:
        ValueError: names the field and its valid values.
    """

    host: str = "127.0.0.1"  # address to listen on; non-loopback addresses require a key
    require_key: bool = False  # requires a key for every request, even from this machine
    # Web pages that may send requests, e.g. `https://example.org`.
    origins: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # alternative model names, e.g. `claude-*=MODEL`
    sessions: int = 64  # maximum number of named sessions
    # Action when the session limit is reached: refuse the request, or evict the least recently used
    # session.
    policy: Policy = "refuse"
    session_ttl: float = 3600.0  # idle time in seconds before a session is freed; 0 for never
    # Maximum number of concurrent answers. One slot is reserved for requests without a session. A
    # request for several answers needs a slot for each, up to the total.
    at_once: int = 64
    queue: int = 1024  # maximum number of waiting requests
    per_key: int = 0  # maximum number of running and queued answers per key; 0 for no limit
    per_minute: int = 0  # maximum number of requests per key and minute; 0 for no limit
    connections: int = 2048  # maximum number of connections
    unload_after: float = 0.0  # idle time in seconds before a model is unloaded; 0 for never
    # True if clients may unload models, which the window might be using as well.
    may_unload: bool = True

    def __post_init__(self) -> None:
        minimums = {"sessions": 0, "at_once": 2, "queue": 0, "per_key": 0, "per_minute": 0}
        for name, low in {**minimums, "connections": 4}.items():
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)}")
        for name, value in asdict(self).items():
            if isinstance(value, float) and not 0 <= value < 1e9:
                raise ValueError(f"{name} must be a number of seconds, not {value}")
        if self.policy not in get_args(Policy):
            raise ValueError(f"policy must be 'refuse' or 'evict', not {self.policy!r}")
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"an origin must look like https://example.org, not {origin!r}")
        for alias in self.aliases:
            if not all(part.strip() for part in alias.partition("=")[::2]):
                raise ValueError(f"an alias must look like claude-*=MODEL, not {alias!r}")
        if not self.is_local and not self.require_key:
            raise ValueError(f"other machines can reach {self.host}, so a key is required")

    @property
    def is_local(self) -> bool:
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a host name could resolve to any address


_OWNER = "stretto.owner"


class KeyOwner(Struct, frozen=True):
    """Owner of the key of a request. Owners never share sessions or conversations."""

    id: str = ""  # id of the key, or "" if the request has no key
    name: str = ""  # display name of the key

    @property
    def domain(self) -> str:
        return f"guest {self.id}"


LOCAL = KeyOwner()


def owner_of(scope: Scope) -> KeyOwner:
    owner: KeyOwner = scope.get(_OWNER, LOCAL)
    return owner


def set_owner(scope: Scope, owner: KeyOwner) -> None:
    scope[_OWNER] = owner


PREFIX = "stretto-"
MAX_KEY_CHARACTERS = 200  # longer keys are truncated before comparing


def default_file() -> Path:
    return platformdirs.user_data_path("Stretto", appauthor=False) / "serve-keys.json"


class Key(Struct, frozen=True):
    id: str  # random, not derived from the key
    name: str  # name of the person or program using the key
    digest: str  # SHA-256 of the key, hexadecimal
    made: float  # Unix time
    revoked: float = 0.0  # Unix time, or 0 if the key is valid


class Keys:
    """API keys, stored in a file that only its owner can read. Thread-safe.

    Changes by other processes take effect on the next request. Writers hold a file lock.

    Raises (also from the methods):
        OSError: if the file cannot be read or written.
        ValueError: if the file is damaged, or writable by others.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._keys: list[Key] = []
        self._read()

    def all(self) -> list[Key]:
        with self._lock:
            self._read()
            return list(self._keys)

    def make(self, name: str) -> str:
        """Create a key and return it. Only its digest is stored.

        Raises:
            ValueError: if the name is empty, too long or not displayable.
        """
        if not 0 < len(name) <= 60 or not is_visible(name):
            raise ValueError("a key's name must have 1 to 60 printable characters")
        secret = PREFIX + secrets.token_urlsafe(32)
        with self._locked():
            key = Key(secrets.token_hex(4), name, _digest(secret), time.time())
            self._write([*self._keys, key])
        return secret

    def revoke(self, name: str) -> int:
        with self._locked():
            revoked_keys = [k for k in self._keys if name in (k.name, k.id) and not k.revoked]
            now = time.time()
            self._write([replace(k, revoked=now) if k in revoked_keys else k for k in self._keys])
        return len(revoked_keys)

    def owner(self, secret: str) -> KeyOwner | None:
        digest = _digest(secret[:MAX_KEY_CHARACTERS])
        match = None
        for key in self.all():
            # Compare against every key in constant time, so that the timing reveals nothing.
            if hmac.compare_digest(key.digest, digest) and not key.revoked:
                match = KeyOwner(key.id, key.name)
        return match

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        # Every write replaces the key file, so it can't be used as the lock file.
        lock = FileLock(self._file.with_name(self._file.name + ".lock"), mode=0o600)
        with lock, self._lock:
            self._stamp = None
            self._read()
            yield

    def _read(self) -> None:
        try:
            stat = self._file.stat()
        except FileNotFoundError:
            self._stamp, self._keys = None, []
            return
        stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if stamp == self._stamp:
            return
        if stat.st_mode & 0o022:
            raise ValueError(f"other users can write to {self._file}; run chmod 600 on it")
        try:
            self._keys = [Key(**entry) for entry in json.loads(self._file.read_bytes())]
        except (ValueError, TypeError):
            raise ValueError(f"{self._file} has no keys or is damaged") from None
        self._stamp = stamp

    def _write(self, keys: list[Key]) -> None:
        replace_text(self._file, json.dumps([asdict(key) for key in keys], indent=1))
        self._stamp = None
        self._read()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


SPARE_DIVISOR = 16  # 1/16 of the slots are reserved for keys that have no running reply
CHECK_S = 1.0  # number of seconds for which the key count is cached


class FairShare:
    """Fair sharing of resources between keys. A lone key may use everything.

    A key may take at most as much as is left afterwards: the first greedy key gets half, the next
    a quarter, and so on.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._several, self._until = False, float("-inf")

    @property
    def several(self) -> bool:
        now = time.monotonic()
        if self._keys is not None and now >= self._until:
            self._until = now + CHECK_S
            with suppress(OSError, ValueError):  # treat an unreadable file as having no valid keys
                self._several = sum(not key.revoked for key in self._keys.all()) > 1
        return self._several

    def spare(self, places: int) -> int:
        """Return how many of `places` slots are reserved for keys that have no running reply."""
        return places // SPARE_DIVISOR if self.several else 0

    def may_have(self, used: float, free: float) -> bool:
        """Return True if a key may use `used` of a resource while `free` is left for other keys."""
        return used <= free or not self.several

    def refused(self, resource: str) -> RequestError:
        return RequestError(
            429,
            f"This key already uses its share of {resource}. Retry later.",
            CAPACITY_EXHAUSTED,
        )


RATE_LIMITED = "rate_limit_exceeded"
_COUNT = "stretto.count_answers"


class _Account(Struct):
    """Rate-limit state of an owner: `left` requests remained at time `at`."""

    left: float
    at: float
    at_once: int = 0


def count_answers(scope: Scope, answers: int) -> None:
    """Count a request as several concurrent answers.

    Raises:
        RequestError: 429 if other requests of its key use up the limit, 400 if this request alone
            exceeds it.
    """
    count: Callable[[int], None] | None = scope.get(_COUNT)
    if count is not None:
        count(answers)


class RateLimiter:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._accounts: dict[str, _Account] = {}  # has at most one entry per key

    @contextlib.contextmanager
    def count_request(self, owner: KeyOwner, scope: Scope) -> Iterator[None]:
        """Count a request while the block runs.

        Raises:
            RequestError: 429, with the delay before retrying.
        """
        a_minute, now = self._settings.per_minute, time.monotonic()
        account = self._accounts.setdefault(owner.id, _Account(a_minute, now))
        counted_answers = 0

        def count(answers: int) -> None:
            nonlocal counted_answers
            self._count_answers(account, account.at_once - counted_answers, answers)
            counted_answers = answers

        try:
            count(1)
            self._count_minute(account, a_minute, now)
            scope[_COUNT] = count
            yield
        finally:
            account.at_once -= counted_answers

    def _count_answers(self, account: _Account, other_answers: int, answers: int) -> None:
        limit = self._settings.per_key
        if limit and other_answers + answers > limit:
            if answers > limit:
                raise RequestError(
                    400,
                    f"This request wants {answers} answers (limit {limit} per key). Ask for fewer.",
                )
            raise RequestError(
                429,
                f"This key has {other_answers} running answers (limit {limit}). Retry later.",
                RATE_LIMITED,
                1,
            )
        account.at_once = other_answers + answers

    def _count_minute(self, account: _Account, a_minute: int, now: float) -> None:
        if a_minute:
            tokens = account.left + (now - account.at) * a_minute / 60
            account.left, account.at = min(float(a_minute), tokens), now
            if account.left < 1:
                raise RequestError(
                    429,
                    f"This key may send {a_minute} requests per minute.",
                    RATE_LIMITED,
                    int((1 - account.left) * 60 / a_minute) + 1,
                )
            account.left -= 1
