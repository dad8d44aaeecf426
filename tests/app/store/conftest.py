"""Stores in temporary folders. They must not leave a thread."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.store import Store
from app.store.migrations import STEPS


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chats.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with Store.open(file) as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    """Replace the window's check, which collects the whole heap, as there is no Qt here."""
    yield
    assert [t for t in threading.enumerate() if t.name == "store-writer"] == []


def make_version_3(file: Path, draft: str = "") -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for step in STEPS[:3]:
            step(db)
        db.execute("PRAGMA user_version = 3")
        db.execute(
            "INSERT INTO chats (id, title, model, system, params, draft, created_at, updated_at) "
            "VALUES ('c', 'Old title', '', '', '{}', ?, 1, 1)",
            (draft,),
        )
