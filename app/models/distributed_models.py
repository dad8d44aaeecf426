from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress

from PySide6.QtCore import QObject

from app import flows
from app.remote.address import Remote, distributed_address, parse_ref
from app.remote.groups import GroupServer, MachineGroup
from app.remote.remotes import Remotes


class SpreadModels(QObject):
    """Servers of models that are distributed over several machines.

    ``changed`` is called with a model's reference when its status changes.
    """

    def __init__(self, remotes: Remotes, changed: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._remotes, self._changed = remotes, changed

    def begin(self, group: MachineGroup) -> GroupServer:
        """Start a new group. To cancel, close the server before `add_when_ready`."""
        return self._remotes.groups.start(group)

    async def add_when_ready(
        self, server: GroupServer, group: MachineGroup, away: tuple[str, ...]
    ) -> str:
        """Wait until the server is ready, add the model to the list, and return its reference.

        Args:
            away: names of the group's machines, excluding this one.

        Raises:
            RemoteError: the server couldn't be started.
        """
        started = await flows.wait_for_future(server.started)
        remote = Remote(
            distributed_address(away, started.port), started.model, "stretto", started.context
        )
        self._remotes.groups.save(remote.ref, server)
        self._remotes.add(remote, started.key, group)
        flows.start(self, self._watch(remote.ref, server))
        self._changed(remote.ref)
        return remote.ref

    def start(self, ref: str) -> bool:
        """Restart a model's group. Return False if there's no group or it's running."""
        groups, remote = self._remotes.groups, parse_ref(ref)
        group, not_there = groups.known.get(ref), groups.unavailable_reason(ref)
        if group is None or remote is None or not_there is None or not_there.starts:
            return False
        server = groups.start(group, ref)
        flows.start(self, self._update_listing(ref, server, group, remote))
        flows.start(self, self._watch(ref, server))
        self._changed(ref)
        return True

    async def _update_listing(
        self, ref: str, server: GroupServer, group: MachineGroup, remote: Remote
    ) -> None:
        with suppress(Exception):  # `groups` has already stored the error
            started = await flows.wait_for_future(server.started)
            model = self._remotes.model(ref)
            self._remotes.add(model.remote if model else remote, started.key, group)
        self._changed(ref)

    async def _watch(self, ref: str, server: GroupServer) -> None:
        words = ""
        with suppress(CancelledError):
            words = await flows.wait_for_future(server.ended)
        self._remotes.groups.store_end_message(ref, words)
        self._changed(ref)
