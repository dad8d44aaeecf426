"""What the palette can find, and how: many entries in short turns, so that typing never waits."""

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
    """What an entry is. Of equally good ones a smaller kind stands first."""

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


class Entry(Struct, frozen=True):
    """One row."""

    kind: EntryKind
    key: str  # names it from start to start
    text: str  # what is looked through first, and shown
    choose: Callable[[], object]  # what choosing it does
    beside: str = ""  # shown muted behind it, and looked through too: a menu, a section, a folder
    keys: str = ""  # its shortcut as this system writes it
    why_not: str = ""  # why it cannot be chosen, as it was asked at first; "" if it can
    # what choosing it with Ctrl does; the same where there is nothing else
    choose_beside: Callable[[], object] | None = None
    english: str = ""  # the text in English, looked through too: manuals and habits name it so
    also: str = ""  # what else it is called, looked through like ``beside`` and not shown
    ask_again: Callable[[], str] | None = None  # says it anew; None where nothing changes in this

    @property
    def refused(self) -> str:
        """Why it cannot be chosen now, "" if it can.

        What could be chosen at first is not asked again: a command may have meant what had the
        focus then, and it asks by itself when it is done.
        """
        return self.ask_again() if self.why_not and self.ask_again is not None else self.why_not

    @property
    def spoken(self) -> str:
        """The row for a screen reader."""
        parts = [self.text, tr(NAMES[self.kind]), self.beside, self.keys]
        if refused := self.refused:
            parts.append(tr("Not possible now: {why}", why=refused))
        return ", ".join(filter(None, parts))


WORST = 4  # the last of the grades of a `Fit`


def folded(text: str) -> str:
    """The text without case and accents, for comparing."""
    text = text.casefold()
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c))


class Fit(Struct, frozen=True, order=True):
    """How a text fits; the smaller the better."""

    # 0 begins with what was typed, 1 has its words at the beginnings of words, 2 has its words, 3
    # has them in what stands beside the text, 4 has its letters in this order
    grade: int
    # characters between the first and the last of those letters, 0 for other grades
    spread: int = 0


class Wanted:
    """What was typed, prepared once for many texts."""

    LOOSEST = 2
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


class Finder(QObject):
    """Looks through entries, which are taken from their source only as they are looked at."""

    SHOWN = 60
    TURN_S = 0.004  # of each turn of the event loop a search takes this long: a quarter of a frame
    CHUNK = 200

    found = Signal()  # `best` has changed, or the search is complete

    def __init__(
        self, source: Iterable[Entry], recent: Mapping[str, int], parent: QObject | None = None
    ) -> None:
        """``recent``: by an entry's key how long ago it was chosen, 0 for the latest."""
        super().__init__(parent)
        self._source: Iterator[Entry] = iter(source)
        self._entries: list[tuple[Entry, tuple[str, ...], str]] = []
        self._recent = recent
        self._wanted = Wanted("")
        self._at = 0
        self._hits: list[tuple[tuple[int, ...], Entry]] = []
        self._more = QTimer(self, interval=0)
        self._more.timeout.connect(self._turn)

    @property
    def complete(self) -> bool:
        """Whether everything was looked through."""
        return not self._more.isActive()

    def look_for(self, typed: str) -> None:
        """Begin anew. The first part is looked through at once."""
        self._wanted = Wanted(typed)
        self._at = 0
        self._hits = []
        self._more.start()
        self._turn()

    def finish(self) -> None:
        """Look through the rest now."""
        while not self.complete:
            self._turn()

    def end(self) -> None:
        self._more.stop()

    @property
    def lately(self) -> int:
        """How many of `best` were chosen before; they come first where nothing is looked for."""
        return sum(entry.key in self._recent for entry in self.best())

    def best(self) -> list[Entry]:
        """The best of what was found so far, the best first."""
        return [entry for _, entry in self._hits[: self.SHOWN]]

    @Slot()
    def _turn(self) -> None:
        until = time.perf_counter() + self.TURN_S
        while self._look_at_some():
            if time.perf_counter() > until:
                break
        else:
            self._more.stop()
        self._hits.sort(key=lambda hit: hit[0])
        del self._hits[self.SHOWN :]
        self.found.emit()

    def _look_at_some(self) -> bool:
        """Look at the next few entries; False if there are no more."""
        end = self._at + self.CHUNK
        while len(self._entries) < end:
            entry = next(self._source, None)
            if entry is None:
                break
            names = tuple(folded(text) for text in (entry.text, entry.english) if text)
            self._entries.append((entry, names, folded(f"{entry.beside} {entry.also}")))
        part = self._entries[self._at : end]
        for place, (entry, texts, beside) in enumerate(part, self._at):
            fits = [fit for text in texts if (fit := self._wanted.fit(text, beside)) is not None]
            if fits:
                fit = min(fits)
                ago = self._recent.get(entry.key, len(self._recent))
                order = (fit.grade, fit.spread, ago, int(entry.kind), place)
                self._hits.append((order if self._wanted.typed else (ago, place), entry))
        self._at += len(part)
        return len(part) == self.CHUNK
