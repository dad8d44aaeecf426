"""Kills during random use of the queue, and tests of the checker."""

from __future__ import annotations

import pytest

from tests.torture.queue import Referee, Said, measure

LINES = [
    ["act", "first", "m1 one", [], []],
    ["done", True],
    ["act", "enter", "m2 two", ["m1"], []],
    ["done", True],
    ["act", "enter", "m3 three", ["m1"], ["m2"]],
    ["done", True],
    ["act", "steer", "m4 four", ["m1"], ["m2", "m3"]],
    ["done", True],
    ["act", "edited", "m3 three e1", [], []],
    ["done", True],
    ["kept"],
]
HELD = ["m2 two", "m3 three e1"]


def test_kills_send_each_message_once_in_order() -> None:
    """`python -m tests.torture queue` performs 200 actions."""
    report = measure(30, seed=7)
    assert report.faults == []
    assert report.kills > 1
    assert report.said > 3


@pytest.mark.parametrize(
    ("now", "word"),
    [
        (Said(["m1 one", "m4 four"], HELD), ""),
        (Said(["m1 one"], HELD, "m4 four"), ""),
        (Said(["m1 one", "m4 four", *HELD], []), ""),
        (Said(["m1 one", "m2 two", "m4 four"], HELD[1:]), "m4 comes after m2"),
        (Said(["m1 one", "m4 four"], HELD[::-1]), "m3 comes before m2"),
        (Said(["m1 one", "m4 four"], HELD[:1]), "m3 is lost"),
        (Said(["m1 one", "m4 four"], ["m2 two", "m3 three"]), "m3 reads"),
        (Said(["m1 one", "m4 four"], [*HELD, "m9 nine"]), "m9 is there again"),
    ],
)
def test_referee_notices_faults(now: Said, word: str) -> None:
    faults = Referee().faults(LINES, now)
    assert [word in fault for fault in faults] == ([True] if word else [])
