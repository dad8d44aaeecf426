"""Agents of other programs: recognized across turns, paused, stopped, and cheap to continue."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import Engine, Model
from engine.engine import Session
from engine.serve import agents as agents_of
from engine.serve.agents import (
    MAX_IDLE_AGENTS,
    AgentSnapshot,
    RequestRegistry,
    identify,
    program_of,
)
from engine.serve.auth import KeyOwner, set_owner
from engine.serve.errors import RequestError
from engine.serve.requests import ModelRequest
from engine.serve.server import Server
from tests.engine.scripted import write_scripted
from tests.engine.serving import CHAT, ask, body, connect, endless, raw, status, until_said
from tests.engine.speaking import WEATHER
from tests.waiting import until

CLAUDE = "claude-cli/2.1.330 (external, cli)"
MAIN = "1b0f5e0e-0000"


@pytest.fixture(scope="module")
def loaded(
    model_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, list[Model]]]:
    scripted = write_scripted(tmp_path_factory.mktemp("models") / "scripted")
    with Engine() as engine:
        yield engine, [engine.load(scripted), engine.load(model_folder("plain"))]


@pytest.fixture
def server(loaded: tuple[Engine, list[Model]]) -> Iterator[Server]:
    with Server(*loaded, 0) as server:
        yield server


def headers(agent: str = "", session: str = MAIN) -> dict[str, str]:
    named = {"User-Agent": CLAUDE, "X-Claude-Code-Session-Id": session}
    return named | ({"x-claude-code-agent-id": agent} if agent else {})


def turn(task: str, *, result: bool = False, **fields: Any) -> dict[str, Any]:
    """Return an agent's request that leads to a tool call, or with `result` one that answers it."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    if result:
        call = {"name": "weather", "arguments": json.dumps({"city": "Turin"})}
        called = {"id": "c1", "type": "function", "function": call}
        messages.append({"role": "assistant", "content": "", "tool_calls": [called]})
        messages.append({"role": "tool", "tool_call_id": "c1", "content": "Sunny"})
    return {
        "model": "scripted",
        "messages": messages,
        "tools": [WEATHER],
        "max_tokens": 40,
    } | fields


def lanes(server: Server) -> list[AgentSnapshot]:
    return server.requests.agents()


def at_rest(server: Server) -> None:
    until(lambda: not any(a.requests for a in map(server.requests.agent, ids(server)) if a))


def ids(server: Server) -> list[int]:
    return [seen.id for seen in lanes(server)]


def six(server: Server) -> None:
    ask(server, "POST", CHAT, turn("Find the fault"), **headers())
    with ThreadPoolExecutor(5) as pool:
        named = [f"agent-{n}" for n in range(5)]
        asked = [(turn(f"Read part {name}"), headers(name)) for name in named]
        list(pool.map(lambda a: ask(server, "POST", CHAT, a[0], **a[1]), asked))
    at_rest(server)


def test_six_agents_keep_lanes_between_turns(server: Server) -> None:
    six(server)
    seen = lanes(server)
    assert len(seen) == 6
    assert {s.program for s in seen} == {"Claude Code"}
    assert seen[0].task == "Find the fault"
    assert seen[0].parent == 0
    assert {s.parent for s in seen[1:]} == {seen[0].id}
    assert {s.group for s in seen} == {seen[0].id}
    assert {s.state for s in seen} == {"tool"}
    assert not any(s.is_active for s in seen)
    assert all(s.model == "scripted" and 0 < s.context <= s.room and s.written for s in seen)
    ask(server, "POST", CHAT, turn("Read part agent-0", result=True), **headers("agent-0"))
    at_rest(server)
    again = lanes(server)
    assert [s.id for s in again] == [s.id for s in seen]
    (first,) = [s for s in again if s.task == "Read part agent-0"]
    assert first.state == "ended"
    assert sum(s.state == "tool" for s in again) == 5


