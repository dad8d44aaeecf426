"""Spell check with the system's dictionaries, cached and off the GUI thread.

Only prose is checked, not code, addresses or paths.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct
from PySide6.QtCore import QLocale, QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app import flows
from app.settings.language import tr
from app.spelling import systems
from app.spelling.systems import SpellingSystem, pick_dictionary

MOST_SPAN = 2_000  # characters in a code span; a backtick further away belongs to something else

_CODE_BLOCK = re.compile(
    r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""Code block. An unclosed one extends to the end of the text."""
_CODE = re.compile(
    rf"""
    ^ (?: [ ]{{4}} | \t ) [^\n]*
  | (?<!`) (?P<ticks> `+ ) (?!`) (?: (?!\n\n) . ){{1,{MOST_SPAN}}}? (?<!`) (?P=ticks) (?!`)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
"""Indented line, or code span."""
_CHUNK = re.compile(r"\S+")
_FRINGE = "()\"'“”‘’„‚«»‹›.,;:!?¡¿…*_~—–-"
_LETTERS = r"[^\W\d_]"
_PROSE = re.compile(rf"{_LETTERS}+(?:['’‐‑–—-]+{_LETTERS}+)*")
_WORD = re.compile(rf"{_LETTERS}+(?:['’]{_LETTERS}+)*")


class Word(Struct, frozen=True):
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def words(text: str, begin: int = 0, end: int | None = None) -> Iterator[Word]:
    """Yield the words of prose in ``text[begin:end]``, extended to whole lines."""
    end = len(text) if end is None else end
    begin, line_end = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
    end = min(end + MOST_SPAN, line_end if line_end >= 0 else len(text))
    prose, near = _CODE_BLOCK.sub(_blank, text[: end + MOST_SPAN]), max(0, begin - MOST_SPAN)
    prose = prose[:near] + _CODE.sub(_blank, prose[near:])
    for chunk in _CHUNK.finditer(prose, begin, end):
        bare = chunk[0].strip(_FRINGE)
        if not bare or not _PROSE.fullmatch(bare):
            continue  # skip addresses, paths, identifiers, numbers
        start = chunk.start() + chunk[0].index(bare)
        for word in _WORD.finditer(bare):
            if _is_word(word[0]):
                yield Word(start + word.start(), word[0])


def _blank(code: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", code[0])


def script(word: str) -> str:
    return unicodedata.name(word[0], "").partition(" ")[0]


def _is_word(text: str) -> bool:
    """Return False for abbreviations (HTTP) and identifiers (aName). Dictionaries lack them."""
    return len(text) > 1 and text[1:] == text[1:].lower()


log = logging.getLogger(__name__)

T = TypeVar("T")

AUTO = "auto"  # use the keyboard's language, or else the UI language
OFF = "off"

MOST_KEPT = 20_000  # number of words with a cached result

SLICE_S = 0.004  # time slice for checking, because some checkers need the GUI thread


class Speller(QObject):
    changed = Signal()  # words were checked, or the language changed

    def __init__(self, choice: str, parent: QObject) -> None:
        """``choice`` is `AUTO`, `OFF` or a language."""
        super().__init__(parent)
        self._choice = choice
        self.language = ""  # language of the current dictionary, or ""
        self._script = ""
        # Languages with a dictionary. Empty until the checker is opened.
        self.languages: Sequence[str] = ()
        self._system: SpellingSystem | None = None
        self.opened = False  # opening the system's checker was attempted
        self._judged: dict[str, bool] = {}
        self._passed: set[str] = set()  # words ignored until the app quits
        self._queue: dict[str, None] = {}
        self._opening = flows.Latest(self)
        self._judging = flows.Latest(self)
        self._looking = flows.Latest(self)
        QGuiApplication.inputMethod().localeChanged.connect(self._choose)

    @property
    def why_not(self) -> str:
        """Explain why spelling isn't checked, or return "" if it is or that isn't known yet."""
        if not self.opened:
            return ""
        if self._system is None:
            return tr(
                "Spell check needs enchant (libenchant-2) and a dictionary for your language. "
                "Install them, then restart Stretto."
            )
        if not self.language and self._choice != OFF:
            return tr(
                "No dictionary for your language. Install one, for example from "
                "hunspell, or choose another language."
            )
        return ""

    def choose(self, choice: str) -> None:
        if choice != self._choice:
            self._choice = choice
            self._choose()

    def open(self) -> None:
        if not self.opened and not self._opening.running:
            self._opening.start(self._open())

    def misspelled(self, words: Iterable[str]) -> set[str]:
        """Return the words known to be misspelled.

        Other words are checked in the background, and then `changed` is emitted.
        """
        if self._choice == OFF:
            return set()
        if not self.opened:
            self.open()
        if not self.opened or not self.language:
            return set()
        misspellings: set[str] = set()
        for word in words:
            is_correct = self._judged.get(word)
            if is_correct is None and script(word) == self._script:
                self._queue[word] = None
            elif is_correct is False and word not in self._passed:
                misspellings.add(word)
        self._check_queued()
        return misspellings

    @property
    def is_checking(self) -> bool:
        return bool(self._queue) or self._opening.running

    def suggest(self, word: str, on_suggestions: Callable[[list[str]], object]) -> None:
        """Look up suggestions and pass them to ``on_suggestions``. This takes up to a second."""
        self._looking.start(self._suggest(word, on_suggestions))

    def add(self, word: str) -> None:
        self._judged[word] = True
        if self._system is not None and self.language:
            flows.start(self, self._add(self._system, self.language, _normalize_apostrophe(word)))
        self.changed.emit()

    def ignore(self, word: str) -> None:
        self._passed.add(word)
        self.changed.emit()

    async def _open(self) -> None:
        if sys.platform in systems.GUI_ONLY:
            self._on_open(_open_system())
        else:
            self._on_open(await flows.run_in_thread(lambda _: _open_system()))

    async def _suggest(self, word: str, on_suggestions: Callable[[list[str]], object]) -> None:
        system, suggestions = self._system, list[str]()
        if system is not None and self.language:
            ask = partial(system.suggestions, self.language, _normalize_apostrophe(word))
            try:
                suggestions = await _call(system, ask)
            except Exception:
                log.exception("spell checker failed to suggest")
        on_suggestions(suggestions)

    async def _add(self, system: SpellingSystem, language: str, word: str) -> None:
        try:
            await _call(system, partial(system.add, language, word))
        except Exception as error:
            self._on_failed(error)

    def _on_open(self, result: tuple[SpellingSystem | None, Sequence[str]]) -> None:
        self._system, self.languages = result
        self.opened = True
        self._choose()

    @Slot()
    def _choose(self) -> None:
        if not self.opened:
            return
        languages = self.languages
        if self._choice == AUTO:
            tags = [QGuiApplication.inputMethod().locale(), QLocale(), QLocale.system()]
            language = pick_dictionary([tag.name() for tag in tags], languages)
        else:
            language = self._choice if self._choice in languages else ""
        if language != self.language:
            self.language = language
            script_name = QLocale.scriptToString(QLocale(language).script())
            self._script = script_name.partition(" ")[0].upper()
            self._judged.clear()
            self._queue.clear()
            self._judging.cancel()
        self.changed.emit()

    def _check_queued(self) -> None:
        if self._system is not None and self._queue and not self._judging.running:
            self._judging.start(self._check_words(self._system))

    async def _check_words(self, system: SpellingSystem) -> None:
        while self._queue:
            work = partial(_check_slice, system, self.language, list(self._queue))
            try:
                self._add_results(await _call(system, work))
            except Exception as error:
                self._on_failed(error)
            await asyncio.sleep(0)  # handle other events if the checker is on the GUI thread

    def _add_results(self, judged: dict[str, bool]) -> None:
        if len(self._judged) > MOST_KEPT:
            self._judged.clear()
        self._judged.update(judged)
        for word in judged:
            self._queue.pop(word, None)
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        """Turn spell checking off, because the external library failed."""
        log.warning("spell checker failed, turned off: %s", error)
        self._system, self.languages = None, ()
        self._queue.clear()
        self._choose()


def _open_system() -> tuple[SpellingSystem | None, Sequence[str]]:
    system = systems.open_system()
    return system, system.languages() if system is not None else ()


async def _call(system: SpellingSystem, work: Callable[[], T]) -> T:
    """Use the spell checker in a worker thread if possible, otherwise on the GUI thread."""
    return work() if system.gui_only else await flows.run_in_thread(lambda _: work())


def _check_slice(system: SpellingSystem, language: str, words: Iterable[str]) -> dict[str, bool]:
    """Check words until the time slice is over."""
    until, judged = time.monotonic() + SLICE_S, dict[str, bool]()
    for word in words:
        judged[word] = system.is_known(language, _normalize_apostrophe(word))
        if time.monotonic() > until:
            break
    return judged


def _normalize_apostrophe(word: str) -> str:
    """Replace the typographic apostrophe with a straight one, as used in dictionaries."""
    return word.replace("’", "'")
