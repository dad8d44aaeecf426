"""Questions of tool servers during calls."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitRequestFormParams

from app.tools.connection import UNCLEAR, Elicitation, urls_to_visit
from app.tools.host import ToolHost
from app.tools.questions import Question, QuestionAction, Response
from app.tools.servers import ServerConfig
from app.tools.tool import Tool, ToolError
from tests.app.tools import official_server

WAIT = 60.0
HERE = Path(__file__).parent
FORM = {
    "message": "Where to?",
    "requestedSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


class Person:
    def __init__(self) -> None:
        self.asked: list[tuple[Question, Future[Response]]] = []
        self.heard = threading.Semaphore(0)

    def __call__(self, question: Question) -> Future[Response]:
        self.asked.append((question, Future()))
        self.heard.release()
        return self.asked[-1][1]

    def hears(self) -> tuple[Question, Future[Response]]:
        assert self.heard.acquire(timeout=WAIT), "nothing was asked"
        return self.asked[-1]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[ToolHost]:
    host = ToolHost()
    command = (str(HERE / "raw_server.py"), str(tmp_path))
    host.set_servers([ServerConfig("raw", sys.executable, command, timeout=60)])
    yield host
    host.shut_down()


def tool(host: ToolHost, name: str, server: str = "raw") -> Tool:
    return next(t for t in host.tools(server).result(WAIT) if t.name == name)


def asking(form: Any) -> dict[str, str]:
    return {"text": json.dumps(form)}


def test_form_reaches_its_call_and_returns_the_answer(host: ToolHost) -> None:
    person = Person()
    call = host.call(tool(host, "ask"), asking(FORM), "chat", person)
    question, answer = person.hears()
    assert (question.server, question.message) == ("raw", "Where to?")
    assert [field.name for field in question.fields] == ["city"]
    answer.set_result(Response(QuestionAction.SEND, {"city": "Rom"}))
    said = json.loads(call.result(WAIT).text)
    assert said == {"action": "accept", "content": {"city": "Rom"}}


def test_current_protocol_server_asks_within_the_call() -> None:
    host, one, two = ToolHost(), Person(), Person()
    with official_server.over_http() as url:
        host.set_servers([ServerConfig("web", url=url, timeout=30)])
        book = tool(host, "book", "web")
        calls = [host.call(book, {}, chat, who) for chat, who in (("a", one), ("b", two))]
        for person, city in ((two, "Bonn"), (one, "Aachen")):
            question, answer = person.hears()
            assert [field.required for field in question.fields] == [True, False]
            answer.set_result(Response(QuestionAction.SEND, {"city": city, "nights": 3}))
        assert [c.result(WAIT).text for c in calls] == [
            f"accept city='{city}' nights=3" for city in ("Aachen", "Bonn")
        ], "each chat's answer goes to its own call"
        call = host.call(book, {}, "a", one)
        one.hears()[1].set_result(Response(QuestionAction.DECLINE))
        assert call.result(WAIT).text == "decline"
        host.shut_down()


def test_resources_and_prompts_are_listed() -> None:
    host = ToolHost()
    with official_server.over_http() as url:
        host.set_servers([ServerConfig("web", url=url, timeout=30)])
        offered = host.offers("web").result(WAIT)
        one = next(each for each in offered.resources if each.uri == "note:///one")
        assert (one.name, one.about) == ("One note", "The first.")
        assert host.read(one).result(WAIT) == "The first note."
        picture = next(each for each in offered.resources if "picture" in each.uri)
        with pytest.raises(ToolError, match="isn’t text"):
            host.read(picture).result(WAIT)
        (kind,) = offered.templates
        assert [(a.name, a.required) for a in kind.arguments] == [("name", True)]
        assert kind.fill_in({"name": "a b/c"}).uri == "note:///a%20b%2Fc"
        assert host.read(kind.fill_in({"name": "two"})).result(WAIT) == "two"
        (explain,) = offered.prompts
        assert (explain.title, explain.about) == ("Explain it", "Explains a topic.")
        assert [(a.name, a.required) for a in explain.arguments] == [("topic", True)]
        assert host.prompt(explain, {"topic": "rain"}).result(WAIT) == "Explain rain."
        with pytest.raises(ToolError, match="didn’t respond"):
            host.prompt(explain, {}).result(WAIT)
        host.shut_down()


def test_elicitation_time_limit_excludes_the_user(
    monkeypatch: pytest.MonkeyPatch, host: ToolHost
) -> None:
    person, ask = Person(), tool(host, "ask")
    call = host.call(ask, asking(FORM), "chat", person)
    _, answer = person.hears()
    loop = host._thread._loop
    assert loop is not None
    usual = loop.time
    monkeypatch.setattr(loop, "time", lambda: usual() + 3600.0)
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0.01), loop).result(WAIT)
    assert not call.done(), "the form is open: no time runs"
    answer.set_result(Response(QuestionAction.CANCEL))
    assert json.loads(call.result(WAIT).text) == {"action": "cancel"}


def test_invalid_form_is_not_shown(host: ToolHost) -> None:
    person = Person()
    schema = {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}
    form = {"message": "?", "requestedSchema": schema}
    said = json.loads(host.call(tool(host, "ask"), asking(form), "c", person).result(WAIT).text)
    assert said.get("action") == "decline" or "message" in said
    assert person.asked == []


def test_only_web_pages_are_offered(host: ToolHost) -> None:
    person = Person()
    page = {"mode": "url", "message": "Log in", "url": "https://a.example/x", "elicitationId": "1"}
    call = host.call(tool(host, "ask"), asking(page), "chat", person)
    question, answer = person.hears()
    assert (question.url, question.fields) == ("https://a.example/x", ())
    answer.set_result(Response(QuestionAction.SEND))
    assert json.loads(call.result(WAIT).text) == {"action": "accept"}
    file = page | {"url": "file:///etc/passwd"}
    said = host.call(tool(host, "ask"), asking(file), "chat", person).result(WAIT).text
    assert json.loads(said) == {"action": "decline"}
    assert "isn’t a web address" in host.log("raw")
    assert len(person.asked) == 1
    told = {"elicitations": [{"url": "https://a.example"}, {"url": "https://b.example"}]}
    assert urls_to_visit(told) == "https://a.example, https://b.example"
    assert urls_to_visit(None) == ""


def test_old_server_gets_no_answer_of_another_chat(host: ToolHost) -> None:
    one, two = Person(), Person()
    ask, hang = tool(host, "ask"), tool(host, "hold")
    held = host.call(hang, {}, "a", one)
    call = host.call(ask, asking(FORM), "b", two)
    said = json.loads(call.result(WAIT).text)
    assert said["message"] == UNCLEAR
    assert one.asked == two.asked == []
    held.cancel()
    again = host.call(ask, asking(FORM), "b", two)
    two.hears()[1].set_result(Response(QuestionAction.SEND, {"city": "Ulm"}))
    assert json.loads(again.result(WAIT).text)["content"] == {"city": "Ulm"}
    assert one.asked == []


@pytest.mark.parametrize("method", ["sampling/createMessage", "roots/list"])
def test_unsupported_request_is_refused_by_name(host: ToolHost, method: str) -> None:
    params: dict[str, Any] = {"messages": [], "maxTokens": 1} if "sampling" in method else {}
    text = json.dumps({"method": method, "params": params})
    said = json.loads(host.call(tool(host, "request"), {"text": text}).result(WAIT).text)
    assert "not supported" in said["message"]
    assert method.split("/")[0].rstrip("s") in said["message"].lower()


def test_question_ends_with_its_call(host: ToolHost) -> None:
    person = Person()
    call = host.call(tool(host, "ask"), asking(FORM), "chat", person)
    _, answer = person.hears()
    call.cancel()
    host.shut_down()
    assert answer.cancelled(), "who shows the form hears that nobody waits for it"


def test_elicitation_answer_after_the_call_is_delivered() -> None:
    answer: Future[Response] = Future()
    params = ElicitRequestFormParams(message="?", requested_schema=FORM["requestedSchema"])

    async def late() -> Any:
        elicitation = Elicitation("raw", print)
        async with elicitation.limit_call("chat", lambda question: answer, 60):
            asking: Any = asyncio.ensure_future(elicitation(None, params))  # type: ignore[arg-type]
            await asyncio.sleep(0)
        assert not elicitation._calls
        answer.set_result(Response(QuestionAction.CANCEL))
        return await asking

    assert asyncio.run(late()).action == "cancel"
