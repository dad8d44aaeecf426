from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.style.theme import Theme
from app.ui.widgets.toast import Toast


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
    for n in range(30):
        toast.add_text(f"“{n}.txt” is empty.")
    assert toast._timer.remainingTime() < toast.MAX_S * 1100  # the timer is coarse
    toast.show_text("Deleted.", "Undo")
    toast.add_text("Two.")
    assert toast.text == "Two."


def test_toast_adds_text_to_a_notice_in_another_window(qtbot: QtBot, look: Theme) -> None:
    home, other = QWidget(), QWidget()
    for window in (home, other):
        qtbot.addWidget(window)
        window.show()
    toast = Toast(home, where=lambda: other)
    toast.add_text("One.")
    toast.add_text("Two.")
    overlay = toast.visible_overlay
    assert overlay.text == "One. Two."
