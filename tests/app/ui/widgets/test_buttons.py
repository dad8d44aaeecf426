"""Buttons: highlighted only while the mouse is over them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.ui.style.theme import Theme
from app.ui.widgets.buttons import IconButton


def test_button_goes_out_when_its_menu_closes(qtbot: QtBot, look: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    button = IconButton("wrench", "Tools", window)
    menu = QMenu(window)
    menu.addAction("One")
    button.clicked.connect(lambda: menu.popup(button.mapToGlobal(QPoint(0, 40))))
    window.show()
    away, over = button.mapToGlobal(QPoint(300, 300)), button.mapToGlobal(QPoint(5, 5))
    for place, lit in ((away, False), (over, True)):
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # it was pressed there
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert menu.isVisible()
        QCursor.setPos(place)  # Qt sends the button nothing while the menu is open
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        menu.close()
        assert button.underMouse() is lit
