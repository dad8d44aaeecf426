"""What a person may set of a server."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, fields
from typing import Literal, get_args

Policy = Literal["refuse", "evict"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@*]+", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """A server's limits. Validated here, trusted everywhere else.

    Attributes:
        host: the address it listens at. All but the loopback's need a key.
        require_key: whether every request must bring a key.
        origins: web pages that may ask it, as `https://example.org`. None by default.
        sessions: how many sessions with an id there may be.
        policy: what happens to one more: it is refused, or takes the place of the idle session
            that nobody has used for the longest time.
        session_ttl: seconds after which an unused session is freed; 0 keeps it.
        at_once: how many answers are given at once. One of these places is for requests without
            a session. A request that wants several answers takes a place for each of them, at
            most all.
        queue: how many more requests may wait.
        per_key: how many answers one key may have at once, or wait for; 0 sets no limit.
        per_minute: how many requests a key may send in a minute; 0 sets no limit.
        connections: how many there may be.
        unload_after: seconds after which an unused model is unloaded; 0 keeps it.
        may_unload: whether clients may unload models, which others may be using beside the server.

    Raises:
        ValueError: names the field and says what it may be.
    """

    host: str = "127.0.0.1"
    require_key: bool = False
    origins: tuple[str, ...] = ()
    sessions: int = 64
    policy: Policy = "refuse"
    session_ttl: float = 3600.0
    at_once: int = 64
    queue: int = 1024
    per_key: int = 0
    per_minute: int = 0
    connections: int = 2048
    unload_after: float = 0.0
    may_unload: bool = True

    def __post_init__(self) -> None:
        least = {"sessions": 0, "at_once": 2, "queue": 0, "per_key": 0, "per_minute": 0}
        for name, low in {**least, "connections": 4}.items():
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)}")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not 0 <= value < 1e9:
                raise ValueError(f"{field.name} must be a number of seconds, not {value}")
        if self.policy not in get_args(Policy):
            raise ValueError(f"policy must be 'refuse' or 'evict', not {self.policy!r}")
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"an origin is written as https://example.org, not {origin!r}")
        if not self.is_local and not self.require_key:
            raise ValueError(f"other machines can reach {self.host}, so a key is required there")

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can reach the server."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False  # a name, which may mean any address
