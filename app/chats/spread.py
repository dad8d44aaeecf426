"""Models that this program spreads over several machines: started when a person asks for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import QObject

from app.bridge import Bridge
from app.remote.address import Remote, named, spread
from app.remote.groups import Group, Server, Started
from app.remote.remotes import Remotes
from engine import EngineError

Done = Callable[[str, str], None]


class SpreadModels(QObject):
    """Starts what answers them, and tells when it has begun or ended.

    Args:
        changed: is called with the ref of a model whose state is another.
    """

    def __init__(
        self, remotes: Remotes, bridge: Bridge, changed: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._remotes, self._bridge, self._changed = remotes, bridge, changed

    def begin(self, group: Group, away: tuple[str, ...], done: Done) -> Server:
        """Start a new one, and list its model. Closing the server before is giving it up.

        Args:
            away: the names of those of its hosts that are not this machine.
            done: is called with the model's ref and "", or "" and why it could not be started.
        """
        server = self._remotes.groups.start(group)

        def on_started(future: Future[Started]) -> None:
            if future.cancelled():  # the program ends
                return
            if (error := future.exception()) is not None:
                done("", _words(error))
                return
            told = future.result()
            remote = Remote(spread(away, told.port), told.model, "stretto", told.context)
            self._remotes.groups.keep(remote.ref, server)
            self._remotes.add(remote, told.key, group)
            self._bridge.when_done(server.ended, partial(self._on_ended, remote.ref))
            self._changed(remote.ref)
            done(remote.ref, "")

        self._bridge.when_done(server.started, on_started)
        return server

    def start(self, ref: str) -> bool:
        """Start a model's machines again; False where it has none, or they run."""
        groups, remote = self._remotes.groups, named(ref)
        group, not_there = groups.known.get(ref), groups.why_not(ref)
        if group is None or remote is None or not_there is None or not_there.starts:
            return False
        server = groups.start(group, ref)

        def on_started(future: Future[Started]) -> None:
            if not future.cancelled() and future.exception() is None:
                model = self._remotes.model(ref)
                self._remotes.add(model.remote if model else remote, future.result().key, group)
            self._changed(ref)

        self._bridge.when_done(server.started, on_started)
        self._bridge.when_done(server.ended, partial(self._on_ended, ref))
        self._changed(ref)
        return True

    def _on_ended(self, ref: str, future: Future[str]) -> None:
        self._remotes.groups.ended(ref, "" if future.cancelled() else future.result())
        self._changed(ref)


def _words(error: BaseException) -> str:
    return error.message if isinstance(error, EngineError) else str(error)
