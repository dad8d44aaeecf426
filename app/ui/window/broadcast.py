"""Broadcast: what is written in one pane goes to all of them, or to those that have not left it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.language import counted, mark, tr
from app.ui.pane.pane import ChatPane
from app.ui.window.commands import Where, command
from app.ui.window.workspace import Workspace


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
        self._left: set[str] = set()  # chats that hear only what is written in them
        self._joined: set[str] = set()  # chats at remote models that hear the others all the same
        workspace.pane_made.connect(self._on_pane_made)
        workspace.arranged.connect(self._show)

    @property
    def on(self) -> bool:
        return self._on

    @property
    def group(self) -> list[ChatPane]:
        """The panes that hear each other while it is on.

        What is written in one chat leaves the machine by another only where its person wants it.
        """
        return [p for p in self._workspace.panes() if self._hears(p)]

    def _hears(self, pane: ChatPane) -> bool:
        if pane.chat.remote is not None:
            return pane.chat.id in self._joined
        return pane.chat.id not in self._left

    @command("broadcast", mark("Broadcast to All Chats"), "Ctrl+Shift+B", checkable=True)
    @Slot()
    def toggle(self) -> None:
        """Switch it; switched on, it is for all chats of this machine again."""
        self._on = not self._on
        self._left.clear()
        self._joined.clear()
        self._show()
        self.changed.emit(self._on)
        several = len(self._workspace.panes()) > 1
        if not self._on:
            self.said.emit(tr("Broadcast is off"))
        elif several:
            self.said.emit(tr("Broadcast is on: your next message goes to every open chat"))
        else:
            self.said.emit(tr("Broadcast is on. Open another chat beside this one."))

    def _off(self, pane: ChatPane) -> str:
        return "" if self._on else tr("Broadcast is off")

    @command(
        "broadcast_one",
        mark("Leave or Join the Broadcast"),
        "Ctrl+Alt+B",
        where=Where.PANE,
        why_not=_off,
    )
    @Slot(object)
    def toggle_pane(self, pane: ChatPane) -> None:
        """Take a chat out of the group, or back into it."""
        (self._left if pane.chat.remote is None else self._joined).symmetric_difference_update(
            {pane.chat.id}
        )
        self._show()

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.spoken.connect(self._on_spoken)
        pane.broadcast_asked.connect(self.toggle_pane)
        # Perhaps to a remote model. The chat outlives its pane, and may get another one.
        once = Qt.ConnectionType.UniqueConnection
        pane.chat.chat_changed.connect(self._on_chat_changed, once)

    @Slot()
    def _on_chat_changed(self) -> None:
        if self._on:
            self._show()

    @Slot()
    def _show(self) -> None:
        """Tint every composer that will receive."""
        group = self.group
        remotes = [pane.chat.remote for pane in group if pane.chat.remote is not None]
        for pane in self._workspace.panes():
            heard = self._on and pane in group
            pane.set_broadcast(self._on, len(group) if heard else 0, remotes if heard else ())

    @Slot(object, str)
    def _on_spoken(self, speaker: ChatPane, text: str) -> None:
        """The speaker's chat has taken the message; now the others."""
        group = self.group
        if not self._on or speaker not in group:
            return
        others = [pane for pane in group if pane is not speaker]
        files = speaker.spoken_files
        busy = [pane for pane in others if not pane.chat.send(text, files)]
        if busy:
            self.said.emit(
                counted(
                    "%n chat was still answering and did not get this message",
                    "%n chats were still answering and did not get this message",
                    len(busy),
                )
            )
