"""Enchant: the library by which Linux programs share hunspell's, aspell's and other dictionaries.

`pyenchant` is a binding to the system's library and brings none. Where that is missing, importing
it fails.
"""

from __future__ import annotations

import ctypes
import os
import threading

from app.spelling.system import MOST_SUGGESTIONS

LIBRARY = "libenchant-2.so.2"


class EnchantSystem:
    """Raises OSError or ImportError where the library is missing or too old."""

    gui_only = False

    def __init__(self) -> None:
        if "PYENCHANT_LIBRARY_PATH" not in os.environ:
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
