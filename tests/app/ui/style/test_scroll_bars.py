from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.ui.style.scroll_bars import FloatingBar, float_bars
from app.ui.style.theme import Theme


@pytest.fixture
def field(qtbot: QtBot, look: Theme) -> QPlainTextEdit:
    field = QPlainTextEdit("\n".join(map(str, range(200))))
    qtbot.addWidget(field)
    field.resize(200, 100)
    field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    float_bars(field)
    QCursor.setPos(QPoint(2_000, 2_000))
    with qtbot.waitExposed(field):
        field.show()
    qtbot.wait(20)
    return field


def bar_of(field: QPlainTextEdit) -> FloatingBar:
    bars = field.findChildren(FloatingBar)
    return next(bar for bar in bars if bar.orientation() == Qt.Orientation.Vertical)


def test_scroll_bar_overlays_and_shows_while_scrolling(field, qtbot: QtBot) -> None:
    bar = bar_of(field)
    assert field.viewport().width() >= field.width() - 4
    assert bar.geometry().right() == field.viewport().geometry().right()
    assert not bar.shown
    field.verticalScrollBar().setValue(20)
    assert bar.shown
    assert bar.value() == 20
    qtbot.waitUntil(lambda: not bar.shown)


def test_scroll_bar_appears_at_edge_and_drags(field, qtbot: QtBot) -> None:
    bar, own = bar_of(field), field.verticalScrollBar()
    QTest.mouseMove(field, QPoint(0, 0))  # a test before may have left the mouse on the bar
    QTest.mouseMove(bar, QPoint(6, 40))
    qtbot.waitUntil(lambda: bar.shown)
    bar.setSliderDown(True)
    bar.setSliderPosition(own.maximum() // 2)
    bar.setSliderDown(False)
    assert own.value() == own.maximum() // 2


def test_growing_text_does_not_show_scroll_bar(field, qtbot: QtBot) -> None:
    bar, own = bar_of(field), field.verticalScrollBar()
    field.appendPlainText("\n".join(map(str, range(50))))
    own.setRange(0, own.maximum() + 10)
    own.setValue(own.maximum())
    qtbot.wait(200)
    assert not bar.shown


def test_high_contrast_always_shows_scroll_bar(field, look: Theme) -> None:
    look.set_contrast("high")
    assert bar_of(field).shown
    look.set_contrast("normal")
    assert not bar_of(field).shown