@pytest.mark.parametrize(
    ("library", "key", "program"),
    [
        ("OpenAI/JS 6.26.0", "pi", "pi"),
        ("ai-sdk/openai-compatible/3.0.37", "cline", "Cline"),
        ("OpenAI/Python 2.8.0", "aider", "aider"),
        ("OpenAI/JS 6.26.0", "sk-pi", "OpenAI"),
        ("QwenCode/0.24.4", "pi", "Qwen Code"),
    ],
)
def test_agent_of_library_is_named_by_launch_key(
    server: Server, library: str, key: str, program: str
) -> None:
    named = {"User-Agent": library, "Authorization": f"Bearer {key}"}
    ask(server, "POST", CHAT, turn("Find the fault"), **named)
    (seen,) = lanes(server)
    assert seen.program == program


def test_agent_without_id_survives_compaction(
    server: Server,
) -> None:
    named = {"User-Agent": "Editor/1.0"}
    before = turn("Find the fault")
    answer = ask(server, "POST", CHAT, before, **named)
    ask(server, "POST", CHAT, turn("Tell a joke"), **named)
    at_rest(server)
    (first, other) = lanes(server)
    assert (first.state, other.state) == ("tool", "tool")
    said = answer.json["choices"][0]["message"]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": "Sunny"}
        for call in said["tool_calls"]
    ]
    shorter = turn("So far: a fault was looked for")
    shorter["messages"] += [said, *results]
    ask(server, "POST", CHAT, shorter, **named)
    at_rest(server)
    (again, left) = lanes(server)
    assert (again.id, again.task, again.state) == (first.id, "Find the fault", "idle")
    assert left.id == other.id
    ask(server, "POST", CHAT, shorter, **{"User-Agent": "Reader/1.0"})
    assert len(lanes(server)) == 3


def test_paused_group_pauses_new_members(server: Server) -> None:
    six(server)
    for agent in server.requests.group(lanes(server)[0].group):
        agent.pause(True)
    assert {s.state for s in lanes(server)} == {"paused"}
    asked = [(f"agent-{n}", f"Read part agent-{n}") for n in range(5)] + [("agent-new", "Join")]
    clients = [
        threading.Thread(
            target=ask,
            args=(server, "POST", CHAT, turn(task, result=name != "agent-new")),
            kwargs=headers(name),
        )
        for name, task in asked
    ]
    for client in clients:
        client.start()
    until(lambda: sum(s.is_active or s.model != "" for s in lanes(server)) == 7)
    time.sleep(0.3)
    assert all(client.is_alive() for client in clients)
    assert not server.slots.queue.running  # idle agents occupy no slots
    plain = ask(server, "POST", CHAT, body(model="plain"))
    assert plain.status == 200
    for agent in server.requests.group(lanes(server)[0].group):
        agent.pause(False)
    for client in clients:
        client.join(60)
    at_rest(server)
    assert [s.state for s in lanes(server)] == ["tool"] + ["ended"] * 5 + ["tool"]


def test_stopped_agent_is_refused_until_user_message(server: Server) -> None:
    six(server)
    (one,) = [s for s in lanes(server) if s.task == "Read part agent-3"]
    agent = server.requests.agent(one.id)
    assert agent is not None
    agent.stop()
    for _ in range(2):
        told = ask(
            server, "POST", CHAT, turn("Read part agent-3", result=True), **headers("agent-3")
        )
        assert (told.status, told.code) == (400, "agent_stopped")
    others = [s for s in lanes(server) if s.id != one.id]
    assert {s.state for s in others} == {"tool"}
    assert agent.snapshot().state == "stopped"
    assert ask(server, "POST", CHAT, turn("Go on"), **headers("agent-3")).status == 200
    at_rest(server)
    assert agent.snapshot().state == "tool"


