"""The door for other programs: a server on the window's engine, off until it is switched on."""

from __future__ import annotations

import contextlib
import errno
import logging
import threading
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.models.loading import ModelLoader
from app.models.names import adapter_of, model_location
from app.remote.address import is_remote
from app.score import GUEST
from app.settings.language import tr
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from app.tools import loop_thread
from engine import EngineError

if TYPE_CHECKING:
    from engine import Engine
    from engine.serve.agents import Agent, Conversation, Seen
    from engine.serve.auth import Key
    from engine.serve.server import Server


log = logging.getLogger(__name__)

SCRIPT = "stretto-launch.command"


def limits_of(settings: Settings) -> dict[str, Any]:
    """The server's settings, as a person has chosen them here."""
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


def made(
    before: Server | None,
    engine: Engine,
    port: int,
    limits: dict[str, Any],
    folders: list[tuple[str, str]],
    file: Path,
    is_used: Callable[[str], bool],
    cache: Path | None,
) -> Server:
    """A server that answers, once the one before it has ended. Runs in the background.

    Raises:
        OSError, OverflowError, ValueError: as `Server`.
    """
    with loop_thread.importing:
        from engine.serve.auth import Keys
        from engine.serve.auth import Settings as Limits
        from engine.serve.server import Server

    if before is not None:
        before.stop()
    keys = Keys(file) if limits["require_key"] else None
    server = Server(engine, [], port, settings=Limits(**limits), keys=keys, cache=cache)
    server.served.is_used_elsewhere = is_used
    for folder, adapter in folders:
        offer(server, folder, adapter)
    server.start()
    return server


def offer(server: Server, folder: str, adapter: str) -> None:
    """Let a server answer for one more model, or a variant of it. Its folders may have gone."""
    try:
        server.offer(folder, adapter)
    except EngineError as error:
        log.info("a model is not offered: %s", error.code)


def sentence(error: Exception, port: int) -> str:
    """Why it could not be started."""
    if isinstance(error, OSError):
        if error.errno == errno.EADDRINUSE:
            return tr("Port {port} is in use. Choose another port.", port=port)
        why = error.strerror or error
        return tr("Port {port} cannot be used ({why}). Choose another port.", port=port, why=why)
    words = str(error) or type(error).__name__
    return f"{words[:1].upper()}{words[1:]}."


class Door(Enum):
    """How the server stands."""

    OFF = "off"
    STARTING = "starting"
    OPEN = "open"
    FAILED = "failed"


class Guests(Struct, frozen=True):
    """Who is there."""

    connections: int = 0  # how many there are, idle ones too
    seen: tuple[Seen, ...] = ()  # the agents that ask, between their requests too


