"""Tool calls in the text of a reply, and how they are parsed."""

from __future__ import annotations

import json
import time
from typing import Any

import jiter
import pytest

from engine.text.dialects import Markers
from engine.text.splitter import MarkTokens, TextSplitter
from engine.text.tool_calls import CallText, ToolCallTracker, ToolCallUpdate

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def told(name: str, text: str) -> list[ToolCallUpdate]:
    """Return the call events of a text between markers. Text that isn't a call is a `text`
    event.
    """
    calling = ToolCallTracker(name, [WEATHER], "", False)
    shown = calling.close(CallText(text, "<call>", "</call>"))
    return [*calling.update([]), *([ToolCallUpdate("failed", "", text=shown)] if shown else [])]


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
def test_calls_use_the_models_format(name: str, text: str) -> None:
    *_, call = told(name, text)
    assert (call.kind, call.name) == ("finished", "weather")
    assert json.loads(call.text) == {"city": "Turin"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"name": 3}', '{"name": "weather", "arguments": [1]}', "weather? No."],
)
def test_non_call_text_is_returned(text: str) -> None:
    (one,) = told("json_tools", text)
    assert (one.kind, one.text) == ("failed", f"<call>{text}</call>")


def test_call_of_unknown_tool_is_reported_with_arguments() -> None:
    (one,) = told("json_tools", '{"name": "clock"}')
    assert (one.kind, one.name, one.arguments) == ("failed", "clock", "{}")


def reported(arguments: str, size: int) -> str:
    """Return the arguments that are reported while a call is written."""
    text = f'{{"name": "weather", "arguments": {arguments}}}'
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    calling = ToolCallTracker("json_tools", [WEATHER], "", False)
    updates = [update for end in range(len(pieces)) for update in calling.update(pieces[: end + 1])]
    calling.close(CallText(text, "<call>", "</call>", pieces=pieces))
    updates += calling.update([])
    return "".join(update.text for update in updates if update.kind == "delta")


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize(
    "arguments",
    [
        *('{"city": }', '{"city": ]}', '{"city": ,}', '{"city": : 1}', '{"city": 1 2}'),
        *('{"city": [1}', '{"city": {"a": 1]}', '{"city": [:]}', '{"city": ["a": 1]}'),
        *('{"city": "a": "b"}', '{"city"}', '{"city", "a": 1}', '{"city": 1 "a": 2}'),
        *('{"city": +1}', '{"city": 01}', '{"city": 1.}', '{"city": .5}', '{"city": nil}'),
        *('{"city": [1,,2]}', '{,"city": 1}', '{"city": 1,}', '{"city": [1,]}', '{"a" "b"}'),
    ],
)
def test_malformed_arguments_are_reported_as_the_start_of_json(arguments: str, size: int) -> None:
    start = reported(arguments, size)
    assert start.startswith("{")
    jiter.from_json(start.encode(), partial_mode=True)  # Anthropic's client parses each chunk


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_arguments_are_reported_as_written(size: int) -> None:
    arguments = (
        '{ "city" : [ -1.5e+3, true , null, "a\\u00e9\\"", {} , [], {"b":{"c":false}} ] , "d":0}'
    )
    assert reported(arguments, size) == arguments


def test_long_number_is_scanned_once() -> None:
    """Regression test: each chunk of a number was joined and matched with all chunks before it."""
    number = "1" * 20_000
    began = time.thread_time()
    assert reported(f'{{"city": {number}}}', 1) == f'{{"city": {number}}}'
    assert time.thread_time() - began < 2


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("path", [r"C:\us", r"D:\u", r"\u12", r"\u00e", r"\u00e9\users", r"\x\U"])
def test_short_unicode_escape_does_not_hide_the_end_of_a_text(path: str, size: int) -> None:
    city = json.loads(reported(f'{{"city": "{path}", "a": 1}}', size))["city"]
    assert city == path.replace(r"\u00e9", "é")


@pytest.mark.parametrize("size", [1, 3, 100])
def test_calls_are_separated_in_any_chunks(size: int) -> None:
    text = "So:\n<call>[one()]</call><call>[two()]</call>\n\n<call>[three("
    splitter = TextSplitter(MarkTokens(MARKERS), offered=True, notation="pythonic")
    for start in range(0, len(text), size):
        splitter.feed(text[start : start + size])
    splitter.finish()
    assert splitter.calls == ["[one()]", "[two()]"]  # the third call is incomplete


def test_call_without_end_marker_ends_with_the_answer() -> None:
    splitter = TextSplitter(MarkTokens(Markers("", "", "[CALL]", "")), offered=True)
    splitter.feed("[CALL]one")
    splitter.finish()
    assert splitter.calls == ["one"]


class Counted(list[str]):
    taken = 0

    def __getitem__(self, which: Any) -> Any:
        found = super().__getitem__(which)
        self.taken += sum(map(len, found))
        return found


@pytest.mark.parametrize("notation", ["json", "qwen3_coder"])
def test_long_arguments_are_copied_once(notation: str) -> None:
    long = "word " * 4000
    text = json.dumps({"name": "weather", "arguments": {"city": long}})
    if notation == "qwen3_coder":
        text = f"<function=weather>\n<parameter=city>\n{long}\n</parameter>\n</function>"
    calling, pieces, told = (
        ToolCallTracker(notation, [WEATHER], "", False),
        Counted(),
        list[ToolCallUpdate](),
    )
    for start in range(0, len(text), 4):
        pieces.append(text[start : start + 4])
        told += calling.update(pieces)
    assert calling.close(CallText(text, pieces=pieces)) == ""
    told += calling.update([])
    assert told[0].kind == "started"
    assert json.loads(told[-1].text) == {"city": long}
    assert "".join(one.text for one in told if one.kind == "delta") == told[-1].text
    assert pieces.taken <= len(text)


@pytest.mark.parametrize("notation", ["json_tools", "qwen3_coder"])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 400])
@pytest.mark.parametrize("calls", [1, 2])
def test_call_with_many_quoted_ends_is_whole(notation: str, count: int, calls: int) -> None:
    """The markers are plain text, so only the call's content determines where it ends."""
    text = "a </tool_call> b\n" * count
    told = json.dumps({"name": "write", "arguments": {"text": text}})
    if notation == "qwen3_coder":
        told = f"<function=write>\n<parameter=text>\n{text}\n</parameter>\n</function>"
    markers = Markers(tool_start="<tool_call>", tool_end="</tool_call>")
    splitter = TextSplitter(MarkTokens(markers), offered=True, notation=notation, names={"write"})
    said = f"<tool_call>\n{told}\n</tool_call>\n" * calls
    for at in range(0, len(said), 5):
        splitter.feed(said[at : at + 5])
    splitter.finish()
    assert [call.strip() for call in splitter.calls] == [told] * calls
