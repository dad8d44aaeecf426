"""The commands of the deleted chats and of the backups."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.language import mark
from app.store import Store
from app.ui.widgets.closing import open_dialog
from app.ui.window.commands import command


class StoreCommands(QObject):
    """Shows what is kept besides the chats in the list.

    Signals:
        restore_asked(path): the program is to go on with this backup of the chats.
    """

    restore_asked = Signal(object)

    def __init__(self, library: ChatLibrary, store: Store, window: QWidget) -> None:
        super().__init__(window)
        self._library = library
        self._store = store
        self._window = window

    @command("trash", mark("Trash"))
    @Slot()
    def show_trash(self) -> None:
        """Open the deleted chats."""
        from app.ui.dialogs.trash import TrashDialog  # not needed at the start

        TrashDialog(self._library, self._window).show()

    @command("backups", mark("Restore from Backup…"))
    def show_backups(self) -> None:
        """Ask which backup to go back to."""
        from app.ui.dialogs.backups import BackupsDialog

        dialog = BackupsDialog(self._store.backups(), self._window)
        dialog.taken.connect(self.restore_asked)
        open_dialog(dialog)
