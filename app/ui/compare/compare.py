"""Compare: one prompt, several answers side by side, and going on from the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Signal, Slot

from app.chats.differences import differences
from app.chats.library import ChatLibrary
from app.chats.transcript import title_from
from app.ui.compare.compare_dialog import Column
from app.ui.compare.desk import Desk
from app.ui.pane.header import PaneHeader
from app.ui.pane.pane import ChatPane
from app.ui.transcript.answer_row import AnswerRow
from app.ui.window.pane_placement import columns_that_fit
from app.ui.window.workspace import Workspace


class Comparisons(QObject):
    """Opens the columns as chats of their own, and closes all but the kept one.

    Signals:
        put_aside(desk): panes gave their place to the columns; `Desk.bring_back` undoes it.
        kept(model, models): the column of this model was kept, of those of all these.
    """

    put_aside = Signal(object)
    kept = Signal(str, list)

    def __init__(self, library: ChatLibrary, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._library = library
        self._workspace = workspace
        self._groups: list[dict[str, str]] = []  # by chat: what it differs in
        self._desks: dict[str, Desk] = {}  # by column: what it has taken the place of

    def begin(self, columns: Sequence[Column], system: str, prompt: str) -> list[ChatPane]:
        """Ask the prompt in a new chat for each column; all answer at once.

        Where they would not stand side by side they have the window to themselves, until one is
        kept. Columns for which there is no room even then are tabs of the last one.
        """
        desk = Desk(self._library, self._workspace, len(columns))
        panes: list[ChatPane] = []
        fit = 1
        for column in columns:
            chat = self._library.new(column.model)
            chat.set_options(column.options, system)
            where = "right" if 0 < len(panes) < fit else "tab"
            pane = self._workspace.show_chat(chat, where)
            if not panes:
                fit = columns_that_fit(self._workspace, pane)
            pane.header.set_keep(shown=True)
            pane.header.keep_asked.connect(self._on_keep)
            pane.header.differences_asked.connect(self._on_differences)
            pane.chat.reply_ended.connect(self._on_reply_ended)
            pane.transcript.put_up.connect(self._on_put_up)
            chat.load_model()
            chat.send(prompt)
            chat.rename(column.words)  # a narrow tab has room for what differs, no more
            panes.append(pane)
        self._workspace.share_width(panes)
        words = [column.words for column in columns]
        ids = [pane.chat.id for pane in panes]
        self._groups.append(dict(zip(ids, words, strict=True)))
        self._workspace.activate(panes[0])
        if desk.chats:
            self._desks.update(dict.fromkeys(ids, desk))
            self.put_aside.emit(desk)
        return panes

    @Slot()
    def _on_keep(self) -> None:
        header = self.sender()
        kept = next((p for p in self._workspace.panes() if p.header is header), None)
        if kept is not None:
            self.keep(kept)

    @Slot()
    def _on_differences(self) -> None:
        header = self.sender()
        if not isinstance(header, PaneHeader):
            return
        shown = header.differs.isChecked()
        for group in self._groups:
            if any(pane.header is header for pane in self._panes(group)):
                self._mark(group, shown)

    @Slot(str)
    def _on_reply_ended(self, message_id: str) -> None:
        self._mark_again(message_id, self.sender())

    @Slot(str)
    def _on_put_up(self, message_id: str) -> None:
        """Mark an answer whose row did not exist when its column was marked."""
        self._mark_again(message_id, self.sender())

    def _mark_again(self, message_id: str, whose: object) -> None:
        for group in self._groups:
            for pane in self._panes(group):
                mine = whose is pane.chat or whose is pane.transcript
                if mine and pane.header.differs.isChecked():
                    last = pane.chat.transcript.last("assistant")
                    if last is not None and last.id == message_id:
                        self._mark(group, True)

    def has(self, pane: ChatPane) -> bool:
        """Whether it is one of several columns that are compared."""
        return any(pane.chat.id in group for group in self._groups)

    def beside(self, pane: ChatPane) -> list[ChatPane]:
        """The other columns of its comparison that are open."""
        group = next((g for g in self._groups if pane.chat.id in g), {})
        return [other for other in self._panes(group) if other is not pane]

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
        """Keep this column and close the others; Undo opens each again."""
        group = next((g for g in self._groups if kept.chat.id in g), {})
        models = [pane.chat.record.model for pane in self._panes(group)]
        if group:
            self._groups.remove(group)
            self._mark(group, False)
        for chat_id in group:
            pane = self._workspace.pane(chat_id)
            if pane is not None:
                pane.header.set_keep(shown=False)
                if pane is kept:
                    self._name_after_prompt(pane, group[chat_id])
                else:
                    pane.chat.stop()
                    self._workspace.close_pane(pane)
        desk = self._desks.get(kept.chat.id)
        for chat_id in group:
            self._desks.pop(chat_id, None)
        if desk is not None:
            desk.bring_back(group, kept.chat.id)
        self._workspace.activate(kept)
        if group:
            self.kept.emit(kept.chat.record.model, models)

    def _name_after_prompt(self, pane: ChatPane, words: str) -> None:
        """A column that goes on alone is called by its prompt, unless a person named it."""
        path = pane.chat.transcript.path
        prompt = next((message for message in path if message.role == "user"), None)
        if prompt is not None and pane.chat.record.title == words:
            pane.chat.rename(title_from(prompt.content))
