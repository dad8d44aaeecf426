"""Engine stats, polled while they're on display."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows
from engine.errors import EngineError

if TYPE_CHECKING:
    from engine import Engine


class EngineFigures(QObject):
    stats_received = Signal(object)  # (Engine.stats)

    def __init__(self, engine: Callable[[], Engine | None], parent: QObject) -> None:
        super().__init__(parent)
        self._engine = engine
        self._intervals: dict[QObject, int] = {}
        self._asking = flows.Latest(self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._ask)

    def show(self, owner: QObject, every_ms: int) -> None:
        """Emit the stats now and at least at this interval until `stop_polling`."""
        self._intervals[owner] = every_ms
        self._timer.start(min(self._intervals.values()))
        self._ask()

    def stop_polling(self, owner: QObject) -> None:
        self._intervals.pop(owner, None)
        if self._intervals:
            self._timer.setInterval(min(self._intervals.values()))
        else:
            self._timer.stop()
            self._asking.cancel()

    async def now(self) -> dict[str, Any] | None:
        engine = self._engine()
        if engine is None:
            return None
        try:
            return await flows.wait_for_future(engine.stats_later())
        except (EngineError, CancelledError):
            return None  # the engine stopped

    @Slot()
    def _ask(self) -> None:
        if self._engine() is not None and not self._asking.running:
            self._asking.start(self._poll())

    async def _poll(self) -> None:
        stats = await self.now()
        if stats is not None:
            self.stats_received.emit(stats)


def memory_by_model(stats: dict[str, Any]) -> dict[str, int]:
    """Return the bytes of weights and KV caches, by the engine's model ID.

    Draft models count toward their model, unless they're listed themselves.
    """
    memory = {model.id: model.nbytes for model in stats.get("models", ())}
    for session in stats.get("sessions", {}).values():
        if session.get("model") in memory:
            memory[session["model"]] += session.get("kv_bytes", 0)
    listed = set(memory)
    for model_id, draft in stats.get("drafts", {}).items():
        draft_bytes = 0 if draft["model"] in listed else draft["nbytes"]
        memory[model_id] = memory.get(model_id, 0) + draft_bytes + draft["kv_bytes"]
    return memory
