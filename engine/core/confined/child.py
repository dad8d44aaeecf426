"""The confined child: takes requests from its standard input, one at a time, until that ends.

It limits itself before each: the kernel ends it when the time is over, whatever library it is in
and whether or not its parent still lives, and refuses it more memory. It writes no files, unless it
is to use the GPU, or was started to write some of a certain size.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from engine.core.confined import wire
from engine.core.confined.refusing import DEVICE, WARM, WRITES, RefusedError

_GRACE = 1.0  # seconds: the parent, which knows what to say, is to be the first
_PR_SET_PDEATHSIG = 1
# What a native parser may recurse with. Less than the engine's threads have, so that whatever
# passes here passes there.
_STACK = 4 * 2**20


def main(arguments: Sequence[str]) -> int:
    """Serve until the parent closes the pipe."""
    die_with_parent()
    # What a library prints must not get among the answers.
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal goes to its whole group
    _limit("RLIMIT_CORE", 0)
    if DEVICE not in arguments:
        if WRITES not in arguments:
            _limit("RLIMIT_FSIZE", 0)
        _limit("RLIMIT_NOFILE", 256)
    threading.stack_size(_STACK)
    from engine.core.confined import tasks  # after the limits

    if WARM in arguments:
        tasks.warm()
    with contextlib.suppress(EOFError, OSError):
        _write(answers, wire.pack({"ready": True}))
        while True:
            request, blobs = wire.unpack(_read)
            _limit("RLIMIT_AS", int(request["memory"]) or None)
            if WRITES in arguments:
                _limit("RLIMIT_FSIZE", int(request["written"]), again=True)
            signal.setitimer(signal.ITIMER_REAL, float(request["seconds"]) + _GRACE)
            reply, out, again = _answer(tasks, request, blobs)
            _limit("RLIMIT_AS", None)  # a large answer is written even when memory was short
            _write(answers, wire.pack(reply, out))
            signal.setitimer(signal.ITIMER_REAL, 0)
            del request, blobs, reply, out
            if not again:
                break
    # The interpreter's own end could wait for a library's threads.
    os._exit(0)


def _answer(
    tasks: Any, request: dict[str, Any], blobs: list[bytes]
) -> tuple[dict[str, Any], tuple[bytes, ...], bool]:
    """The reply to a request, and whether the child may go on after it."""
    try:
        result, out = tasks.TASKS[request["do"]](request["arguments"], blobs)
        return {"result": result}, out, True
    except RefusedError as refusal:
        return {"refused": str(refusal)}, (), True
    except MemoryError:
        return {"memory": True}, (), False
    except Exception as error:
        return {"error": _words(error)}, (), True
    except BaseException as error:  # a panic in a Rust library, after which its state is unknown
        return {"panic": _words(error)}, (), False


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:2000].encode(errors="replace").decode()


def _read(count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        part = os.read(0, min(count, 2**20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _write(descriptor: int, pieces: list[bytes]) -> None:
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest[: 2**20]) :]


def _limit(name: str, value: int | None, again: bool = False) -> None:
    """Set a soft limit, and the hard one with it where it is never to be raised again.

    Args:
        again: it is set before each request.
    """
    import resource

    which = getattr(resource, name, None)
    if which is None:
        return
    hard = resource.getrlimit(which)[1]
    soft = hard if value is None else value
    if hard != resource.RLIM_INFINITY:
        soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
    with contextlib.suppress(OSError, ValueError):  # macOS has no limit of address space
        resource.setrlimit(which, (soft, hard if again or name == "RLIMIT_AS" else soft))


def die_with_parent() -> None:
    """On Linux the kernel ends the child with the thread that started it; see `children`."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
