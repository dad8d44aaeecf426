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
    assert asked.headline == "Ask helpers these questions?"
    assert (
        asked.text == "1. hold 90\n2. say one two\n3. hold 7\n4. fail\nContext\nOnly the question"
    )
    assert [b.text() for b in asked.buttons] == ["Allow Once", "Always Allow", "Deny", "Edit…"]
    asked.setFocus()
    QTest.keyClick(asked, Qt.Key.Key_T)
    first, second, third, fourth = lanes(run).lanes
    above = run.pane.transcript.places[0].row
    assert above is not None
    why = {button.toolTip() for button in above._buttons if not button.isEnabled()}
    assert why == {"The model is still replying. Stop the reply or wait until it has ended."}
    run.until(lambda: "6 7" in third.head.lane.text and fourth.head.lane.is_over)
    run.until(lambda: first.head.accessibleName() == "Helper 1 of 4, Writing: hold 90")
    run.until(fourth.stop.isHidden)
    assert second.head.accessibleName() == "Helper 2 of 4, Done: say one two"
    assert row(run).headline.startswith("Asking 4 helpers")
    assert run.pane.header.state == "Asking 4 helpers"
    assert fourth.head.accessibleName() == "Helper 4 of 4, Failed: fail"
    assert fourth.head.accessibleDescription().startswith("Not enough memory")
    assert second.stop.isHidden()
    assert not first.stop.isHidden()
    run.until(lambda: "90" in first.head.lane.text)
    assert len(first.head.lines(300)) == 2
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
    assert run.engine is not None
    run.engine.release()
    run.answered()
    over = row(run)
    assert over._fold.text().startswith("Ask Helpers · 4 helpers · ")
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
    lane, text = lanes(run).lanes[1], "say one two"
    lane.head.setChecked(True)
    for width, cut in ((150, True), (900, False)):
        lane.arrange(width)
        assert lane.view.toPlainText().startswith(text) is cut, "the question is there once"
    run.end()
    again = start()
    message = next(m for m in again.pane.chat.transcript.path if m.role == "tool")
    assert [lane.question for lane in lanes_of(message)] == questions
    again.until(lambda: any(isinstance(p.row, ToolRow) for p in again.pane.transcript.places))
    assert len(lanes(again).lanes) == 4
