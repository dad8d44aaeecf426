"""Responses of `/v1/messages` to Anthropic's official Python client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic

from engine.serve.routes.messages import SIGNATURE
from engine.serve.server import Server
from tests.engine.scripted import ANSWER, REASON
from tests.engine.serving import ask, user

SAID = "".join(ANSWER)
THOUGHT = "".join(REASON)
WEATHER: Any = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Anthropic]:
    address = f"http://127.0.0.1:{server.port}"
    with Anthropic(base_url=address, api_key="none", max_retries=0, timeout=60) as found:
        yield found


def asked(**fields: Any) -> Any:
    return {"model": "scripted", "max_tokens": 40, "messages": [user("hello")], **fields}


def test_message_has_usage(client: Anthropic) -> None:
    found = client.messages.create(**asked(system=[{"type": "text", "text": "Be brief."}]))
    assert [block.type for block in found.content] == ["text"]
    assert found.content[0].text == SAID  # type: ignore[union-attr]
    assert (found.role, found.stop_reason) == ("assistant", "end_turn")
    assert found.usage.output_tokens == len(ANSWER)
    assert found.usage.input_tokens > 0


def test_streamed_message_matches_whole_message(client: Anthropic) -> None:
    how = asked(thinking={"type": "enabled", "budget_tokens": 1024})
    whole = client.messages.create(**how)
    with client.messages.stream(**how) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_message()
    assert [b.type for b in final.content] == [b.type for b in whole.content]
    thinking, text = final.content
    assert (thinking.type, text.type) == ("thinking", "text")
    assert thinking.signature == SIGNATURE  # type: ignore[union-attr]
    assert thinking.thinking == THOUGHT  # type: ignore[union-attr]
    assert text.text == SAID  # type: ignore[union-attr]
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 2
    assert final.stop_reason == "end_turn"
    assert final.usage.output_tokens == whole.usage.output_tokens


def test_why_a_message_ended(client: Anthropic) -> None:
    assert client.messages.create(**asked(max_tokens=2)).stop_reason == "max_tokens"
    stopped = client.messages.create(**asked(stop_sequences=["never", " fine"]))
    assert (stopped.stop_reason, stopped.stop_sequence) == ("stop_sequence", " fine")
    assert stopped.content[0].text == "It is"  # type: ignore[union-attr]


def test_prefilled_answer_is_continued(client: Anthropic) -> None:
    begun: Any = {"role": "assistant", "content": "It is"}
    found = client.messages.create(**asked(messages=[user("hello"), begun]))
    assert found.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("stream", [False, True])
def test_tools_are_called_and_their_results_read(client: Anthropic, stream: bool) -> None:
    how = asked(tools=[WEATHER])
    if stream:
        with client.messages.stream(**how) as events:
            found: Any = events.get_final_message()
    else:
        found = client.messages.create(**how)
    assert found.stop_reason == "tool_use"
    assert [block.type for block in found.content] == ["tool_use", "tool_use"]
    assert [block.input for block in found.content] == [{"city": "Turin"}, {"city": "Oslo"}]
    results: Any = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "rain"}
        for block in found.content
    ]
    said: Any = {"role": "assistant", "content": found.content}
    turns = [user("hello"), said, {"role": "user", "content": results}]
    after = client.messages.create(**asked(messages=turns, tools=[WEATHER]))
    assert after.content[0].text == SAID  # type: ignore[union-attr]
    alone = client.messages.create(
        **asked(tools=[WEATHER], tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    )
    assert [block.type for block in alone.content] == ["tool_use"]


def test_token_count_matches_prefill(client: Anthropic) -> None:
    how: Any = {"model": "scripted", "messages": [user("hello there")], "system": "Be brief."}
    counted = client.messages.count_tokens(**how)
    read = client.messages.create(**how, max_tokens=5).usage
    assert counted.input_tokens == read.input_tokens + (read.cache_read_input_tokens or 0)
    with_tools = client.messages.count_tokens(**how, tools=[WEATHER])
    assert with_tools.input_tokens > counted.input_tokens


def test_other_paths_return_anthropic_errors(client: Anthropic, server: Server) -> None:
    with pytest.raises(anthropic.NotFoundError, match="llama-9") as missing:
        client.models.retrieve("llama-9")
    with pytest.raises(anthropic.NotFoundError, match="/v1/files") as unknown:
        client.beta.files.list()
    assert missing.value.type == unknown.value.type == "not_found_error"
    assert "param" in ask(server, "GET", "/v1/models/llama-9").json["error"]  # OpenAI's


def test_errors_are_the_clients_own(client: Anthropic) -> None:
    with pytest.raises(anthropic.NotFoundError, match="llama-9"):
        client.messages.create(**asked(model="llama-9"))
    with pytest.raises(anthropic.BadRequestError, match="temperature must be at most 1") as wrong:
        client.messages.create(**asked(extra_body={"temperature": 1.5}))
    body: Any = wrong.value.body
    assert (body["type"], body["error"]["type"]) == ("error", "invalid_request_error")
    with pytest.raises(
        anthropic.BadRequestError, match=r"prompt is too long: \d+ tokens > 1024 max"
    ):
        client.messages.create(**asked(messages=[user("x" * 2000)]))
    with pytest.raises(anthropic.APIStatusError):
        list(client.messages.create(**asked(extra_body={"regex": "("}), stream=True))


def test_guard_errors_have_anthropic_shape(server: Server) -> None:
    address = f"http://127.0.0.1:{server.port}"
    page = {"Origin": "https://example.org"}
    with (
        Anthropic(
            base_url=address, api_key="x", max_retries=0, default_headers=page
        ) as page_client,
        pytest.raises(anthropic.PermissionDeniedError) as caught,
    ):
        page_client.messages.create(**asked())
    body: Any = caught.value.body
    assert (body["type"], body["error"]["type"]) == ("error", "permission_error")
