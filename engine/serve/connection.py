"""Client connections: uvicorn's HTTP/1.1 protocol with limits for misbehaving clients.

- A client that sends nothing, stops in the middle of a header, or doesn't read is disconnected
  after a timeout.
- A malformed header gets an error status and an explanation.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import os
import resource
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.serve import errors

ACCEPTS_PER_ITERATION = 16  # connections to accept per iteration of the event loop
# File descriptors reserved for other uses than connections.
SPARE_FILES = 24 + ACCEPTS_PER_ITERATION
IDLE_TIMEOUT_S = 20.0
"""Seconds until a client that sends no request, or reads too slowly, is disconnected."""
MAX_UNSENT_BYTES = 64 * 2**10  # maximum size of the answer in asyncio's buffer
MIN_READ_BYTES = 48 * 2**10
"""Minimum bytes that a client with a full buffer must read within `IDLE_TIMEOUT_S`, i.e. 2.4 KB/s.
asyncio only reports when the buffer drops below a mark, so slower clients look like stalled
clients.
"""
READ_BYTES = 16 * 2**10
"""Bytes per read. With asyncio's default (256 KB), one read of tiny chunks or header lines blocks
all other connections for a third of a second.
"""


class Connection(H11Protocol):
    """Connection of a client. `enforce_timeouts` must be called about ten times per second."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.since = self.loop.time()  # time at which we started waiting for a request
        self._blocked_since: float | None = None
        self._closing_since: float | None = None

    @property
    def waits(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]  # private in asyncio
        transport.set_write_buffer_limits(MAX_UNSENT_BYTES, MAX_UNSENT_BYTES - MIN_READ_BYTES)
        limit = self.app_state.get("room")
        if limit is not None and len(self.connections) > limit:
            _make_room(self, [c for c in self.connections if isinstance(c, Connection)])

    def data_received(self, data: bytes) -> None:
        if self.transport is None:
            # `connection_made` failed, so there's no transport for an answer. Raise, so that
            # asyncio closes the connection. Otherwise, the client would wait forever.
            raise ConnectionAbortedError("This connection was never made ready.")
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._blocked_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._blocked_since = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431:
            reason = "its header is too long"
        else:
            reason = str(error or msg).split(": bytearray")[0].rstrip(".")
        self.refuse(status, f"Invalid HTTP/1.1 request: {reason}.")

    def refuse(self, status: int, message: str) -> None:
        """Close the connection. Unless an answer has started, send an error response first."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(
                errors.raw_response(status, http.HTTPStatus(status).phrase, message)
            )
        self.transport.close()

    def enforce_timeouts(self, now: float, timeout_s: float) -> None:
        if self.transport.is_closing():
            # The client may never read the rest of the buffer.
            self._closing_since = self._closing_since or now
            if now - self._closing_since > timeout_s:
                self.transport.abort()
        elif self._blocked_since is not None and now - self._blocked_since > timeout_s:
            self.transport.abort()
        elif self.waits and now - self.since > timeout_s:
            if self.conn.trailing_data[0]:
                self.refuse(408, f"The request was not received within {timeout_s:g} seconds.")
            else:
                self.transport.close()

    def give_up(self) -> None:
        """Abort the connection at shutdown if its client is still sending, or isn't reading."""
        if self._blocked_since is not None or (not self.waits and self.cycle.more_body):
            self.transport.abort()


def _make_room(newest: Connection, all_: list[Connection]) -> None:
    """Close the connection that has been idle for the longest time, else the newest."""
    candidates = [c for c in all_ if c is not newest and not c.transport.is_closing()]
    if idle := [c for c in candidates if c.waits]:
        min(idle, key=lambda c: c.since).transport.abort()
    elif len(candidates) >= newest.app_state["room"]:
        newest.refuse(503, "Too many connections. Retry soon.")


def connection_limit(maximum: int) -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return maximum
    used = 32  # default if the number is unknown
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            used = len(os.listdir(folder))
            break
    return max(4, min(maximum, soft - used - SPARE_FILES))
