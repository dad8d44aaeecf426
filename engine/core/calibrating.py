"""Measuring which ways are the fastest here, while nobody is answering.

After a model was loaded, comparisons (`model.choices.CELLS`) are measured in slices of a pass or
less, for three seconds in all; what is left is measured after the next load. As soon as a chat
starts, or anything else wants the device, the comparison that was under way is given up. Choices
are taken only between answers, so no answer changes its ways because of them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from engine.core.state import State
from engine.core.ways_file import WaysFile
from engine.errors import words_of
from engine.kv import shared_prefix
from engine.model import backend, trials
from engine.model.choices import Cell, Guess, choose, next_cell
from engine.model.loaded import LoadedModel

log = logging.getLogger(__name__)

BUDGET_S = 3.0
"""Seconds of measuring after each load."""

KERNELS_S = 1.0
"""Seconds more, at least, once the attention kernels of a GPU have been found right."""

QUIET_S = 0.5
"""Seconds without an answer or a load before anything is measured."""

_SHARE = 1 / 4
"""Of the memory that is free, for chats that are made up."""

_MOST_FAULTS = 3


@dataclass
class _Subject:
    """A loaded model, and what was measured of it.

    Attributes:
        left: seconds for which it may still be measured.
        failed: cells that raised; after the next load they are tried again.
        faults: how many of them because of the model.
        changed: there are results that were not written yet.
        kernels: there is time for its attention kernels, or was.
    """

    model: LoadedModel
    file: WaysFile
    results: dict[Cell, dict[str, float]]
    left: float = BUDGET_S
    failed: set[Cell] = field(default_factory=set)
    faults: int = 0
    changed: bool = False
    kernels: bool = False

    def write(self) -> None:
        """Keep what was measured since the last time."""
        if self.changed:
            self.changed = False
            self.file.write(self.results)


class Calibrating:
    """The models of one engine thread that are measured, one after another.

    Args:
        folder: where tables are kept; None measures nothing and takes no table.
    """

    def __init__(self, state: State, folder: Path | None) -> None:
        self._state = state
        self._folder = folder if state.leader is None else None
        self._subjects: dict[str, _Subject] = {}
        self._cell: Cell | None = None
        self._trial: Generator[None, None, trials.Times] | None = None
        self._quiet_from = 0.0

    @property
    def patience(self) -> float | None:
        """Seconds until there is something to do; None where that will not be."""
        if not any(s.left > 0 for s in self._subjects.values()):
            return None
        return max(0.0, self._quiet_from + QUIET_S - time.monotonic())

    def _look(self) -> None:
        """Take the tables of models that have been loaded; forget those that have gone."""
        if self._folder is None:
            return
        for key in [key for key in self._subjects if key not in self._state.models]:
            self._give_up()
            del self._subjects[key]
        for key, model in self._state.models.items():
            if key not in self._subjects:
                file = WaysFile(self._folder, self._state.backend, model)
                self._subjects[key] = subject = _Subject(model, file, file.read())
                self._quiet_from = time.monotonic()
                model.shares_from.answering = partial(self._answering, key)
                _take(subject)
        for subject in self._subjects.values():
            if subject.model.kernels is not None and not subject.kernels:
                subject.kernels, subject.left = True, max(subject.left, KERNELS_S)

    def step(self, busy: bool) -> bool:
        """Measure a slice; False where there is nothing to be measured now. For each turn.

        Args:
            busy: models or caches are being read, or texts embedded.
        """
        self._look()
        if not self._subjects:
            return False
        now = time.monotonic()
        if self._state.answering or busy:
            self._quiet_from = now
            self._give_up()
            return False
        if now < self._quiet_from + QUIET_S:
            return False
        # The first that has something left.
        return any(self._slice(subject) for subject in self._subjects.values() if subject.left > 0)

    def end(self) -> None:
        """The engine ends."""
        self._give_up()
        self._subjects.clear()

    def _slice(self, subject: _Subject) -> bool:
        """Go on with a model; False where nothing is left of it."""
        began = time.perf_counter()
        try:
            if self._trial is None:
                self._cell = next_cell(
                    subject.results, guess_of(subject.model), partial(self._possible, subject)
                )
                if self._cell is None:
                    subject.left = 0.0
                    self._keep(subject)
                    return False
                self._trial = trials.measure(subject.model, self._cell)
            next(self._trial)
        except StopIteration as done:
            assert self._cell is not None
            log.debug("%s: %s", self._cell, done.value)
            subject.results[self._cell] = done.value
            subject.changed = True
            self._trial = self._cell = None
        except BaseException as error:  # a panic in a native library, too
            log.info("a way could not be measured: %s", words_of(error))
            if self._cell is not None:
                subject.failed.add(self._cell)
            self._give_up()
            subject.faults += not isinstance(error, trials.UnsteadyError)
            if subject.faults >= _MOST_FAULTS:
                subject.left = 0.0
        subject.left -= time.perf_counter() - began
        if subject.left <= 0:
            self._keep(subject)
        return True

    def _answering(self, key: str) -> int:
        """How many of a model's sessions do. By its id: the model holds on to this function."""
        return sum(s.model.info.id == key for s in self._state.answering.values())

    def _possible(self, subject: _Subject, cell: Cell) -> bool:
        state = self._state
        held = state.weights + state.kv_bytes + state.prefix_cache.nbytes
        spare = int((state.budget - held) * _SHARE)
        return cell not in subject.failed and trials.possible(subject.model, cell, spare)

    def _keep(self, subject: _Subject) -> None:
        """A model's time is over: take what was found, and keep it."""
        self._give_up()
        subject.write()
        _take(subject)
        backend.give_back_memory()

    def _give_up(self) -> None:
        """Free what the comparison under way has made up."""
        trial, self._trial, self._cell = self._trial, None, None
        if trial is not None:
            trial.close()
            for subject in self._subjects.values():
                subject.write()


def _take(subject: _Subject) -> None:
    if subject.results:
        subject.model.take(choose(subject.results, guess_of(subject.model)))


def guess_of(model: LoadedModel) -> Guess:
    """What a model's chats do where nothing was measured."""
    below = None if model.slots is None else model.slots.policy.below
    return Guess(below, shared_prefix.MIN_TOKENS)
