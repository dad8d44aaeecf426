"""Questions of a tool server in the card."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit

from app.chats.turn import Event
from app.tools.consent import Decision
from app.tools.questions import (
    Ask,
    QuestionAction,
    Response,
    make_address_question,
    make_form_question,
)
from app.tools.servers import ServerConfig
from app.tools.tool import Tool, ToolResult, clean_result
from app.ui.pane.pane import ChatPane
from app.ui.transcript.question_form import QuestionForm
from app.ui.transcript.tool_row import ToolRow
from tests.app.conftest import Run, Start

TRIP = make_form_question(
    "web",
    "Where do you want to go?",
    {
        "properties": {
            "city": {"type": "string", "title": "City"},
            "nights": {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 30},
            "class": {"type": "string", "enum": ["first", "second"], "title": "Class"},
            "meals": {"type": "boolean", "title": "Meals & drinks"},
        },
        "required": ["city", "nights"],
    },
)
TOOL = Tool("web", "book", "Books a trip.")


class Server:
    def __init__(self, run: Run) -> None:
        self.question = TRIP
        self.asked: dict[str, Future[Response]] = {}
        host: Any = run.app.library.toolbox.host
        host.set_servers([ServerConfig("web", sys.executable)])
        host.call = self.call
        run.app.library.toolbox.pins.mark_seen([TOOL])

    def call(self, tool: Tool, arguments: Any, chat_id: str, ask: Ask) -> Future[ToolResult]:
        result: Future[ToolResult] = Future()
        answer = self.asked[chat_id] = ask(self.question)

        def done(said: Future[Response]) -> None:
            if not said.cancelled() and result.set_running_or_notify_cancel():
                told = said.result()
                result.set_result(clean_result(f"{told.action.value} {told.content}"))

        answer.add_done_callback(done)
        return result


def begun(start: Start) -> tuple[Run, Server]:
    run = start().ready()
    return run, Server(run)


def asked(run: Run, pane: ChatPane | None = None) -> tuple[ToolRow, QuestionForm]:
    pane = pane or run.pane
    chat = pane.chat
    chat.set_options(replace(chat.options, tools=(TOOL.key,)), "")
    run.app.library.toolbox.consents.remember(chat.id, TOOL, Decision.TOOL)
    run.say("call web__book {}", pane)
    run.until(lambda: pane.transcript.findChildren(QuestionForm))
    (shown,) = pane.transcript.findChildren(QuestionForm)
    row = shown.parentWidget()
    assert isinstance(row, ToolRow)
    return row, shown


def test_form_is_filled_in_by_keyboard(start: Start) -> None:
    run, _ = begun(start)
    row, shown = asked(run)
    run.window.commands["waiting_call"].trigger()
    assert run.window.focusWidget() is row
    QTest.keyClick(row, Qt.Key.Key_Return)
    city, nights = (each.editors[0] for each in shown.inputs[:2])
    assert run.window.focusWidget() is city
    QTest.keyClicks(city, "Rome")
    QTest.keyClick(city, Qt.Key.Key_Tab)
    assert run.window.focusWidget() is nights
    QTest.keyClicks(nights, "many")
    QTest.keyClick(nights, Qt.Key.Key_Return)
    assert not shown.fault.isHidden()
    assert nights.property("wrong")
    assert isinstance(nights, QLineEdit)
    nights.selectAll()
    QTest.keyClicks(nights, "3")
    assert shown.fault.isHidden()
    QTest.keyClick(nights, Qt.Key.Key_Tab)
    listed, box = (each.editors[0] for each in shown.inputs[2:])
    assert isinstance(listed, QComboBox)
    assert run.window.focusWidget() is listed
    QTest.keyClick(listed, Qt.Key.Key_Down)
    QTest.keyClick(listed, Qt.Key.Key_Tab)
    assert isinstance(box, QCheckBox)
    QTest.keyClick(box, Qt.Key.Key_Space)
    QTest.keyClick(box, Qt.Key.Key_Return)
    content = {"city": "Rome", "nights": 3, "class": "first", "meals": True}
    assert run.answered() == f"The tool said: accept {content}"
    (message,) = [m for m in run.pane.chat.transcript.path if m.role == "tool"]
    assert message.stats["asked"] == [["Where do you want to go?", "accept"]]
    assert "Rome" not in str(message.stats), "what was answered is the server's alone"


def test_form_is_declined_or_skipped_by_keyboard(start: Start) -> None:
    run, _ = begun(start)
    for key, said in ((Qt.Key.Key_D, "decline"), (Qt.Key.Key_Escape, "cancel")):
        row, _shown = asked(run)
        row.setFocus()
        QTest.keyClick(row, key)
        assert run.answered() == f"The tool said: {said} None"
        run.until(lambda: not run.pane.transcript.findChildren(QuestionForm))


def test_forms_of_several_chats_wait_independently(start: Start) -> None:
    run, _ = begun(start)
    first = run.pane
    _, one = asked(run)
    run.window.commands["split_right"].trigger()
    second = run.pane
    assert second is not first
    run.ready()
    _, two = asked(run)
    assert first.chat.tools.waiting == second.chat.tools.waiting == 1
    for shown, city in ((two, "Bonn"), (one, "Aachen")):
        for each, text in zip(shown.inputs, (city, "2"), strict=False):
            assert isinstance(each.editors[0], QLineEdit)
            each.editors[0].setText(text)
    two.send.click()
    assert "Bonn" in run.answered(second)
    assert first.chat.tools.waiting == 1, "the other still waits"
    one.send.click()
    assert "Aachen" in run.answered(first)


def test_stopped_chat_cancels_its_form(start: Start) -> None:
    run, server = begun(start)
    _, shown = asked(run)
    field = shown.inputs[0].editors[0]
    assert isinstance(field, QLineEdit)
    field.setText("Oslo")
    again = QuestionForm(shown.open_question, run.window)
    assert again.inputs[0].value == "Oslo", "it outlives its row"
    again.deleteLater()
    chat = run.pane.chat
    chat.turn.handle(Event.STOP)
    assert server.asked[chat.id].result(5).action is QuestionAction.CANCEL
    run.until(lambda: not run.pane.transcript.findChildren(QuestionForm))
    assert chat.tools.waiting == 0


def test_withdrawn_question_disappears(start: Start) -> None:
    run, server = begun(start)
    asked(run)
    server.asked[run.pane.chat.id].cancel()
    run.until(lambda: not run.pane.chat.tools.waiting)
    run.until(lambda: not run.pane.transcript.findChildren(QuestionForm))
    run.pane.chat.turn.handle(Event.STOP)


def test_address_opens_only_by_its_button(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    run, server = begun(start)
    server.question = make_address_question("web", "Log in first.", "https://a.example/login?x=1")
    _, shown = asked(run)
    assert shown.fields() == []
    assert opened == []
    shown.send.click()
    assert run.answered() == "The tool said: accept None"
    assert opened == ["https://a.example/login?x=1"]
    server.question = make_address_question("web", "Log in.", "https://good.example@evil.example/")
    _, shown = asked(run)
    assert not shown.send.isVisibleTo(shown), "it hides where it leads"
    shown.decline.click()
    run.answered()
    run.until(lambda: not run.pane.transcript.findChildren(QuestionForm))
    part = {"type": "string", "title": "Password"}
    server.question = make_form_question("web", "Who are you?", {"properties": {"p": part}})
    _, shown = asked(run)
    labels = [each.text() for each in shown.findChildren(type(shown.note))]
    assert any("looks like a secret" in text for text in labels)
    shown.cancel.click()
    run.answered()
