"""Prompt lookup: what a chat is about to say may stand in its own context already.

Where the latest tokens stood before, in the prompt, in a tool's result or in the answer itself,
those that followed them there are drafted. No model is needed, and where nothing is found next to
nothing is spent. It helps where text or code of the chat is written again with a few changes.

The method is Saxena 2023 (prompt lookup decoding), with the longest match instead of a fixed one.
"""

from __future__ import annotations

import logging

import numpy as np

from engine.model.loaded import Trust

log = logging.getLogger(__name__)

LEAST = 3  # tokens that must have stood before

SURE = 6  # so many tell that a text is being copied

TOLD = 16  # longer matches are not told apart

_HELD = (2.4, 3.4, 3.8)
"""Of `_TRIED` matches that are short, `SURE` and `TOLD` so many go on: told before any was seen."""

_TRIED = 4.0

TOO_MANY_FAULTS = 3  # after so many passes that raised, nothing is looked up for a while


class Lookup:
    """What comes of a model's drafts by lookup.

    Attributes:
        drafted, accepted: tokens since it was chosen.
        trust: passes, as far as they raise.
    """

    def __init__(self) -> None:
        self.drafted = self.accepted = 0
        self.trust = Trust(TOO_MANY_FAULTS)

    @property
    def works(self) -> bool:
        """Whether it may be used."""
        return self.trust.works

    def keep(self, length: int) -> None:
        """Nothing of what was drafted is held."""

    def drop(self) -> None:
        """As `keep`."""

    def fail(self, error: BaseException) -> None:
        """A pass with its drafts has raised."""
        self.trust.failed()
        log.warning("a draft by lookup failed: %s", type(error).__name__)


class Places:
    """Where the latest tokens of one answer stood before.

    Args:
        tokens: the answer's own list of all its tokens, to which it only adds.
    """

    def __init__(self, tokens: list[int]) -> None:
        self._of = tokens
        self._ids = np.empty(0, np.int32)
        self._known = 0  # tokens of `_of` that are in `_ids`
        self._next = 0  # where the token stands that followed the latest ones before; 0: nowhere
        self._matched = 0  # how many of them stood before it
        self._held, self._tried = list(_HELD), [_TRIED] * len(_HELD)  # by the length of the match

    def find(self) -> int:
        """How many of the latest tokens stood somewhere before; 0 where it is too few."""
        new = self._of[self._known :]
        if self._known + len(new) > len(self._ids):
            grown = np.empty(2 * (self._known + len(new)), np.int32)
            grown[: self._known] = self._ids[: self._known]
            self._ids = grown
        self._ids[self._known : self._known + len(new)] = new
        for token in new:
            goes_on = self._next and self._ids[self._next] == token
            if self._next:
                self._held[_length(self._matched)] += goes_on
                self._tried[_length(self._matched)] += 1
            self._next = self._next + 1 if goes_on else 0
            self._matched += 1
        self._known += len(new)
        if new and not self._next:
            self._search()
        return self._matched if self._next else 0

    def draft(self, pending: int, count: int) -> list[int]:
        """At most `count` tokens after the `pending` one.

        None where it is another than stood there: then the next look is at the longer text.
        """
        if not self.find() or self._ids[self._next] != pending:
            return []
        found = self._ids[self._next + 1 : min(self._next + 1 + count, self._known)]
        return [int(token) for token in found]

    def chances(self, count: int) -> list[float]:
        """Of what `draft` would give, the chances that it holds: each token's with all before it.

        Every token of the answer tells, drafted or not, whether what was found goes on.
        """
        chance, found = 1.0, list[float]()
        for ahead in range(1, min(count, self._known - self._next - 1) + 1):
            length = _length(self._matched + ahead)
            chance *= self._held[length] / self._tried[length]
            found.append(chance)
        return found

    def _search(self) -> None:
        """Find the longest match, of those the latest."""
        last = self._known - 1
        places, matched = np.flatnonzero(self._ids[:last] == self._ids[last]), 1
        while matched < TOLD:
            longer = places[places >= matched]
            longer = longer[self._ids[longer - matched] == self._ids[last - matched]]
            if not len(longer):
                break
            places, matched = longer, matched + 1
        found = len(places) > 0 and matched >= LEAST
        self._next, self._matched = (int(places[-1]) + 1, matched) if found else (0, 0)


def _length(matched: int) -> int:
    return (matched >= SURE) + (matched >= TOLD)
