"""Compare: one prompt, several answers side by side, and going on from the best."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app.chats.library import ChatLibrary
from app.chats.transcript import title_from
from app.ui.compare_dialog import Column
from app.ui.pane import ChatPane
from app.ui.workspace import Workspace


class Comparisons(QObject):
    """Opens the columns as chats of their own, and closes all but the kept one."""

    def __init__(self, library: ChatLibrary, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._library = library
        self._workspace = workspace
        self._groups: list[list[str]] = []

    def begin(self, columns: Sequence[Column], system: str, prompt: str) -> list[ChatPane]:
        """Ask the prompt in a new chat for each column; all answer at once."""
        panes: list[ChatPane] = []
        for column in columns:
            controller = self._library.new(column.model)
            controller.set_options(column.options, system)
            pane = self._workspace.show_chat(controller, "right" if panes else "tab")
            pane.header.set_keep(shown=True)
            pane.header.keep_asked.connect(self._on_keep)
            controller.load_model()
            controller.send(prompt)
            controller.rename(f"{column.words}: {title_from(prompt, 32)}")
            panes.append(pane)
        self._workspace.share_width(panes)
        self._groups.append([pane.controller.id for pane in panes])
        self._workspace.activate(panes[0])
        return panes

    @Slot()
    def _on_keep(self) -> None:
        header = self.sender()
        kept = next((p for p in self._workspace.panes() if p.header is header), None)
        if kept is not None:
            self.keep(kept)

    def keep(self, kept: ChatPane) -> None:
        """Go on from this column: the others are closed, and undo brings each back."""
        group = next((g for g in self._groups if kept.controller.id in g), [])
        if group:
            self._groups.remove(group)
        for chat_id in group:
            pane = self._workspace.pane(chat_id)
            if pane is not None:
                pane.header.set_keep(shown=False)
                if pane is not kept:
                    pane.controller.stop()
                    self._workspace.close_pane(pane)
        self._workspace.activate(kept)
