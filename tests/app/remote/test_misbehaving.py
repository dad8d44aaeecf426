"""Servers that misbehave."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest

from app.remote import client, remote_errors
from app.remote.remotes import Remotes
from engine import Failed, Finished, FinishReason, ToolCallFailed, ToolCallFinished
from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST
from tests.app.remote.scripted import cut, delta, events, hang, head, says, sends

HELLO = events(delta("Hel"), delta("lo"), done=False)
SLOW = 0.3  # seconds, instead of ten minutes


async def _flood(writer) -> None:
    piece = events(delta("x" * 100_000), done=False)
    while True:
        writer.write(piece)
        await writer.drain()


async def _line_without_end(writer) -> None:
    writer.write(b'data: {"choices": [')
    while True:
        writer.write(b" " * 200_000)
        await writer.drain()


async def _lives(writer) -> None:
    while True:
        writer.write(b": still here\n\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _endless_json(writer) -> None:
    while True:
        writer.write(b" " * 1_000_000)
        await writer.drain()


CASES = {
    # behavior: (act, code, words in the error, text that is kept)
    "hangs up after some text": (sends(head(), HELLO), remote_errors.BROKEN, "was lost", "Hello"),
    "crashes after some text": (
        sends(head(), HELLO, then=cut),
        remote_errors.BROKEN,
        "was lost",
        "Hello",
    ),
    "hangs up in mid-line": (
        sends(head(), HELLO, b'data: {"choices": [{"del'),
        remote_errors.BROKEN,
        "was lost",
        "Hello",
    ),
    "hangs up before a word": (sends(b""), remote_errors.BROKEN, "was lost", ""),
    "says nothing more": (
        sends(head(), HELLO, then=hang),
        remote_errors.UNREACHABLE,
        "doesn’t respond",
        "Hello",
    ),
    "never begins": (sends(then=hang), remote_errors.UNREACHABLE, "doesn’t respond", ""),
    "only says that it lives": (
        sends(head(), HELLO, then=_lives),
        remote_errors.UNREACHABLE,
        "doesn’t respond",
        "Hello",
    ),
    "sends no JSON": (
        sends(head(), HELLO, b"data: {oops\n\n"),
        remote_errors.BROKEN,
        "read",
        "Hello",
    ),
    "sends JSON that is no chunk": (
        sends(head(), HELLO, events([1, 2], done=False)),
        remote_errors.BROKEN,
        "can’t be read",
        "Hello",
    ),
    "sends choices that are none": (
        sends(head(), HELLO, events({"choices": "no"}, done=False)),
        remote_errors.BROKEN,
        "can’t be read",
        "Hello",
    ),
    "nests too deeply": (
        sends(head(), HELLO, b"data: " + b"[" * 200_000 + b"\n\n"),
        remote_errors.BROKEN,
        "can’t be read",
        "Hello",
    ),
    "sends a page": (
        sends(head(200, "text/html"), b"<html>Please log in</html>"),
        remote_errors.BROKEN,
        "can’t be read",
        "",
    ),
    "sends what is packed": (
        sends(head(200, Content_Encoding="gzip"), gzip.compress(b" " * 10_000_000)),
        remote_errors.BROKEN,
        "can’t be read",
        "",
    ),
    "fails in mid-stream": (
        sends(head(), HELLO, events({"error": {"message": "CUDA is out of memory"}}, done=False)),
        remote_errors.FAILED,
        "“CUDA is out of memory”",
        "Hello",
    ),
    "withholds the rest": (
        sends(head(), HELLO, events(delta(reason="content_filter"))),
        remote_errors.FAILED,
        "withheld",
        "Hello",
    ),
    "gives up": (
        sends(head(), HELLO, events(delta(reason="abort"))),
        remote_errors.BROKEN,
        "was lost",
        "Hello",
    ),
    "sends a line without end": (
        sends(head(), HELLO, then=_line_without_end),
        remote_errors.BROKEN,
        "too much",
        "Hello",
    ),
    "sends an answer without end": (
        sends(head(200, "application/json"), then=_endless_json),
        remote_errors.BROKEN,
        "too much",
        "",
    ),
    "needs a key": (
        says(401, {"error": {"message": "Incorrect API key"}}),
        remote_errors.REFUSED,
        "needs a key",
        "",
    ),
    "forbids": (says(403, {"detail": "no access"}), remote_errors.REFUSED, "“no access”", ""),
    "has lost the model": (
        says(404, {"error": "gone"}),
        remote_errors.GONE,
        "has no model named “big”",
        "",
    ),
    "gets too many requests": (
        says(429, {"message": "slow down"}, Retry_After="12"),
        remote_errors.BUSY,
        "too many requests. Try again in 12 seconds. Its message: “slow down”",
        "",
    ),
    "is asked too often, for long": (
        says(429, None, Retry_After="1200"),
        remote_errors.BUSY,
        "Try again in 20 minutes.",
        "",
    ),
    "is asked too often, in nonsense": (
        says(429, b"<x>", Retry_After="soon\x01"[:4]),
        remote_errors.BUSY,
        "Try again later.",
        "",
    ),
    "breaks": (says(500, b"Internal Server Error"), remote_errors.FAILED, "(status 500)", ""),
    "isn’t ready": (says(503, {}, Retry_After="5"), remote_errors.BUSY, "in 5 seconds", ""),
    "does not know a field": (
        says(400, {"error": {"message": "Unknown parameter: 'seed'"}}),
        INVALID_REQUEST,
        "“Unknown parameter: 'seed'”",
        "",
    ),
    "finds it too long": (
        says(400, {"error": {"code": "context_length_exceeded", "message": "8192 tokens"}}),
        CONTEXT_OVERFLOW,
        "doesn’t fit in the context of big",
        "",
    ),
    "errs with a huge body": (says(400, b"x" * 3_000_000), INVALID_REQUEST, "status 400", ""),
    "sends an odd status": (says(299, {}), remote_errors.BROKEN, "status 299", ""),
}


@pytest.mark.parametrize("what", CASES)
def test_misbehaving_server_keeps_received_text(what, elsewhere, monkeypatch):
    act, code, words, kept = CASES[what]
    if code == remote_errors.UNREACHABLE:
        monkeypatch.setattr(client, "QUIET_S", SLOW)
    monkeypatch.setattr(client, "MOST_EVENT", 500_000)
    monkeypatch.setattr(client, "MOST_WHOLE", 500_000)
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(act)))
    assert isinstance(heard.last, Failed)
    assert heard.last.code == code
    assert words in heard.last.message
    assert heard.last.message.count("127.0.0.1") <= 2
    assert heard.text() == kept


def test_endless_text_can_be_stopped(elsewhere, monkeypatch):
    monkeypatch.setattr("app.remote.stream.MOST_TEXT", 1_000_000)
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(sends(head(), then=_flood))))
    assert isinstance(heard.last, Failed)
    assert "too much" in heard.last.message
    assert len(heard.text()) <= 1_000_000
    assert elsewhere.servers[0].hung_up.wait(10)


def test_unreachable_server_is_reported(elsewhere):
    server = elsewhere.serve(sends())
    remote = elsewhere.add(server)
    elsewhere.servers.remove(server)
    server.close()
    heard, _ = elsewhere.ask(remote)
    assert heard.last.code == remote_errors.UNREACHABLE
    assert "Couldn’t connect" in heard.last.message


@pytest.mark.parametrize("status", [302, 308])
def test_redirect_is_not_followed(status, elsewhere):
    other = elsewhere.serve(sends(head(), events(delta("Stolen", "stop"))))
    remote = elsewhere.add(elsewhere.serve(says(status, Location=other.address)), key="secret")
    heard, _ = elsewhere.ask(remote)
    assert heard.last.code == remote_errors.GONE
    assert other.address in heard.last.message
    assert other.asked == []
    assert elsewhere.servers[1].asked[0].headers["authorization"] == "Bearer secret"


def test_credentials_do_not_reach_other_servers(elsewhere):
    act = sends(head(Set_Cookie="who=me; Path=/"), events(delta("Hi", "stop")))
    server = elsewhere.serve(act)
    remote = elsewhere.add(server)
    for _ in range(2):
        heard, _ = elsewhere.ask(remote)
        assert isinstance(heard.last, Finished)
    for asked in server.asked:
        assert not {"cookie", "authorization"} & asked.headers.keys()


def test_stopping_hangs_up_and_keeps_the_text(elsewhere):
    remote = elsewhere.add(elsewhere.serve(sends(head(), HELLO, then=hang)))
    heard, reply = elsewhere.ask(remote)
    heard.until(lambda: heard.text() == "Hello")
    reply.cancel()
    assert heard.last.reason is FinishReason.CANCELLED
    assert heard.text() == "Hello"
    assert elsewhere.servers[0].hung_up.wait(10)
    reply.cancel()  # has no effect


def test_pause_holds_back_text(elsewhere):
    more = asyncio.Event()

    async def act(asked, writer):
        writer.write(head() + HELLO)
        await writer.drain()
        await more.wait()
        writer.write(events(delta(" again", "stop")))
        await writer.drain()

    server = elsewhere.serve(act)
    heard, reply = elsewhere.ask(elsewhere.add(server))
    heard.until(lambda: heard.text() == "Hello")
    reply.pause()
    server._loop.call_soon_threadsafe(more.set)
    other, _ = elsewhere.ask(elsewhere.remotes.model(elsewhere.remotes.refs[0]).remote)
    other.until(lambda: other.text() == "Hello again")  # the paused text has arrived, too
    assert heard.text() == "Hello"
    reply.resume()
    assert heard.last.reason is FinishReason.STOP
    assert heard.text() == "Hello again"


def test_program_exit_ends_remote_replies(elsewhere):
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(sends(head(), HELLO, then=hang))))
    heard.until(lambda: heard.text() == "Hello")
    elsewhere.remotes.shut_down()
    assert heard.last.reason is FinishReason.CANCELLED
    late, _ = elsewhere.ask(elsewhere.remotes.model(elsewhere.remotes.refs[0]).remote)
    assert late.last.code == remote_errors.UNREACHABLE


def test_removed_model_sends_nothing(elsewhere):
    server = elsewhere.serve(sends(head(), events(delta("Hi", "stop"))))
    remote = elsewhere.add(server)
    session = elsewhere.remotes.session(remote, "chat", {})
    assert elsewhere.remotes.remove(remote.ref)
    from tests.app.remote.conftest import QUESTION, Heard

    heard = Heard()
    session.send(QUESTION, None, heard)
    assert heard.last.code == remote_errors.GONE
    assert "nothing was sent" in heard.last.message
    assert server.asked == []


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [("{}", ""), ('{"a": 1}', ""), ("[1]", "no JSON object"), ('{"a"', "no JSON object")],
)
def test_calls_come_in_pieces_and_are_checked(arguments, fault, elsewhere):
    def call(at, **function):
        return {"index": at, "id": f"id{at}", "type": "function", "function": function}

    half = len(arguments) // 2
    chunks = [
        delta(tool_calls=[call(1, name="weather", arguments="")]),
        delta(tool_calls=[{"index": 1, "function": {"arguments": arguments[:half]}}]),
        delta(tool_calls=[call(0, name="clock", arguments="{}")]),
        delta(tool_calls=[{"index": 1, "function": {"arguments": arguments[half:]}}]),
        delta(reason="tool_calls"),
    ]
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(sends(head(), events(*chunks)))))
    assert heard.last.reason is FinishReason.STOP
    done = heard.of(ToolCallFinished)
    assert (done[0].id, done[0].name) == ("id0", "clock")
    assert len(heard.last.message["tool_calls"]) == len(done)
    if fault:
        assert fault in heard.of(ToolCallFailed)[0].message
    else:
        assert json.loads(done[1].arguments) == json.loads(arguments)


def test_making_the_list_starts_no_thread():
    import threading

    before = threading.enumerate()
    Remotes().shut_down()
    assert threading.enumerate() == before
