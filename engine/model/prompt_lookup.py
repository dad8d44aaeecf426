"""Prompt lookup decoding: drafts that are copied from the chat's own context.

If the latest tokens have occurred before (in the prompt, a tool result or the answer), the tokens
that followed them are the draft.

The method is from Saxena 2023 (prompt lookup decoding), with the longest match instead of a fixed
n-gram length.
"""

from __future__ import annotations

import numpy as np

from engine.model.loaded_model import DraftSource

MIN_MATCH = 3  # minimum length of a match in tokens

LIKELY_MATCH = 6  # matches of at least this length usually mean that text is being copied

MAX_MATCH = 16  # longer matches aren't measured

_PRIOR_ACCEPTED = (2.4, 3.4, 3.8)
"""Prior counts of accepted tokens, out of `_PRIOR_DRAFTED` tokens, by length class: short matches,
matches of at least `LIKELY_MATCH` tokens, and matches of `MAX_MATCH` tokens."""

_PRIOR_DRAFTED = 4.0


class Lookup(DraftSource):
    pass


class MatchSearch:
    """Search for earlier occurrences of an answer's latest tokens.

    Args:
        tokens: the answer's token list, including the prompt. It may only grow.
    """

    def __init__(self, tokens: list[int]) -> None:
        self._tokens = tokens
        self._ids = np.empty(0, np.int32)
        self._copied_count = 0  # number of tokens copied from `_tokens` to `_ids`
        self._next = 0  # index of the token after the earlier occurrence, or 0 without a match
        self._matched = 0  # length of the current match
        # Accepted and drafted counts by length class.
        self._accepted, self._drafted = (
            list(_PRIOR_ACCEPTED),
            [_PRIOR_DRAFTED] * len(_PRIOR_ACCEPTED),
        )

    def find(self) -> int:
        """Return the length of the longest match for the latest tokens, or 0 if it's too short."""
        new_tokens = self._tokens[self._copied_count :]
        if self._copied_count + len(new_tokens) > len(self._ids):
            larger_ids = np.empty(2 * (self._copied_count + len(new_tokens)), np.int32)
            larger_ids[: self._copied_count] = self._ids[: self._copied_count]
            self._ids = larger_ids
        self._ids[self._copied_count : self._copied_count + len(new_tokens)] = new_tokens
        for token in new_tokens:
            goes_on = self._next and self._ids[self._next] == token
            if self._next:
                self._accepted[_length_class(self._matched)] += goes_on
                self._drafted[_length_class(self._matched)] += 1
            self._next = self._next + 1 if goes_on else 0
            self._matched += 1
        self._copied_count += len(new_tokens)
        if new_tokens and not self._next:
            self._search()
        return self._matched if self._next else 0

    def draft(self, count: int) -> list[int]:
        if not self.find():
            return []
        tokens: list[int] = self._ids[
            self._next : min(self._next + count, self._copied_count)
        ].tolist()
        return tokens

    def acceptance_chances(self, count: int) -> list[float]:
        """Return the probabilities that a draft is accepted up to and including each of its tokens.

        The statistics include every token of the answer, whether or not it was drafted.
        """
        chance, chances = 1.0, list[float]()
        for offset in range(min(count, self._copied_count - self._next)):
            length = _length_class(self._matched + offset)
            chance *= self._accepted[length] / self._drafted[length]
            chances.append(chance)
        return chances

    def _search(self) -> None:
        last = self._copied_count - 1
        places, matched = np.flatnonzero(self._ids[:last] == self._ids[last]), 1
        while matched < MAX_MATCH:
            longer = places[places >= matched]
            longer = longer[self._ids[longer - matched] == self._ids[last - matched]]
            if not len(longer):
                break
            places, matched = longer, matched + 1
        has_match = len(places) > 0 and matched >= MIN_MATCH
        self._next, self._matched = (int(places[-1]) + 1, matched) if has_match else (0, 0)


def _length_class(matched: int) -> int:
    return (matched >= LIKELY_MATCH) + (matched >= MAX_MATCH)
