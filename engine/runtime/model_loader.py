"""Loading and unloading of models. Weights are read between the steps of chats."""

from __future__ import annotations

import logging
import time
import uuid
from collections import deque
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from engine.errors import (
    MODEL_LOAD_FAILED,
    UNKNOWN_MODEL,
    EngineError,
    run_cleanup,
)
from engine.messages import Load, Unload
from engine.model import adapters, backend, loader
from engine.model.loaded_model import LoadedModel
from engine.model.loader import SLICE_S, Pieces
from engine.model.probe import SharingModes
from engine.runtime.candidate import Candidate, as_load_error, check_candidate
from engine.runtime.mailbox import refuse
from engine.runtime.pacing import GAP_BUDGET
from engine.runtime.plan import LoadAdmission, LoadRequest
from engine.runtime.result_files import ProbeFile
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers
from engine.sandbox.confined import Sandbox

log = logging.getLogger(__name__)


CANCELLED = "Loading was cancelled. Load the model again."

MAX_PIECE_S = 0.2  # maximum reading time between two steps, in seconds


class ModelLoader:
    def __init__(
        self, state: State, workers: Workers, confined: Sandbox, ways_dir: Path | None = None
    ) -> None:
        self._state = state
        self._ways_dir = ways_dir if state.leader is None else None
        self._workers = workers
        self._confined = confined
        # Model ids by `Candidate.identity`.
        self._identities: dict[tuple[object, ...], str] = {}
        self.queue: list[ModelLoad] = []
        self.freeing = DeferredFree()

    def pending(self) -> LoadRequest | None:
        if not self.queue or self.queue[0].pieces is not None or self.freeing.queue:
            return None
        load = self.queue[0]
        base = self._state.memory.find_base(load.candidate.checked_model.contents)
        return load.candidate.request(load.key, base, self._state.backend.prefers_float32)

    def answer_loaded(self) -> None:
        """Stop cancelled loads, and answer requests for models that were loaded in the meantime."""
        self._drop_cancelled()
        while self.pending() is not None:
            load = self.queue[0]
            loaded = self._find_loaded(load.candidate)
            if loaded is None:
                return
            self._remove(load)  # an earlier request has already loaded this model
            for command in load.callers:
                resolve_load(command, loaded)

    def load(self, command: Load) -> None:
        self._confined.start()
        self._workers.start(
            self._examine(command), lambda error: refuse(command, as_load_error(error))
        )

    def _examine(self, command: Load) -> Task:
        arguments = command.path, self._confined, command.adapter, self._ways_dir
        candidate = yield Work("loads", partial(check_candidate, *arguments))
        if command.is_cancelled:
            refuse_cancelled(command)
            return
        loaded = self._find_loaded(candidate)
        if loaded is not None:
            resolve_load(command, loaded)
            return
        if self._state.leader is not None:
            candidate = candidate.spread(self._state.leader.shares)
        same = [q for q in self.queue if q.candidate.identity == candidate.identity]
        if same:
            same[0].callers.append(command)
        else:
            self.queue.append(ModelLoad(uuid.uuid4().hex, [command], candidate))

    def _drop_cancelled(self) -> None:
        for load in list(self.queue):
            cancelled = [command for command in load.callers if command.is_cancelled]
            load.callers = [command for command in load.callers if command not in cancelled]
            if not load.callers:
                self._remove(load)
            for command in cancelled:
                refuse_cancelled(command)

    def _find_loaded(self, candidate: Candidate) -> LoadedModel | None:
        """Return the model if it's in memory. A base that was only kept for its variants is added
        again."""
        model = self._state.models.get(self._identities.get(candidate.identity, ""))
        if model is None and candidate.adapter is None:
            model = self._state.memory.find_base(candidate.checked_model.contents)
            if model is not None:
                self._add(model, candidate)
        return model

    def begin(self, admission: LoadAdmission) -> None:
        load = self.queue[0]
        self._state.memory.reserve(load, admission.nbytes, weights=True)
        checked_model, adapter = load.candidate.checked_model, load.candidate.adapter
        load.base = self._state.memory.find_base(load.candidate.checked_model.contents)
        if adapter is None and self._state.leader is not None:
            load.pieces = self._state.leader.load(checked_model, admission.wide)
        elif adapter is None:
            load.pieces = loader.load(
                checked_model, admission.wide, self._read_modes(load, admission.wide)
            )
        elif load.base is None:
            load.pieces = adapters.load(checked_model, adapter, admission.wide)
        else:
            self._state.memory.adapted.append(load.base)
            load.pieces = adapters.adapt(load.base, adapter)

    def _read_modes(self, load: ModelLoad, wide: bool) -> SharingModes | None:
        if self._ways_dir is None:
            return None
        file = ProbeFile(self._ways_dir, self._state.backend, load.candidate.checked_model, wide)
        modes = file.read()
        load.probed = file if modes is None else None
        return modes

    def refuse(self, key: str, error: EngineError) -> None:
        for load in [load for load in self.queue if load.key == key]:
            self._remove(load)
            for command in load.callers:
                refuse(command, error)

    def step(self, decoding: float = 0.0) -> None:
        """Continue freeing or loading the current model.

        The time limit is half the duration of a decode step, up to the gap budget. It's at least a
        quarter of the duration (up to `MAX_PIECE_S`), so that loading also finishes on a slow
        machine.
        """
        self._drop_cancelled()
        if self.freeing.queue:
            return self.freeing.step()
        allowed_s = max(
            min(decoding / 2, GAP_BUDGET), min(decoding / 4, MAX_PIECE_S), loader.SLICE_S
        )
        started_at = before = time.perf_counter()
        while self.queue and self.queue[0].pieces is not None and self._next_piece():
            before, last = time.perf_counter(), before
            # the next part may take as long as this one
            if before - started_at + (before - last) > allowed_s:
                return None
        return None

    def _next_piece(self) -> bool:
        load = self.queue[0]
        try:
            match load.next_piece():
                case LoadedModel() as model:
                    self._finish_load(load, model)
                    return False
                case list() as arrays:
                    load.arrays = arrays
                case share:
                    load.report_progress(share)
            return True
        except BaseException as error:
            self._remove(load)
            for command in load.callers:
                refuse(command, as_load_error(error))
            return False

    def _finish_load(self, load: ModelLoad, model: LoadedModel) -> None:
        loaded = self._state.models.get(model.info.id, model)
        if loaded is model:
            self._confine(loaded, load.candidate)
            if model.base is not None and model.base.text.reader is None:
                self._confine(model.base, load.candidate)
        if load.probed is not None:
            load.probed.write(model)
        # Keep only one copy of weights that two commands have loaded.
        load.arrays.clear()
        self._remove(load)
        self._add(loaded, load.candidate)
        taken = [resolve_load(command, loaded) for command in load.callers]
        if not any(taken):
            self.unload_unused(loaded)

    def _add(self, model: LoadedModel, candidate: Candidate) -> None:
        self._state.models[model.info.id] = model
        self._identities[candidate.identity] = model.info.id
        self._state.update_buffer_limit()

    def _confine(self, model: LoadedModel, candidate: Candidate) -> None:
        checked = candidate.checked_tokenizer
        confined, ends = self._confined, sorted(model.text.eos)
        model.text.reader = confined.reader(checked)
        model.text.form_refusal = lambda params: confined.form_refusal(params, checked, ends)
        model.text.form_tokens = lambda: confined.form_tokens(checked, ends)

    def _remove(self, load: ModelLoad) -> None:
        if load not in self.queue:
            return
        self.queue.remove(load)
        if load.pieces is not None:
            load.pieces = None
            self.freeing.add(load.arrays)
        if load.base is not None:
            memory = self._state.memory
            memory.adapted = [m for m in memory.adapted if m is not load.base]
            load.base = None
        self._state.memory.release(load)

    def unload(self, command: Unload) -> None:
        self.unload_model(command.model_id, lambda: command.answer.set_result(None))

    def unload_model(self, model_id: str, on_freed: Callable[[], None] | None = None) -> None:
        state, error = self._state, (UNKNOWN_MODEL, "The model was unloaded. Load it again.")
        for session in [s for s in state.sessions.values() if s.model.info.id == model_id]:
            if not session.one_shot:
                state.session_errors[session.id] = error
            state.end_session(session, *error)
        state.memory.prefixes.drop_model(model_id)
        self.free_weights(state.remove_model(model_id), on_freed)

    def free_weights(
        self, models: list[LoadedModel], on_freed: Callable[[], None] | None = None
    ) -> None:
        """Free the arrays that only the removed `models` use, and then call `on_freed`."""
        needed_ids = {
            id(a) for m in self._state.memory.in_memory for a in loader.parameter_arrays(m.net)
        }
        arrays = [a for m in models for a in loader.remove_arrays(m.net, needed_ids)]
        self._state.update_buffer_limit()
        self.freeing.add(arrays, on_freed)

    def unload_unused(self, model: LoadedModel) -> None:
        """Free a model that was loaded for a failed command, unless something else uses it."""
        state, key = self._state, model.info.id
        if state.models.get(key) is not model or model.is_requested:
            return
        if any(d.model is model for d in state.memory.drafters.values()):
            state.models.pop(key)  # the target model references it
        elif not any(s.model is model for s in state.sessions.values()):
            self.unload_model(key)

    def take_unanswered(self) -> list[Load]:
        run_cleanup(self.freeing.abandon)
        waiting = [command for load in self.queue for command in load.callers]
        self.queue.clear()
        self._state.memory.adapted.clear()
        return waiting


