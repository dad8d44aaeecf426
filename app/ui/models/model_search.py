"""Search on the hub, suggestions for this machine, and results.

`search` queries the hub once. Results are then looked up one by one for their exact size, context
and memory estimate, until the hub refuses a request.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QWidget

from app import flows
from app.models.downloads import Downloads, to_engine_error
from app.models.suggestions import Suggestion, find_installed, machine_memory, suggestions_for
from app.settings import keychain
from app.settings.language import counted, number, tr
from app.ui.style.figures import bytes_line, context_line
from app.ui.widgets.two_lines import BELOW, MARK, TwoLineList
from engine import EngineError, hub
from engine.errors import GATED, INVALID_REQUEST, NOT_A_MODEL, NOT_FOUND
from engine.hub import Fit, HubModel, HubSearchResult

_MAX_QUERY_CHARACTERS = 100


class SearchField(QLineEdit):
    down_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText(tr("Search Hugging Face, or paste a model name or link"))
        self.setAccessibleName(tr("Model"))

    @property
    def name(self) -> str:
        from huggingface_hub import constants

        text = self.text()
        return text if hub.parse(text, constants.HF_URL_HOSTS) is not None else ""

    @property
    def query(self) -> str:
        text = hub.clean_name(self.text(), _MAX_QUERY_CHARACTERS)
        return "" if "://" in text else text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.down_pressed.emit()
        else:
            super().keyPressEvent(event)


class ModelEntry(Struct, frozen=True):
    """Row of the list, with texts that are safe to display."""

    ref: str  # repository on the hub
    name: str
    about: str
    mark: str = ""  # verdict on the right, such as "Fits"
    color: str = "muted"  # theme token for ``mark``


class FoundList(TwoLineList):
    selection_changed = Signal(str)  # (ref), or ("") for none
    focus_left = Signal()  # Up was pressed in the first row

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Models"), parent, elide=Qt.TextElideMode.ElideMiddle)
        self.entries: list[ModelEntry] = []
        self.currentRowChanged.connect(lambda: self.selection_changed.emit(self.ref))

    @property
    def ref(self) -> str:
        return self.entries[self.currentRow()].ref if self.currentRow() >= 0 else ""

    def show_entries(self, entries: list[ModelEntry]) -> None:
        self.clear()
        self.entries = entries
        for entry in entries:
            self.addItem(_fill_item(QListWidgetItem(), entry))
        self.scrollToTop()

    @Slot(object)
    def replace(self, entry: ModelEntry) -> None:
        for row, old in enumerate(self.entries):
            if old.ref == entry.ref:
                self.entries[row] = entry
                _fill_item(self.item(row), entry)

    @Slot()
    def focus_list(self) -> None:
        if self.entries:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.choose(max(0, self.currentRow()))

    def choose(self, row: int) -> None:
        if 0 <= row < len(self.entries):
            self.setCurrentRow(row)

    def choose_none(self) -> None:
        self.setCurrentIndex(QModelIndex())
        self.clearSelection()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up and self.currentRow() <= 0:
            self.focus_left.emit()
            return
        super().keyPressEvent(event)


def _fill_item(item: QListWidgetItem, entry: ModelEntry) -> QListWidgetItem:
    spoken = ", ".join(filter(None, (entry.name, entry.mark, entry.about)))
    for role, value in (
        (Qt.ItemDataRole.DisplayRole, entry.name),
        (BELOW, entry.about),
        (MARK, (entry.mark, entry.color)),
        (Qt.ItemDataRole.ToolTipRole, entry.ref),
        (Qt.ItemDataRole.AccessibleTextRole, spoken),
    ):
        item.setData(role, value)
    return item


_MAX_NAME_CHARACTERS = 60
_MAX_CPU_BYTES = 2 * 10**9
"""Size above which models are slow without a GPU. Each token reads the weights: on two cores, the
98 MB of SmolLM2 take 19 ms, so 2 GB would take 0.4 s.
"""
_MIN_CHAT_SHARE = 1 / 16  # minimum share of memory left for a chat next to a suggested model


def fit_sentence(fit: Fit) -> str:
    """Return, e.g., "Fits: 4.0 GB weights + 2.1 GB for 2 chats of 8,192 tokens …"."""
    caches, total = bytes_line(fit.caches), bytes_line(fit.total)
    if not fit.exact:
        caches, total = tr("about {size}", size=caches), tr("about {size}", size=total)
    words = tr(
        "{verdict}. Needs {total} of the {free} that models can use: {weights} for weights, "
        "{caches} for {chats} of {tokens}, and {working} of working memory.",
        verdict=verdict(fit.verdict)[0],
        weights=bytes_line(fit.weights),
        caches=caches,
        chats=chats_line(fit.chats),
        tokens=tokens_line(fit.context),
        working=bytes_line(fit.working),
        total=total,
        free=bytes_line(fit.free),
    )
    return f"{words} {_advice(fit)}" if fit.verdict == "no" else words


def _advice(fit: Fit) -> str:
    for offer in fit.offers:
        if offer.what == "context":
            return counted(
                "Chats of %Ln token would fit.", "Chats of %Ln tokens would fit.", offer.value
            )
        if offer.what == "kv_bits":
            return counted(
                "It would fit with the KV cache at %n bit.",
                "It would fit with the KV cache at %n bits.",
                offer.value,
            )
        if offer.what == "chats":
            return tr("One chat would fit.")
    return tr("Choose a smaller model, or one with fewer bits.")


def verdict(fits: str, *, slow: bool = False) -> tuple[str, str]:
    """Return label and color for the engine's verdict: "yes", "tight" or "no"."""
    return {
        "yes": (tr("Fits, slow"), "text") if slow else (tr("Fits"), "success"),
        "tight": (tr("Tight", "the memory"), "text"),
        "no": (tr("Too large"), "danger"),
    }[fits]


