"""Comparing: what to compare is asked for, and a comparison is left again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.settings import Settings
from app.ui.compare.compare_dialog import CompareDialog
from app.ui.compare.desk import Desk
from app.ui.pane.pane import ChatPane
from app.ui.widgets.closing import open_dialog
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import Where, command
from app.ui.window.undo import Undos
from app.ui.window.workspace import Workspace


class CompareCommands(QObject):
    """The commands for several models, seeds or temperatures."""

    def __init__(
        self,
        library: ChatLibrary,
        settings: Settings,
        workspace: Workspace,
        chats: ChatCommands,
        undos: Undos,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._library = library
        self._settings = settings
        self._workspace = workspace
        self._chats = chats
        self._undos = undos
        self._window = window
        self._comparisons = chats.comparisons
        self._comparisons.put_aside.connect(self._on_put_aside)
        self._comparisons.left.connect(self._on_left)

    @command("compare", "Compare…", "Ctrl+Alt+C")
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
        )
        system = active.chat.record.system if active is not None else ""

        def begin() -> None:
            prompt = dialog.prompt.toPlainText().strip("\n")
            taken = active is not None and active.composer.text.strip("\n") == prompt
            if active is not None and taken and not active.composer.editing:
                active.composer.set_text("")
            columns = dialog.columns()
            self._comparisons.begin(columns, system, prompt, blind=dialog.blind.isChecked())
            if active is not None and active.chat.blank:
                # The columns have taken the place of the new chat that was asked for.
                self._workspace.close_pane(active, told=False)
                self._chats.discard_if_blank(active.chat.id)

        dialog.accepted.connect(begin)
        open_dialog(dialog)

    def _compared(self, pane: ChatPane) -> str:
        return "" if self._comparisons.has(pane) else "This chat is not being compared"

    @command("leave_compare", "Back to What Was There Before", where=Where.PANE, why_not=_compared)
    def leave(self, pane: ChatPane) -> None:
        """Close the columns of a comparison without keeping one."""
        self._comparisons.leave(pane)

    @Slot(object)
    def _on_put_aside(self, desk: Desk) -> None:
        one = len(desk.chats) == 1
        words = "1 chat is put aside" if one else f"{len(desk.chats)} chats are put aside"
        self._undos.offer(f"{words} until you keep one of these", desk.bring_back)

    @Slot(object)
    def _on_left(self, undo: Callable[[], None]) -> None:
        if not self._workspace.panes():
            self._chats.new()  # nothing but a new chat was there
        self._undos.offer("The compared answers are in the list of chats", undo)
