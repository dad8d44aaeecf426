"""A rank's process: joins the relay and the group, then leads or follows until it is ended."""

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
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.cluster.hosts import LOCAL, Host
from engine.cluster.link import (
    CALLED,
    Answered,
    Asked,
    Called,
    Link,
    Unasked,
    joined,
    place,
    reserve,
    versions,
)
from engine.cluster.machines import KEPT, rank_command
from engine.errors import EngineError, as_engine_error, words_of
from engine.sandbox import confined
from engine.sandbox.child import die_with_parent

log = logging.getLogger(__name__)

BEAT = 0.5  # seconds between two messages of a rank that nothing ails

BEAT_LOADING = 0.05  # the same while it loads: that it no longer does is known soon

STEP_BYTES = 16_384
"""Of one row's activations in a large model: what each of its collectives moves in a step."""

LARGE_BYTES = 16 * 2**20

_LOOK = 200  # milliseconds between two looks whether a rank still runs


def main(arguments: Sequence[str] = ()) -> int:
    """Be a rank, whose relay is at the standard input and output."""
    if KEPT in arguments:
        return _keep()
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal goes to its whole group
    link = Link.over_stdio()
    try:
        _serve(link.take(False), link)
    except BaseException as error:
        log.debug("a rank has ended", exc_info=error)
        with contextlib.suppress(OSError):
            link.tell({"fault": words_of(error)})
            time.sleep(60)  # the relay ends all ranks at once
    # MLX's threads may be in a collective that never ends.
    os._exit(0)


def _keep() -> int:
    """Start a rank at this process's input and output, and kill it once nobody is at the other end.

    A rank may be stopped, or in a collective, or in a library that holds Python's lock, when the
    relay or the connection goes. This process is in none of them.
    """
    rank = subprocess.Popen(rank_command(Host(LOCAL)), start_new_session=True)

    def end(*_: object) -> None:
        with contextlib.suppress(OSError):
            os.killpg(rank.pid, signal.SIGKILL)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    ends = select.poll()
    ends.register(0, 0)  # only that the other end has gone; what comes is the rank's
    ends.register(1, 0)
    while rank.poll() is None:
        if ends.poll(_LOOK):
            end()
            break
    status = rank.wait()
    return status if status >= 0 else 128 - status


def _serve(asked: dict[str, Any], link: Link) -> None:
    from engine.model import backend

    rank = int(asked["rank"])
    if rank == 0:
        confined.shared().start()  # they import what they need while this process does
    about = backend.start()
    hello = {"versions": versions(), "memory": about.memory, "device": about.device}
    with reserve(asked["ports"], rank, int(asked["count"])) as held:
        link.tell(hello | place(held))
        given = link.take(rank == 0)
    from engine.cluster.group import Group

    pulse = Pulse(link)
    with joined(given["join"]) as carrier:
        group = Group(carrier)
    if "trial" in given:
        _measure(group, link, int(given["trial"]), carrier)
    elif rank == 0:
        _lead(link, group, given, pulse)
    else:
        _follow(link, group, {**given, **asked}, pulse)


class Pulse:
    """A thread that says how far this rank is.

    A rank that loads may be silent for long. One that hangs just after that must not be.
    """

    def __init__(self, link: Link) -> None:
        # gives how far it is, whether it works, and whether it loads
        self.state: Callable[[], tuple[int, bool, bool]] = lambda: (0, True, True)
        self._link = link
        threading.Thread(target=self._beat, name="stretto-rank-pulse", daemon=True).start()

    def _beat(self) -> None:
        from engine.model.backend import memory_in_use

        while True:
            steps, busy, loading = self.state()
            message = {"beat": steps, "busy": busy, "loading": loading, "held": memory_in_use()}
            try:
                self._link.tell(message)
            except OSError:
                os._exit(1)  # there is nobody to lead or to follow for
            time.sleep(BEAT_LOADING if loading else BEAT)


def _listen(
    link: Link, trusted: bool, take: Callable[[Any], None], patience: float | None = None
) -> None:
    """Hand on what comes over the link. This process ends with the relay, or with its silence.

    Args:
        patience: seconds that the relay may be silent; None for ever.
    """

    def listen() -> None:
        try:
            while patience is None or link.waiting(patience):
                message = link.take(trusted)
                if "alive" not in message:
                    take(message)
        except (EOFError, OSError, ValueError):
            pass
        os._exit(1)

    threading.Thread(target=listen, name="stretto-rank-link", daemon=True).start()


