"""Prompt lookup: drafts copied from the chat's own context.

If the latest tokens occurred before, in the prompt, a tool result or the answer, the tokens that
followed them there are drafted. This needs no model and costs almost nothing without a match. It
helps when the model repeats text or code of the chat with a few changes.

The method is Saxena 2023 (prompt lookup decoding), with the longest match instead of a fixed
length.
"""

from __future__ import annotations

import logging

import numpy as np

from engine.model.loaded_model import CircuitBreaker

log = logging.getLogger(__name__)

MIN_MATCH = 3  # minimum match in tokens

LIKELY_MATCH = 6  # matches from this length on usually are copied text

MAX_MATCH = 16  # maximum match that is measured

_PRIOR_ACCEPTED = (2.4, 3.4, 3.8)
"""Prior counts of correct drafts, out of `_PRIOR_DRAFTED`, for short matches, and those of
`LIKELY_MATCH` and `MAX_MATCH` tokens."""

_PRIOR_DRAFTED = 4.0

MAX_FAULTS = 3  # passes that raised before lookup is paused


class Lookup:
    """Counters of a model's drafts by lookup.

    Attributes:
        drafted, accepted: tokens since it was selected.
        trust: counts passes that raised.
    """

    def __init__(self) -> None:
        self.drafted = self.accepted = 0
        self.breaker = CircuitBreaker(MAX_FAULTS)

    @property
    def is_enabled(self) -> bool:
        """True unless lookup is paused after failures."""
        return self.breaker.is_enabled

    def keep(self, length: int) -> None:
        """Do nothing: lookup holds no drafted tokens."""

    def drop(self) -> None:
        """Do nothing. See `keep`."""

    def fail(self, error: BaseException) -> None:
        """Count a pass that raised."""
        self.breaker.record_failure()
        log.warning("a draft by lookup failed: %s", type(error).__name__)


class MatchSearch:
    """Search for earlier occurrences of an answer's latest tokens.

    Args:
        tokens: the answer's own list of all its tokens, which only grows.
    """

    def __init__(self, tokens: list[int]) -> None:
        self._of = tokens
        self._ids = np.empty(0, np.int32)
        self._known = 0  # tokens of `_of` copied to `_ids`
        self._next = 0  # index after the earlier occurrence, or 0 without a match
        self._matched = 0  # length of the match
        # by length of the match
        self._held, self._tried = (
            list(_PRIOR_ACCEPTED),
            [_PRIOR_DRAFTED] * len(_PRIOR_ACCEPTED),
        )

    def find(self) -> int:
        """Return the length of the longest match of the latest tokens, or 0 if it is too short."""
        new = self._of[self._known :]
        if self._known + len(new) > len(self._ids):
            grown = np.empty(2 * (self._known + len(new)), np.int32)
            grown[: self._known] = self._ids[: self._known]
            self._ids = grown
        self._ids[self._known : self._known + len(new)] = new
        for token in new:
            goes_on = self._next and self._ids[self._next] == token
            if self._next:
                self._held[_length_class(self._matched)] += goes_on
                self._tried[_length_class(self._matched)] += 1
            self._next = self._next + 1 if goes_on else 0
            self._matched += 1
        self._known += len(new)
        if new and not self._next:
            self._search()
        return self._matched if self._next else 0

    def draft(self, pending: int, count: int) -> list[int]:
        """Return at most `count` tokens after the `pending` one.

        The list is empty if `pending` is not the token that followed the earlier occurrence. The
        next search then includes it.
        """
        if not self.find() or self._ids[self._next] != pending:
            return []
        found = self._ids[self._next + 1 : min(self._next + 1 + count, self._known)]
        return [int(token) for token in found]

    def chances(self, count: int) -> list[float]:
        """Return, for each token of a draft, the estimated chance that it and all before it are
        accepted.

        The estimate counts every token of the answer, drafted or not.
        """
        chance, found = 1.0, list[float]()
        for ahead in range(1, min(count, self._known - self._next - 1) + 1):
            length = _length_class(self._matched + ahead)
            chance *= self._held[length] / self._tried[length]
            found.append(chance)
        return found

    def _search(self) -> None:
        """Find the longest match, and of several the latest."""
        last = self._known - 1
        places, matched = np.flatnonzero(self._ids[:last] == self._ids[last]), 1
        while matched < MAX_MATCH:
            longer = places[places >= matched]
            longer = longer[self._ids[longer - matched] == self._ids[last - matched]]
            if not len(longer):
                break
            places, matched = longer, matched + 1
        found = len(places) > 0 and matched >= MIN_MATCH
        self._next, self._matched = (int(places[-1]) + 1, matched) if found else (0, 0)


def _length_class(matched: int) -> int:
    return (matched >= LIKELY_MATCH) + (matched >= MAX_MATCH)
