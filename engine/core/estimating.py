"""The command `Estimate`: what a model would take, told before it is loaded."""

from __future__ import annotations

from engine.core.commands import Estimate
from engine.core.confined.checked import Facts
from engine.core.confined.confined import Confined
from engine.core.loading import as_engine_error
from engine.core.mailbox import refuse
from engine.core.resolving import resolve
from engine.core.state import State
from engine.core.workers import Workers
from engine.hub.names import clean_name
from engine.kv.fitting import Fit, Loaded, Weights, fit
from engine.model import folder


class Estimating:
    """Has folders looked at by a worker, and sets what they tell against what is free."""

    def __init__(self, state: State, workers: Workers, confined: Confined) -> None:
        self._state = state
        self._workers = workers
        self._confined = confined

    def estimate(self, command: Estimate) -> None:
        """Answer a command."""
        self._confined.start()

        def failed(error: BaseException) -> None:
            refuse(command, as_engine_error(error))

        self._workers.run(
            "loads",
            lambda: self._look(command.path),
            lambda facts: command.answer.set_result(self._fit(command, facts)),
            failed,
        )

    def _look(self, asked: str) -> Facts:
        path = resolve(asked)
        name = clean_name(folder.display_name(path)) or clean_name(path.name) or "The model"
        return self._confined.look(path, name)

    def _fit(self, command: Estimate, facts: Facts) -> Fit:
        state = self._state
        promised = sum(s.most for s in state.answering.values() if s.is_running)
        in_use = {s.model.info.id for s in state.answering.values()}
        return fit(
            facts.config,
            Weights(facts.size, max(facts.wide, facts.size), facts.largest),
            max(0, state.budget - state.weights - promised),
            command.context,
            command.chats,
            command.kv_bits,
            wide=state.backend.prefers_float32,
            loaded=[
                Loaded(m.info.id, state.freed_by(m), m.info.id not in in_use)
                for m in state.models.values()
                if state.freed_by(m)
            ],
            gpu=state.backend.device != "cpu",
        )
