"""Menus and popovers of a pane's header: models, options, tools."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import Slot
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app import flows
from app.models import residency
from app.models.loading import LoadState, ModelStatus
from app.remote.address import is_remote
from app.settings.language import mark, tr
from app.settings.paths import GUIDE
from app.ui.models.fit import FitFlow
from app.ui.pane.options_popover import OptionsPopover, Preset, apply_preset, preset_of
from app.ui.pane.pane import ChatPane
from app.ui.style.figures import bytes_line
from app.ui.transcript.message_row import PaneRequest
from app.ui.widgets import standard_dialogs
from app.ui.widgets.menus import add_action, make_menu, pop_below
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import CommandScope, command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.named_things import NamedTexts, NamedThings

if TYPE_CHECKING:
    from app.ui.pane.tools_popover import ToolsPopover

_PRESETS = NamedTexts(
    save_entry=mark("Save as Preset…"),
    save=mark("Save as Preset"),
    rename=mark("Rename Preset"),
    none=mark("No presets yet"),
    how_to_save=mark("Choose “Save as Preset…” to keep these settings"),
    replaced=mark("Preset “{name}” replaced"),
    renamed=mark("Preset renamed to “{name}”"),
    deleted=mark("Preset “{name}” deleted"),
)
_STATES = {LoadState.LOADING: mark("loading…"), LoadState.FAILED: mark("not loaded")}


def _entry(model_status: ModelStatus) -> str:
    """Return the model's name and, right-aligned, its memory use or state."""
    model, state = model_status.model, _STATES.get(model_status.state)
    right = tr(state) if state is not None else ""
    if model is not None and not is_remote(model_status.ref):
        right = tr("{size} in memory", size=bytes_line(model.nbytes))
    return "\t".join(filter(None, (model_status.name, right)))


