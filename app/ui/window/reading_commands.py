"""Dialog that lets a chat read another chat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QRadioButton, QSpinBox, QWidget

from app import flows
from app.chats.chat_organizer import day_heading, day_headings
from app.chats.referenced_chats import MOST, ReferencedChat
from app.settings.language import counted, mark, number, tr
from app.store import ChatRecord
from app.ui.palette.finder import EntryKind, PaletteEntry, PaletteQuery, fold_text
from app.ui.palette.palette import Palette
from app.ui.pane import header
from app.ui.pane.pane import ChatPane
from app.ui.widgets.layout_helpers import SPRING, make_row_layout
from app.ui.widgets.sheet import Sheet
from app.ui.window.commands import CommandScope, command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.palette_commands import LATEST
from app.ui.workspace.placement import front_window

_MAX_SEARCHED_CHATS = 2_000
"""Number of chats that are searched on every key press, latest first."""


class ReadSheet(Sheet):
    def __init__(self, of: ReferencedChat, where: str, last: int, parent: QWidget) -> None:
        super().__init__("read-dialog", tr("Read Another Chat"), parent, spacing=10)
        n = len(of.lines)
        words = counted("Whole chat, %Ln message", "Whole chat, %Ln messages", n)
        self.whole_chat = QRadioButton(words, self)
        self.latest = QRadioButton(tr("Last messages:"), self)
        self.count = QSpinBox(self)
        self.count.setRange(1, n)
        self.count.setValue(last or min(n, 10))
        self.count.setAccessibleName(tr("Number of messages"))
        self.count.valueChanged.connect(lambda _: self.latest.setChecked(True))
        (self.latest if last else self.whole_chat).setChecked(True)
        self.follow = QCheckBox(tr("Include new messages from this chat as they arrive"), self)
        self.follow.setChecked(True)
        row = make_row_layout(self.latest, self.count, SPRING, spacing=None)
        left_out = tr("Reasoning, tool calls, and the text of files are left out.")
        self.where = self.make_label("\n".join(filter(None, (left_out, where))))
        self.add_rows(self.make_heading(of.title), self.whole_chat, row, self.follow, self.where)
        self.add_buttons(self.button(tr("Read"), self.accept))
        self.set_scaled_width(420)

    @property
    def last(self) -> int:
        """Return the number of last messages to read, or 0 for all."""
        return 0 if self.whole_chat.isChecked() else self.count.value()


class ReadingCommands(WindowController):
    """Lets the user choose chats to read, and updates panes if a followed chat changes."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        library = self._library
        for changed in (library.activity, library.chat_deleted, library.chat_erased):
            changed.connect(self._on_changed)
        library.trash_changed.connect(self._on_changed)

    def _none_to_read(self, pane: ChatPane) -> str:
        return "" if next(self._others(pane), None) else tr("There’s no other chat.")

    @command(
        "read_chat", mark("Read Another Chat…"), where=CommandScope.PANE, why_not=_none_to_read
    )
    def choose(self, pane: ChatPane) -> None:
        self._open(pane, lambda: None)

    def _open(self, pane: ChatPane, on_chosen: Callable[[], object]) -> None:
        entries = self._entries(pane, self._others(pane), on_chosen)
        window, words = front_window(self._workspace), tr("Search chats to read")
        palette = Palette(entries, (), window, None, words)
        palette.notice_posted.connect(pane.notice_posted)

    def entries(
        self, pane: ChatPane, typed: str, on_chosen: Callable[[], object]
    ) -> list[PaletteEntry]:
        """Return chats whose titles match ``typed``.

        If nothing is typed, return the latest chats and an entry that shows all.
        ``on_chosen`` is called when the user has chosen a chat and confirmed.
        """
        chats = islice(self._others(pane), _MAX_SEARCHED_CHATS)
        if typed.strip():
            query = PaletteQuery(typed)
            fit = (chat for chat in chats if query.match(fold_text(chat.display_title)) is not None)
            return list(self._entries(pane, fit, on_chosen))
        results = list(self._entries(pane, islice(chats, LATEST), on_chosen))
        if results:
            words, choose = tr("Read Another Chat…"), partial(self._open, pane, on_chosen)
            results.append(PaletteEntry(EntryKind.COMMAND, "command:read_chat", words, choose))
        return results

    def _others(self, pane: ChatPane) -> Iterator[ChatRecord]:
        return (chat for chat in self._library.chats() if chat.id != pane.chat.id)

    def _entries(
        self, pane: ChatPane, chats: Iterable[ChatRecord], on_chosen: Callable[[], object]
    ) -> Iterator[PaletteEntry]:
        days, follows = day_headings(), pane.chat.attacher.referenced_chats.followed_chats
        full = tr("A chat follows at most {most} others.", most=number(MOST))
        for chat in chats:
            reason = tr("This chat is empty.") if chat.leaf_id is None else ""
            if len(follows) >= MOST and chat.id not in follows:
                reason = full
            ask, day = (
                partial(self._start_confirm, pane, chat.id, on_chosen),
                day_heading(chat.updated_at, days),
            )
            key, title = f"read:{chat.id}", chat.display_title
            yield PaletteEntry(EntryKind.CHAT, key, title, ask, beside=day, why_not=reason)

    def _start_confirm(self, pane: ChatPane, chat_id: str, on_chosen: Callable[[], object]) -> None:
        flows.start(pane, self._confirm(pane, chat_id, on_chosen))

    async def _confirm(self, pane: ChatPane, chat_id: str, on_chosen: Callable[[], object]) -> None:
        chat = pane.chat
        of = await chat.attacher.referenced_chats.read_now(chat_id)
        if reason := of.unreadable_reason:
            pane.notice_posted.emit(reason)
            return
        model = chat.model
        where = header.destination_note((model.remote,)) if model.remote else ""
        last = min(chat.attacher.referenced_chats.followed_chats.get(chat_id, 0), len(of.lines))
        sheet = ReadSheet(of, where, last, pane.window())

        def agreed() -> None:
            on_chosen()
            chat.attacher.read_chat(chat_id, sheet.last, follow=sheet.follow.isChecked())

        sheet.accepted.connect(agreed)
        sheet.finished.connect(pane.focus_composer)
        sheet.open()

    @Slot(str)
    def _on_changed(self, chat_id: str = "") -> None:
        for pane in self._workspace.panes():
            follows = pane.chat.attacher.referenced_chats.followed_chats
            if chat_id in follows or (follows and not chat_id):
                pane.chat.attacher.check_followed()
