"""Parsing of replies and prompts in the dialect of every family."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.cache.ledger import Ledger, common_length
from engine.cli.main import main
from engine.messages import Message
from engine.model.vocabulary import collect_end_ids
from engine.sandbox.prompts import PlainTokenizer, describe_tokenizer
from engine.text import call_notations, prompt, recognition
from engine.text.dialects import MLX_LM, OTHER, ROWS, THINK
from engine.text.prompt import Prompt
from engine.text.rendering import MOMENT
from engine.text.reply_text import ReplyText
from engine.text.splitter import MarkTokens, TextSplitter
from engine.text.tool_calls import CUT_OFF, ToolCallUpdate
from tests.engine.speaking import (
    ASK,
    CALLING,
    FAMILIES,
    WEATHER,
    Stream,
    cut,
    family,
    streams,
    write_folder,
)
from tests.torture import calls as random_calls

EACH = [pytest.param(f, s, id=f"{f}-{s.name}") for f in FAMILIES for s in streams(f)]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from mlx_lm.tokenizer_utils import load

    root = tmp_path_factory.mktemp("families")

    @cache
    def made(name: str) -> Any:
        return load(write_folder(root / name, name))

    return made


def asked(tokenizer: Any, messages: list[Message], stream: Stream, before: Ledger) -> Prompt:
    template = {**stream.template, MOMENT: 1_700_000_000.0}
    return built(tokenizer, messages, stream.reasoning, before, template)


def built(
    tokenizer: Any,
    messages: list[Message],
    reasoning: bool | None,
    before: Ledger,
    template: dict[str, Any] | None = None,
) -> Prompt:
    if tokenizer not in _readers:
        described = describe_tokenizer(tokenizer)
        assert described is not None
        _readers[tokenizer] = PlainTokenizer(*described)
    reader = _readers[tokenizer]
    return prompt.build_prompt(tokenizer, messages, reasoning, before, reader, template=template)


_readers: dict[Any, PlainTokenizer] = {}


def written(tokenizer: Any, ready: Prompt, stream: Stream) -> tuple[ReplyText, list[int]]:
    tools = stream.template.get("tools", ())
    reply = ReplyText(tokenizer, ready.opened, (), ready.opening, tools)
    ids = tokenizer.encode(stream.text, add_special_tokens=False)
    for token in ids:
        reply.add(token)
    reply.finish()
    return reply, ids


def test_every_row_of_the_table_has_a_family() -> None:
    assert {family(name)["dialect"] for name in FAMILIES} == {row.name for row in (*ROWS, OTHER)}
    assert len(FAMILIES) >= 24
    assert all(row.source.startswith("https://") for row in ROWS)


@pytest.mark.parametrize("name", FAMILIES)
def test_dialect_is_recognized_from_tokens_and_template(tokenizer: Any, name: str) -> None:
    data, its = family(name), tokenizer(name)
    dialect = recognition.of(its)
    assert dialect.row.name == data["dialect"]
    assert dialect.reasons == any(stream.thought for stream in streams(name))
    assert bool(dialect.tool_format) == any(stream.cities for stream in streams(name))
    if dialect.row.reasoning == MLX_LM and dialect.reasons:
        # As configured, or our pair if the tags consist of ordinary tokens.
        pair = (dialect.markers.think_start, dialect.markers.think_end)
        assert pair in {(its.think_start, its.think_end), THINK}
    ends = {its.convert_ids_to_tokens(i) for i in collect_end_ids(its, (), dialect.ends)}
    assert ends == set(data.get("ends", [data["eos"]]))


@pytest.mark.parametrize(("name", "stream"), EACH)
@pytest.mark.turns(4)
def test_dialect_tokens_are_classified(tokenizer: Any, name: str, stream: Stream) -> None:
    """Check the whole reply and every truncated version. Complete or partial markers never show."""
    its = tokenizer(name)
    ready = asked(its, [ASK], stream, Ledger())
    reply, ids = written(its, ready, stream)
    assert reply.parts["answer"].rstrip("\n") == stream.answer
    assert reply.parts["reasoning"].rstrip("\n") == stream.thought
    dialect = recognition.of(its)
    found = [
        call
        for text in reply.splitter.calls
        for call in call_notations.parse_calls(dialect.tool_format, text, [WEATHER]).calls
    ]
    assert all(call.name == WEATHER["function"]["name"] for call in found)
    assert [json.loads(c.arguments) for c in found] == [{"city": city} for city in stream.cities]

    whole = {**reply.parts, "calls": reply.splitter.calls}
    again = ReplyText(its, ready.opened, (), ready.opening, stream.template.get("tools", ()))
    for token in ids:
        again.add(token)
        so_far = cut(again)
        for kind, said in whole.items():
            assert said[: len(so_far[kind])] == so_far[kind]
    shown = reply.parts["answer"] + reply.parts["reasoning"]
    # Markers that are words only count at the beginning.
    markers = [m.strip() for m in dialect.markers.all if not m[0].isalpha()]
    assert not [marker for marker in markers if marker in shown]


@pytest.mark.parametrize(("name", "stream"), EACH)
@pytest.mark.turns(4)
def test_parts_do_not_depend_on_chunks(tokenizer: Any, name: str, stream: Stream) -> None:
    its = tokenizer(name)
    ready = asked(its, [ASK], stream, Ledger())
    markers = recognition.of(its).markers
    inside = recognition.opens_reasoning(markers, ready.opened, ready.opening)
    results = []
    for size in (1, 2, 5, len(stream.text)):
        splitter = TextSplitter(MarkTokens(markers), (), inside, bool(stream.cities))
        parts = {"answer": "", "reasoning": "", "tool": ""}
        pieces = [stream.text[at : at + size] for at in range(0, len(stream.text), size)]
        deltas = [delta for piece in pieces for delta in splitter.feed(piece)]
        for text, kind in deltas + splitter.finish():
            parts[kind] += text
        results.append((parts, splitter.calls))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(("name", "stream"), EACH)
@pytest.mark.turns(4)
def test_second_turn_starts_with_the_cached_tokens(
    tokenizer: Any, name: str, stream: Stream
) -> None:
    its, data = tokenizer(name), family(name)
    first = asked(its, [ASK], stream, Ledger())
    reply, ids = written(its, first, stream)
    held = [*first.tokens, *ids]
    boundary = first.boundary
    assert ASK["content"] in its.decode(first.tokens[:boundary])

    follow: list[Message] = [{"role": "user", "content": "And now?"}]
    said = reply.as_message()
    calls = said.get("tool_calls", ())
    if calls:
        follow = [{"role": "tool", "content": "rain", "tool_call_id": c["id"]} for c in calls]
    second = asked(its, [ASK, said, *follow], stream, first.ledger(reply.raw, ids))
    assert second.tokens[:boundary] == held[:boundary]
    assert its.decode(second.tokens) == second.text
    wanted = {"answer": "second_plain", "reasoned": "second", "called": "results"}
    key = wanted.get(stream.name, "")
    if key == "results":
        assert calls or data.get("raw_calls")
    assert not [text for text in data.get(key, ()) if text not in second.text], second.text
    if key == "second":
        assert not [text for text in data.get("second_lacks", ()) if text in second.text]
        if data.get("keeps_answer"):
            assert common_length(second.tokens, held) == len(held)


@pytest.mark.parametrize("name", FAMILIES)
def test_reasoning_uses_the_templates_variable(tokenizer: Any, name: str) -> None:
    its, data = tokenizer(name), family(name)

    def text(reasoning: bool | None, **template: Any) -> str:
        return built(its, [ASK], reasoning, Ledger(), template).text

    on, off = text(True), text(False)
    for words in data.get("on", ()):
        assert words in on
        assert words not in off
    for words in data.get("off", ()):
        assert words in off
        assert words not in on
    for effort, words in data.get("efforts", {}).items():
        assert words in text(None, reasoning_effort=effort)
        assert words in text(True, reasoning_effort=effort)


@pytest.mark.parametrize("name", FAMILIES)
def test_system_message_is_always_included(tokenizer: Any, name: str) -> None:
    its = tokenizer(name)
    messages = [{"role": "system", "content": "Be brief."}, ASK]
    for reasoning in (None, True, False):
        made = built(its, messages, reasoning, Ledger())
        assert made.text.count("Be brief.") == 1
        assert made.text.index("Be brief.") < made.text.index(ASK["content"])
        if "system" in family(name):
            assert family(name)["system"] in made.text


def test_dialects_command_prints_the_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["dialects"]) == 0
    told = capsys.readouterr().out
    assert all(row.source in told and row.models in told for row in ROWS)
    assert main(["dialects", str(write_folder(tmp_path / "x", "gpt-oss"))]) == 0
    assert "speaks 'harmony'" in capsys.readouterr().out
    assert main(["dialects", str(tmp_path)]) == 2


CALLED = [pytest.param(f, s, id=f"{f}-{s.name}") for f in FAMILIES for s in streams(f) if s.cities]


def summary(told: Iterable[ToolCallUpdate]) -> list[tuple[str, str, str]]:
    """Check the order of the call events and return each call's outcome, name and arguments."""
    open_calls: dict[str, str] = {}
    ended: list[tuple[str, str, str]] = []
    for one in told:
        if one.kind == "started":
            assert one.id not in open_calls
            open_calls[one.id] = ""
        elif one.kind == "delta":
            assert one.text
            open_calls[one.id] += one.text
        elif one.kind == "finished":
            assert open_calls.pop(one.id) == one.text
            ended.append((one.kind, one.name, one.text))
        else:
            open_calls.pop(one.id, None)
            ended.append((one.kind, one.name, one.message))
    assert not open_calls, "a call has no end"
    return ended


