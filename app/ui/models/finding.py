"""What stands in the list of Get Model: this machine's models, or those that a search has found.

The hub is asked by `search` alone; after that each result is looked at, one after the other, so
that its size, its context and whether it fits are exact. A hub that has had enough is left alone.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app import flows
from app.download import fault
from app.downloads import Downloads
from app.language import counted, tr
from app.suggestions import Suggestion, for_machine, machine_memory
from app.ui.models.fit_words import found_entry, has_room, suggested_entry, verdict
from app.ui.models.found_list import ModelEntry
from engine import EngineError, hub
from engine.errors import GATED, INVALID_REQUEST, NOT_A_MODEL, NOT_FOUND
from engine.hub import Fit, Found, HubModel

TOKENS = (4096, 8192, 16_384, 32_768, 65_536, 131_072)
CHATS = (1, 2, 4, 8)


class Finding(QObject):
    """The models that are offered, and what is known of each.

    Attributes:
        tokens, chats: what it is reckoned for whether a model fits.

    Signals:
        changed(): `entries` are others.
        told(entry): more is known of one of them.
        said(words, failed): the heading of the list is another.
    """

    changed = Signal()
    told = Signal(object)
    said = Signal(str, bool)

    def __init__(
        self, downloads: Downloads, memory: Callable[[], int], parent: QObject | None = None
    ) -> None:
        """``memory`` tells how many bytes models and chats may take, 0 while that is not known."""
        super().__init__(parent)
        self._downloads = downloads
        self._memory = memory
        self._searching = flows.Latest(self)
        self._results: list[Found] | None = None
        self._looked: dict[str, HubModel | EngineError] = {}
        self.tokens, self.chats = 8192, 2
        machine = machine_memory()
        self.machine_gb, found = for_machine(machine)
        self._suggested = {model.repo: model for model in found}
        downloads.finished.connect(self._on_finished)

    @property
    def entries(self) -> list[ModelEntry]:
        """The rows, in order."""
        if self._results is None:
            return [suggested_entry(m, self._mark(m.repo)) for m in self._suggested.values()]
        return [self._entry(found) for found in self._results]

    def suggestion(self, ref: str) -> Suggestion | None:
        """The suggestion of this name, while suggestions are shown."""
        return self._suggested.get(ref) if self._results is None else None

    def seen(self, ref: str) -> HubModel | EngineError | None:
        """What a look at this model has told, if there was one."""
        return self._looked.get(ref)

    def suggest(self) -> None:
        """Show what suits this machine; the hub is not asked."""
        self.stop()
        self._results = None
        self.changed.emit()
        words = tr("For a machine with {gigabytes} GB of memory", gigabytes=self.machine_gb)
        self.said.emit(words if self._suggested else "", False)

    def search(self, words: str) -> None:
        """Ask the hub."""
        self.stop()
        self.said.emit(tr("The hub is being searched…"), False)
        self._searching.start(self._search(words))

    def stop(self) -> None:
        """Nobody waits for what the hub would say."""
        self._searching.cancel()

    def learn(self, ref: str, seen: HubModel | EngineError) -> None:
        """A look at a model has told this."""
        self._looked[ref] = seen
        if self._results is None and ref in self._suggested:
            self.told.emit(suggested_entry(self._suggested[ref], self._mark(ref)))
        for found in self._results or ():
            if found.repo == ref:
                self.told.emit(self._entry(found))

    def forget_refusals(self) -> None:
        """There is another token: what was refused may be given now."""
        self._looked = {r: s for r, s in self._looked.items() if isinstance(s, HubModel)}

    def plan(self, tokens: int, chats: int) -> None:
        """Reckon for so many chats of so many tokens."""
        self.tokens, self.chats = tokens, chats
        self.refresh()

    def refresh(self) -> None:
        """The memory is known now, or the plan is another."""
        for entry in self.entries:
            self.told.emit(entry)

    def fit(self, model: HubModel) -> Fit | None:
        """Whether it fits; None while nobody knows how much memory there is."""
        budget = self._memory()
        return hub.fit(model, budget, self.tokens, self.chats) if budget else None

    def room(self) -> int:
        """Bytes that models and chats may take; 0 while nobody knows."""
        return self._memory()

    @Slot(str)
    def _on_finished(self, ref: str) -> None:
        self.refresh()

    async def _search(self, words: str) -> None:
        token = self._downloads.token or None
        try:
            results = await flows.aside(lambda stop: hub.search(words, token, stop))
        except Exception as problem:
            self.said.emit(fault(problem).message, True)
            return
        self._results = results
        self.changed.emit()
        heading = counted("%n model found", "%n models found", len(results))
        if not results:
            heading = tr("Nothing was found. Try fewer or other words.")
        self.said.emit(heading, False)
        while (ref := self._next_unknown()) is not None:
            try:
                self.learn(ref, await self._look_at(ref))
            except Exception as problem:
                error = fault(problem)
                if error.code not in _OF_THE_MODEL:
                    return
                self.learn(ref, error)

    def _next_unknown(self) -> str | None:
        return next((f.repo for f in self._results or () if f.repo not in self._looked), None)

    async def _look_at(self, ref: str) -> HubModel:
        token = self._downloads.token or None
        return await flows.aside(lambda stop: hub.look_up(ref, token=token, cancelled=stop))

    def _entry(self, found: Found) -> ModelEntry:
        seen = self._looked.get(found.repo)
        model = seen if isinstance(seen, HubModel) else None
        return found_entry(found, model, self._mark(found.repo, found))

    def _mark(self, ref: str, found: Found | None = None) -> tuple[str, str]:
        seen = self._looked.get(ref)
        if hub.find(ref) is not None:
            return tr("Downloaded"), "muted"
        gated, cannot = (tr("Gated", "a model"), "muted"), (tr("Cannot be loaded"), "muted")
        if isinstance(seen, EngineError):
            return gated if seen.code == GATED else cannot
        if isinstance(seen, HubModel) and not seen.known:
            return cannot
        if isinstance(seen, HubModel):
            fit = self.fit(seen)
            return verdict(fit.verdict) if fit is not None else ("", "muted")
        if found is not None:
            return gated if found.facts.gated else ("", "muted")
        suggested, room = self._suggested.get(ref), self._memory()
        if suggested is None or not room:
            return "", "muted"
        return verdict("yes" if has_room(suggested, room) else "no")


_OF_THE_MODEL = frozenset({GATED, INVALID_REQUEST, NOT_A_MODEL, NOT_FOUND})
"""Refusals that say something of one model. After others the hub is not asked further."""
