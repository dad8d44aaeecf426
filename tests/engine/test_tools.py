"""Tools through the engine's public API, with a model that calls them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import (
    Engine,
    EngineError,
    Model,
    Reply,
    SamplingParams,
    Session,
    ToolCallDelta,
    ToolCallFailed,
    ToolCallFinished,
    ToolCallStarted,
    ToolResult,
)
from tests.engine.scripted import ANSWER, write_scripted
from tests.engine.speaking import CITIES, WEATHER

SAID = "".join(ANSWER)
LONG: Any = {
    "type": "function",
    "function": {**WEATHER["function"], "description": "The weather, told at length. " * 12},
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


@pytest.fixture(scope="module")
def model(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return engine.load(write_scripted(tmp_path_factory.mktemp("tools") / "scripted"))


def params(*tools: Any, **more: Any) -> SamplingParams:
    return SamplingParams(max_tokens=20, temperature=0.0, tools=tools, **more)


def finished(reply: Reply) -> list[ToolCallFinished]:
    assert reply.text(60).strip() == ""
    return [event for event in reply if isinstance(event, ToolCallFinished)]


def cities(calls: list[ToolCallFinished]) -> list[str]:
    return [json.loads(call.arguments)["city"] for call in calls]


def test_calls_are_reported_and_results_follow(engine: Engine, model: Model) -> None:
    chat = engine.open_session(model)
    reply = chat.send("How is it?", params(WEATHER))
    calls = finished(reply)
    assert cities(calls) == list(CITIES)
    assert len({call.id for call in calls}) == 2
    started = [event for event in reply if isinstance(event, ToolCallStarted)]
    assert [(one.id, one.name) for one in started] == [(call.id, "weather") for call in calls]
    for call in calls:
        deltas = [e.text for e in reply if isinstance(e, ToolCallDelta) and e.id == call.id]
        assert "".join(deltas) == call.arguments

    message = reply.message()
    assert message is not None
    assert [call["id"] for call in message["tool_calls"]] == [call.id for call in calls]
    results = [ToolResult(call.id, "rain", call.name) for call in calls]
    after = chat.send(results, params(WEATHER))
    assert after.text(60) == SAID
    # Everything before the calls is reused. The template writes calls in its own way.
    assert after.stats.reused_tokens >= reply.stats.prompt_tokens - 8

    # A caller that keeps the conversation itself gets the same prompt.
    whole: list[Any] = [{"role": "user", "content": "How is it?"}, message]
    whole += [result.as_message() for result in results]
    other = engine.open_session(model).send(whole, params(WEATHER))
    assert other.text(60) == SAID
    assert other.stats.prompt_tokens == after.stats.prompt_tokens


def test_user_message_may_follow_the_results(engine: Engine, model: Model) -> None:
    chat = engine.open_session(model)
    (call,) = finished(chat.send("How is it?", params(WEATHER, parallel_tool_calls=False)))
    assert cities([call]) == ["Turin"]
    again = chat.send(
        [ToolResult(call.id, "rain"), {"role": "user", "content": "And in Oslo?"}], params(WEATHER)
    )
    assert cities(finished(again)) == list(CITIES)


def test_unoffered_tool_is_not_a_call(engine: Engine, model: Model) -> None:
    other = {"type": "function", "function": {"name": "clock"}}
    reply = engine.open_session(model).send("How is it?", params(other))
    assert finished(reply) == []
    failed = [event for event in reply if isinstance(event, ToolCallFailed)]
    assert [(one.name, "offered" in one.message) for one in failed] == [("weather", True)] * 2
    message = reply.message()
    assert message is not None  # the caller can send the errors as results
    assert [call["id"] for call in message["tool_calls"]] == [one.id for one in failed]


def test_complete_call_counts_in_truncated_answer(engine: Engine, model: Model) -> None:
    short = SamplingParams(max_tokens=2, temperature=0.0, tools=[WEATHER])
    reply = engine.open_session(model).send("How is it?", short)
    assert cities(finished(reply)) == ["Turin"]


def test_choice_none_acts_like_no_tools(engine: Engine, model: Model) -> None:
    chat = engine.open_session(model)
    assert chat.send("How is it?", params(WEATHER, tool_choice="none")).text(60) == SAID


def test_token_cost_of_tools_is_reported(engine: Engine, model: Model) -> None:
    one = engine.count_tools_later(model, [WEATHER]).result(60)
    assert engine.count_tools_later(model, [LONG]).result(60) > one + 200 > 200
    assert engine.count_tools_later(model, []).result(60) == 0


def test_the_same_tools_of_eight_chats_are_read_once(engine: Engine, model: Model) -> None:
    cost = engine.count_tools_later(model, [LONG]).result(60)
    chats = [engine.open_session(model) for _ in range(8)]
    questions = [f"{number}: how is it in your town?" for number in range(8)]
    replies = [chat.send(said, params(LONG)) for chat, said in zip(chats, questions, strict=True)]
    for reply in replies:
        assert cities(finished(reply)) == list(CITIES)
    alone = [reply for reply in replies if reply.stats.reused_tokens < cost - 8]
    assert len(alone) == 1
    # Also after all of them are closed.
    for chat in chats:
        chat.close()
    late = engine.open_session(model).send("Anybody here?", params(LONG))
    late.text(60)
    assert late.stats.reused_tokens >= cost - 8


def test_long_turn_slides_by_whole_steps(engine: Engine, model: Model) -> None:
    chat: Session = engine.open_session(model, on_overflow="slide")
    messages: list[Any] = [{"role": "user", "content": "work on"}]
    dropped = []
    for _ in range(9):
        reply = chat.send(messages, params(WEATHER, parallel_tool_calls=False))
        reply.text(60)
        function = {"name": "weather", "arguments": {"city": "Turin"}}
        call = {"id": f"c{len(messages)}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append(ToolResult(call["id"], "rain and " * 15).as_message())
        dropped.append(reply.stats.dropped_messages)
    assert dropped[0] == 0 < dropped[-1]
    assert dropped == sorted(dropped)
    assert all(count % 2 == 0 for count in dropped)


@pytest.mark.parametrize(
    ("tools", "more", "says"),
    [
        ("weather", {}, "list"),
        ([{"type": "web"}], {}, "function"),
        ([WEATHER, WEATHER], {}, "unique names"),
        ([{"type": "function", "function": {"name": "a\x1b[31m"}}], {}, "name"),
        ([{"type": "function", "function": {"name": "auto"}}], {}, "name"),
        ([{"type": "function", "function": {"name": "a", "parameters": [1]}}], {}, "schema"),
        ([{"type": "function", "function": {"name": "a", "strict": 1}}], {}, "strict"),
        ([WEATHER], {"tool_choice": "clock"}, "clock"),
        ([], {"tool_choice": "required"}, "no tools"),
        ([WEATHER], {"parallel_tool_calls": 1}, "parallel_tool_calls"),
        ([WEATHER], {"regex": "a"}, "choose one"),
    ],
)
def test_invalid_tools_are_refused_immediately(tools: Any, more: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        SamplingParams(tools=tools, **more)


def test_tools_are_the_engines_own_copies() -> None:
    mine: Any = json.loads(json.dumps(WEATHER))
    asked = SamplingParams(tools=[mine])
    mine["function"]["name"] = "other"
    assert asked.tools == (WEATHER,)


def test_model_without_tool_calls_refuses_tools(engine: Engine, tmp_path: Path) -> None:
    from engine.bench.random_models import write_model
    from tests.engine.families import FAMILIES

    plain = engine.load(write_model(tmp_path / "plain", FAMILIES["plain"]))
    reply = engine.open_session(plain).send("hello", params(WEATHER))
    with pytest.raises(EngineError, match="does not support tools"):
        reply.text(60)


def test_steered_reply_ends_after_its_call(engine: Engine, model: Model) -> None:
    chat = engine.open_session(model)
    reply = chat.send("How is it?", params(WEATHER))
    next(event for event in reply if isinstance(event, ToolCallStarted))
    reply.cancel(whole=True)
    assert set(cities(finished(reply))) <= set(CITIES)
    assert not [event for event in reply if isinstance(event, ToolCallFailed)]
