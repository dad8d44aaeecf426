from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from PySide6.QtCore import Qt
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication, QPushButton, QSystemTrayIcon

from app.ui.settings import other_programs
from tests.app.conftest import Run


def escape(run: Run) -> None:
    run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Escape)


def icon(run: Run) -> QSystemTrayIcon:
    found = run.window.tray.icon
    assert found is not None
    return found


def test_quick_question_window_closes_with_esc(run: Run):
    run.ask("say before")
    before = run.pane
    run.window.commands["quick_ask"].trigger()
    pane = run.pane
    assert pane is not before
    assert pane.window() is not run.window
    window, bar = pane.window(), run.window.workspace.dock(pane.chat.id).dockAreaWidget().titleBar()
    assert window.windowTitle() == "Quick Question"
    assert window.width() < run.window.width()
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    assert not bar.isVisible()
    low = window.height()
    run.ready()
    run.say("say quick")
    assert run.answered() == "quick "
    assert window.height() > low
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    escape(run)
    assert run.panes == [before]
    assert pane.chat.id in {chat.id for chat in run.app.library.chats()}
    run.window.toast.button.click()  # Undo
    pane = run.window.workspace.pane(pane.chat.id)
    assert pane.window() is run.window  # reopened as a normal pane
    assert run.window.workspace.dock(pane.chat.id).dockAreaWidget().titleBar().isVisible()


def test_unused_quick_question_leaves_no_chat(run: Run):
    for _ in range(2):
        run.window.commands["quick_ask"].trigger()
    assert len(run.panes) == 2
    run.qtbot.keyClicks(run.pane.composer.field, "x")
    run.pane.composer.set_text("")
    escape(run)
    assert len(run.panes) == 1
    assert run.app.library.chats() == []


def test_second_start_opens_quick_question(run: Run):
    single = run.app.single
    socket = QLocalSocket()
    socket.connectToServer(single._name + "-ask")
    run.until(lambda: len(run.panes) == 2)
    window = run.pane.window()
    assert window is not run.window
    socket.abort()
    # Its tab bar appears with the second tab.
    bar = run.window.workspace.dock(run.pane.chat.id).dockAreaWidget().titleBar()
    assert not bar.isVisible()
    run.window.chats.new()
    assert run.pane.window() is window
    assert bar.isVisible()


# Messages of the offscreen platform about itself.
def test_command_for_the_shortcut_runs_from_the_sources(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    command = shlex.split(other_programs.ask_command())
    assert command[-1] == "--ask"
    assert subprocess.run([*command[:-1], "--version"], check=False, cwd="/").returncode == 0


def test_settings_copy_the_command_for_the_shortcut(run: Run):
    run.window.settings_commands.show_settings()
    buttons = run.settings.findChildren(QPushButton)
    next(button for button in buttons if button.text() == "Copy Command").click()
    assert QApplication.clipboard().text() == other_programs.ask_command()


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", "This plugin does not support", extend=True)
def test_tray_is_off_by_default(run: Run):
    tray = run.window.tray
    assert tray.icon is None
    run.window.settings_commands.show_settings()
    settings = run.settings
    # Features missing from the desktop are disabled.
    assert not settings.pages.fields["tray"].isEnabled()
    settings.close()
    run.app.settings.set(tray=True)
    icon(run).contextMenu().actions()[1].trigger()
    assert len(run.panes) == 2
    run.app.settings.set(tray=False)
    assert tray.icon is None


def test_quick_question_has_no_compare_or_broadcast(run: Run):
    main = run.pane
    run.window.commands["quick_ask"].trigger()
    quick = run.pane
    run.until(quick.isVisible)
    composer = quick.composer
    assert [b.isVisible() for b in (quick.empty.demo, composer.compare)] == [False, False]
    assert not composer.broadcast_button.isVisible()
    run.window.broadcast.toggle()
    assert run.window.broadcast.group == [main]
    assert not composer.broadcast_button.isVisible()
    run.window.broadcast.toggle()
    run.window.workspace.activate(quick)
    run.window.commands["float"].trigger()  # back into the main window as a normal pane
    run.window.resize(1400, 800)
    run.until(lambda: quick.window() is run.window and not quick.is_quick_question)
    run.until(lambda: composer.compare.isVisible())
    run.window.commands["split_right"].trigger()
    assert composer.broadcast_button.isVisible()
