"""Fake engines, which accept the same calls as the real engine."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from engine import Engine, Reply, Session
from tests.app import fake_engine

PAIRS = (
    (Engine, fake_engine.FakeEngine),
    (Session, fake_engine.FakeSession),
    (Reply, fake_engine.FakeReply),
)


def refused(real: type, fake: type) -> Iterator[str]:
    for name, method in inspect.getmembers(real, inspect.isfunction):
        stand_in = getattr(fake, name, None)
        if name.startswith("_") or not inspect.isfunction(stand_in):
            continue
        real_ones, takes = inspect.signature(method), inspect.signature(stand_in)
        for given in list(real_ones.parameters)[1:]:
            needed = [p for p in real_ones.parameters.values() if p.default is p.empty]
            named = {p.name: 0 for p in needed[1:]} | {given: 0}
            try:
                takes.bind(None, **named)
            except TypeError as error:
                yield f"{fake.__name__}.{name}: {error}"


@pytest.mark.parametrize(("real", "fake"), PAIRS, ids=lambda kind: kind.__name__)
def test_fakes_accept_the_engines_calls(real: type, fake: type) -> None:
    assert list(refused(real, fake)) == []


def test_missing_parameter_is_found() -> None:
    class Old:
        def load_later(self, path: str, on_progress: object = None) -> None: ...

    assert len(list(refused(Engine, Old))) == 2  # `adapter` and `draft` are missing