def expected(cities: Iterable[str]) -> list[tuple[str, str, dict[str, str]]]:
    return [("finished", "weather", {"city": city}) for city in cities]


def read(ended: list[tuple[str, str, str]]) -> list[tuple[str, str, Any]]:
    return [(kind, name, json.loads(text)) for kind, name, text in ended]


@pytest.mark.parametrize(("name", "stream"), CALLED)
@pytest.mark.turns(4)
def test_calls_do_not_depend_on_chunks(tokenizer: Any, name: str, stream: Stream) -> None:
    its = tokenizer(name)
    ready = asked(its, [ASK], stream, Ledger())
    whole, ids = written(its, ready, stream)
    at_once = summary(whole.call_updates(over=True))
    assert read(at_once) == expected(stream.cities)

    reply = ReplyText(its, ready.opened, (), ready.opening, [WEATHER])
    told: list[ToolCallUpdate] = []
    early = 0
    for token in ids:
        reply.add(token)
        told += reply.call_updates()
        # If the reply ends here it has the same calls so far, and no others.
        twin = cut(reply)
        ended = summary([*told, *twin["told"]])
        finished = [one for one in ended if one[0] == "finished"]
        assert finished == at_once[: len(finished)]
        assert [one[2] for one in ended[len(finished) :]] in ([], [CUT_OFF])
        early += bool(ended) and ended[-1][1] == "weather" and ended[-1][0] == "failed"
    reply.finish()
    told += reply.call_updates(over=True)
    assert summary(told) == at_once
    assert early > 3, "its name is told before it is whole"
    ids_told = [one.id for one in told if one.kind == "finished"]
    assert [call["id"] for call in reply.as_message().get("tool_calls", ())] in ([], ids_told)


@pytest.mark.parametrize("name", CALLING)
@pytest.mark.turns(9)
def test_constrained_calls_fit_their_schema(tmp_path: Path, name: str) -> None:
    its = random_calls.load_tokenizer(name, tmp_path)
    for number in (0, 7):
        walks = random_calls.calls(tmp_path, its, number, number)
        depth = random_calls.depth_of(its)
        # Some of the first walks may only contain reasoning.
        assert any(random_calls.check(next(walks), number, depth) for _ in range(6))
