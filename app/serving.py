"""Local API: a server that uses the window's engine. Off by default."""

from __future__ import annotations

import contextlib
import errno
import logging
import threading
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.models.loading import ModelLoader
from app.models.names import adapter_of, model_location
from app.remote.address import is_remote
from app.score import AGENT_PREFIX
from app.settings.language import tr
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from app.tools import loop_thread
from engine import EngineError

if TYPE_CHECKING:
    from engine import Engine
    from engine.serve.agents import Agent, AgentConversation, AgentSnapshot
    from engine.serve.auth import Key, Keys
    from engine.serve.server import Server


log = logging.getLogger(__name__)

T = TypeVar("T")

SCRIPT = "stretto-launch.command"


def server_limits(settings: Settings) -> dict[str, Any]:
    return {
        "host": "0.0.0.0" if settings.serve_others else "127.0.0.1",
        "require_key": settings.serve_others or settings.serve_with_key,
        "origins": tuple(settings.serve_origins.replace(",", " ").split()),
        "aliases": tuple(filter(None, map(str.strip, settings.serve_aliases.split(",")))),
        "sessions": settings.serve_sessions,
        "policy": "evict" if settings.serve_evict else "refuse",
        "per_key": settings.serve_per_key,
        "per_minute": settings.serve_per_minute,
        "unload_after": settings.serve_unload_min * 60.0,
        "may_unload": False,
    }


def start_server(
    before: Server | None,
    engine: Engine,
    port: int,
    limits: dict[str, Any],
    folders: list[tuple[str, str]],
    file: Path,
    is_used: Callable[[str], bool],
    keeps_caches: bool,
) -> Server:
    """Start a server, after stopping the previous one. Blocks.

    Raises OSError, OverflowError and ValueError, as `Server` does.
    """
    with loop_thread.importing:
        from engine.serve.auth import Keys
        from engine.serve.auth import Settings as Limits
        from engine.serve.server import Server

    if before is not None:
        before.stop()
    keys = Keys(file) if limits["require_key"] else None
    server = Server(
        engine, [], port, settings=Limits(**limits), keys=keys, keeps_caches=keeps_caches
    )
    server.served.is_used_elsewhere = is_used
    for folder, adapter in folders:
        add_model(server, folder, adapter)
    server.start()
    return server


def add_model(server: Server, folder: str, adapter: str) -> None:
    try:
        server.offer(folder, adapter)
    except EngineError as error:
        log.info("model not offered by the local API: %s", error.code)


def describe_start_error(error: Exception, port: int) -> str:
    if isinstance(error, OSError):
        if error.errno == errno.EADDRINUSE:
            return tr("Port {port} is in use. Choose another port.", port=port)
        reason = error.strerror or error
        return tr("Port {port} can’t be used ({why}). Choose another port.", port=port, why=reason)
    words = str(error) or type(error).__name__
    return f"{words[:1].upper()}{words[1:]}."


class ServerState(Enum):
    OFF = "off"
    STARTING = "starting"
    OPEN = "open"
    FAILED = "failed"


class ApiClients(Struct, frozen=True):
    connections: int = 0  # includes idle connections
    seen: tuple[AgentSnapshot, ...] = ()  # agents, including those without a request at the moment


