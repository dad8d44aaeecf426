"""Dialogs for deleted chats and automatic backups."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.settings.language import counted, mark, tr
from app.store import Backup, ChatRecord
from app.ui.style.figures import bytes_line, date_line
from app.ui.style.theme import scale_height
from app.ui.widgets.layout_helpers import SPRING, make_row_layout
from app.ui.widgets.sheet import Sheet
from app.ui.widgets.two_lines import TwoLineList

_NOTE = mark(
    "Stretto backs up your chats once a day and before each update, and "
    "keeps the last three backups. When you restore one, your current "
    "chats are kept in a separate file."
)
_NONE = mark("No backups yet. Stretto makes the first one the next day you use it.")


class BackupsDialog(Sheet):
    backup_chosen = Signal(object)  # (path)

    def __init__(self, backups: list[Backup], parent: QWidget | None, *, runs: bool = True) -> None:
        """``runs``: chats are open, so restoring restarts the app."""
        super().__init__("backups-dialog", tr("Restore from Backup"), parent)
        self._paths = {str(backup.path): backup.path for backup in backups}
        words = self.make_label(tr(_NOTE if backups else _NONE))
        self.list = TwoLineList(tr("Backups"), self)
        self.list.fill([(str(b.path), _format_day(b), _format_size(b)) for b in backups])
        self.list.setFixedHeight(max(1, len(backups)) * scale_height(52, 2) + 4)
        self.list.setVisible(bool(backups))
        self.list.itemDoubleClicked.connect(self._on_restore)
        verb = tr("Restore and Restart") if runs else tr("Restore")
        self.restore_button = self.button(verb, self._on_restore)
        self.add_rows(words, self.list)
        self.rows.addStretch(1)
        self.add_buttons(self.restore_button, cancel_text="" if backups else tr("Close"))
        self.restore_button.setVisible(bool(backups))
        self.set_scaled_width(480)

    @Slot()
    def _on_restore(self) -> None:
        keys = self.list.selected_keys()
        if keys:
            self.accept()
            self.backup_chosen.emit(self._paths[keys[0]])


def ask_for_backup(backups: list[Backup]) -> Path | None:
    """Let the user choose a backup before there's a window. None if the user cancels."""
    paths: list[Path] = []
    dialog = BackupsDialog(backups, None, runs=False)
    dialog.backup_chosen.connect(paths.append)
    dialog.exec()
    return paths[0] if paths else None


def _format_day(backup: Backup) -> str:
    """Return a backup's date, e.g. "Today, 08:12", "Yesterday, …", "Friday 20 November, 17:03"."""
    created, today = time.localtime(backup.made_at), time.localtime()
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    if backup.made_at >= midnight:
        day = tr("Today")
    elif backup.made_at >= midnight - 86_400:
        day = tr("Yesterday")
    elif created.tm_year != today.tm_year:
        day = date_line(backup.made_at, tr("dddd d MMMM yyyy", "Qt's form of a date"))
    else:
        day = date_line(backup.made_at, tr("dddd d MMMM", "Qt's form of a date"))
    return f"{day}, {time.strftime('%H:%M', created)}"


def _format_size(backup: Backup) -> str:
    size = bytes_line(backup.nbytes)
    return tr("{size} · before an update", size=size) if backup.before_update else size


DAYS = 30
_DAY = 86_400


