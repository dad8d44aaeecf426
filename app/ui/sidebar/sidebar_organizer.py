"""Menus and actions that pin, move, tag and archive chats."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app.chats.chat_organizer import ARCHIVE, ListEntry, shared_tags, tidy_tags
from app.chats.library import ChatLibrary
from app.settings.language import counted, number, tr
from app.store import ChatRecord
from app.ui.widgets.menus import add_action, make_menu

_COMMAS = "[,，、]"  # commas, including those of Chinese and Japanese keyboards


class SidebarOrganizer(QObject):
    action_finished = Signal(str, object)  # (text, undo)
    folder_created = Signal(str)  # (folder ID)
    # (chat ID, tags, done): call ``done`` with the edited text
    tags_requested = Signal(str, str, object)

    def __init__(self, library: ChatLibrary, parent: QWidget) -> None:
        super().__init__(parent)
        self._library = library
        self._order = library.order
        self._parent = parent

    def are_pinned(self, ids: Sequence[str]) -> bool:
        return all(c.pinned_at is not None for c in self._chats(ids))

    def are_archived(self, ids: Sequence[str]) -> bool:
        return all(c.archived_at is not None for c in self._chats(ids))

    def pin(self, ids: Sequence[str]) -> None:
        """Pin chats, or unpin them if all are pinned."""
        on = not self.are_pinned(ids)
        undo = self._order.pin(ids, on)
        n, count = len(ids), number(len(ids))
        self.action_finished.emit(
            counted("Chat pinned", "{count} chats pinned", n, count=count)
            if on
            else counted("Chat unpinned", "{count} chats unpinned", n, count=count),
            undo,
        )

    def archive(self, ids: Sequence[str]) -> None:
        """Archive chats, or unarchive them if all are archived."""
        on = not self.are_archived(ids)
        undo = self._order.archive(ids, on)
        n, count = len(ids), number(len(ids))
        self.action_finished.emit(
            counted("Chat archived", "{count} chats archived", n, count=count)
            if on
            else counted("Chat unarchived", "{count} chats unarchived", n, count=count),
            undo,
        )

    def move(self, ids: Sequence[str], folder_id: str | None) -> None:
        """Move chats to a folder, or to the top level for None."""
        undo = self._order.move(ids, folder_id)
        where = self._order.path(folder_id)
        n, count = len(ids), number(len(ids))
        self.action_finished.emit(
            counted(
                "Chat moved to “{folder}”",
                "{count} chats moved to “{folder}”",
                n,
                count=count,
                folder=where,
            )
            if where
            else counted(
                "Chat removed from its folder",
                "{count} chats removed from their folders",
                n,
                count=count,
            ),
            undo,
        )

    def ungroup(self, ids: Sequence[str]) -> None:
        self.action_finished.emit(tr("Ungrouped"), self._order.ungroup(ids))

    def new_folder(self, parent_id: str | None = None, ids: Sequence[str] = ()) -> None:
        """Create a folder with a name that the user enters, and move chats into it."""
        from app.ui.dialogs.name_dialogs import NameDialog

        dialog = NameDialog(tr("New Folder"), tr("Create"), (), self._parent)

        def make(name: str) -> None:
            folder = self._order.make(name, parent_id)
            if ids:
                self.move(ids, folder.id)
            self.folder_created.emit(folder.id)

        dialog.name_confirmed.connect(make)
        dialog.open()

    def delete_folder(self, folder_id: str) -> None:
        folder = self._order.folder(folder_id)
        if folder is not None:
            undo = self._order.delete(folder_id)
            self.action_finished.emit(
                tr("Folder “{name}” deleted. Its chats are kept.", name=folder.name), undo
            )

    def ask_tags(self, ids: Sequence[str]) -> None:
        """Let the user edit the tags that all these chats have in common."""
        chats = self._chats(ids)
        common = shared_tags(chats)

        def tag(text: str) -> None:
            tags = tidy_tags(re.split(_COMMAS, text))
            if set(tags) == common:
                return
            undos = []
            for chat in chats:  # keep tags that not all chats have
                own_tags = [name for name in chat.tags if name not in common]
                undos.append(self._order.tag([chat.id], [*own_tags, *tags]))
            n, count = len(ids), number(len(ids))
            words = counted("Chat tagged", "{count} chats tagged", n, count=count)
            self.action_finished.emit(words, lambda: [undo() for undo in undos])

        self.tags_requested.emit(ids[0], ", ".join(sorted(common)), tag)

    @Slot(list, object)
    def move_dropped(self, rows: list[ListEntry], target: ListEntry) -> None:
        ids = [row.id for row in rows if row.kind == "chat"]
        chat_under = self._library.chat(target.id) if target.kind == "chat" else None
        folder_id = chat_under.folder_id if chat_under is not None else None
        if target.kind == "folder":
            folder_id = target.id
        for row in rows:
            if row.kind == "folder" and row.id != folder_id:
                into = folder_id if self._order.can_nest(row.id, folder_id) else None
                self.action_finished.emit(tr("Folder moved"), self._order.move_folder(row.id, into))
        if not ids:
            return
        if target.id == ARCHIVE or (chat_under is not None and chat_under.archived_at is not None):
            if not self.are_archived(ids):
                self.archive(ids)
        elif target == ListEntry("heading", tr("Pinned")) or (
            chat_under is not None and chat_under.pinned_at is not None
        ):
            if not self.are_pinned(ids):
                self.pin(ids)
        elif target != ListEntry("heading", tr("Folders")):
            self.move(ids, folder_id)

    def add_to(self, menu: QMenu, ids: Sequence[str]) -> None:
        menu.addAction(tr("Unpin") if self.are_pinned(ids) else tr("Pin"), lambda: self.pin(ids))
        self.fill_move(menu.addMenu(tr("Move to Folder")), ids)
        menu.addAction(tr("Edit Tags"), lambda: self.ask_tags(ids))
        words = (
            tr("Unarchive") if self.are_archived(ids) else tr("Archive", "what is done with a chat")
        )
        menu.addAction(words, lambda: self.archive(ids))

    def fill_move(self, menu: QMenu, ids: Sequence[str]) -> None:
        folder_ids = {chat.folder_id for chat in self._chats(ids)}
        for folder in sorted(self._order.folders(), key=lambda f: self._order.path(f.id)):
            act = partial(self.move, ids, folder.id)
            add_action(menu, self._order.path(folder.id), act, checked=folder_ids == {folder.id})
        if not menu.isEmpty():
            menu.addSeparator()
        if folder_ids != {None}:
            menu.addAction(tr("Remove from Folder"), lambda: self.move(ids, None))
        menu.addAction(tr("New Folder…"), lambda: self.new_folder(ids=ids))

    def folder_menu(self, folder_id: str, rename: Callable[[], None]) -> QMenu:
        menu = make_menu(self._parent)
        folder = self._order.folder(folder_id)
        menu.addAction(tr("Rename"), rename)
        if folder is not None and folder.parent_id is None:
            menu.addAction(tr("New Subfolder…"), lambda: self.new_folder(folder_id))
        elif folder is not None:
            menu.addAction(
                tr("Move to Top Level"),
                lambda: self.action_finished.emit(
                    tr("Folder moved"), self._order.move_folder(folder_id, None)
                ),
            )
        menu.addSeparator()
        menu.addAction(tr("Delete Folder"), lambda: self.delete_folder(folder_id))
        return menu

    def pop_move(self, ids: Sequence[str], at: QPoint) -> None:
        menu = make_menu(self._parent)
        self.fill_move(menu, ids)
        menu.popup(at)
        menu.setActiveAction(menu.actions()[0])

    def _chats(self, ids: Sequence[str]) -> list[ChatRecord]:
        return [chat for chat in map(self._library.chat, ids) if chat is not None]
