"""The window's own layout: which chats were open and where, kept as it changes, back at a start."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from PySide6.QtCore import QByteArray, QEventLoop, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication, QWidget

from app.chats.chat import Chat
from app.store import Store, StoreError
from app.ui.pane.pane import ChatPane
from app.ui.window.arrangement import Arrangement
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.workspace import Workspace

LAYOUT = "main"


class WindowLayout(QObject):
    """Puts a window back as it was at the last end, and keeps how it stands.

    Attributes:
        ended: the program ends: nothing is restored or kept any more.
    """

    def __init__(
        self,
        store: Store,
        workspace: Workspace,
        chats: ChatCommands,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._store = store
        self._workspace = workspace
        self._chats = chats
        self._window = window
        self._restored = False
        self.ended = False
        self._soon = QTimer(self, singleShot=True, interval=800)
        self._soon.timeout.connect(self.save)
        workspace.pane_made.connect(self._on_pane_made)
        workspace.arranged.connect(self.save_soon)
        workspace.active_changed.connect(self.save_soon)

    def show_restored(self) -> bool:
        """Show the window with what was open at the last end, or one new chat at a first start.

        False if the program was told to end meanwhile.
        """
        workspace, layout = self._workspace, self._store.layout(LAYOUT) or {}
        geometry, arrangement = layout.get("geometry"), Arrangement.from_json(layout)
        if isinstance(geometry, str):
            self._window.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        if arrangement is None or arrangement.chats:
            workspace.expect_panes()
        # Before the panes: splitters share out the size they have at that moment, and building
        # panes takes a while, in which the window is there already.
        self._window.show()
        self._window.activateWindow()
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        if self.ended:  # a signal told the program to end
            return False
        if arrangement is None:
            self._chats.new()
        elif arrangement.chats:
            blank = layout.get("blank")
            begun = blank if isinstance(blank, dict) else {}
            # A kill may come between the deleting of a chat and the saving of the layout.
            there = [i for i in arrangement.chats if not self._chats.deleted(i)]
            workspace.arrange(arrangement, list(self._readable(there, begun)))
            self._chats.comparisons.restore(layout.get("compared"))
        self._restored = True
        # Load what the open chats answer with, and nothing else.
        for pane in workspace.panes():
            pane.chat.load_model()
        return True

    def _readable(self, ids: Iterable[str], begun: Mapping[str, Any]) -> Iterator[Chat]:
        """The chats, but for what is damaged: that is told, and does not keep the window shut."""
        for chat_id in ids:
            try:
                yield self._chats.chat(chat_id, begun.get(chat_id))
            except StoreError as error:
                sys.excepthook(type(error), error, error.__traceback__)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        # The chat outlives its pane, and may get another one.
        once = Qt.ConnectionType.UniqueConnection
        pane.chat.chat_changed.connect(self._on_chat_changed, once)

    @Slot()
    def _on_chat_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and not chat.stored:
            self.save_soon()

    @Slot()
    def save_soon(self) -> None:
        """Something moved: save once it rests."""
        self._soon.start()

    @Slot()
    def save(self) -> None:
        """Keep the arrangement and the window's place."""
        if self._restored and not self.ended:
            place = bytes(self._window.saveGeometry().toBase64().data()).decode()
            arrangement = self._workspace.arrangement().to_json()
            # A chat in which nothing was written is not stored: what was chosen for it is here.
            blank = {
                pane.chat.id: {
                    "model": pane.chat.record.model,
                    "params": dict(pane.chat.record.params),
                    "system": pane.chat.record.system,
                }
                for pane in self._workspace.panes()
                if not pane.chat.stored
            }
            compared = self._chats.comparisons.to_json()
            kept = {**arrangement, "geometry": place, "blank": blank, "compared": compared}
            self._store.save_layout(LAYOUT, kept)

    def end(self) -> None:
        """The program ends: save, and keep nothing more."""
        self.save()
        self.ended = True
        self._soon.stop()
