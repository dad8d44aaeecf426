"""Malicious tool servers, which only affect their own calls."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import mcp_types
import pytest

from app.tools import connection, message_limits, transports
from app.tools.connection import Connection
from app.tools.consent import Consents, Decision
from app.tools.host import ToolHost
from app.tools.questions import Question, QuestionAction, Response
from app.tools.servers import ServerConfig
from app.tools.tool import Tool, ToolError, ToolResult
from tests.app.tools import hostile_server
from tests.waiting import until

WAIT = 60.0
HERE = Path(__file__).parent
ENDS = {
    # Expected results: the start of a text, or a part of the error.
    "pattern": "ok",
    "loop": "ok",
    "pages": "ok",
    "flood": "ok",
    "requests": "ok",
    "questions": "ok",
    "log": "ok",
    "schemas": "ok",
    "names": "ok",
    "twice": "first",
    "garbage": "ToolError",
    "structure": "more than 200,000 parts",
    "blocks": "listed more than 2,000",
    "many": "listed more than 2,000",
    "mime": "[image left out",
    "deep": "ToolError",
    "error": "refused",
    "silent": "No response within",
    "never": "didn’t start within",
    "unlisted": "didn’t list its tools in time",
    "closes": "quit during the call",
    "changing": "has changed this tool",
    "stays": "ok",
}
HTTP = {
    "pattern": "ok",
    "structure": "more than 200,000 parts",
    "blocks": "listed more than 2,000",
    "bomb": "ToolError",
    "endless": "more than 3,000,000 bytes",
    "event": "byte limit",
    "events": "ok",
    "structure event": "more than 200,000 parts",
    "silent": "No response within",
}


def config(attack: str, seconds: float) -> ServerConfig:
    program = str(HERE / "hostile_server.py")
    return ServerConfig("hostile", sys.executable, (program, attack), timeout=seconds)


def called(host: ToolHost, server: ServerConfig, asked: list[Question] | None = None) -> str:
    def ask(question: Question) -> Future[Response]:
        if asked is not None:
            asked.append(question)
        future: Future[Response] = Future()
        future.set_result(Response(QuestionAction.DECLINE))
        return future

    host.set_servers([server])
    try:
        told = host.tools("hostile").result(WAIT)
        echo = next(tool for tool in told if tool.name == "echo")
        if "changing" in server.args:  # the notification of the change may not have arrived
            until(lambda: echo not in host.tools("hostile").result(WAIT))
        result: ToolResult = host.call(echo, {"text": "x"}, "chat", ask).result(WAIT)
    except ToolError as error:
        return f"ToolError: {error}"
    return result.text


@pytest.fixture
def host() -> Iterator[ToolHost]:
    made = ToolHost()
    yield made
    made.shut_down()


@pytest.mark.parametrize("attack", ENDS)
@pytest.mark.turns(8)
def test_a_hostile_server_costs_its_own_calls_only(
    host: ToolHost, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call returns or fails with an error. Regression test: "pattern" blocked all tools
    forever.
    """
    asked: list[Question] = []
    if attack in ("never", "unlisted"):
        monkeypatch.setattr(connection, "CONNECT_S", 4.0)
    told = called(host, config(attack, 2.0 if attack == "silent" else 30.0), asked)
    assert ENDS[attack] in told
    assert len(told) < 1000
    assert len(host.log("hostile")) < 600_000
    if attack == "questions":
        assert all(len(question.message) <= 4000 for question in asked)


