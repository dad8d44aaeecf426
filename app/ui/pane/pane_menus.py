"""What opens below a pane's header: the list of models, the chat's own settings."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app import flows
from app.chats import unloading
from app.chats.library import ChatLibrary
from app.chats.model_choice import LoadState
from app.language import tr
from app.paths import GUIDE
from app.remote.address import is_remote
from app.settings import Settings
from app.ui.models.fit_flow import FitFlow
from app.ui.models.model_menu import UnloadMenu, model_menu
from app.ui.models.remote_dialog import RemoteDialog
from app.ui.pane.options_popover import OptionsPopover
from app.ui.pane.pane import ChatPane
from app.ui.pane.presets import Presets
from app.ui.pane.tools_popover import ToolsPopover
from app.ui.widgets import asking
from app.ui.widgets.closing import open_dialog
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.undo import Undos
from app.ui.window.workspace import Workspace


class PaneMenus(QObject):
    """Opens them for every pane of a workspace, inside ``window``.

    Signals:
        get_asked(): the person wants a model from the hub.
        manage_asked(): the person wants to see what is installed.
        servers_asked(): the person wants to see the servers of tools.

    Attributes:
        fitting: offers what would fit, where a model does not.
    """

    get_asked = Signal()
    manage_asked = Signal()
    servers_asked = Signal()

    def __init__(
        self,
        library: ChatLibrary,
        workspace: Workspace,
        settings: Settings,
        chats: ChatCommands,
        undos: Undos,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._library = library
        self._loader = library.loader
        self._settings = settings
        self._chats = chats
        self._window = window
        self.fitting: FitFlow | None = None
        self.presets = Presets(settings, window, undos.offer)
        workspace.pane_made.connect(self._on_pane_made)
        library.loader.changed.connect(self._on_model)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.models_asked.connect(self._on_models_asked)
        pane.options_asked.connect(self._on_options_asked)
        pane.tools_asked.connect(self.open_tools)
        pane.unload_asked.connect(self._on_unload_asked)
        pane.empty.get_asked.connect(self.get_asked)
        pane.cancel_load_asked.connect(self._on_cancel_asked)

    @Slot(object)
    def _on_models_asked(self, pane: ChatPane) -> None:
        menu = model_menu(
            self._window,
            self._loader,
            self._settings.models,
            pane.chat.record.model,
            chosen=pane.chat.set_model,
            open_folder=self._chats.open_model_folder,
            open_file=self._chats.open_gguf_file,
            get_model=self.get_asked.emit,
            add_remote=lambda: self._add_remote(pane),
            manage=self.manage_asked.emit,
            unload=self._unload_menu(pane),
        )
        button = pane.header.model_button
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    def _add_remote(self, pane: ChatPane) -> None:
        dialog = RemoteDialog(self._loader, self._library.bridge, self._window)
        dialog.added.connect(pane.chat.set_model)
        open_dialog(dialog)

    @Slot(object, object)
    def _on_unload_asked(self, pane: ChatPane, button: QWidget) -> None:
        """There is no memory for the pane's model: what would fit, or which is to make room?"""
        if self.fitting is not None and self.fitting.open(pane.chat.record.model, pane.chat):
            return
        menu = self._unload_menu(pane).fill(QMenu(self._window))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not menu.isEnabled():
            pane.said.emit(tr("No other model is in memory."))
            menu.deleteLater()
            return
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    @Slot(object)
    def _on_cancel_asked(self, pane: ChatPane) -> None:
        chat = pane.chat
        if words := unloading.cancel_load(self._library, chat.loading_model, chat.id):
            pane.said.emit(words)

    def _unload_menu(self, pane: ChatPane) -> UnloadMenu:
        def unload(ref: str) -> None:
            words = tr("{name} is unloaded", name=self._loader.get(ref).name)
            pane.said.emit(unloading.unload(self._library, ref) or words)

        return UnloadMenu(self._loader, lambda ref: unloading.why_not(self._library, ref), unload)

    @Slot(object)
    def _on_options_asked(self, pane: ChatPane) -> None:
        button = pane.header.options_button
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        popover = OptionsPopover(pane.chat, self._window)
        popover.presets_asked.connect(self.presets.open)
        below = self._window.mapToGlobal(QPoint(0, self._window.height())).y() - corner.y()
        popover.open_at(corner, max(360, below - 16))

    @Slot(object)
    def open_tools(self, pane: ChatPane) -> ToolsPopover:
        """Show which tools the pane's chat may call."""
        header = pane.header
        button = header.more if header.folded else header.tools_button
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        popover = ToolsPopover(pane.chat, self._library, self._window)
        popover.servers_asked.connect(popover.close)
        popover.servers_asked.connect(self.servers_asked)
        popover.folder_asked.connect(lambda: flows.start(self, self._ask_for_folder(pane)))
        below = self._window.mapToGlobal(QPoint(0, self._window.height())).y() - corner.y()
        popover.open_at(corner, max(360, below - 16))
        return popover

    async def _ask_for_folder(self, pane: ChatPane) -> None:
        """The panel closes for the dialog, and opens again with the folder."""
        folder = await asking.folder(self._window, tr("Folder for Tools"))
        if not (shiboken6.isValid(pane) and pane.isVisible()):
            return  # the pane has gone meanwhile
        popover = self.open_tools(pane)
        if folder is not None:
            popover.add_folder(folder)

    @Slot(str)
    def _on_model(self, ref: str) -> None:
        """A model folder that loaded is remembered for the list of models."""
        if ref != GUIDE and not is_remote(ref) and self._loader.get(ref).state is LoadState.READY:
            self._settings.remember_model(ref)
