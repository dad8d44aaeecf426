"""Pages of the settings window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.settings.paths import Paths
from app.settings.settings import Settings
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.theme import Theme


def test_tab_reaches_only_what_shows_the_focus(look: Theme, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    window = SettingsWindow(Settings(), Paths.standard(), parent)
    with qtbot.waitActive(window):
        window.show()
    window.pages.show_row("General", "Language")
    qtbot.keyClick(window.language.box, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert window.focusWidget() is window.pages.list
