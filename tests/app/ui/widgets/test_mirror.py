"""Fields and dialogs in right-to-left windows and with long words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSpinBox, QStyle, QStyleOptionSpinBox
from pytestqt.qtbot import QtBot

from app.ui.style import theme
from app.ui.widgets.sheet import Sheet


@pytest.fixture
def right_to_left(qapp: QApplication) -> Iterator[None]:
    before = qapp.layoutDirection()
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(before)


@pytest.mark.usefixtures("right_to_left")
def test_spin_box_number_is_next_to_arrows(qapp: QApplication, qtbot: QtBot) -> None:
    theme.install(qapp, "light")
    box = QSpinBox()
    qtbot.addWidget(box)
    box.setRange(0, 100_000)
    box.show()
    option = QStyleOptionSpinBox()
    box.initStyleOption(option)
    arrows = QStyle.SubControl.SC_SpinBoxUp
    area = box.style().subControlRect(QStyle.ComplexControl.CC_SpinBox, option, arrows, box)
    assert area.left() < 10
    assert box.lineEdit().geometry().left() > area.right()


def test_dialog_height_fits_its_text(qtbot: QtBot) -> None:
    dialog = Sheet("sheet", "Words", None)
    qtbot.addWidget(dialog)
    words = dialog.make_label("Many words that stand in several lines. " * 12)
    dialog.add_rows(words)
    dialog.set_scaled_width(300)
    dialog.fit_height()
    dialog.show()
    assert words.height() >= words.heightForWidth(words.width())
