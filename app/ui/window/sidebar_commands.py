"""Commands for the sidebar, and for the chat that is meant: its focused row's, or the pane's."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.chats.actions import Action
from app.chats.library import ChatLibrary
from app.ui.sidebar.sidebar import Sidebar
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import NO_CHAT, command
from app.ui.window.workspace import Workspace


class SidebarCommands(QObject):
    """Search, rename and delete."""

    def __init__(
        self,
        library: ChatLibrary,
        chats: ChatCommands,
        workspace: Workspace,
        sidebar: Sidebar,
        show_sidebar: Callable[[bool], None],
    ) -> None:
        super().__init__(sidebar)
        self._library = library
        self._chats = chats
        self._workspace = workspace
        self._sidebar = sidebar
        self._show_sidebar = show_sidebar

    @command("search", "Search All Chats", "Ctrl+Shift+F")
    def search(self) -> None:
        self._show_sidebar(True)
        self._sidebar.focus_search()

    def _meant(self) -> str:
        """The chat of the row that has the keys; otherwise the active pane's, "" for none."""
        active = self._workspace.active
        return self._sidebar.focused_chat() or (active.chat.id if active is not None else "")

    def _cannot_rename(self) -> str:
        chat = self._library.find(self._meant())
        return (chat.can(Action.RENAME) or "") if chat is not None else self._not_listed()

    def _not_listed(self) -> str:
        chat_id = self._meant()
        if not chat_id:
            return NO_CHAT
        return "" if self._library.chat(chat_id) is not None else "Nothing was written here yet."

    @command("rename", "Rename Chat…", "F2", why_not=_cannot_rename)
    def rename(self) -> None:
        chat_id = self._meant()
        if not self._sidebar.focused_chat():
            self._show_sidebar(True)
            self._sidebar.search.clear()
            self._sidebar.model.set_query("")
        self._sidebar.rename(chat_id)

    @command("delete", "Delete Chat", why_not=_not_listed)
    def delete(self) -> None:
        self._chats.delete(self._meant())
