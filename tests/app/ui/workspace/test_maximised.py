from __future__ import annotations

import gc

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from shiboken6 import isValid

from app.ui.pane.pane import ChatPane
from app.ui.workspace.tabs import StripButtons
from tests.app.conftest import Run, Start


def three(run: Run) -> list[ChatPane]:
    run.ready()
    run.window.resize(1400, 900)
    run.window.commands["split_right"].trigger()
    run.window.commands["split_down"].trigger()
    run.steady(lambda: places(run))
    return run.panes


def seen(run: Run) -> list[ChatPane]:
    return [pane for pane in run.panes if pane.isVisible()]


def places(run: Run) -> list[tuple[int, ...]]:
    panes = run.panes
    return [(*p.mapTo(run.window, QPoint(0, 0)).toTuple(), *p.size().toTuple()) for p in panes]


def test_maximized_pane_is_restored_by_same_keys(start: Start):
    run = start()
    panes = three(run)
    before = places(run)
    shift, escape = Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_Escape
    run.qtbot.keyClick(run.pane.composer.field, escape, shift)
    assert seen(run) == [run.pane] == [panes[2]]
    run.until(lambda: run.pane.width() >= run.window.workspace.width() - 2)
    buttons = [s.restore for s in run.window.findChildren(StripButtons) if s.restore.isVisible()]
    assert len(buttons) == 1
    run.qtbot.keyClick(run.pane.composer.field, escape, shift)
    assert seen(run) == panes
    run.until(lambda: places(run) == before)
    assert not buttons[0].isVisible()

    # A double click on the tab does the same, without detaching.
    tab = run.window.workspace.dock(panes[0].chat.id).tabWidget()
    for expected in ([panes[0]], panes):
        run.qtbot.mouseDClick(tab, Qt.MouseButton.LeftButton)
        # For Qt's tests, the button is still down, even in the tests that follow.
        run.qtbot.mouseRelease(tab, Qt.MouseButton.LeftButton)
        assert seen(run) == expected
    assert {pane.window() for pane in panes} == {run.window}

    # Actions that need the other panes restore them first.
    workspace = run.window.workspace
    workspace.activate(panes[2])
    for act in (
        lambda: workspace.activate(panes[0]),
        lambda: run.window.commands["next"].trigger(),
        lambda: run.window.commands["even_out"].trigger(),
        lambda: run.window.commands["split_right"].trigger(),
        lambda: run.window.commands["close"].trigger(),
    ):
        workspace.maximize(workspace.active)
        assert len(seen(run)) == 1
        act()
        assert not workspace.is_maximized
        assert seen(run) == run.panes


def test_saved_layout_includes_all_panes(start: Start):
    run = start()
    run.window.resize(1400, 900)
    for _ in range(2):
        run.ready()
        run.ask("say something")
        run.window.commands["split_right"].trigger()
    run.steady(lambda: places(run))
    before = [pane.chat.id for pane in run.panes]
    run.window.commands["maximise"].trigger()
    run.window.chats.new()  # changes the set of chats
    run.end()
    run = start()
    assert [pane.chat.id for pane in run.panes][:3] == before
    run.until(lambda: len(seen(run)) == 3)
    widths = [pane.width() for pane in seen(run)]
    assert max(widths) - min(widths) < 8


def menu_of(run: Run, pane: ChatPane) -> QMenu:
    tab = run.window.workspace.dock(pane.chat.id).tabWidget()
    at = tab.rect().center()
    mouse = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(tab, QContextMenuEvent(mouse, at, tab.mapToGlobal(at)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_tab_menu_has_pane_commands(run: Run):
    run.ask("say one")
    first = run.pane
    run.window.chats.new()
    run.window.chats.new()
    menu = menu_of(run, first)
    assert run.pane is first
    by_name = [run.window.commands[n].text() for n in ("rename", "pin", "split_right", "close")]
    words = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert set(by_name) <= set(words)
    assert next(a for a in menu.actions() if a.text() == "Maximize Pane").isEnabled() is False
    next(a for a in menu.actions() if a.text() == "Move to New Window").trigger()
    menu.close()
    run.until(lambda: first.window() is not run.window)
    menu = menu_of(run, first)
    assert menu.window().parentWidget() is first.window()
    menu.close()


def test_closing_other_tabs_is_one_undo_step(run: Run):
    for number in range(3):
        run.ask(f"say {number}")
        run.window.chats.new()
    panes = run.panes
    run.window.workspace.activate(panes[1])
    run.window.commands["close_right"].trigger()
    assert run.panes == panes[:2]
    run.window.toast.button.click()
    assert [p.chat.id for p in run.panes] == [p.chat.id for p in panes]
    run.window.workspace.activate(panes[1])
    run.window.commands["close_others"].trigger()
    assert run.panes == [panes[1]]
    run.window.commands["undo_close"].trigger()
    assert [p.chat.id for p in run.panes] == [p.chat.id for p in panes]


def test_maximising_leaves_rows_of_tabs_working(start: Start):
    run = start()
    three(run)
    for _ in range(2):
        run.window.commands["maximise"].trigger()
    gc.collect()
    strips = run.window.workspace.manager.findChildren(StripButtons)
    assert all(isValid(part) for strip in strips for part in (strip._area, strip._bar))
    used = [strip for strip in strips if strip._area.openedDockWidgets()]
    assert len(used) == 3
    run.window.workspace._bars.arrange()
    run.window.commands["maximise"].trigger()
    run.window.chats.new()  # opens a tab in the same area
    assert run.window.workspace.is_maximized
    assert seen(run) == [run.pane]
    run.window.commands["close"].trigger()
    assert run.window.workspace.is_maximized


def test_pane_is_resized_and_moved_by_commands(start: Start):
    run = start()
    panes = three(run)
    first, width = panes[0], panes[0].width()
    run.window.workspace.activate(first)
    run.window.commands["larger"].trigger()
    run.until(lambda: first.width() > width)
    run.window.commands["smaller"].trigger()
    run.until(lambda: first.width() <= width)
    for command, chats in (("move_after", {first, panes[1]}), ("move_before", {first})):
        run.window.commands[command].trigger()
        area = run.window.workspace.dock(first.chat.id).dockAreaWidget()
        assert {dock.widget() for dock in area.dockWidgets()} == chats, command