def test_reply_can_be_followed_paused_and_stopped(server: Server) -> None:
    asked = raw(endless(model="plain"), "User-Agent: aider/1")
    client = connect(server, asked)
    until_said(client, b"data: ")
    until(lambda: any(s.state == "answering" and s.rate > 0 for s in lanes(server)))
    (seen,) = lanes(server)
    assert (seen.program, seen.task, seen.keeps) == ("aider", "hello", True)
    agent = server.requests.agent(seen.id)
    assert agent is not None
    assert agent.text
    agent.pause(True)
    until(lambda: agent.snapshot().state == "paused")
    agent.stop()
    told = until_said(client, b"[DONE]")
    assert b'"finish_reason":"stop"' in told.replace(b" ", b"")
    until(lambda: not agent.requests)
    assert agent.snapshot().state == "stopped"
    kept = agent.conversation
    assert kept is not None
    assert kept.messages[0]["content"] == "hello"
    assert kept.reply
    client.close()


def test_paused_agent_is_dropped_with_its_client(server: Server) -> None:
    ask(server, "POST", CHAT, turn("Work"), **headers())
    at_rest(server)
    (seen,) = lanes(server)
    agent = server.requests.agent(seen.id)
    assert agent is not None
    agent.pause(True)
    named = [f"{k}: {v}" for k, v in headers().items()]
    client = connect(server, raw(turn("Work", result=True), *named))
    until(lambda: bool(agent.requests))
    client.close()
    until(lambda: not agent.requests)
    assert agent.snapshot().state == "paused"
    client = connect(server, raw(turn("Work", result=True), *named))
    until(lambda: bool(agent.requests))
    agent.stop()  # while it is queued
    until(lambda: not agent.requests)
    assert status(client.recv(65536)) == 400
    client.close()


def test_one_off_question_leaves_no_agent(server: Server) -> None:
    for n in range(3):
        ask(server, "POST", CHAT, body(f"question {n}", model="plain"), User_Agent="curl/8")
    until(lambda: lanes(server) == [])


def test_program_share_is_sent_in_requests(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, str, float]] = []
    monkeypatch.setattr(Session, "prioritise", lambda _, *given: told.append(given))
    server.prioritise(-1)
    server.share_out({"Claude Code": 30})
    ask(server, "POST", CHAT, turn("Look."), **headers())
    ask(server, "POST", CHAT, body())
    assert told[0] == (-1, "Claude Code", 30)
    assert told[1][2] == 0
    assert told[1][1] not in ("", "Claude Code")
    for wrong in ({"a": 0.0}, {"a": 100.0}, {"a": 60.0, "b": 50.0}):
        with pytest.raises(ValueError, match="100 in total"):
            server.share_out(wrong)


def test_status_route_shows_only_own_agents(server: Server) -> None:
    six(server)
    told = ask(server, "GET", "/v1/agents").json["data"]
    assert next(a["task"] for a in told) == "Find the fault"
    assert len(told) == 6
    assert b"agents 6" in ask(server, "GET", "/metrics").body


# ---------------------------------------------------------------- access


def who(
    content: Any, agent: str = CLAUDE, owner: str = "", **named: str
) -> agents_of.AgentIdentity:
    pairs = [(b"user-agent", agent.encode("latin-1", "replace"))]
    pairs += [(k.replace("_", "-").encode(), v.encode()) for k, v in named.items()]
    said = content if isinstance(content, dict) else {"messages": content}
    scope = {"type": "http", "headers": pairs}
    set_owner(scope, KeyOwner(owner, owner))
    return identify(scope, said, None)


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


@pytest.mark.parametrize(
    ("agent", "program"),
    [
        ("claude-cli/2.1.330 (external, cli)", "Claude Code"),
        ("codex_exec/0.169.0 (Debian 12)", "Codex"),
        ("opencode/1.0 ai-sdk/5", "opencode"),
        ("QwenCode/0.3 (linux)", "Qwen Code"),
        ("pi/0.4", "pi"),
        ("python-requests/2.3", "python-requests"),
        ("Editor/1.0", "Editor"),
        ("", "A program"),
        ("\u202eevil\r\n" + "x" * 1_000_000, "evil"),
    ],
)
def test_programs_have_plain_names(agent: str, program: str) -> None:
    assert program_of(agent) == program


