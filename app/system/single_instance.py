"""Single instance per profile. A second start brings the first to the front and exits."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QSysInfo, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

_ASK = "-ask"


class SingleInstance(QObject):
    """Profile lock, with a socket that receives requests when the app is started again.

    Only the lock counts. If the app is killed, the socket file remains, but the lock has no owner.
    """

    ANSWER_MS = 5_000
    """Timeout for an answer. A busy instance still shows up if it answers too late."""

    show_requested = Signal()  # the app was started again
    quick_question_requested = Signal()  # the app was started again to ask a quick question

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
        self._name = f"stretto-{name}"
        self._lock = QLockFile(str(folder / "running.lock"))
        self._lock.setStaleLockTime(0)  # never expire the lock, since the app may run for weeks
        self.quick = False  # set so that `call` requests a quick question
        self._servers: dict[str, QLocalServer] = {}

    def claim(self) -> bool:
        """Lock the profile. Return False if another instance has locked it.

        Returns True if the folder isn't writable, because opening the chats gives a better error
        message.
        """
        if not self._lock.tryLock(0) and not self._take_over():
            if self._lock.error() == QLockFile.LockError.LockFailedError:
                return False
            log.warning("cannot lock the profile")
            return True
        for name, signal in (
            (self._name, self.show_requested),
            (self._name + _ASK, self.quick_question_requested),
        ):
            QLocalServer.removeServer(name)  # left over from a killed instance
            server = self._servers[name] = QLocalServer(self)
            server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
            server.newConnection.connect(self._on_connection)
            server.newConnection.connect(signal)
            if not server.listen(name):
                log.warning("cannot listen for other instances: %s", server.errorString())
        return True

    def call(self) -> bool:
        """Ask the running instance to show itself. Return False on timeout.

        An instance of an earlier version doesn't know quick questions, so it only shows its window.
        """
        return (self.quick and self._wait_for_answer(self._name + _ASK)) or self._wait_for_answer(
            self._name
        )

    def _wait_for_answer(self, name: str) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(name)
        # The system accepts the connection even if the instance hangs, so wait for its answer.
        answered = socket.waitForConnected(self.ANSWER_MS) and (
            socket.bytesAvailable() > 0 or socket.waitForReadyRead(self.ANSWER_MS)
        )
        socket.abort()
        return answered

    def release(self) -> None:
        while self._servers:
            _, server = self._servers.popitem()
            server.close()
            server.deleteLater()
        self._lock.unlock()

    def _take_over(self) -> bool:
        """Remove a lock file that has no owner or is from a machine with another name.

        This happens after a power cut, or if a laptop's name depends on the network, and would keep
        the app from starting. If the owner is alive, its system lock on the file prevents the
        removal.
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
