"""Settings list of model folders that the app remembers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app import flows
from app.chats.library import ChatLibrary
from app.models import residency
from app.models.installed import ModelFolder, look_at
from app.models.loading import LoadState, ModelStatus
from app.models.names import model_fallback_name
from app.settings.language import mark, tr
from app.settings.paths import GUIDE, short_path
from app.settings.settings import Settings
from app.ui.style import tokens as t
from app.ui.style.figures import bytes_line
from app.ui.style.theme import keep_font, repolish
from app.ui.widgets import asking
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.labels import link, plain_label
from app.ui.widgets.laying import across, down
from engine import Model

UNLOAD = mark("Unload from memory")
_NO_FOLDER = {True: mark("Looking for the folder…"), False: mark("The folder doesn’t exist")}


class ModelRow(QFrame):
    def __init__(self, ref: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("model-row")
        self.ref = ref
        # None until the folder has been checked.
        self.folder: ModelFolder | None = None
        self.name = QLabel(self)
        keep_font(self.name, t.LEAD_PX, QFont.Weight.Medium)
        self.state = QLabel(self)
        self.place = ElidedLabel(short_path(Path(ref)), self)
        self.place.setToolTip(ref)
        self.place.setProperty("muted", True)
        self.reveal = IconButton("folder-open", tr("Show in Folder"), self)
        self.forget = IconButton("x", tr("Remove from List"), self)
        self.unload = IconButton("eject", tr(UNLOAD), self)
        self.unload.hide()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.name, 0, 0)
        grid.addWidget(self.state, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.place, 1, 0, 1, 2)
        grid.addWidget(self.unload, 0, 2, 2, 1)
        grid.addWidget(self.reveal, 0, 3, 2, 1)
        grid.addWidget(self.forget, 0, 4, 2, 1)
        grid.setColumnStretch(0, 1)

    def set_first(self, first: bool) -> None:
        """The first row has no line above it."""
        if self.property("first") != first:
            self.setProperty("first", first)
            repolish(self)

    def show_unload(self, model: Model | None, why_not: str) -> None:
        """Show the Unload button if the model is loaded. If it's disabled, the tooltip says why."""
        self.unload.setVisible(model is not None)
        self.unload.setEnabled(not why_not)
        self.unload.setToolTip(why_not or tr(UNLOAD))

    def show_state(self, model_status: ModelStatus) -> None:
        """Show whether the model is on disk and whether it's loaded."""
        folder, model = self.folder, model_status.model
        name, loading = model_status.name, model_status.state
        self.name.setText(name)
        self.reveal.setAccessibleName(tr("Show {name} in its folder", name=name))
        self.forget.setAccessibleName(tr("Remove {name} from the list", name=name))
        self.unload.setAccessibleName(tr("Unload {name}", name=name))
        missing = folder is not None and not folder.found
        empty = folder is not None and folder.found and not folder.holds_model
        takes = bytes_line(model.nbytes if model else 0)
        words = {
            LoadState.READY: tr("Loaded, {size} of memory", size=takes),
            LoadState.LOADING: tr("Loading…"),
            LoadState.FAILED: tr("Not loaded"),
        }.get(loading, "")
        if missing:
            here = folder is not None and folder.local
            words = tr("Folder not found") if here else tr("Not downloaded")
        elif empty:
            words = tr("Contains no model")
        elif folder is not None and not folder.local:
            words = words or tr("From Hugging Face")
        size = bytes_line(folder.bytes) if folder is not None and folder.holds_model else ""
        self.state.setText(" · ".join(part for part in (size, words) if part))
        self.state.setToolTip(model_status.error if loading is LoadState.FAILED else "")
        bad = missing or empty or loading is LoadState.FAILED
        self.state.setProperty("danger", bad)
        self.state.setProperty("muted", not bad)
        repolish(self.state)
        found = folder is not None and folder.found
        self.reveal.setEnabled(found)
        self.reveal.setToolTip(tr("Show in Folder") if found else tr(_NO_FOLDER[folder is None]))


