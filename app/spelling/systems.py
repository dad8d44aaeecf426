"""The spell checkers of systems: Enchant's dictionaries on Linux, NSSpellChecker on macOS.

`pyenchant` is a binding to the system's library and brings none. Where that is missing, importing
it fails.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

MOST_SUGGESTIONS = 6


class SpellingSystem(Protocol):
    """A spell checker with dictionaries. A language is written as ``en_US`` or ``de``."""

    gui_only: bool  # it may be asked on the GUI thread only; the others may be asked on any thread

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


LIBRARY = "libenchant-2.so.2"


class EnchantSystem:
    """Raises OSError or ImportError where the library is missing or too old."""

    gui_only = False

    def __init__(self) -> None:
        if "PYENCHANT_LIBRARY_PATH" not in os.environ:
            import ctypes

            # The binding looks for a library by running ldconfig and gcc for each of six names.
            ctypes.CDLL(LIBRARY)
        import enchant

        self._broker = enchant.Broker()
        self._dictionaries: dict[str, enchant.Dict] = {}
        self._lock = threading.Lock()  # a broker and its dictionaries serve one thread at a time

    def languages(self) -> list[str]:
        with self._lock:
            return sorted(self._broker.list_languages())

    def knows(self, language: str, word: str) -> bool:
        with self._lock:
            return bool(self._open(language).check(word))

    def suggestions(self, language: str, word: str) -> list[str]:
        with self._lock:
            return list(self._open(language).suggest(word))[:MOST_SUGGESTIONS]

    def add(self, language: str, word: str) -> None:
        with self._lock:
            self._open(language).add(word)

    def _open(self, language: str):  # type: ignore[no-untyped-def]  # the binding has no types
        if language not in self._dictionaries:
            self._dictionaries[language] = self._broker.request_dict(language)
        return self._dictionaries[language]


NOT_FOUND = 2**63 - 1  # NSNotFound: where a range is that there is none of


class MacSystem:
    """AppKit belongs to the main thread, which is the GUI's."""

    gui_only = True

    def __init__(self) -> None:
        from AppKit import NSSpellChecker

        self._checker: Any = NSSpellChecker.sharedSpellChecker()

    def languages(self) -> list[str]:
        return sorted(str(one) for one in self._checker.availableLanguages())

    def knows(self, language: str, word: str) -> bool:
        name = "checkSpellingOfString_startingAt_language_wrap_inSpellDocumentWithTag_wordCount_"
        ask = getattr(self._checker, name)
        wrong, _ = ask(word, 0, language, False, 0, None)
        return bool(wrong.length == 0 or wrong.location == NOT_FOUND)

    def suggestions(self, language: str, word: str) -> list[str]:
        length = len(word.encode("utf-16-le")) // 2  # as NSString counts
        ask = self._checker.guessesForWordRange_inString_language_inSpellDocumentWithTag_
        found = ask((0, length), word, language, 0)
        return [str(one) for one in found or ()][:MOST_SUGGESTIONS]

    def add(self, language: str, word: str) -> None:
        self._checker.learnWord_(word)


log = logging.getLogger(__name__)


def enchant() -> SpellingSystem:
    """The one of Linux. Raises ImportError or OSError where it is not installed."""

    return EnchantSystem()


def of_mac() -> SpellingSystem:
    """The one of a Mac."""

    return MacSystem()


SYSTEMS: dict[str, Callable[[], SpellingSystem]] = {"linux": enchant, "darwin": of_mac}
"""By `sys.platform`: what opens it."""

GUI_ONLY = ("darwin",)  # where already the opening belongs on the GUI thread


@lru_cache(1)
def open_system() -> SpellingSystem | None:
    """The system's spell checker; None where there is none.

    Takes up to a second, once in a process.
    """
    opens = SYSTEMS.get(sys.platform)
    try:
        return opens() if opens is not None else None
    except Exception as error:  # the library is another one's, of any version: none is no harm
        log.info("There is no spell checker: %s", error)
        return None
