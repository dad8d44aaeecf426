"""What all tests share. OpenBLAS goes in before anything imports MLX, as in the program."""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.model import backend
from engine.runtime import pressure

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
