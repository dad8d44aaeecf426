"""Files with the probe results of models, so that later loads need not repeat the probes.

Each file also records what the results depend on. If a file is invalid or its dependencies differ,
the probes are repeated.
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
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.errors import words_of
from engine.kernels import library as kernels
from engine.model import probe
from engine.model.backend import Backend, has_avx512_openblas
from engine.model.loaded_model import LoadedModel
from engine.model.loader import Examined
from engine.model.probe import Ways
from engine.sandbox.folders import read_json

log = logging.getLogger(__name__)

_MOST_BYTES = 32 * 2**10
_MOST_FILES = 64


class ProbedFile:
    """Probe results of one model, identified by its contents.

    Other weights or another version of the computing code count as another model. Only the results
    for sharing steps are kept, since these need no change of the model.

    Args:
        folder: directory of the files, created when needed and private to its owner.
        wide: see `loader.load`.
    """

    def __init__(self, folder: Path, backend: Backend, examined: Examined, wide: bool) -> None:
        library = kernels.load()
        self._facts = {
            "contents": examined.contents,
            "wide": str(wide),
            "code": own_code(),
            **{name: _version(name) for name in ("mlx-lm", "mlx-vlm")},
            "kernels": library.name if library is not None else "",
            **_machine(backend),
        }
        key = hashlib.sha256(json.dumps(self._facts, sort_keys=True).encode()).hexdigest()[:32]
        self.path = folder / f"{key}.json"

    def read(self) -> Ways | None:
        """Load the results, or None if there's no valid file."""
        try:
            data = read_json(self.path, _MOST_BYTES)
            if not isinstance(data, dict) or data.get("of") != self._facts:
                raise ValueError("it was made by something else")
            return _ways(data.get("results"))
        except FileNotFoundError:
            return None
        except (LookupError, OSError, TypeError, ValueError) as error:
            log.info("%s is made anew: %s", self.path.name, words_of(error))
            return None

    def write(self, model: LoadedModel) -> None:
        """Write a model's results. If that fails, the probes are repeated by a later load."""
        if model.info.step != probe.SHARED:
            return
        ways = model.can.ways
        found = {
            "slots": model.slots is not None,
            "prefix": ways.shares_prefix,
            "mixes": ways.mixes,
            "exact": ways.exact,
        }
        part = self.path.with_suffix(f".{os.getpid()}.part")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as stream:
                json.dump({"of": self._facts, "results": found}, stream, indent=1)
            os.replace(part, self.path)
            self._make_room()
        except OSError as error:
            log.info("%s is not kept: %s", self.path.name, words_of(error))
            with contextlib.suppress(OSError):
                part.unlink()

    def _make_room(self) -> None:
        """Delete the oldest files if there are too many, and partial files of killed processes."""
        files = [*self.path.parent.glob("*.json"), *self.path.parent.glob("*.part")]
        found = sorted((f.lstat().st_mtime, f) for f in files if f != self.path)
        for _, old in found[: max(0, len(found) + 1 - _MOST_FILES)]:
            with contextlib.suppress(OSError):
                old.unlink()


def _ways(found: Any) -> Ways:
    """Parse the results of a file.

    Raises:
        LookupError, TypeError, ValueError: if they are invalid.
    """
    results = [found[name] for name in ("slots", "prefix", "mixes", "exact")]
    if not all(type(can) is bool for can in results):
        raise ValueError("an entry is no result")
    return Ways(probe.SHARED, *results)


def _machine(backend: Backend) -> dict[str, str]:
    """Return what probe results depend on, besides the model and the code."""
    return {
        "mlx": str(getattr(mx, "__version__", "")),
        "device": backend.device,
        "blas": backend.blas.split(" ")[0] + (", AVX-512" if has_avx512_openblas() else ""),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": f"{_processor()}, {os.cpu_count()} cores",
    }


def _processor() -> str:
    if mx.metal.is_available() or mx.cuda.is_available():
        return str(mx.device_info().get("device_name", ""))
    return platform.processor()


@functools.cache
def own_code() -> str:
    """Hash the engine's own code, since it has no version like packages do."""
    engine, digest = Path(__file__).parents[1], hashlib.sha256()
    folders = [engine / "model", engine / "cache"]
    if getattr(sys, "frozen", False):  # in a bundle the code is part of the executable
        program = Path(sys.executable).stat()
        digest.update(f"{program.st_size} {program.st_mtime_ns}".encode())
        folders = []
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
