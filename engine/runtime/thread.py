"""Start and end of the engine thread."""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from engine.cluster.hosts import Host
from engine.errors import ENGINE_STOPPED, EngineError, describe_error, run_cleanup
from engine.messages import Stop
from engine.model import backend
from engine.runtime.mailbox import Mailbox, refuse, this_thread
from engine.runtime.workers import Workers
from engine.sandbox import confined

if TYPE_CHECKING:
    from engine.cluster.relay import Relay
    from engine.runtime.loop import Loop

log = logging.getLogger(__name__)


class EngineOptions(Struct, frozen=True):
    """Checked arguments of `Engine`."""

    memory_budget: int | None
    cache_dir: Path | None
    cache_bytes: int
    hosts: Sequence[Host]
    ways_dir: Path | None
    niceness: int


def run(mailbox: Mailbox, options: EngineOptions) -> None:
    """Run the engine. MLX is imported here, so that the window doesn't wait for it."""
    this_thread.runs_an_engine = True
    if options.niceness and sys.platform == "linux":  # elsewhere, this affects the whole process
        with contextlib.suppress(OSError):
            # This applies to the current thread and the threads it starts, such as workers and
            # kernel threads.
            os.setpriority(os.PRIO_PROCESS, 0, options.niceness)
    try:
        loop: Loop | Relay
        if len(options.hosts) > 1:
            from engine.cluster.relay import Relay

            loop = Relay(mailbox, options.hosts, options.memory_budget)
        else:
            loop = make_loop(mailbox, options)
    except BaseException as error:
        log.exception("cannot start the engine")
        error_text = f"The engine could not start: {describe_error(error)}"
        for command in mailbox.close():
            refuse(command, EngineError(ENGINE_STOPPED, error_text))
        return
    try:
        with contextlib.suppress(BaseException):  # already reported and logged by the loop
            loop.run()
    finally:
        if not mailbox.closed:  # an error occurred at the end of the loop
            loop.end("The engine cannot continue.")
        # If a thread ends while it has streams, the process aborts at exit (mlx #4110, #4373).
        run_cleanup(_clear_streams)


def make_loop(mailbox: Mailbox, options: EngineOptions, workers: Workers | None = None) -> Loop:
    confined.shared().start()  # the child's imports run in parallel with this thread
    backend.load_openblas()  # must run before anything imports MLX
    from engine.runtime.loop import Loop

    return Loop(
        mailbox,
        options.memory_budget,
        options.cache_dir,
        options.cache_bytes,
        ways_dir=options.ways_dir,
        workers=workers,
    )


@contextlib.contextmanager
def stepping() -> Iterator[None]:
    this_thread.runs_an_engine = True
    try:
        yield
    finally:
        this_thread.runs_an_engine = False


_running: set[tuple[Mailbox, threading.Thread | None]] = set()


def stop_at_exit(mailbox: Mailbox, thread: threading.Thread) -> None:
    """Stop the engine at exit.

    `atexit` runs after the interpreter has joined all threads, so it would wait for the engine
    thread forever. concurrent.futures uses the same hook.
    """
    _register_hooks()
    _running.add((mailbox, thread))


@functools.cache
def _register_hooks() -> None:
    threading._register_atexit(_stop_all)  # type: ignore[attr-defined]
    atexit.register(_clear_streams)


def unregister(mailbox: Mailbox, thread: threading.Thread | None) -> None:
    _running.discard((mailbox, thread))


def _stop_all() -> None:
    for mailbox, thread in list(_running):
        with contextlib.suppress(EngineError):  # the engine has already ended
            mailbox.post(Stop())
        if thread is not None:
            thread.join()


def _clear_streams() -> None:
    """Clear the current thread's state in MLX.

    Otherwise, MLX frees its compiled functions with the thread's C++ locals after Python has shut
    down, which crashes the process if the engine thread created them.
    """
    mlx = sys.modules.get("mlx.core")
    if mlx is not None:
        mlx.clear_streams()
