"""Fixtures for the scripts of `packaging/`, which is not a package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    monkeypatch.syspath_prepend(str(PACKAGING))
    yield importlib.import_module
    for file in PACKAGING.glob("*.py"):
        sys.modules.pop(file.stem, None)
