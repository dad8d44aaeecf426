from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.models.downloads import Downloads, DownloadState, ref_of
from app.models.suggestions import Suggestion, find_installed
from app.settings.language import mark, tr
from app.ui.models.download_list import DownloadList
from app.ui.models.found_model import DOWNLOAD, OPEN, TRY_AGAIN, FoundModel, GoButton
from app.ui.models.model_search import FoundList, ModelLookup, ModelSearch, SearchField
from app.ui.models.token_field import TokenField
from app.ui.style.theme import scale_height, scaled
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, nest
from app.ui.widgets.sheet import Sheet
from engine import EngineError
from engine.errors import GATED
from engine.hub import HubModel

SIZE, MOST = (880, 640), (1240, 780)
"""Size at 100% text size and maximum size, in pixels. The maximum fits on small screens."""


def tab_order(*widgets: QWidget) -> None:
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)


def _row(first: QWidget, *widgets: QWidget) -> QHBoxLayout:
    return make_row_layout((first, 1000), SPRING, *widgets)


_PROMISE = mark("Sends only your search to Hugging Face. Downloads only model data, never code.")
_NONE = mark("Downloads continue after you close this window.")
_NO_TOKEN = mark("This model needs a Hugging Face token")
_NO_WORDS = mark("Enter part of a model’s name first")
_UNDERWAY = (DownloadState.WAITING, DownloadState.RUNNING)