@pytest.mark.parametrize("attack", HTTP)
@pytest.mark.turns(5)
def test_hostile_http_server_costs_only_its_own_calls(
    host: ToolHost, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tools import transports

    monkeypatch.setattr(transports, "LONGEST_BODY", 3_000_000)
    with hostile_server.over_http(attack) as url:
        seconds = 2.0 if attack == "silent" else 30.0
        told = called(host, ServerConfig("hostile", url=url, timeout=seconds))
        assert HTTP[attack] in told
        host.shut_down()


def test_unnamed_tool_is_refused(host: ToolHost) -> None:
    """Otherwise allowing a tool without a name would allow every tool of its server."""
    host.set_servers([config("names", 30.0)])
    names = [tool.name for tool in host.tools("hostile").result(WAIT)]
    assert names == ["echo", "write_file", "Stretto/write_file"]


class Rows:
    def read(self, table: str) -> list[tuple[Any, ...]]:
        return []

    def put(self, table: str, *row: Any) -> None:
        raise AssertionError(row)

    def drop(self, table: str, *key: str) -> None:
        pass


def test_consent_for_a_tool_never_covers_its_server() -> None:
    """Consents use "" for all tools of a server, so a tool of that name gets no consent."""
    consents = Consents(Rows())
    consents.remember("chat", Tool("hostile", ""), Decision.TOOL)
    assert not consents.is_allowed("chat", Tool("hostile", "delete_everything"))


def test_request_before_edit_does_not_start_old_server(tmp_path: Path) -> None:
    """A request is queued on the loop while the user edits the server."""
    host = ToolHost()
    one, other = tmp_path / "one", tmp_path / "other"
    program = str(HERE / "raw_server.py")
    for folder in (one, other):
        folder.mkdir()
    first = ServerConfig("raw", sys.executable, (program, str(one)))
    second = ServerConfig("raw", sys.executable, (program, str(other)))
    host.set_servers([first])
    begun, gate = threading.Event(), threading.Event()

    async def hold() -> None:
        begun.set()
        gate.wait(WAIT)  # keep the loop's thread busy

    held = host._thread.start(hold())
    assert held is not None
    assert begun.wait(WAIT)
    waiting = host.tools("raw")
    host.set_servers([second])
    gate.set()
    with pytest.raises(ToolError, match="was changed"):
        waiting.result(WAIT)
    assert host.tools("raw").result(WAIT)
    assert not (one / "starts").exists()
    assert (other / "starts").exists()
    host.shut_down()


def test_waiting_call_does_not_restart_ended_server(
    tmp_path: Path,
) -> None:
    """A call that waits for the tool list during an edit uses the old connection."""
    host = ToolHost()
    hung = ServerConfig("raw", sys.executable, (str(HERE / "hostile_server.py"), "unlisted"))
    host.set_servers([hung])
    waiting = [host.tools("raw") for _ in range(3)]
    until(lambda: host.status("raw").state.value == "ready")
    old: Connection = host._connections["raw"]
    host.set_servers(
        [ServerConfig("raw", sys.executable, (str(HERE / "raw_server.py"), str(tmp_path)))]
    )
    for each in waiting:
        with pytest.raises(ToolError):
            each.result(WAIT)
    assert host.tools("raw").result(WAIT)
    task = old._task
    until(task.done)  # ends while the new connection starts
    assert len((tmp_path / "starts").read_text().split()) == 1
    host.shut_down()


def test_parts_are_counted_outside_of_texts_only() -> None:
    def parts(*pieces: bytes) -> int:
        weigher = message_limits.PartCounter()
        for piece in pieces:
            weigher.feed(piece)
        return weigher.parts

    assert parts(b'{"a": [1, 2], "b": ",,[[::"}') == 6
    assert parts(b'{"a\\": ",,,', b',"}') == 5
    assert parts(b'["a\\', b'",,,', b'", 1]') == 2
    assert parts(b'["a\\\\', b'", 1]') == 2
    assert parts(b': "\n[1,2]') == 3, "a text ends with its line"
    assert parts(b': "\\', b"\n[1,2]") == 3, "so does one that ends in a backslash"
    assert parts(b': "\r[1,2]') == 3
    with pytest.raises(message_limits.TooMuchError):
        parts(hostile_server.STRUCTURE.encode())
    whole = b'{"a": "x\\"y,", "b": [1, {"c": "\\\\"}], "d": "\\\\\\","}'
    for cut in range(len(whole)):
        assert parts(whole[:cut], whole[cut:]) == parts(whole), cut


def test_rate_limit_delays_only_later_messages() -> None:
    now = [0.0]
    pace = message_limits.RateLimit(10, lambda: now[0])
    assert pace.wait(35) == 0.0
    assert not pace.has_room()
    assert pace.wait() == 3.0
    now[0] = 3.0
    assert pace.has_room()
    assert pace.wait(4) == 0.0


def test_messages_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The messages never reach the parser, which would hold the GIL for half a minute."""
    read: list[int] = []

    class Reader:
        @staticmethod
        def validate_json(line: bytes, **_: object) -> None:
            read.append(len(line))
            raise ValueError

    monkeypatch.setattr(mcp_types, "jsonrpc_message_adapter", Reader)
    import anyio

    line = b'{"jsonrpc":"2.0","id":1,"result":' + hostile_server.STRUCTURE.encode() + b"}"
    told = anyio.run(transports._parse_message, line, message_limits.RateLimit(200))
    assert "more than 200,000 parts" in str(getattr(told, "message", told))
    assert read == []
    anyio.run(transports._parse_message, b'{"jsonrpc":"2.0"}', message_limits.RateLimit(200))
    assert read == [17]
    with contextlib.suppress(ValueError):
        assert told is not None