class PaneMenus(WindowController):
    """Opens the menus and popovers that a pane requests."""

    def __init__(self, parts: WindowParts, chats: ChatCommands, fitting: FitFlow) -> None:
        """``fitting`` offers alternatives to models that don't fit."""
        super().__init__(parts)
        self._loader = self._library.loader
        self._chats = chats
        self._fitting = fitting
        self.presets: NamedThings[Preset] = NamedThings(
            _PRESETS, parts, lambda: self._settings.presets, self._save_presets
        )
        self._workspace.pane_made.connect(self._on_pane_made)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.menu_requested.connect(self._on_menu_requested)
        pane.download_requested.connect(partial(self._run, "get_model"))
        pane.header.cancel.clicked.connect(partial(self._cancel_load, pane))

    @Slot(object, object, object)
    def _on_menu_requested(self, pane: ChatPane, request: PaneRequest, button: QWidget) -> None:
        match request:
            case PaneRequest.CHOOSE_MODEL:
                self._open_models(pane)
            case PaneRequest.FREE_MEMORY:
                self._offer_memory(pane, button)
            case PaneRequest.OPEN_OPTIONS:
                self._open_options(pane)
            case PaneRequest.OPEN_TOOLS:
                self.open_tools(pane)

    def _open_models(self, pane: ChatPane) -> None:
        """Show the models menu, which also has entries to open, add and unload models."""
        menu = make_menu(self._window)
        group, current = QActionGroup(menu), pane.chat.record.model
        for ref in filter(None, dict.fromkeys([*self._model_names(GUIDE), current])):
            words, act = _entry(self._loader.get(ref)), partial(pane.chat.model.set, ref)
            action = add_action(menu, words, act, checked=ref == current)
            action.setToolTip(ref)
            group.addAction(action)
        menu.addSeparator()
        menu.addAction(tr("Get Model…"), partial(self._run, "get_model"))
        menu.addAction(tr("Open Model Folder…"), self._chats.open_model_folder)
        menu.addAction(tr("Open GGUF File…"), self._chats.open_gguf_file)
        menu.addAction(tr("Add Remote Model…"), self.add_remote)
        self._fill_unload(menu.addMenu(tr("Unload")), pane)
        menu.addAction(tr("Manage Models…"), partial(self._run, "models"))
        pop_below(menu, pane.header.model_button, 4)

    def _fill_unload(self, menu: QMenu, pane: ChatPane) -> None:
        def unload(ref: str) -> None:
            words = tr("{name} unloaded", name=self._loader.get(ref).name)
            pane.notice_posted.emit(residency.unload(self._library, ref) or words)

        menu.setToolTipsVisible(True)
        for model_status in self._loader.loaded_statuses():
            ref = model_status.ref
            reason = residency.why_not_unload(self._library, ref)
            action = add_action(menu, _entry(model_status), partial(unload, ref), why_not=reason)
            action.setToolTip(reason or tr("Frees memory. Its chats load it again when you send."))
        if menu.isEmpty():
            menu.setEnabled(False)
            menu.menuAction().setToolTip(tr("No model is loaded"))

    @command("add_remote", mark("Add Remote Model…"), where=CommandScope.ANYWHERE)
    @Slot()
    def add_remote(self) -> None:
        from app.ui.models.remote import RemoteDialog

        dialog = RemoteDialog(self._loader, self._library.bridge, self._window)
        active = self._workspace.active
        dialog.model_added.connect(active.chat.model.set if active else self._chats.use_model)
        dialog.open()

    def _offer_memory(self, pane: ChatPane, button: QWidget) -> None:
        """Offer alternatives or unloading, because memory is too low for the pane's model."""
        if self._fitting.open(pane.chat.record.model, pane.chat):
            return
        menu = make_menu(self._window)
        self._fill_unload(menu, pane)
        if not menu.isEnabled():
            pane.notice_posted.emit(tr("No other model is loaded."))
            menu.deleteLater()
            return
        pop_below(menu, button, 4)

    @Slot(object)
    def _cancel_load(self, pane: ChatPane) -> None:
        chat = pane.chat
        ref = next(iter(chat.reply.awaited_models), chat.record.model)
        if words := residency.cancel_load(self._library, ref, chat.id):
            pane.notice_posted.emit(words)

    def _open_options(self, pane: ChatPane) -> None:
        popover = OptionsPopover(pane.chat, self._window)
        popover.presets_requested.connect(self.open_presets)
        popover.open_below(pane.header.options_button, self._window)

    @Slot(object)
    def open_presets(self, popover: OptionsPopover) -> QMenu:
        menu, presets = make_menu(popover), self._settings.presets
        self.presets.fill(
            menu, lambda name: apply_preset(popover, presets[name]), lambda: preset_of(popover)
        )
        pop_below(menu, popover.presets)
        return menu

    def _save_presets(self, changes: Mapping[str, Preset | None]) -> None:
        presets = {**self._settings.presets, **changes}
        self._settings.set(presets={n: p for n, p in presets.items() if p is not None})

    def open_tools(self, pane: ChatPane) -> ToolsPopover:
        from app.ui.pane.tools_popover import ToolsPopover

        header = pane.header
        popover = ToolsPopover(pane.chat, self._library, self._window)
        popover.servers_requested.connect(popover.close)
        popover.servers_requested.connect(partial(self._run, "tool_servers"))
        popover.folder_requested.connect(lambda: flows.start(self, self._ask_for_folder(pane)))
        popover.open_below(header.more if header.is_folded else header.tools_button, self._window)
        return popover

    async def _ask_for_folder(self, pane: ChatPane) -> None:
        """Ask for a folder, and reopen the popover that the dialog has closed."""
        folder = await standard_dialogs.ask_for_folder(self._window, tr("Add Folder for Tools"))
        if not (shiboken6.isValid(pane) and pane.isVisible()):
            return  # the pane was closed or hidden in the meantime
        popover = self.open_tools(pane)
        if folder is not None:
            popover.add_folder(folder)
