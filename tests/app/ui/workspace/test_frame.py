"""Window around the panes: stray typing, narrow tab strips, notices."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from app.chats.actions import Action
from app.ui.widgets.buttons import IconButton
from app.ui.workspace.tabs import StripButtons
from tests.app.conftest import Run

LEFT = Qt.MouseButton.LeftButton


# Typing while nothing has the focus.


def test_typing_without_focus_goes_to_composer(run: Run):
    run.window.chats.split("right")
    QApplication.focusWidget().clearFocus()
    assert QApplication.focusWidget() is None
    run.qtbot.keyClick(run.window, "h")
    assert run.pane.composer.field.hasFocus()
    run.qtbot.keyClicks(run.pane.composer.field, "ello")
    assert run.pane.composer.text == "hello"
    assert run.panes[0].composer.text == ""

    run.pane.composer.set_text("")
    QApplication.focusWidget().clearFocus()
    run.qtbot.keyClick(run.window, Qt.Key.Key_Space)
    run.qtbot.keyClick(run.window, Qt.Key.Key_Tab)
    run.qtbot.keyClick(run.window, Qt.Key.Key_H, Qt.KeyboardModifier.AltModifier)
    assert run.pane.composer.text == ""

    pressed = []
    button = run.window.sidebar.findChildren(IconButton)[-1]
    button.clicked.disconnect()
    button.clicked.connect(lambda: pressed.append(True))
    button.setFocus()
    run.qtbot.keyClick(button, Qt.Key.Key_Space)
    assert pressed == [True]
    assert button.hasFocus()
    run.qtbot.keyClick(button, "x")
    assert pressed == [True]
    assert run.pane.composer.text == "x"
    assert run.pane.composer.field.hasFocus()


# A narrow strip of tabs.


def strips(run: Run) -> list[StripButtons]:
    made = run.window.workspace.manager.findChildren(StripButtons)
    return [strip for strip in made if strip.buttons[0].isVisible()]


def test_narrow_tab_bar_folds_buttons_into_a_menu_with_the_tabs(run: Run):
    run.window.resize(1180, 780)
    run.ask("say " + "a title of many words " * 2)
    run.window.chats.new()
    (strip,) = strips(run)
    assert not strip.folded
    assert all(button.isVisible() for button in strip.buttons)
    run.window.chats.split("right")
    run.window.chats.split("right")
    run.until(strip.more.isVisible)
    assert [button.isVisible() for button in strip.buttons] == [True, False, False]
    bar = run.window.workspace.dock(run.panes[0].chat.id).dockAreaWidget().titleBar().tabBar()
    assert bar.width() > bar.parentWidget().width() - 90  # the rest is for two buttons
    run.window.resize(2400, 780)
    run.until(lambda: not strip.folded)
    run.window.resize(1180, 780)
    run.until(strip.more.isVisible)
    first, second = run.panes[:2]
    run.qtbot.mouseClick(strip.more, LEFT)
    menu = QApplication.activePopupWidget()
    tabs = [pane.chat.title for pane in (first, second)]
    assert [a.text() for a in menu.actions()] == ["Split Right", "Split Down", "", *tabs]
    assert [a.isChecked() for a in menu.actions()[3:]] == [False, True]
    menu.actions()[3].trigger()
    assert run.pane is first
    menu.actions()[1].trigger()
    menu.close()
    assert len(run.panes) == 5
    run.qtbot.mouseClick(strip.buttons[0], LEFT)
    assert len(run.panes) == 6
    areas = [run.window.workspace.dock(p.chat.id).dockAreaWidget() for p in run.panes]
    assert len(set(areas)) == 4


# Notices, and uncaught errors.


def test_undo_toast_is_in_window_of_pane(run: Run):
    run.ask("say one")
    toast = run.window.toast
    run.window.commands["float"].trigger()
    floating = run.pane.window()
    assert floating is not run.window
    last = run.pane.chat.transcript.last("assistant").id
    run.pane.transcript.action_requested.emit(Action.DELETE, last)
    assert toast.visible_overlay.isVisible()
    assert toast.visible_overlay.window() is floating
    assert not toast.isVisible()
    run.qtbot.mouseClick(toast.visible_overlay.button, LEFT)
    assert last in run.pane.chat.transcript
    run.pane.transcript.action_requested.emit(Action.DELETE, last)
    run.window.commands["float"].trigger()  # docks the pane and closes the floating window
    assert run.pane.window() is run.window
    run.until(lambda: toast.visible_overlay is None)
    run.window.commands["undo_close"].trigger()
    assert last in run.pane.chat.transcript
    run.pane.transcript.action_requested.emit(Action.DELETE, last)
    assert toast.isVisible()
    assert toast.window() is run.window


def test_notice_does_not_cover_continue_button(run: Run):
    run.window.resize(700, 560)
    run.window.commands["sidebar"].trigger()
    run.window.commands["split_right"].trigger()
    run.ready()
    for pane in run.panes:
        run.say("hold 60", pane)
        run.until(lambda pane=pane: "59" in run.answer(pane))
    run.window.commands["stop_all"].trigger()
    run.until(lambda: not run.app.library.replying_chats())
    buttons = [b for b in run.window.findChildren(QPushButton) if b.text() == "Continue"]
    run.until(lambda: sum(b.isVisible() for b in buttons) == 2)
    toast = run.window.toast
    for pane in run.panes:
        pane.transcript.verticalScrollBar().setValue(10**6)
    # Notices don't cover the Continue buttons.
    for height in range(420, 561, 28):
        run.window.resize(700, height)
        toast.show_text("A notice of some length, which is as wide as a pane", "Undo")
        area = toast.geometry()
        for button in buttons:
            if not button.visibleRegion().isEmpty():
                place = QRect(button.mapTo(run.window, QPoint()), button.size())
                assert not place.intersects(area), height


# The dots of tabs and rows.


def test_current_tab_scrolls_into_view(run: Run):
    run.window.resize(900, 780)
    for _ in range(9):
        run.window.chats.new()
        run.pane.chat.rename("Plan a weekend in Paris")
    dock = run.window.workspace.dock(run.pane.chat.id)
    tab, scroll = dock.tabWidget(), dock.dockAreaWidget().titleBar().tabBar().horizontalScrollBar()
    run.until(lambda: scroll.maximum() > 0)
    # Scrolling to the new tab may be pending.
    run.until(lambda: scroll.setValue(0) or tab.visibleRegion().isEmpty())
    title = tab.findChild(QLabel, "dockWidgetTabLabel")
    assert title.fontMetrics().horizontalAdvance("Plan a wee…") <= title.width()
    run.window.resize(890, 780)
    run.until(lambda: tab.visibleRegion().boundingRect().width() > tab.width() - 4)
