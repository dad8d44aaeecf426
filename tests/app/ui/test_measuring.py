"""Tests of the measurements that find clipped texts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.app.ui.measuring import cut_off, watching


def cut_label() -> QWidget:
    label = QLabel("A label with many words")
    label.setFixedWidth(60)
    return label


def cut_lines() -> QWidget:
    label = QLabel("A label with many words in more than one line")
    label.setWordWrap(True)
    label.setFixedSize(120, 20)
    return label


def cut_button() -> QWidget:
    button = QPushButton("A button with many words")
    button.setFixedWidth(60)
    return button


def cut_field() -> QWidget:
    field = QLineEdit()
    field.setPlaceholderText("What is to be found here and there")
    field.setFixedWidth(60)
    return field


def cut_beside_its_icon() -> QWidget:
    field = QLineEdit()
    field.setPlaceholderText("What is to be found")
    icon = QPixmap(16, 16)
    field.addAction(QIcon(icon), QLineEdit.ActionPosition.LeadingPosition)
    field.setFixedWidth(field.fontMetrics().horizontalAdvance(field.placeholderText()) + 12)
    return field


def cut_text() -> QWidget:
    field = QTextEdit()
    field.setPlaceholderText("What is to be written here and there")
    field.setFixedSize(120, 24)
    return field


def cut_choice() -> QWidget:
    choice = QComboBox()
    choice.addItem("What is chosen here and there")
    choice.setFixedWidth(60)
    return choice


def outside() -> QWidget:
    box = QWidget()
    box.setFixedSize(100, 40)
    QLabel("Words", box).move(80, 10)
    return box


def covered() -> QWidget:
    box = QWidget()
    box.setFixedSize(300, 100)
    QLabel("Words", box).move(10, 10)
    QPushButton("More", box).move(14, 12)
    return box


@pytest.mark.parametrize(
    "make",
    [
        cut_label,
        cut_lines,
        cut_button,
        cut_field,
        cut_beside_its_icon,
        cut_text,
        cut_choice,
        outside,
        covered,
    ],
)
def test_clipped_widget_is_found(make, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 300)
    part = make()
    part.setParent(window)
    part.move(10, 10)
    window.show()
    found = cut_off(window)
    assert len(found) == 1, found
    part.hide()
    assert cut_off(window) == []


class Painted(QWidget):
    """Widget that paints its own text, elided or not, in too little space."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.setFixedSize(60, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, words, flags = QPainter(self), "Many words in one line", 0
        if self.how == "elided":
            end = Qt.TextElideMode.ElideRight
            words = painter.fontMetrics().elidedText(words, end, self.width())
        elif self.how == "wrapped":
            flags = Qt.TextFlag.TextWordWrap.value
        painter.drawText(self.rect(), flags, words)


@pytest.mark.parametrize("how", ["elided", "clipped", "wrapped"])
def test_clipped_painted_text_is_found(how: str, qtbot: QtBot) -> None:
    part = Painted(how)
    qtbot.addWidget(part)
    part.show()
    with watching():
        assert len(found := cut_off(part)) == 1, found
        assert "Many words in one line" in found[0]
        part.setToolTip("Many words in one line")
        assert cut_off(part) == []


def test_label_with_elided_text_is_found(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    with watching():
        metrics, end = label.fontMetrics(), Qt.TextElideMode.ElideRight
        label.setText(metrics.elidedText("Many words in one line", end, 60))
        label.show()
        assert len(cut_off(label)) == 1
        label.setToolTip("Many words in one line")
        assert cut_off(label) == []


def test_fitting_text_passes(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    rows = QVBoxLayout(window)
    for make in (
        cut_label,
        cut_lines,
        cut_button,
        cut_field,
        cut_beside_its_icon,
        cut_text,
        cut_choice,
    ):
        part = make()
        part.setMinimumSize(0, 0)
        part.setMaximumSize(2000, 2000)
        rows.addWidget(part)
    window.resize(600, 400)
    window.show()
    assert cut_off(window) == []