class ModelLoad(Struct, eq=False, weakref=True):  # compared by identity
    key: str
    callers: list[Load]
    candidate: Candidate
    pieces: Pieces | None = None
    base: LoadedModel | None = None  # loaded base model if this is a variant
    # Arrays read so far, which are freed in slices if the load fails.
    arrays: list[Any] = field(default_factory=list)
    # File to store the probe results in, or None if they were already known.
    probed: ProbeFile | None = None

    def next_piece(self) -> LoadedModel | list[Any] | float | None:
        """Read more weights. Return the value yielded by the generator, or the complete model."""
        assert self.pieces is not None
        try:
            reached: list[Any] | float | None = next(self.pieces)
            return reached
        except StopIteration as stop:
            model: LoadedModel = stop.value
            return model

    def report_progress(self, share: float | None) -> None:
        callbacks = [command.callback for command in self.callers if command.callback is not None]
        for on_progress in callbacks if share is not None else ():
            try:
                on_progress(share or 0.0)
            except BaseException:
                log.exception("load progress callback raised")


def resolve_load(command: Load, model: LoadedModel) -> bool:
    """Return False if the load was cancelled in the meantime."""
    try:
        command.answer.set_result(model.info)
    except InvalidStateError:
        return False
    model.is_requested = model.is_requested or command.outer is None
    return True


