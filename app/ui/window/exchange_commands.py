"""Commands that export, print and import chats, and open the trash and backups."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices

from app import flows
from app.settings.language import counted, mark, tr
from app.store import ChatRecord, Folder
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import NO_CHAT, command
from app.ui.window.context import WindowController, WindowParts

if TYPE_CHECKING:
    from app.chats.importing import Report


class StoreCommands(WindowController):
    restore_requested = Signal(object)  # (path)

    @command("trash", mark("Trash"))
    @Slot()
    def show_trash(self) -> None:
        from app.ui.dialogs.recovery import TrashDialog  # not needed at startup

        TrashDialog(self._library, self._window).show()

    @command("backups", mark("Restore from Backup…"))
    def show_backups(self) -> None:
        from app.ui.dialogs.recovery import BackupsDialog

        dialog = BackupsDialog(self._store.backups(), self._window)
        dialog.backup_chosen.connect(self.restore_requested)
        dialog.open()


_PRINT_PREFIX = "stretto-print-"


class ExchangeCommands(WindowController):
    def __init__(self, parts: WindowParts, chats: ChatCommands) -> None:
        super().__init__(parts)
        self._chats = chats
        self._sidebar.export_requested.connect(self.export_chats)

    @command("export", mark("Export Chats…"))
    def export(self) -> None:
        self.export_chats(self._sidebar.selected_chats())

    @Slot(list)
    def export_chats(self, chat_ids: Sequence[str]) -> None:
        """Open the export dialog for these chats, the current chat, or all."""
        from app.ui.dialogs.exchange_dialogs import ExportDialog  # not needed at startup

        everything = [chat.id for chat in self._library.chats()]
        choices: list[tuple[str, Sequence[str]]] = []
        meant = self._library.chat(self._target_chat if len(chat_ids) != 1 else chat_ids[0])
        if len(chat_ids) > 1:
            words = counted("Selected chat", "%Ln selected chats", len(chat_ids))
            choices.append((words, list(chat_ids)))
        if meant is not None:
            choices.append((tr("“{title}”", title=meant.display_title), [meant.id]))
        if len(everything) > 1 or not choices:
            words = counted("All %Ln chats", "All %Ln chats", len(everything))
            choices.append((words, everything))
        dialog = ExportDialog(self._store, choices, self._window)
        dialog.exported.connect(self._on_exported)
        dialog.show()

    @Slot(object, int)
    def _on_exported(self, path: Path, count: int) -> None:
        self._toast.show_text(
            counted(
                "Chat exported to “{file}”", "%Ln chats exported to “{file}”", count, file=path.name
            )
        )

    @command("import", mark("Import Chats…"))
    def import_chats(self) -> None:
        from app.ui.dialogs.exchange_dialogs import ImportDialog

        dialog = ImportDialog(self._store, self._chats.next_model, self._window)
        dialog.imported.connect(self._on_imported)
        dialog.show_or_raise()

    @Slot(object)
    def _on_imported(self, report: Report) -> None:
        self._library.order.refresh()
        self._library.add_imported(report.imported)
        added = tuple(report.imported)
        folders = tuple(report.folders)
        words = counted("%Ln chat imported", "%Ln chats imported", len(added))
        self._undos.offer_undo(words, lambda: self._start_undo_import(added, folders), seconds=30.0)

    def _start_undo_import(self, added: Sequence[ChatRecord], folders: Sequence[Folder]) -> None:
        """Undo an import. Chats that were changed since then go to the trash."""
        ids = {chat.id for chat in added}
        for pane in self._workspace.panes():
            if pane.chat.id in ids:
                self._workspace.close_pane(pane, announce=False)
        self._library.remove_imported(ids)
        flows.start(self, self._undo_import(added, folders))

    async def _undo_import(self, added: Sequence[ChatRecord], folders: Sequence[Folder]) -> None:
        from app.chats.importing.job import undo

        store, words = self._store, ""
        try:
            _, trashed = await flows.run_in_thread(lambda stop: undo(store, added, stop, folders))
        except Exception as error:
            words = tr("The import couldn’t be undone: {error}", error=error)
        else:
            if trashed:
                words = counted(
                    "%Ln changed chat moved to the Trash",
                    "%Ln changed chats moved to the Trash",
                    trashed,
                )
        self._library.order.refresh()
        self._library.list_changed.emit()
        self._library.trash_changed.emit()
        if words:
            self._toast.show_text(words)

    def _nothing_to_print(self) -> str:
        chat_id = self._target_chat
        if not chat_id:
            return tr(NO_CHAT)
        chat, listed = self._library.find(chat_id), self._library.chat(chat_id)
        leaf_id = chat.transcript.leaf_id if chat is not None else listed and listed.leaf_id
        return "" if leaf_id else tr("This chat is empty.")

    @command("print", mark("Print…"), "Ctrl+P", why_not=_nothing_to_print)
    def print_chat(self) -> None:
        """Convert the chat to PDF and open that in the default viewer, which can print it."""
        flows.start(self, self._print(self._target_chat))

    async def _print(self, chat_id: str) -> None:
        from app.chats.exporting import Export, ExportFormat, StoppedError

        store = self._store

        def work(stop: threading.Event) -> Path:
            for old in Path(tempfile.gettempdir()).glob(f"{_PRINT_PREFIX}*/*.pdf"):
                with suppress(OSError):
                    old.unlink()
                    old.parent.rmdir()
            folder = Path(tempfile.mkdtemp(prefix=_PRINT_PREFIX))  # only accessible to the user
            return Export([chat_id], ExportFormat.PDF, folder / "Chat.pdf").run(store, stop)

        try:
            path = await flows.run_in_thread(work)
        except StoppedError:
            return
        except Exception as error:
            self._toast.show_text(str(error))
        else:
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                self._toast.show_text(tr("No app here opens PDFs. Export the chat as PDF instead."))
