"""Measuring which ways are the fastest here, while nobody is answering.

After a model was loaded, comparisons (`model.choices.CELLS`) are measured in slices of a pass or
less, for three seconds in all; what is left is measured after the next load. As soon as a chat
starts, or anything else wants the device, the comparison that was under way is given up. Choices
are taken only between answers, so no answer changes its ways because of them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import logging
import os
import platform
import sys
import time
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.errors import words_of
from engine.kv import shared_prefix
from engine.model import backend, overlay, probe, trials
from engine.model.backend import Backend, wide_kernels
from engine.model.choices import Cell, Guess, Results, choose, from_json, next_cell, to_json
from engine.model.kernel.program import Geometry
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined
from engine.model.probe import Ways
from engine.runtime.state import State
from engine.sandbox.folders import read_json

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
        held = state.memory.weights + state.memory.kv_bytes + state.memory.prefixes.nbytes
        spare = int((state.memory.budget - held) * _SHARE)
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


VERSION = 3
"""Of the ways and of how they are measured."""

_MOST_BYTES = 32 * 2**10
_MOST_FILES = 64


def machine(backend: Backend) -> dict[str, str]:
    """What times depend on beside the model."""
    return {
        "ways": str(VERSION),
        "mlx": str(getattr(mx, "__version__", "")),
        "device": backend.device,
        "blas": backend.blas.split(" ")[0] + (", AVX-512" if wide_kernels() else ""),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": f"{_processor()}, {os.cpu_count()} cores",
    }


def _processor() -> str:
    if mx.metal.is_available() or mx.cuda.is_available():
        return str(mx.device_info().get("device_name", ""))
    return platform.processor()


def shape(model: LoadedModel) -> str:
    """Names the shapes and types of a model's arrays, and what its chats can share."""
    digest = hashlib.sha256()
    for name, array in tree_flatten(model.net.parameters()):
        digest.update(f"{name} {array.shape} {array.dtype}\n".encode())
    ways = model.can.ways
    can = (ways.step, model.slots is not None, ways.shares_prefix, ways.mixes)
    digest.update(repr(can).encode())
    return digest.hexdigest()


class KeptFile:
    """One of these files.

    Args:
        folder: where they lie; made when needed, for its owner only.
        facts: what it depends on.
    """

    def __init__(self, folder: Path, facts: dict[str, str]) -> None:
        self._facts = facts
        key = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]
        self.path = folder / f"{key}.json"

    def read(self) -> Any:
        """What was written; None where there is no file that can be used."""
        try:
            data = read_json(self.path, _MOST_BYTES)
            if not isinstance(data, dict) or data.get("of") != self._facts:
                raise ValueError("it was made by something else")
            return data.get("results")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log.info("%s is made anew: %s", self.path.name, words_of(error))
            return None

    def write(self, results: Any) -> None:
        """Keep them. Where that cannot be, they are found out again one day."""
        data = {"of": self._facts, "results": results}
        part = self.path.with_suffix(f".{os.getpid()}.part")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as stream:
                json.dump(data, stream, indent=1)
            os.replace(part, self.path)
            self._make_room()
        except OSError as error:
            log.info("%s is not kept: %s", self.path.name, words_of(error))
            with contextlib.suppress(OSError):
                part.unlink()

    def _make_room(self) -> None:
        """Remove the oldest files where they are too many, and what a killed program has left."""
        files = [*self.path.parent.glob("*.json"), *self.path.parent.glob("*.part")]
        found = sorted((f.lstat().st_mtime, f) for f in files if f != self.path)
        for _, old in found[: max(0, len(found) + 1 - _MOST_FILES)]:
            with contextlib.suppress(OSError):
                old.unlink()


class WaysFile:
    """How long the ways of one model take.

    Args:
        folder: as of `KeptFile`.
    """

    def __init__(self, folder: Path, backend: Backend, model: LoadedModel) -> None:
        self._file = KeptFile(folder, {**machine(backend), "shape": shape(model)})
        self.path = self._file.path

    def read(self) -> dict[Cell, dict[str, float]]:
        """The results; none where there is no table that can be used."""
        found = self._file.read()
        try:
            return {} if found is None else from_json(found)
        except ValueError as error:
            log.info("a table of ways is made anew: %s", words_of(error))
            return {}

    def write(self, results: Results) -> None:
        """Keep the results. Where that cannot be, they are measured again one day."""
        self._file.write(to_json(results))


class ProbedFile:
    """Which ways a model was found to be able to take, so that it is not tried out at each load.

    It is known by its contents: any other weights, and any other version of what computes, are
    another model. Only what shares a step is kept, since that needs nothing done to the model.

    Args:
        folder: as of `KeptFile`.
        wide: as of `loader.load`.
    """

    def __init__(self, folder: Path, backend: Backend, examined: Examined, wide: bool) -> None:
        versions = {name: _version(name) for name in ("mlx-lm", "onnxruntime")}
        facts = {"contents": examined.contents, "wide": str(wide), "code": own_code()}
        self._file = KeptFile(folder, {**machine(backend), **versions, **facts})

    def read(self) -> Ways | None:
        """The ways; None where they are not known."""
        found = self._file.read()
        if not isinstance(found, dict):
            return None
        slots, prefix, mixes, asks = (
            found.get(name) for name in ("slots", "prefix", "mixes", "asks")
        )
        if not all(type(can) is bool for can in (slots, prefix, mixes)):
            return None
        try:
            geometries = frozenset(Geometry(**one) for one in asks)  # type: ignore[union-attr]
            return Ways(probe.SHARED, bool(slots), bool(prefix), bool(mixes), geometries)
        except TypeError:
            return None

    def write(self, model: LoadedModel) -> None:
        """Keep what was found of a model."""
        if model.info.step == probe.SHARED:
            found = {
                "slots": model.slots is not None,
                "prefix": model.can.ways.shares_prefix,
                "mixes": model.can.ways.mixes,
                "asks": [asdict(one) for one in model.can.ways.asks],
            }
            self._file.write(found)


@functools.cache
def own_code() -> str:
    """Names the code that computes, beside installed packages.

    Stretto is none, so has no version. A folder with another mlx-lm need not tell its own as
    packages do.
    """
    engine, digest = Path(__file__).parents[1], hashlib.sha256()
    folders = [engine / "model", engine / "kv"]
    if getattr(sys, "frozen", False):  # in a bundle the code is part of the program
        program = Path(sys.executable).stat()
        digest.update(f"{program.st_size} {program.st_mtime_ns}".encode())
        folders = []
    laid_over = overlay.in_use()
    if laid_over is not None:
        folders.append(laid_over.folder / "mlx_lm")
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
