"""Helpers in their call's card."""

from __future__ import annotations

import json

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.chats.lanes import LaneState, lanes_of
from app.chats.tool_call import CallState
from app.tools.builtin import HELPERS
from app.ui.transcript.helper_lanes import HelperLanes
from app.ui.transcript.tool_row import ToolRow
from tests.app.conftest import Run, Start


def row(run: Run) -> ToolRow:
    return [p.row for p in run.pane.transcript.places if isinstance(p.row, ToolRow)][-1]


def lanes(run: Run) -> HelperLanes:
    run.until(lambda: row(run).lanes)
    found = row(run).lanes
    assert found is not None
    return found


def test_lanes_stream_expand_and_stop_separately(start: Start) -> None:
    run = start()
    run.ready()
    chat = run.pane.chat
    chat.set_options(replace(chat.options, tools=(HELPERS,)), "")
    questions = ["hold 90", "say one two", "hold 7", "fail"]
    run.say(f"call ask_helpers {json.dumps({'questions': questions, 'context': 'fresh'})}")
    run.until(lambda: run.pane.chat.tools.waiting)
    run.until(lambda: run.pane.transcript.places[-1].row is not None)
    asked = row(run)
    asked.setFocus()
    QTest.keyClick(asked, Qt.Key.Key_T)
    first, second, third, fourth = lanes(run).lanes
    run.until(lambda: "6 7" in third.head.lane.text and fourth.head.lane.is_over)
    run.until(fourth.stop.isHidden)
    assert second.stop.isHidden()
    assert not first.stop.isHidden()
    run.until(lambda: "90" in first.head.lane.text)
    height = row(run).height()
    run.until(lambda: fourth.y() > third.y() > 0)
    row(run).setFocus()
    row(run).focusNextPrevChild(True)
    assert first.head.hasFocus()
    QTest.keyClick(first.head, Qt.Key.Key_Return)
    run.until(lambda: row(run).height() > height)
    run.until(lambda: "89 90" in first.view.toPlainText())
    row(run).focusNextPrevChild(True)
    assert first.stop.hasFocus()
    QTest.keyClick(first.stop, Qt.Key.Key_Space)
    run.until(lambda: first.head.lane.is_over)
    run.until(first.stop.isHidden)
    assert first.head.hasFocus(), "the focus stays where it was"
    assert first.head.lane.state is LaneState.STOPPED
    assert not third.head.lane.is_over, "only that one"
    assert row(run).state is CallState.RUNNING
    run.engine.release()
    run.answered()
    over = row(run)
    assert lanes(run).isHidden()
    over.setFocus()
    QTest.keyClick(over, Qt.Key.Key_Space)
    run.until(lambda: lanes(run).isVisible())
    assert [each.head.lane.state.value for each in lanes(run).lanes] == [
        "stopped",
        "done",
        "done",
        "failed",
    ]
    run.end()
    again = start()
    message = next(m for m in again.pane.chat.transcript.path if m.role == "tool")
    assert [lane.question for lane in lanes_of(message)] == questions
    again.until(lambda: any(isinstance(p.row, ToolRow) for p in again.pane.transcript.places))
    assert len(lanes(again).lanes) == 4
