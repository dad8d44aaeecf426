"""Transports for tool servers: a process with a restricted environment (stdio), or HTTP.

The `mcp` package accepts lines of any length and any number of notifications, which could exhaust
memory and CPU.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
from anyio.abc import AsyncResource, ByteReceiveStream, Process
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage

from app.tools.message_limits import (
    MESSAGES_PER_S,
    MOST_PARTS,
    PartCounter,
    RateLimit,
    TooMuchError,
    find_excess_lists,
    weight,
)
from app.tools.servers import ServerConfig
from app.tools.tool import ToolError

_ALLOWED = ("HOME", "LOGNAME", "USER", "SHELL", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
_USUAL = ("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
_MARK = "--path-of-the-login-shell--"
SHELL_S = 5.0  # timeout for a login shell; some users' profiles start entire programs

_lock = threading.Lock()
_path: str | None = None


def login_path(shell: str | None = None, seconds: float = SHELL_S) -> str:
    """Return the PATH that the user has in a terminal, by asking the login shell. Cached.

    An app started by a double click has the system's short PATH, without ``npx`` and ``uvx``.
    Blocks for up to ``seconds``.
    """
    global _path
    with _lock:
        if _path is None or shell is not None:
            shell_path = _ask_shell(shell or os.environ.get("SHELL") or "/bin/sh", seconds)
            _path = _join_paths(shell_path, os.environ.get("PATH", ""))
        return _path


def _ask_shell(shell: str, seconds: float) -> str:
    """Return the PATH from a shell, or "" if it doesn't respond in time."""
    try:
        # Use a separate session, or an interactive shell would take over our terminal.
        child = subprocess.Popen(
            [shell, "-l", "-i", "-c", f"echo {_MARK}; /usr/bin/env; echo {_MARK}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return ""
    try:
        out, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end_shell(child)
        return ""
    pieces = out.decode(errors="replace").split(_MARK)
    lines = pieces[1].splitlines() if len(pieces) > 2 else []
    return next((line[5:] for line in lines if line.startswith("PATH=")), "")


def _end_shell(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, 9)
    except (ProcessLookupError, PermissionError):
        child.kill()
    if child.stdout is not None:
        child.stdout.close()  # a grandchild might keep the pipe open forever
    child.wait()


def _join_paths(first: str, second: str) -> str:
    local_bin = str(Path.home() / ".local" / "bin")
    folders = [*first.split(os.pathsep), *second.split(os.pathsep), *_USUAL, local_bin]
    # Relative folders would depend on the server's working directory.
    return os.pathsep.join(dict.fromkeys(f for f in folders if os.path.isabs(f)))


def child_environment(path: str, extra: Mapping[str, str]) -> dict[str, str]:
    environment = {name: os.environ[name] for name in _ALLOWED if name in os.environ}
    return {**environment, "PATH": path, **extra}


LONGEST_LINE = 64 * 1024 * 1024
"""Bytes per message. Longer messages are refused, which makes the call fail."""
LINES_PER_S = 500
"""Log lines per second. Excess lines are dropped.

Excess notifications are dropped as well, while other messages are delayed (see `message_limits`).
"""
LEAVE_S = 1.0
"""Time for a server to end after closing its input, and again after sending it a signal."""
_CHUNK = 65536
_FLOODED_S = 0.02  # pause between chunks of log output that arrive too fast
_SLICE = 1 << 20
_BYTES_PER_PART = 8
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18})')
TOO_LONG = "The server sent a message of more than {:,} bytes."


@asynccontextmanager
async def open_stdio(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    note: Callable[[str], None],  # called with each line from the server's stderr
    ended: Callable[[], None],  # called when the server closes its output
) -> AsyncGenerator[tuple[Any, Any], None]:
    """Start the process and yield its streams. On exit, stop it with all child processes."""
    process = await anyio.open_process(
        list(command), env=dict(env), cwd=cwd, stderr=subprocess.PIPE, start_new_session=True
    )
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        assert process.stdout is not None
        try:
            async with to_session:
                await _forward_messages(process.stdout, to_session.send)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError, OSError):
            pass  # the session or the pipe was already closed
        finally:
            ended()

    async def write() -> None:
        assert process.stdin is not None
        try:
            async with from_session:
                async for message in from_session:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.stdin.send(text.encode() + b"\n")
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            await to_session.aclose()

    async def listen() -> None:
        assert process.stderr is not None
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            rest, log_pace = b"", RateLimit(LINES_PER_S)
            async for chunk in process.stderr:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if not log_pace.has_room():
                        await anyio.sleep(_FLOODED_S)
                        break
                    log_pace.wait()
                    note(line.decode(errors="replace"))
                rest = rest[:_CHUNK]

    async with anyio.create_task_group() as tasks:
        for work in (read, write, listen):
            tasks.start_soon(work)
        try:
            yield from_server, to_server
        finally:
            with anyio.CancelScope(shield=True):
                from_server.close()
                to_server.close()
                await _end(process)
            tasks.cancel_scope.cancel()


async def _forward_messages(stdout: ByteReceiveStream, send: Callable[[Any], Any]) -> None:
    parts: list[bytes] = []
    size = 0
    pace = RateLimit(MESSAGES_PER_S)
    async for chunk in stdout:
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            full = b"".join([*parts, line]) if size + len(line) <= LONGEST_LINE else None
            head = b"".join(parts)[:400] + line[:400] + line[-400:]
            parts, size = [], 0
            message = (
                make_refusal(head, TOO_LONG.format(LONGEST_LINE))
                if full is None
                else await _parse_message(full, pace)
            )
            if message is not None:
                await send(message)
        size += len(rest)
        if size <= LONGEST_LINE:
            parts.append(rest)
        else:
            parts = parts[:1]  # the beginning of the line identifies the call


