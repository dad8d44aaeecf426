"""The server: a socket on the loopback, and a thread with uvicorn's event loop behind it."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import socket
import threading

import uvicorn

from engine.engine import Engine
from engine.model.info import Model
from engine.serve.app import App
from engine.serve.completions import Completions
from engine.serve.connection import PATIENCE, Connection
from engine.serve.conversations import Conversations
from engine.serve.served import Served

log = logging.getLogger(__name__)

BACKLOG = 1024
"""Connections that the system holds until they are accepted."""
AT_ONCE = 16
"""How many of them are accepted before the server looks at anything else."""
MOST_CONNECTIONS = 2048
SPARE_FILES = 24 + AT_ONCE
"""Descriptors that connections leave free for everything else."""
GRACE_SECONDS = 1
"""How long answers may take to end when the server is stopped."""


class Server:
    """Answers on the loopback only, from `start` to `stop`. Also a context manager.

    Args:
        models: loaded in `engine`; the first one answers requests that name none.
        port: 0 takes a free one.
        patience: seconds until a connection that does nothing is closed.

    Attributes:
        port: where it listens.

    Raises:
        OSError: the port is not to be had.
        OverflowError: it is no port.
    """

    def __init__(
        self, engine: Engine, models: list[Model], port: int, patience: float = PATIENCE
    ) -> None:
        self.engine = engine
        self.conversations = Conversations(engine)
        self.served = Served(engine, models, self.conversations.clear)
        self._socket = socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
        self.address: tuple[str, int] = self._socket.getsockname()
        self.port = self.address[1]
        completions = Completions(self.served, self.conversations)
        completions.silence = patience
        config = uvicorn.Config(
            App(engine, completions),
            http=Connection,
            ws="none",
            loop="asyncio",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=AT_ONCE,
            timeout_keep_alive=int(patience) + 1,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._http = _Http(config, self._socket, completions, patience)
        self._thread = threading.Thread(target=self._run, name="serve", daemon=True)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._http.server_state.connections)

    def start(self) -> None:
        """Begin to answer. Returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop all answers, tell their clients, and close. Takes a second or two at most."""
        self._http.should_exit = True
        if self._thread.ident is not None:
            self._thread.join(GRACE_SECONDS + 1.0)
        self._socket.close()

    def _run(self) -> None:
        self._http.run(sockets=[self._socket])


class _Http(uvicorn.Server):
    """uvicorn's server, which also looks after its connections."""

    def __init__(
        self,
        config: uvicorn.Config,
        listening: socket.socket,
        completions: Completions,
        patience: float,
    ) -> None:
        super().__init__(config)
        self._listening = listening
        self._completions = completions
        self._patience = patience

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.lifespan.state["room"] = _room()
        await super().startup(sockets)
        # asyncio accepts as many at once as the backlog it knows of. That would take all
        # descriptors in one go, so only the system is told the real one.
        self._listening.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second. What is raised here would end the server."""
        try:
            self._look()
        except BaseException:
            log.exception("connections could not be looked at")
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._completions.end()
        for connection in self._connections():
            connection.give_up()
        await super().shutdown(sockets)
        for connection in self._connections():
            connection.transport.abort()

    def _look(self) -> None:
        connections = self._connections()
        if connections:
            now = connections[0].loop.time()
            for connection in connections:
                connection.look(now, self._patience)

    def _connections(self) -> list[Connection]:
        return [c for c in self.server_state.connections if isinstance(c, Connection)]


def _room() -> int:
    """How many connections the process has descriptors for."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    used = 32  # where the system does not tell
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            used = len(os.listdir(folder))
            break
    return max(4, min(MOST_CONNECTIONS, soft - used - SPARE_FILES))
