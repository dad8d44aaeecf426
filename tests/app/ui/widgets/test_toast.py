"""Toasts: complete at every text size."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.style.theme import Theme
from app.ui.widgets.toast import Toast

LONG = "“Explain recursion with a short example” is in the trash. It stays there for 30 days."


@pytest.mark.parametrize("width", [560, 1200])
def test_toast_grows_with_the_text_while_it_is_shown(qtbot: QtBot, look: Theme, width: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(width, 700)
    window.show()
    toast = Toast(window)
    toast.show_text(LONG, "Undo")
    for zoom in (150, 200, 100):
        look.set_zoom(zoom)
        qtbot.wait(1)  # the layout is laid out again
        label = toast._label
        wrap = Qt.TextFlag.TextWordWrap
        needed = label.fontMetrics().boundingRect(0, 0, label.width(), 1000, wrap, LONG)
        assert needed.width() <= label.width()
        assert needed.height() <= label.height()
        assert toast.button.width() >= toast.button.sizeHint().width()
        assert window.rect().contains(toast.geometry())


def test_toast_adds_text_to_a_notice_without_a_button(qtbot: QtBot, look: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    toast = Toast(window)
    toast.add_text("One.")
    assert (toast.isVisible(), toast.text) == (True, "One.")
    toast.show_text("Notice.", seconds=30)
    for _ in range(2):
        toast.add_text("Two.")
        assert toast.text == toast._label.text() == "Notice. Two."
    assert toast._timer.remainingTime() > 30_000
    toast.show_text("Deleted.", "Undo")
    toast.add_text("Two.")
    assert toast.text == "Two."
