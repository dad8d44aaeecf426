"""Products on all cores, as in the program (tests/conftest.py has one thread do them)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from engine.model import backend


@pytest.fixture(autouse=True, scope="module")
def all_cores() -> Iterator[None]:
    if (library := backend._openblas) is None:
        yield
        return
    before = library.openblas_get_num_threads()
    library.openblas_set_num_threads(os.cpu_count())
    yield
    library.openblas_set_num_threads(before)