class Serving(QObject):
    LOOK_MS = 500
    END_S = 3.0

    changed = Signal()  # the server's state or the keys changed
    clients_changed = Signal()  # `clients` changed

    def __init__(
        self, settings: Settings, paths: Paths, loader: ModelLoader, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.door = ServerState.OFF
        self.why = ""  # error message if the server couldn't be started
        self.address = ""  # URL while running, e.g. "http://127.0.0.1:8080"
        self.clients = ApiClients()
        self._settings = settings
        # File with the keys, and the script that opens a terminal.
        self.keys_file, self.script = paths.data / "serve-keys.json", paths.cache / SCRIPT
        self._caches = paths.kv
        self._own_models = paths.data / "models"
        self._loader = loader
        self._engine: Engine | None = None
        self._server: Server | None = None
        self._ending: list[threading.Thread] = []
        self._used: frozenset[str] = frozenset()  # engine IDs of the models loaded by the window
        self._restarts = False  # start again, because the settings changed in the meantime
        self._timer = QTimer(self, interval=self.LOOK_MS)
        self._timer.timeout.connect(self._check_clients)
        settings.announcer.changed.connect(self._on_setting)
        loader.unloaded.connect(self._on_unloaded)
        loader.changed.connect(self._on_model)

    def attach(self, engine: Engine) -> None:
        self._engine = engine
        self.apply()

    @Slot()
    def apply(self) -> None:
        if self.door is ServerState.STARTING:
            self._restarts = True
            return
        before = self._detach_server()
        if self._settings.serve and self._engine is not None:
            self._set_state(ServerState.STARTING)
            flows.start(self, self._start_server(self._engine, before))
            return
        if before is not None:
            self._stop(before)
        self._set_state(ServerState.OFF)

    @Slot(str)
    def _on_setting(self, option: str) -> None:
        if option in {"serve_equal", "serve_shares"}:
            self.prioritise()
        elif option.startswith("serve"):
            self.apply()

    @property
    def models(self) -> list[str]:
        """Return the model names for clients, starting with the default."""
        entries = self._server.served.entries if self._server is not None else []
        return [entry.name for entry in entries]

    def shut_down(self, timeout_s: float = END_S) -> None:
        """Notify clients and stop the server, waiting ``timeout_s``, but at most `END_S`."""
        give_up = monotonic() + min(timeout_s, self.END_S)
        self._engine = None
        server = self._detach_server()
        if server is not None:
            self._stop(server)
        for thread in self._ending:
            thread.join(max(0.0, give_up - monotonic()))
        self._set_state(ServerState.OFF)

    async def keys(self) -> list[Key]:
        return await self._use_keys(lambda keys: [key for key in keys.all() if not key.revoked])

    async def make_key(self, name: str) -> str:
        """Return a new key, which is never shown again."""
        key = await self._use_keys(lambda keys: keys.make(name))
        self.changed.emit()
        if self.door is ServerState.FAILED:
            self.apply()  # the server may have been waiting for its first key
        return key

    async def revoke(self, key_id: str) -> None:
        await self._use_keys(lambda keys: keys.revoke(key_id))
        self.changed.emit()

    async def _use_keys(self, use: Callable[[Keys], T]) -> T:
        file = self.keys_file

        def work(_: threading.Event) -> T:
            from engine.serve.auth import Keys

            return use(Keys(file))

        return await flows.run_in_thread(work)

    # Stored conversations.

    async def stored_bytes(self) -> int:
        caches = self._caches

        def work(_: threading.Event) -> int:
            from engine.cache.offload import client_files

            return sum(file.lstat().st_size for file in client_files(caches))

        with contextlib.suppress(OSError):
            return await flows.run_in_thread(work)
        return 0

    async def delete_conversations(self) -> None:
        """Delete all stored conversations, including those in memory."""
        caches, server = self._caches, self._server

        def work(_: threading.Event) -> None:
            from engine.cache.offload import client_files

            if server is not None:
                server.conversations.forget()
            for file in client_files(caches):
                file.unlink(missing_ok=True)

        with contextlib.suppress(OSError):  # any remaining files are still displayed
            await flows.run_in_thread(work)

    # Clients.

    @Slot(int, bool)
    def pause(self, number: int, on: bool, *, group: bool = False) -> None:
        """Pause or resume an agent, or a ``group``: all agents of a session, also later ones."""
        for agent in self._agents(number, group=group):
            agent.pause(on)
        self._check_clients()

    @Slot(int)
    def stop(self, number: int, *, group: bool = False) -> None:
        """Stop replies and refuse requests of an agent or group until its user sends a message."""
        for agent in self._agents(number, group=group):
            agent.stop()
        self._check_clients()

    def text(self, number: int) -> str:
        return "".join(agent.text for agent in self._agents(number))

    def conversation(self, number: int) -> AgentConversation | None:
        return next((agent.conversation for agent in self._agents(number)), None)

    def model_of(self, name: str) -> str:
        entries = self._server.served.entries if self._server is not None else []
        return next((entry.folder for entry in entries if entry.name == name), "")

    @Slot()
    def prioritise(self) -> None:
        if self._server is not None:
            self._server.prioritise(0 if self._settings.serve_equal else -1)
            self._server.share_out(self._settings.serve_shares)

    def lanes(self) -> dict[str, tuple[str, str]]:
        agents = self._server.requests.agents() if self._server is not None else []
        return {
            session: (f"{AGENT_PREFIX}{s.id}", s.task or s.program)
            for s in agents
            for session in s.engine_sessions[:1]
        }

    def _agents(self, number: int, *, group: bool = False) -> list[Agent]:
        if self._server is None:
            return []
        if group:
            return self._server.requests.group(number)
        agent = self._server.requests.agent(number)
        return [agent] if agent is not None else []

    @Slot()
    def _check_clients(self) -> None:
        server = self._server
        now = ApiClients()
        if server is not None:
            now = ApiClients(server.connections, tuple(server.requests.agents()))
        if now != self.clients:
            self.clients = now
            self.clients_changed.emit()

    @Slot(str)
    def _on_unloaded(self, model_id: str) -> None:
        self._used -= {model_id}
        if self._server is not None:
            self._server.note_unloaded(model_id)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        self._used = frozenset(
            m.model.id for m in self._loader.loaded_statuses() if m.model is not None
        )
        is_local = not is_remote(ref) and self._loader.get(ref).model is not None
        if self._server is not None and is_local:
            add_model(self._server, model_location(ref), adapter_of(ref))
        self._tell_loaded()

    @Slot()
    def offer_installed(self) -> None:
        """Offer models on disk that haven't been opened. They're loaded on demand."""
        if self._server is not None:
            flows.start(self, self._offer_installed(self._server))

    async def _offer_installed(self, server: Server) -> None:
        own_folder, added = self._own_models, self._settings.model_folders

        def work(stop: threading.Event) -> None:
            from engine.hub.inventory import Inventory, model_places

            for model in Inventory().walk(model_places(own_folder, added), stop=stop.is_set):
                if not model.facts.problem:
                    add_model(server, str(model.folder), "")

        await flows.run_in_thread(work)
        self.changed.emit()

    def _tell_loaded(self) -> None:
        loaded = [
            m.model for m in self._loader.loaded_statuses() if m.model and not is_remote(m.ref)
        ]
        loaded_folders = {(model.path, model.adapter) for model in loaded}
        for entry in self._server.served.entries if self._server is not None else ():
            entry.elsewhere = (entry.folder, entry.adapter) in loaded_folders

    def _is_used(self, model_id: str) -> bool:
        return model_id in self._used

    async def _start_server(self, engine: Engine, before: Server | None) -> None:
        port, file, folders = self._settings.serve_port, self.keys_file, self._model_folders()
        limits, is_used = server_limits(self._settings), self._is_used
        keeps = self._settings.serve_keep and self._settings.cache_gb > 0
        ending = self._ending

        def work(stop: threading.Event) -> Server:
            # A server that was just stopped may still occupy the port.
            for thread in ending:
                thread.join()
            server = start_server(before, engine, port, limits, folders, file, is_used, keeps)
            if stop.is_set():  # canceled
                server.stop()
            return server

        server: Server | None = None
        reason = ""
        try:
            # Importing the web server takes most of a second, so start it in a thread.
            server = await flows.run_in_thread(work)
        except Exception as error:
            reason = describe_start_error(error, port)
            log.warning("local API not started: %s", type(error).__name__)
        self.door = ServerState.OFF
        if server is not None and (self._restarts or self._engine is None):
            self._stop(server)
            server = None
        if self._restarts:
            self._restarts = False
            self.apply()
        elif server is not None:
            self._server = server
            self._tell_loaded()
            self.prioritise()
            host = "127.0.0.1" if server.address[0] == "0.0.0.0" else server.address[0]
            self.address = f"http://{host}:{server.port}"
            self._timer.start()
            self._set_state(ServerState.OPEN)
            self.offer_installed()
        elif reason:
            self.why = reason
            self._set_state(ServerState.FAILED)

    def _detach_server(self) -> Server | None:
        server, self._server = self._server, None
        self._timer.stop()
        self.address = ""
        self._check_clients()
        return server

    def _stop(self, server: Server) -> None:
        """Stop a server in a thread, because it notifies its clients for up to a second."""
        thread = threading.Thread(target=server.stop, name="serve-end", daemon=True)
        self._ending = [*(t for t in self._ending if t.is_alive()), thread]
        thread.start()

    def _set_state(self, door: ServerState) -> None:
        self.door = door
        if door is not ServerState.FAILED:
            self.why = ""
        self.changed.emit()

    def _model_folders(self) -> list[tuple[str, str]]:
        refs = dict.fromkeys([self._settings.model, GUIDE, *self._settings.models])
        return [(model_location(ref), adapter_of(ref)) for ref in refs if not is_remote(ref)]
