"""Broadcast: what is written in one pane goes to all of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.pane import ChatPane
from app.ui.workspace import Workspace


class Broadcast(QObject):
    """On or off, for all panes of the program. Each chat keeps its own history and model.

    Signals:
        changed(on): it was switched.
        said(text): what the person should know.
    """

    changed = Signal(bool)
    said = Signal(str)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._on = False
        workspace.pane_made.connect(self._on_pane_made)
        workspace.arranged.connect(self._show)

    @property
    def on(self) -> bool:
        return self._on

    @Slot()
    def toggle(self) -> None:
        self._on = not self._on
        self._show()
        self.changed.emit(self._on)
        several = len(self._workspace.panes()) > 1
        if not self._on:
            self.said.emit("Broadcast is off")
        elif several:
            self.said.emit("Broadcast is on: your next message goes to every open chat")
        else:
            self.said.emit("Broadcast is on. Open another chat beside this one.")

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.spoken.connect(self._on_spoken)

    @Slot()
    def _show(self) -> None:
        """Tint every composer that will receive."""
        panes = self._workspace.panes()
        for pane in panes:
            pane.set_broadcast(len(panes) if self._on else 0)

    @Slot(object, str)
    def _on_spoken(self, speaker: ChatPane, text: str) -> None:
        """The speaker's chat has taken the message; now the others."""
        if not self._on:
            return
        others = [pane for pane in self._workspace.panes() if pane is not speaker]
        busy = [pane for pane in others if not pane.controller.send(text)]
        if busy:
            one = len(busy) == 1
            who = "1 chat was" if one else f"{len(busy)} chats were"
            self.said.emit(f"{who} still answering and did not get this message")
