"""Asking several chats at once: broadcasts to panes that are open, and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.chats.table import AnswerTable
from app.settings.language import counted, mark, tr
from app.settings.options import Settings
from app.store import Attachments, Store
from app.ui.compare.compare import Comparisons, Desk
from app.ui.compare.compare_dialog import Column, CompareDialog
from app.ui.compare.table_window import TableWindow
from app.ui.pane.files import PaneFiles
from app.ui.pane.pane import ChatPane
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import Where, command
from app.ui.window.undo import Undos
from app.ui.workspace.workspace import Workspace


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

    @Slot(object, str, object)
    def _on_spoken(self, speaker: ChatPane, text: str, files: Attachments) -> None:
        """The speaker's chat has taken the message; now the others."""
        group = self.group
        if not self._on or speaker not in group:
            return
        others = [pane for pane in group if pane is not speaker]
        busy = [pane for pane in others if not pane.chat.send(text, files)]
        if busy:
            self.said.emit(
                counted(
                    "%n chat was still answering and did not get this message",
                    "%n chats were still answering and did not get this message",
                    len(busy),
                )
            )


class Together(QObject):
    """Ties the wheel of compared answers on request, and keeps a tally by model.

    Signals:
        tied(on): whether they scroll together.
        said(text): what the person should know.
    """

    tied = Signal(bool)
    said = Signal(str)

    def __init__(
        self,
        comparisons: Comparisons,
        library: ChatLibrary,
        settings: Settings,
        workspace: Workspace,
    ) -> None:
        super().__init__(workspace)
        self._comparisons = comparisons
        self._library = library
        self._settings = settings
        self._on = False
        self._panes: dict[QObject, ChatPane] = {}
        workspace.pane_made.connect(self._on_pane_made)
        comparisons.kept.connect(self._on_kept)

    @command("tie_scrolling", mark("Scroll Compared Answers Together"), checkable=True)
    def toggle(self) -> None:
        """Tie the wheel of the columns of each comparison, or let each scroll by itself."""
        self._on = not self._on
        self.tied.emit(self._on)
        self.said.emit(
            tr("Compared answers scroll together")
            if self._on
            else tr("Each answer scrolls by itself")
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pane = self._panes.get(watched)
        if self._on and pane is not None and event.type() == QEvent.Type.Wheel:
            before = pane.transcript.verticalScrollBar().value()
            # Once the wheel has moved it: only then is it known by how much.
            QTimer.singleShot(0, pane, partial(self._follow, pane, before))
        return super().eventFilter(watched, event)

    def _follow(self, pane: ChatPane, before: int) -> None:
        by = pane.transcript.verticalScrollBar().value() - before
        for other in self._comparisons.beside(pane):
            bar = other.transcript.verticalScrollBar()
            bar.setValue(bar.value() + by)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        viewport = pane.transcript.viewport()
        self._panes[viewport] = pane
        viewport.installEventFilter(self)
        viewport.destroyed.connect(partial(self._panes.pop, viewport, None))

    @Slot(str, list, str)
    def _on_kept(self, model: str, compared: list[str], names: str) -> None:
        """Of models only: a seed that was kept says nothing about the next question."""
        if len(set(compared)) < 2:
            if names:
                self.said.emit(names)
            return
        tally = {name: list(counts) for name, counts in self._settings.kept.items()}
        for name in set(compared):
            kept, times = tally.get(name, [0, 0])
            tally[name] = [kept + (name == model), times + 1]
        self._settings.set(kept=tally)
        kept, times = tally[model]
        name = self._library.loader.get(model).name
        words = counted(
            "{name} was kept {kept} of %n times so far",
            "{name} was kept {kept} of %n times so far",
            times,
            name=name,
            kept=kept,
        )
        self.said.emit(f"{names}. {words}" if names else words)


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
        dialog.open()

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
