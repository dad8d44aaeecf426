"""Files that are attached are read within the tests' process; its children have tests of their own.

Each child takes half a second to start, and an image takes two or three of them.
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
    """Does what a child would (`engine.sandbox.child`), with the same errors and without one."""

    def __init__(self, kind: ChildKind) -> None:
        assert kind is ChildKind.DOCUMENTS

    def __exit__(self, *_: object) -> None:
        pass

    def ask(
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
    """This test's files are read as the program does it."""


@pytest.fixture(autouse=True)
def read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "in_children" not in request.fixturenames:
        monkeypatch.setattr(jobs, "Child", _Here)
