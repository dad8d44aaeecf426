from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from PySide6.QtCore import QPoint, QRect

from app.ui.pane.pane import ChatPane
from app.ui.window.main_window import MainWindow
from app.ui.workspace import docks
from app.ui.workspace.tab_drag import DropTarget
from tests.app.conftest import Run, Start


def place(run: Run, pane: ChatPane) -> tuple[QRect, int]:
    dock = run.window.workspace.dock(pane.chat.id)
    area = dock.dockAreaWidget()
    assert area.window() is run.window
    corner = area.mapTo(run.window, QPoint(0, 0))
    return QRect(corner, area.size()), area.index(dock)


def float_and_close(run: Run) -> ChatPane:
    pane = run.pane
    run.window.commands["float"].trigger()
    run.until(lambda: pane.window() is not run.window)
    pane.window().close()
    run.until(lambda: pane not in run.panes)
    return pane


def test_floating_pane_stays_when_main_window_activates(run: Run):
    run.window.chats.new()
    pane = run.pane
    run.window.commands["float"].trigger()
    run.until(lambda: pane.window() is not run.window and pane.isVisible())
    parent = pane.window().parentWidget()  # window managers keep it above its parent
    assert parent.window() is run.window
    for _ in range(2):
        run.window.activateWindow()
        run.until(run.window.isActiveWindow)
        assert pane.isVisible()
        pane.window().activateWindow()
        run.until(pane.window().isActiveWindow)
        assert pane.isVisible()
    run.window.commands["search"].trigger()  # activates the window with the sidebar
    run.until(lambda: run.window.isActiveWindow() and run.window.sidebar.search.hasFocus())


def test_frame_of_a_new_window_is_on_the_screen(run: Run, monkeypatch: pytest.MonkeyPatch):
    # A window manager adds the frame later.
    monkeypatch.setattr(docks, "move_onto_screen", lambda window: None)
    run.window.chats.new()
    pane = run.pane
    dock = run.window.workspace._docks[pane.chat.id]
    run.window.workspace._on_pulled_out(dock, QPoint(-60, -20))
    run.until(pane.window().isActiveWindow)
    window = pane.window()
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    window.move(-30, 20)  # by the user
    run.window.activateWindow()
    run.until(run.window.isActiveWindow)
    window.activateWindow()
    run.until(window.isActiveWindow)
    assert window.x() < 0


def test_main_window_activates_the_chat_that_it_shows(run: Run):
    for _ in range(2):
        run.window.chats.new()
    for number in (2, 0, 1):
        run.window.workspace.activate(run.panes[number])
    run.window.commands["float"].trigger()
    window = run.pane.window()
    run.until(window.isActiveWindow)
    run.window.activateWindow()
    run.until(lambda: run.pane.window() is run.window)
    assert run.pane.isVisible()
    assert run.pane is run.panes[1]


def test_window_with_only_closed_chats_is_hidden(run: Run):
    workspace = run.window.workspace
    run.window.chats.new()
    kept = run.pane
    workspace.float_pane(kept)
    window = kept.window()
    run.window.chats.split("down")
    closed = run.pane
    assert closed.window() is window
    workspace.close_pane(closed)
    workspace.float_pane(kept)
    assert kept.window() is run.window
    assert not window.isVisible()
    workspace.reopen(closed.chat.id)
    assert closed.isVisible()


def test_windows_open_while_the_main_window_has_no_panes(run: Run):
    workspace, first = run.window.workspace, run.pane
    run.window.chats.new()
    second = run.pane
    workspace.float_pane(first)
    area = workspace.dock(first.chat.id).dockAreaWidget()
    workspace._on_dropped(workspace._docks[second.chat.id], DropTarget(area, "tab"))
    assert workspace.nothing.isVisible()
    workspace._on_pulled_out(workspace._docks[second.chat.id], QPoint(10, 10))
    assert second.isVisible()
    assert second.window() is not first.window()
    assert workspace.nothing.isVisible()
    for pane in (first, second):
        workspace.close_pane(pane)
    run.window.quick.ask()
    assert run.pane.isVisible()


def test_command_returns_pane_to_its_place(run: Run):
    run.window.resize(1400, 900)
    for where in ("tab", "right", "down", "first"):
        if where == "first":
            run.window.workspace.activate(run.panes[0])
        else:
            run.window.chats.split(where)
        before = run.steady(lambda: place(run, run.pane))
        pane = run.pane
        run.window.commands["float"].trigger()
        run.until(lambda pane=pane: pane.window() is not run.window)
        run.window.commands["float"].trigger()
        run.until(lambda pane=pane: pane.window() is run.window and pane.isVisible())
        run.until(lambda pane=pane, before=before: place(run, pane) == before)
        assert run.pane is pane, where


