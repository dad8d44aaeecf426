"""The palette's search, in slices so short that they never delay typing."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.settings.language import mark, tr


class EntryKind(IntEnum):
    """Kinds of entries, in their order among equal matches."""

    COMMAND = 0
    CHAT = 1
    MODEL = 2
    SETTING = 3
    PROMPT = 4
    RESOURCE = 5


NAMES = {
    EntryKind.COMMAND: mark("Command"),
    EntryKind.CHAT: mark("Chat"),
    EntryKind.MODEL: mark("Model"),
    EntryKind.SETTING: mark("Setting"),
    EntryKind.PROMPT: mark("Prompt"),
    EntryKind.RESOURCE: mark("Resource"),
}


class PaletteEntry(Struct, frozen=True):
    kind: EntryKind
    key: str  # stays the same across restarts
    text: str  # has the highest weight in the search
    choose: Callable[[], object]
    beside: str = ""  # muted text after ``text``, e.g. menu, section or folder, also searched
    keys: str = ""  # as displayed on this system
    why_not: str = ""  # why the entry was unavailable when the palette opened, or ""
    # called instead of ``choose`` while Ctrl is pressed
    choose_beside: Callable[[], object] | None = None
    english: str = ""  # English text, also searched, because manuals use it
    also: str = ""  # synonyms, searched but not displayed
    # returns the current reason, or None if the reason can't change
    ask_again: Callable[[], str] | None = None

    @property
    def refusal(self) -> str:
        """Return why the entry can't be run now, or "".

        Only an entry that was unavailable at first is checked again. An available command may
        depend on what had focus before the palette opened, and does its own check when it runs.
        """
        return self.ask_again() if self.why_not and self.ask_again is not None else self.why_not

    @property
    def accessible_text(self) -> str:
        parts = [self.text, tr(NAMES[self.kind]), self.beside, self.keys]
        if refused := self.refusal:
            parts.append(tr("Not possible now: {why}", why=refused))
        return ", ".join(filter(None, parts))


WORST = 4  # worst grade of a `MatchQuality`


def fold_text(text: str) -> str:
    text = text.casefold()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c))


class MatchQuality(Struct, frozen=True, order=True):
    # 0: the text starts with the query. 1: its words start with the query's words. 2: it contains
    # the query's words. 3: like 2, with the secondary text. 4: it contains the letters in order.
    grade: int
    # distance between the first and last letter, for grade 4
    spread: int = 0


class PaletteQuery:
    LOOSEST = 2
    """Maximum length of a grade 4 match: the query's length times this, plus 4."""

    def __init__(self, typed: str) -> None:
        self.typed = " ".join(fold_text(typed).split())
        self._words = self.typed.split()
        self._starts = [re.compile(rf"\b{re.escape(word)}") for word in self._words]
        letters = [re.escape(c) for c in self.typed if c != " "]
        self._letters = re.compile(r"\b" + ".*?".join(letters)) if len(letters) > 1 else None
        self._max_spread = self.LOOSEST * len(letters) + 4

    def match(self, text: str, context: str = "") -> MatchQuality | None:
        """Match a text and a secondary text, both from `fold_text`. Return None if they don't
        match.
        """
        words = self._words
        if all(word in text for word in words):
            if text.startswith(self.typed):
                return MatchQuality(0)
            return MatchQuality(1 if all(start.search(text) for start in self._starts) else 2)
        if context and all(word in text or word in context for word in words):
            return MatchQuality(3)
        hit = self._letters.search(text) if self._letters is not None else None
        if hit is not None and hit.end() - hit.start() <= self._max_spread:
            return MatchQuality(WORST, hit.end() - hit.start())
        return None


class Finder(QObject):
    """Searches entries, and reads only as many from their source as needed."""

    SHOWN = 60
    TURN_S = 0.004  # time per slice, a quarter of a frame
    CHUNK = 200

    results_changed = Signal()

    def __init__(
        self,
        source: Iterable[PaletteEntry],
        recent: Mapping[str, int],
        parent: QObject | None = None,
    ) -> None:
        """``recent`` ranks entry keys, with 0 for the most recent."""
        super().__init__(parent)
        self._source: Iterator[PaletteEntry] = iter(source)
        self._entries: list[tuple[PaletteEntry, tuple[str, ...], str]] = []
        self._recent = recent
        self._query = PaletteQuery("")
        self._next_index = 0
        self._hits: list[tuple[tuple[int, ...], PaletteEntry]] = []
        self._slice_timer = QTimer(self, interval=0)
        self._slice_timer.timeout.connect(self._run_slice)

    @property
    def is_complete(self) -> bool:
        return not self._slice_timer.isActive()

    def start_search(self, typed: str) -> None:
        self._query = PaletteQuery(typed)
        self._next_index = 0
        self._hits = []
        self._slice_timer.start()
        self._run_slice()

    def finish(self) -> None:
        """Search the rest without yielding to the event loop."""
        while not self.is_complete:
            self._run_slice()

    def end(self) -> None:
        self._slice_timer.stop()

    @property
    def recent_count(self) -> int:
        return sum(entry.key in self._recent for entry in self.best_entries())

    def best_entries(self) -> list[PaletteEntry]:
        return [entry for _, entry in self._hits[: self.SHOWN]]

    @Slot()
    def _run_slice(self) -> None:
        until = time.perf_counter() + self.TURN_S
        while self._search_chunk():
            if time.perf_counter() > until:
                break
        else:
            self._slice_timer.stop()
        self._hits.sort(key=lambda hit: hit[0])
        del self._hits[self.SHOWN :]
        self.results_changed.emit()

    def _search_chunk(self) -> bool:
        end = self._next_index + self.CHUNK
        while len(self._entries) < end:
            entry = next(self._source, None)
            if entry is None:
                break
            names = tuple(fold_text(text) for text in (entry.text, entry.english) if text)
            self._entries.append((entry, names, fold_text(f"{entry.beside} {entry.also}")))
        part = self._entries[self._next_index : end]
        for index, (entry, texts, context) in enumerate(part, self._next_index):
            fits = [fit for text in texts if (fit := self._query.match(text, context)) is not None]
            if fits:
                fit = min(fits)
                ago = self._recent.get(entry.key, len(self._recent))
                order = (fit.grade, fit.spread, ago, int(entry.kind), index)
                self._hits.append((order if self._query.typed else (ago, index), entry))
        self._next_index += len(part)
        return len(part) == self.CHUNK
