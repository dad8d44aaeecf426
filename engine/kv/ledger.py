"""Which text a session's tokens stand for. Pure Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens `a` and `b` begin with in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # slices compare at the speed of C
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Ledger:
    """A conversation's text as it was rendered and shown, and its tokens as read and generated.

    The tokens that a model generated need not be those its tokenizer would make of their text.
    A later prompt that begins with the same text gets the same tokens as far as that goes, so
    that nothing is read twice.

    Attributes:
        borders: ascending (characters, tokens) at which the two are known to be cut alike: the
            ends of the prompts and of the answers.
    """

    text: str = ""
    tokens: Sequence[int] = ()
    borders: tuple[tuple[int, int], ...] = ()

    def match(self, text: str) -> tuple[tuple[int, int], ...]:
        """The borders as far as `text` is the same."""
        for n in range(len(self.borders), 0, -1):
            if text.startswith(self.text[: self.borders[n - 1][0]]):
                return self.borders[:n]
        return ()
