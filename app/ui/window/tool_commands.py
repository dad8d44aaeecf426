from __future__ import annotations

from PySide6.QtCore import Qt, Slot

from app.settings.language import mark, tr
from app.ui.pane.pane import ChatPane
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import CommandScope, command, pane_command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.pane_menus import PaneMenus


class ToolCommands(WindowController):
    def __init__(self, parts: WindowParts, chats: ChatCommands, menus: PaneMenus) -> None:
        super().__init__(parts)
        self._chats = chats
        self._menus = menus

    @command("tool_servers", mark("Tool Servers (MCP)…"), where=CommandScope.ANYWHERE)
    @Slot()
    def show_servers(self) -> None:
        from app.ui.settings.tools_window import ToolsWindow

        dialog = self._window.findChild(ToolsWindow) or ToolsWindow(self._library, self._window)
        dialog.show_or_raise()

    @pane_command("tools", mark("Tools for This Chat…"))
    def show_tools(self, pane: ChatPane) -> None:
        self._menus.open_tools(pane)

    def _why_no_call(self) -> str:
        waits = any(chat.tools.waiting for chat in self._library.replying_chats())
        return "" if waits else tr("No tool call is waiting for you.")

    @command("waiting_call", mark("Next Pending Tool Call"), "Ctrl+Alt+Y", why_not=_why_no_call)
    def next_call(self) -> None:
        """Switch to a chat with a waiting call and focus that call."""
        waiting = [chat for chat in self._library.replying_chats() if chat.tools.waiting]
        active = self._workspace.active
        if active is not None and active.chat in waiting:
            # Visit the chats in order, with the current chat last.
            at = waiting.index(active.chat)
            focused = self._window.focusWidget()
            inside = focused is not None and active.transcript.isAncestorOf(focused)
            waiting = [*waiting[at + 1 :], *waiting[: at + 1]] if inside else [active.chat]
        if not waiting:
            return
        self._chats.open(waiting[0].id)
        pane = self._workspace.active
        if pane is not None:
            message_id = pane.chat.tools.first_waiting
            pane.transcript.show_message(message_id)
            row = pane.transcript.row(message_id)
            if row is not None:
                row.setFocus(Qt.FocusReason.ShortcutFocusReason)
