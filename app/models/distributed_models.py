"""Models distributed over several machines, whose servers we start on request."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress

from PySide6.QtCore import QObject

from app import flows
from app.remote.address import Remote, named, spread
from app.remote.groups import GroupServer, MachineGroup
from app.remote.remotes import Remotes


class SpreadModels(QObject):
    """Starts the servers of distributed models.

    Args:
        changed: called with a model's reference when its status changes.
    """

    def __init__(self, remotes: Remotes, changed: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._remotes, self._changed = remotes, changed

    def begin(self, group: MachineGroup) -> GroupServer:
        """Start a new group. To cancel, close the server before it is `listed`."""
        return self._remotes.groups.start(group)

    async def listed(self, server: GroupServer, group: MachineGroup, away: tuple[str, ...]) -> str:
        """Wait until the server is ready, add the model to the list, and return its reference.

        Args:
            away: names of its hosts, excluding this machine.

        Raises:
            RemoteError: the server couldn't be started.
        """
        started = await flows.arrived(server.started)
        remote = Remote(spread(away, started.port), started.model, "stretto", started.context)
        self._remotes.groups.save(remote.ref, server)
        self._remotes.add(remote, started.key, group)
        flows.start(self, self._watch(remote.ref, server))
        self._changed(remote.ref)
        return remote.ref

    def start(self, ref: str) -> bool:
        """Restart a model's group. Returns False if there's no group or it's already running."""
        groups, remote = self._remotes.groups, named(ref)
        group, not_there = groups.known.get(ref), groups.why_not(ref)
        if group is None or remote is None or not_there is None or not_there.starts:
            return False
        server = groups.start(group, ref)
        flows.start(self, self._list_again(ref, server, group, remote))
        flows.start(self, self._watch(ref, server))
        self._changed(ref)
        return True

    async def _list_again(
        self, ref: str, server: GroupServer, group: MachineGroup, remote: Remote
    ) -> None:
        with suppress(Exception):  # `groups` has already stored the error
            started = await flows.arrived(server.started)
            model = self._remotes.model(ref)
            self._remotes.add(model.remote if model else remote, started.key, group)
        self._changed(ref)

    async def _watch(self, ref: str, server: GroupServer) -> None:
        words = ""
        with suppress(CancelledError):
            words = await flows.arrived(server.ended)
        self._remotes.groups.ended(ref, words)
        self._changed(ref)
