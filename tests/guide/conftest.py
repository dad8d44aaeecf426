"""An engine with the Guide loaded, shared by the tests of a session."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Engine

GUIDE = Path(__file__).resolve().parents[2] / "resources" / "guide"
sys.path.insert(0, str(GUIDE))  # the corpus package is next to the model


@pytest.fixture(scope="session")
def guide_folder() -> Path:
    return GUIDE


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


@pytest.fixture(scope="session")
def guide(engine: Engine) -> object:
    return engine.load(str(GUIDE))
