"""One program per profile: a second start brings the first to the front and ends."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QSysInfo, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

_ASK = "-ask"


class SingleInstance(QObject):
    """Holds the profile's lock, and listens for whoever else is started on it.

    The lock decides, not the socket: a socket's file outlives a killed program, the lock knows
    whether its owner is alive.
    """

    ANSWER_MS = 5_000
    """How long a busy program may take to answer; it comes forward also when it answers later."""

    show_requested = Signal()  # another start asks this program to show itself
    quick_question_requested = Signal()  # another start asks it to take a quick question

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
        self._name = f"stretto-{name}"
        self._lock = QLockFile(str(folder / "running.lock"))
        self._lock.setStaleLockTime(0)  # never by age: a chat may be open for weeks
        self.quick = False  # `call` asks for a quick question
        self._servers: dict[str, QLocalServer] = {}

    def claim(self) -> bool:
        """Become the one program of this profile; False if there is one already.

        A folder that cannot be written to is not refused here: the chats say so more plainly.
        """
        if not self._lock.tryLock(0) and not self._take_over():
            if self._lock.error() == QLockFile.LockError.LockFailedError:
                return False
            log.warning("The profile could not be locked.")
            return True
        for name, told in (
            (self._name, self.show_requested),
            (self._name + _ASK, self.quick_question_requested),
        ):
            QLocalServer.removeServer(name)  # left behind by a kill; its owner is gone
            server = self._servers[name] = QLocalServer(self)
            server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
            server.newConnection.connect(self._on_connection)
            server.newConnection.connect(told)
            if not server.listen(name):
                log.warning("No other start will be heard: %s", server.errorString())
        return True

    def call(self) -> bool:
        """Ask the program that runs to show itself; False if it does not answer in time.

        One of an earlier version takes no quick question and just shows itself.
        """
        return (self.quick and self._answered(self._name + _ASK)) or self._answered(self._name)

    def _answered(self, name: str) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(name)
        # The system connects by itself, also to a program that hangs: only its word counts.
        answered = socket.waitForConnected(self.ANSWER_MS) and (
            socket.bytesAvailable() > 0 or socket.waitForReadyRead(self.ANSWER_MS)
        )
        socket.abort()
        return answered

    def release(self) -> None:
        """Let the next start be the one."""
        while self._servers:
            _, server = self._servers.popitem()
            server.close()
            server.deleteLater()
        self._lock.unlock()

    def _take_over(self) -> bool:
        """Lock a file that says nothing of its owner, or names one on a computer of another name.

        A power cut leaves the one, and a laptop that changes its name with the network the other;
        nobody could ever start again. Whoever lives holds the system's own lock on the file, which
        keeps Qt from removing it.
        """
        if self._lock.error() != QLockFile.LockError.LockFailedError:
            return False
        owner, host, _ = self._lock.getLockInfo()
        if owner and host in {"", QSysInfo.machineHostName()}:
            return False
        return self._lock.removeStaleLockFile() and self._lock.tryLock(0)

    @Slot()
    def _on_connection(self) -> None:
        server = self.sender()
        while isinstance(server, QLocalServer) and (socket := server.nextPendingConnection()):
            socket.disconnected.connect(socket.deleteLater)
            socket.write(b"here")
            socket.flush()
            socket.disconnectFromServer()