class TrashDialog(Sheet):
    def __init__(self, library: ChatLibrary, parent: QWidget) -> None:
        super().__init__("trash-dialog", tr("Trash"), parent, spacing=10)
        self._library = library
        self._chats: dict[str, ChatRecord] = {}
        self._to_erase: list[str] = []
        self.words = self.make_label()
        self.list = TwoLineList(tr("Deleted chats"), self, several=True)
        self.list.installEventFilter(self)
        self.list.itemSelectionChanged.connect(self._on_chosen)
        self.list.itemDoubleClicked.connect(self.restore)
        self.question = self.make_label(muted=False)
        self.restore_button = self.button(tr("Restore"), self.restore)
        self.erase_button = self.button(tr("Delete Now"), self.ask_to_erase)
        self.empty_button = self.button(tr("Empty Trash"), self.ask_to_empty)
        self.close_button = self.button(tr("Close"), self.close)
        self.keep_button = self.button(tr("Keep"), self._forget_question)
        self.sure_button = self.button(tr("Delete Permanently"), self.erase)
        left = (self.empty_button, self.erase_button)
        right = (self.close_button, self.restore_button, self.keep_button, self.sure_button)
        self.add_rows(self.words)
        self.rows.addWidget(self.list, 1)
        self.add_rows(self.question)
        self.rows.addSpacing(2)
        self.add_rows(make_row_layout(*left, SPRING, *right))
        self.resize(520, 460)
        library.trash_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        self._chats = {chat.id: chat for chat in self._library.trash()}
        now = time.time()
        self.list.fill(
            [(c.id, c.display_title, _describe_deletion(c, now)) for c in self._chats.values()]
        )
        if self._chats:
            words = counted(
                "Deleted chats stay here for %n day and are then deleted permanently.",
                "Deleted chats stay here for %n days and are then deleted permanently.",
                DAYS,
            )
        else:
            words = tr("The Trash is empty.")
        unscrubbed = self._library.unscrubbed_files()
        if unscrubbed:
            words += "\n" + tr(
                "Damaged files that were set aside may still contain text of deleted "
                "chats: {files}",
                files=", ".join(unscrubbed),
            )
        self.words.setText(words)
        self._forget_question()

    @Slot()
    def restore(self) -> None:
        for chat_id in self.list.selected_keys():
            self._library.restore(chat_id)

    def ask_to_erase(self) -> None:
        self._ask(self.list.selected_keys())

    def ask_to_empty(self) -> None:
        self._ask(list(self._chats))

    def erase(self) -> None:
        chat_ids, self._to_erase = self._to_erase, []
        self._library.erase(chat_ids)

    def _ask(self, ids: list[str]) -> None:
        if not ids:
            return
        self._to_erase = ids
        title = self._chats[ids[0]].display_title
        if len(ids) == 1:
            words = tr(
                "Delete “{title}” permanently, from backups too? This can’t be undone.", title=title
            )
        else:
            words = counted(
                "Delete %Ln chat permanently, from backups too? This can’t be undone.",
                "Delete %Ln chats permanently, from backups too? This can’t be undone.",
                len(ids),
            )
        self.question.setText(words)
        self._show_buttons()
        self.keep_button.setFocus()

    @Slot()
    def _forget_question(self) -> None:
        self._to_erase = []
        self.question.clear()
        self._show_buttons()

    @Slot()
    def _on_chosen(self) -> None:
        if self._to_erase:
            self._forget_question()
        else:
            self._show_buttons()

    def _show_buttons(self) -> None:
        asks, has_selection = bool(self._to_erase), bool(self.list.selected_keys())
        self.question.setVisible(asks)
        for button in (self.keep_button, self.sure_button):
            button.setVisible(asks)
        for button in (self.empty_button, self.erase_button, self.restore_button):
            button.setVisible(not asks and bool(self._chats))
        self.close_button.setVisible(not asks)
        self.list.setVisible(bool(self._chats))
        alignment = Qt.AlignmentFlag.AlignLeft if self._chats else Qt.AlignmentFlag.AlignHCenter
        self.words.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)
        for button in (self.erase_button, self.restore_button):
            button.setEnabled(has_selection)
            button.setToolTip("" if has_selection else tr("Choose a chat first"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.list and isinstance(event, QKeyEvent):
            pressed = event.type() == QEvent.Type.KeyPress
            if pressed and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self.restore()
                return True
            if pressed and event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
                self.ask_to_erase()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._to_erase:
            self._forget_question()
        else:
            super().keyPressEvent(event)


def _describe_deletion(chat: ChatRecord, now: float) -> str:
    """Return "Deleted 3 days ago · deleted permanently in 27 days" or similar."""
    deleted = chat.deleted_at or now
    days = max(0, int((now - deleted) // _DAY))
    ago = counted("Deleted %n day ago", "Deleted %n days ago", days)
    if days < 2:
        ago = tr("Deleted yesterday") if days else tr("Deleted today")
    left = DAYS - days
    goes = counted("%n day left", "%n days left", left)
    if left < 2:
        goes = tr("deleted permanently tomorrow") if left == 1 else tr("deleted permanently today")
    return f"{ago} · {goes}"
