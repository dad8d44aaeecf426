"""What all tests share. OpenBLAS goes in before anything imports MLX, as in the program."""

from __future__ import annotations

import gc
import os
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.model import backend
from engine.runtime import pressure
from tests import checked

# What the imports leave is never garbage; looking for some is a tenth of their time, and of each
# full collection after them.
gc.disable()
# OpenBLAS's threads wait for each other without sleeping, on a full machine for one that does not
# run; the tests' models are too small for more than one. Tests of the products have `all_cores`
# (tests/engine).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")  # and sleep after 2^16 cycles, not 2^26
backend.take_openblas()
checked.once()
# The texts that tests compare with are English, whatever the machine's language is.
os.environ["STRETTO_LANGUAGE"] = "en"
# What programs found out of a model in a person's folder is found out anew.
os.environ["STRETTO_NO_WAYS"] = "1"
# Models that a person has here are none of the tests' affair.
_models = tempfile.TemporaryDirectory(prefix="stretto-models-")
os.environ["STRETTO_MODELS"] = _models.name
# What one of a run's processes has found out of a tokenizer is found out (checked.py).
_passed = tempfile.TemporaryDirectory(prefix="stretto-passed-")
os.environ.setdefault("STRETTO_PASSED", _passed.name)
# What else runs on the machine must not take a test's caches away.
pressure._STALLS = pressure._MEMORY = Path(os.devnull)
# How fast examples are made and run is the machine's affair, and no fault of what is tested. They
# are the same in each run; `pytest --hypothesis-profile=searching` looks for others.
_slow = [HealthCheck.too_slow]
settings.register_profile("patient", deadline=None, derandomize=True, suppress_health_check=_slow)
settings.register_profile("searching", deadline=None, suppress_health_check=_slow)
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test that is marked `turns(n)`, every nth case; with STRETTO_TURN=all, all of them.

    Which test begins with which case hangs on its name: those of one kind play all cases between
    them, and the same in each run. `python -m tests.torture turns` plays all of each.
    """
    if os.environ.get("STRETTO_TURN") == "all":
        return
    later = []
    for item in items:
        mark, case = item.get_closest_marker("turns"), getattr(item, "callspec", None)
        if mark and case:
            begin = zlib.crc32(item.nodeid.partition("[")[0].encode())
            if (begin + sum(set(case.indices.values()))) % mark.args[0]:
                later.append(item)
    if later:
        config.hook.pytest_deselected(items=later)
        left = set(later)
        items[:] = [item for item in items if item not in left]
