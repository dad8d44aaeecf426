"""What a step costs by the length of its chats: the measurement runs and compares what it says."""

from __future__ import annotations

from engine.bench import lengths


def test_each_way_is_measured_at_both_lengths() -> None:
    said: list[str] = []
    found = lengths.run("random:tiny", [2], (16, 300), 1, said.append)
    assert [(one["chats"], one["tokens"]) for one in found] == [(2, 16), (2, 300)]
    assert all(one[way] > 0 for one in found for way in ("slots", "own", "batch", "attention"))
    assert sum("BatchGenerator" in line for line in said) == 1
