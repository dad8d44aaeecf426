"""Models that nobody has used for a while leave memory, and come back when a chat sends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Slot

from app import flows
from app.chats import unloading
from app.chats.asked import figures
from app.chats.library import ChatLibrary
from app.chats.model_choice import ModelStatus
from app.installed import InstalledModels
from app.paths import GUIDE
from app.settings import Settings

if TYPE_CHECKING:
    from engine import Engine

# What a model's sessions have read and written: it changes whoever asks, also another program.
Work = frozenset[tuple[str, int, int]]


class IdleUnloading(QObject):
    """Looks once a minute at what each loaded model has done.

    Pinned models stay, and so does the Guide, which takes next to nothing.

    Attributes:
        clock: seconds that pass also while the machine sleeps.
    """

    EVERY_MS = 60_000

    def __init__(
        self,
        installed: InstalledModels,
        library: ChatLibrary,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.clock: Callable[[], float] = time.time
        self._installed, self._library, self._settings = installed, library, settings
        self._loader = library.loader
        self._used: dict[str, float] = {}  # by the engine's id of the model
        self._work: dict[str, Work] = {}
        self._asking = False
        self._timer = QTimer(self, interval=self.EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        self._loader.changed.connect(self._on_model)
        library.activity.connect(self._on_activity)

    @Slot()
    def look(self) -> None:
        """Ask the engine what was done, and unload what has rested for long enough."""
        engine = self._loader.engine
        if engine is not None and self._settings.unload_idle_min and not self._asking:
            self._asking = True
            flows.start(self, self._look(engine))

    async def _look(self, engine: Engine) -> None:
        told = await figures(engine)
        self._asking = False
        if told is None:
            return
        now, work, busy = self.clock(), *_work(told)
        loaded = {s.model.id: s for s in self._loader.loaded() if s.model is not None}
        for model_id in loaded:
            same = work.get(model_id, frozenset()) == self._work.get(model_id, frozenset())
            if not same or model_id in busy or model_id not in self._used:
                self._used[model_id] = now
        self._work = work
        self._used = {m: when for m, when in self._used.items() if m in loaded}
        limit = 60 * self._settings.unload_idle_min
        for model_id, status in loaded.items():
            # A clock that was set back tells nothing: the rest begins anew.
            self._used[model_id] = min(self._used[model_id], now)
            if limit and now - self._used[model_id] >= limit and self._may_go(status):
                unloading.unload(self._library, status.ref)

    def resting(self) -> list[ModelStatus]:
        """The loaded models that may go, as far as no chat uses them; the longest unused first."""
        loaded = [s for s in self._loader.loaded() if s.model is not None and self._may_go(s)]
        return sorted(loaded, key=lambda s: self._used.get(s.model.id, 0.0) if s.model else 0.0)

    def _may_go(self, status: ModelStatus) -> bool:
        return status.ref != GUIDE and not self._installed.is_kept(status)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        self._note(self._loader.get(ref))

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        if chat is not None:
            self._note(self._loader.get(chat.answering_with or chat.record.model))

    def _note(self, status: ModelStatus) -> None:
        if status.model is not None:
            self._used[status.model.id] = self.clock()


def _work(told: dict[str, Any]) -> tuple[dict[str, Work], set[str]]:
    """What the sessions of each model have done by now, and the models that are at work."""
    done: dict[str, set[tuple[str, int, int]]] = {}
    busy: set[str] = set()
    for name, session in told.get("sessions", {}).items():
        model = str(session.get("model", ""))
        written = int(session.get("reply", {}).get("generated_tokens", 0))
        done.setdefault(model, set()).add((name, int(session.get("kv_tokens", 0)), written))
        if session.get("status", "idle") != "idle":
            busy.add(model)
    return {model: frozenset(sessions) for model, sessions in done.items()}, busy