def tokens_line(count: int) -> str:
    return counted("%Ln token", "%Ln tokens", count)


def chats_line(count: int) -> str:
    return counted("%n chat", "%n chats", count)


def has_room(model: Suggestion, room: int) -> bool:
    """Return True if a suggested model and a chat probably fit. The exact size needs a lookup."""
    return model.size + room * _MIN_CHAT_SHARE <= room


def room_sentence(model: Suggestion, room: int) -> str:
    """Return a sentence that says if a suggested model fits, or "" if ``room`` is unknown (0)."""
    if not room:
        return ""
    return tr(
        "{verdict}. Needs {weights} of the {room} that models can use, plus some memory for each "
        "chat.",
        verdict=verdict("yes" if has_room(model, room) else "no")[0],
        weights=bytes_line(model.size),
        room=bytes_line(room),
    )


def count_line(count: int) -> str:
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f}K"
    millions = number(count / 1e6, 1)
    return f"{millions}M"


def _context_text(tokens: int) -> str:
    return tr("{tokens} context", tokens=context_line(tokens)) if tokens else ""


def name_without_owner(ref: str) -> str:
    return hub.clean_name(ref.rpartition("/")[2], _MAX_NAME_CHARACTERS)


def owner_text(ref: str) -> str:
    """Return "by OWNER", except for mlx-community, which owns most of these models."""
    owner = ref.partition("/")[0]
    if owner == "mlx-community":
        return ""
    return tr("by {owner}", owner=hub.clean_name(owner, _MAX_NAME_CHARACTERS))


def suggested_entry(model: Suggestion, mark: tuple[str, str]) -> ModelEntry:
    description = tr(model.good_at)
    if not find_installed(model.repo):  # an installed copy may have a different size
        description = f"{bytes_line(model.size)} · {description}"
    return ModelEntry(model.repo, name_without_owner(model.repo), description, *mark)


def found_entry(hit: HubSearchResult, model: HubModel | None, mark: tuple[str, str]) -> ModelEntry:
    facts = model.facts if model is not None else hit.facts
    if model is not None:
        size, context = bytes_line(model.size), _context_text(model.context)
    else:
        size = tr("about {size}", size=bytes_line(hit.size)) if hit.size else ""
        context = ""
    count = facts.downloads
    downloads = counted("{count} download", "{count} downloads", count, count=count_line(count))
    parts = (size, hit.precision, context, downloads if count > 1 else "", owner_text(hit.repo))
    description = " · ".join(part for part in parts if part)
    return ModelEntry(hit.repo, name_without_owner(hit.repo), description, *mark)


