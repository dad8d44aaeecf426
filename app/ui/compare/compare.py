"""Running comparisons: their columns, the highlighted differences, and actions on a whole group."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from math import ceil
from random import shuffle
from string import ascii_uppercase
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.chats.chat import Chat
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
    columns: dict[str, str]  # chat id -> label, left to right
    # Blind comparison: labels and model names stay hidden until the user keeps a column.
    blind: bool
    desk: ReplacedPanes  # panes that were replaced by the columns

    def alias(self, chat_id: str) -> str:
        """Get a neutral name such as "Reply A" for a column with a hidden label."""
        letter = ascii_uppercase[list(self.columns).index(chat_id)]
        return tr("Reply {letter}", letter=letter)

    def to_json(self) -> dict[str, Any]:
        return {"columns": self.columns, "blind": self.blind, "desk": self.desk.to_json()}


def columns_from_json(data: object) -> tuple[dict[str, str], bool] | None:
    if not isinstance(data, dict):
        return None
    columns = data.get("columns")
    if not isinstance(columns, dict) or not 2 <= len(columns) <= len(ascii_uppercase):
        return None
    if not all(isinstance(one, str) for pair in columns.items() for one in pair):
        return None
    return dict(columns), data.get("blind") is True


class Comparisons(QObject):
    """Controller of comparisons.

    Each column is a chat. Once the user decides to keep a column, the others close.
    """

    # (desk): columns have replaced the panes. `ReplacedPanes.bring_back` restores the panes.
    put_aside = Signal(object)
    # (model, models, label, blind_labels, closed): the kept column's model, the models of all
    # columns, the kept column's label, a sentence revealing all labels ("" unless blind), and the
    # ids of the other chats
    kept = Signal(str, list, str, str, list)
    # (undo): the user left a comparison without keeping a column. Call ``undo`` to reopen the
    # comparison.
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
        # Sent with the prompt. The engine prefills these files only once per model.
        files: Attachments = (),
        *,
        # Shuffle the columns and hide labels until the user keeps a column.
        blind: bool = False,
        origin: Chat | None = None,
    ) -> list[ChatPane]:
        """Send a prompt to several new chats at the same time, one per column.

        If there's an ``origin``, each column continues a copy of its conversation.

        The columns replace the panes of the main window until the comparison ends. If they don't
        fit side by side, we use two rows, and tabs for what still doesn't fit.
        """
        order = list(columns)
        if blind:
            shuffle(order)
        chats = [self._new_chat(column.model, origin) for column in order]
        desk = ReplacedPanes.cleared(self._library, self._workspace)
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

    def _new_chat(self, model: str, origin: Chat | None) -> Chat:
        end = _conversation_end(origin) if origin is not None else None
        if origin is None or end is None:
            return self._library.new(model)
        chat = self._library.branch(origin, end)
        chat.model.set(model)
        return chat

    def to_json(self) -> list[dict[str, Any]]:
        """Serialize open comparisons for `restore`."""
        return [group.to_json() for group in self._groups if self._open_panes(group.columns)]

    def restore(self, data: object) -> None:
        for told in data if isinstance(data, list) else ():
            found = columns_from_json(told)
            if found is None:
                continue
            columns, blind = found
            if self._open_panes(columns):
                desk = ReplacedPanes.from_json(told.get("desk"), self._library, self._workspace)
                self._add_group(ComparisonGroup(columns, blind, desk))

    def _add_group(self, group: ComparisonGroup) -> None:
        self._groups.append(group)
        for pane in self._open_panes(group.columns):
            self._on_pane_made(pane)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        """Called when a pane is created. Adds column controls if it belongs to a comparison."""
        group = self._group(pane.chat.id)
        if group is None:
            return
        if group.blind:
            pane.chat.set_alias(group.alias(pane.chat.id))
        pane.header.set_keep(shown=True)
        for signal, slot in self._pane_connections(pane):
            # The chat outlives its pane and may get a new pane later.
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
        """Highlight a reply whose row was only created after its column was highlighted."""
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
        group = self._group(chat_id)
        if group is not None and not self._open_panes(group.columns):
            self._dissolve(group)
            group.desk.bring_back(group.columns)

    def _group(self, chat_id: str) -> ComparisonGroup | None:
        return next((group for group in self._groups if chat_id in group.columns), None)

    def has(self, pane: ChatPane) -> bool:
        return self._group(pane.chat.id) is not None

    def beside(self, pane: ChatPane) -> list[ChatPane]:
        group = self._group(pane.chat.id)
        columns = group.columns if group is not None else {}
        return [other for other in self._open_panes(columns) if other is not pane]

    def _open_panes(self, group: Iterable[str]) -> list[ChatPane]:
        return [pane for pane in map(self._workspace.pane, group) if pane is not None]

    def _mark_differences(self, group: Iterable[str], shown: bool) -> None:
        """Highlight differences from the first column. The first is compared with the second."""
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
        if (open_pane := self._workspace.pane(kept.chat.id)) is not None:
            self._workspace.activate(open_pane)
        closed = [pane.chat.id for pane in others]
        words = group.columns[kept.chat.id]
        self.kept.emit(kept.chat.record.model, models, words, told, closed)

    def leave(self, pane: ChatPane) -> None:
        """Close all columns and restore the replaced panes. The chats remain in the sidebar."""
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
            # By now, the user has seen the labels.
            self._add_group(ComparisonGroup(columns_before, False, again))

        self.left.emit(undo)

    def _dissolve(self, group: ComparisonGroup) -> None:
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
        first = tr(
            "{reply} was {what}",
            "Reply A was Seed 1",
            reply=group.alias(kept),
            what=group.columns[kept],
        )
        others = [f"{group.alias(i)} {words}" for i, words in group.columns.items() if i != kept]
        return ", ".join([first, *others])


def _conversation_end(chat: Chat) -> str | None:
    """Get the last message of the conversation, without a turn that isn't finished."""
    leaf, asked = chat.transcript.leaf, chat.transcript.last("user")
    if asked is None or leaf is None:
        return None
    return asked.parent_id if leaf is asked or chat.reply.is_active else leaf.id


class ReplacedPanes:
    """Panes of the main window that were replaced by a comparison."""

    def __init__(
        self, library: ChatLibrary, workspace: Workspace, before: Arrangement, chats: list[str]
    ) -> None:
        self._library = library
        self._workspace = workspace
        self.before = before  # arrangement of all panes before the comparison
        # IDs of the closed chats. Empty if only an empty chat was open.
        self.chats = chats

    @classmethod
    def cleared(cls, library: ChatLibrary, workspace: Workspace) -> ReplacedPanes:
        """Close all panes in the main window. Floating windows aren't affected."""
        desk = cls(library, workspace, workspace.arrangement(), [])
        for pane in workspace.panes():
            dock = workspace.dock(pane.chat.id)
            # Panes in hidden tabs don't have a window yet, so ask the dock.
            if dock is not None and not dock.isInFloatingContainer():
                if not pane.chat.blank:
                    desk.chats.append(pane.chat.id)
                workspace.close_pane(pane, told=False)
        return desk

    @classmethod
    def from_json(cls, data: object, library: ChatLibrary, workspace: Workspace) -> ReplacedPanes:
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
        """Restore the arrangement, placing the ``kept`` column next to it.

        If the user opened other chats in the meantime, keep those open and don't rearrange
        anything.
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
        # The chat in which the comparison began is active again.
        if kept and not self._workspace.reopen(kept, in_place=False):
            self._workspace.show_chat(self._library.open(kept, ""))