def test_closed_floating_pane_reopens_in_place(run: Run):
    run.ask("say one")
    run.window.commands["split_right"].trigger()
    run.ask("say two")
    before = run.steady(lambda: place(run, run.pane))
    pane = float_and_close(run)
    run.window.toast.button.click()  # Undo
    assert pane in run.panes
    run.until(lambda: place(run, pane) == before)
    pane = float_and_close(run)
    run.window.chats.open(pane.chat.id)  # like a click in the sidebar
    run.until(lambda: place(run, run.pane) == before)


def test_floating_place_survives_restart(start: Start):
    run = start().ready()
    run.window.resize(1400, 900)
    run.ask("say one")
    run.window.commands["split_right"].trigger()
    run.ask("say two")
    run.window.workspace.activate(run.panes[0])
    chat = run.pane.chat.id
    run.window.commands["float"].trigger()
    run.end()
    run = start()
    pane = run.window.workspace.pane(chat)
    assert pane.window() is not run.window
    run.window.workspace.float_pane(pane)
    run.until(lambda: run.panes[0] is pane)
    assert place(run, pane)[0].left() < place(run, run.panes[1])[0].left()


def test_title_follows_active_pane_into_the_window(run: Run):
    run.ask("say one")
    run.window.commands["split_right"].trigger()
    run.ask("say two")
    first, second = run.panes
    run.window.workspace.activate(first)
    run.window.commands["float"].trigger()
    run.window.workspace.activate(second)
    run.window.workspace.activate(first)
    assert run.window.windowTitle() == "say two — Stretto"
    # A drop moves the pane while no other pane becomes active in between.
    with patch.object(run.window.workspace, "_set_active"):
        run.window.commands["float"].trigger()
    assert run.window.windowTitle() == "say one — Stretto"


def test_main_window_commands_open_there(run: Run):
    run.ask("say one")
    kept = run.pane.chat.id
    run.window.workspace.close_pane(run.pane)
    run.window.chats.new()
    docked = run.pane
    run.window.chats.new()
    floating = run.pane
    run.window.commands["float"].trigger()
    run.until(floating.window().isActiveWindow)
    run.window.sidebar.chat_opened.emit(kept, "", "")
    assert run.pane.chat.id == kept
    assert run.pane.window() is run.window
    run.window.workspace.activate(floating)
    run.window.sidebar.new.click()
    assert run.pane.window() is run.window
    # The window's active pane is active again.
    run.window.workspace.activate(docked)
    run.window.workspace.activate(floating)
    run.window.activateWindow()
    run.until(lambda: run.pane is docked)


ON_TWO = """
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from app.ui.workspace.docks import move_onto_screen
app = QApplication([])
window = QWidget(None, Qt.WindowType.FramelessWindowHint)
window.resize(400, 300)
window.show()
for x, y in ((2300, 500), (900, -40), (790, 100)):
    window.move(x, y)
    move_onto_screen(window)
    print(window.x(), window.y())
"""


def test_window_stays_on_its_main_screen(tmp_path: Path):
    screens = [
        {"name": name, "x": x, "y": 0, "width": width, "height": 700, "dpi": 96, "dpr": 1}
        for name, x, width in (("one", 0, 800), ("two", 800, 1600))
    ]
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"screens": screens}))
    env = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={config}"}
    done = subprocess.run(
        [sys.executable, "-c", ON_TWO], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2000", "400", "900", "0", "800", "100"]


def test_main_window_fits_small_screen_with_frame(start: Start, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(MainWindow, "SIZE", (3000, 2000))
    window = start().window
    assert window.frameGeometry() != window.geometry()
    assert window.screen().availableGeometry().contains(window.frameGeometry())


def test_floating_window_and_empty_main_window_are_restored(start: Start):
    run = start().ready()
    run.ask("say one")
    chat = run.pane.chat.id
    run.window.commands["float"].trigger()
    run.until(run.pane.window().isActiveWindow)
    run.pane.window().move(5000, 5000)
    run.window.activateWindow()
    run.until(lambda: run.window.workspace.active is None)
    run.end()
    run = start()
    (pane,) = run.panes
    assert pane.chat.id == chat
    assert run.window.workspace.active is None
    window = pane.window()  # moved onto the screen
    assert window is not run.window
    assert window.screen().availableGeometry().contains(window.frameGeometry())
