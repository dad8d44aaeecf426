"""An application for everything that makes a document."""

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
    """The window's check, once per file: hundreds of samples, each collecting all of the heap."""
    threads = set(threading.enumerate())
    yield
    gc.collect()
    assert set(threading.enumerate()) == threads
    assert [o for o in gc.get_objects() if type(o) is QTimer and o.isActive()] == []