async def _parse_message(line: bytes, pace: RateLimit) -> SessionMessage | Exception | None:
    if not line.strip():
        return None
    if not pace.has_room() and b'"id"' not in line:
        return None  # drop notifications that arrive too fast
    weigher = PartCounter()
    try:
        if len(line) > MOST_PARTS:  # shorter lines can't have that many parts
            for at in range(0, len(line), _SLICE):
                weigher.feed(line[at : at + _SLICE])
                await anyio.sleep(0)  # let other coroutines run
    except TooMuchError as error:
        return make_refusal(line[:400] + line[-400:], str(error))
    wait = pace.wait(1 + weight(len(line), weigher.parts or len(line) // _BYTES_PER_PART))
    if wait:
        await anyio.sleep(wait)
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return make_refusal(line[:400] + line[-400:], "The server sent a line that is no message.")
    allowed: SessionMessage = _drop_blocked(SessionMessage(message))
    return allowed


def make_refusal(head: bytes, reason: str) -> SessionMessage | Exception:
    """Return the response for a refused message. ``head`` has the message's beginning and end."""
    id_match = _ID.search(head)
    if id_match is None:
        return ToolError(reason)
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=reason)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=int(id_match[1]), error=error))


async def _end(process: Process) -> None:
    """Close the input and wait. Then stop the process and its child processes."""
    await _close(process.stdin)
    await _wait_for_exit(process)
    await terminate_posix_process_tree(process, LEAVE_S)
    await _wait_for_exit(process)
    await _close(process.stdout)
    await _close(process.stderr)
    # Otherwise, the loop would keep the transport (with a warning) while a grandchild has a pipe
    # open.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError, OSError):
            transport.close()


async def _close(pipe: AsyncResource | None) -> None:
    if pipe is not None:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await pipe.aclose()


async def _wait_for_exit(process: Process) -> None:
    with anyio.move_on_after(LEAVE_S):
        while process.returncode is None:
            await anyio.sleep(0.01)


LONGEST_BODY = 64 * 1024 * 1024
"""Bytes per response. Streams may contain any number of events; the package limits each event."""


@asynccontextmanager
async def open_http(config: ServerConfig) -> AsyncGenerator[tuple[Any, Any], None]:
    from mcp.client.streamable_http import streamable_http_client

    # Calls have their own timeout, which is suspended during questions.
    limits = httpx2.Timeout(30.0, read=None)
    headers = {"Accept-Encoding": "identity", **dict(config.headers)}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=limits, transport=_Transport()) as http,
        streamable_http_client(config.url, http_client=http) as (from_server, to_server),
    ):
        yield _Messages(from_server), to_server


class _Messages:
    """Stream of a server's messages that rejects messages with overlong lists.

    All other attributes are passed through, e.g. the request of an event.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Messages:
        return self

    async def __anext__(self) -> Any:
        return _drop_blocked(await self._stream.__anext__())

    async def receive(self) -> Any:
        return _drop_blocked(await self._stream.receive())

    async def __aenter__(self) -> _Messages:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)


def _drop_blocked(item: Any) -> Any:
    reason = find_excess_lists(item.message) if isinstance(item, SessionMessage) else ""
    if not reason:
        return item
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=reason)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=item.message.id, error=error))


class _Transport(httpx2.AsyncHTTPTransport):
    """Limits the size of responses and delays them to a rate that can be parsed in time."""

    def __init__(self) -> None:
        super().__init__()
        self._pace = RateLimit(MESSAGES_PER_S)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        packed = response.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("", "identity"):  # a few compressed megabytes could expand to gigabytes
            await response.aclose()
            raise httpx2.ReadError("The server packs what it was asked to send as it is.")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        kind = response.headers.get("content-type", "").lower()
        events = kind.startswith("text/event-stream")
        response.stream = _BoundedStream(response.stream, self._pace, events)
        return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, pace: RateLimit, events: bool) -> None:
        self._stream, self._pace, self._events = stream, pace, events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, weigher, end = 0, PartCounter(), b""
        async for piece in self._stream:
            size += len(piece)
            count, before = 0, weigher.total
            try:
                if self._events:
                    # Only split at separators that every parser accepts as the end of an event.
                    *events, last = (end + piece).replace(b"\r\n", b"\n").split(b"\n\n")
                    count = len(events)
                    end = b"\n" if last.endswith(b"\n") else b""
                    for event in events:
                        weigher.feed(event)
                        weigher.reset()
                    weigher.feed(last)
                else:
                    weigher.feed(piece)
            except TooMuchError as error:
                raise self._refusal(str(error)) from error
            if not self._events and size > LONGEST_BODY:
                raise self._refusal(f"The server sent more than {LONGEST_BODY:,} bytes.")
            wait = self._pace.wait(count + weight(len(piece), weigher.total - before))
            if wait:
                await anyio.sleep(wait)
            yield piece

    def _refusal(self, reason: str) -> Exception:
        return httpx2.SSEError(reason) if self._events else httpx2.StreamError(reason)

    async def aclose(self) -> None:
        await self._stream.aclose()
