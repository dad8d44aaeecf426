"""Detection of replies that keep repeating the same words.

Small models get stuck in such loops, mostly at low temperatures. Legitimate text can be
repetitive, too, e.g. rows of a table. Only prose outside code counts that repeats exactly or says
nothing new, unless the user asked for it in the same words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

REPEATS = 4
"""Number of times a block of tokens must occur in a row."""
MIN_TOKENS = 128
"""Minimum length of the whole repetition in tokens."""
MAX_PERIOD = 256
"""Maximum length of a block in tokens."""
CHECK_INTERVAL = 32
"""Number of generated tokens between checks."""
STALE_TOKENS = 256
"""Number of tokens that must bring nothing new if a loop varies."""
RUN_TOKENS = 24
"""Length of the runs of tokens to count. Shorter runs also repeat in lists of combinations, such as
all outcomes of five coin flips.
"""
MIN_STALE_WORDS = 12
"""Minimum number of different words in a varying loop. Random sequences, e.g. of coin flips, have
fewer.
"""
MAX_NEW_SHARE = 1 / 32
"""Maximum share of runs of `RUN_TOKENS` in a varying loop that occur less than `REPEATS` times."""

# Patterns that don't occur in prose: code fences, brackets, columns, assignments, calls,
# indentation, CSV.
_STRUCTURE = re.compile(r"```|[{}\[\]<>|=\\;\t]|\w\(|\n {2,}|,[\"'”’]?[^\s\d\"'”’]")
_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_INITIALS = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W\d_]+")  # e.g. "P.S.", half of it letters
_MIN_LETTERS = 0.6  # minimum share of letters in prose, ignoring whitespace


def find_period(tokens: Sequence[int]) -> int:
    """Return the length of the shortest block that occurs at least `REPEATS` times at the end.

    Returns 0 if there is no repetition of at least `MIN_TOKENS`.
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


def is_stale(tokens: Sequence[int]) -> bool:
    """Return True if almost every run of tokens at the end occurs at least `REPEATS` times."""
    if len(tokens) < STALE_TOKENS or len(set(tokens[-STALE_TOKENS:])) > STALE_TOKENS // 2:
        return False  # varied text; the rest takes 0.5 ms
    runs = list(zip(*(tokens[at:] for at in range(RUN_TOKENS)), strict=False))
    counts = Counter(runs)
    latest = runs[RUN_TOKENS - 1 - STALE_TOKENS :]
    return sum(counts[run] < REPEATS for run in latest) <= MAX_NEW_SHARE * len(latest)


def is_prose(block: str) -> bool:
    solid = sum(not character.isspace() for character in block)
    letters = sum(map(len, _WORD_OR_INITIALS.findall(block)))
    return letters >= max(1, _MIN_LETTERS * solid) and _STRUCTURE.search(block) is None


def is_asked_for(block: str, question: str) -> bool:
    """Return True if the question has every word of the block, e.g. "Write 'I am late' 100
    times". The first and the last word may be cut, so they don't count.
    """
    words = _words(block)
    return set(words[1:-1] or words) <= set(_words(question))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


class RepetitionDetector(Struct):
    _decode: Callable[[list[int]], str]
    _question: str

    def repeated_tokens(self, tokens: list[int], begin: int, answer: Callable[[], str]) -> int:
        """Return the number of repeated tokens at the end, or 0.

        Args:
            tokens: tokens of the prompt and reply. Only the newest are checked.
            answer: returns the text of the reply so far. Rarely called, because it joins all parts.
        """
        if (len(tokens) - begin) % CHECK_INTERVAL:
            return 0
        newest = tokens[max(begin, len(tokens) - max(MIN_TOKENS, REPEATS * MAX_PERIOD)) :]
        period = find_period(newest)
        if not (period or is_stale(newest)) or answer().count("```") % 2:
            return 0
        # Decode at least two blocks, because a block may start in the middle of a line or word.
        span = max(MIN_TOKENS, 2 * period) if period else STALE_TOKENS
        block = self._decode(newest[-span:])
        if not is_prose(block) or is_asked_for(block, self._question):
            return 0
        if not period and len(set(_words(block))) < MIN_STALE_WORDS:
            return 0
        return max(MIN_TOKENS, REPEATS * period) if period else STALE_TOKENS
