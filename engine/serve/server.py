"""The server: its listening socket, and the thread that runs uvicorn's event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Mapping, Sequence

import uvicorn

from engine.engine import Engine
from engine.model import backend
from engine.model.info import Model
from engine.serve.app import application
from engine.serve.auth import FairShare, Keys, Settings
from engine.serve.connection import (
    ACCEPTS_PER_ITERATION,
    IDLE_TIMEOUT_S,
    Connection,
    connection_limit,
)
from engine.serve.conversations import ConversationPool
from engine.serve.metrics import Metrics
from engine.serve.model_requests import ModelRequestHandler
from engine.serve.models import ModelEntry, ModelRegistry
from engine.serve.reply_slots import ReplySlots
from engine.serve.routes.chat import ChatCompletions
from engine.serve.routes.completions import Completions
from engine.serve.routes.messages import CountTokensAPI, Messages
from engine.serve.routes.models import ModelRoutes
from engine.serve.routes.ollama import OllamaChat, OllamaGenerate, OllamaModels
from engine.serve.routes.responses import InputTokens, Responses, StoredResponses
from engine.serve.routes.sessions import SessionRoutes
from engine.serve.routes.status import Health, described
from engine.serve.sessions import SessionRegistry
from engine.serve.threads import ServerThreads

log = logging.getLogger(__name__)

BACKLOG = 1024  # connections queued by the OS until accepted
SEND_BUFFER_BYTES = 64 * 2**10
"""Send buffer of the operating system per client (Linux doubles the value). With the default of 4
MB, 17,000 tokens would be generated for a client that isn't reading.
"""
MANY_CONNECTIONS = 512  # after a peak of this many connections, free memory is returned to the OS
TICKS_PER_SECOND = 10  # rate set by uvicorn
GRACE_S = 1  # time for replies to end at shutdown
STOP_TIMEOUT_S = 4.0  # timeout for the entire shutdown, including cleanup


class Server:
    """HTTP server, used as a context manager.

    Args:
        patience: seconds before an inactive connection is closed.
        keys: API keys. Not needed on the loopback address.
        keeps_caches: keep conversations in the engine's cache folder for the next start.

    Raises:
        OverflowError: if the port number is out of range.
        ValueError: if a key is required but none exists.
    """

    def __init__(
        self,
        engine: Engine,
        models: list[Model],
        port: int,
        patience: float = IDLE_TIMEOUT_S,
        settings: Settings | None = None,
        folders: Sequence[str] = (),
        keys: Keys | None = None,
        keeps_caches: bool = False,
    ) -> None:
        settings = settings or Settings()
        if settings.require_key and not (keys and any(not k.revoked for k in keys.all())):
            raise ValueError("a key is required, but none exists")
        self.engine = engine
        self._unload_after = settings.unload_after
        self._crowd = 0  # maximum number of connections since memory was last returned to the OS
        self.conversations = ConversationPool(engine, keeps_caches=keeps_caches)
        sharing = FairShare(keys)
        self.sessions = SessionRegistry(engine, settings, sharing)
        self.served = ModelRegistry(
            engine, models, self._close_lost_sessions, folders, settings.may_unload, sharing
        )
        pairs = (alias.partition("=") for alias in settings.aliases)
        self.served.aliases = {name.strip(): target.strip() for name, _, target in pairs}
        self.metrics = Metrics()
        self._socket = _listening_socket(settings.host, port)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        self.port = self.address[1]
        self.slots = ReplySlots(self.sessions, self.conversations, settings, sharing)
        self._threads = ServerThreads()
        answering = ModelRequestHandler(
            engine, self.served, self.slots, self.metrics, sharing, self._threads
        )
        answering.silence = patience
        self.requests = answering.requests
        self._answering, self._keys, self._stored = answering, keys, StoredResponses()
        health = Health(
            engine,
            self.served,
            self.sessions,
            self.slots,
            self.metrics,
            lambda: self.connections,
            self.requests,
            self._threads.status,
            sharing,
        )
        apis = (
            *(ChatCompletions(), Completions(), Responses(self._stored)),
            *(Messages(), OllamaChat(), OllamaGenerate()),
        )
        routes = [
            *answering.routes(apis, (CountTokensAPI(), InputTokens(self._stored))),
            *self._stored.routes(),
            *ModelRoutes(self.served).routes(),
            *OllamaModels(self.served).routes(),
            *SessionRoutes(self.served, self.sessions).routes(),
            *health.routes(),
        ]
        app = application(
            [*routes, described(routes, self._threads.status)], settings, keys, self.metrics
        )
        config = uvicorn.Config(
            app,
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
            backlog=ACCEPTS_PER_ITERATION,
            timeout_keep_alive=int(patience) + 1,
            timeout_graceful_shutdown=GRACE_S,
        )
        self._http = _HTTPServer(config, self._socket, answering, patience, settings, self._tidy)
        self._thread = threading.Thread(target=self._run, name="serve", daemon=True)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def connections(self) -> int:
        return len(self._http.server_state.connections)

    def offer(self, folder: str, adapter: str = "") -> None:
        """Add a model that is loaded on demand.

        Raises:
            EngineError: if the folder doesn't exist.
        """
        self.served.add(ModelEntry.of_folder(folder, adapter))

    def prioritise(self, priority: int) -> None:
        """Set the engine priority for future requests (0 is normal)."""
        self._answering.priority = priority

    def share_out(self, shares: Mapping[str, float]) -> None:
        """Set how computing time is shared between programs for future requests.

        Args:
            shares: percentage by program name ("Claude Code") or key. Others share the rest
                equally.

        Raises:
            ValueError: if a share or their sum is out of range.
        """
        if not all(0 < share < 100 for share in shares.values()) or sum(shares.values()) > 100:
            raise ValueError("shares must be between 0 and 100, and 100 in total at most")
        self._answering.shares = dict(shares)

    def note_unloaded(self, model_id: str) -> None:
        """Record that a model was unloaded outside the server. Thread-safe."""
        if self._http.loop is not None:
            with contextlib.suppress(RuntimeError):  # the server has already stopped
                self._http.loop.call_soon_threadsafe(self.served.note_unloaded, model_id)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Cancel all requests with an error, free resources and close the socket.

        Usually takes a second or two.
        """
        self._http.should_exit = True
        if self._thread.ident is not None:
            self._thread.join(STOP_TIMEOUT_S)
            if self._thread.is_alive():
                log.error("server did not end within %g s", STOP_TIMEOUT_S)
        self._socket.close()

    def _close_lost_sessions(self, model_id: str | None) -> None:
        self.conversations.clear(model_id)
        self.sessions.clear(lambda model: model_id in (None, model.id))

    def _tidy(self) -> None:
        self.sessions.free_expired()
        if self._unload_after:
            self.served.unload_idle(self._unload_after)
        if self._keys is not None:
            self._forget_revoked(self._keys)
        self.served.relieve()
        self.conversations.save_idle()
        self._release_memory()

    def _release_memory(self) -> None:
        bodies, connections = self._answering.held, self.connections
        self._crowd = max(self._crowd, connections)
        if bodies.large_ended or (
            self._crowd >= MANY_CONNECTIONS and connections < self._crowd / 2
        ):
            bodies.large_ended, self._crowd = False, connections
            if self._http.loop is not None:
                self._http.loop.run_in_executor(self._threads.status, backend.release_heap)

    def _forget_revoked(self, keys: Keys) -> None:
        revoked: set[str] = set()
        # Treat an unreadable file as having no valid keys.
        with contextlib.suppress(OSError, ValueError):
            revoked = {key.id for key in keys.all() if key.revoked}
        if revoked:
            self._answering.revoke(revoked)
            self.sessions.forget(revoked)
            for owner_id in revoked:
                self.conversations.forget(owner_id)
                self._stored.forget(owner_id)
                self._answering.documents.texts.forget(owner_id)

    def _run(self) -> None:
        with contextlib.ExitStack() as end:  # doesn't stop the engine, which may be shared
            end.callback(self.served.free)
            end.callback(self.sessions.clear)
            end.callback(self.conversations.end)
            end.callback(self._threads.close)
            end.callback(self._answering.documents.close)
            self._http.run(sockets=[self._socket])


