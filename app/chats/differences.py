"""Word-level diff of two texts. Pure Python, no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

MOST_WORDS = 3_000  # Limit per text, since diffing is quadratic in the number of words.

Span = tuple[int, int]
_WORD = re.compile(r"\w+|[^\w\s]")


def differences(one: str, other: str) -> tuple[list[Span], list[Span]]:
    """Compare two texts and return the (begin, end) spans that differ, for each text.

    Adjacent words are merged into one span.
    """
    mine, theirs = _word_spans(one), _word_spans(other)
    matcher = SequenceMatcher(
        None,
        [one[begin:end].casefold() for begin, end in mine],
        [other[begin:end].casefold() for begin, end in theirs],
        autojunk=False,
    )
    here: list[Span] = []
    there: list[Span] = []
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            here += _join_spans(mine[first:last])
            there += _join_spans(theirs[begin:end])
    return here, there


def _word_spans(text: str) -> list[Span]:
    found = []
    for match in _WORD.finditer(text):
        found.append(match.span())
        if len(found) == MOST_WORDS:
            break
    return found


def _join_spans(words: Sequence[Span]) -> list[Span]:
    return [(words[0][0], words[-1][1])] if words else []
