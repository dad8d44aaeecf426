"""Chats that go on from one beginning: the measurement runs and compares what it says."""

from __future__ import annotations

from engine.bench import beginning
from engine.bench.beginning import BATCH, COPIES, ONE, SHARED
from engine.cache import shared_prefix


def test_each_way_is_measured_and_only_one_holds_the_beginning_once() -> None:
    said: list[str] = []
    usual = shared_prefix.MIN_TOKENS
    found = beginning.run("random:tiny", 2000, 3, 4, 1, said.append)
    assert list(found) == [ONE, SHARED, COPIES, BATCH]
    assert all(play["first"] > 0 and play["rate"] > 0 for play in found.values())
    assert found[ONE]["of_one"] < found[SHARED]["of_one"] < 1.6
    assert {play["anew"] for play in found.values()} == {found[ONE]["anew"]}
    assert found[ONE]["anew"] < 100
    assert found[COPIES]["of_one"] > 3.5
    assert found[BATCH]["of_one"] > 3.5
    assert sum(SHARED in line for line in said) == 1
    assert usual == shared_prefix.MIN_TOKENS
