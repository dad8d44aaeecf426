"""The spell checker of macOS, NSSpellChecker, by `pyobjc`: its dictionaries and learned words."""

from __future__ import annotations

from typing import Any

from app.spelling.system import MOST_SUGGESTIONS

NOT_FOUND = 2**63 - 1
"""NSNotFound: where a range is that there is none of."""


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
