"""What opens below a pane's header: the list of models, the chat's own settings, its tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import shiboken6
from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app import flows
from app.chats.library import ChatLibrary
from app.models import residency
from app.models.loading import LoadState, ModelLoader, ModelStatus
from app.remote.address import is_remote
from app.settings.language import mark, tr
from app.settings.options import Settings
from app.settings.paths import GUIDE
from app.ui.models.fit import FitFlow
from app.ui.models.remote import RemoteDialog
from app.ui.pane.options import OptionsPopover, Presets
from app.ui.pane.pane import ChatPane
from app.ui.pane.tools_popover import ToolsPopover
from app.ui.style.figures import bytes_line
from app.ui.widgets import asking
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import Where, command
from app.ui.window.undo import Undos
from app.ui.workspace.workspace import Workspace

_STATES = {LoadState.LOADING: mark("loading…"), LoadState.FAILED: mark("not loaded")}


def model_menu(
    parent: QWidget,
    loader: ModelLoader,
    remembered: Iterable[str],
    current: str,
    *,
    chosen: Callable[[str], None],
    open_folder: Callable[[], None],
    open_file: Callable[[], None],
    get_model: Callable[[], None],
    add_remote: Callable[[], None],
    manage: Callable[[], None],
    unload: UnloadMenu,
) -> QMenu:
    """The Guide, what is loaded, what was opened before, and ways to open more and to unload."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    group = QActionGroup(menu)
    refs = dict.fromkeys([GUIDE, *(m.ref for m in loader.known()), *remembered, current])
    for ref in refs:
        if not ref:
            continue
        model_status = loader.get(ref)
        action = menu.addAction(_entry(model_status))
        action.setCheckable(True)
        action.setChecked(ref == current)
        action.setToolTip(ref)
        action.triggered.connect(lambda _checked=False, ref=ref: chosen(ref))
        group.addAction(action)
    menu.addSeparator()
    menu.addAction(tr("Get Model…"), get_model)
    menu.addAction(tr("Open Model Folder…"), open_folder)
    menu.addAction(tr("Open GGUF File…"), open_file)
    menu.addAction(tr("Add Remote Model…"), add_remote)
    menu.addMenu(unload.fill(QMenu(tr("Unload"), menu)))
    menu.addAction(tr("Manage Models…"), manage)
    return menu


class UnloadMenu:
    """The models that are in memory, to be taken out of it."""

    def __init__(
        self, loader: ModelLoader, why_not: Callable[[str], str], unload: Callable[[str], object]
    ) -> None:
        self._loader = loader
        self.why_not = why_not  # says why one cannot be unloaded now, "" if it can
        self.unload = unload  # does it

    def fill(self, menu: QMenu) -> QMenu:
        """Put an entry for each into the menu; the tooltip says why one is disabled."""
        menu.setToolTipsVisible(True)
        for model_status in self._loader.loaded():
            ref, why = model_status.ref, self.why_not(model_status.ref)
            action = menu.addAction(_entry(model_status))
            action.triggered.connect(lambda _checked=False, ref=ref: self.unload(ref))
            action.setEnabled(not why)
            action.setToolTip(why or tr("Frees memory. Its chats load it again when you send."))
        if menu.isEmpty():
            menu.setEnabled(False)
            menu.menuAction().setToolTip(tr("No model is loaded"))
        return menu


def _entry(model_status: ModelStatus) -> str:
    """The model's name and, at the right, the memory that it takes, or its state."""
    model, state = model_status.model, _STATES.get(model_status.state)
    right = tr(state) if state is not None else ""
    if model is not None and not is_remote(model_status.ref):
        right = bytes_line(model.nbytes)
    return "\t".join(filter(None, (model_status.name.replace("&", "&&"), right)))


class PaneMenus(QObject):
    """Opens them for every pane of a workspace, inside ``window``."""

    get_asked = Signal()  # the person wants a model from the hub
    manage_asked = Signal()  # the person wants to see what is installed
    servers_asked = Signal()  # the person wants to see the servers of tools

    def __init__(
        self,
        library: ChatLibrary,
        workspace: Workspace,
        settings: Settings,
        chats: ChatCommands,
        undos: Undos,
        fitting: FitFlow,
        window: QWidget,
    ) -> None:
        """``fitting`` offers what would fit, where a model does not."""
        super().__init__(window)
        self._library = library
        self._loader = library.loader
        self._settings = settings
        self._chats = chats
        self._window = window
        self._fitting = fitting
        self._workspace = workspace
        self.presets = Presets(settings, window, undos.offer)
        workspace.pane_made.connect(self._on_pane_made)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.models_asked.connect(self._on_models_asked)
        pane.options_asked.connect(self._on_options_asked)
        pane.tools_asked.connect(self.open_tools)
        pane.unload_asked.connect(self._on_unload_asked)
        pane.get_asked.connect(self.get_asked)
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
            add_remote=self.add_remote,
            manage=self.manage_asked.emit,
            unload=self._unload_menu(pane),
        )
        button = pane.header.model_button
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    @command("add_remote", mark("Add Remote Model…"), where=Where.ANYWHERE)
    @Slot()
    def add_remote(self) -> None:
        """Ask for the address of a model that answers elsewhere; the active chat takes it."""
        dialog = RemoteDialog(self._loader, self._library.bridge, self._window)
        active = self._workspace.active
        dialog.added.connect(active.chat.set_model if active else self._chats.use_model)
        dialog.open()

    @Slot(object, object)
    def _on_unload_asked(self, pane: ChatPane, button: QWidget) -> None:
        """There is no memory for the pane's model: what would fit, or which is to make room?"""
        if self._fitting.open(pane.chat.record.model, pane.chat):
            return
        menu = self._unload_menu(pane).fill(QMenu(self._window))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not menu.isEnabled():
            pane.said.emit(tr("No other model is loaded."))
            menu.deleteLater()
            return
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    @Slot(object)
    def _on_cancel_asked(self, pane: ChatPane) -> None:
        chat = pane.chat
        ref = next(iter(chat.waits_for), chat.record.model)
        if words := residency.cancel_load(self._library, ref, chat.id):
            pane.said.emit(words)

    def _unload_menu(self, pane: ChatPane) -> UnloadMenu:
        def unload(ref: str) -> None:
            words = tr("{name} unloaded", name=self._loader.get(ref).name)
            pane.said.emit(residency.unload(self._library, ref) or words)

        return UnloadMenu(
            self._loader, lambda ref: residency.why_not_unload(self._library, ref), unload
        )

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
        folder = await asking.folder(self._window, tr("Add Folder for Tools"))
        if not (shiboken6.isValid(pane) and pane.isVisible()):
            return  # the pane has gone meanwhile
        popover = self.open_tools(pane)
        if folder is not None:
            popover.add_folder(folder)
