"""System spell checkers: Enchant on Linux, NSSpellChecker on macOS.

`pyenchant` only binds to the system's library. If that is missing, importing it fails.
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
    """Spell checker with dictionaries. Languages have the form ``en_US`` or ``de``."""

    gui_only: bool  # it may be used on the GUI thread only; others are thread-safe

    def languages(self) -> Sequence[str]:
        """Return the languages with dictionaries."""
        ...

    def knows(self, language: str, word: str) -> bool:
        """Return True if the word is spelled correctly."""
        ...

    def suggestions(self, language: str, word: str) -> list[str]:
        """Return suggestions, the likeliest first, at most `MOST_SUGGESTIONS`."""
        ...

    def add(self, language: str, word: str) -> None:
        """Add the word to the user's dictionary, which other programs share."""
        ...


def best(wanted: Sequence[str], there: Sequence[str]) -> str:
    """Return the dictionary to use, or "".

    Args:
        wanted: languages in order of preference. One without its own dictionary gets that of
            another country before the next language is tried.
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
"""Country whose dictionary is preferred, if its code differs from the language's."""


LIBRARY = "libenchant-2.so.2"


class EnchantSystem:
    """Enchant. Raises OSError or ImportError if the library is missing or too old."""

    gui_only = False

    def __init__(self) -> None:
        if "PYENCHANT_LIBRARY_PATH" not in os.environ:
            import ctypes

            # The binding searches for a library with ldconfig and gcc, for each of six names.
            ctypes.CDLL(LIBRARY)
        import enchant

        self._broker = enchant.Broker()
        self._dictionaries: dict[str, enchant.Dict] = {}
        self._lock = threading.Lock()  # a broker and its dictionaries are not thread-safe

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


NOT_FOUND = 2**63 - 1  # NSNotFound: start of an empty range


class MacSystem:
    """Spell checker of AppKit, which must be used on the main thread."""

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
        length = len(word.encode("utf-16-le")) // 2  # NSString counts UTF-16 units
        ask = self._checker.guessesForWordRange_inString_language_inSpellDocumentWithTag_
        found = ask((0, length), word, language, 0)
        return [str(one) for one in found or ()][:MOST_SUGGESTIONS]

    def add(self, language: str, word: str) -> None:
        self._checker.learnWord_(word)


log = logging.getLogger(__name__)


def enchant() -> SpellingSystem:
    """Return the spell checker of Linux. Raises ImportError or OSError if it is not installed."""

    return EnchantSystem()


def of_mac() -> SpellingSystem:
    """Return the spell checker of macOS."""

    return MacSystem()


SYSTEMS: dict[str, Callable[[], SpellingSystem]] = {"linux": enchant, "darwin": of_mac}
"""Functions that open the spell checker, by `sys.platform`."""

GUI_ONLY = ("darwin",)  # systems on which it must be opened on the GUI thread


@lru_cache(1)
def open_system() -> SpellingSystem | None:
    """Return the system's spell checker, or None.

    Takes up to a second at the first call.
    """
    opens = SYSTEMS.get(sys.platform)
    try:
        return opens() if opens is not None else None
    except Exception as error:  # an external library of any version, which is optional
        log.info("no spell checker: %s", error)
        return None
