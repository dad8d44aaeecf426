"""Room for a comparison: the panes of the main window are put aside and come back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from app.chats.library import ChatLibrary
from app.ui.window.arrangement import Arrangement
from app.ui.window.workspace import Workspace


class Desk:
    """What stood in the main window before a comparison took its place.

    Attributes:
        before: how all panes stood.
        chats: the ids of those that were put aside; none if there was nothing but a new chat.
    """

    def __init__(
        self, library: ChatLibrary, workspace: Workspace, before: Arrangement, chats: list[str]
    ) -> None:
        self._library = library
        self._workspace = workspace
        self.before = before
        self.chats = chats

    @classmethod
    def cleared(cls, library: ChatLibrary, workspace: Workspace) -> Desk:
        """Put the main window's panes aside. Those in windows of their own stay."""
        desk = cls(library, workspace, workspace.arrangement(), [])
        for pane in workspace.panes():
            if pane.window() is workspace.window():
                if not pane.chat.blank:
                    desk.chats.append(pane.chat.id)
                workspace.close_pane(pane, told=False)
        return desk

    @classmethod
    def from_json(cls, data: object, library: ChatLibrary, workspace: Workspace) -> Desk:
        """What `to_json` gave, for another run of the program; an empty one for anything else."""
        told = data if isinstance(data, dict) else {}
        before = Arrangement.from_json(told.get("before"))
        ids = told.get("chats")
        chats = [i for i in ids if isinstance(i, str)] if isinstance(ids, list) else []
        if before is None:
            return cls(library, workspace, Arrangement("", ()), [])
        return cls(library, workspace, before, chats)

    def to_json(self) -> dict[str, Any]:
        return {"before": self.before.to_json(), "chats": self.chats}

    def bring_back(self, columns: Collection[str] = (), kept: str = "") -> None:
        """Let the chats stand where they did, with the ``kept`` one of the columns beside them.

        Where a person has opened others meanwhile, these stay and nothing is rearranged.
        """
        ids, self.chats = self.chats, []
        known = [i for i in ids if self._library.chat(i) is not None]
        if not known:
            return
        open_now = {pane.chat.id for pane in self._workspace.panes()}
        before = [i for i in self.before.chats if i in known or i in open_now - {*columns}]
        if open_now <= {*columns, *before}:
            chats = [self._library.open(i, "") for i in before]
            self._workspace.arrange(self.before, chats)
        for chat_id in known:
            if self._workspace.pane(chat_id) is None and not self._workspace.reopen(chat_id):
                self._workspace.show_chat(self._library.open(chat_id, ""))
        if kept and not self._workspace.reopen(kept):
            self._workspace.show_chat(self._library.open(kept, ""))
