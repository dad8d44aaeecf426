"""Responses of the server's APIs to OpenAI's official Python client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI

from engine import SamplingParams
from engine.messages import RawPrompt, TextDelta
from engine.runtime import request as reply_state
from engine.runtime.state import Meter
from engine.serve.server import Server
from tests.engine.scripted import ANSWER, REASON
from tests.engine.serving import NEVER_ENDS, running, user
from tests.waiting import until

SAID = "".join(ANSWER)
THOUGHT = "".join(REASON)
WEATHER: Any = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[OpenAI]:
    address = f"http://127.0.0.1:{server.port}/v1"
    with OpenAI(base_url=address, api_key="none", max_retries=0, timeout=60) as found:
        yield found


def chat(client: OpenAI, **fields: Any) -> Any:
    asked = {"messages": [user("hello")], "max_tokens": 8, "temperature": 0, "model": "plain"}
    return client.chat.completions.create(**{**asked, **fields})


def alone(server: Server, **settings: Any) -> Any:
    params = SamplingParams(**{"max_tokens": 8, "temperature": 0.0, **settings})
    session = server.engine.open_session(server.served.models[0])
    reply = session.send("hello", params)
    reply.text(60)
    session.close()
    return reply


def answer(stream: Any, index: int = 0) -> str:
    chunks = [c.choices[0] for c in stream if c.choices and c.choices[0].index == index]
    return "".join(c.delta.content or "" for c in chunks)


def test_seeded_answer_matches_engine_whole_and_streamed(client: OpenAI, server: Server) -> None:
    text = alone(server, temperature=1.0, seed=5).text()
    how = {"temperature": 1.0, "seed": 5}
    assert chat(client, **how).choices[0].message.content == text
    assert answer(chat(client, **how, stream=True)) == text


def test_stream_includes_usage_on_request(client: OpenAI) -> None:
    told = list(chat(client, stream=True, stream_options={"include_usage": True}))
    assert told[-1].choices == []
    assert told[-1].usage.completion_tokens == 8
    assert all(chunk.usage is None for chunk in told[:-1])
    assert all(chunk.usage is None for chunk in chat(client, stream=True))


def test_n_answers_prefill_once(client: OpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(Meter, "record", lambda _, decoded, tokens: read.append(tokens))
    asked = {"messages": [user("many words " * 30)], "temperature": 1.0, "seed": 3}
    found = chat(client, **asked, n=4)
    # Each fork reads the opening of its reply.
    assert 0 < sum(read) <= found.usage.prompt_tokens + 3 * 30
    assert found.usage.completion_tokens >= 4
    texts = [choice.message.content for choice in found.choices]
    assert [choice.index for choice in found.choices] == [0, 1, 2, 3]
    assert len(set(texts)) == 4
    assert chat(client, **asked).choices[0].message.content == texts[0]
    streamed = list(chat(client, **asked, n=4, stream=True))
    assert [answer(streamed, number) for number in range(4)] == texts


def test_logprobs_do_not_change_the_answer(client: OpenAI, server: Server) -> None:
    plain = chat(client)
    rated = chat(client, logprobs=True, top_logprobs=3)
    assert plain.choices[0].logprobs is None
    assert rated.choices[0].message.content == plain.choices[0].message.content
    content = rated.choices[0].logprobs.content
    assert len(content) == 8
    for token in content:
        assert len(token.top_logprobs) == 3
        # Temperature 0 picks the most likely token.
        assert token.logprob == token.top_logprobs[0].logprob <= 0
        assert token.bytes == token.top_logprobs[0].bytes
    streamed = chat(client, logprobs=True, top_logprobs=3, stream=True)
    parts = [c.choices[0].logprobs for c in streamed if c.choices[0].logprobs]
    assert [t.logprob for part in parts for t in part.content] == [t.logprob for t in content]
    thinking = chat(client, model="scripted", reasoning_effort="low", max_tokens=20, logprobs=True)
    assert [t.token for t in thinking.choices[0].logprobs.content] == list(ANSWER)


def test_logprobs_ignore_grammar_and_penalties(server: Server) -> None:
    asked = {"logprobs": 2, "choices": ("yes", "no"), "frequency_penalty": 1.0}
    rated = alone(server, **asked)
    odds = [o for e in rated if isinstance(e, TextDelta) for o in e.odds]
    assert b"".join(o.data for o in odds).decode() == rated.text()
    assert rated.text() in ("yes", "no")
    assert all(o.top[0].logprob >= o.logprob for o in odds)


def test_bias_stop_and_schema_are_applied(client: OpenAI) -> None:
    text = chat(client, logit_bias={"60": 100}).choices[0].message.content
    assert text == text[0] * 8
    stopped = chat(client, logit_bias={"60": 100}, stop=[text[:2]])
    assert stopped.choices[0].message.content == ""
    assert stopped.choices[0].finish_reason == "stop"
    schema = {"type": "object", "properties": {"a": {"enum": [1]}}, "required": ["a"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    answered = chat(client, response_format=form, max_tokens=200).choices[0].message.content
    assert json.loads(answered)["a"] == 1


def test_without_a_limit_an_answer_fills_the_context(client: OpenAI, server: Server) -> None:
    context = server.served.models[1].context_length
    asked = {"model": "scripted", "messages": [user("x" * (context - 100))]}
    bias = {"0": -100, **NEVER_ENDS}  # this dialect also ends turns with <|endoftext|>
    found = chat(client, **asked, max_tokens=None, logit_bias=bias)
    assert found.choices[0].finish_reason == "length"
    assert found.usage.total_tokens == context


@pytest.mark.parametrize(("more", "reason"), [(True, "stop"), (False, "length")])
def test_unlimited_answer_reserves_memory_as_it_grows(
    client: OpenAI, monkeypatch: pytest.MonkeyPatch, more: bool, reason: str
) -> None:
    monkeypatch.setattr(reply_state, "EXTENSION_TOKENS", 2)
    if not more:  # the reply ends before it asks for more
        monkeypatch.setattr(reply_state, "EARLY_TOKENS", 0)
    found = chat(client, model="scripted", max_tokens=None)
    assert found.choices[0].finish_reason == reason
    assert (found.choices[0].message.content == SAID) is more


def test_reasoning_is_separate(client: OpenAI) -> None:
    found = chat(client, model="scripted", max_tokens=20, reasoning_effort="low")
    message = found.choices[0].message
    assert (message.content, message.reasoning_content) == (SAID, THOUGHT)
    assert found.usage.completion_tokens_details.reasoning_tokens >= len(REASON)
    told = list(chat(client, model="scripted", max_tokens=20, reasoning_effort="low", stream=True))
    deltas = [c.choices[0].delta for c in told]
    assert "".join(getattr(d, "reasoning_content", None) or "" for d in deltas) == THOUGHT
    assert "".join(d.content or "" for d in deltas) == SAID
    asked = {"chat_template_kwargs": {"enable_thinking": True}}
    again = chat(client, model="scripted", max_tokens=20, extra_body=asked)
    assert again.choices[0].message.reasoning_content == THOUGHT
    none = chat(client, model="scripted", max_tokens=20, reasoning_effort="none")
    assert none.choices[0].message.content == SAID


@pytest.mark.parametrize("stream", [False, True])
def test_tools_are_offered_called_and_answered(client: OpenAI, stream: bool) -> None:
    messages = [user("How is the weather?")]
    asked = {"model": "scripted", "messages": messages, "tools": [WEATHER], "max_tokens": 40}
    calls: list[Any] = []
    if stream:
        for chunk in chat(client, **asked, stream=True):
            calls += chunk.choices[0].delta.tool_calls or []
        assert [call.index for call in calls] == [0, 1]
        assert chunk.choices[0].finish_reason == "tool_calls"
    else:
        choice = chat(client, **asked).choices[0]
        calls = choice.message.tool_calls
        assert choice.finish_reason == "tool_calls"
        assert choice.message.content is None
    assert [call.function.name for call in calls] == ["weather", "weather"]
    cities = [json.loads(call.function.arguments)["city"] for call in calls]
    assert cities == ["Turin", "Oslo"]
    made = [{"id": c.id, "type": "function", "function": c.function.model_dump()} for c in calls]
    said = {"role": "assistant", "content": None, "tool_calls": made}
    results = [{"role": "tool", "tool_call_id": c.id, "content": "rain"} for c in calls]
    after = chat(client, **{**asked, "messages": [*messages, said, *results]})
    assert after.choices[0].message.content == SAID
    assert after.choices[0].finish_reason == "stop"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("choice", ["auto", {"name": "weather"}])
def test_legacy_functions_are_called(client: OpenAI, stream: bool, choice: Any) -> None:
    messages = [user("How is the weather?")]
    functions = {"functions": [WEATHER["function"]], "function_call": choice}
    asked = {"model": "scripted", "messages": messages, "max_tokens": 40, **functions}
    if stream:
        found = [chunk.choices[0] for chunk in chat(client, **asked, stream=True)]
        calls = [one.delta.function_call for one in found if one.delta.function_call]
        assert all(one.delta.tool_calls is None for one in found)
        assert [call.name for call in calls if call.name] == ["weather"]
        name, arguments = "weather", "".join(call.arguments or "" for call in calls)
        ended = found[-1].finish_reason
    else:
        whole = chat(client, **asked).choices[0]
        called, ended = whole.message.function_call, whole.finish_reason
        name, arguments = called.name, called.arguments
        assert whole.message.tool_calls is None
    assert (name, json.loads(arguments)["city"], ended) == ("weather", "Turin", "function_call")
    said = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": name, "arguments": arguments},
    }
    result = {"role": "function", "name": name, "content": "rain"}
    after = chat(client, **{**asked, "messages": [*messages, said, result]}).choices[0]
    if choice == "auto":
        assert (after.message.content, after.finish_reason) == (SAID, "stop")


def test_functions_are_not_called_with_choice_none(client: OpenAI) -> None:
    functions = {"functions": [WEATHER["function"]], "function_call": "none"}
    message = chat(client, model="scripted", max_tokens=40, **functions).choices[0].message
    assert (message.content, message.function_call) == (SAID, None)


def test_single_and_no_call_choices_are_respected(client: OpenAI) -> None:
    asked = {"model": "scripted", "tools": [WEATHER], "max_tokens": 40}
    one = chat(client, **asked, parallel_tool_calls=False).choices[0]
    assert len(one.message.tool_calls) == 1
    assert one.finish_reason == "tool_calls"
    none = chat(client, **asked, tool_choice="none").choices[0]
    assert none.message.tool_calls is None
    assert none.message.content == SAID


def test_unknown_tool_is_left_to_the_client(client: OpenAI) -> None:
    other = {"type": "function", "function": {"name": "clock"}}
    message = chat(client, model="scripted", tools=[other], max_tokens=40).choices[0].message
    assert not message.content
    assert [c.function.name for c in message.tool_calls] == ["weather", "weather"]
    assert "Turin" in message.tool_calls[0].function.arguments


def test_sessions_work_as_requested(client: OpenAI, server: Server) -> None:
    body = {"kv_bits": 8, "on_overflow": "slide", "reproducible": True}
    asked = {"messages": [user("a question of its own")], "extra_body": body}
    assert chat(client, **asked, model="scripted").choices
    assert any(s["kv_bits"] == 8 for s in server.engine.stats()["sessions"].values())


def test_errors_are_the_clients_own(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="llama-9") as missing:
        chat(client, model="llama-9")
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as wrong:
        chat(client, temperature=9)
    assert (wrong.value.code, wrong.value.param) == ("invalid_request", "temperature")
    with pytest.raises(openai.BadRequestError) as caught:
        chat(client, messages=[user("x" * 9000)])
    assert caught.value.code == "context_length_exceeded"
    with pytest.raises(openai.APIError, match="form"):
        list(chat(client, stream=True, extra_body={"regex": "("}))


def test_raw_text_is_continued(client: OpenAI, server: Server) -> None:
    session = server.engine.open_session(server.served.models[0])
    text = session.send(RawPrompt("once upon"), SamplingParams(8, 0.0)).text(60)
    asked: Any = {"model": "plain", "prompt": "once upon", "max_tokens": 8, "temperature": 0}
    found = client.completions.create(**asked)
    assert found.choices[0].text == text
    assert found.usage is not None
    assert found.usage.prompt_tokens == 9
    echoed = client.completions.create(**asked, echo=True)
    assert echoed.choices[0].text == "once upon" + text
    streamed = client.completions.create(**asked, stream=True, echo=True)
    assert "".join(c.choices[0].text for c in streamed if c.choices) == "once upon" + text


def test_several_prompts_and_token_ids_are_continued(client: OpenAI) -> None:
    asked: Any = {"model": "plain", "max_tokens": 6, "temperature": 0}
    both = client.completions.create(**asked, prompt=["one", "two"], n=2)
    texts = [choice.text for choice in both.choices]
    assert texts[0] == texts[1] != texts[2] == texts[3]
    assert client.completions.create(**asked, prompt="two").choices[0].text == texts[2]
    ids = client.completions.create(**asked, prompt=[84, 91, 83])  # "two"
    lists = client.completions.create(**asked, prompt=[[84, 91, 83], [81]])
    assert ids.usage is not None
    assert ids.usage.prompt_tokens == 3
    assert lists.choices[0].text == ids.choices[0].text


def test_raw_text_keeps_spaces_and_markers(client: OpenAI) -> None:
    asked: Any = {"model": "scripted", "temperature": 0, "max_tokens": 3}
    assert client.completions.create(**asked, prompt="It").choices[0].text == " is fine."
    thought = client.completions.create(**asked, prompt="r").choices[0].text
    assert thought == "<think>Let me"


def test_completions_list_logprobs_in_columns(client: OpenAI) -> None:
    asked: Any = {"model": "scripted", "temperature": 0, "max_tokens": 2, "prompt": "a"}
    told = client.completions.create(**asked, logprobs=2).choices[0].logprobs
    assert told is not None
    assert told.tokens == ["It", " is"]
    assert told.text_offset == [0, 2]
    assert [len(top) for top in told.top_logprobs or []] == [2, 2]


def test_response_has_all_events(client: OpenAI) -> None:
    asked: Any = {"model": "scripted", "input": "hello", "temperature": 0}
    found = client.responses.create(**asked, instructions="Be brief.")
    assert found.output_text == SAID
    assert found.status == "completed"
    assert found.usage is not None
    assert found.usage.output_tokens == len(ANSWER)
    with client.responses.stream(**asked, reasoning={"effort": "low"}) as stream:
        events: list[Any] = list(stream)
        final = stream.get_final_response()
    assert [e.sequence_number for e in events] == sorted({e.sequence_number for e in events})
    kinds = [e.type for e in events]
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    said = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    thought = "".join(e.delta for e in events if e.type == "response.reasoning_text.delta")
    assert (said, thought) == (SAID, THOUGHT)
    assert [item.type for item in final.output] == ["reasoning", "message"]
    assert final.output_text == SAID


def test_too_long_response_is_incomplete(client: OpenAI) -> None:
    found = client.responses.create(model="scripted", input="hello", max_output_tokens=2)
    assert found.status == "incomplete"
    assert found.incomplete_details is not None
    assert found.incomplete_details.reason == "max_output_tokens"


def test_stored_response_is_continued(client: OpenAI) -> None:
    asked: Any = {"model": "plain", "max_output_tokens": 8, "temperature": 0}
    first = client.responses.create(**asked, input="a beginning " * 10)
    second = client.responses.create(**asked, input="go on", previous_response_id=first.id)
    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.input_tokens_details.cached_tokens >= first.usage.input_tokens
    assert second.previous_response_id == first.id
    assert client.responses.retrieve(first.id).output_text == first.output_text
    client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)
    unkept = client.responses.create(**asked, input="x", store=False)
    with pytest.raises(openai.BadRequestError) as caught:
        client.responses.create(**asked, input="y", previous_response_id=unkept.id)
    assert caught.value.code == "previous_response_not_found"


@pytest.mark.parametrize("stream", [False, True])
def test_responses_call_tools(client: OpenAI, stream: bool) -> None:
    tool = {"type": "function", "strict": False, **WEATHER["function"]}
    asked: Any = {"model": "scripted", "tools": [tool]}
    if stream:
        with client.responses.stream(**asked, input="weather?") as events:
            kinds = [event.type for event in events]
            found: Any = events.get_final_response()
        assert kinds.count("response.function_call_arguments.done") == 2
    else:
        found = client.responses.create(**asked, input="weather?")
    assert [item.type for item in found.output] == ["function_call", "function_call"]
    assert json.loads(found.output[1].arguments) == {"city": "Oslo"}
    outputs: Any = [
        {"type": "function_call_output", "call_id": item.call_id, "output": "rain"}
        for item in found.output
    ]
    after = client.responses.create(**asked, input=outputs, previous_response_id=found.id)
    assert after.output_text == SAID


def test_response_has_logprobs(client: OpenAI) -> None:
    found: Any = client.responses.create(
        model="scripted",
        input="x",
        temperature=0,
        top_logprobs=2,
        include=["message.output_text.logprobs"],
    )
    told = found.output[0].content[0].logprobs
    assert [t.token for t in told] == list(ANSWER)
    assert all(len(t.top_logprobs) == 2 for t in told)


def test_embeddings_are_of_length_one_and_equal_for_equal_texts(client: OpenAI) -> None:
    texts = ["hello", "something else", "hello"]
    found = client.embeddings.create(model="plain", input=texts)  # the client asks for base64
    vectors = [item.embedding for item in found.data]
    assert vectors[0] == vectors[2] != vectors[1]
    assert sum(x * x for x in vectors[1]) == pytest.approx(1, abs=1e-4)
    plain = client.embeddings.create(model="plain", input="hello", encoding_format="float")
    assert plain.data[0].embedding == pytest.approx(vectors[0], abs=1e-4)
    assert plain.usage.prompt_tokens == 5
    ids = client.embeddings.create(model="plain", input=[[84, 91, 83]])
    assert len(ids.data[0].embedding) == len(vectors[0])
    size = len(vectors[0])
    sized = client.embeddings.create(model="plain", input="hello", dimensions=size)
    assert sized.data[0].embedding == pytest.approx(vectors[0], abs=1e-4)
    with pytest.raises(openai.BadRequestError, match=f"dimensions must be {size}"):
        client.embeddings.create(model="plain", input="x", dimensions=8)
    with pytest.raises(openai.BadRequestError, match="long"):
        client.embeddings.create(model="plain", input="x" * 9000)


def test_long_text_is_embedded_between_stream_steps(client: OpenAI, server: Server) -> None:
    stream = chat(client, stream=True, max_tokens=None, logit_bias=NEVER_ENDS)
    chunks = iter(stream)
    next(chunks)
    text = "many words " * 60
    found = client.embeddings.create(model="plain", input=text)
    assert next(chunks).choices
    stream.close()
    until(lambda: not running(server))
    alone = client.embeddings.create(model="plain", input=text)
    assert found.data[0].embedding == pytest.approx(alone.data[0].embedding, abs=1e-3)


def test_models_are_listed_and_read(client: OpenAI) -> None:
    assert {model.id for model in client.models.list()} == {"plain", "scripted"}
    assert client.models.retrieve("scripted").id == "scripted"
    assert client.models.retrieve("gpt-9").id == "plain"  # the model that replies under this name
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("llama-9")
