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


def shown(run: Run) -> list[str]:
    """Return the titles of the tabs that are shown, from left to right."""
    workspace = run.window.workspace
    areas = dict.fromkeys(workspace.dock(p.chat.id).dockAreaWidget() for p in workspace.panes())
    return [area.currentDockWidget().widget().chat.title for area in areas]


@pytest.fixture
def tabs(start: Start) -> Run:
    run = start().ready()
    run.window.resize(1300, 700)
    for title in "abcdef":
        if title != "a":
            run.window.commands["split_right" if title == "d" else "new"].trigger()
        run.ready().ask(title)
    return run


def pane_of(run: Run, title: str) -> ChatPane:
    return next(pane for pane in run.window.workspace.panes() if pane.chat.title == title)


def test_closed_tab_shows_the_one_before_it(tabs: Run) -> None:
    workspace, commands = tabs.window.workspace, tabs.window.commands
    for title in "cab":
        workspace.activate(pane_of(tabs, title))
        commands["new"].trigger()
        assert shown(tabs) == ["New chat", "f"]
        commands["close"].trigger()
        assert shown(tabs) == [title, "f"]
        assert workspace.active is pane_of(tabs, title)


def test_closing_a_tab_leaves_other_panes(tabs: Run) -> None:
    workspace, commands = tabs.window.workspace, tabs.window.commands
    workspace.activate(pane_of(tabs, "b"))
    tab = workspace.dock(pane_of(tabs, "f").chat.id).tabWidget()
    tab.closeRequested.emit()
    assert shown(tabs) == ["b", "e"]
    assert workspace.active is pane_of(tabs, "b")
    commands["undo"].trigger()
    assert shown(tabs) == ["b", "f"]
    workspace.close_pane(pane_of(tabs, "d"))
    assert shown(tabs) == ["b", "f"]
    for left, expected in (("b", ["c", "f"]), ("c", ["a", "f"]), ("a", ["f"])):
        workspace.activate(pane_of(tabs, left))
        commands["close"].trigger()
        assert shown(tabs) == expected
    assert workspace.active is pane_of(tabs, "f")
