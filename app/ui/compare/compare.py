"""Running comparisons: their columns, marked differences, and actions on all columns."""

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
from app.ui.compare.compare_dialog import ComparisonColumn
from app.ui.pane.pane import ChatPane
from app.ui.transcript.answer_row import AnswerRow
from app.ui.workspace.docks import Arrangement
from app.ui.workspace.placement import columns_that_fit, even_out_beside, has_room
from app.ui.workspace.workspace import Workspace


class ComparisonGroup(Struct):
    """Columns of one comparison."""

    columns: dict[str, str]  # chat id -> label, from left to right
    blind: bool  # labels and model names are hidden until one is kept
    desk: ReplacedPanes  # chats that were replaced by the columns

    def alias(self, chat_id: str) -> str:
        """Return the neutral name of a column whose label is hidden."""
        letter = ascii_uppercase[list(self.columns).index(chat_id)]
        return tr("Reply {letter}", letter=letter)

    def to_json(self) -> dict[str, Any]:
        """Return the state for `columns_from_json` and `Desk.from_json`."""
        return {"columns": self.columns, "blind": self.blind, "desk": self.desk.to_json()}


def columns_from_json(data: object) -> tuple[dict[str, str], bool] | None:
    """Return the columns and the ``blind`` flag, or None if the data is invalid."""
    if not isinstance(data, dict):
        return None
    columns = data.get("columns")
    if not isinstance(columns, dict) or not 2 <= len(columns) <= len(ascii_uppercase):
        return None
    if not all(isinstance(one, str) for pair in columns.items() for one in pair):
        return None
    return dict(columns), data.get("blind") is True


