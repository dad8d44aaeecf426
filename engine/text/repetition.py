"""Detection of replies that repeat the same words until they reach their limit.

Small models fall into such loops, most often at low temperatures. Legitimate text repeats itself,
too: rows of zeros, equal rows of a table or of JSON, the refrain of a song. So the detector only
counts exact repetition of prose outside of code, and nothing that the user has asked for in the
same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

REPEATS = 4
"""Consecutive occurrences of a block of tokens."""
MIN_TOKENS = 128
"""Minimum length of the repetition in tokens, so that a short refrain may occur often."""
MAX_PERIOD = 256
"""Maximum length of a block in tokens."""
CHECK_INTERVAL = 32
"""Generated tokens between two checks. A check compares at most `MAX_PERIOD` pairs of tokens, which
is less than ten comparisons per token."""

# Not found in prose: brackets, columns, assignments, calls, indented lines, CSV.
_STRUCTURE = re.compile(r"[{}\[\]<>|=\\;\t]|\w\(|\n {2,}|,[^\s\d]")
_WORD = re.compile(r"[^\W\d_]+")
_MIN_LETTERS = 0.6  # minimum share of letters in prose, apart from blanks


def period_of(tokens: Sequence[int]) -> int:
    """Return the length of the shortest block that the tokens end with `REPEATS` times or more.

    Return 0 without a repetition, or if it is shorter than `MIN_TOKENS`.
    """
    for period in range(1, MAX_PERIOD + 1):
        span = max(MIN_TOKENS, REPEATS * period)
        if span > len(tokens):
            return 0
        if tokens[-1] != tokens[-1 - period]:
            continue
        if tokens[-span:-period] == tokens[period - span :]:
            return period
    return 0


def is_prose(block: str) -> bool:
    """Return True if the text consists of words instead of code, a table or numbers."""
    solid = sum(not character.isspace() for character in block)
    letters = sum(map(len, _WORD.findall(block)))
    return letters >= max(1, _MIN_LETTERS * solid) and _STRUCTURE.search(block) is None


def is_asked_for(block: str, question: str) -> bool:
    """Return True if the question has every word of the block: "Write 'I am late' 100 times"."""
    return _words(block) <= _words(question)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


class RepetitionDetector:
    """Detector of repetition in the tokens of one reply.

    Args:
        decode: returns the text of tokens.
        question: the user's message.
    """

    def __init__(self, decode: Callable[[list[int]], str], question: str) -> None:
        self._decode = decode
        self._question = question

    def repeated(self, tokens: list[int], begin: int, answer: str) -> int:
        """Return how many tokens at the end are repetition, 0 if that is fine.

        Args:
            tokens: of the prompt and the reply; the detector reads the newest only.
            begin: where the reply begins among them.
            answer: the text of the reply so far.
        """
        if (len(tokens) - begin) % CHECK_INTERVAL:
            return 0
        newest = tokens[max(begin, len(tokens) - max(MIN_TOKENS, REPEATS * MAX_PERIOD)) :]
        period = period_of(newest)
        if not period or answer.count("```") % 2:
            return 0
        block = self._decode(newest[-2 * period :])  # twice: it may begin anywhere in a line
        if not is_prose(block) or is_asked_for(block, self._question):
            return 0
        return max(MIN_TOKENS, REPEATS * period)
