"""The stdio transport: a server's process, its lines bounded in size and in number.

The transport of the `mcp` package reads lines of any length and every notification there is; a
server of that kind would take the window's memory and processor with it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import ByteReceiveStream, Process
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage

from app.tools.bounding import (
    MESSAGES_PER_S,
    MOST_PARTS,
    Pace,
    TooMuchError,
    Weigher,
    lists_too_much,
    weight,
)
from app.tools.tool import ToolError

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one message; a longer one is refused and the call it answers fails."""
LINES_PER_S = 500
"""Lines of a server's log beyond so many in a second are dropped, as notifications are (see
`bounding`); other messages wait for the next one."""
LEAVE_S = 1.0
"""How long a server may take to end by itself once its input is closed, and again when asked."""
_CHUNK = 65536
_FLOODED_S = 0.02  # between two pieces of a log that is a flood
_SLICE = 1 << 20
_BYTES_PER_PART = 8
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18})')
TOO_LONG = "The server sent a message of more than {:,} bytes."


@asynccontextmanager
async def stdio(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    note: Callable[[str], None],
    ended: Callable[[], None],
) -> AsyncGenerator[tuple[Any, Any], None]:
    """Start the process and yield its streams; on leaving it and its children are ended.

    Args:
        note: gets each line that the server writes to its standard error.
        ended: called when the server closes its output.

    Raises OSError if it cannot be started.
    """
    process = await anyio.open_process(
        list(command), env=dict(env), cwd=cwd, stderr=subprocess.PIPE, start_new_session=True
    )
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        assert process.stdout is not None
        try:
            async with to_session:
                await _pass_on(process.stdout, to_session.send)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError, OSError):
            pass  # the session is gone, or the pipe
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
            rest, log_pace = b"", Pace(LINES_PER_S)
            async for chunk in process.stderr:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if not log_pace.room():
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


async def _pass_on(stdout: ByteReceiveStream, send: Callable[[Any], Any]) -> None:
    """Cut the bytes into lines and hand on what is a message."""
    parts: list[bytes] = []
    size = 0
    pace = Pace(MESSAGES_PER_S)
    async for chunk in stdout:
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            whole = b"".join([*parts, line]) if size + len(line) <= LONGEST_LINE else None
            head = b"".join(parts)[:400] + line[:400] + line[-400:]
            parts, size = [], 0
            message = refused(head, _too_long()) if whole is None else await _message(whole, pace)
            if message is not None:
                await send(message)
        size += len(rest)
        if size <= LONGEST_LINE:
            parts.append(rest)
        else:
            parts = parts[:1]  # its beginning tells which call it answers


def _too_long() -> str:
    return TOO_LONG.format(LONGEST_LINE)


async def _message(line: bytes, pace: Pace) -> SessionMessage | Exception | None:
    if not line.strip():
        return None
    if not pace.room() and b'"id"' not in line:
        return None  # a notification
    weigher = Weigher()
    try:
        if len(line) > MOST_PARTS:  # a shorter one cannot have as many
            for at in range(0, len(line), _SLICE):
                weigher.feed(line[at : at + _SLICE])
                await anyio.sleep(0)  # others have their turn
    except TooMuchError as error:
        return refused(line[:400] + line[-400:], str(error))
    wait = pace.wait(1 + weight(len(line), weigher.parts or len(line) // _BYTES_PER_PART))
    if wait:
        await anyio.sleep(wait)
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return refused(line[:400] + line[-400:], "The server sent a line that is no message.")
    if why := lists_too_much(message):
        return refused(line[:400] + line[-400:], why)
    return SessionMessage(message)


def refused(head: bytes, why: str) -> SessionMessage | Exception:
    """The answer in the place of a message that is not read; ``head``: its begin and end."""
    found = _ID.search(head)
    if found is None:
        return ToolError(why)
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=why)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error))


async def _end(process: Process) -> None:
    """Close its input, wait, then end it and all that it has started."""
    for stream in (process.stdin,):
        if stream is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await stream.aclose()
    with anyio.move_on_after(LEAVE_S):
        while process.returncode is None:
            await anyio.sleep(0.01)
    await terminate_posix_process_tree(process, LEAVE_S)
    with anyio.move_on_after(LEAVE_S):
        while process.returncode is None:
            await anyio.sleep(0.01)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await pipe.aclose()
    # Else the loop keeps it, and warns, while a surviving grandchild holds a pipe open.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError, OSError):
            transport.close()


def group_exists(pid: int) -> bool:
    """Whether a process group of that number lives."""
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
