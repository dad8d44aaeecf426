"""Comparing: what to compare is asked for, and a comparison is left again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.table import AnswerTable
from app.language import counted, mark, tr
from app.settings import Settings
from app.store import Attachments, Store
from app.ui.compare.compare_dialog import Column, CompareDialog
from app.ui.compare.desk import Desk
from app.ui.compare.table_window import TableWindow
from app.ui.pane.pane import ChatPane
from app.ui.pane.pane_files import PaneFiles
from app.ui.widgets.closing import open_dialog
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import Where, command
from app.ui.window.undo import Undos
from app.ui.window.workspace import Workspace

TABLE = "table"
"""The latest table of answers lies in the store among the layouts, under this name."""


class CompareCommands(QObject):
    """The commands for several models, seeds or temperatures.

    Attributes:
        table: the latest table of answers; None before it was shown or begun in this run.
    """

    def __init__(
        self,
        library: ChatLibrary,
        store: Store,
        settings: Settings,
        workspace: Workspace,
        chats: ChatCommands,
        undos: Undos,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._library = library
        self._store = store
        self.table: AnswerTable | None = None
        self._settings = settings
        self._workspace = workspace
        self._chats = chats
        self._undos = undos
        self._window = window
        self._comparisons = chats.comparisons
        self._comparisons.put_aside.connect(self._on_put_aside)
        self._comparisons.left.connect(self._on_left)
        library.erased.connect(self._on_erased)

    @command("compare", mark("Compare…"), "Ctrl+Alt+C")
    def compare(self) -> None:
        """Ask what to compare, from what stands in the active composer."""
        active = self._workspace.active
        model = active.chat.record.model if active is not None else self._settings.model
        loader = self._library.loader
        refs = dict.fromkeys([model, *(m.ref for m in loader.known()), *self._settings.models])
        dialog = CompareDialog(
            [(ref, loader.get(ref).name) for ref in refs],
            model,
            active.chat.options if active is not None else ChatOptions(),
            active.composer.text if active is not None else "",
            self._window,
            kept=self._settings.kept,
            prompts=self._settings.prompts,
            files=active.findChild(PaneFiles) if active is not None else None,
        )
        system = active.chat.record.system if active is not None else ""

        def take_files() -> None:
            """What the columns got stands in the message no longer, unless that is another one."""
            if active is not None and not active.composer.text and not active.composer.editing:
                for file in active.chat.attaching.files:
                    active.chat.attaching.remove(file)

        def begin() -> None:
            prompt = dialog.prompt.toPlainText().strip("\n")  # all lines, where they are several
            taken = active is not None and active.composer.text.strip("\n") == prompt
            if active is not None and taken and not active.composer.editing:
                active.composer.set_text("")
            columns, files = dialog.columns(), dialog.attachments
            if dialog.asked.several:
                self._begin_table(columns, system, dialog.asked.messages(), files)
                take_files()
                return
            blind = dialog.blind.isChecked()
            self._comparisons.begin(columns, system, prompt, files, blind=blind)
            take_files()
            if active is not None and active.chat.blank:
                # The columns have taken the place of the new chat that was asked for.
                self._workspace.close_pane(active, told=False)
                self._chats.discard_if_blank(active.chat.id)

        dialog.accepted.connect(begin)
        open_dialog(dialog)

    def _begin_table(
        self, columns: Sequence[Column], system: str, messages: list[str], files: Attachments
    ) -> None:
        told = [(column.model, column.options, column.words) for column in columns]
        if self.table is not None:
            self.table.let_go()
        self.table = AnswerTable.begin(self._library, told, system, messages, self, files)
        self._store.save_layout(TABLE, self.table.to_json())
        self.show_table()

    def _no_table(self) -> str:
        known = self.table is not None or self._store.layout(TABLE) is not None
        return "" if known else tr("Compare several messages first: Pane > Compare…")

    @command("compare_table", mark("Compared Messages"), why_not=_no_table)
    def show_table(self) -> None:
        """Show the latest table of answers, also that of an earlier run."""
        if self.table is None:
            told = self._store.layout(TABLE)
            self.table = AnswerTable.from_json(told, self._library, self)
        if self.table is None:
            self._undos.say(tr("The table cannot be read. Its answers are in the list of chats."))
            return
        window = self._window.findChild(TableWindow)
        if window is not None and window.table is not self.table:
            window.close()
            window = None
        if window is None:
            window = TableWindow(self.table, self._window)
            window.opened.connect(self._chats.open_at)
        window.show()
        window.raise_()
        window.activateWindow()

    def _compared(self, pane: ChatPane) -> str:
        return "" if self._comparisons.has(pane) else tr("This chat is not being compared")

    @command(
        "leave_compare", mark("Back to What Was There Before"), where=Where.PANE, why_not=_compared
    )
    def leave(self, pane: ChatPane) -> None:
        """Close the columns of a comparison without keeping one."""
        self._comparisons.leave(pane)

    @Slot(str)
    def _on_erased(self, chat_id: str) -> None:
        """What was asked in chats that were erased for good is not kept in the table either."""
        table = self.table or AnswerTable.from_json(self._store.layout(TABLE), self._library)
        if table is None or chat_id not in table.columns:
            return
        if all(self._library.chat(column) is None for column in table.columns):
            self.table = None
            self._store.delete_layout(TABLE)

    @Slot(object)
    def _on_put_aside(self, desk: Desk) -> None:
        words = counted(
            "%n chat is put aside until you keep one of these",
            "%n chats are put aside until you keep one of these",
            len(desk.chats),
        )
        self._undos.offer(words, desk.bring_back)

    @Slot(object)
    def _on_left(self, undo: Callable[[], None]) -> None:
        if not self._workspace.panes():
            self._chats.new()  # nothing but a new chat was there
        self._undos.offer(tr("The compared answers are in the list of chats"), undo)
