"""A rank on another machine, as the relay has it: an `ssh` that runs it, with the link as its ends.

Nothing listens for it here, and no key travels: `ssh` has proved who is at both ends.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from engine.core.ranks.hosts import ssh
from engine.core.ranks.hosts.host import Host
from engine.core.ranks.link import MARK, Link

_MOST_SAID = 65_536  # bytes that a shell may say before the rank begins
_EVERY = 5.0  # seconds between two signs of life that the rank gets


class RemoteStart:
    """An `ssh` that has been started, until its rank has said what it is.

    Attributes:
        process: the `ssh`.

    Args:
        given: the rank's first message.
        said: a file for what `ssh` and the rank say on their standard error.

    Raises:
        OSError: there is no `ssh`.
    """

    def __init__(self, host: Host, given: dict[str, Any], said: Path) -> None:
        self.host = host
        self._given = given
        self._said = said
        self._before = b""
        self._link: Link | None = None
        ours, theirs = socket.socketpair()
        with theirs, said.open("wb") as errors:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                ssh.command(host, ssh.rank(host)),
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
                start_new_session=True,
            )
        ours.setblocking(False)
        self._socket = ours

    def hello(self) -> tuple[Link, dict[str, Any]] | None:
        """The link and the rank's hello, once both are there. Does not wait.

        Raises:
            EOFError, OSError, ValueError: there will be none.
        """
        if self._link is None and not self._begun():
            return None
        assert self._link is not None
        return (self._link, self._link.take(False)) if self._link.waiting(0) else None

    def _begun(self) -> bool:
        # One byte at a time: what comes after the mark belongs to the link.
        while not self._before.endswith(MARK):
            try:
                byte = self._socket.recv(1)
            except BlockingIOError:
                return False
            self._before += byte
            if not byte:
                raise EOFError
            if len(self._before) > _MOST_SAID:
                raise ValueError("it says something else")
        self._socket.setblocking(True)
        self._link = Link(Connection(self._socket.detach()))
        self._link.tell(self._given)
        return True

    def fault(self) -> str:
        """Why it has ended, in words."""
        said = ""
        with contextlib.suppress(OSError):
            said = self._said.read_text(errors="replace")[-4000:]
        return ssh.fault(self.host, self.process.poll(), said)

    def close(self) -> None:
        """Close this end, where no link has it."""
        self._socket.close()


class Signs:
    """A thread that tells ranks on other machines that the relay lives."""

    def __init__(self, links: Sequence[Link]) -> None:
        self._links = links
        self._over = threading.Event()
        if links:
            thread = threading.Thread(target=self._tell, name="stretto-ranks-signs", daemon=True)
            thread.start()

    def _tell(self) -> None:
        while not self._over.wait(_EVERY):
            for link in self._links:
                with contextlib.suppress(OSError):  # it has gone, which is seen
                    link.tell({"alive": True})

    def close(self) -> None:
        """Tell nothing more."""
        self._over.set()
