"""Dialogs shown if chats can't be opened or saved."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QMessageBox,
    QPushButton,
    QSpacerItem,
    QWidget,
)

from app.settings.language import mark, tr
from app.store import StoreError, backups_of
from app.ui.style.icons import app_icon


class Recovery(Enum):
    SALVAGE = "salvage"
    SET_ASIDE = "set aside"
    RESTORE = "restore"
    RETRY = "retry"
    ELSEWHERE = "elsewhere"
    QUIT = "quit"


_TITLES = {
    "corrupt": mark("Your chats can’t be read"),
    "newer": mark("Your chats were used by a newer version of Stretto"),
    "readonly": mark("Stretto can’t write to your chats"),
    "full": mark("The disk is full"),
}


_CAUSES = {
    "full": mark("The disk that holds {place} is full. Free some space, then try again."),
    "readonly": mark(
        "Stretto has no permission to write to {place}. Make it writable, then try again."
    ),
}


_MAX_BUTTON_ROW_PX = 720
"""Maximum width of a row of buttons. Wider rows are stacked to fit on small screens."""


def ask_about_store(error: StoreError, parent: QWidget | None = None) -> Recovery:
    """Tell the user why the chats can't be opened, and return what to do."""
    title = tr(_TITLES.get(error.code, mark("Your chats couldn’t be opened")))
    box = _store_box(title, error.message, parent)
    ways = {box.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole): Recovery.QUIT}
    best = box.addButton(tr("Try Again"), QMessageBox.ButtonRole.AcceptRole)
    ways[best] = Recovery.RETRY
    if error.code in {"corrupt", "newer"}:
        set_aside = box.addButton(
            tr("Start Empty and Keep the File"), QMessageBox.ButtonRole.AcceptRole
        )
        ways[set_aside] = Recovery.SET_ASIDE
        if error.path and backups_of(error.path):
            restore = box.addButton(tr("Restore from Backup…"), QMessageBox.ButtonRole.AcceptRole)
            ways[restore] = Recovery.RESTORE
    if error.code == "readonly":
        elsewhere = box.addButton(tr("Use Another Folder…"), QMessageBox.ButtonRole.AcceptRole)
        ways[elsewhere] = Recovery.ELSEWHERE
    if error.code == "corrupt" and not error.hopeless:
        best = box.addButton(tr("Recover What Can Be Read"), QMessageBox.ButtonRole.AcceptRole)
        ways[best] = Recovery.SALVAGE
    box.setDefaultButton(best)
    return _choose(box, ways)


def ask_for_folder() -> Path | None:
    """Ask for a folder to use instead of a read-only one. Return None if the user cancels."""
    folder = QFileDialog.getExistingDirectory(None, tr("Use Another Folder"), str(Path.home()))
    return Path(folder) if folder else None


def ask_about_unsaved(error: StoreError, parent: QWidget | None = None) -> Recovery:
    cause_text = _CAUSES.get(error.code)
    cause = tr(cause_text, place=error.path) if cause_text is not None else error.message
    words = tr("{cause} Changes that aren’t saved when you quit are lost.", cause=cause)
    box = _store_box(tr("Your latest changes aren’t saved"), words, parent)
    ways = {
        box.addButton(
            tr("Quit Without Saving"), QMessageBox.ButtonRole.DestructiveRole
        ): Recovery.QUIT
    }
    retry = box.addButton(tr("Try Again"), QMessageBox.ButtonRole.RejectRole)
    ways[retry] = Recovery.RETRY
    box.setDefaultButton(retry)
    box.setEscapeButton(retry)
    return _choose(box, ways, Recovery.RETRY)


def _store_box(title: str, words: str, parent: QWidget | None) -> QMessageBox:
    box = QMessageBox(parent)
    box.setWindowTitle("Stretto")
    box.setIconPixmap(app_icon().pixmap(QSize(48, 48)))
    box.setTextFormat(Qt.TextFormat.PlainText)  # a path might look like markup
    box.setText(title)
    box.setInformativeText(words)
    layout = box.layout()
    if isinstance(layout, QGridLayout):
        layout.setContentsMargins(20, 20, 20, 16)
        # Without this, a short title would result in a very narrow text column.
        width = QSpacerItem(480, 0)
        layout.addItem(width, layout.rowCount(), 0, 1, layout.columnCount())
    return box


def _choose(
    box: QMessageBox, ways: dict[QPushButton, Recovery], otherwise: Recovery = Recovery.QUIT
) -> Recovery:
    layout, buttons = box.layout(), box.findChild(QDialogButtonBox)
    if layout is not None and buttons is not None:
        for button in ways:
            button.ensurePolished()
        if buttons.sizeHint().width() > _MAX_BUTTON_ROW_PX:
            buttons.setOrientation(Qt.Orientation.Vertical)
            layout.setAlignment(buttons, Qt.AlignmentFlag.AlignRight)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return next((way for button, way in ways.items() if button is clicked), otherwise)


def say_already_running() -> None:
    words = tr(
        "Another copy of Stretto has these chats open. Wait a moment and try "
        "again, or quit the other copy first."
    )
    box = _store_box(tr("Stretto is already running but not responding"), words, None)
    box.addButton(tr("Close"), QMessageBox.ButtonRole.RejectRole)
    box.exec()
    box.deleteLater()
