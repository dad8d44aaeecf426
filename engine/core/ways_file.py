"""What was measured of a model's ways on this machine, kept as a small file in the cache folder.

A table is found by what it was measured with: device, system, versions and the model's shapes. One
that is damaged, forged or older is made anew. It holds seconds of known comparisons and nothing
that could lead to more than a choice between ways that the model was found to be able to take.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import platform
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.core.confined.files import read_json
from engine.errors import words_of
from engine.model.backend import Backend, wide_kernels
from engine.model.choices import Cell, Results
from engine.model.loaded import LoadedModel
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


class WaysFile:
    """The table of one model.

    Args:
        folder: where tables lie; made when needed, for its owner only.
    """

    def __init__(self, folder: Path, backend: Backend, model: LoadedModel) -> None:
        self._facts = {**machine(backend), "shape": shape(model)}
        key = hashlib.sha256(json.dumps(self._facts, sort_keys=True).encode()).hexdigest()[:32]
        self.path = folder / f"{key}.json"

    def read(self) -> dict[Cell, dict[str, float]]:
        """The results; none where there is no table that can be used."""
        try:
            data = read_json(self.path, _MOST_BYTES)
            if not isinstance(data, dict) or data.get("of") != self._facts:
                raise ValueError("it was made by something else")
            return from_json(data.get("results"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.info("a table of ways is made anew: %s", words_of(error))
            return {}

    def write(self, results: Results) -> None:
        """Keep the results. Where that cannot be, they are measured again one day."""
        data: dict[str, Any] = {"of": self._facts, "results": to_json(results)}
        part = self.path.with_suffix(f".{os.getpid()}.part")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as stream:
                json.dump(data, stream, indent=1)
            os.replace(part, self.path)
            self._make_room()
        except OSError as error:
            log.info("a table of ways is not kept: %s", words_of(error))
            with contextlib.suppress(OSError):
                part.unlink()

    def _make_room(self) -> None:
        """Remove the oldest tables where they are too many, and what a killed program has left."""
        files = [*self.path.parent.glob("*.json"), *self.path.parent.glob("*.part")]
        found = sorted((f.lstat().st_mtime, f) for f in files if f != self.path)
        for _, old in found[: max(0, len(found) + 1 - _MOST_FILES)]:
            with contextlib.suppress(OSError):
                old.unlink()
