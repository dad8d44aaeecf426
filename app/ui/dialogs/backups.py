"""The copies of all chats that are made by themselves, and going back to one."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QLabel, QVBoxLayout, QWidget

from app.language import mark, tr
from app.store import Backup
from app.ui.dialogs.two_lines import TwoLines
from app.ui.style.dates import date_line
from app.ui.style.figures import bytes_line
from app.ui.style.theme import grown
from app.ui.widgets.foot import foot_row
from app.ui.widgets.width import keep_wide

_NOTE = mark(
    "Stretto copies your chats once a day and before an update, and keeps the last three copies. "
    "Your present chats are kept in a file of their own, so nothing is lost by going back."
)
_NONE = mark(
    "There is no copy yet. Stretto makes one when you first change something on another day."
)


class BackupsDialog(QDialog):
    """Lists the copies.

    Signals:
        taken(path): the person goes back to this one.
    """

    taken = Signal(object)

    def __init__(self, backups: list[Backup], parent: QWidget | None, *, runs: bool = True) -> None:
        """``runs``: the program has chats open and starts anew with the copy."""
        super().__init__(parent)
        self.setObjectName("backups-dialog")
        self.setWindowTitle(tr("Restore from Backup"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._paths = {str(backup.path): backup.path for backup in backups}
        words = QLabel(tr(_NOTE if backups else _NONE), self)
        words.setProperty("muted", True)
        words.setWordWrap(True)
        self.list = TwoLines(tr("Backups"), self)
        self.list.fill([(str(b.path), _day(b), _size(b)) for b in backups])
        self.list.setFixedHeight(max(1, len(backups)) * grown(52, 2) + 4)
        self.list.setVisible(bool(backups))
        self.list.itemDoubleClicked.connect(self._on_take)
        verb = tr("Restore and Start Again") if runs else tr("Restore")
        foot, cancel, self.take = foot_row(self, verb)
        self.take.setVisible(bool(backups))
        self.take.clicked.connect(self._on_take)
        if not backups:
            cancel.setText(tr("Close"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(12)
        layout.addWidget(words)
        layout.addWidget(self.list)
        layout.addStretch(1)
        layout.addLayout(foot)
        keep_wide(self, 480)

    @Slot()
    def _on_take(self) -> None:
        chosen = self.list.chosen()
        if chosen:
            self.accept()
            self.taken.emit(self._paths[chosen[0]])


def ask_for_backup(backups: list[Backup]) -> Path | None:
    """Before any window is there: which copy to go back to; None for none."""
    taken: list[Path] = []
    dialog = BackupsDialog(backups, None, runs=False)
    dialog.taken.connect(taken.append)
    dialog.exec()
    return taken[0] if taken else None


def _day(backup: Backup, now: float | None = None) -> str:
    """ "Today, 08:12", "Yesterday, …", "Friday 20 November, 17:03"."""
    made, today = time.localtime(backup.made_at), time.localtime(now)
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    if backup.made_at >= midnight:
        day = tr("Today")
    elif backup.made_at >= midnight - 86_400:
        day = tr("Yesterday")
    elif made.tm_year != today.tm_year:
        day = date_line(backup.made_at, tr("dddd d MMMM yyyy", "Qt's form of a date"))
    else:
        day = date_line(backup.made_at, tr("dddd d MMMM", "Qt's form of a date"))
    return f"{day}, {time.strftime('%H:%M', made)}"


def _size(backup: Backup) -> str:
    size = bytes_line(backup.nbytes)
    return tr("{size} · before an update", size=size) if backup.before_update else size
