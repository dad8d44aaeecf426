"""The current pane."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.ui.pane.pane import ChatPane
from tests.app.conftest import Run, Start


@pytest.fixture
def two(start: Start) -> Run:
    run = start().ready()
    run.window.resize(1100, 700)
    run.ask("say one")
    run.window.commands["split_right"].trigger()
    run.ready()
    run.ask("say two")
    return run


def press(run: Run, pane: ChatPane, point: QPoint) -> None:
    target = pane.childAt(point) or pane
    run.qtbot.mousePress(target, Qt.MouseButton.LeftButton, pos=target.mapFrom(pane, point))
    run.qtbot.mouseRelease(target, Qt.MouseButton.LeftButton, pos=target.mapFrom(pane, point))


def test_click_anywhere_activates_pane(two: Run) -> None:
    panes, pressed = two.window.workspace.panes(), 0
    for pane in panes:
        other = next(each for each in panes if each is not pane)
        for x in range(4, pane.width(), 83):
            for y in range(4, pane.height(), 71):
                point = QPoint(x, y)
                at = pane.childAt(point)
                if isinstance(at, QAbstractButton) and at.isEnabled():
                    continue  # has an action of its own
                two.window.workspace.activate(other)
                press(two, pane, point)
                assert two.window.workspace.active is pane, (point, at)
                pressed += 1
                if (popup := QApplication.activePopupWidget()) is not None:
                    popup.close()
    assert pressed > 60