class _HTTPServer(uvicorn.Server):
    """uvicorn's server with supervision of connections."""

    def __init__(
        self,
        config: uvicorn.Config,
        listening: socket.socket,
        answering: ModelRequestHandler,
        patience: float,
        settings: Settings,
        tidy: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._limit = settings.connections
        self._tidy = tidy
        self._listening = listening
        self.loop: asyncio.AbstractEventLoop | None = None
        self._answering = answering
        self._patience = patience

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.lifespan.state["room"] = connection_limit(self._limit)
        await super().startup(sockets)
        # asyncio accepts up to `backlog` connections per iteration, which could use up all file
        # descriptors. So asyncio gets a small value, and the socket the real backlog.
        self._listening.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Check timeouts ten times per second, and clean up once per second."""
        try:
            self._supervise()
            if counter % TICKS_PER_SECOND == 0:
                self._tidy()
        except BaseException:
            log.exception("cannot supervise connections")
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._answering.end()
        for connection in self._connections():
            connection.give_up()
        await super().shutdown(sockets)
        for connection in self._connections():
            connection.transport.abort()

    def _supervise(self) -> None:
        connections = self._connections()
        if connections:
            now = connections[0].loop.time()
            for connection in connections:
                connection.enforce_timeouts(now, self._patience)

    def _connections(self) -> list[Connection]:
        return [c for c in self.server_state.connections if isinstance(c, Connection)]


def _listening_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # "localhost" resolves to both loopback addresses, but every client tries IPv4 as well.
    address = "127.0.0.1" if host == "localhost" else host
    listening = socket.create_server((address, port), family=family, backlog=BACKLOG)
    # Accepted sockets inherit this option.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    return listening
