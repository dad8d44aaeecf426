"""Application for the tests of documents."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> QApplication:
    return qapp


@pytest.fixture(autouse=True, scope="module")
def no_leaks() -> Iterator[None]:
    """Replace the window's check with one per file. Each collects the whole heap, which is too slow
    for hundreds of samples."""
    threads = set(threading.enumerate())
    yield
    gc.collect()
    assert set(threading.enumerate()) == threads
    assert [o for o in gc.get_objects() if type(o) is QTimer and o.isActive()] == []
