"""How much memory each loaded model takes, asked of the engine while somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from app.models.loading import ModelLoader, engine_figures

if TYPE_CHECKING:
    from engine import Engine


class MemoryFigures(QObject):
    """Asks every two seconds.

    Signals:
        told(bytes): of weights and KV caches, by the engine's id of the model, with those of what
            drafts for it where nobody has loaded that for itself.
        drafted(figures): `drafts` of `Engine.stats`.
    """

    EVERY_MS = 2_000

    told = Signal(dict)
    drafted = Signal(dict)

    def __init__(self, loader: ModelLoader, parent: QObject) -> None:
        super().__init__(parent)
        self._loader = loader
        self._asking = flows.Latest(self)
        self._timer = QTimer(self, interval=self.EVERY_MS)
        self._timer.timeout.connect(self._ask)

    def start(self) -> None:
        self._ask()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self._asking.cancel()

    @Slot()
    def _ask(self) -> None:
        engine = self._loader.engine
        if engine is not None and not self._asking.running:
            self._asking.start(self._tell(engine))

    async def _tell(self, engine: Engine) -> None:
        told = await engine_figures(engine)
        if told is None:
            return
        memory = {model.id: model.nbytes for model in told.get("models", ())}
        for session in told.get("sessions", {}).values():
            if session.get("model") in memory:
                memory[session["model"]] += session.get("kv_bytes", 0)
        drafts, listed = told.get("drafts", {}), set(memory)
        for model_id, draft in drafts.items():
            own = 0 if draft["model"] in listed else draft["nbytes"]
            memory[model_id] = memory.get(model_id, 0) + own + draft["kv_bytes"]
        self.told.emit(memory)
        self.drafted.emit(drafts)
