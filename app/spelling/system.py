"""The spell checker of the system: what is asked of one, and which of its dictionaries to take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

MOST_SUGGESTIONS = 6


class SpellingSystem(Protocol):
    """A spell checker with dictionaries. A language is written as ``en_US`` or ``de``.

    Attributes:
        gui_only: it may be asked on the GUI thread only; the others may be asked on any thread.
    """

    gui_only: bool

    def languages(self) -> Sequence[str]:
        """Those that there are dictionaries of."""
        ...

    def knows(self, language: str, word: str) -> bool:
        """Whether the word is spelt rightly."""
        ...

    def suggestions(self, language: str, word: str) -> list[str]:
        """What may be meant, the likeliest first, `MOST_SUGGESTIONS` at most."""
        ...

    def add(self, language: str, word: str) -> None:
        """Put the word into the person's own dictionary, which other programs share."""
        ...


def best(wanted: Sequence[str], there: Sequence[str]) -> str:
    """The dictionary to take, "" for none.

    Args:
        wanted: languages, the best first. One without a dictionary of its own gets that of its
            language elsewhere, before the next is tried.
        there: the languages of the dictionaries.
    """
    for tag in (one.replace("-", "_") for one in wanted):
        if tag in there:
            return tag
        name = tag.partition("_")[0]
        plain = [one for one in there if one.replace("-", "_").partition("_")[0] == name]
        if plain:
            home = f"{name}_{HOME.get(name, name.upper())}"
            return home if home in plain else min(plain, key=lambda one: (len(one), one))
    return ""


HOME = {"en": "US"}
"""The land whose dictionary goes before others, where it is not called as the language is."""
