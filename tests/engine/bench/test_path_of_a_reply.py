"""A reply's path stays short: what is added to it is noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.engine.path_of_a_reply import crossed

FILES, FUNCTIONS = 62, 395
"""What a plain second reply crosses of `engine/` in this process. Lower them with the path."""


def test_a_plain_second_reply_crosses_no_more_than_it_did(
    model_folder: Callable[[str], Path],
) -> None:
    # Twice: what comes with the letters of one answer, or with the moment, is not of the path.
    one, two = (
        {(file, name) for file, names in crossed(model_folder("plain")).items() for name in names}
        for _ in range(2)
    )
    found = one & two
    assert 20 < len({file for file, _ in found}) <= FILES
    assert 100 < len(found) <= FUNCTIONS
