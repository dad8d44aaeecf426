"""The settings of how the program is reached while another one is in front."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QSystemTrayIcon

from app.language import mark, tr
from app.settings import Settings
from app.ui.settings.form_page import FormPage


class Reach:
    """The section "From elsewhere"."""

    def __init__(self, page: FormPage, settings: Settings, put: Callable[..., object]) -> None:
        form = page.section(mark("From elsewhere"))
        mac = sys.platform == "darwin"
        self.tray = QCheckBox(tr("In the menu bar") if mac else tr("In the system’s tray"), page)
        self.tray.setChecked(settings.tray)
        self.tray.toggled.connect(lambda on: put(tray=on))
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self.tray.setEnabled(settings.tray)  # what is on can be switched off
            self.tray.setToolTip(tr("This desktop has no tray."))
        page.row(form, mark("Icon"), self.tray)
        words = tr(
            "Quick Question opens a small window. For a key that is heard everywhere, let your "
            "system’s keyboard settings start the command “{command}”: a program cannot take such "
            "a key by itself on every system.",
            command=ask_command(),
        )
        if mac:
            words = tr(
                "Quick Question opens a small window. For a key that is heard everywhere, let your "
                "Shortcuts app start the command “{command}”: a program cannot take such a key by "
                "itself on every system.",
                command=ask_command(),
            )
        page.note(words)


def ask_command() -> str:
    """What opens the small window from outside."""
    frozen = bool(getattr(sys, "frozen", False))
    program = QCoreApplication.applicationFilePath() if frozen else "stretto"
    return f'"{program}" --ask' if " " in program else f"{program} --ask"
