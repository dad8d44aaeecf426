"""A rank's process: joins the relay and the group, then leads or follows until it is ended."""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from engine.core.ranks.hosts import joining
from engine.core.ranks.hosts.ssh import KEPT, OVER_STDIO
from engine.core.ranks.link import Link
from engine.errors import EngineError, words_of

log = logging.getLogger(__name__)

PROTOCOL = 3
"""Of records and messages; ranks of another cannot be in one group."""


def main(arguments: Sequence[str] = ()) -> int:
    """Be a rank. What it needs to know comes as a line of JSON on the standard input.

    Of one on another machine it is the first message of the link.
    """
    if KEPT in arguments:
        from engine.core.ranks import keeper

        return keeper.main()
    from engine.core.confined.child import die_with_parent

    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal goes to its whole group
    if OVER_STDIO in arguments:
        link = Link.over_stdio()
        given = link.take(False)
    else:
        given = json.loads(sys.stdin.buffer.readline())
        link = Link.to(tuple(given["address"]), bytes.fromhex(given["key"]))
    try:
        _serve(given, link)
    except BaseException as error:
        log.debug("a rank has ended", exc_info=error)
        words = error.message if isinstance(error, EngineError) else words_of(error)
        try:
            link.tell({"fault": words})
            time.sleep(60)  # the relay ends all ranks at once
        except OSError:
            pass
    # MLX's threads may be in a collective that never ends.
    os._exit(0)


def versions() -> dict[str, str]:
    """What must be the same on all ranks."""
    from importlib.metadata import version

    return {"protocol": str(PROTOCOL), "mlx": version("mlx"), "mlx-lm": version("mlx-lm")}


def _serve(asked: dict[str, Any], link: Link) -> None:
    rank = int(asked["rank"])
    from engine.core.confined import confined
    from engine.model import backend

    if rank == 0:
        confined.shared().start()  # they import what they need while this process does
    about = backend.start()
    hello = {"rank": rank, "versions": versions(), "memory": about.memory, "device": about.device}
    if "ports" in asked:
        hello |= joining.place(asked["ports"], rank, int(asked["count"]))
    link.tell(hello)
    given = link.take(rank == 0)
    from engine.core.ranks.group import Group

    pulse = _Pulse(link)
    with joining.joined(given.get("join")) as carrier:
        group = Group(carrier)
    if "trial" in given:
        from engine.core.ranks import trial

        trial.measure(group, link, given["trial"])
    elif rank == 0:
        _lead(link, group, given, pulse)
    else:
        _follow(link, group, {**given, **asked}, pulse)


_BEAT_LOADING = 0.05
"""Seconds between two messages of a rank that loads: that it no longer does is known soon."""


class _Pulse:
    """A thread that tells how far this rank is.

    A rank that loads may be silent for long. One that hangs just after that must not be.
    """

    def __init__(self, link: Link) -> None:
        self.state: Callable[[], tuple[int, bool, bool]] = lambda: (0, True, True)
        self._link = link
        threading.Thread(target=self._beat, name="stretto-rank-pulse", daemon=True).start()

    def _beat(self) -> None:
        from engine.core.ranks.watch import BEAT
        from engine.model.backend import memory_in_use

        while True:
            steps, busy, loading = self.state()
            told = {"beat": steps, "busy": busy, "loading": loading, "held": memory_in_use()}
            try:
                self._link.tell(told)
            except OSError:
                os._exit(1)  # there is nobody to lead or to follow for
            time.sleep(_BEAT_LOADING if loading else BEAT)


def _listen(
    link: Link, trusted: bool, take: Callable[[Any], None], patience: float | None = None
) -> None:
    """Hand on what comes over the link; the relay's end is this process's, and so is its silence.

    Args:
        patience: seconds that it may be silent; None for ever.
    """

    def listen() -> None:
        try:
            while True:
                if patience is not None and not link.waiting(patience):
                    os._exit(1)
                message = link.take(trusted)
                if "alive" not in message:
                    take(message)
        except (EOFError, OSError, ValueError):
            os._exit(1)

    threading.Thread(target=listen, name="stretto-rank-link", daemon=True).start()


def _follow(link: Link, group: Any, given: dict[str, Any], pulse: _Pulse) -> None:
    from engine.core.ranks.files import FollowingFiles, folder_of
    from engine.core.ranks.follower import Follower

    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    folder = folder_of(_kept_in(given), group.rank, group.size)
    files = FollowingFiles(folder, given["cache bytes"] // group.size, link.tell)
    follower = Follower(group, link.tell, files, str(given.get("models") or ""))
    pulse.state = lambda: (follower.steps, follower.busy, follower.loading)
    take = partial(follower.take, messages=messages)
    _listen(link, False, take, given.get("patience"))
    follower.run(messages)


def _kept_in(given: dict[str, Any]) -> Path | None:
    return Path(given["cache"]) if given["cache"] else None


def _lead(link: Link, group: Any, given: dict[str, Any], pulse: _Pulse) -> None:
    from engine.core.ranks.far_end import FarEnd
    from engine.core.ranks.leader import Leader
    from engine.runtime.loop import Loop
    from engine.runtime.workers import Mailbox

    mailbox = Mailbox()
    leader = Leader(group, lambda message: link.tell({"to all": message}), given["check every"])
    far_end = FarEnd(link, mailbox, leader)
    loop = Loop(mailbox, given["budget"], _kept_in(given), given["cache bytes"], leader)
    pulse.state = lambda: (leader.steps, leader.busy or leader.loading, leader.loading)
    _listen(link, True, far_end.take)
    loop.run()
    link.tell({"over": True})
