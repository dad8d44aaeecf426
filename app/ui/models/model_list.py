"""The remembered model folders, as a list in the settings that forgets and shows them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.chats import unloading
from app.chats.library import ChatLibrary
from app.chats.model_choice import ModelStatus
from app.language import tr
from app.model_folders import ModelFolder, look_at
from app.paths import model_fallback_name
from app.settings import Settings
from app.ui.models.model_row import ModelRow
from app.ui.widgets import asking


class ModelList(QWidget):
    """A row for each remembered model; removing one leaves its files alone and can be undone.

    Attributes:
        removed: what can be brought back, the latest last.

    Signals:
        changed(): models came or went; they are in the settings already.
        get_asked(): the person wants one from the hub.
    """

    changed = Signal()
    get_asked = Signal()

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
        self.removed: list[tuple[int, str]] = []  # where it stood, and which
        self.rows: list[ModelRow] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        self.none = QLabel(
            tr("None yet. Models that were opened or downloaded are listed here."), self
        )
        self.none.setProperty("muted", True)
        self._said = QLabel(self)
        self._said.setProperty("muted", True)
        self._said.setWordWrap(True)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        self.undo.setAutoDefault(False)
        self.undo.setAccessibleName(tr("Put the model back into the list"))
        self.undo.clicked.connect(self._undo)
        self.add = QPushButton(tr("Add…"), self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(tr("Add a model folder to the list"))
        self.add.clicked.connect(self._choose)
        self.get = QPushButton(tr("Get…"), self)
        self.get.setAutoDefault(False)
        self.get.setToolTip(tr("Download a model from the hub"))
        self.get.clicked.connect(self.get_asked)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.get)
        foot.addWidget(self.add)
        foot.addWidget(self._said, 1)
        foot.addWidget(self.undo)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(self.none)
        layout.addLayout(self._column)
        layout.addLayout(foot)
        # Folders are looked at one at a time, once the window is there: a disk may be slow.
        self._looking = flows.Latest(self)
        if library is not None:
            library.loader.changed.connect(self._on_model)
            library.activity.connect(self._on_activity)
        self._show_models()

    def add_model(self, ref: str) -> None:
        """Put a folder first in the list."""
        self._settings.remember_model(ref)
        self.removed = [(at, gone) for at, gone in self.removed if gone != ref]
        self._tell_changed()

    def row(self, ref: str) -> ModelRow | None:
        return next((row for row in self.rows if row.ref == ref), None)

    def _remove(self, ref: str) -> None:
        models = list(self._settings.models)
        if ref in models:
            self.removed.append((models.index(ref), ref))
            models.remove(ref)
            self._settings.set(models=tuple(models))
            self._tell_changed()
            self.undo.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _undo(self) -> None:
        at, ref = self.removed.pop()
        put_back(self._settings, at, ref)
        self._tell_changed()
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

    def _tell_changed(self) -> None:
        self._show_models()
        self.changed.emit()

    @Slot()
    def refresh(self) -> None:
        """The list in the settings is another."""
        self._tell_changed()

    def _show_models(self) -> None:
        """Make the rows anew where the list is another; rows of models that stay are kept."""
        kept = {row.ref: row for row in self.rows}
        self.rows = [
            kept.pop(ref) if ref in kept else self._make(ref) for ref in self._settings.models
        ]
        for row in kept.values():
            row.hide()
            self._column.removeWidget(row)
            row.deleteLater()
        for at, row in enumerate(self.rows):
            self._column.insertWidget(at, row)
        for row in self.rows:
            row.set_first(row is self.rows[0])
        self.none.setVisible(not self.rows)
        self._said.setText(
            tr(
                "{name} is no longer listed. Its files stay.",
                name=model_fallback_name(self.removed[-1][1]),
            )
            if self.removed
            else ""
        )
        self.undo.setVisible(bool(self.removed))
        self._looking.start(self._look_at_folders())

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
            row.show_unload(model, unloading.why_not(self._library, row.ref))

    def _unload(self, ref: str) -> None:
        if self._library is not None:
            unloading.unload(self._library, ref)

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        """A chat began or ended answering: with one of these models, perhaps."""
        for row in self.rows:
            self._show_unload(row)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        row = self.row(ref)
        if row is not None:
            row.folder = None  # it may have come back, or have gone
            self._show_state(row)
        self._show_models()


def put_back(settings: Settings, at: int, ref: str) -> None:
    """List a model again that was removed, at its place."""
    models = [model for model in settings.models if model != ref]
    models.insert(at, ref)
    settings.set(models=tuple(models))


def _look_at(ref: str, stop: threading.Event) -> ModelFolder:
    return look_at(ref, stop.is_set)