class GetModelDialog(Sheet):
    """Dialog to get a model. It isn't modal, and downloads continue after it's closed."""

    chat_requested = Signal(str)  # (ref): start a chat with this model

    TYPING_MS = 600
    MOVING_MS = 150  # delay, so that holding an arrow key doesn't send a request for each row

    def __init__(
        self,
        downloads: Downloads,
        parent: QWidget,
        memory: Callable[[], int],
        has_gpu: Callable[[], bool],
    ) -> None:
        """``memory`` returns the memory budget in bytes, 0 if unknown."""
        super().__init__("get-model", tr("Get Model"), parent, spacing=8)
        self._downloads = downloads
        self._model: HubModel | None = None
        self._download_after_lookup = False
        self.finding = ModelSearch(downloads, memory, has_gpu, self)
        self.field = SearchField(self)
        self.search_button = self.button(tr("Search"), self._search)
        self.search_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # pressing Enter is enough
        self.trouble = self.make_label()
        self.retry = self.button(tr("Try Again"), self._search)
        offline = self._error_row = QWidget(self)
        retry = (self.retry, 0, Qt.AlignmentFlag.AlignTop)
        make_row_layout((self.trouble, 1), retry, of=offline, margins=(0, 0, 0, 8))
        offline.hide()
        self.heading = self.make_label()
        self.models = FoundList(self)
        self.access = TokenField(downloads, self)
        self.looking = ModelLookup(downloads, lambda: self.access.token, self)
        plan = self.finding.tokens, self.finding.chats
        self.found = FoundModel(self, *plan, self.access)
        self.token = self.access.field
        self.list = DownloadList(downloads, self)
        self.none = self.make_label(tr(_NONE))
        self.close_button = self.button(tr("Close"), self.close)
        self.ok = GoButton(self)
        column = make_column_layout(offline, self.heading, (self.models, 1), spacing=6)
        middle = make_row_layout((column, 5), (self.found, 6), spacing=24)
        self.add_rows(_row(self.field, self.search_button), self.make_label(tr(_PROMISE)))
        self.rows.addSpacing(8)
        nest(self.rows, middle, 1)
        self.add_rows(self.list)
        self.rows.addSpacing(4)
        self.add_rows(_row(self.none, self.close_button, self.ok))
        self.resize(*(min(scaled(side), limit) for side, limit in zip(SIZE, MOST, strict=True)))
        tab_order(self.field, *self.access.tab_stops, self.models, *self.found.tab_stops)
        self._connect()
        self._on_filled(len(self.list.rows))
        self._on_text()

    def _connect(self) -> None:
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._on_return)
        self.models.selection_changed.connect(self._on_chosen)
        self.models.focus_left.connect(self.field.setFocus)
        self.field.down_pressed.connect(self.models.focus_list)
        self.access.changed.connect(self._on_token)
        self.ok.clicked.connect(self._on_ok)
        self.found.plan_changed.connect(self._on_plan)
        self.found.read.clicked.connect(self._look_up_selected)
        self.list.chat_requested.connect(self._open)
        self._downloads.changed.connect(self._on_download)
        self.list.token_required.connect(self._ask_for_token)
        self.list.row_count_changed.connect(self._on_filled)
        self.finding.changed.connect(lambda: self.models.show_entries(self.finding.entries))
        self.finding.details_received.connect(self.models.replace)
        self.finding.status_changed.connect(self._on_status_changed)
        self.looking.lookup_started.connect(self._on_began)
        self.looking.lookup_finished.connect(self._on_answer)
        self.looking.lookup_failed.connect(self._on_refused)
        self.looking.card_received.connect(self.found.show_card)

    @Slot()
    def _on_text(self) -> None:
        self._cancel_lookup()
        self.models.choose_none()
        self._clear()
        self.search_button.setEnabled(bool(self.field.query))
        self.search_button.setToolTip("" if self.field.query else tr(_NO_WORDS))
        if self.field.name:
            self.looking.start(self.field.name, self.TYPING_MS)
        elif not self.field.text():
            self.finding.show_suggestions()

    @Slot()
    def _on_return(self) -> None:
        """Look up the selected model without the usual delay."""
        if self.looking.is_waiting:
            self._look_up_selected()
        elif not self.field.name:
            self._search()

    @Slot()
    def _search(self) -> None:
        if self.field.query:
            self._cancel_lookup()
            self.models.choose_none()
            self._clear()
            self.finding.search(self.field.query)

    @Slot()
    def _on_token(self) -> None:
        self._model = None
        self.looking.forget()
        self.finding.forget_refusals()
        self.ok.set_action(TRY_AGAIN)
        self.ok.set_refusal("" if self.access.token and self._selected_model() else tr(_NO_TOKEN))

    def _selected_model(self) -> str:
        return self.models.ref or self.field.name

    @Slot(str)
    def _on_chosen(self, ref: str) -> None:
        if not ref:
            return
        self._cancel_lookup()
        self._clear()
        result, suggestion = self.finding.lookup_result(ref), self.finding.suggestion(ref)
        if isinstance(result, HubModel):
            self.show_answer(result)
        elif isinstance(result, EngineError) and result.code != GATED:
            self._on_refused(result)  # unless gated: then try with the token
        elif suggestion is not None:
            self.ok.set_action(self._show_suggestion(suggestion))
            self.ok.set_refusal("")
        else:
            self.found.show_message(tr("Asking Hugging Face…"), name=ref)
            self.looking.start(ref, self.MOVING_MS)

    @Slot()
    def _look_up_selected(self) -> None:
        if self._selected_model():
            self.looking.start(self._selected_model())

    @Slot(str)
    def _on_began(self, ref: str) -> None:
        self._move_focus()
        self.ok.set_refusal(tr("Waiting for Hugging Face"))
        self.found.show_message(tr("Asking Hugging Face…"), name=self.models.ref)

    def _move_focus(self) -> None:
        """Move the focus from a button that is about to be hidden or disabled."""
        if self.ok.hasFocus() or self.found.read.hasFocus():
            selection = self.models if self.models.ref else self.field
            selection.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _on_refused(self, error: EngineError) -> None:
        """Show why a lookup failed. For a gated model, also ask for a token."""
        gated = error.code == GATED
        self._download_after_lookup = False
        self._clear(keep_token=True)
        self.access.show_field(gated, self._selected_model())
        suggestion = self.finding.suggestion(self.models.ref)
        if suggestion is not None and not gated:
            self._show_suggestion(suggestion)
            self.found.show_trouble(error.message)
        else:
            self.found.show_message(error.message, danger=not gated, name=self.models.ref)
        self.ok.set_action(TRY_AGAIN)
        self.ok.set_refusal(tr(_NO_TOKEN) if gated else "")
        busy = self.field.hasFocus() or self.models.hasFocus()
        if gated and not busy:  # don't move the focus while the user is typing
            self.token.setFocus(Qt.FocusReason.OtherFocusReason)
            self.token.selectAll()

    @Slot(object, str)
    def _on_answer(self, model: HubModel, token: str) -> None:
        self.access.on_accepted(token)
        if self.models.ref:
            self.finding.store_lookup(self.models.ref, model)
        at_once, self._download_after_lookup = self._download_after_lookup, False
        self.show_answer(model)
        if at_once and self.ok.verb == DOWNLOAD and self.ok.isEnabled():
            self._on_ok()

    def show_answer(self, model: HubModel) -> None:
        self.looking.forget()
        self._model = model
        self.access.show_field(False)
        self._show_model(model)
        self.looking.read_card(model)

    def _show_suggestion(self, model: Suggestion) -> str:
        room, slow = self.finding.memory_budget(), self.finding.is_slow(model.size)
        return self.found.show_suggestion(model, room, slow)

    def _found_model(self, model: HubModel) -> str:
        return self.found.show_model(
            model, self.finding.fit(model), self.finding.is_slow(model.size)
        )

    def _show_model(self, model: HubModel) -> None:
        verb = self._found_model(model)
        self.ok.set_action(verb or DOWNLOAD)
        download = self._downloads.get(ref_of(model))
        if download is not None and download.state in _UNDERWAY and verb == DOWNLOAD:
            self.ok.set_refusal(tr("Download of {name}", name=download.name))
        else:
            self.ok.set_refusal("" if verb else self.found.fits.text())

    def _cancel_lookup(self) -> None:
        self.looking.forget()
        self._download_after_lookup = False

    def _clear(self, *, keep_token: bool = False) -> None:
        self._model = None
        has_target = bool(self._selected_model())
        hint = tr("Choose a model or type its name")
        self.found.show_message("" if has_target else hint)
        if not keep_token:
            self.access.show_field(False)
        self.ok.set_action(DOWNLOAD)
        self.ok.set_refusal(tr("Waiting for Hugging Face") if has_target else hint)

    def show_memory(self) -> None:
        self.finding.refresh()
        suggestion = self.finding.suggestion(self.models.ref)
        if self._model is not None:
            self._found_model(self._model)
        elif suggestion is not None and self.ok.isEnabled() and self.ok.verb in {DOWNLOAD, OPEN}:
            self._show_suggestion(suggestion)

    @Slot(int, int)
    def _on_plan(self, tokens: int, chats: int) -> None:
        self.finding.plan(tokens, chats)
        self.show_memory()

    @Slot(str, bool)
    def _on_status_changed(self, words: str, failed: bool) -> None:
        """Show a search's status as the heading, or its error on a separate line."""
        (self.trouble if failed else self.heading).setText(words)
        if failed:
            self.heading.setText(self.finding.heading)
        self._error_row.setVisible(failed)

    @Slot(int)
    def _on_filled(self, rows: int) -> None:
        self.none.setVisible(not rows)
        self.list.setVisible(bool(rows))
        self.list.setFixedHeight(min(rows, 2) * scale_height(84, 2))
        buttons = (b for row in self.list.rows.values() for b in (row.act, row.cancel))
        tab_order(self.found.card, *buttons, self.close_button, self.ok)

    @Slot()
    def _on_ok(self) -> None:
        if self.ok.verb == OPEN:
            ref = ref_of(self._model) if self._model is not None else self.models.ref
            self._open(find_installed(ref) or ref)
        elif self._model is None:
            suggested = self.finding.suggestion(self.models.ref) is not None
            download = suggested and self.ok.verb == DOWNLOAD
            self._look_up_selected()
            self._download_after_lookup = download
        else:
            self._move_focus()
            self._downloads.add(self._model)
            if not self.models.ref:
                self.field.clear()

    @Slot(str)
    def _on_download(self, ref: str) -> None:
        if self._model is None or ref_of(self._model) != ref:
            return
        download = self._downloads.get(ref)
        underway = download is not None and download.state in _UNDERWAY
        if underway == self.ok.isEnabled():
            self._show_model(self._model)

    @Slot(str)
    def _open(self, ref: str) -> None:
        self.chat_requested.emit(ref)
        self.close()

    @Slot(str)
    def _ask_for_token(self, ref: str) -> None:
        self.field.setText(ref)
        self._look_up_selected()

    def reject(self) -> None:
        self._cancel_lookup()
        self.finding.stop()
        super().reject()
