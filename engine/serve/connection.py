"""A client's connection: uvicorn's HTTP/1.1 with limits on misbehaving clients.

- A client that sends nothing or half a header, or does not read, is disconnected after a time.
- A client that shuts down only its sending direction gets the rest of its answer. A client that
  has closed the connection looks the same, so a line without effect ("100 Continue") is written
  from time to time. A closed connection rejects it, and that stops the answer.
- A header that is not HTTP is answered with a status and an explanation.
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

ACCEPTS_PER_ITERATION = 16  # connections accepted per iteration of the event loop
SPARE_FILES = 24 + ACCEPTS_PER_ITERATION  # file descriptors reserved for everything but connections
IDLE_TIMEOUT_S = 20.0
"""Seconds until a connection without a request, or with too slow a reader, is closed."""
MAX_UNSENT_BYTES = 64 * 2**10  # of an answer in asyncio's buffer
MIN_READ_BYTES = 48 * 2**10
"""Minimum a client must read within `IDLE_TIMEOUT_S` while its buffer is full: 2.4 KB/s. asyncio
only reports when the buffer falls below a mark, so a slower client looks like one that reads
nothing."""
PROBE_DELAYS_S = (0.3, 0.5)
"""Seconds after the client's last byte when the first probes are sent."""
READ_BYTES = 16 * 2**10
"""Bytes per read. With asyncio's default of 256 KB, a read of tiny chunks or of a header with as
many lines blocks other connections for a third of a second."""
PROBE_EVERY_S = 2.0  # seconds between later probes


class Connection(H11Protocol):
    """Connection of a client. `enforce_timeouts` must be called about ten times per second."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.since = self.loop.time()  # when the client's turn to send a request began
        self._blocked_since: float | None = None
        self._half_closed = False
        self._unsure_since: float | None = None  # since when the client may be gone
        self._next_probe = 0
        self._closing_since: float | None = None

    @property
    def waits(self) -> bool:
        """True if no request is being answered, so the client has to send one."""
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
            # `connection_made` failed. Without a transport no answer is possible. asyncio closes a
            # connection whose protocol raises an error; otherwise its client would wait forever.
            raise ConnectionAbortedError("This connection was never made ready.")
        super().data_received(data)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Handle the end of the client's data. Return True to keep sending the answer."""
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
        """Reject a request that h11 cannot parse, with its reason, and close."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431:
            why = "its head is too long"
        else:
            why = str(error or msg).split(": bytearray")[0].rstrip(".")
        self.refuse(status, f"This is no request in HTTP/1.1: {why}.")

    def refuse(self, status: int, message: str) -> None:
        """Send an error without a request, unless an answer has started, and close."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(
                errors.raw_response(status, http.HTTPStatus(status).phrase, message)
            )
        self.transport.close()

    def enforce_timeouts(self, now: float, patience: float) -> None:
        """Close the connection if its client has exceeded a time limit."""
        if self.transport.is_closing():
            # The client may never read the unsent data.
            self._closing_since = self._closing_since or now
            if now - self._closing_since > patience:
                self.transport.abort()
        elif self._blocked_since is not None and now - self._blocked_since > patience:
            self.transport.abort()
        elif self.waits and now - self.since > patience:
            if self.conn.trailing_data[0]:
                self.refuse(408, f"The request did not come within {patience:g} seconds.")
            else:
                self.transport.close()
        elif not self.waits:
            # While reading is paused, for example by pipelined requests, the end goes unnoticed.
            if self._unsure_since is None and self.flow.read_paused and not self.cycle.more_body:
                self._unsure_since = now
            if self._unsure_since is not None:
                self._probe(now - self._unsure_since)

    def give_up(self) -> None:
        """Abort the connection at shutdown if its client is still sending or not reading."""
        if self._blocked_since is not None or (not self.waits and self.cycle.more_body):
            self.transport.abort()

    def _probe(self, after: float) -> None:
        """Write something to find out if the client still reads."""
        many = self._next_probe - len(PROBE_DELAYS_S)
        due = (
            PROBE_DELAYS_S[self._next_probe]
            if many < 0
            else PROBE_DELAYS_S[-1] + PROBE_EVERY_S * (many + 1)
        )
        if after < due:
            return
        self._next_probe += 1
        # HTTP/1.0 has no such line. After the response header, tokens serve as probes.
        if self.scope["http_version"] == "1.1" and self.conn.our_state is h11.SEND_RESPONSE:
            line = h11.InformationalResponse(status_code=100, headers=[], reason="Continue")
            self.transport.write(self.conn.send(line) or b"")


def _make_room(newest: Connection, all_: list[Connection]) -> None:
    """Close the connection that has been without a request for the longest time, else the newest.

    Connections that are still sending a body are closed too if necessary. Otherwise a few hundred
    that send a byte now and then would lock out all others for minutes.
    """
    others = [c for c in all_ if c is not newest and not c.transport.is_closing()]
    idle = [c for c in others if c.waits]
    sending = [c for c in others if not c.waits and c.cycle.more_body]
    if idle:
        min(idle, key=lambda c: c.since).transport.abort()
    elif len(others) < newest.app_state["room"]:
        return
    elif sending:
        slowest = min(sending, key=lambda c: c.since)
        slowest.refuse(408, "The rest of the request did not come, and others want to ask.")
    else:
        newest.refuse(503, "The server has as many connections as it can hold. Ask again soon.")


def connection_limit(most: int) -> int:
    """Return the number of connections for which there are file descriptors, at most `most`."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    used = 32  # if unknown
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            used = len(os.listdir(folder))
            break
    return max(4, min(most, soft - used - SPARE_FILES))
