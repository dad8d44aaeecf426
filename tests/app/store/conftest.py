"""Stores in temporary folders that must leave no thread behind."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.store import Store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chats.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with Store.open(file) as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    """In place of the window's check, which collects the whole heap: there is no Qt here."""
    yield
    assert [t for t in threading.enumerate() if t.name == "store-writer"] == []
