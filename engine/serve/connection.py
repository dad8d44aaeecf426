"""Client connections: uvicorn's HTTP/1.1 protocol with limits for misbehaving clients.

- A client that sends nothing, stops in the middle of a header, or doesn't read is disconnected
  after a timeout.
- A client that only shuts down its sending side still gets the rest of its answer. A client that
  closed the connection looks the same, so the server occasionally writes a line that has no
  effect ("100 Continue"). If the connection rejects it, generation stops.
- A malformed header gets an error status and an explanation.
"""

from __future__ import annotations

import asyncio
import contextlib
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
PROBE_DELAYS_S = (0.3, 0.5)
"""Delays of the first probes after the client's last byte, in seconds."""
READ_BYTES = 16 * 2**10
"""Bytes per read. With asyncio's default (256 KB), one read of tiny chunks or header lines blocks
all other connections for a third of a second.
"""
PROBE_EVERY_S = 2.0  # interval between later probes


class Connection(H11Protocol):
    """Connection of a client. `enforce_timeouts` must be called about ten times per second."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.since = self.loop.time()  # time at which we started waiting for a request
        self._blocked_since: float | None = None
        self._half_closed = False
        # Time at which we first suspected that the client is gone.
        self._unsure_since: float | None = None
        self._next_probe = 0
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

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Return True to finish sending the answer after the client has closed its sending side."""
        if self.waits or self.cycle.more_body:
            return None
        self._half_closed = True
        self._unsure_since = self._unsure_since or self.loop.time()
        return True

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        self._next_probe = 0
        self._unsure_since = self.since if self._half_closed else None
        super().on_response_complete()
        if self._half_closed and self.waits and not self.transport.is_closing():
            self.transport.close()

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
            self.transport.write(errors.raw_response(status, message))
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
        elif not self.waits:
            # While reading is paused (e.g. by pipelined requests), we can't detect that the client
            # has closed the connection.
            if self._unsure_since is None and self.flow.read_paused and not self.cycle.more_body:
                self._unsure_since = now
            if self._unsure_since is not None:
                self._probe(now - self._unsure_since)

    def give_up(self) -> None:
        """Abort the connection at shutdown if its client is still sending, or isn't reading."""
        if self._blocked_since is not None or (not self.waits and self.cycle.more_body):
            self.transport.abort()

    def _probe(self, after: float) -> None:
        """If a probe is due, write something to find out if the client is still connected."""
        count = self._next_probe - len(PROBE_DELAYS_S)
        due_at = (
            PROBE_DELAYS_S[self._next_probe]
            if count < 0
            else PROBE_DELAYS_S[-1] + PROBE_EVERY_S * (count + 1)
        )
        if after < due_at:
            return
        self._next_probe += 1
        # HTTP/1.0 has no "100 Continue". After the response header, the tokens act as probes.
        if self.scope["http_version"] == "1.1" and self.conn.our_state is h11.SEND_RESPONSE:
            line = h11.InformationalResponse(status_code=100, headers=[], reason="Continue")
            self.transport.write(self.conn.send(line) or b"")


def _make_room(newest: Connection, all_: list[Connection]) -> None:
    """Close a connection to make room: the longest-idle one, else the one that has been sending its
    body for the longest time, else the newest.

    If bodies could not be interrupted, a few hundred slow clients could block all others for
    minutes.
    """
    candidates = [c for c in all_ if c is not newest and not c.transport.is_closing()]
    idle = [c for c in candidates if c.waits]
    sending = [c for c in candidates if not c.waits and c.cycle.more_body]
    if idle:
        min(idle, key=lambda c: c.since).transport.abort()
    elif len(candidates) < newest.app_state["room"]:
        return
    elif sending:
        slowest = min(sending, key=lambda c: c.since)
        slowest.refuse(
            408, "The rest of the request was not received, and other clients are waiting."
        )
    else:
        newest.refuse(503, "Too many connections. Retry soon.")


def connection_limit(maximum: int) -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return maximum
    used = 32  # default if the number is unknown
    with contextlib.suppress(OSError):
        used = len(os.listdir("/dev/fd"))
    return max(4, min(maximum, soft - used - SPARE_FILES))
