"""The section of the settings that says where the program's files are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from app.language import mark, tr
from app.paths import Paths, short_path
from app.ui.settings.form_page import FormPage


def add_folders(page: FormPage, paths: Paths, open_folder: Callable[[Path], object]) -> None:
    """Add a row for each folder, with a button that shows it."""
    form = page.section(mark("Where things are"))
    for words, told, folder in (
        (mark("Chats and settings"), tr("Show the folder of chats and settings"), paths.data),
        (mark("Logs"), tr("Show the folder of logs"), paths.log),
        (mark("KV caches"), tr("Show the folder of KV caches"), paths.cache),
    ):
        row = QHBoxLayout()
        row.setSpacing(10)
        shown = page.quiet(short_path(folder))
        shown.setToolTip(str(folder))
        shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        button = QPushButton(tr("Show"), page)
        button.setAutoDefault(False)
        button.setAccessibleName(told)
        button.clicked.connect(lambda _checked=False, f=folder: open_folder(f))
        row.addWidget(button)
        row.addWidget(shown, 1)
        page.row(form, words, row)
