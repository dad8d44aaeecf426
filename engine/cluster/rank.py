"""Main program of a rank. It connects to the relay, joins the group, and leads or follows until
killed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from msgspec.structs import replace

from engine.cluster.hosts import LOCAL, Host
from engine.cluster.link import (
    CALLBACK_FIELDS,
    CommandCallback,
    CommandCancelled,
    CommandResult,
    Link,
    RelayedCommand,
    mlx_environment,
    rank_address,
    reserve_port,
    versions,
)
from engine.cluster.machines import GUARD_ARGUMENT, rank_command
from engine.errors import EngineError, as_engine_error, describe_error
from engine.sandbox import confined
from engine.sandbox.child import die_with_parent

log = logging.getLogger(__name__)

HEARTBEAT_S = 0.5

LOADING_HEARTBEAT_S = 0.05  # short, so that the relay soon detects the end of loading

STEP_BYTES = 16_384
"""Bytes of each collective of a step: activations of one row in a large model."""

LARGE_BYTES = 16 * 2**20

_POLL_MS = 200  # interval between checks that the rank is still running


def main(arguments: Sequence[str] = ()) -> int:
    if GUARD_ARGUMENT in arguments:
        return _guard_rank()
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is sent to the whole process group
    link = Link.over_stdio()
    try:
        _join_group(link.receive(False), link)
    except BaseException as error:
        log.debug("rank failed", exc_info=error)
        with contextlib.suppress(OSError):
            link.send_message({"fault": describe_error(error)})
            time.sleep(60)  # the relay is about to kill all ranks
    # MLX threads could be stuck in a collective, so skip the normal shutdown.
    os._exit(0)


def _guard_rank() -> int:
    """Start a rank on this process's stdin and stdout, and kill it when the connection closes.

    The rank can't watch the connection: it may be suspended, waiting in a collective, or in a
    library that holds the GIL.
    """
    rank = subprocess.Popen(rank_command(Host(LOCAL)), start_new_session=True)

    def end(*_: object) -> None:
        with contextlib.suppress(OSError):
            os.killpg(rank.pid, signal.SIGKILL)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    ends = select.poll()
    ends.register(0, 0)  # only detects closing, since the rank reads the data
    ends.register(1, 0)
    while rank.poll() is None:
        if ends.poll(_POLL_MS):
            end()
            break
    status = rank.wait()
    return status if status >= 0 else 128 - status


def _join_group(request: dict[str, Any], link: Link) -> None:
    from engine.model import backend

    rank = int(request["rank"])
    if rank == 0:
        confined.shared().start()  # the child's imports run in parallel to ours
    backend_info = backend.start()
    hello = {"versions": versions(), "memory": backend_info.memory, "device": backend_info.device}
    with reserve_port(request["ports"], rank, int(request["count"])) as listener:
        link.send_message(hello | rank_address(listener))
        setup = link.receive(rank == 0)
    from engine.cluster.group import RankGroup

    pulse = Heartbeat(link)
    with mlx_environment(setup["join"]) as carrier:
        group = RankGroup(carrier)
    if "trial" in setup:
        _measure_collectives(group, link, int(setup["trial"]), carrier)
    elif rank == 0:
        _run_leader(link, group, setup, pulse)
    else:
        _run_follower(link, group, {**setup, **request}, pulse)


class Heartbeat:
    """Thread that reports this rank's progress. A loading rank reports more often, because it may
    hang right after loading.
    """

    def __init__(self, link: Link) -> None:
        # Returns (progress, busy, loading).
        self.state: Callable[[], tuple[int, bool, bool]] = lambda: (0, True, True)
        self._link = link
        threading.Thread(target=self._run, name="stretto-rank-pulse", daemon=True).start()

    def _run(self) -> None:
        from engine.model.backend import active_memory_bytes

        while True:
            steps, busy, loading = self.state()
            message = {
                "beat": steps,
                "busy": busy,
                "loading": loading,
                "held": active_memory_bytes(),
            }
            try:
                self._link.send_message(message)
            except OSError:
                os._exit(1)  # the relay is gone
            time.sleep(LOADING_HEARTBEAT_S if loading else HEARTBEAT_S)


def _listen(
    link: Link, trusted: bool, take: Callable[[Any], None], timeout_s: float | None = None
) -> None:
    """Receive messages on a new thread and pass them to `take`. Exit when the relay is gone.

    Args:
        timeout_s: seconds without a message after which the relay counts as gone, or None.
    """

    def listen() -> None:
        try:
            while timeout_s is None or link.poll(timeout_s):
                message = link.receive(trusted)
                if "alive" not in message:
                    take(message)
        except (EOFError, OSError, ValueError):
            pass
        os._exit(1)

    threading.Thread(target=listen, name="stretto-rank-link", daemon=True).start()


def _run_follower(link: Link, group: Any, setup: dict[str, Any], pulse: Heartbeat) -> None:
    from engine.cluster.follower import Follower

    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    follower = Follower(group, link.send_message, str(setup.get("models") or ""))
    pulse.state = lambda: (follower.steps, follower.busy, follower.loading)
    _listen(link, False, messages.put, setup.get("patience"))
    follower.follow(messages)


def _run_leader(link: Link, group: Any, setup: dict[str, Any], pulse: Heartbeat) -> None:
    from engine.cluster.leader import Leader
    from engine.runtime.loop import Loop
    from engine.runtime.mailbox import Mailbox

    mailbox = Mailbox()
    leader = Leader(group, lambda message: link.send_message({"to all": message}))
    loop = Loop(mailbox, setup["budget"], leader=leader)
    pulse.state = lambda: (leader.steps, leader.busy or leader.loading, leader.loading)
    commands = CommandReceiver(link, mailbox.post)

    def take(message: Any) -> None:
        if isinstance(message, dict):
            leader.handle_answer(message)
        else:
            commands.handle(*message)

    _listen(link, True, take)
    loop.run()
    link.send_message({"over": True})


class CommandReceiver:
    """Receiver of relayed commands on rank 0, which sends callbacks and results back."""

    def __init__(self, link: Link, post: Callable[[Any], None]) -> None:
        self._link = link
        self._post = post
        self._answers: dict[int, Future[Any]] = {}

    def handle(self, message: RelayedCommand | CommandCancelled) -> None:
        if isinstance(message, CommandCancelled):
            answer = self._answers.pop(message.number, None)
            if answer is not None:
                answer.cancel()
            return
        with contextlib.suppress(EngineError):  # the engine is stopping
            self._post(self._attach_callbacks(message))

    def _attach_callbacks(self, message: RelayedCommand) -> Any:
        from engine.runtime.mailbox import CommandFuture

        command, number = message.command, message.number
        callbacks: dict[str, Any] = {
            name: lambda *arguments: self._link.send_object(CommandCallback(number, arguments))
            for name in CALLBACK_FIELDS
            if getattr(command, name, None)
        }
        if hasattr(command, "answer"):
            callbacks["answer"] = answer = CommandFuture[Any](can_be_cancelled=True)
            self._answers[number] = answer
            answer.add_done_callback(partial(self._send_result, number))
        return replace(command, **callbacks) if callbacks else command

    def _send_result(self, number: int, future: Future[Any]) -> None:
        self._answers.pop(number, None)
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._link.send_object(CommandResult(number, future.result()))
        else:
            engine_error = as_engine_error(error)
            self._link.send_object(
                CommandResult(number, error=(engine_error.code, engine_error.message))
            )


def _measure_collectives(group: Any, link: Link, rounds: int, carrier: str) -> None:
    """Measure the speed of collectives. Rank 0 reports it, then all ranks wait to be killed.

    Args:
        rounds: number of small collectives. For large ones, 1/50 of that.
    """
    figures = {
        "latency_s": _time_sum(group, 4, rounds),
        "step_s": _time_sum(group, STEP_BYTES, rounds),
        "large_s": _time_sum(group, LARGE_BYTES, max(2, rounds // 50)),
    }
    if group.rank == 0:
        link.send_message({"figures": {**figures, "large_bytes": LARGE_BYTES, "backend": carrier}})
    link.poll(60)  # wait until the relay closes the link


def _time_sum(group: Any, nbytes: int, rounds: int) -> float:
    """Return the seconds for summing an array of `nbytes` over all ranks."""
    import mlx.core as mx

    array = mx.zeros(nbytes // 4, mx.float32)
    mx.eval(array)
    for _ in range(3):
        mx.eval(mx.distributed.all_sum(array, group=group.mlx))
    started_at = time.perf_counter()
    for _ in range(rounds):
        mx.eval(mx.distributed.all_sum(array, group=group.mlx))
    return (time.perf_counter() - started_at) / rounds
