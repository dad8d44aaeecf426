"""Commands for the sidebar, which act on its selected chats or on the active pane's chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Slot

from app.chats.actions import Action
from app.chats.chat_organizer import ARCHIVE
from app.settings.language import counted, mark, tr
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import NO_CHAT, command
from app.ui.window.context import WindowController, WindowParts


class SidebarCommands(WindowController):
    def __init__(
        self, parts: WindowParts, chats: ChatCommands, show_sidebar: Callable[[bool], None]
    ) -> None:
        super().__init__(parts)
        self._chats = chats
        self._show_sidebar = show_sidebar
        sidebar = self._sidebar
        if self._settings.unfolded:
            sidebar.model.unfolded = set(self._settings.unfolded)
            sidebar.model.refresh()
        sidebar.model.folds_changed.connect(self._on_refolded)
        sidebar.organizer.action_finished.connect(self._undos.offer_undo)
        sidebar.delete_several_requested.connect(self.delete_several)
        sidebar.open_together_requested.connect(chats.open_together)
        self._workspace.active_changed.connect(self._on_panes)

    @command("search", mark("Search All Chats"), "Ctrl+Shift+F")
    def search(self) -> None:
        self._show_sidebar(True)
        self._sidebar.window().raise_()
        self._sidebar.window().activateWindow()
        self._sidebar.focus_search()

    def _target_chats(self) -> list[str]:
        return self._sidebar.selected_chats() or [self._target_chat]

    def _cannot_rename(self) -> str:
        if self._sidebar.focused_fold():
            return ""
        chat = self._library.find(self._target_chat)
        return chat.why_not(Action.RENAME) if chat is not None else self._not_listed()

    def _not_listed(self) -> str:
        chat_id = self._target_chat
        if not chat_id:
            return tr(NO_CHAT)
        listed = self._library.chat(chat_id) is not None
        return "" if listed else tr("This chat is empty.")

    @command("rename", mark("Rename Chat"), "F2", why_not=_cannot_rename)
    def rename(self) -> None:
        if fold := self._sidebar.focused_fold():
            self._sidebar.rename(fold)
            return
        chat_id = self._target_chat
        self._show_row()
        self._sidebar.rename(chat_id)

    def _show_row(self) -> None:
        """Show all chats so that a row can be edited, unless a row in the sidebar has the focus."""
        if not self._sidebar.focused_chat():
            self._show_sidebar(True)
            self._sidebar.search.clear()
            self._sidebar.model.set_query("")

    @command("delete", mark("Move Chat to Trash"), why_not=_not_listed)
    def delete(self) -> None:
        ids = self._target_chats()
        if len(ids) > 1:
            self.delete_several(ids)
        else:
            self._chats.delete(ids[0])

    @Slot(list)
    def delete_several(self, ids: list[str]) -> None:
        """Delete chats as a single undo step."""
        for chat_id in ids:
            self._chats.delete(chat_id)
            self._undos.forget_chat(chat_id)

        def restore() -> None:
            for chat_id in ids:
                self._library.restore(chat_id)

        words = counted("%Ln chat moved to Trash", "%Ln chats moved to Trash", len(ids))
        self._undos.offer_undo(words, restore)

    def _pin_words(self) -> str:
        ids = self._target_chats()
        if self._not_listed():
            return mark("Pin/Unpin Chat")
        return mark("Unpin Chat") if self._sidebar.organizer.are_pinned(ids) else mark("Pin Chat")

    @command("pin", mark("Pin/Unpin Chat"), "Ctrl+Alt+P", why_not=_not_listed, words=_pin_words)
    def pin(self) -> None:
        self._sidebar.organizer.pin(self._target_chats())

    @command("move_chat", mark("Move Chat to Folder…"), "Ctrl+Alt+M", why_not=_not_listed)
    def move(self) -> None:
        self._show_sidebar(True)
        ids, view = self._target_chats(), self._sidebar.list
        corner = view.visualRect(self._sidebar.model.row_of(ids[0])).bottomLeft()
        self._sidebar.organizer.pop_move(ids, view.viewport().mapToGlobal(corner + QPoint(24, 0)))

    @command("tags", mark("Edit Tags"), "Ctrl+Alt+G", why_not=_not_listed)
    def tags(self) -> None:
        ids = self._target_chats()
        self._show_row()
        self._sidebar.organizer.ask_tags(ids)

    def _archive_words(self) -> str:
        if self._not_listed():
            return mark("Archive/Unarchive Chat")
        archived = self._sidebar.organizer.are_archived(self._target_chats())
        return mark("Unarchive Chat") if archived else mark("Archive Chat")

    @command(
        "archive",
        mark("Archive/Unarchive Chat"),
        "Ctrl+Alt+A",
        why_not=_not_listed,
        words=_archive_words,
    )
    def archive(self) -> None:
        self._sidebar.organizer.archive(self._target_chats())

    @command("new_folder", mark("New Folder…"), "Ctrl+Alt+N")
    def new_folder(self) -> None:
        self._show_sidebar(True)
        self._sidebar.organizer.new_folder()

    @Slot()
    def _on_refolded(self) -> None:
        model = self._sidebar.model
        folder_ids = {folder.id for folder in self._library.order.folders()} | {ARCHIVE}
        unfolded_folders = sorted(model.unfolded & (folder_ids | model.groups))
        if unfolded_folders != sorted(self._settings.unfolded):
            self._settings.set(unfolded=tuple(unfolded_folders))

    @Slot()
    def _on_panes(self) -> None:
        self._sidebar.model.open_chats = frozenset(p.chat.id for p in self._workspace.panes())
