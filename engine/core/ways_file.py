"""Small files in the cache folder: what was found out of a model on this machine.

A file is found by what it depends on: device, system, versions, and the model's shapes or contents.
One that is damaged, forged or older is made anew. What stands in it can lead to no more than a
choice between ways of computing.
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
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.core.confined.files import read_json
from engine.errors import words_of
from engine.model import overlay, probe
from engine.model.backend import Backend, wide_kernels
from engine.model.choices import Cell, Results
from engine.model.kernel.program import Geometry
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined
from engine.model.probe import Ways
from engine.model.ways_json import from_json, to_json

log = logging.getLogger(__name__)

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
    can = (model.info.step, model.slots is not None, model.shares_prefix, model.mixes)
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
                "prefix": model.shares_prefix,
                "mixes": model.mixes,
                "asks": [asdict(one) for one in model.asks],
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
