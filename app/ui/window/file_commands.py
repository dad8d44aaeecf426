"""Attaching files to messages: every pane's, and the command for it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.language import mark
from app.ui.pane.pane import ChatPane
from app.ui.pane.pane_files import PaneFiles
from app.ui.window.commands import Where, command
from app.ui.window.undo import Undos
from app.ui.window.workspace import Workspace


class FileCommands(QObject):
    """Gives each pane what takes files, and opens the dialog."""

    def __init__(self, workspace: Workspace, undos: Undos) -> None:
        super().__init__(workspace)
        self._undos = undos
        workspace.pane_made.connect(self._on_pane_made)

    @command("attach", mark("Attach Files…"), "Ctrl+Shift+A", where=Where.PANE)
    def attach(self, pane: ChatPane) -> None:
        """Choose files that go with the message."""
        pane.composer.attach_asked.emit()

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        PaneFiles(pane).offered.connect(self._undos.offer)