class ElidedLabel(QLabel):
    """Single-line label, elided in the middle."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._whole = text
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setText(text)

    def set_whole(self, text: str) -> None:
        self._whole = text
        self.setToolTip("")
        self.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        middle = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(self._whole, middle, self.width()))


class ModelList(QWidget):
    """List of remembered models. Removing a model keeps its files and can be undone."""

    def __init__(
        self,
        settings: Settings,
        library: ChatLibrary | None,
        open_folder: Callable[[Path], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._library = library
        self._loader = library.loader if library is not None else None
        self._open_folder = open_folder
        # (position, ref) of removed models, most recent last.
        self.removed: list[tuple[int, str]] = []
        self.rows: list[ModelRow] = []
        self._column = down(spacing=0)
        self.guide = ModelRow(GUIDE, self)
        self.guide.place.set_whole(tr("Comes with Stretto"))
        self.guide.reveal.hide()
        self.guide.forget.hide()
        self.guide.unload.clicked.connect(lambda: self._unload(GUIDE))
        self._show_state(self.guide)
        self.guide.set_first(True)
        words = tr("Models you open or download appear here.")
        self.none = plain_label(self, words, wrap=False)
        self._status_label = plain_label(self)
        self.undo = link(self, tr("Undo"))
        self.undo.setAutoDefault(False)
        self.undo.setAccessibleName(tr("Restore the model to the list"))
        self.undo.clicked.connect(self._undo)
        self.add = QPushButton(tr("Add Folder…"), self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(tr("Add a model folder to the list"))
        self.add.clicked.connect(self._choose)
        self.get = QPushButton(tr("Get Model…"), self)
        self.get.setAutoDefault(False)
        self.get.setToolTip(tr("Download a model from Hugging Face"))
        foot = across(self.get, self.add, (self._status_label, 1), self.undo)
        down(self.guide, self.none, self._column, 12, foot, of=self, spacing=0)
        # Check folders one by one, and only after the window is shown, because a disk may be slow.
        self._check_flow = flows.Latest(self)
        if library is not None:
            library.loader.changed.connect(self._on_model)
            library.activity.connect(self._on_activity)
        settings.announcer.changed.connect(self._on_option)
        self._show_models()

    def add_model(self, ref: str) -> None:
        self._settings.remember_model(ref)

    def row(self, ref: str) -> ModelRow | None:
        return next((row for row in self.rows if row.ref == ref), None)

    def _remove(self, ref: str) -> None:
        models = list(self._settings.models)
        if ref in models:
            self.removed.append((models.index(ref), ref))
            models.remove(ref)
            self._settings.set(models=tuple(models))
            self.undo.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _undo(self) -> None:
        at, ref = self.removed.pop()
        put_back(self._settings, at, ref)
        row = self.row(ref)
        if row is not None:
            row.forget.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _choose(self) -> None:
        flows.start(self, self._ask())

    async def _ask(self) -> None:
        folder = await asking.folder(self, tr("Add Model Folder"))
        if folder is not None:
            self.add_model(str(folder))

    @Slot(str)
    def _on_option(self, option: str) -> None:
        if option == "models":
            self._show_models()

    def _show_models(self) -> None:
        """Update the list. Reuses the rows of models that are still there."""
        models = self._settings.models
        self.removed = [(at, gone) for at, gone in self.removed if gone not in models]
        kept = {row.ref: row for row in self.rows}
        self.rows = [kept.pop(ref) if ref in kept else self._make(ref) for ref in models]
        for row in kept.values():
            row.hide()
            self._column.removeWidget(row)
            row.deleteLater()
        for at, row in enumerate(self.rows):
            self._column.insertWidget(at, row)
        self.none.setVisible(not self.rows)
        self._status_label.setText(
            tr(
                "{name} is no longer listed. Its files stay.",
                name=model_fallback_name(self.removed[-1][1]),
            )
            if self.removed
            else ""
        )
        self.undo.setVisible(bool(self.removed))
        self._check_flow.start(self._look_at_folders())

    def _make(self, ref: str) -> ModelRow:
        row = ModelRow(ref, self)
        row.forget.clicked.connect(lambda: self._remove(ref))
        row.reveal.clicked.connect(lambda: self._show_folder(row))
        row.unload.clicked.connect(lambda: self._unload(ref))
        self._show_state(row)
        return row

    def _show_folder(self, row: ModelRow) -> None:
        if row.folder is not None and row.folder.path is not None:
            self._open_folder(row.folder.path)

    async def _look_at_folders(self) -> None:
        while waiting := [row.ref for row in self.rows if row.folder is None]:
            folder = await flows.aside(partial(_look_at, waiting[0]))
            row = self.row(folder.ref)
            if row is not None:
                row.folder = folder
                self._show_state(row)

    def _show_state(self, row: ModelRow) -> None:
        row.show_state(self._loader.get(row.ref) if self._loader else ModelStatus(row.ref))
        self._show_unload(row)

    def _show_unload(self, row: ModelRow) -> None:
        if self._library is not None:
            model = self._library.loader.get(row.ref).model
            row.show_unload(model, residency.why_not_unload(self._library, row.ref))

    def _unload(self, ref: str) -> None:
        if self._library is not None:
            residency.unload(self._library, ref)

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        """Called when a reply starts or ends, since models in use can't be unloaded."""
        for row in (self.guide, *self.rows):
            self._show_unload(row)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        if ref == GUIDE:
            self._show_state(self.guide)
        row = self.row(ref)
        if row is not None:
            row.folder = None  # the folder may have appeared or disappeared, so check again
            self._show_state(row)
        self._show_models()


def put_back(settings: Settings, at: int, ref: str) -> None:
    """Put a removed model back in its former position."""
    models = [model for model in settings.models if model != ref]
    models.insert(at, ref)
    settings.set(models=tuple(models))


def _look_at(ref: str, stop: threading.Event) -> ModelFolder:
    return look_at(ref, stop.is_set)
