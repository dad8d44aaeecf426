"""The command `Estimate`: what a model would take, told before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.core.commands import Estimate
from engine.core.confined.checked import AdapterFacts, Facts
from engine.core.confined.confined import Confined
from engine.core.examining import as_engine_error
from engine.core.mailbox import refuse
from engine.core.resolving import resolve, resolve_adapter
from engine.core.state import State
from engine.core.workers import Workers
from engine.hub.names import clean_name
from engine.kv.fitting import Fit, Loaded, Weights, fit
from engine.model import fingerprint, folder
from engine.model.adapting import reads_again
from engine.model.loaded import LoadedModel


@dataclass(frozen=True)
class _Found:
    """What the folders tell.

    Attributes:
        folder, name: the model's.
        identity: by which it is known whether it is loaded already.
        contents: of the model's folder, as of `fingerprint.contents`; "" where nobody asks.
    """

    folder: Path
    name: str
    identity: tuple[object, ...]
    facts: Facts
    adapter: AdapterFacts | None
    contents: str


class Estimating:
    """Has folders looked at by a worker, and sets what they tell against what is free."""

    def __init__(self, state: State, workers: Workers, confined: Confined) -> None:
        self._state = state
        self._workers = workers
        self._confined = confined

    def estimate(self, command: Estimate) -> None:
        """Answer a command."""
        self._confined.start()
        variants = any(m.base is not None for m in self._state.models.values())
        shares = command.adapter is not None or variants

        def failed(error: BaseException) -> None:
            refuse(command, as_engine_error(error))

        self._workers.run(
            "loads",
            lambda: self._look(command, shares),
            lambda found: command.answer.set_result(self._fit(command, found)),
            failed,
        )

    def _look(self, command: Estimate, shares: bool) -> _Found:
        path, adapter = resolve(command.path), None
        if command.adapter is not None:
            added = resolve_adapter(command.adapter)
            adapter = self._confined.look_at_adapter(added, clean_name(added.name) or "The adapter")
        name = clean_name(folder.display_name(path)) or clean_name(path.name) or "The model"
        facts = self._confined.look(path, name)
        contents = fingerprint.contents(path) if shares else ""
        return _Found(path, name, fingerprint.identity(path), facts, adapter, contents)

    def _fit(self, command: Estimate, found: _Found) -> Fit:
        state = self._state
        own, groups = state.promised()
        promised = own + sum(groups.values())
        base = state.base(found.contents)
        if base is not None and command.adapter is None and base.info.id in state.models:
            base = None  # it is what was asked about, and the caller knows that it is loaded
        leader, adapted = state.leader, command.adapter is not None
        if leader is None:
            weights, ranks = _weights(found, base), 1
        else:
            named = found.folder, found.name, found.facts.config, found.identity
            weights, ranks = leader.shares.of(*named, adapted), leader.size
        return fit(
            found.facts.config,
            weights,
            max(0, state.budget - state.weights - promised),
            command.context,
            command.chats,
            command.kv_bits,
            wide=state.backend.prefers_float32 if base is None else base.info.dtype == "float32",
            loaded=self._loaded(base),
            gpu=state.backend.device != "cpu",
            ranks=ranks,
        )

    def _loaded(self, base: LoadedModel | None) -> list[Loaded]:
        """The models that could be unloaded in a model's favour, where it has this `base`."""
        state = self._state
        in_use = {s.model.info.id for s in state.answering.values()}
        found = []
        for model in state.models.values():
            if model is base:
                continue  # its arrays are needed
            freed = state.freed_by(model)
            if base is not None and model.base is base:
                freed = model.info.nbytes
            if freed:
                found.append(Loaded(model.info.id, freed, model.info.id not in in_use))
        return found


def _weights(found: _Found, base: LoadedModel | None) -> Weights:
    facts, adapter = found.facts, found.adapter
    own = wide = rebuilt = 0
    if adapter is not None:
        own, wide, rebuilt = adapter.size, adapter.wide, adapter.rebuilt
    if base is not None and base.info.dtype == "float32":
        own = wide
    again = base is not None and adapter is not None and reads_again(base, adapter.kind)
    return Weights(
        facts.size,
        max(facts.wide, facts.size),
        facts.largest,
        adapter=own,
        adapter_wide=max(own, wide),
        rebuilt=rebuilt,
        shared=0 if base is None or again else base.info.nbytes,
    )