def facts_line(model: HubModel) -> str:
    facts = model.facts
    first, second = not facts.reasoning, facts.reasoning or facts.tools
    made_for = (
        tr("Reasoning") if facts.reasoning else "",
        (tr("Tools") if first else tr("tools", "after another word")) if facts.tools else "",
        (tr("images", "after another word") if second else tr("Images")) if facts.images else "",
    )
    count = facts.downloads
    downloads = counted("%Ln download last month", "%Ln downloads last month", count)
    parts = (
        owner_text(model.repo),
        _context_text(model.context),
        ", ".join(filter(None, made_for)),
        facts.licence,
        tr("updated {date}", date=facts.updated) if facts.updated else "",
        downloads if count > 1 else "",
        tr("gated") if facts.gated else "",
    )
    return " · ".join(part for part in parts if part)


TOKENS = (4096, 8192, 16_384, 32_768, 65_536, 131_072)
CHATS = (1, 2, 4, 8)


class ModelSearch(QObject):
    changed = Signal()
    details_received = Signal(object)  # (entry)
    status_changed = Signal(str, bool)  # (words, failed)

    def __init__(
        self,
        downloads: Downloads,
        memory: Callable[[], int],
        has_gpu: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """``memory`` returns the memory budget in bytes, or 0 if it isn't known yet."""
        super().__init__(parent)
        self._downloads = downloads
        self.memory_budget = memory
        self._has_gpu = has_gpu
        self._search_flow = flows.Latest(self)
        self._results: list[HubSearchResult] | None = None
        self._lookups: dict[str, HubModel | EngineError] = {}
        # assumptions of the memory estimate
        self.tokens, self.chats = 8192, 2
        machine = machine_memory()
        self.machine_gb, suggestions = suggestions_for(machine)
        self._suggested = {model.repo: model for model in suggestions}
        downloads.download_finished.connect(self.refresh)

    @property
    def entries(self) -> list[ModelEntry]:
        if self._results is None:
            return [suggested_entry(m, self._fit_label(m.repo)) for m in self._suggested.values()]
        return [self._entry(hit) for hit in self._results]

    def suggestion(self, ref: str) -> Suggestion | None:
        """Return a suggestion, or None if the list shows search results."""
        return self._suggested.get(ref) if self._results is None else None

    def lookup_result(self, ref: str) -> HubModel | EngineError | None:
        return self._lookups.get(ref)

    def show_suggestions(self) -> None:
        self.stop()
        self._results = None
        self.changed.emit()
        self.status_changed.emit(self.heading, False)

    @property
    def heading(self) -> str:
        if self._results is None:
            words = tr(
                "Recommended for this computer ({gigabytes} GB of memory)",
                gigabytes=self.machine_gb,
            )
            return words if self._suggested else ""
        if not self._results:
            return tr("No models found. Try other words.")
        return counted("%n model found", "%n models found", len(self._results))

    def search(self, words: str) -> None:
        self.stop()
        self.status_changed.emit(tr("Searching Hugging Face…"), False)
        self._search_flow.start(self._search(words))

    def stop(self) -> None:
        self._search_flow.cancel()

    def store_lookup(self, ref: str, lookup: HubModel | EngineError) -> None:
        self._lookups[ref] = lookup
        if self._results is None and ref in self._suggested:
            self.details_received.emit(suggested_entry(self._suggested[ref], self._fit_label(ref)))
        for hit in self._results or ():
            if hit.repo == ref:
                self.details_received.emit(self._entry(hit))

    def forget_refusals(self) -> None:
        """Forget failed lookups, because a new token may change the result."""
        self._lookups = {r: s for r, s in self._lookups.items() if isinstance(s, HubModel)}

    def plan(self, tokens: int, chats: int) -> None:
        self.tokens, self.chats = tokens, chats
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        for entry in self.entries:
            self.details_received.emit(entry)

    def fit(self, model: HubModel) -> Fit | None:
        budget = self.memory_budget()
        return hub.fit(model, budget, self.tokens, self.chats) if budget else None

    def is_slow(self, weights_bytes: int) -> bool:
        return weights_bytes > _MAX_CPU_BYTES and not self._has_gpu()

    async def _search(self, words: str) -> None:
        token = self._downloads.token or None
        try:
            results = await flows.run_in_thread(lambda stop: hub.search(words, token, stop))
        except Exception as problem:
            self.status_changed.emit(to_engine_error(problem).message, True)
            return
        self._results = results
        self.changed.emit()
        self.status_changed.emit(self.heading, False)
        while (ref := self._next_unknown()) is not None:
            try:
                self.store_lookup(ref, await self._look_up(ref))
            except Exception as problem:
                error = to_engine_error(problem)
                if error.code not in _MODEL_ERRORS:
                    return
                self.store_lookup(ref, error)

    def _next_unknown(self) -> str | None:
        return next((f.repo for f in self._results or () if f.repo not in self._lookups), None)

    async def _look_up(self, ref: str) -> HubModel:
        token = self._downloads.token or None
        return await flows.run_in_thread(lambda stop: hub.look_up(ref, token=token, cancelled=stop))

    def _entry(self, hit: HubSearchResult) -> ModelEntry:
        lookup = self._lookups.get(hit.repo)
        model = lookup if isinstance(lookup, HubModel) else None
        return found_entry(hit, model, self._fit_label(hit.repo, hit))

    def _fit_label(self, ref: str, hit: HubSearchResult | None = None) -> tuple[str, str]:
        lookup = self._lookups.get(ref)
        if find_installed(ref):
            return tr("Downloaded"), "muted"
        gated, cannot = (tr("Gated", "a model"), "muted"), (tr("Can’t be loaded"), "muted")
        if isinstance(lookup, EngineError):
            return gated if lookup.code == GATED else cannot
        if isinstance(lookup, HubModel) and not lookup.known:
            return cannot
        if isinstance(lookup, HubModel):
            fit = self.fit(lookup)
            slow = self.is_slow(lookup.size)
            return verdict(fit.verdict, slow=slow) if fit is not None else ("", "muted")
        if hit is not None:
            return gated if hit.facts.gated else ("", "muted")
        suggested, room = self._suggested.get(ref), self.memory_budget()
        if suggested is None or not room:
            return "", "muted"
        fits = "yes" if has_room(suggested, room) else "no"
        return verdict(fits, slow=self.is_slow(suggested.size))


_MODEL_ERRORS = frozenset({GATED, INVALID_REQUEST, NOT_A_MODEL, NOT_FOUND})
"""Errors that concern one model. Any other error stops all lookups."""


log = logging.getLogger(__name__)


class ModelLookup(QObject):
    lookup_started = Signal(str)  # (ref)
    # (model, access token or "")
    lookup_finished = Signal(object, str)
    lookup_failed = Signal(object)  # (EngineError)
    # (markdown), or ("") if the model has no card
    card_received = Signal(str)

    def __init__(
        self, downloads: Downloads, token: Callable[[], str], parent: QObject | None = None
    ) -> None:
        """``token`` returns a token that may be unverified."""
        super().__init__(parent)
        self._downloads = downloads
        self._token = token
        self._lookup_flow = flows.Latest(self)
        self._card_flow = flows.Latest(self)
        self._ref = ""
        self._delay_timer = QTimer(self, singleShot=True)
        self._delay_timer.timeout.connect(self._ask)

    @property
    def is_waiting(self) -> bool:
        return self._delay_timer.isActive()

    def start(self, ref: str, pause_ms: int = 0) -> None:
        self.forget()
        self._ref = ref
        if pause_ms:
            self._delay_timer.start(pause_ms)
        else:
            self._ask()

    def forget(self) -> None:
        self._delay_timer.stop()
        self._lookup_flow.cancel()
        self._card_flow.cancel()

    def read_card(self, model: HubModel) -> None:
        """Fetch the card of a model that was looked up. Failures are ignored."""
        self._card_flow.start(self._read_card(model, self._downloads.token or None))

    async def _read_card(self, model: HubModel, token: str | None) -> None:
        try:
            card = await flows.run_in_thread(lambda stop: hub.card(model, token, stop))
        except Exception:
            log.debug("cannot read the card of %s", model.repo, exc_info=True)
        else:
            self.card_received.emit(card)

    @Slot()
    def _ask(self) -> None:
        self._delay_timer.stop()
        ref, token = self._ref, self._token()
        self.lookup_started.emit(ref)
        self._lookup_flow.start(self._look_up(ref, token))

    async def _look_up(self, ref: str, token: str) -> None:
        def look(stop: threading.Event) -> tuple[HubModel, str]:
            return keychain.call_with_token(
                token, lambda hub_token: hub.look_up(ref, token=hub_token, cancelled=stop)
            )

        try:
            model, used = await flows.run_in_thread(look)
        except Exception as problem:
            self.lookup_failed.emit(to_engine_error(problem))
        else:
            self.lookup_finished.emit(model, used)
