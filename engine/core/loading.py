"""Models in and out: examined by workers, read piece by piece between the steps of the chats."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from pathlib import Path

from engine.core.commands import Load, Unload
from engine.core.confined.confined import Confined
from engine.core.ending import surely
from engine.core.examining import Candidate, as_engine_error, examine
from engine.core.kernels import KernelProbe
from engine.core.leaving import Leaving
from engine.core.mailbox import refuse
from engine.core.model_reading import ModelReading, drop, give
from engine.core.state import State
from engine.core.ways_file import ProbedFile
from engine.core.workers import Workers
from engine.errors import UNKNOWN_MODEL, EngineError
from engine.model import adapting, loader
from engine.model.loaded import LoadedModel
from engine.model.probe import Ways
from engine.scheduling.pacing import GAP_BUDGET
from engine.scheduling.plan import LoadAdmission
from engine.scheduling.view import LoadRequest

LONGEST = 0.2  # seconds for which pieces are read between two steps


class Loading:
    """The commands `Load` and `Unload`, and the models that are being read.

    Args:
        ways_dir: where it is kept which ways a model can take.
    """

    def __init__(
        self, state: State, workers: Workers, confined: Confined, ways_dir: Path | None = None
    ) -> None:
        self._state = state
        self._ways_dir = ways_dir if state.leader is None else None
        self._workers = workers
        self._confined = confined
        self._kernels = KernelProbe(workers, state.backend.device)
        self._identities: dict[tuple[object, ...], str] = {}  # of folders, to the model's id
        self._examining: list[Load] = []
        self._queue: list[ModelReading] = []
        self._leaving = Leaving()

    @property
    def busy(self) -> bool:
        """Whether a model is being read or freed."""
        return self._leaving.busy or any(load.pieces is not None for load in self._queue)

    @property
    def wanted(self) -> LoadRequest | None:
        """The model that is to be read next, for the scheduler; one is read at a time."""
        self._let_go()
        while self._queue and self._queue[0].pieces is None and not self._leaving.busy:
            load = self._queue[0]
            known = self._known(load.candidate)
            if known is None:
                base = self._state.base(load.candidate.examined.contents)
                return load.candidate.request(load.key, base, self._state.backend.prefers_float32)
            self._end(load)  # what was read before it has brought it
            for command in load.callers:
                give(command, known)
        return None

    def load(self, command: Load) -> None:
        """Have a folder examined; what follows is `_examined`."""
        self._confined.start()
        self._examining.append(command)

        def failed(error: BaseException) -> None:
            if command in self._examining:
                self._examining.remove(command)
            refuse(command, as_engine_error(error))

        self._workers.run(
            "loads",
            lambda: examine(command.path, self._confined, command.adapter),
            lambda candidate: self._examined(command, candidate),
            failed,
        )

    def _let_go(self) -> None:
        """Read no further what nobody wants any more; its memory is free afterwards."""
        gone = []
        for load in list(self._queue):
            dropped = [command for command in load.callers if command.dropped]
            load.callers = [command for command in load.callers if command not in dropped]
            gone += dropped
            if not load.callers:
                self._end(load)
        for command in gone:
            drop(command)

    def _examined(self, command: Load, candidate: Candidate) -> None:
        if command.dropped:
            self._examining.remove(command)
            drop(command)
            return
        known = self._known(candidate)
        if known is not None:
            self._examining.remove(command)
            give(command, known)
            return
        if self._state.leader is not None:
            candidate = candidate.spread(self._state.leader.shares)
        same = [q for q in self._queue if q.candidate.identity == candidate.identity]
        if same:
            same[0].callers.append(command)
        else:
            self._queue.append(ModelReading(uuid.uuid4().hex, [command], candidate))
        self._examining.remove(command)

    def _known(self, candidate: Candidate) -> LoadedModel | None:
        """The model if it is in memory. A base that only variants have kept is loaded again."""
        known = self._state.models.get(self._identities.get(candidate.identity, ""))
        if known is None and candidate.adapter is None:
            known = self._state.base(candidate.examined.contents)
            if known is not None:
                self._add(known, candidate)
        return known

    def begin(self, admission: LoadAdmission) -> None:
        """Begin to read the model for which there is room."""
        load = self._queue[0]
        load.reserved = admission.nbytes
        self._state.reserved += load.reserved
        examined, adapter = load.candidate.examined, load.candidate.adapter
        load.base = self._state.base(load.candidate.examined.contents)
        if adapter is None and self._state.leader is not None:
            load.pieces = self._state.leader.load(examined, admission.wide)
        elif adapter is None:
            load.pieces = loader.load(examined, admission.wide, self._ways(load, admission.wide))
        elif load.base is None:
            load.pieces = adapting.load(examined, adapter, admission.wide)
        else:
            self._state.adapted.append(load.base)
            load.pieces = adapting.adapt(load.base, adapter)

    def _ways(self, load: ModelReading, wide: bool) -> Ways | None:
        """Which ways the model can take, if that was found out before."""
        if self._ways_dir is None:
            return None
        file = ProbedFile(self._ways_dir, self._state.backend, load.candidate.examined, wide)
        known = file.read()
        load.probed = file if known is None else None
        return known

    def refuse(self, key: str, error: EngineError) -> None:
        """Tell those who want a model that it cannot be."""
        for load in [load for load in self._queue if load.key == key]:
            self._end(load)
            for command in load.callers:
                refuse(command, error)

    def step(self, decoding: float = 0.0) -> None:
        """Go on with the model that is being freed or read, if any; the others wait.

        Pieces are read for half of what the step took, at most for the gap budget. Beside long
        steps it is a quarter: a load would else not end where the machine has much else to do.

        Args:
            decoding: seconds that this turn took for the chats' tokens.
        """
        self._let_go()
        if self._leaving.busy:
            return self._leaving.step()
        allowed = max(min(decoding / 2, GAP_BUDGET), min(decoding / 4, LONGEST), loader.PAUSE)
        began = before = time.perf_counter()
        while self.busy and self._next_piece():
            before, last = time.perf_counter(), before
            if before - began + (before - last) > allowed:  # the next one may take as long
                return None
        return None

    def _next_piece(self) -> bool:
        """Read a piece of the model; False once there are no more."""
        load = self._queue[0]
        try:
            match load.next_piece():
                case LoadedModel() as model:
                    self._read(load, model)
                    return False
                case list() as arrays:
                    load.arrays = arrays
                case share:
                    load.tell(share)
            return True
        except BaseException as error:  # a panic in a native library, too
            self._end(load)
            for command in load.callers:
                refuse(command, as_engine_error(error))
            return False

    def _read(self, load: ModelReading, model: LoadedModel) -> None:
        """Take a model that has been read."""
        known = self._state.models.get(model.info.id, model)
        if known is model:
            self._confine(known, load.candidate)
            self._kernels.probe(known)
            if model.base is not None and model.base.reader is None:
                self._confine(model.base, load.candidate)
        if load.probed is not None:
            load.probed.write(model)
        # The same weights loaded twice are kept once.
        load.arrays.clear()
        self._end(load)
        self._add(known, load.candidate)
        for command in load.callers:
            give(command, known)

    def _add(self, model: LoadedModel, candidate: Candidate) -> None:
        self._state.models[model.info.id] = model
        self._identities[candidate.identity] = model.info.id
        self._state.models_changed()

    def _confine(self, model: LoadedModel, candidate: Candidate) -> None:
        """Have a model's prompts rendered, and its forms judged, where that can do no harm."""
        checked, confined, ends = candidate.checked, self._confined, sorted(model.eos)
        model.reader = confined.reader(checked)
        model.form_refusal = lambda params: confined.form_refusal(params, checked, ends)
        model.form_tokens = lambda: confined.form_tokens(checked, ends)

    def _end(self, load: ModelReading) -> None:
        if load not in self._queue:
            return
        self._queue.remove(load)
        self._state.reserved -= load.reserved
        if load.pieces is not None:
            load.pieces = None
            self._leaving.add(load.arrays)
        if load.base is not None:
            self._state.adapted = [m for m in self._state.adapted if m is not load.base]
            load.base = None
        self._state.memory_changed()

    def unload(self, command: Unload) -> None:
        """Free a model and end its sessions. Named ones' caches go to disk first."""
        self.free(command.model_id, lambda: command.answer.set_result(None))

    def free(self, model_id: str, then: Callable[[], None] | None = None) -> None:
        """As `unload`. `then` is called once it is done."""
        state, ended = self._state, (UNKNOWN_MODEL, "The model was unloaded. Load it again.")
        for session in [s for s in state.sessions.values() if s.model.info.id == model_id]:
            if session.named and session.reply is None:
                state.save(session)
            elif not session.named:
                state.erase(session.id)  # nobody can come back to it
            if not session.scratch:
                state.ended[session.id] = ended
            state.end_session(session, *ended)
        state.prefix_cache.forget(model_id)
        self.leave(state.remove(model_id), then)

    def leave(self, models: list[LoadedModel], then: Callable[[], None] | None = None) -> None:
        """Free what nobody needs any more of models that are gone; as `free` after that."""
        needed = {id(a) for m in self._state.in_memory for a in loader.arrays(m.net)}
        arrays = [a for m in models for a in loader.take_arrays(m.net, needed)]
        self._state.models_changed()
        self._leaving.add(arrays, then)

    def give_up(self) -> list[Load]:
        """Stop reading; returns the commands that nobody has answered yet."""
        surely(self._leaving.give_up)  # whatever it raises: these are not lost over it
        waiting = [*self._examining, *(c for load in self._queue for c in load.callers)]
        self._examining.clear()
        self._queue.clear()
        self._state.adapted.clear()
        return waiting
