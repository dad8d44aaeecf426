"""Tests of the measurements that find clipped texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
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

WORDS = "Many words in one line"


def lines() -> QWidget:
    label = QLabel(f"{WORDS} and in another")
    label.setWordWrap(True)
    return label


def field(kind: type[QLineEdit | QTextEdit]) -> QWidget:
    made = kind()
    made.setPlaceholderText(f"{WORDS} and in another")
    return made


def choice() -> QWidget:
    made = QComboBox()
    made.addItem(WORDS)
    return made


WIDGETS: dict[str, tuple[Callable[[], QWidget], tuple[int, int]]] = {
    "label": (lambda: QLabel(WORDS), (60, 30)),
    "lines": (lines, (120, 20)),
    "button": (lambda: QPushButton(WORDS), (60, 30)),
    "field": (lambda: field(QLineEdit), (60, 30)),
    "text": (lambda: field(QTextEdit), (120, 24)),
    "choice": (choice, (60, 30)),
}
"""Widgets, each with a size that is too small."""


def assert_found(qtbot: QtBot, part: QWidget) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 300)
    part.setParent(window)
    part.move(10, 10)
    window.show()
    found = cut_off(window)
    assert len(found) == 1, found
    part.hide()
    assert cut_off(window) == []


@pytest.mark.parametrize("name", WIDGETS)
def test_clipped_widget_is_found(name: str, qtbot: QtBot) -> None:
    make, size = WIDGETS[name]
    part = make()
    part.setFixedSize(*size)
    assert_found(qtbot, part)


class Painted(QWidget):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.setFixedSize(60, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, words, flags = QPainter(self), WORDS, 0
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
        assert WORDS in found[0]
        part.setToolTip(WORDS)
        assert cut_off(part) == []


def test_fitting_text_passes(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    rows = QVBoxLayout(window)
    for make, _ in WIDGETS.values():
        rows.addWidget(make())
    window.resize(600, 400)
    window.show()
    assert cut_off(window) == []
