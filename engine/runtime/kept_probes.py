"""Which ways a model was found to be able to take, kept in a file so that no load tries it again.

Each file also holds what its results depend on. What does not read as expected, or was made by
anything else, is found out anew.
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
from engine.model.backend import Backend, wide_kernels
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined
from engine.model.probe import Ways
from engine.sandbox.folders import read_json

log = logging.getLogger(__name__)

_MOST_BYTES = 32 * 2**10
_MOST_FILES = 64


class ProbedFile:
    """The ways of one model, which is known by its contents.

    Any other weights, and any other version of what computes, are another model. Only what shares
    a step is kept, since that needs nothing done to the model.

    Args:
        folder: where the files lie; made when needed, for its owner only.
        wide: as of `loader.load`.
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
        """The ways; None where they are not known."""
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
        """Keep what was found of a model. Where that cannot be, it is found out again one day."""
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
        """Remove the oldest files where they are too many, and what a killed program has left."""
        files = [*self.path.parent.glob("*.json"), *self.path.parent.glob("*.part")]
        found = sorted((f.lstat().st_mtime, f) for f in files if f != self.path)
        for _, old in found[: max(0, len(found) + 1 - _MOST_FILES)]:
            with contextlib.suppress(OSError):
                old.unlink()


def _ways(found: Any) -> Ways:
    """What a file says, if it can have been written.

    Raises:
        LookupError, TypeError, ValueError: it cannot.
    """
    results = [found[name] for name in ("slots", "prefix", "mixes", "exact")]
    if not all(type(can) is bool for can in results):
        raise ValueError("an entry is no result")
    return Ways(probe.SHARED, *results)


def _machine(backend: Backend) -> dict[str, str]:
    """What a probe depends on beside the model and the code."""
    return {
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


@functools.cache
def own_code() -> str:
    """Return a digest of the engine's own code, which has no version as packages do."""
    engine, digest = Path(__file__).parents[1], hashlib.sha256()
    folders = [engine / "model", engine / "cache"]
    if getattr(sys, "frozen", False):  # in a bundle the code is part of the program
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
