"""One client's connection: uvicorn's HTTP/1.1, with limits on what a client may cost.

uvicorn parses and answers. What is added here concerns clients that do not behave:

- A client that sends nothing, half a head, or does not read is cut off after a time.
- A client that shuts down its sending half gets the rest of its answer. One that has closed
  altogether looks the same, so a line that asks for nothing ("100 Continue") is written now and
  then. A closed connection refuses it, and that stops the answer.
- A head that is no HTTP is answered with a status and a sentence.
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

AT_ONCE = 16  # how many connections are accepted before the server looks at anything else
SPARE_FILES = 24 + AT_ONCE  # descriptors that connections leave free for everything else
PATIENCE = 20.0
"""Seconds until a connection that asks nothing, or reads its answer too slowly, is closed."""
MAX_UNSENT_BYTES = 64 * 2**10  # of an answer in asyncio's buffer. The rest waits until it is read.
MIN_READ_BYTES = 48 * 2**10
"""What a client must read within `PATIENCE` while its buffer is full: 2.4 KB/s. asyncio tells that
it was read, and not how much, so a client that reads less counts as one that reads nothing."""
PROBES = (0.3, 0.5)
"""Seconds after a client's last byte at which it is looked whether it still listens."""
MOST_READ = 16 * 2**10
"""Bytes that are read at once. Asyncio's usual 256 KB of tiny chunks keep everybody else waiting
for a third of a second, and so does a head of as many lines."""
PROBE_EVERY = 2.0  # seconds between all later looks


class Connection(H11Protocol):
    """One connection. `look` must be called some ten times a second."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.since = self.loop.time()  # when its client's turn to ask began
        self._blocked_since: float | None = None
        self._half_closed = False
        self._unsure_since: float | None = None  # whether the client still listens
        self._next_probe = 0
        self._closing_since: float | None = None

    @property
    def waits(self) -> bool:
        """Whether the client has to ask next: no request of its is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.max_size = MOST_READ  # type: ignore[attr-defined]  # of asyncio's own
        transport.set_write_buffer_limits(MAX_UNSENT_BYTES, MAX_UNSENT_BYTES - MIN_READ_BYTES)
        limit = self.app_state.get("room")
        if limit is not None and len(self.connections) > limit:
            _make_room(self, [c for c in self.connections if isinstance(c, Connection)])

    def data_received(self, data: bytes) -> None:
        if self.transport is None:
            # `connection_made` failed. Without a transport nothing can be answered, and asyncio
            # closes a connection whose protocol raises here: its client would wait for ever.
            raise ConnectionAbortedError("This connection was never made ready.")
        super().data_received(data)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """The client sends no more. True keeps its answer coming."""
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
        """Refuse what h11 cannot read, in its words, and close."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431:
            why = "its head is too long"
        else:
            why = str(error or msg).split(": bytearray")[0].rstrip(".")
        self.refuse(status, f"This is no request in HTTP/1.1: {why}.")

    def refuse(self, status: int, message: str) -> None:
        """Answer without a request, unless an answer has begun. Then close."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(errors.raw(status, http.HTTPStatus(status).phrase, message))
        self.transport.close()

    def look(self, now: float, patience: float) -> None:
        """Close the connection when its client has used up its time."""
        if self.transport.is_closing():
            # What is left to be written may have nobody who reads it.
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
            # While nothing is read, as with pipelined requests, no end is noticed either.
            if self._unsure_since is None and self.flow.read_paused and not self.cycle.more_body:
                self._unsure_since = now
            if self._unsure_since is not None:
                self._probe(now - self._unsure_since)

    def give_up(self) -> None:
        """The server ends: do not wait for a client that still sends, or does not read."""
        if self._blocked_since is not None or (not self.waits and self.cycle.more_body):
            self.transport.abort()

    def _probe(self, after: float) -> None:
        """Write something to find out whether anybody reads."""
        many = self._next_probe - len(PROBES)
        due = PROBES[self._next_probe] if many < 0 else PROBES[-1] + PROBE_EVERY * (many + 1)
        if after < due:
            return
        self._next_probe += 1
        # Clients of HTTP/1.0 know no such line. After the head, tokens are written anyway.
        if self.scope["http_version"] == "1.1" and self.conn.our_state is h11.SEND_RESPONSE:
            line = h11.InformationalResponse(status_code=100, headers=[], reason="Continue")
            self.transport.write(self.conn.send(line) or b"")


def _make_room(newest: Connection, all_: list[Connection]) -> None:
    """Close the connection that has asked nothing for the longest time, else the newest one.

    Whoever still sends a request's body has not asked yet either: a few hundred that send a byte
    now and then would keep everybody else away for minutes.
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


def room_for(most: int) -> int:
    """How many connections the process has descriptors for, not more than `most`."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    used = 32  # where the system does not tell
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            used = len(os.listdir(folder))
            break
    return max(4, min(most, soft - used - SPARE_FILES))
