"""Files with probe results of models, so that later loads don't repeat the probes."""

from __future__ import annotations

import json
import logging
import os
import platform
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.errors import words_of
from engine.kernels import library as kernels
from engine.model import probe
from engine.model.backend import Backend, has_avx512_openblas
from engine.model.loaded_model import LoadedModel
from engine.model.loader import CheckedModel
from engine.model.probe import SharingModes
from engine.runtime.kept_files import KeptFile, own_code, versions
from engine.sandbox.folders import read_json

log = logging.getLogger(__name__)

_MOST_BYTES = 32 * 2**10


class ProbedFile(KeptFile):
    """Probe results of one model, identified by its contents.

    Other weights or another version of the computing code count as another model. Only the results
    for sharing steps are kept, since these need no change of the model.

    Args:
        folder: directory of the files.
        wide: see `loader.load`.
    """

    SUFFIX = ".json"
    MAX_FILES = 64

    def __init__(self, folder: Path, backend: Backend, examined: CheckedModel, wide: bool) -> None:
        library = kernels.load()
        facts = {
            "contents": examined.contents,
            "wide": str(wide),
            "code": own_code("model", "cache"),
            **versions("mlx-lm", "mlx-vlm"),
            "kernels": library.name if library is not None else "",
            **_machine(backend),
        }
        super().__init__(folder, facts)

    def read(self) -> SharingModes | None:
        """Read the results, or return None if there's no valid file."""
        try:
            data = read_json(self.path, _MOST_BYTES)
            if not isinstance(data, dict) or data.get("of") != self._facts:
                raise ValueError("it was made by something else")
            return _ways(data.get("results"))
        except FileNotFoundError:
            return None
        except (LookupError, OSError, TypeError, ValueError) as error:
            log.info("%s is made again: %s", self.path.name, words_of(error))
            return None

    def write(self, model: LoadedModel) -> None:
        """Write a model's results. If this fails, a later load repeats the probes."""
        if model.info.step != probe.SHARED:
            return
        ways = model.can.ways
        found = {
            "slots": model.slots is not None,
            "prefix": ways.shares_prefix,
            "mixes": ways.mixes,
            "exact": ways.exact,
        }
        self._write(json.dumps({"of": self._facts, "results": found}, indent=1).encode())


def _ways(found: Any) -> SharingModes:
    """Parse the results of a file.

    Raises:
        LookupError, TypeError, ValueError: if they are invalid.
    """
    results = [found[name] for name in ("slots", "prefix", "mixes", "exact")]
    if not all(type(can) is bool for can in results):
        raise ValueError("an entry is no result")
    return SharingModes(probe.SHARED, *results)


def _machine(backend: Backend) -> dict[str, str]:
    """Return the properties of the machine that probe results depend on."""
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
