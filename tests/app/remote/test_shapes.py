"""Response formats of other servers, and the requests for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.remote.address import (
    AddressError,
    ListedModel,
    Remote,
    is_here,
    normalize_address,
    parse_model_list,
    parse_ollama_vision,
    parse_ref,
)
from app.remote.remote_errors import RemoteError
from app.remote.remote_session import build_body, insert_files
from app.remote.stream import ReplyReader
from engine import Finished, FinishReason, Image, SamplingParams, ToolCallFinished
from tests.app.remote.scripted import events, head, says, sends

BASE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "big"}


def chunk(delta, reason=None, **more):
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {**BASE, "choices": [choice | more]}


# Streams as documented. vLLM: a role chunk with empty content, `reasoning_content` (also under its
# newer name `reasoning`), `stop_reason` next to the finish reason, and a final chunk for `usage`
# without choices. SGLang: null for absent fields, `matched_stop` next to the finish reason,
# `reasoning_tokens` in the usage, and a null name in every later chunk of a call.
LINES = Path(__file__).with_name("streams.jsonl").read_text(encoding="utf-8").splitlines()
VLLM, SGLANG, VLLM_CALL, SGLANG_CALL = (json.loads(line)["chunks"] for line in LINES)


@pytest.mark.parametrize("told", [VLLM, SGLANG], ids=["vllm", "sglang"])
def test_documented_stream_is_parsed(told, elsewhere):
    act = sends(head(200, "text/event-stream; charset=utf-8"), events(*told))
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(act)))
    last = heard.last
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.STOP
    assert (heard.text(), heard.text("reasoning")) == ("It is four.", "Let me see.")
    figures = last.stats
    assert (figures.prompt_tokens, figures.reused_tokens, figures.generated_tokens) == (21, 16, 9)
    assert figures.reasoning_tokens == (4 if told is SGLANG else 0)
    assert last.message == {
        "role": "assistant",
        "content": "It is four.",
        "reasoning_content": "Let me see.",
    }


@pytest.mark.parametrize("told", [VLLM_CALL, SGLANG_CALL], ids=["vllm", "sglang"])
def test_documented_call_is_parsed(told, elsewhere):
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(sends(head(), events(*told)))))
    assert heard.last.reason is FinishReason.STOP
    (call,) = heard.of(ToolCallFinished)
    assert (call.name, call.arguments) == ("get_weather", '{"city": "Oslo"}')
    assert call.id in ("chatcmpl-tool-0f3", "call_5a")


def test_stream_split_at_any_byte_is_the_same(elsewhere):
    whole = events(*VLLM)
    pieces = [whole[at : at + 7] for at in range(0, len(whole), 7)]
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(sends(head(), *pieces))))
    assert heard.last.reason is FinishReason.STOP
    assert heard.text() == "It is four."


@pytest.mark.parametrize(
    ("said", "thought", "answer"),
    [
        ("<think>\nLet me see.</think>\n\nIt is four.", "Let me see.", "It is four."),
        ("  <think>Is </thin a marker?</think>No.", "Is </thin a marker?", "No."),
        ("<think>Never done", "Never done", ""),
        ("<think></think>\nAt once.", "", "At once."),
        ("<thimble> is no marker", "", "<thimble> is no marker"),
        ("It says <think>so</think>.", "", "It says <think>so</think>."),
        ("<thi", "", "<thi"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("last", ["[DONE]", '{"choices":[{"delta":{},"finish_reason":"stop"}]}'])
def test_reasoning_in_remote_answer_is_separated(said, thought, answer, size, last):
    reading = ReplyReader("example.org")
    told = []
    for at in range(0, len(said), size):
        told += reading.feed(json.dumps(chunk({"content": said[at : at + size]})))
    told += reading.feed(last)
    assert "".join(text for kind, text in told if kind == "reasoning") == thought
    assert "".join(text for kind, text in told if kind == "answer") == answer
    assert (reading.text("reasoning"), reading.text("answer")) == (thought, answer)


def test_unstreamed_response_is_accepted(elsewhere):
    message = {"role": "assistant", "content": "It is four.", "reasoning_content": "Hm."}
    whole = {"choices": [{"message": message, "finish_reason": "length"}], "usage": None}
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(says(200, whole))))
    assert heard.last.reason is FinishReason.LENGTH
    assert (heard.text(), heard.text("reasoning")) == ("It is four.", "Hm.")


def test_model_lists_of_servers_are_read():
    vllm = {
        "object": "list",
        "data": [
            {
                "id": "Qwen/Qwen3-8B",
                "object": "model",
                "created": 1,
                "owned_by": "vllm",
                "root": "Qwen/Qwen3-8B",
                "parent": None,
                "max_model_len": 40960,
                "permission": [{"id": "modelperm-1", "object": "model_permission"}],
            }
        ],
    }
    assert parse_model_list(vllm) == [ListedModel("Qwen/Qwen3-8B", "vllm", 40960)]
    sglang = {"object": "list", "data": [{"id": "m", "owned_by": "sglang", "max_model_len": 8}]}
    assert parse_model_list(sglang) == [ListedModel("m", "sglang", 8)]
    llama = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 4096}}]}
    assert parse_model_list(llama) == [ListedModel("m", "llama.cpp", 4096)]
    odd = {"data": [{"id": "a\x1b[2Jb"}, {"id": 3}, None, {"id": "x" * 600}, {"id": "good"}]}
    assert parse_model_list(odd) == [ListedModel("good")]
    assert parse_model_list({"error": "no"}) is None
    assert parse_model_list("no") is None


@pytest.mark.parametrize(
    ("entry", "sees"),
    [
        ({}, None),
        ({"architecture": {"input_modalities": ["text", "image"]}}, True),
        ({"architecture": {"input_modalities": ["text"]}}, False),
        ({"capabilities": {"vision": True, "completion_chat": True}}, True),
        ({"capabilities": {"vision": False}}, False),
        ({"capabilities": ["completion", "multimodal"]}, True),
        ({"capabilities": ["completion", 3]}, False),
        ({"type": "vlm"}, True),
        ({"architecture": "llama", "modalities": "image"}, None),
    ],
)
def test_vision_support_is_read_from_servers(entry, sees):
    assert parse_model_list({"data": [{"id": "m", **entry}]}) == [ListedModel("m", sees=sees)]
    if "capabilities" in entry:
        assert parse_ollama_vision(entry) == sees


def test_images_are_sent_in_the_message():
    text = {"type": "text", "text": lambda: "What?"}  # file text, read when sent
    parts = [{"type": "image", "image": Image(b"\x89PNG!")}, text]
    remote = Remote("http://h/v1", "m", sees=True)
    turns = [{"role": "user", "content": content} for content in (parts, [text])]
    body = build_body(remote, turns, SamplingParams(), {})
    body = insert_files(body)
    url = "data:image/png;base64,iVBORyE="
    image = {"type": "image_url", "image_url": {"url": url}}
    assert body["messages"][0]["content"] == [image, {"type": "text", "text": "What?"}]
    assert body["messages"][1]["content"] == "What?"
    json.dumps(body)


CHOSEN = {"temperature": 0.0, "top_p": 0.9, "top_k": 3, "min_p": 0.1, "repetition_penalty": 1.1}


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("", {"temperature", "top_p"}),
        ("vllm", set(CHOSEN)),
        ("sglang", set(CHOSEN)),
        ("llama.cpp", set(CHOSEN) - {"repetition_penalty"} | {"repeat_penalty"}),
        ("stretto", set(CHOSEN)),
    ],
)
def test_only_supported_fields_are_sent(kind, sent):
    chosen = CHOSEN | {"max_tokens": 5, "reproducible": True, "kv_bits": 8}
    remote = Remote("http://127.0.0.1:1/v1", "m", kind)
    turns = [{"role": "user", "content": "Hi"}]
    body = build_body(remote, turns, SamplingParams(seed=4, stop=("END",)), chosen)
    usual = {"model", "messages", "stream", "stream_options", "seed", "stop", "max_tokens"}
    assert body.keys() - usual == sent
    assert (body["seed"], body["stop"], body["temperature"]) == (4, ["END"], 0.0)


def test_unset_options_are_left_to_server():
    remote = Remote("https://api.openai.com/v1", "m")
    body = build_body(remote, [{"role": "user", "content": "Hi"}], SamplingParams(), {})
    assert body.keys() == {"model", "messages", "stream", "stream_options"}
    limited = build_body(remote, [], SamplingParams(), {"max_tokens": 9})
    assert limited["max_completion_tokens"] == 9


def test_tool_turns_follow_openai_format():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    turns = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [call], "reasoning_content": "Hm."},
        {"role": "tool", "tool_call_id": "c", "name": "f", "content": "2"},
    ]
    body = build_body(Remote("http://h/v1", "m"), turns, SamplingParams(), {})
    made = {**call, "function": {"name": "f", "arguments": '{"a": 1}'}}
    assert body["messages"][1] == {"role": "assistant", "content": None, "tool_calls": [made]}
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "c", "content": "2"}


def test_constraints_are_sent_where_supported():
    turns = [{"role": "user", "content": "Hi"}]

    def asked(kind, **form):
        return build_body(Remote("http://h/v1", "m", kind), turns, SamplingParams(**form), {})

    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    described = asked("", json_schema=schema)["response_format"]["json_schema"]
    assert described["schema"] == schema
    anything = asked("", json_schema={"type": ["object", "array"]})
    assert anything["response_format"] == {"type": "json_object"}
    assert asked("vllm", choices=("a", "b"))["structured_outputs"] == {"choice": ["a", "b"]}
    assert asked("sglang", choices=("a.", "b"))["regex"] == r"(a\.)|(b)"
    with pytest.raises(RemoteError, match="doesn’t support choices or patterns"):
        asked("", regex="a+")
    going_on = [*turns, {"role": "assistant", "content": "Half"}]
    with pytest.raises(RemoteError, match="can’t continue a reply"):
        build_body(Remote("http://h/v1", "m"), going_on, SamplingParams(), {})


@pytest.mark.parametrize(
    ("written", "base"),
    [
        ("localhost:8080", "http://localhost:8080/v1"),
        ("127.0.0.1:1234/", "http://127.0.0.1:1234/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("api.example.org", "https://api.example.org/v1"),
        ("https://Example.org:443/api/v1/", "https://example.org/api/v1"),
        ("http://studio.local:8080/v1/chat/completions", "http://studio.local:8080/v1"),
        ("https://example.org/v1/models?x=1#y", "https://example.org/v1"),
        ("https://bücher.example", "https://xn--bcher-kva.example/v1"),
    ],
)
def test_typed_addresses_are_normalized(written, base):
    assert normalize_address(written) == base
    assert normalize_address(base) == base
    assert parse_ref(Remote(base, "org/m#1").ref) == Remote(base, "org/m#1")


@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        "ftp://x",
        "https://",
        "https://user:key@x",
        "two words",
        "http://x:99999",
        "https:///v1",
    ],
)
def test_invalid_address_gives_an_error(written):
    with pytest.raises(AddressError) as refused:
        normalize_address(written)
    assert str(refused.value).endswith(".")


def test_only_loopback_counts_as_local():
    assert all(is_here(f"http://{host}/v1") for host in ("localhost", "127.8.0.1", "[::1]:80"))
    for host in ("127.0.0.1.evil.org", "localhost.evil.org", "0x7f.1", "10.0.0.1", "127.evil"):
        assert not is_here(f"http://{host}/v1"), host


@pytest.mark.parametrize(
    "ref", ["remote:", "remote:x", "remote:http://h/v1#", "remote:#m", "guide"]
)
def test_invalid_reference_names_nothing(ref):
    assert parse_ref(ref) is None


def test_call_without_id_gets_one():
    reading = ReplyReader("h")
    told = [{"function": {"name": "f", "arguments": {"a": 1}}}, {"function": {"name": "g"}}]
    reading.take_chunk({"choices": [{"message": {"tool_calls": told}}]})
    (one, first, arguments), (two, second, nothing) = reading.tool_calls()
    assert (first, arguments, second, nothing) == ("f", '{"a": 1}', "g", "{}")
    assert one.startswith("call_")
    assert one != two


def calls_of(*chunks):
    reading = ReplyReader("h")
    for one in chunks:
        reading.take_chunk({"choices": [{"delta": {"tool_calls": [one]}}]})
    return [(name, arguments) for _, name, arguments in reading.tool_calls()]


def function(arguments, name=None):
    return {"function": {"arguments": arguments} | ({"name": name} if name else {})}


BOTH = [("f", '{"a": 1}'), ("g", '{"b": 2}')]


@pytest.mark.parametrize("index", [{}, {"index": None}, {"index": 0}])
def test_parallel_calls_with_ids_need_no_index(index):
    first, second = {"id": "x0", **index}, {"id": "x1", **index}
    whole = [first | function('{"a": 1}', "f"), second | function('{"b": 2}', "g")]
    assert calls_of(*whole) == BOTH
    pieces = [
        first | function('{"a"', "f"),
        index | function(": 1}"),
        second | function("", "g"),
        index | function('{"b": 2}'),
    ]
    assert calls_of(*pieces) == BOTH


def test_parallel_calls_without_ids_are_separated():
    assert calls_of(function('{"a": 1}', "f"), function('{"b": 2}', "g")) == BOTH
    assert calls_of(function('{"a"', "f"), function(": 1}", "f")) == [("f", '{"a": 1}')]


def test_chunks_of_one_call_may_have_different_ids():
    chunks = [function('{"a"', "f"), function(": 1"), function("}")]
    sent = [{"index": 0, "id": f"random-{n}", **each} for n, each in enumerate(chunks)]
    assert calls_of(*sent) == [("f", '{"a": 1}')]


def test_interleaved_calls_keep_their_indexes():
    sent = [
        {"index": 0, "id": "x0"} | function('{"a"', "f"),
        {"index": 1, "id": "x1"} | function('{"b"', "g"),
        {"index": 0} | function(": 1}"),
        {"index": 1} | function(": 2}"),
    ]
    assert calls_of(*sent) == BOTH


def test_only_the_first_choice_is_the_answer():
    reading = ReplyReader("h")
    for index, text in [(1, "B"), (0, "A"), (2, "C")]:
        reading.take_chunk({"choices": [{"index": index, "delta": {"content": text}}]})
    both = [{"index": 1, "delta": {"content": "B"}}, {"index": 0, "delta": {"content": "A"}}]
    reading.take_chunk({"choices": both})
    reading.take_chunk({"choices": [{"index": 1, "delta": {}, "finish_reason": "length"}]})
    assert reading.text("answer") == "AA"
    assert not reading.has_ended


def test_events_are_always_utf_8(elsewhere):
    kind = "text/event-stream; charset=utf-16"
    said = head(kind=kind) + events(chunk({"content": "Schön"}), chunk({}, "stop"))
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(sends(said))))
    assert isinstance(heard.last, Finished)
    assert heard.text() == "Schön"