def _cache_folder(given: dict[str, Any], group: Any) -> Path | None:
    """Where this rank's caches lie, on whatever machine it is; None where nothing is kept."""
    if not given["cache"]:
        return None
    return Path(given["cache"]).expanduser() / f"rank {group.rank} of {group.size}"


def _follow(link: Link, group: Any, given: dict[str, Any], pulse: Pulse) -> None:
    from engine.cluster.follower import Files, Follower

    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    files = Files(_cache_folder(given, group), given["cache bytes"] // group.size, link.tell)
    follower = Follower(group, link.tell, files, str(given.get("models") or ""))
    pulse.state = lambda: (follower.steps, follower.busy, follower.loading)
    take = partial(follower.take, messages=messages)
    _listen(link, False, take, given.get("patience"))
    follower.run(messages)


def _lead(link: Link, group: Any, given: dict[str, Any], pulse: Pulse) -> None:
    from engine.cluster.leader import Leader
    from engine.runtime.loop import Loop
    from engine.runtime.workers import Mailbox

    mailbox = Mailbox()
    leader = Leader(group, lambda message: link.tell({"to all": message}))
    folder = _cache_folder(given, group)
    loop = Loop(mailbox, given["budget"], folder, given["cache bytes"], leader)
    pulse.state = lambda: (leader.steps, leader.busy or leader.loading, leader.loading)
    commands = Commands(link, mailbox.post)

    def take(message: Any) -> None:
        if isinstance(message, dict):
            leader.hear(message)
        else:
            commands.take(*message)

    _listen(link, True, take)
    loop.run()
    link.tell({"over": True})


class Commands:
    """Rank 0's end of what callers ask: commands come over the link, what they bring goes back.

    Args:
        post: hands a command to the engine of this process.
    """

    def __init__(self, link: Link, post: Callable[[Any], None]) -> None:
        self._link = link
        self._post = post
        self._answers: dict[int, Future[Any]] = {}

    def take(self, asked: Asked | Unasked) -> None:
        """Take what the relay has handed over, on the thread that listens."""
        if isinstance(asked, Unasked):
            answer = self._answers.pop(asked.number, None)
            if answer is not None:
                answer.cancel()
            return
        with contextlib.suppress(EngineError):  # it is just stopping
            self._post(self._here(asked))

    def _here(self, asked: Asked) -> Any:
        """The command as this process's engine takes it."""
        from engine.runtime.workers import Answer

        command, number = asked.command, asked.number
        given: dict[str, Any] = {
            name: lambda *arguments: self._link.hand(Called(number, arguments))
            for name in CALLED
            if getattr(command, name, None)
        }
        if hasattr(command, "answer"):
            given["answer"] = answer = Answer[Any](can_be_cancelled=True)
            self._answers[number] = answer
            answer.add_done_callback(partial(self._answered, number))
        return replace(command, **given) if given else command

    def _answered(self, number: int, done: Future[Any]) -> None:
        self._answers.pop(number, None)
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            self._link.hand(Answered(number, done.result()))
        else:
            known = as_engine_error(error)
            self._link.hand(Answered(number, error=(known.code, known.message)))


# -- a group that is started to be measured -------------------------------------------------


def _measure(group: Any, link: Link, rounds: int, carrier: str) -> None:
    """How long collectives take: rank 0 reports, and all wait to be ended.

    Args:
        rounds: of small collectives; a fiftieth of them are large.
        carrier: the backend's name.
    """
    found = {
        "latency_s": _sums(group, 4, rounds),
        "step_s": _sums(group, STEP_BYTES, rounds),
        "large_s": _sums(group, LARGE_BYTES, max(2, rounds // 50)),
    }
    if group.rank == 0:
        link.tell({"figures": {**found, "large_bytes": LARGE_BYTES, "backend": carrier}})
    link.waiting(60)  # until the relay closes the link


def _sums(group: Any, nbytes: int, rounds: int) -> float:
    """Seconds of one sum over all ranks of an array of that size."""
    import mlx.core as mx

    array = mx.zeros(nbytes // 4, mx.float32)
    mx.eval(array)
    for _ in range(3):
        mx.eval(mx.distributed.all_sum(array, group=group.mlx))
    began = time.perf_counter()
    for _ in range(rounds):
        mx.eval(mx.distributed.all_sum(array, group=group.mlx))
    return (time.perf_counter() - began) / rounds
