"""Error messages of other servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.chats.actions import ending_note, is_cut_off
from app.remote import remote_errors
from app.remote.remote_errors import RemoteError, response_error
from app.remote.stream import ReplyReader
from app.store.records import Message
from app.ui.transcript.answer_row import remedies
from engine import Failed, Finished, FinishReason, ToolCallFinished
from engine.errors import CONTEXT_OVERFLOW
from tests.app.remote.scripted import delta, events, head, says, sends


def answered(content, **more):
    return Message("answer", "chat", "question", "assistant", content, **more)


LINES = Path(__file__).with_name("refusals.jsonl").read_text(encoding="utf-8").splitlines()
CASES: dict[str, dict[str, Any]] = {each["server"]: each for each in map(json.loads, LINES)}
TOO_LONG = [name for name, each in CASES.items() if each["code"] == CONTEXT_OVERFLOW]


@pytest.mark.parametrize("name", CASES)
def test_refusals_of_servers_are_understood(name):
    case = CASES[name]
    found = response_error(case["status"], {}, case["body"], "http://example.org/v1", "big")
    assert found.code == case["code"]
    assert case.get("words", "big") in found.message
    assert "Provider returned error" not in found.message or name not in TOO_LONG


@pytest.mark.parametrize("server", TOO_LONG)
def test_too_long_chats_are_recognized_in_streams(server):
    body = CASES[server]["body"]
    if isinstance(body, list):
        return
    told = body if "error" in body or body.get("object") == "error" else {"error": body}
    with pytest.raises(RemoteError) as raised:
        ReplyReader("example.org", "big").feed(json.dumps(told))
    assert raised.value.code == CONTEXT_OVERFLOW
    assert "big" in raised.value.message


def test_too_long_remote_chat_can_be_shortened(elsewhere):
    case = CASES["llama.cpp"]
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(says(case["status"], case["body"]))))
    assert heard.last.code == CONTEXT_OVERFLOW
    message = answered("", status="error", stats={"code": heard.last.code})
    words = [remedy.words for remedy in remedies(message, lambda *_, **__: "no")]
    assert "Edit Message" in words
    assert "Try Again" not in words


def ended(elsewhere, *chunks, done=True):
    act = sends(head(), events(*chunks, done=done))
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(act)))
    return heard


@pytest.mark.parametrize("chunks", [(), (delta(role="assistant"),), (delta(""),)])
def test_empty_replies_without_a_reason_are_errors(elsewhere, chunks):
    heard = ended(elsewhere, *chunks)
    assert isinstance(heard.last, Failed)
    assert heard.last.code == remote_errors.BROKEN
    assert "Try again" in heard.last.message
    failed = answered("", status="error", stats={"code": heard.last.code})
    assert remedies(failed, lambda *_: None)[0].words == "Try Again"


def test_empty_replies_with_a_reason_are_replies(elsewhere):
    assert ended(elsewhere, delta("", "stop")).last.reason is FinishReason.STOP


@pytest.mark.parametrize("kind", ["content", "reasoning_content"])
def test_replies_without_a_reason_are_kept_and_marked(elsewhere, kind):
    heard = ended(elsewhere, delta(**{kind: "Half a"}))
    assert isinstance(heard.last, Finished)
    assert heard.last.reason is FinishReason.UNSTATED
    assert heard.text() + heard.text("reasoning") == "Half a"
    message = answered("Half a", status="complete", stats={"reason": heard.last.reason.value})
    assert ending_note(message)
    assert is_cut_off(message)


def test_complete_calls_without_finish_reason_run(elsewhere):
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    heard = ended(elsewhere, delta(tool_calls=[{"index": 0, "id": "a", "function": function}]))
    assert heard.last.reason is FinishReason.STOP
    assert [call.name for call in heard.of(ToolCallFinished)] == ["weather"]


def test_replies_that_break_off_are_kept_as_failed(elsewhere):
    heard = ended(elsewhere, delta("Half a"), done=False)
    assert heard.last.code == remote_errors.BROKEN
    assert heard.text() == "Half a"


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "model_length"])
def test_length_limits_are_recognized_by_every_name(elsewhere, reason):
    assert ended(elsewhere, delta("So", reason)).last.reason is FinishReason.LENGTH
