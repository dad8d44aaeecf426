"""Pages of the settings window."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.settings.settings import Settings
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style.theme import Theme


def test_focused_page_has_a_ring(look: Theme, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    window = SettingsWindow(Settings(), None, parent)
    window.show()
    qtbot.waitActive(window)
    pages = window.pages.list
    rect = pages.visualItemRect(pages.currentItem())

    def edge() -> QColor:
        image = pages.grab().toImage()
        return image.pixelColor(rect.left(), rect.center().y())

    ring = QColor(look.tokens.accent)
    pages.setFocus()
    qtbot.waitUntil(pages.hasFocus)
    assert edge() == ring
    window.pages.search.setFocus()
    assert edge() != ring