def refuse_cancelled(command: Load) -> None:
    refuse(command, EngineError(MODEL_LOAD_FAILED, CANCELLED))


FREED_BYTES = 32 * 2**20  # bytes to free before checking the elapsed time


class DeferredFree:
    def __init__(self) -> None:
        # Arrays to free, each with a callback to run afterwards.
        self.queue: deque[tuple[list[Any], Callable[[], None] | None]] = deque()

    def add(self, arrays: list[Any], on_freed: Callable[[], None] | None = None) -> None:
        """Queue arrays to be freed, and then call `on_freed`.

        Args:
            arrays: list to empty. Nothing else may refer to these arrays. If the list is already
                empty, only unused buffers are freed.
        """
        self.queue.append((arrays, on_freed))

    def step(self) -> None:
        started_at = time.perf_counter()
        while self.queue and time.perf_counter() - started_at < SLICE_S:
            arrays, on_freed = self.queue[0]
            freed_bytes = 0
            while arrays and freed_bytes < FREED_BYTES:
                freed_bytes += arrays.pop().nbytes
            if not arrays:
                self.queue.popleft()
            try:
                backend.release_memory()
            finally:
                if not arrays and on_freed is not None:
                    on_freed()

    def abandon(self) -> None:
        while self.queue:
            _, on_freed = self.queue.popleft()
            if on_freed is not None:
                run_cleanup(on_freed)
