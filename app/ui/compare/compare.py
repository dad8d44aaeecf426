"""A comparison that is open: its columns, what differs, and what is done in all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from math import ceil
from random import shuffle
from string import ascii_uppercase
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.chats.differences import differences
from app.chats.library import ChatLibrary
from app.chats.turn import Event
from app.settings.language import tr
from app.store import Attachments
from app.ui.compare.compare_dialog import Column
from app.ui.pane.pane import ChatPane
from app.ui.transcript.answer_row import AnswerRow
from app.ui.workspace.docks import Arrangement
from app.ui.workspace.placement import columns_that_fit, even_out_beside, has_room
from app.ui.workspace.workspace import Workspace


class Group(Struct):
    """The columns of one comparison."""

    columns: dict[str, str]  # by chat: what it differs in, in a few words; from left to right
    blind: bool  # these words and the models' names are hidden until one is kept
    desk: Desk  # what has given its place to the columns

    def alias(self, chat_id: str) -> str:
        """What a hidden column is called instead."""
        letter = ascii_uppercase[list(self.columns).index(chat_id)]
        return tr("Reply {letter}", letter=letter)

    def to_json(self) -> dict[str, Any]:
        """What `columns_from_json` and `Desk.from_json` take."""
        return {"columns": self.columns, "blind": self.blind, "desk": self.desk.to_json()}


def columns_from_json(data: object) -> tuple[dict[str, str], bool] | None:
    """The columns, and whether they are hidden; None for what cannot have come from a group."""
    if not isinstance(data, dict):
        return None
    columns = data.get("columns")
    if not isinstance(columns, dict) or not 2 <= len(columns) <= len(ascii_uppercase):
        return None
    if not all(isinstance(one, str) for pair in columns.items() for one in pair):
        return None
    return dict(columns), data.get("blind") is True


class Comparisons(QObject):
    """Opens the columns as chats of their own, and closes all but the kept one."""

    # (desk): panes gave their place to the columns; `Desk.bring_back` undoes it
    put_aside = Signal(object)
    # (model, models, words, told, closed): the column of this model was kept, of those of all
    # these; what it differs in; what hidden columns were, "" where nothing was hidden; the ids of
    # the others
    kept = Signal(str, list, str, str, list)
    # (undo): a comparison was left without keeping any; calling ``undo`` opens it again
    left = Signal(object)

    def __init__(self, library: ChatLibrary, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._library = library
        self._workspace = workspace
        self._groups: list[Group] = []
        workspace.pane_made.connect(self._on_pane_made)
        workspace.pane_closed.connect(self._on_pane_closed)

    def begin(
        self,
        columns: Sequence[Column],
        system: str,
        prompt: str,
        # go with the prompt; the engine reads them once for columns of one model
        files: Attachments = (),
        *,
        # the columns are mixed, and nothing tells which is which until one is kept
        blind: bool = False,
    ) -> list[ChatPane]:
        """Ask the prompt in a new chat for each column; all answer at once.

        They have the window to themselves until one is kept or they are left. Where there is no
        room for all beside each other they stand in two rows; what does not fit there is a tab.
        """
        desk = Desk.cleared(self._library, self._workspace)
        order = list(columns)
        if blind:
            shuffle(order)
        chats = [self._library.new(column.model) for column in order]
        words = [column.words for column in order]
        group = Group(dict(zip((c.id for c in chats), words, strict=True)), blind, desk)
        self._groups.append(group)
        panes: list[ChatPane] = []
        fit, rows = 1, 1
        for chat, column in zip(chats, order, strict=True):
            chat.set_options(column.options, system)
            at = len(panes)
            where = "right" if 0 < at < fit else "tab"
            if at == fit:
                even_out_beside(self._workspace, panes[0])
            if fit <= at < rows * fit:
                self._workspace.activate(panes[at - fit], focus=False)
                where = "down"
            pane = self._workspace.show_chat(chat, where)
            if not panes:
                fit = columns_that_fit(self._workspace, pane)
                if len(chats) > fit and has_room(self._workspace, pane, "down"):
                    fit, rows = min(fit, ceil(len(chats) / 2)), 2
            chat.model.load()
            chat.turn.send(prompt, files, unseen=True)
            panes.append(pane)
        names = {
            chat.id: chat.model.alias or words for chat, words in zip(chats, words, strict=True)
        }
        self._library.order.group(names)
        if len(panes) <= fit:
            even_out_beside(self._workspace, panes[0])
        self._workspace.activate(panes[0])
        if desk.chats:
            self.put_aside.emit(desk)
        return panes

    def to_json(self) -> list[dict[str, Any]]:
        """The comparisons that are open, for `restore` in another run."""
        return [group.to_json() for group in self._groups if len(self._panes(group.columns)) > 1]

    def restore(self, data: object) -> None:
        """Let panes that were columns at the last end be columns again."""
        for told in data if isinstance(data, list) else ():
            found = columns_from_json(told)
            if found is None:
                continue
            columns, blind = found
            panes = self._panes(columns)
            if len(panes) > 1:
                desk = Desk.from_json(told.get("desk"), self._library, self._workspace)
                self._gather(Group(columns, blind, desk))

    def _gather(self, group: Group) -> None:
        """The panes of its columns are open: let them be columns."""
        self._groups.append(group)
        for pane in self._panes(group.columns):
            self._on_pane_made(pane)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        """Give the pane of a column what a column has."""
        group = self._group(pane.chat.id)
        if group is None:
            return
        if group.blind:
            pane.chat.set_alias(group.alias(pane.chat.id))
        pane.header.set_keep(shown=True)
        for signal, slot in self._wires(pane):
            # Its chat outlives the pane, and may get another one.
            signal.connect(slot, Qt.ConnectionType.UniqueConnection)

    def _wires(self, pane: ChatPane) -> tuple[tuple[Any, Callable[..., None]], ...]:
        return (
            (pane.header.keep.clicked, self._on_keep),
            (pane.header.differs.clicked, self._on_differences),
            (pane.chat.reply_ended, self._on_reply_ended),
            (pane.transcript.put_up, self._on_put_up),
            (pane.escaped, self._on_escaped),
        )

    @Slot()
    def _on_keep(self) -> None:
        button = self.sender()
        kept = next((p for p in self._workspace.panes() if p.header.keep is button), None)
        if kept is not None:
            self.keep(kept)

    @Slot()
    def _on_differences(self) -> None:
        for group in self._groups:
            for pane in self._panes(group.columns):
                if pane.header.differs is self.sender():
                    self._mark(group.columns, pane.header.differs.isChecked())

    @Slot(str)
    def _on_reply_ended(self, message_id: str) -> None:
        self._mark_again(message_id, self.sender())

    @Slot(str)
    def _on_put_up(self, message_id: str) -> None:
        """Mark an answer whose row did not exist when its column was marked."""
        self._mark_again(message_id, self.sender())

    def _mark_again(self, message_id: str, whose: object) -> None:
        for group in self._groups:
            for pane in self._panes(group.columns):
                mine = whose is pane.chat or whose is pane.transcript
                if mine and pane.header.differs.isChecked():
                    last = pane.chat.transcript.last("assistant")
                    if last is not None and last.id == message_id:
                        self._mark(group.columns, True)

    @Slot(object)
    def _on_escaped(self, pane: ChatPane) -> None:
        if self.has(pane):
            self.leave(pane)

    @Slot(str)
    def _on_pane_closed(self, chat_id: str) -> None:
        """Once the last column is closed there is nothing to keep: what was there comes back."""
        group = self._group(chat_id)
        if group is not None and not self._panes(group.columns):
            self._dissolve(group)
            group.desk.bring_back(group.columns)

    def _group(self, chat_id: str) -> Group | None:
        return next((group for group in self._groups if chat_id in group.columns), None)

    def has(self, pane: ChatPane) -> bool:
        """Whether it is one of several columns that are compared."""
        return self._group(pane.chat.id) is not None

    def beside(self, pane: ChatPane) -> list[ChatPane]:
        """The other columns of its comparison that are open."""
        group = self._group(pane.chat.id)
        columns = group.columns if group is not None else {}
        return [other for other in self._panes(columns) if other is not pane]

    def _panes(self, group: Iterable[str]) -> list[ChatPane]:
        return [pane for pane in map(self._workspace.pane, group) if pane is not None]

    def _mark(self, group: Iterable[str], shown: bool) -> None:
        """Mark in each what the first column lacks, and in the first what the second lacks."""
        rows: list[AnswerRow] = []
        for pane in self._panes(group):
            pane.header.differs.setChecked(shown)
            last = pane.chat.transcript.last("assistant")
            row = pane.transcript.row(last.id) if last is not None else None
            if isinstance(row, AnswerRow):
                row.mark(())
                if not row.streaming:
                    rows.append(row)
        if not shown or len(rows) < 2:
            return
        first = rows[0].plain_text
        for place, row in enumerate(rows[1:]):
            here, there = differences(first, row.plain_text)
            row.mark(there)
            if place == 0:
                rows[0].mark(here)

    def keep(self, kept: ChatPane) -> None:
        """Keep this column and close the others."""
        group = self._group(kept.chat.id)
        if group is None:
            self._workspace.activate(kept)
            return
        models = [pane.chat.record.model for pane in self._panes(group.columns)]
        told = self._told(group, kept.chat.id) if group.blind else ""
        self._dissolve(group)
        others = [pane for pane in self._panes(group.columns) if pane is not kept]
        for pane in others:
            pane.chat.turn.handle(Event.STOP)
            self._workspace.close_pane(pane, told=False)
        group.desk.bring_back(group.columns, kept.chat.id)
        self._workspace.activate(kept)
        closed = [pane.chat.id for pane in others]
        words = group.columns[kept.chat.id]
        self.kept.emit(kept.chat.record.model, models, words, told, closed)

    def leave(self, pane: ChatPane) -> None:
        """Close all columns and go back to what was there. Their chats stay in the list."""
        group = self._group(pane.chat.id)
        if group is None:
            return
        desk = group.desk
        again = Desk(self._library, self._workspace, desk.before, list(desk.chats))
        columns, aside = self._workspace.arrangement(), group.columns
        self._dissolve(group)
        for column in self._panes(group.columns):
            column.chat.turn.handle(Event.STOP)
            self._workspace.close_pane(column, told=False)
        desk.bring_back(group.columns)

        def undo() -> None:
            open_again = [i for i in columns.chats if self._library.chat(i) is not None]
            chats = [self._library.open(chat_id, "") for chat_id in open_again]
            self._workspace.arrange(columns, chats)
            # Their names are known by now.
            self._gather(Group(aside, False, again))

        self.left.emit(undo)

    def _dissolve(self, group: Group) -> None:
        """Its columns are chats like others, and nothing about them is hidden any more."""
        self._groups.remove(group)
        self._mark(group.columns, False)
        for pane in self._panes(group.columns):
            pane.header.set_keep(shown=False)
            for signal, slot in self._wires(pane):
                signal.disconnect(slot)
        for chat_id, words in group.columns.items():
            chat = self._library.find(chat_id)
            if chat is not None:
                chat.set_alias("")
            record = self._library.chat(chat_id)
            if group.blind and record is not None and record.variant == group.alias(chat_id):
                self._library.change({chat_id: {"variant": words}})

    def _told(self, group: Group, kept: str) -> str:
        """What hidden columns were, the kept one first."""
        first = tr(
            "{reply} was {what}",
            "Reply A was Seed 1",
            reply=group.alias(kept),
            what=group.columns[kept],
        )
        others = [f"{group.alias(i)} {words}" for i, words in group.columns.items() if i != kept]
        return ", ".join([first, *others])


class Desk:
    """What stood in the main window before a comparison took its place."""

    def __init__(
        self, library: ChatLibrary, workspace: Workspace, before: Arrangement, chats: list[str]
    ) -> None:
        self._library = library
        self._workspace = workspace
        self.before = before  # how all panes stood
        # the ids of those that were put aside; none if there was nothing but a new chat
        self.chats = chats

    @classmethod
    def cleared(cls, library: ChatLibrary, workspace: Workspace) -> Desk:
        """Put the main window's panes aside. Those in windows of their own stay."""
        desk = cls(library, workspace, workspace.arrangement(), [])
        for pane in workspace.panes():
            dock = workspace.dock(pane.chat.id)
            # A hidden tab's pane is in no window, but its dock knows where it lies.
            if dock is not None and not dock.isInFloatingContainer():
                if not pane.chat.blank:
                    desk.chats.append(pane.chat.id)
                workspace.close_pane(pane, told=False)
        return desk

    @classmethod
    def from_json(cls, data: object, library: ChatLibrary, workspace: Workspace) -> Desk:
        """What `to_json` gave, for another run of the program; an empty one for anything else."""
        told = data if isinstance(data, dict) else {}
        before = Arrangement.from_json(told.get("before"))
        ids = told.get("chats")
        chats = [i for i in ids if isinstance(i, str)] if isinstance(ids, list) else []
        if before is None:
            return cls(library, workspace, Arrangement("", ()), [])
        return cls(library, workspace, before, chats)

    def to_json(self) -> dict[str, Any]:
        return {"before": self.before.to_json(), "chats": self.chats}

    def bring_back(self, columns: Collection[str] = (), kept: str = "") -> None:
        """Let the chats stand where they did, with the ``kept`` one of the columns beside them.

        Where a person has opened others meanwhile, these stay and nothing is rearranged.
        """
        ids, self.chats = self.chats, []
        known = [i for i in ids if self._library.chat(i) is not None]
        if not known:
            return
        open_now = {pane.chat.id for pane in self._workspace.panes()}
        before = [i for i in self.before.chats if i in known or i in open_now - {*columns}]
        if open_now <= {*columns, *before}:
            chats = [self._library.open(i, "") for i in before]
            self._workspace.arrange(self.before, chats)
        for chat_id in known:
            if self._workspace.pane(chat_id) is None and not self._workspace.reopen(chat_id):
                self._workspace.show_chat(self._library.open(chat_id, ""))
        if kept and not self._workspace.reopen(kept):
            self._workspace.show_chat(self._library.open(kept, ""))
