"""Notifications."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from app.ui.window import notices
from app.ui.window.notices import Notifications
from tests.app.conftest import Run

AWAY, HERE = Qt.ApplicationState.ApplicationInactive, Qt.ApplicationState.ApplicationActive


class Board(QObject):
    notice_clicked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, tuple[str, str]] = {}

    def show(self, name: str, title: str, words: str) -> None:
        self.shown[name] = (title, words)

    def withdraw(self, name: str) -> None:
        del self.shown[name]


def answered(run: Run, notifier: Notifications, text: str, seconds: float) -> None:
    run.say(text)
    run.until(lambda: run.pane.chat.id in notifier._started_at)
    notifier._started_at[run.pane.chat.id] -= seconds
    run.engine.release()
    run.answered()
    run.until(lambda: run.pane.chat.id not in notifier._started_at)


def test_long_reply_in_background_notifies(run: Run, monkeypatch):
    state = [HERE]
    asked = type("Asked", (QGuiApplication,), {"applicationState": staticmethod(lambda: state[0])})
    monkeypatch.setattr(notices, "QGuiApplication", asked)
    notifier, board = run.window.notifications, Board()
    notifier.use(board)
    chat_id = run.pane.chat.id
    answered(run, notifier, "say here", 60)
    state[0] = AWAY
    answered(run, notifier, "say quick", 0)
    assert board.shown == {}
    answered(run, notifier, "say slow", 60)
    assert [*board.shown] == [chat_id]
    run.window.chats.new()
    run.ready()
    other = run.pane.chat.id
    answered(run, notifier, "fail", 60)
    assert other in board.shown
    board.notice_clicked.emit(chat_id)
    assert run.pane.chat.id == chat_id
    state[0] = HERE
    QGuiApplication.instance().applicationStateChanged.emit(HERE)
    assert board.shown == {}
    state[0] = AWAY
    run.window.settings_commands.show_settings()
    run.settings.pages.fields["notify"].setChecked(False)
    run.settings.close()
    answered(run, notifier, "say silent", 60)
    assert board.shown == {}
    assert not run.app.settings.notify
