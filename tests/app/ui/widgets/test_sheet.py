from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.ui.widgets.sheet import Sheet


def test_enter_presses_focused_or_main_button(look, qtbot: QtBot):
    pressed: list[str] = []
    sheet = Sheet("one", "One", None)
    qtbot.addWidget(sheet)
    field = QLineEdit(sheet)
    other = sheet.button("Other", lambda: pressed.append("other"))
    main = sheet.button("Main", lambda: pressed.append("main"))
    sheet.add_rows(field)
    sheet.add_buttons(main, other)
    sheet.open()
    qtbot.waitUntil(sheet.isActiveWindow)
    assert main.x() > other.x()  # the main button comes last
    for part in (field, other, main):
        part.setFocus()
        qtbot.keyClick(part, Qt.Key.Key_Return)
    assert pressed == ["main", "other", "main"]
