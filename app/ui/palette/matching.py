"""How well a text fits what was typed: pure Python, no Qt."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

WORST = 4
"""The last of the grades of a `Fit`."""


def folded(text: str) -> str:
    """The text without case and accents, for comparing."""
    text = text.casefold()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c))


@dataclass(frozen=True, order=True)
class Fit:
    """How a text fits; the smaller the better.

    Attributes:
        grade: 0 begins with what was typed, 1 has its words at the beginnings of words, 2 has its
            words, 3 has them in what stands beside the text, 4 has its letters in this order.
        spread: characters between the first and the last of those letters, 0 for other grades.
    """

    grade: int
    spread: int = 0


class Wanted:
    """What was typed, prepared once for many texts."""

    LOOSEST = 3
    """The letters of grade 4 may be spread over this many times what was typed, and a few more."""

    def __init__(self, typed: str) -> None:
        self.typed = " ".join(folded(typed).split())
        self._words = self.typed.split()
        self._starts = [re.compile(rf"\b{re.escape(word)}") for word in self._words]
        letters = [re.escape(c) for c in self.typed if c != " "]
        self._letters = re.compile(r"\b" + ".*?".join(letters)) if len(letters) > 1 else None
        self._most = self.LOOSEST * len(letters) + 4

    def fit(self, text: str, beside: str = "") -> Fit | None:
        """How a text fits that `folded` was given, with what stands ``beside`` it; None: not."""
        words = self._words
        if all(word in text for word in words):
            if text.startswith(self.typed):
                return Fit(0)
            return Fit(1 if all(start.search(text) for start in self._starts) else 2)
        if beside and all(word in text or word in beside for word in words):
            return Fit(3)
        found = self._letters.search(text) if self._letters is not None else None
        if found is not None and found.end() - found.start() <= self._most:
            return Fit(WORST, found.end() - found.start())
        return None
