"""Room for a comparison in a window that is split: its panes are put aside and come back."""

from __future__ import annotations

from collections.abc import Collection

from app.chats.library import ChatLibrary
from app.ui.window.pane_placement import columns_that_fit
from app.ui.window.workspace import Workspace


class Desk:
    """What stood in the main window before a comparison took its place.

    Attributes:
        chats: the ids of those that were put aside; none if there was room beside them.
    """

    def __init__(self, library: ChatLibrary, workspace: Workspace, columns: int) -> None:
        """Make room for so many columns."""
        self._library = library
        self._workspace = workspace
        self._before = workspace.arrangement()
        self.chats: list[str] = []
        active = workspace.active
        if active is None or active.window() is not workspace.window():
            return
        here = [pane for pane in workspace.panes() if pane.window() is workspace.window()]
        alone = sum(pane.isVisible() for pane in here) < 2
        if alone or columns_that_fit(workspace, active) >= columns:
            return
        for pane in here:
            if not pane.chat.blank:
                self.chats.append(pane.chat.id)
            workspace.close_pane(pane, told=False)

    def bring_back(self, columns: Collection[str] = (), kept: str = "") -> None:
        """Let the chats stand where they did, with the ``kept`` one of the columns beside them.

        Where a person has opened others meanwhile, these stay and nothing is rearranged.
        """
        ids, self.chats = self.chats, []
        known = [i for i in ids if self._library.chat(i) is not None]
        if not known:
            return
        open_now = {pane.chat.id for pane in self._workspace.panes()}
        before = [i for i in self._before.chats if i in known or i in open_now - {*columns}]
        if open_now <= {*columns, *before}:
            chats = [self._library.open(i, "") for i in before]
            self._workspace.arrange(self._before, chats)
        for chat_id in known:
            if self._workspace.pane(chat_id) is None and not self._workspace.reopen(chat_id):
                self._workspace.show_chat(self._library.open(chat_id, ""))
        if kept and not self._workspace.reopen(kept):
            self._workspace.show_chat(self._library.open(kept, ""))
