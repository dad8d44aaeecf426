"""Estimates of whether a model fits into memory before it is loaded."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from msgspec import Struct

from engine.cache.estimate import Fit, ResidentModel, fit
from engine.messages import Estimate
from engine.model import fingerprint
from engine.model.loaded_model import LoadedModel
from engine.runtime.candidate import as_load_error, inspect_adapter, inspect_model, weights_of
from engine.runtime.mailbox import refuse
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers
from engine.sandbox.confined import Sandbox
from engine.sandbox.folders import AdapterFacts, ModelFacts


class _SizedCandidate(Struct, frozen=True):
    folder: Path
    name: str
    identity: tuple[object, ...]  # detects whether the model is already loaded
    facts: ModelFacts
    adapter: AdapterFacts | None
    contents: str  # result of `fingerprint.hash_contents`, or "" if not needed


class FitEstimator:
    """Handler for `Estimate`. Compares the size of a model with the free memory."""

    def __init__(self, state: State, workers: Workers, confined: Sandbox) -> None:
        self._state = state
        self._workers = workers
        self._confined = confined

    def estimate(self, command: Estimate) -> None:
        self._confined.start()
        variants = any(m.base is not None for m in self._state.models.values())
        shares = command.adapter is not None or variants
        self._workers.start(
            self._answer(command, shares), lambda error: refuse(command, as_load_error(error))
        )

    def _answer(self, command: Estimate, shares: bool) -> Task:
        candidate = yield Work("loads", partial(self._examine, command, shares))
        command.answer.set_result(self._fit(command, candidate))

    def _examine(self, command: Estimate, shares: bool) -> _SizedCandidate:
        path, name, facts = inspect_model(command.path, self._confined)
        adapter = None
        if command.adapter is not None:
            adapter = inspect_adapter(command.adapter, self._confined)[2]
        contents = fingerprint.hash_contents(path) if shares else ""
        return _SizedCandidate(
            path, name, fingerprint.folder_identity(path), facts, adapter, contents
        )

    def _fit(self, command: Estimate, candidate: _SizedCandidate) -> Fit:
        state = self._state
        memory = state.memory
        base = memory.find_base(candidate.contents)
        if base is not None and command.adapter is None and base.info.id in state.models:
            base = None  # the examined model is already loaded
        leader, adapted = state.leader, command.adapter is not None
        float32 = state.backend.prefers_float32 if base is None else base.info.dtype == "float32"
        if leader is None:
            sizes = candidate.facts.size, candidate.facts.wide
            weights, ranks = weights_of(*sizes, candidate.adapter, base, float32), 1
        else:
            arguments = candidate.folder, candidate.name, candidate.facts.config, candidate.identity
            weights, ranks = leader.shares.shard_weights(*arguments, adapted), leader.size
        return fit(
            candidate.facts.config,
            weights,
            max(0, memory.budget - memory.fixed_bytes - memory.promised_bytes()),
            command.context,
            command.chats,
            command.kv_bits,
            wide=float32,
            loaded=self._loaded(base),
            gpu=state.backend.device != "cpu",
            ranks=ranks,
        )

    def _loaded(self, base: LoadedModel | None) -> list[ResidentModel]:
        state = self._state
        in_use = {r.session.model.info.id for r in state.requests.values()}
        residents = []
        for model in state.models.values():
            if model is base:
                continue  # the new model needs these arrays
            freed_bytes = state.memory.freed_by(model)
            if base is not None and model.base is base:
                freed_bytes = model.info.nbytes
            if freed_bytes:
                residents.append(
                    ResidentModel(model.info.id, freed_bytes, model.info.id not in in_use)
                )
        return residents
