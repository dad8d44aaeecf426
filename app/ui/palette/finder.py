"""Finds entries among many, in short turns of the GUI thread so that typing never waits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.ui.palette.entries import Entry
from app.ui.palette.matching import Wanted, folded


class Finder(QObject):
    """Looks through entries, which are taken from their source only as they are looked at.

    Signals:
        found(): `best` has changed, or the search is complete.
    """

    SHOWN = 60
    TURN_S = 0.004
    """Of each turn of the event loop a search takes this long: a quarter of a frame."""
    CHUNK = 200

    found = Signal()

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
            self._entries.append((entry, names, folded(entry.beside)))
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