class Comparisons(QObject):
    """Controller of comparisons. Opens columns as chats, and closes all but the kept one."""

    # (desk): panes were replaced by columns; `Desk.bring_back` restores them
    put_aside = Signal(object)
    # (model, models, label, blind_labels, closed): the model of the kept column, the models of all
    # columns, the kept column's label, a sentence with all labels ("" if none were hidden), and the
    # ids of the other chats
    kept = Signal(str, list, str, str, list)
    # (undo): a comparison was closed without keeping a column; calling ``undo`` reopens it
    left = Signal(object)

    def __init__(self, library: ChatLibrary, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._library = library
        self._workspace = workspace
        self._groups: list[ComparisonGroup] = []
        workspace.pane_made.connect(self._on_pane_made)
        workspace.pane_closed.connect(self._on_pane_closed)

    def begin(
        self,
        columns: Sequence[ComparisonColumn],
        system: str,
        prompt: str,
        # sent with the prompt; the engine prefills them once for all columns of a model
        files: Attachments = (),
        *,
        # shuffle the columns, and hide their labels until one is kept
        blind: bool = False,
    ) -> list[ChatPane]:
        """Send the prompt in a new chat for each column, all at the same time.

        The columns replace the main window's panes until one is kept or the comparison is left. If
        they do not fit side by side, they use two rows; the rest become tabs.
        """
        desk = ReplacedPanes.cleared(self._library, self._workspace)
        order = list(columns)
        if blind:
            shuffle(order)
        chats = [self._library.new(column.model) for column in order]
        words = [column.words for column in order]
        group = ComparisonGroup(dict(zip((c.id for c in chats), words, strict=True)), blind, desk)
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
        """Return the open comparisons for `restore`."""
        return [
            group.to_json() for group in self._groups if len(self._open_panes(group.columns)) > 1
        ]

    def restore(self, data: object) -> None:
        """Make panes columns again that were columns at the last exit."""
        for told in data if isinstance(data, list) else ():
            found = columns_from_json(told)
            if found is None:
                continue
            columns, blind = found
            panes = self._open_panes(columns)
            if len(panes) > 1:
                desk = ReplacedPanes.from_json(told.get("desk"), self._library, self._workspace)
                self._add_group(ComparisonGroup(columns, blind, desk))

    def _add_group(self, group: ComparisonGroup) -> None:
        """Turn the open panes of a group into columns."""
        self._groups.append(group)
        for pane in self._open_panes(group.columns):
            self._on_pane_made(pane)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        """Add the controls of a column to a pane."""
        group = self._group(pane.chat.id)
        if group is None:
            return
        if group.blind:
            pane.chat.set_alias(group.alias(pane.chat.id))
        pane.header.set_keep(shown=True)
        for signal, slot in self._pane_connections(pane):
            # The chat outlives the pane, and may be shown in a new one.
            signal.connect(slot, Qt.ConnectionType.UniqueConnection)

    def _pane_connections(self, pane: ChatPane) -> tuple[tuple[Any, Callable[..., None]], ...]:
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
            for pane in self._open_panes(group.columns):
                if pane.header.differs is self.sender():
                    self._mark_differences(group.columns, pane.header.differs.isChecked())

    @Slot(str)
    def _on_reply_ended(self, message_id: str) -> None:
        self._update_marks(message_id, self.sender())

    @Slot(str)
    def _on_put_up(self, message_id: str) -> None:
        """Mark a reply whose row did not exist when its column was marked."""
        self._update_marks(message_id, self.sender())

    def _update_marks(self, message_id: str, whose: object) -> None:
        for group in self._groups:
            for pane in self._open_panes(group.columns):
                mine = whose is pane.chat or whose is pane.transcript
                if mine and pane.header.differs.isChecked():
                    last = pane.chat.transcript.last("assistant")
                    if last is not None and last.id == message_id:
                        self._mark_differences(group.columns, True)

    @Slot(object)
    def _on_escaped(self, pane: ChatPane) -> None:
        if self.has(pane):
            self.leave(pane)

    @Slot(str)
    def _on_pane_closed(self, chat_id: str) -> None:
        """Restore the replaced panes after the last column was closed."""
        group = self._group(chat_id)
        if group is not None and not self._open_panes(group.columns):
            self._dissolve(group)
            group.desk.bring_back(group.columns)

    def _group(self, chat_id: str) -> ComparisonGroup | None:
        return next((group for group in self._groups if chat_id in group.columns), None)

    def has(self, pane: ChatPane) -> bool:
        """Return True if the pane is a column of a comparison."""
        return self._group(pane.chat.id) is not None

    def beside(self, pane: ChatPane) -> list[ChatPane]:
        """Return the other open columns of its comparison."""
        group = self._group(pane.chat.id)
        columns = group.columns if group is not None else {}
        return [other for other in self._open_panes(columns) if other is not pane]

    def _open_panes(self, group: Iterable[str]) -> list[ChatPane]:
        return [pane for pane in map(self._workspace.pane, group) if pane is not None]

    def _mark_differences(self, group: Iterable[str], shown: bool) -> None:
        """Mark each column's differences from the first, and the first's differences from the
        second."""
        rows: list[AnswerRow] = []
        for pane in self._open_panes(group):
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
        models = [pane.chat.record.model for pane in self._open_panes(group.columns)]
        told = self._blind_summary(group, kept.chat.id) if group.blind else ""
        self._dissolve(group)
        others = [pane for pane in self._open_panes(group.columns) if pane is not kept]
        for pane in others:
            pane.chat.turn.handle(Event.STOP)
            self._workspace.close_pane(pane, told=False)
        group.desk.bring_back(group.columns, kept.chat.id)
        self._workspace.activate(kept)
        closed = [pane.chat.id for pane in others]
        words = group.columns[kept.chat.id]
        self.kept.emit(kept.chat.record.model, models, words, told, closed)

    def leave(self, pane: ChatPane) -> None:
        """Close all columns and restore the replaced panes. The chats stay in the list."""
        group = self._group(pane.chat.id)
        if group is None:
            return
        desk = group.desk
        again = ReplacedPanes(self._library, self._workspace, desk.before, list(desk.chats))
        columns, columns_before = self._workspace.arrangement(), group.columns
        self._dissolve(group)
        for column in self._open_panes(group.columns):
            column.chat.turn.handle(Event.STOP)
            self._workspace.close_pane(column, told=False)
        desk.bring_back(group.columns)

        def undo() -> None:
            open_again = [i for i in columns.chats if self._library.chat(i) is not None]
            chats = [self._library.open(chat_id, "") for chat_id in open_again]
            self._workspace.arrange(columns, chats)
            # The labels are visible by now.
            self._add_group(ComparisonGroup(columns_before, False, again))

        self.left.emit(undo)

    def _dissolve(self, group: ComparisonGroup) -> None:
        """Turn the columns into normal chats, and show hidden labels."""
        self._groups.remove(group)
        self._mark_differences(group.columns, False)
        for pane in self._open_panes(group.columns):
            pane.header.set_keep(shown=False)
            for signal, slot in self._pane_connections(pane):
                signal.disconnect(slot)
        for chat_id, words in group.columns.items():
            chat = self._library.find(chat_id)
            if chat is not None:
                chat.set_alias("")
            record = self._library.chat(chat_id)
            if group.blind and record is not None and record.variant == group.alias(chat_id):
                self._library.change({chat_id: {"variant": words}})

    def _blind_summary(self, group: ComparisonGroup, kept: str) -> str:
        """Return a sentence with the hidden labels, the kept one first."""
        first = tr(
            "{reply} was {what}",
            "Reply A was Seed 1",
            reply=group.alias(kept),
            what=group.columns[kept],
        )
        others = [f"{group.alias(i)} {words}" for i, words in group.columns.items() if i != kept]
        return ", ".join([first, *others])


class ReplacedPanes:
    """Panes of the main window that a comparison has replaced."""

    def __init__(
        self, library: ChatLibrary, workspace: Workspace, before: Arrangement, chats: list[str]
    ) -> None:
        self._library = library
        self._workspace = workspace
        self.before = before  # arrangement of all panes before
        # ids of the closed chats; empty if there was only an empty chat
        self.chats = chats

    @classmethod
    def cleared(cls, library: ChatLibrary, workspace: Workspace) -> ReplacedPanes:
        """Close the main window's panes. Floating windows stay open."""
        desk = cls(library, workspace, workspace.arrangement(), [])
        for pane in workspace.panes():
            dock = workspace.dock(pane.chat.id)
            # A pane in a hidden tab has no window, but its dock has a container.
            if dock is not None and not dock.isInFloatingContainer():
                if not pane.chat.blank:
                    desk.chats.append(pane.chat.id)
                workspace.close_pane(pane, told=False)
        return desk

    @classmethod
    def from_json(cls, data: object, library: ChatLibrary, workspace: Workspace) -> ReplacedPanes:
        """Return the state that `to_json` saved, or an empty one if the data is invalid."""
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
        """Restore the arrangement, with the ``kept`` column next to it.

        If the user has opened other chats since, they stay open and nothing is rearranged.
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
