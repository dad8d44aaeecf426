"""System spell checkers: Enchant on Linux, NSSpellChecker on macOS.

`pyenchant` is only a binding, so its import fails if the system lacks the library.
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
    """Spell checker with dictionaries. Language codes look like ``en_US`` or ``de``."""

    gui_only: bool  # only usable on the GUI thread; if False, the checker is thread-safe

    def languages(self) -> Sequence[str]: ...

    def is_known(self, language: str, word: str) -> bool: ...

    def suggestions(self, language: str, word: str) -> list[str]: ...

    def add(self, language: str, word: str) -> None: ...


def pick_dictionary(tags: Sequence[str], installed: Sequence[str]) -> str:
    """Return a dictionary, or "".

    ``tags`` are languages in order of preference. Dictionaries for other countries with the
    same language are preferred to the next language.
    """
    for tag in (name_.replace("-", "_") for name_ in tags):
        if tag in installed:
            return tag
        name = tag.partition("_")[0]
        plain = [name_ for name_ in installed if name_.replace("-", "_").partition("_")[0] == name]
        if plain:
            home = f"{name}_{HOME.get(name, name.upper())}"
            return home if home in plain else min(plain, key=lambda name_: (len(name_), name_))
    return ""


HOME = {"en": "US"}
"""Preferred country of a language, if its code differs from the language code."""


LIBRARY = "libenchant-2.so.2"


class EnchantSystem:
    """Enchant. Raises OSError or ImportError if the library is missing or too old."""

    gui_only = False

    def __init__(self) -> None:
        if "PYENCHANT_LIBRARY_PATH" not in os.environ:
            import ctypes

            # Load the library this way, because the binding runs ldconfig and gcc for six names.
            ctypes.CDLL(LIBRARY)
        import enchant

        self._broker = enchant.Broker()
        self._dictionaries: dict[str, enchant.Dict] = {}
        self._lock = threading.Lock()  # brokers and dictionaries aren't thread-safe

    def languages(self) -> list[str]:
        with self._lock:
            return sorted(self._broker.list_languages())

    def is_known(self, language: str, word: str) -> bool:
        with self._lock:
            return bool(self._open(language).check(word))

    def suggestions(self, language: str, word: str) -> list[str]:
        with self._lock:
            return list(self._open(language).suggest(word))[:MOST_SUGGESTIONS]

    def add(self, language: str, word: str) -> None:
        with self._lock:
            self._open(language).add(word)

    def _open(self, language: str):  # type: ignore[no-untyped-def]  # the binding is untyped
        if language not in self._dictionaries:
            self._dictionaries[language] = self._broker.request_dict(language)
        return self._dictionaries[language]


NOT_FOUND = 2**63 - 1  # NSNotFound: location of an empty range


class MacSystem:
    gui_only = True

    def __init__(self) -> None:
        from AppKit import NSSpellChecker

        self._checker: Any = NSSpellChecker.sharedSpellChecker()

    def languages(self) -> list[str]:
        return sorted(str(language) for language in self._checker.availableLanguages())

    def is_known(self, language: str, word: str) -> bool:
        name = "checkSpellingOfString_startingAt_language_wrap_inSpellDocumentWithTag_wordCount_"
        ask = getattr(self._checker, name)
        wrong, _ = ask(word, 0, language, False, 0, None)
        return bool(wrong.length == 0 or wrong.location == NOT_FOUND)

    def suggestions(self, language: str, word: str) -> list[str]:
        length = len(word.encode("utf-16-le")) // 2  # NSString uses UTF-16 units
        ask = self._checker.guessesForWordRange_inString_language_inSpellDocumentWithTag_
        guesses = ask((0, length), word, language, 0)
        return [str(suggestion) for suggestion in guesses or ()][:MOST_SUGGESTIONS]

    def add(self, language: str, word: str) -> None:
        self._checker.learnWord_(word)


log = logging.getLogger(__name__)


SYSTEMS: dict[str, Callable[[], SpellingSystem]] = {"linux": EnchantSystem, "darwin": MacSystem}
"""Functions to open the spell checker, by `sys.platform`."""

GUI_ONLY = ("darwin",)  # platforms where the checker has to be opened on the GUI thread


@lru_cache(1)
def open_system() -> SpellingSystem | None:
    """Return the system's spell checker, or None. The first call takes up to a second."""
    opens = SYSTEMS.get(sys.platform)
    try:
        return opens() if opens is not None else None
    except Exception as error:  # external libraries may raise anything, depending on the version
        log.info("no spell checker: %s", error)
        return None
