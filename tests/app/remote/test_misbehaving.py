"""Servers that misbehave."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest

from app.remote import client
from app.remote.remote_errors import BROKEN, BUSY, FAILED, GONE, REFUSED, UNREACHABLE
from app.remote.remotes import Remotes
from engine import Failed, Finished, FinishReason, ToolCallFailed, ToolCallFinished
from engine.errors import INVALID_REQUEST
from tests.app.remote.scripted import cut, delta, events, hang, head, says, sends

HELLO = events(delta("Hel"), delta("lo"), done=False)
PACKED = gzip.compress(b" " * 10_000_000)
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


def talks(*pieces, then=None):
    return sends(head(), HELLO, *pieces, then=then)


def ends(*chunks):
    return talks(events(*chunks, done=False))


AFTER_TEXT = {
    # behavior after some text, which is kept: (act, code, words in the error)
    "hangs up": (talks(), BROKEN, "was lost"),
    "crashes": (talks(then=cut), BROKEN, "was lost"),
    "hangs up in mid-line": (talks(b'data: {"choices": [{"del'), BROKEN, "was lost"),
    "says nothing more": (talks(then=hang), UNREACHABLE, "doesn’t respond"),
    "only says that it lives": (talks(then=_lives), UNREACHABLE, "doesn’t respond"),
    "sends no JSON": (talks(b"data: {oops\n\n"), BROKEN, "read"),
    "sends JSON that is no chunk": (ends([1, 2]), BROKEN, "can’t be read"),
    "sends choices that are none": (ends({"choices": "no"}), BROKEN, "can’t be read"),
    "nests too deeply": (talks(b"data: " + b"[" * 200_000 + b"\n\n"), BROKEN, "can’t be read"),
    "fails in mid-stream": (ends({"error": {"message": "CUDA is full"}}), FAILED, "“CUDA is full”"),
    "withholds the rest": (ends(delta(reason="content_filter")), FAILED, "withheld"),
    "gives up": (ends(delta(reason="abort")), BROKEN, "was lost"),
    "sends a line without end": (talks(then=_line_without_end), BROKEN, "too much"),
}
WITHOUT_TEXT = {
    "hangs up": (sends(b""), BROKEN, "was lost"),
    "never begins": (sends(then=hang), UNREACHABLE, "doesn’t respond"),
    "sends a page": (
        sends(head(200, "text/html"), b"<html>Log in</html>"),
        BROKEN,
        "can’t be read",
    ),
    "sends packed data": (sends(head(Content_Encoding="gzip"), PACKED), BROKEN, "can’t be read"),
    "never ends": (sends(head(200, "application/json"), then=_endless_json), BROKEN, "too much"),
    "needs a key": (says(401, {"error": {"message": "Wrong key"}}), REFUSED, "needs a key"),
    "forbids": (says(403, {"detail": "no access"}), REFUSED, "“no access”"),
    "has lost the model": (says(404, {"error": "gone"}), GONE, "“big”"),
    "is busy": (says(429, {"message": "slow"}, Retry_After="12"), BUSY, "12 seconds"),
    "is busy for long": (says(429, None, Retry_After="1200"), BUSY, "20 minutes."),
    "is busy for nonsense": (says(429, b"<x>", Retry_After="soon"), BUSY, "later."),
    "breaks": (says(500, b"Internal Server Error"), FAILED, "(status 500)"),
    "isn’t ready": (says(503, {}, Retry_After="5"), BUSY, "in 5 seconds"),
    "lacks a field": (
        says(400, {"error": {"message": "No 'seed'"}}),
        INVALID_REQUEST,
        "“No 'seed'”",
    ),
    "errs with a huge body": (says(400, b"x" * 3_000_000), INVALID_REQUEST, "status 400"),
    "sends an odd status": (says(299, {}), BROKEN, "status 299"),
}
CASES = [
    *((*case, "Hello") for case in AFTER_TEXT.values()),
    *((*case, "") for case in WITHOUT_TEXT.values()),
]


@pytest.mark.parametrize(("act", "code", "words", "kept"), CASES, ids=[*AFTER_TEXT, *WITHOUT_TEXT])
def test_misbehaving_server_keeps_received_text(act, code, words, kept, elsewhere, monkeypatch):
    if code == UNREACHABLE:
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
    assert heard.last.code == UNREACHABLE
    assert "Couldn’t connect" in heard.last.message


@pytest.mark.parametrize("status", [302, 308])
def test_redirect_is_not_followed(status, elsewhere):
    other = elsewhere.serve(sends(head(), events(delta("Stolen", "stop"))))
    remote = elsewhere.add(elsewhere.serve(says(status, Location=other.address)), key="secret")
    heard, _ = elsewhere.ask(remote)
    assert heard.last.code == GONE
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
    assert late.last.code == UNREACHABLE


def test_removed_model_sends_nothing(elsewhere):
    server = elsewhere.serve(sends(head(), events(delta("Hi", "stop"))))
    remote = elsewhere.add(server)
    session = elsewhere.session(remote)
    assert elsewhere.remotes.remove(remote.ref)
    from tests.app.remote.conftest import QUESTION, Heard

    heard = Heard()
    session.send(QUESTION, None, heard)
    assert heard.last.code == GONE
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
