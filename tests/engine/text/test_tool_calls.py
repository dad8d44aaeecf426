"""Tool calls in the text of a reply, and as mlx-lm's parsers read them."""

from __future__ import annotations

import json

import pytest

from engine.text.call_notations import read
from engine.text.dialects import Markers
from engine.text.splitter import TextSplitter
from engine.text.tool_calls import Calling, Told

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def told(name: str, text: str) -> list[Told]:
    """What is told of a call that stood between its markers whole."""
    return Calling(name, [WEATHER], "", False).follow([text], "")


MARKERS = Markers("<think>", "</think>", "<call>", "</call>")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json_tools", '\n{"name": "weather", "arguments": {"city": "Turin"}}\n'),
        ("qwen3_coder", "<function=weather><parameter=city>Turin</parameter></function>"),
        ("mistral", 'weather[ARGS]{"city": "Turin"}'),
        ("pythonic", '[weather(city="Turin")]'),
        ("glm47", "weather<arg_key>city</arg_key><arg_value>Turin</arg_value>"),
    ],
)
def test_calls_are_read_in_the_models_own_way(name: str, text: str) -> None:
    *_, call = told(name, text)
    assert (call.kind, call.name) == ("finished", "weather")
    assert json.loads(call.text) == {"city": "Turin"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"name": 3}', '{"name": "clock"}', '{"name": "weather", "arguments": [1]}'],
)
def test_what_is_no_call_of_an_offered_tool_is_refused(text: str) -> None:
    if text == "[]":
        assert read("json_tools", text, [WEATHER]) == []
        return
    if "clock" not in text:
        with pytest.raises(ValueError, match="it"):
            read("json_tools", text, [WEATHER])
    assert [one.kind for one in told("json_tools", text)] == ["failed"] * bool(text)


@pytest.mark.parametrize("size", [1, 3, 100])
def test_calls_are_told_apart_however_their_text_comes(size: int) -> None:
    text = "So: <call>one</call><call>two</call> and <call>three"
    splitter = TextSplitter(MARKERS)
    for start in range(0, len(text), size):
        splitter.feed(text[start : start + size])
    splitter.finish()
    assert splitter.calls == ["one", "two"]  # the third one was not finished


def test_a_call_without_an_end_marker_ends_with_the_answer() -> None:
    splitter = TextSplitter(Markers("", "", "[CALL]", ""))
    splitter.feed("[CALL]one")
    splitter.finish()
    assert splitter.calls == ["one"]
