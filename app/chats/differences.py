"""Word-level differences between two texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

MOST_WORDS = 3_000  # limit per text, because the time to compare grows quadratically

Span = tuple[int, int]
_WORD = re.compile(r"\w+|[^\w\s]")


def differences(first_text: str, second_text: str) -> tuple[list[Span], list[Span]]:
    """Return the (begin, end) spans that differ, for each text."""
    our_words, their_words = _word_spans(first_text), _word_spans(second_text)
    matcher = SequenceMatcher(
        None,
        [first_text[begin:end].casefold() for begin, end in our_words],
        [second_text[begin:end].casefold() for begin, end in their_words],
        autojunk=False,
    )
    our_spans: list[Span] = []
    their_spans: list[Span] = []
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            our_spans += _join_spans(our_words[first:last])
            their_spans += _join_spans(their_words[begin:end])
    return our_spans, their_spans


def _word_spans(text: str) -> list[Span]:
    spans = []
    for match in _WORD.finditer(text):
        spans.append(match.span())
        if len(spans) == MOST_WORDS:
            break
    return spans


def _join_spans(words: Sequence[Span]) -> list[Span]:
    return [(words[0][0], words[-1][1])] if words else []
