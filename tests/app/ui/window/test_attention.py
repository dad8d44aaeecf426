"""A reply that ends behind another program's window."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from tests.app.conftest import Run


def test_title_counts_unseen_answers(run: Run, monkeypatch):
    state = [Qt.ApplicationState.ApplicationActive]
    alerts = []
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: state[0])
    monkeypatch.setattr(QApplication, "alert", lambda window, *_: alerts.append(window))
    run.ask("say one")
    assert run.window.windowTitle() == "say one — Stretto"
    state[0] = Qt.ApplicationState.ApplicationInactive
    run.ask("say two")
    assert run.window.windowTitle() == "(1) say one — Stretto"
    run.ask("say three")
    assert run.window.windowTitle() == "(1) say one — Stretto"  # the number of chats
    assert alerts
    run.window._attention._on_state(Qt.ApplicationState.ApplicationActive)
    assert run.window.windowTitle() == "say one — Stretto"
