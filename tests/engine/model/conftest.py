"""For tests of what products give: on all cores, as in the program (tests/conftest.py)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from engine.model import backend


@pytest.fixture(scope="module")
def all_cores() -> Iterator[None]:
    if (library := backend._openblas) is None:
        yield
        return
    before = library.openblas_get_num_threads()
    told = os.environ.pop("OPENBLAS_NUM_THREADS", "")  # for the processes that they start
    library.openblas_set_num_threads(os.cpu_count())
    yield
    library.openblas_set_num_threads(before)
    os.environ.update({"OPENBLAS_NUM_THREADS": told} if told else {})
