"""Single instance per profile: a second start brings the first to the front and ends."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QSysInfo, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

_ASK = "-ask"


class SingleInstance(QObject):
    """Lock of a profile, with a socket that receives the requests of further starts.

    Only the lock decides. The socket's file survives a killed program, but the lock detects that
    its owner is dead.
    """

    ANSWER_MS = 5_000
    """Time limit for the answer of a busy program, which shows itself even if it answers later."""

    show_requested = Signal()  # another start asks this program to show itself
    quick_question_requested = Signal()  # another start asks it to take a quick question

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
        self._name = f"stretto-{name}"
        self._lock = QLockFile(str(folder / "running.lock"))
        self._lock.setStaleLockTime(0)  # locks never expire, since the program may run for weeks
        self.quick = False  # `call` asks for a quick question
        self._servers: dict[str, QLocalServer] = {}

    def claim(self) -> bool:
        """Lock the profile. Return False if another program has locked it.

        A folder that is not writable is not refused here: opening the chats gives a better error.
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
            QLocalServer.removeServer(name)  # left over from a killed program
            server = self._servers[name] = QLocalServer(self)
            server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
            server.newConnection.connect(self._on_connection)
            server.newConnection.connect(signal)
            if not server.listen(name):
                log.warning("cannot listen for other instances: %s", server.errorString())
        return True

    def call(self) -> bool:
        """Ask the running program to show itself. Return False if it does not answer in time.

        Earlier versions do not support quick questions, and only show themselves.
        """
        return (self.quick and self._answered(self._name + _ASK)) or self._answered(self._name)

    def _answered(self, name: str) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(name)
        # The system accepts connections even for a program that hangs, so only its answer counts.
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
        """Take over a lock file without owner, or of a computer with another name.

        The former is left by a power cut, the latter by a laptop whose name depends on the network.
        Both would prevent all later starts. A living owner holds a system lock on the file, which
        prevents its removal.
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
