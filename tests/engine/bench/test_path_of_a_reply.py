"""Size limits for the code that a reply runs through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.engine.path_of_a_reply import crossed

FILES, FUNCTIONS = 44, 262
"""Files and functions of `engine/` that a plain second reply runs through: measured, plus a
few for other processors. Lower them whenever the path gets shorter.
"""


def test_second_reply_path_is_bounded(
    model_folder: Callable[[str], Path],
) -> None:
    # Run twice and intersect, which drops functions that depend on the output or the timing.
    one, two = (
        {(file, name) for file, names in crossed(model_folder("plain")).items() for name in names}
        for _ in range(2)
    )
    found = one & two
    assert 20 < len({file for file, _ in found}) <= FILES
    assert 100 < len(found) <= FUNCTIONS
