"""Setup for all tests. OpenBLAS is configured before anything imports MLX, as in the program."""

from __future__ import annotations

import gc
import os
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.model import backend
from engine.runtime import pressure
from tests import checked

# Imports leave no garbage, and collecting takes a tenth of their time.
gc.disable()
# Idle threads of OpenBLAS spin. On a busy machine, they can keep the thread that a test waits for
# from running. The tests' models are too small for several threads. Tests of matrix products use
# `all_cores` (tests/engine).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")  # and sleep after 2^16 cycles, not 2^26
backend.load_openblas()
checked.once()
# Tests compare with English texts, in any system language.
os.environ["STRETTO_LANGUAGE"] = "en"
# Ignore measurements of models that programs stored in the user's folder.
os.environ["STRETTO_NO_WAYS"] = "1"
# Tests must not see the user's models on this machine.
_models = tempfile.TemporaryDirectory(prefix="stretto-models-")
os.environ["STRETTO_MODELS"] = _models.name
# Processes of one run share what they have checked about tokenizers (checked.py).
_passed = tempfile.TemporaryDirectory(prefix="stretto-passed-")
os.environ.setdefault("STRETTO_PASSED", _passed.name)
# Ignore memory pressure by other programs on the machine.
pressure._MEMORY = Path(os.devnull)
# How fast examples are generated and run depends on the machine and isn't an error. The examples
# are the same in each run; `pytest --hypothesis-profile=searching` looks for others.
_slow = [HealthCheck.too_slow]
settings.register_profile("patient", deadline=None, derandomize=True, suppress_health_check=_slow)
settings.register_profile("searching", deadline=None, suppress_health_check=_slow)
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="module")
def no_collection() -> Iterator[None]:
    """Keep what a module creates out of garbage collection.

    For tests that parse the sources: to visit millions of nodes takes three quarters of their time.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run every nth case of tests marked `turns(n)`, or all with STRETTO_TURN=all.

    A test's first case depends on its name. Tests of one type share all cases between them, the
    same ones in each run. `python -m tests.torture turns` runs every case of each test.
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
