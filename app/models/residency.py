"""Unloading of models: on request, when idle, or under memory pressure.

Replies are never interrupted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.models.installed import InstalledModels
from app.models.loading import ModelStatus, ModelUsers
from app.settings.language import counted, mark, tr
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from engine.errors import EngineError
from engine.runtime import pressure
from engine.runtime.pressure import Pressure, Relief, ReliefStep

log = logging.getLogger(__name__)


def why_not_unload(users: ModelUsers, ref: str) -> str:
    loader = users.loader
    model = loader.get(ref).model
    if model is None:
        return tr("This model isn’t loaded.")
    using = []
    for chat in users.replying_chats():
        models = (loader.get(model_ref).model for model_ref in chat.reply.models)
        if any(other is not None and other.id == model.id for other in models):
            using.append(chat.title)
    if not using:
        return ""
    if len(using) == 1:
        words = mark("The model is replying in “{chat}”. Stop the reply first.")
        return tr(words, chat=using[0])
    return counted(
        "The model is replying in %n chat. Stop the reply first.",
        "The model is replying in %n chats. Stop the replies first.",
        len(using),
    )


def unload(users: ModelUsers, ref: str) -> str:
    """Unload a model. Return why that isn't possible, or "".

    The caches of its chats are saved to disk. A message loads the model again.
    """
    return why_not_unload(users, ref) or (
        "" if users.loader.unload(ref) else tr("This model isn’t loaded.")
    )


def cancel_load(users: ModelUsers, ref: str, chat_id: str = "") -> str:
    """Cancel loading a model and stop the reply in this chat that waits for it.

    Returns a message if loading continues because other chats also wait for it, else "".
    """
    users_chat = users.find(chat_id)
    if users_chat is not None and ref in users_chat.reply.awaited_models:
        users_chat.stop()
    count = sum(ref in chat.reply.awaited_models for chat in users.replying_chats())
    if count:
        return counted(
            "Another chat is waiting for {model}. It keeps loading.",
            "%n other chats are waiting for {model}. It keeps loading.",
            count,
            model=users.loader.get(ref).name,
        )
    users.loader.cancel(ref)
    return ""


# Cached and generated tokens by session. Any use changes them, including use by API clients.
Work = frozenset[tuple[str, int, int]]


class IdleUnloading(QObject):
    """Unloads idle models, once a minute. Pinned models and the tiny Guide stay loaded."""

    EVERY_MS = 60_000

    def __init__(
        self,
        installed: InstalledModels,
        users: ModelUsers,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        # in seconds, including time while the machine was asleep
        self.clock: Callable[[], float] = time.time
        self._installed, self._users, self._settings = installed, users, settings
        self._loader = users.loader
        self._used: dict[str, float] = {}  # last use by the engine's model ID
        self._work: dict[str, Work] = {}
        self._asking = flows.Latest(self)
        self._timer = QTimer(self, interval=self.EVERY_MS)
        self._timer.timeout.connect(self.check)
        self._timer.start()
        self._loader.changed.connect(self._on_model)
        users.activity.connect(self._on_activity)

    @Slot()
    def check(self) -> None:
        is_enabled = self._loader.engine is not None and self._settings.unload_idle_min
        if is_enabled and not self._asking.running:
            self._asking.start(self._check())

    async def _check(self) -> None:
        figures = await self._loader.figures.now()
        if figures is None:
            return
        now, work, busy = self.clock(), *_collect_work(figures)
        loaded = {s.model.id: s for s in self._loader.loaded_statuses() if s.model is not None}
        for model_id in loaded:
            same = work.get(model_id, frozenset()) == self._work.get(model_id, frozenset())
            if not same or model_id in busy or model_id not in self._used:
                self._used[model_id] = now
        self._work = work
        self._used = {m: when for m, when in self._used.items() if m in loaded}
        limit = 60 * self._settings.unload_idle_min
        for model_id, status in loaded.items():
            # If the clock was set back, restart the idle time.
            self._used[model_id] = min(self._used[model_id], now)
            if limit and now - self._used[model_id] >= limit and self._may_unload(status):
                unload(self._users, status.ref)

    def unloadable_models(self) -> list[ModelStatus]:
        """Return loaded models that may be unloaded if no chat uses them, longest unused first."""
        loaded = [
            s for s in self._loader.loaded_statuses() if s.model is not None and self._may_unload(s)
        ]
        return sorted(loaded, key=lambda s: self._used.get(s.model.id, 0.0) if s.model else 0.0)

    def _may_unload(self, status: ModelStatus) -> bool:
        return status.ref != GUIDE and not self._installed.pins(status)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        self._note(self._loader.get(ref))

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._users.find(chat_id)
        for ref in (chat.reply.models or {chat.record.model}) if chat is not None else ():
            self._note(self._loader.get(ref))

    def _note(self, status: ModelStatus) -> None:
        if status.model is not None:
            self._used[status.model.id] = self.clock()


def _collect_work(figures: dict[str, Any]) -> tuple[dict[str, Work], set[str]]:
    work: dict[str, set[tuple[str, int, int]]] = {}
    busy: set[str] = set()
    for name, session in figures.get("sessions", {}).items():
        model = str(session.get("model", ""))
        written = int(session.get("reply", {}).get("generated_tokens", 0))
        work.setdefault(model, set()).add((name, int(session.get("kv_tokens", 0)), written))
        if session.get("status", "idle") != "idle":
            busy.add(model)
    return {model: frozenset(sessions) for model, sessions in work.items()}, busy


class MemoryPressure(QObject):
    """Frees idle caches, then unused models, if a check every two seconds finds memory pressure.

    ``resting`` returns the models that may be unloaded, longest unused first.
    """

    notice_posted = Signal(str)  # (text)

    EVERY_MS = 2_000

    def __init__(
        self,
        users: ModelUsers,
        resting: Callable[[], list[ModelStatus]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.level: Callable[[], Pressure] = pressure.pressure
        self.clock: Callable[[], float] = time.monotonic
        self._users, self._resting = users, resting
        self._relief = Relief()
        self._timer = QTimer(self, interval=self.EVERY_MS)
        self._timer.timeout.connect(self.check)
        self._timer.start()

    @Slot()
    def check(self) -> None:
        need = self._relief.need(self.level(), self.clock())
        if need is ReliefStep.CACHES:
            self._move_caches_to_disk()
        elif need is ReliefStep.MODEL:
            self._unload_one()

    def _move_caches_to_disk(self) -> None:
        engine = self._users.loader.engine
        if engine is None:
            return
        log.info("system is low on memory, freeing idle caches")
        with suppress(EngineError):  # a stopped engine has already freed everything
            engine.relieve_later()

    def _unload_one(self) -> None:
        for status in self._resting():
            name = status.name
            if not unload(self._users, status.ref):
                text = tr(
                    "{model} was unloaded because the system is low on memory. It "
                    "loads again when you send a message.",
                    model=name,
                )
                log.warning("%s", text)
                self.notice_posted.emit(text)
                return
