"""State restored at the next start, and ways to end the program."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.program.application import Application
from app.settings.paths import Paths
from app.store import Store
from tests.app.conftest import Run, Start


def test_restart_restores_chats_layout_and_drafts(start: Start):
    run = start()
    run.window.resize(790, 700)  # fits on the test's screen, so the next start doesn't shrink it
    run.window.commands["sidebar"].trigger()  # with two columns it would collapse a moment later
    run.ready()
    run.ask("say left")
    run.window.commands["split_right"].trigger()
    run.ask("say right")
    run.window.commands["split_down"].trigger()
    run.pane.composer.set_text("a draft")
    run.window.commands["previous"].trigger()
    active = run.pane.chat.id
    places = {p.chat.id: p.mapTo(run.window, p.rect().topLeft()) for p in run.panes}
    size = run.window.size()
    run.end()

    again = start()
    again.until(lambda: len(again.panes) == 3)
    now = {p.chat.id: p.mapTo(again.window, p.rect().topLeft()) for p in again.panes}
    assert again.window.size() == size
    assert {i: (p - places[i]).manhattanLength() <= 4 for i, p in now.items()} == dict.fromkeys(
        places, True
    )
    assert again.pane.chat.id == active
    assert [again.answer(p) for p in again.panes[:2]] == ["left ", "right "]
    assert again.panes[2].composer.text == "a draft"
    again.ready()
    again.say("say still works")
    assert again.answered() == "still works "


def test_exit_before_panes_are_restored_keeps_them(start: Start, qapp: QApplication, profile: Path):
    """A signal arrives during the first paint, while many panes are still to be created."""
    run = start()
    for _ in range(5):
        run.pane.composer.set_text("kept")
        run.window.commands["split_right"].trigger()
    run.pane.composer.set_text("kept")
    run.end()

    told = Application(qapp, Paths.for_profile(profile), engine_factory=lambda *_: None)
    QTimer.singleShot(0, told, told.shut_down)
    assert not told.start()
    assert told.down
    assert told.window is None
    told.deleteLater()

    again = start()
    assert [pane.composer.text for pane in again.panes] == ["kept"] * 6


def test_focused_pane_is_saved_immediately(start: Start):
    """Saved immediately, since a crash skips the shutdown."""
    run = start()
    run.ask("say left")
    run.window.commands["split_right"].trigger()
    right = run.pane.chat.id
    store = run.app.store
    run.until(lambda: (store.layout("main") or {}).get("active") == right)
    run.window.commands["previous"].trigger()
    left = run.pane.chat.id
    assert left != right
    run.until(lambda: (store.layout("main") or {}).get("active") == left)


def test_restart_without_panes_stays_empty(start: Start):
    run = start()
    run.say("say one")
    run.window.commands["close"].trigger()
    run.end()
    again = start()
    assert again.panes == []
    assert again.window.workspace.nothing.isVisible()
    assert len(again.window._library.chats()) == 1


def test_closing_saves_running_replies_and_ends_threads(run: Run, profile):
    pane = run.say("hold 20")
    run.window.commands["split_right"].trigger()
    other = run.say("hold 10")
    run.until(lambda: "20" in run.answer(pane) and "10" in run.answer(other))
    run.window.close()
    run.until(lambda: run.app.window is None)
    assert not [t for t in threading.enumerate() if t.name == "fake-engine"]
    with Store.open(profile / "chats.db") as store:
        answers = [store.path(chat.id)[-1] for chat in store.chats()]
    assert sorted(m.content.split()[-1] for m in answers) == ["10", "20"]
    assert {m.status for m in answers} == {"interrupted"}


def test_closing_while_the_model_still_loads(start: Start):
    run = start()
    run.until(lambda: run.engine is not None)
    run.engine.loading.clear()
    run.pane.chat.model.set("/models/slow")
    run.say("say never")
    run.window.close()
    run.until(lambda: run.app.window is None)
