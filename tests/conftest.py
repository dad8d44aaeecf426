"""What all tests share. OpenBLAS goes in before anything imports MLX, as in the program."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from engine.model import backend
from engine.runtime import pressure
from engine.sandbox.confined import CheckedTokenizer, Confined, shared

backend.take_openblas()
# The texts that tests compare with are English, whatever the machine's language is.
os.environ["STRETTO_LANGUAGE"] = "en"
# What was found out of a model by another test is found out anew.
os.environ["STRETTO_NO_WAYS"] = "1"
# Models that a person has here are none of the tests' affair.
_models = tempfile.TemporaryDirectory(prefix="stretto-models-")
os.environ["STRETTO_MODELS"] = _models.name
# What else runs on the machine must not take a test's caches away.
pressure._STALLS = pressure._MEMORY = Path(os.devnull)
# How fast examples are made and run is the machine's affair, and no fault of what is tested. They
# are the same in each run; `pytest --hypothesis-profile=searching` looks for others.
_slow = [HealthCheck.too_slow]
settings.register_profile("patient", deadline=None, derandomize=True, suppress_health_check=_slow)
settings.register_profile("searching", deadline=None, suppress_health_check=_slow)
settings.load_profile("patient")

_check, _passed = Confined.check_tokenizer, dict[str, CheckedTokenizer]()
_others = os.environ.get("STRETTO_PASSED", "")  # the folder of all groups


def _check_once(
    self: Confined,
    folder: Path,
    name: str,
    rows: int | None,
    eos: Iterable[int] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> CheckedTokenizer:
    """A tokenizer that has passed in the engines' own children, in whatever folder, passes again.

    Each check takes a process that imports transformers, more than a second of it; the folders of
    tests are new, and most of their tokenizers are one. Children of a test's own check every time.
    What has passed is also there for the processes of the other groups (`tests/halves.py`).
    """
    if self is not shared.made:
        return _check(self, folder, name, rows, eos, defaults)
    eos = eos and list(eos)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    about = (rows, eos, defaults, config.get("model_type"), config.get("auto_map"))
    digest = hashlib.sha256(repr(about).encode())
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "config.json" and file.suffix != ".safetensors":
            digest.update(f"{file.relative_to(folder)} {file.stat().st_size}\n".encode())
            digest.update(file.read_bytes())
    key = digest.hexdigest()
    if key not in _passed:
        _passed[key] = _of_another(key) or _check(self, folder, name, rows, eos, defaults)
        _for_others(key)
    return replace(_passed[key], folder=str(folder))


def _of_another(key: str) -> CheckedTokenizer | None:
    """What another group's process has checked, where `tests/halves.py` runs several."""
    file = Path(_others, key)
    return pickle.loads(file.read_bytes()) if _others and file.exists() else None


def _for_others(key: str) -> None:
    if _others:
        part = Path(_others, uuid.uuid4().hex)
        part.write_bytes(pickle.dumps(_passed[key]))
        part.replace(Path(_others, key))


Confined.check_tokenizer = _check_once  # type: ignore[method-assign]

TURN = os.environ.get("STRETTO_TURN") or str(time.gmtime().tm_yday)
"""Which of the cases that take turns are played: those of a day, or ``all``."""


def pytest_report_header() -> str:
    return f"cases that take turns: STRETTO_TURN={TURN}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test that is marked `turns(n)`, every nth case; another day has the next.

    Which case has which day does not hang on what else is run. `python -m tests.torture turns`
    plays all of them.
    """
    if TURN == "all":
        return
    later = []
    for item in items:
        mark = item.get_closest_marker("turns")
        if mark and (zlib.crc32(item.name.encode()) + int(TURN)) % mark.args[0]:
            later.append(item)
    if later:
        config.hook.pytest_deselected(items=later)
        left = set(later)
        items[:] = [item for item in items if item not in left]
