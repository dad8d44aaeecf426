"""Delivery of engine events to the GUI thread."""

from __future__ import annotations

import sys
import threading

import pytest
from pytestqt.qtbot import QtBot

from app.bridge import Bridge, coalesce
from app.system.crash import CrashReports
from engine import Finished, FinishReason, PromptProgress, ReplyStats, TextDelta


def delta(text, kind="answer"):
    return TextDelta("s", "r", text, kind)


def progress(done):
    return PromptProgress("s", "r", done, 9, 0)


@pytest.fixture
def bridge(qapp):
    made = Bridge()
    yield made
    made.deleteLater()


def test_runs_of_text_become_one_and_kinds_stay_apart():
    inbox = [(1, delta(t, k)) for t, k in [("a", "reasoning"), ("b", "reasoning"), ("c", "answer")]]
    assert coalesce(inbox) == [(1, delta("ab", "reasoning")), (1, delta("c"))]


def test_coalescing_leaves_list_messages_alone():
    inbox = [(1, ["a"]), (1, delta("b")), (1, delta("c")), (1, [delta("d")]), (1, delta("e"))]
    assert coalesce(inbox) == [(1, ["a"]), (1, delta("bc")), (1, [delta("d")]), (1, delta("e"))]


def test_channels_do_not_mix_and_keep_their_order():
    end = Finished("s", "r", FinishReason.STOP, ReplyStats())
    inbox = [(1, progress(1)), (2, delta("x")), (1, progress(5)), (1, delta("a")), (2, delta("y"))]
    inbox += [(1, delta("b")), (1, end)]
    assert coalesce(inbox) == [(1, progress(5)), (1, delta("ab")), (1, end), (2, delta("xy"))]


def test_events_arrive_in_order_with_few_wakeups(bridge, qtbot: QtBot):
    got, threads, calls = [], set(), 0

    def handle(event):
        nonlocal calls
        calls += 1
        threads.add(threading.current_thread())
        got.append(event.text)

    _, post = bridge.channel(handle)
    other = threading.Thread(target=lambda: [post(delta(f"{n} ")) for n in range(5000)])
    other.start()
    other.join()
    qtbot.waitUntil(lambda: "".join(got).endswith("4999 "))
    assert "".join(got) == "".join(f"{n} " for n in range(5000))
    assert threads == {threading.main_thread()}
    assert calls <= 3


def test_closed_channel_receives_nothing(bridge, qtbot: QtBot):
    got = []
    number, post = bridge.channel(got.append)
    _, post_other = bridge.channel(got.append)
    post(delta("late"))
    bridge.close(number)
    post_other(delta("other"))
    qtbot.waitUntil(lambda: bool(got))
    assert got == [delta("other")]


def test_failing_handler_does_not_delay_other_channels(bridge, qtbot: QtBot, caplog):
    got = []

    def broken(event):
        raise RuntimeError("a fault")

    _, post_broken = bridge.channel(broken)
    _, post = bridge.channel(got.append)
    post_broken(delta("x"))
    post(delta("y"))
    with qtbot.captureExceptions() as caught:
        qtbot.waitUntil(lambda: bool(got))
    assert "handler of an engine message failed" in caplog.text
    assert [str(error) for _, error, _ in caught] == ["a fault"]


def test_handler_errors_are_reported(bridge, qtbot: QtBot, tmp_path, monkeypatch):
    reports, written = CrashReports(tmp_path, tmp_path / "none.log"), []
    monkeypatch.setattr(sys, "excepthook", lambda *what: written.append(reports.report(*what)))

    def broken(event):
        raise RuntimeError(event.text)

    _, post = bridge.channel(broken)
    for kind in ("answer", "reasoning") * 20:
        post(delta("x", kind))
    bridge.drain()
    assert len(written) == 40
    assert [path for path in written if path is not None] == reports.unseen_reports()
    assert len(reports.unseen_reports()) == 1
