"""Garbage collection on the GUI thread."""

from __future__ import annotations

import gc
import weakref

import pytest

from app.program.collector import Collector


class Knot:
    """Reference cycle that only the collector can free."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def full(monkeypatch):
    collected = []
    real = gc.collect
    monkeypatch.setattr(gc, "get_count", lambda: (10_000, 10_000, 10_000))
    monkeypatch.setattr(gc, "collect", lambda g=2: collected.append(g) or real(g))
    return collected


def test_full_collection_waits_for_quiet_but_not_forever(full):
    busy = True
    collector = Collector(busy=lambda: busy)
    old = Knot()
    seen = weakref.ref(old)
    gc.collect(1)  # moves it to an older generation
    del old
    full.clear()
    collector.collect()
    assert full == [1]
    assert seen() is not None
    collector._last_full -= Collector.LONGEST_S
    collector.collect()
    assert full == [1, 2]
    assert seen() is None
    collector.collect()
    assert full == [1, 2, 1]
    busy = False
    collector.collect()
    assert full == [1, 2, 1, 2]


@pytest.mark.parametrize("automatic", [True, False])
def test_automatic_collection_is_restored_at_exit(qapp, monkeypatch, automatic):
    said = []
    monkeypatch.setattr(gc, "isenabled", lambda: automatic)
    monkeypatch.setattr(gc, "enable", lambda: said.append("on"))
    monkeypatch.setattr(gc, "disable", lambda: said.append("off"))
    collector = Collector()
    collector.start()
    collector.stop()
    assert said == ["off", "on"][: 1 + automatic]
