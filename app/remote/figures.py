"""What Strettos elsewhere say of the sessions that they keep for chats of this window."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any

from app.remote import client
from app.remote.address import host_of
from app.remote.elsewhere import Elsewhere
from app.remote.errors import RemoteError

log = logging.getLogger(__name__)

REST_S = 30.0
"""An address that gave no figures is not asked again for so long."""
_MOST_SESSIONS = 10_000
_MOST = 2**53
_STATES = frozenset({"queued", "prefilling", "decoding", "idle"})

Figures = Mapping[str, Any]
"""As the engine's of a session, with `rate` (tokens a second), `host`, `place` and `context`."""


class FiguresElsewhere:
    """Asks for them. Lives on the thread of `Remotes`."""

    def __init__(self) -> None:
        self._rest: dict[str, float] = {}  # until when an address is left alone
        # By address: when each of its sessions held how many tokens.
        self._read: dict[str, dict[str, tuple[float, int]]] = {}

    async def ask(
        self, address: str, key: str, chats: Mapping[str, Elsewhere]
    ) -> dict[str, Figures]:
        """One server's figures by the chats' ids. None are told of where it gives none."""
        now = time.monotonic()
        if now < self._rest.get(address, 0.0):
            return {}
        try:
            body = await client.document(address, "/sessions", key)
        except RemoteError as error:
            log.info("no figures from a Stretto elsewhere: %s", error.code)
            self._rest[address] = now + REST_S
            return {}
        told = _by_name(body)
        read = self._read.setdefault(address, {})
        for gone in [name for name in read if name not in told]:
            del read[gone]
        host = host_of(address)
        return {
            chat_id: figures_of(read, each.name, told[each.name], host)
            for chat_id, each in chats.items()
            if each.name in told
        }


def figures_of(
    read: dict[str, tuple[float, int]], name: str, told: Mapping[str, Any], host: str
) -> Figures:
    """A session's figures, of what its server says.

    Args:
        read: when each session of that server held how many tokens; takes note of this one's.
    """
    status, held, now = told.get("status"), _number(told.get("tokens")), time.monotonic()
    status = status if isinstance(status, str) and status in _STATES else "idle"
    if told.get("waiting") is True:
        status = "queued"
    reply = told.get("reply")
    reply = reply if isinstance(reply, Mapping) else {}
    before, read[name] = read.get(name), (now, held)
    rate = 0.0
    if status == "decoding":
        rate = _value(reply.get("tokens_per_s"))
    elif status == "prefilling" and before is not None and now > before[0]:
        rate = max(0, held - before[1]) / (now - before[0])
    return {
        "status": status,
        "paused": told.get("paused") is True,
        "kv_tokens": held,
        "kv_bytes": _number(told.get("bytes")),
        "reply": {"generated_tokens": _number(reply.get("generated_tokens"))},
        "rate": rate,
        "host": host,
        "place": _number(told.get("place")),
        "context": _number(told.get("context_length")),
    }


def _by_name(body: object) -> dict[str, Mapping[str, Any]]:
    data = body.get("data") if isinstance(body, Mapping) else None
    entries: Iterable[object] = data[:_MOST_SESSIONS] if isinstance(data, list) else ()
    return {
        entry["id"]: entry
        for entry in entries
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)
    }


def _number(value: object) -> int:
    """A count that makes sense, else 0."""
    return int(_value(value))


def _value(value: object) -> float:
    """A number that makes sense, else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return 0.0
    return float(value)