@pytest.mark.parametrize(
    ("messages", "task"),
    [
        ([user("<reminder>\nBe good\n</reminder>\n", "Fix the test\nand more")], "Fix the test"),
        ([user("<environment_context>x</environment_context>"), user("Do it")], "Do it"),
        ([user("# AGENTS.md instructions for /x\n\n<I>y</I>"), user("Do it")], "Do it"),
        ([user("<task>\nWrite a page\n</task>\n<environment>z</environment>")], "Write a page"),
        (
            [
                *(user("Change the greeting"), user("I switched to a new code base. Forget it.")),
                *(user("I have *added these files to the chat*.\n\na.py"), user("Rename it\n\nBe")),
            ],
            "Rename it",
        ),
        ([user("<unclosed>What is it?")], "What is it?"),
        ([user("<a></a>" * 100_000)], ("<a></a>" * 18)[:119] + "…"),
        ([user("<a>" * 100_000)], ("<a>" * 40)[:119] + "…"),
        ([{"role": "user", "content": "one\x00\u202etwo\nthree"}], "onetwo"),
        ([{"role": "user", "content": None}, 7, {"role": "user", "content": [3, {}]}], ""),
        ({"input": "Say it"}, "Say it"),
        ({"messages": {"no": "list"}}, ""),
    ],
)
def test_task_is_the_last_user_message(messages: Any, task: str) -> None:
    began = time.thread_time()
    found = who(messages).task
    assert time.thread_time() - began < 0.5
    assert found == task


@pytest.mark.parametrize(
    ("last", "brings"),
    [
        ([{"role": "tool", "tool_call_id": "a"}, {"role": "tool", "tool_call_id": "b"}], "ab"),
        ([{"type": "function_call_output", "call_id": "a"}], "a"),
        ([user("x"), {"role": "tool", "tool_call_id": "a"}, {"role": "system"}], "a"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}], "a"),
        ([{"role": "tool", "tool_call_id": "a"}, user("And on")], ""),
        ([{"role": "tool", "tool_call_id": [[0] * 1_000_000]}], [""]),
        ([{"role": "tool"}, 7], ""),
    ],
)
def test_tool_results_are_matched_by_call_id(last: list[Any], brings: Sequence[str]) -> None:
    assert sorted(who([user("Do it"), *last]).brings) == list(brings)


def test_equal_ids_of_two_programs_are_two_agents() -> None:
    one, two = who([user("a")], thread_id="7"), who([user("a")], "codex/1", thread_id="7")
    assert one.own != two.own
    assert one.group != two.group
    assert who([user("b")], thread_id="7").own == one.own


def test_agent_without_id_is_known_by_conversation_start() -> None:
    def aider(*said: Any) -> str:
        return who([*said], "aider/1").own

    assert aider(user("a")) == aider(user("a"), user("b")) != aider(user("b"))


# ---------------------------------------------------------------- ten thousand requests


def shown() -> ModelRequest:
    made = SimpleNamespace(
        **dict.fromkeys(("pieces", "size", "context_length"), 0),
        model="m",
        state="answering",
        last_call_id="",
        paused=False,
        progress=(0, 0, 0),
        rate=0.0,
        started_at=0.0,
        engine_sessions=(),
        messages=(),
        text="",
        said="",
    )
    return cast(ModelRequest, made)


def test_many_agents_cost_little() -> None:
    known = RequestRegistry()
    mine = shown()
    known.end(known.begin(mine, who([user("mine")], thread_id="mine")), mine)
    began = time.thread_time()
    for n in range(2 * MAX_IDLE_AGENTS):
        request = shown()
        agent = known.begin(request, who([user("x")], "evil/1", thread_id=f"\u202e\n{n}"))
        known.end(agent, request)
    assert time.thread_time() - began < 20
    assert len(known.agents()) <= MAX_IDLE_AGENTS + 1
    assert [s.task for s in known.agents() if s.program == "Claude Code"] == ["mine"]