class Serving(QObject):
    """Starts and ends the server as the settings say, and tells who is there."""

    LOOK_MS = 500
    END_S = 3.0

    changed = Signal()  # the server stands otherwise, or a key was made or revoked
    guests_changed = Signal()  # others are there, or they have got more text

    def __init__(
        self, settings: Settings, paths: Paths, loader: ModelLoader, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.door = Door.OFF
        self.why = ""  # it could not be started, as a sentence
        self.address = ""  # "http://127.0.0.1:8080" while it is open
        self.guests = Guests()  # who is there
        self._settings = settings
        # keys_file, script: where the keys lie, and what a terminal is opened with
        self.keys_file, self.script = paths.data / "serve-keys.json", paths.cache / SCRIPT
        self._caches = paths.kv
        self._loader = loader
        self._engine: Engine | None = None
        self._server: Server | None = None
        self._ending: list[threading.Thread] = []
        self._used: frozenset[str] = frozenset()  # ids of models that the window has
        self._again = False  # the settings have changed while it started
        self._timer = QTimer(self, interval=self.LOOK_MS)
        self._timer.timeout.connect(self._look)
        settings.announcer.changed.connect(self._on_setting)
        loader.unloaded.connect(self._on_unloaded)
        loader.changed.connect(self._on_model)

    def attach(self, engine: Engine) -> None:
        """Take the engine; begin where the person has switched it on."""
        self._engine = engine
        self.apply()

    @Slot()
    def apply(self) -> None:
        """Do what the settings say: start, end, or start anew elsewhere."""
        if self.door is Door.STARTING:
            self._again = True
            return
        before = self._leave()
        if self._settings.serve and self._engine is not None:
            self._now(Door.STARTING)
            flows.start(self, self._begin(self._engine, before))
            return
        if before is not None:
            self._stop(before)
        self._now(Door.OFF)

    @Slot(str)
    def _on_setting(self, option: str) -> None:
        if option in {"serve_equal", "serve_shares"}:
            self.prioritise()
        elif option.startswith("serve"):
            self.apply()

    @property
    def models(self) -> list[str]:
        """What programs call the models; the first answers where none is named."""
        entries = self._server.served.entries if self._server is not None else []
        return [entry.name for entry in entries]

    def shut_down(self, timeout_s: float = END_S) -> None:
        """Tell the clients and end the server. Waits at most `END_S`, or less if told."""
        give_up = monotonic() + min(timeout_s, self.END_S)
        self._engine = None
        server = self._leave()
        if server is not None:
            self._stop(server)
        for thread in self._ending:
            thread.join(max(0.0, give_up - monotonic()))
        self._now(Door.OFF)

    # Keys.

    async def keys(self) -> list[Key]:
        """Return valid keys, oldest first. Raises OSError, ValueError: as `Keys`."""
        file = self.keys_file

        def work(_: threading.Event) -> list[Key]:
            from engine.serve.auth import Keys

            return [key for key in Keys(file).all() if not key.revoked]

        return await flows.aside(work)

    async def make_key(self, name: str) -> str:
        """Return a new key, which cannot be shown again. Raises OSError, ValueError: as `Keys`."""
        file = self.keys_file

        def work(_: threading.Event) -> str:
            from engine.serve.auth import Keys

            return Keys(file).make(name)

        made = await flows.aside(work)
        self.changed.emit()
        if self.door is Door.FAILED:
            self.apply()  # it may have failed for want of a key
        return made

    async def revoke(self, key_id: str) -> None:
        """Revoke a key. Raises OSError, ValueError: as `Keys`."""
        file = self.keys_file

        def work(_: threading.Event) -> None:
            from engine.serve.auth import Keys

            Keys(file).revoke(key_id)

        await flows.aside(work)
        self.changed.emit()

    # Conversations on disk.

    async def kept(self) -> int:
        """Bytes that they take."""
        caches = self._caches

        def work(_: threading.Event) -> int:
            from engine.cache.offload import kept_apart

            return sum(file.lstat().st_size for file in kept_apart(caches))

        with contextlib.suppress(OSError):
            return await flows.aside(work)
        return 0

    async def forget(self) -> None:
        """Remove them, and keep nothing of those that rest in memory."""
        caches, server = self._caches, self._server

        def work(_: threading.Event) -> None:
            from engine.cache.offload import kept_apart

            if server is not None:
                server.conversations.forget()
            for file in kept_apart(caches):
                file.unlink(missing_ok=True)

        with contextlib.suppress(OSError):  # what remains is shown
            await flows.aside(work)

    # Guests.

    @Slot(int, bool)
    def pause(self, number: int, on: bool) -> None:
        """Let an agent's replies stand still, or go on."""
        for agent in self._agents(number):
            agent.pause(on)
        self._look()

    @Slot(int)
    def stop(self, number: int) -> None:
        """End an agent's reply, and refuse what it asks until a person speaks to it."""
        for agent in self._agents(number):
            agent.stop()
        self._look()

    @Slot(int, bool)
    def pause_group(self, number: int, on: bool) -> None:
        """The same for all agents of a session, and those that join it."""
        for agent in self._group(number):
            agent.pause(on)
        self._look()

    @Slot(int)
    def stop_group(self, number: int) -> None:
        """The same for all agents of a session."""
        for agent in self._group(number):
            agent.stop()
        self._look()

    def text(self, number: int) -> str:
        """An agent's newest reply."""
        return "".join(agent.text for agent in self._agents(number))

    def conversation(self, number: int) -> Conversation | None:
        """What an agent and its model have said, as far as it was kept."""
        return next((agent.conversation for agent in self._agents(number)), None)

    def model_of(self, name: str) -> str:
        """The folder of the model that programs call so; "" where there is none."""
        entries = self._server.served.entries if self._server is not None else []
        return next((entry.folder for entry in entries if entry.name == name), "")

    @Slot()
    def prioritise(self) -> None:
        """Let agents' prompts come after those of the window's chats, or not, and programs have
        their shares of the time, as is set."""
        if self._server is not None:
            self._server.prioritise(0 if self._settings.serve_equal else -1)
            self._server.share_out(self._settings.serve_shares)

    def lanes(self) -> dict[str, tuple[str, str]]:
        """The engine's sessions in which guests are answered: id to the lane's id and title."""
        seen = self._server.requests.agents.all() if self._server is not None else []
        return {
            session: (f"{GUEST}{s.id}", s.task or s.program)
            for s in seen
            for session in s.engine_sessions[:1]
        }

    def _agents(self, number: int) -> list[Agent]:
        agent = self._server.requests.agents.get(number) if self._server is not None else None
        return [agent] if agent is not None else []

    def _group(self, number: int) -> list[Agent]:
        return self._server.requests.agents.group(number) if self._server is not None else []

    @Slot()
    def _look(self) -> None:
        server = self._server
        now = Guests()
        if server is not None:
            now = Guests(server.connections, tuple(server.requests.agents.all()))
        if now != self.guests:
            self.guests = now
            self.guests_changed.emit()

    @Slot(str)
    def _on_unloaded(self, model_id: str) -> None:
        self._used -= {model_id}
        if self._server is not None:
            self._server.unloaded(model_id)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        """A model that came into the window later is offered, too."""
        self._used = frozenset(m.model.id for m in self._loader.loaded() if m.model is not None)
        here = not is_remote(ref) and self._loader.get(ref).model is not None
        if self._server is not None and here:
            offer(self._server, model_location(ref), adapter_of(ref))
        self._tell_loaded()

    def _tell_loaded(self) -> None:
        """Let programs hear which models the window has loaded."""
        loaded = [m.model for m in self._loader.loaded() if m.model and not is_remote(m.ref)]
        there = {(model.path, model.adapter) for model in loaded}
        for entry in self._server.served.entries if self._server is not None else ():
            entry.elsewhere = (entry.folder, entry.adapter) in there

    def _is_used(self, model_id: str) -> bool:
        """Whether the window itself has this model. Called by the server's thread."""
        return model_id in self._used

    # Beginning and end.

    async def _begin(self, engine: Engine, before: Server | None) -> None:
        port, file, folders = self._settings.serve_port, self.keys_file, self._folders()
        limits, is_used = limits_of(self._settings), self._is_used
        keeps = self._settings.serve_keep and self._settings.cache_gb
        cache = self._caches if keeps else None

        ending = self._ending

        def work(stop: threading.Event) -> Server:
            for thread in ending:  # of one that was switched off just now, and may have the port
                thread.join()
            server = made(before, engine, port, limits, folders, file, is_used, cache)
            if stop.is_set():  # nobody takes it any more
                server.stop()
            return server

        server: Server | None = None
        why = ""
        try:
            # Importing the web server takes a good part of a second.
            server = await flows.aside(work)
        except Exception as error:
            why = sentence(error, port)
            log.warning("the server was not started (%s)", type(error).__name__)
        self.door = Door.OFF
        if server is not None and (self._again or self._engine is None):
            self._stop(server)
            server = None
        if self._again:
            self._again = False
            self.apply()
        elif server is not None:
            self._server = server
            self._tell_loaded()
            self.prioritise()
            shown = "127.0.0.1" if server.address[0] == "0.0.0.0" else server.address[0]
            self.address = f"http://{shown}:{server.port}"
            self._timer.start()
            self._now(Door.OPEN)
        elif why:
            self.why = why
            self._now(Door.FAILED)

    def _leave(self) -> Server | None:
        """Let go of the server, which has to be stopped."""
        server, self._server = self._server, None
        self._timer.stop()
        self.address = ""
        self._look()
        return server

    def _stop(self, server: Server) -> None:
        """End a server beside the window: its clients have a second to hear of it."""
        thread = threading.Thread(target=server.stop, name="serve-end", daemon=True)
        self._ending = [*(t for t in self._ending if t.is_alive()), thread]
        thread.start()

    def _now(self, door: Door) -> None:
        self.door = door
        if door is not Door.FAILED:
            self.why = ""
        self.changed.emit()

    def _folders(self) -> list[tuple[str, str]]:
        """Models' folders, each with that of its adapter or ""."""
        refs = dict.fromkeys([self._settings.model, GUIDE, *self._settings.models])
        return [(model_location(ref), adapter_of(ref)) for ref in refs if not is_remote(ref)]
