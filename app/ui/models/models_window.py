from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.models import residency
from app.models.installed import InstalledModels
from app.models.loading import LoadState
from app.models.removal import ModelRemover
from app.settings.language import mark, tr
from app.ui.models.library_foot import DraftModelChooser, LibraryFoot, ModelAdder, RemovalController
from app.ui.models.models_table import LibraryTable, LibraryView, count
from app.ui.models.remote import RemoteList
from app.ui.widgets import standard_dialogs
from app.ui.widgets.fields import make_search_field
from app.ui.widgets.layout_helpers import make_row_layout
from app.ui.widgets.sheet import Sheet
from engine.hub.inventory import InstalledModel

_NONE = mark("No models yet. Get one from Hugging Face, or add a folder of models.")
_NO_MATCH = mark("No models found")


class ModelsWindow(Sheet):
    """Window that lists installed models."""

    FIGURES_MS = 2_000

    chat_requested = Signal(str)  # (ref): start a chat with this model
    conversion_requested = Signal(object)  # (InstalledModel)
    # (ref): this model doesn't fit in memory
    too_large_found = Signal(str)

    def __init__(
        self,
        installed: InstalledModels,
        removal: ModelRemover,
        library: ChatLibrary,
        parent: QWidget,
    ) -> None:
        super().__init__("models-window", tr("Models"), parent)
        self._installed, self._removal, self._library = installed, removal, library
        self._loader = library.loader
        self._selection: tuple[Path | None, int] = (None, 0)  # folder and row of the selection
        # Creation order determines tab order.
        self.search = make_search_field(self, tr("Search models"))
        self.add = self.button(tr("Add Folder…"))
        self.add.setToolTip(tr("Add a folder that contains models"))
        self.get = self.button(tr("Get Model…"))
        self.get.setToolTip(tr("Download a model from Hugging Face"))
        self.table = LibraryTable(installed, self)
        self.view = LibraryView(self.table, self)
        self.remotes = RemoteList(library, self._show_message, self)
        self.foot = LibraryFoot(self)
        self._loading_ref = ""  # model being loaded from this window
        self.talk = RemovalController(installed, removal, self.foot)
        self.adding = ModelAdder(installed, self.foot)
        self.drafting = DraftModelChooser(installed, self.foot)
        self.empty = self.make_label()
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.add_rows(make_row_layout((self.search, 1), self.add, self.get))
        self.rows.addWidget(self.view, 1)
        self.rows.addWidget(self.empty, 1)
        self.add_rows(self.remotes, self.foot)
        self.resize(1120, 600)
        self._connect()
        self._choose_again()
        self._refresh()

    def _show_message(self, words: str, undo: Callable[[], None] | None = None) -> None:
        self.foot.show_message(words, undo)

    def _connect(self) -> None:
        self.add.clicked.connect(self.adding.choose_folder)
        self.search.textChanged.connect(self._on_search)
        self.view.row_chosen.connect(self._on_chosen)
        self.view.row_opened.connect(self.open_in_chat)
        self.view.remove_requested.connect(self.remove)
        self.view.customContextMenuRequested.connect(self._pop_menu)
        self.remotes.chat_requested.connect(self._open)
        self.foot.open.clicked.connect(self.open_in_chat)
        self.foot.load.triggered.connect(self.load_or_unload)
        self.foot.pin.triggered.connect(self.toggle_pin)
        self.foot.convert.triggered.connect(lambda: self.conversion_requested.emit(self.model))
        self.foot.reveal.triggered.connect(self.show_in_folder)
        self.foot.trash.triggered.connect(self.remove)
        self.foot.adapter.triggered.connect(lambda: self.adding.choose_adapter(self.model))
        self.foot.draft.triggered.connect(lambda: self.drafting.choose(self.model))
        self.foot.menu_requested.connect(self._open_menu)
        self.view.menu_requested.connect(self._pop_menu)
        self.talk.question_answered.connect(self._on_answered)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.search.setFocus)
        self._installed.changed.connect(self._refresh)
        self._library.activity.connect(self._show_buttons)
        self._loader.changed.connect(self._on_model)
        self._loader.load_progressed.connect(self.table.refresh)
        self.table.modelReset.connect(self._choose_again)
        self._loader.figures.stats_received.connect(self.table.show_memory)

    @property
    def model(self) -> InstalledModel | None:
        at = self.view.currentIndex().row()
        return self.table.rows[at] if 0 <= at < len(self.table.rows) else None

    def choose(self, folder: Path) -> bool:
        at = self.table.row_of(folder)
        if at >= 0:
            self.view.setCurrentIndex(self.table.index(at, 0))
        return at >= 0

    @Slot()
    def _choose_again(self) -> None:
        key, at = self._selection
        if self.table.rows and (key is None or not self.choose(key)):
            at = min(max(0, at), len(self.table.rows) - 1)
            self.view.setCurrentIndex(self.table.index(at, 0))

    @Slot()
    def _refresh(self) -> None:
        self.table.refresh()
        models = self._installed.models
        self.view.setVisible(bool(self.table.rows))
        self.empty.setVisible(not self.table.rows)
        looking = self._installed.looking and not models
        words = tr(_NO_MATCH if self.search.text() else _NONE)
        self.empty.setText(tr("Looking for models…") if looking else words)
        self.foot.count(count(list(models.values()), self._installed.looking))
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        model = self.model
        if model is None:
            self.foot.show_none()
            return
        status = self._installed.status(model)
        loaded = status.model is not None
        self.foot.show_model(
            model,
            status,
            pinned=self._installed.is_pinned(model),
            why_not_unload=residency.why_not_unload(self._library, status.ref) if loaded else "",
            why_not_remove=self._removal.why_not(model),
        )

    @Slot()
    def _on_chosen(self) -> None:
        if self.model is not None:
            self._selection = (self.model.folder, self.view.currentIndex().row())
        self.talk.cancel()
        self._show_buttons()
        self.view.viewport().update()

    @Slot(str)
    def _on_search(self, words: str) -> None:
        self.table.search(words)
        self._refresh()

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        status = self._loader.get(ref)
        if ref == self._loading_ref and status.state is not LoadState.LOADING:
            self._loading_ref = ""
            self.foot.show_message(status.error)
            if status.fit is not None:
                self.too_large_found.emit(ref)

    @Slot()
    def open_in_chat(self) -> None:
        if self.model is not None and not self.model.facts.problem:
            self._open(self.model.ref)

    @Slot(str)
    def _open(self, ref: str) -> None:
        self.chat_requested.emit(ref)
        self.close()  # otherwise this window would cover the chat

    @Slot()
    def load_or_unload(self) -> None:
        model = self.model
        if model is None:
            return
        status = self._installed.status(model)
        if status.state is LoadState.LOADING:
            self.foot.show_message(residency.cancel_load(self._library, status.ref))
        elif status.model is not None:
            reason = residency.unload(self._library, status.ref)
            message = tr("{name} unloaded. It loads again when a chat needs it.", name=model.name)
            self.foot.show_message(reason or message)
        elif not model.facts.problem:
            self._loading_ref = model.ref
            self._loader.request(model.ref)

    @Slot()
    def toggle_pin(self) -> None:
        if self.model is not None:
            self._installed.pin(self.model, not self._installed.is_pinned(self.model))

    @Slot()
    def show_in_folder(self) -> None:
        if self.model is not None:
            standard_dialogs.show_folder(self.model.folder)

    @Slot()
    def remove(self) -> None:
        if self.model is not None:
            self.talk.begin(self.model)

    @Slot()
    def _on_answered(self) -> None:
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_buttons()

    @Slot(QPoint)
    def _pop_menu(self, at: QPoint) -> None:
        self._open_menu(self.view.viewport().mapToGlobal(at))

    @Slot(QPoint)
    def _open_menu(self, at: QPoint) -> None:
        model = self.model
        if model is None:
            return
        menu = self.foot.menu()
        if self._installed.listing_entries(model) and not model.facts.gone:
            menu.addAction(tr("Remove from List"), lambda: self.talk.forget(model))
        menu.popup(at)

    def begin(self) -> None:
        self.show_or_raise()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self._installed.rescan()
        self._loader.figures.show(self, self.FIGURES_MS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.talk.pending_removal is not None:
            self.talk.cancel()
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.view.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._loader.figures.stop_polling(self)
        self._installed.stop()
        super().hideEvent(event)
