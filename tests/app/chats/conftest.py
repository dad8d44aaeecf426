"""Read attached files within the tests' process. The child processes have their own tests.

Each child process takes half a second to start, and an image needs two or three.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from engine.sandbox import jobs
from engine.sandbox.child import TASKS
from engine.sandbox.process import Child
from engine.sandbox.protocol import ChildKind, TaskLimits, TaskReply


class _Here(Child):
    """Replacement for a child process (`engine.sandbox.child`), with the same errors."""

    def __init__(self, kind: ChildKind) -> None:
        assert kind is ChildKind.DOCUMENTS

    def __exit__(self, *_: object) -> None:
        pass

    def run_task(
        self,
        do: str,
        arguments: dict[str, Any],
        blobs: tuple[bytes, ...],
        limits: TaskLimits,
        stop: threading.Event | None = None,
    ) -> TaskReply:
        result, made = TASKS[do](arguments, list(blobs))
        return result, list(made)


@pytest.fixture
def in_children() -> None:
    """Read this test's files in child processes, as the program does."""


@pytest.fixture(autouse=True)
def read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "in_children" not in request.fixturenames:
        monkeypatch.setattr(jobs, "Child", _Here)
