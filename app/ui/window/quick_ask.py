"""A quick question: a new chat in a small window of its own, from wherever one is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.chats.library import ChatLibrary
from app.language import mark
from app.settings import Settings
from app.ui.pane.pane import ChatPane
from app.ui.style.theme import scaled
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import Where, command
from app.ui.window.workspace import Workspace

SIZE = (520, 460)


class QuickAsk(QObject):
    """Opens the small window, and closes it by Esc. What was asked stays in the list of chats."""

    def __init__(
        self,
        library: ChatLibrary,
        settings: Settings,
        workspace: Workspace,
        chats: ChatCommands,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._settings = settings
        self._workspace = workspace
        self._chats = chats
        self._ids: set[str] = set()

    @command("quick_ask", mark("Quick Question"), "Ctrl+Alt+Q", where=Where.ANYWHERE)
    @Slot()
    def ask(self) -> None:
        """Open the window; one in which nothing was written yet comes forward."""
        pane = next((p for p in self._workspace.panes() if self._waits(p)), None)
        if pane is None:
            settings = self._settings
            chat = self._library.new(settings.model, settings.new_chat, settings.system)
            pane = self._workspace.show_chat(chat)
            pane.escaped.connect(self._on_escaped)
            self._ids.add(chat.id)
            self._workspace.float_pane(pane)
            pane.window().resize(*map(scaled, SIZE))
            chat.load_model()
        self._workspace.activate(pane)

    def _waits(self, pane: ChatPane) -> bool:
        mine = pane.chat.id in self._ids and pane.chat.blank
        return mine and pane.window() is not self._workspace.window()

    @Slot(object)
    def _on_escaped(self, pane: ChatPane) -> None:
        if pane.window() is self._workspace.window():  # it was moved back, and is a pane as any
            return
        self._workspace.close_pane(pane, told=not pane.chat.blank)
        self._chats.discard_if_blank(pane.chat.id)
