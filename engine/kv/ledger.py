"""The text that a session's tokens stand for. Pure Python."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


def common_prefix(a: Sequence[object], b: Sequence[object]) -> int:
    """How many tokens, or characters, `a` and `b` begin with in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # halves are compared as slices, which is faster than a loop
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Ledger:
    """A conversation's text, and its tokens as they were read and generated.

    A model may generate other tokens than its tokenizer makes of the same text. A later prompt
    that begins with the same text is given the same tokens for it, so that nothing is read twice.

    Attributes:
        text: the prompts and answers, as rendered by the template.
        tokens: the ids that stand for `text`.
        boundaries: ascending pairs (characters, tokens): so many tokens stand for so many
            characters. These are the ends of the prompts and of the answers.
    """

    text: str = ""
    tokens: Sequence[int] = ()
    boundaries: tuple[tuple[int, int], ...] = ()

    def match(self, text: str) -> tuple[tuple[int, int], ...]:
        """The boundaries up to which `text` and the ledger's text are the same."""
        alike = common_prefix(self.text, text)
        return self.boundaries[: bisect_right(self.boundaries, alike, key=lambda place: place[0])]