def test_idle_agent_expires_unless_paused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known, now = RequestRegistry(), time.monotonic()
    for name in ("one", "two"):
        request = shown()
        second = known.begin(request, who([user(name)], thread_id=name))
        known.end(second, request)
    second.pause(True)
    monkeypatch.setattr(time, "monotonic", lambda: now + 599)
    assert len(known.agents()) == 2
    monkeypatch.setattr(time, "monotonic", lambda: now + 620)
    assert [s.task for s in known.agents()] == ["two"]


def test_kept_conversations_have_a_limit() -> None:
    known = RequestRegistry()
    for n in range(40):
        request = shown()
        agent = known.begin(request, who([user("x")], thread_id=str(n)))
        known.store_conversation(request, [{"role": "user", "content": "x"}], 2**20)
        known.end(agent, request)
    assert sum(s.keeps for s in known.agents()) == 32
    request = shown()
    agent = known.begin(request, who([user("x")], thread_id="large"))
    known.store_conversation(request, [{"role": "user", "content": "x"}], 2**21)
    assert agent.conversation is None


def test_stopped_agent_gets_an_error() -> None:
    known, request = RequestRegistry(), shown()
    agent = known.begin(request, who([user("x")], thread_id="1"))
    known.end(agent, request)
    agent.stop()
    given = [user("x"), {"role": "user", "content": [{"type": "tool_result"}]}]
    with pytest.raises(RequestError, match="The user stopped this agent"):
        known.begin(shown(), who(given, thread_id="1"))


TOOL_RESULT = [user("x"), {"role": "user", "content": [{"type": "tool_result"}]}]


@pytest.mark.parametrize("flood", ["a", "b"])
def test_stopped_agent_stays_stopped_among_many(flood: str) -> None:
    known, request = RequestRegistry(), shown()
    agent = known.begin(request, who([user("x")], owner="b", thread_id="1"))
    known.end(agent, request)
    agent.stop()
    for n in range(2 * MAX_IDLE_AGENTS):
        request = shown()
        known.end(known.begin(request, who([user("x")], owner=flood, thread_id=f"x{n}")), request)
    with pytest.raises(RequestError):
        known.begin(shown(), who(TOOL_RESULT, owner="b", thread_id="1"))
    known.begin(shown(), who([user("go on")], owner="b", thread_id="1"))


def test_stopped_agent_stays_stopped_when_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    known, request, now = RequestRegistry(), shown(), time.monotonic()
    agent = known.begin(request, who([user("x")], thread_id="1"))
    known.end(agent, request)
    agent.stop()
    monkeypatch.setattr(time, "monotonic", lambda: now + 3600)
    assert known.agents() == []
    with pytest.raises(RequestError):
        known.begin(shown(), who(TOOL_RESULT, thread_id="1"))


def test_agents_of_one_key_do_not_displace_others() -> None:
    known = RequestRegistry()
    for owner, count in (("b", 3), ("a", 2 * MAX_IDLE_AGENTS)):
        for n in range(count):
            request = shown()
            agent = known.begin(request, who([user("x")], owner=owner, thread_id=str(n)))
            known.store_conversation(request, [{"role": "user", "content": "x"}], 2**20)
            known.end(agent, request)
    assert len(known.agents("a")) <= MAX_IDLE_AGENTS + 1
    assert [seen.keeps for seen in known.agents("b")] == [True] * 3


def test_agent_numbers_reveal_nothing_about_other_keys() -> None:
    known = RequestRegistry()
    numbers = []
    for owner in "bab":
        request = shown()
        agent = known.begin(request, who([user(owner)], owner=owner, thread_id=str(len(numbers))))
        numbers.append(agent.number)
        known.end(agent, request)
    assert len(set(numbers)) == 3
    assert numbers[2] - numbers[0] != 2
