"""The branches of a chat: shown in the place of its conversation, and two of them compared."""

from __future__ import annotations

from PySide6.QtCore import Slot

from app.settings.language import mark, tr
from app.ui.compare.branches import BranchCompare
from app.ui.pane.pane import ChatPane
from app.ui.window.commands import pane_command
from app.ui.window.context import InWindow, WindowParts
from app.ui.window.notices import Pulse


class TreeCommands(InWindow):
    """Opens and closes the tree of a pane's chat."""

    def __init__(self, parts: WindowParts, pulse: Pulse) -> None:
        super().__init__(parts)
        pulse.beat.connect(self._on_beat)
        self._workspace.pane_made.connect(self._on_pane_made)

    def _nothing_said(self, pane: ChatPane) -> str:
        return tr("This chat is empty.") if pane.chat.transcript.leaf_id is None else ""

    def _words(self, pane: ChatPane) -> str:
        return mark("Hide Branches") if pane.shows_tree else mark("Show Branches")

    @pane_command(
        "tree", mark("Show Branches"), "Ctrl+Shift+G", why_not=_nothing_said, words=_words
    )
    def toggle(self, pane: ChatPane) -> None:
        pane.show_tree(not pane.shows_tree)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.branches_compared.connect(self._compare)

    @Slot(object, str, str)
    def _compare(self, pane: ChatPane, one: str, other: str) -> None:
        window = BranchCompare(pane.chat, one, other, pane.window())
        window.chosen.connect(pane.tree.gone)
        window.open()

    @Slot(int)
    def _on_beat(self, alpha: int) -> None:
        for pane in self._workspace.panes():
            if pane.shows_tree:
                pane.tree.on_beat(alpha)
