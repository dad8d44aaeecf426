from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.chats.answer import Phase
from app.chats.turn import Event, Stage
from app.score import ScoreFeed
from tests.app.conftest import Run


def test_shortcut_toggles_score(run: Run) -> None:
    score = run.window.score
    assert not score.isVisible()
    run.qtbot.keyClick(run.window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert score.isVisible()
    run.until(lambda: score.totals.text() == "Idle")
    run.qtbot.keyClick(run.window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert not score.isVisible()
    run.window.commands["pause"].trigger()  # nothing to pause
    assert run.window.toast.isVisible()


def test_writing_chat_has_a_lane_that_pauses_it(run: Run) -> None:
    run.window.toggle_score()
    pane = run.say("count 100000")
    score = run.window.score
    run.until(lambda: score.rows() and score.rows()[0].lane.state == "writing")
    row = score.rows()[0]
    assert row.lane.title == "count 100000"
    assert "1 replying" in score.totals.text()
    run.qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert pane.chat.reply.phase is Phase.PAUSED
    assert pane.header.state == "Paused"
    run.until(lambda: row.lane.state == "paused")
    assert row.button.accessibleName() == "Resume"
    run.qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    run.until(lambda: row.lane.state == "writing")
    assert pane.chat.reply.phase is Phase.WRITING
    pane.chat.turn.handle(Event.STOP)
    run.answered()
    run.until(lambda: row.lane.state == "idle")


def test_the_key_pauses_the_reply_in_front(run: Run) -> None:
    pane = run.say("count 100000")
    chat = pane.chat
    run.until(lambda: chat.reply.phase is Phase.WRITING)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    run.qtbot.keyClick(run.window, Qt.Key.Key_P, keys)
    assert chat.reply.stage is Stage.PAUSED
    answer = chat.transcript.last("assistant")
    # Pending results arrive, and no others.
    assert run.engine.sent[0].paused
    turned = threading.Event()
    run.engine.inbox.put(turned.set)
    run.until(lambda: turned.is_set() and not run.app.bridge._inbox)
    length = len(chat.reply.message(answer.id).content)
    run.qtbot.wait(50)
    assert len(chat.reply.message(answer.id).content) == length
    run.qtbot.keyClick(run.window, Qt.Key.Key_P, keys)
    run.until(lambda: len(chat.reply.message(answer.id).content) > length)
    run.qtbot.keyClick(run.window, Qt.Key.Key_P, keys)
    run.qtbot.keyClick(pane.composer.field, Qt.Key.Key_Escape)
    run.answered()
    assert chat.transcript.last("assistant").status == "cancelled"


def test_canceled_stats_are_requested_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped engine cancels pending queries. The score repeats them and shows the results."""
    cancelled: Future[dict[str, Any]] = Future()
    cancelled.cancel()
    cancelled.set_running_or_notify_cancel()
    sampled = []
    feed = ScoreFeed(run.app.library, dict, run.window)
    feed.lanes_updated.connect(lambda: sampled.append(True))
    with monkeypatch.context() as patched:
        patched.setattr(run.engine, "stats_later", lambda: cancelled)
        feed.start()
        run.until(lambda: not run.app.library.loader.figures._asking.running)
    assert not sampled
    run.until(lambda: sampled)
    feed.stop()
