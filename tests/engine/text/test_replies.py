"""Parsing of model output: markers in texts, arguments, and malformed calls.

`replies` has a file for each class of replies, with one case per line. A case names the family
whose tokenizer and dialect it uses, the output, the parameters of the offered tools, and the
expected result. Text between ⟦ and ⟧ is spelled out without the tokens that it looks like. `opened`
is the end of the prompt, `shows` a part of the answer, and `raw` a part of the arguments.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.messages import (
    Event,
    Finished,
    FinishReason,
    ReplyStats,
    TextDelta,
    ToolCallDelta,
    ToolCallFailed,
    ToolCallFinished,
    ToolCallStarted,
)
from engine.serve.routes.base import CallComplete, CallDelta, CallStart, Choice, Piece, Text
from engine.text.call_notations import NOTATIONS
from engine.text.reply_text import ReplyText
from engine.text.splitter import Delta
from engine.text.tool_calls import CallText, ToolCallTracker, ToolCallUpdate
from engine.text.tools import resolve_types
from tests.engine.speaking import family, write_folder
from tests.slices import examples

REPLIES = Path(__file__).parent / "replies"
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in sorted(REPLIES.glob("*.json"))
    for case in json.loads(path.read_text("utf-8"))
]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    from mlx_lm.tokenizer_utils import load

    root = tmp_path_factory.mktemp("families")
    return cache(lambda name: load(write_folder(root / name, name)))


def of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def tool(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def strict_json(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def event(told: ToolCallUpdate) -> Event:
    mine = ("session", "reply", told.id)
    if told.kind == "started":
        return ToolCallStarted(*mine, told.name)
    if told.kind == "delta":
        return ToolCallDelta(*mine, told.text)
    if told.kind == "finished":
        return ToolCallFinished(*mine, told.name, told.text)
    return ToolCallFailed(*mine, told.name, told.text, told.message, told.arguments)


def answered(reply: ReplyText, tokens: Iterable[int], offers: bool) -> tuple[Choice, list[Piece]]:
    """Return a client's view of a model's tokens, complete and in pieces."""
    choice, pieces = Choice(0, offers, True), list[Piece]()

    def tell(deltas: list[Delta], over: bool) -> None:
        told: list[Event] = [TextDelta("session", "reply", t, kind, ()) for t, kind in deltas]
        for one in [*told, *map(event, reply.call_updates(over))]:
            pieces.extend(choice.handle_event(one))

    for token in tokens:
        tell(reply.add(token), False)
    tell(reply.finish(), True)
    pieces.extend(
        choice.handle_event(Finished("session", "reply", FinishReason.STOP, ReplyStats()))
    )
    return choice, pieces


def streamed(pieces: list[Piece]) -> tuple[str, str, list[list[str]]]:
    texts: dict[bool, str] = {False: "", True: ""}
    calls: dict[int, list[str]] = {}
    for piece in pieces:
        if isinstance(piece, Text):
            texts[piece.reasoning] += piece.text
        elif isinstance(piece, CallStart):
            calls[piece.number] = [piece.name, piece.text]
        elif isinstance(piece, CallDelta):
            calls[piece.number][1] += piece.text
        elif isinstance(piece, CallComplete):
            assert calls[piece.number] == [piece.name, piece.arguments]
    return texts[False], texts[True], list(calls.values())


def parts_of(says: str, words: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a reply, each with True if it is a token."""
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    for part in re.split(r"(⟦.*?⟧)", says):
        if part.startswith("⟦"):
            yield False, part[1:-1]
            continue
        for number, one in enumerate(re.split(f"({either})", part)):
            if one:
                yield number % 2 == 1, one


class Pieces:
    def __init__(self, its: Any, words: list[str], says: str) -> None:
        rng, self.text, self.last_segment = random.Random(says), "", ""
        self._pieces, self.tokens = dict[int, str](), list[int]()
        for is_token, part in parts_of(says, words):
            if is_token:
                self._take(its.convert_tokens_to_ids(part), part)
                continue
            at = 0
            while at < len(part):
                size = rng.choice((1, 2, 5, 12, 100))
                self._take(1_000_000 + len(self.tokens), part[at : at + size])
                at += size

    def _take(self, token: int, piece: str) -> None:
        self.tokens.append(token)
        self._pieces[token] = piece

    def add_token(self, token: int) -> None:
        self.last_segment = self._pieces[token]
        self.text += self.last_segment

    def finalize(self) -> None:
        self.last_segment = ""


def numbered(its: Any, words: list[str], says: str) -> list[int]:
    found = list[int]()
    for is_token, part in parts_of(says, words):
        single = [part] if is_token else [part[at] for at in range(len(part))]
        found += [one for text in single for one in its.encode(text, add_special_tokens=False)]
    return found


@pytest.mark.parametrize("in_bytes", [True, False])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.turns(4)
def test_reply_arrives_as_meant(
    tokenizer: Callable[[str], Any], case: dict[str, Any], in_bytes: bool
) -> None:
    its, words = tokenizer(case["family"]), family(case["family"])["tokens"]
    schemas = {name: of(given) for name, given in case.get("tools", {}).items()}
    tools = [tool(name, given) for name, given in {**schemas, **case.get("schemas", {})}.items()]
    opened = case.get("opened", "")
    reply = ReplyText(its, opened, (), opened, tools)
    tokens = numbered(its, words, case["says"])
    if not in_bytes:
        pieces_of = Pieces(its, words, case["says"])
        reply.detokenizer, tokens = pieces_of, pieces_of.tokens
    choice, pieces = answered(reply, tokens, bool(tools))
    answer, thought, made = streamed(pieces)
    assert (answer, thought) == (choice.text, choice.reasoning_text)
    assert choice.reasoning_text == case.get("reasoning", "")
    calls = [[call.name, strict_json(call.arguments)] for call in choice.calls]
    assert calls == case.get("calls", [])
    assert case.get("raw", "") in "".join(call.arguments for call in choice.calls)
    if "shows" in case:
        assert case["shows"] in choice.text
        return
    assert choice.text == case.get("answer", "")
    assert made == [[call.name, call.arguments] for call in choice.calls]


def test_damaged_call_is_shown_with_a_note(tokenizer: Callable[[str], Any]) -> None:
    its = tokenizer("qwen3")
    says = 'I look.\n<tool_call>\n{"name": "ls", "arguments": {"command": ls -l}}\n</tool_call>'
    reply = ReplyText(its, "", (), "", [tool("ls", of({"command": {"type": "string"}}))])
    choice, _ = answered(reply, its.encode(says, add_special_tokens=False), True)
    assert not choice.calls
    assert "malformed" in choice.text
    assert choice.text.startswith("I look.")
    assert choice.text.endswith(says.removeprefix("I look.\n"))


def test_spelled_marker_is_text(tokenizer: Callable[[str], Any]) -> None:
    """If a marker has its own token, only that token acts as the marker."""
    its = tokenizer("qwen3")
    letters = {its.decode([token]): token for token in range(len(its.get_vocab()))}
    open_, close = (its.convert_tokens_to_ids(tag) for tag in ("<think>", "</think>"))
    quoted = [letters[letter] for letter in "a </think> b"]
    answer = [letters[letter] for letter in "<think>"]
    choice, _ = answered(ReplyText(its, "", (), ""), [open_, *quoted, close, *answer], False)
    assert (choice.reasoning_text, choice.text) == ("a </think> b", "<think>")


MARKERS = (
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "<function=", "</function>"),
    *("<parameter=", "</parameter>", "</invoke>", "<arg_key>", "</arg_key>", "<arg_value>"),
    *("</arg_value>", '<|"|>', "<escape>", "[TOOL_CALLS]", "[ARGS]", "<|tool_call_end|>"),
    *("<minimax:tool_call>", "</minimax:tool_call>", "<param name=", "</param>", "]]>"),
    *("<|close|>argument<|sep|>", "</｜DSML｜parameter>", "</atem:parameter>", "<|call|>"),
    *("```", "`", '"', "'", "\\", "{", "}", "[", "]", ")", ",", "\n", " ", "null", "5", "é", "字"),
)
TEXTS = st.lists(st.one_of(st.sampled_from(MARKERS), st.text("ab1 .", max_size=3)), max_size=8)
VALUES = st.one_of(
    TEXTS.map("".join),
    st.integers(-(10**20), 10**20),
    st.booleans(),
    st.none(),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.sampled_from(["x", "y"]), TEXTS.map("".join), max_size=2),
)
KINDS = {str: "string", int: "integer", bool: "boolean", list: "array", dict: "object"}


def kind_of(value: Any) -> dict[str, Any]:
    return {"type": "null" if value is None else KINDS[type(value)]}


def written(name: str, arguments: dict[str, Any]) -> str:
    notation = NOTATIONS[name]
    plain = json.dumps(arguments, ensure_ascii=False)
    if notation.tags is not None:
        made = notation.tags.open.format(name="edit")
        for key, value in arguments.items():
            raw = isinstance(value, str)
            text = value if raw else json.dumps(value, ensure_ascii=False)
            if notation.tags.unless_json and raw and _is_json(value.strip()):
                text = json.dumps(value, ensure_ascii=False)
            if notation.tags.cdata and raw and any(one in value for one in "<&\n"):
                text = f"<![CDATA[{value.replace(']]>', ']]]]><![CDATA[>')}]]>"
            kind = kind_of(value)["type"]
            before = notation.tags.before.format(key=key, raw=str(raw).lower(), kind=kind)
            made += f"{before}{text}{notation.tags.after}"
        return made + notation.tags.close
    if notation.quote:
        return f"call:edit{_marked(arguments, notation.quote)}"
    if not notation.json:
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        return f"[edit({given})]" if name == "pythonic" else f"edit({given})"
    known = {"NAME": '"edit"', "ARGUMENTS": plain, "ID": "functions.edit:0"}
    parts = [known.get(part, part.replace("TOOL", "edit")) for part in notation.json.split(" ")]
    return f"edit {plain}" if name == "harmony" else "".join(parts)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _marked(value: Any, mark: str) -> str:
    if isinstance(value, str):
        return f"{mark}{value}{mark}"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}:{_marked(one, mark)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(_marked(one, mark) for one in value)}]"
    return json.dumps(value)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts_in(one)]
    return [value] if isinstance(value, str) else []


def is_ambiguous(name: str, arguments: dict[str, Any]) -> bool:
    """Return True if a text contains its format's end marker where the call could also continue."""
    notation = NOTATIONS[name]
    for text in texts_in(arguments):
        if notation.quote and any(
            f"{notation.quote}{blank}{end}" in text + notation.quote
            for blank in ("", " ", "\n", "  ", " \n", "\n ")
            for end in ",:}])"
        ):
            return True
        if notation.quote and text.rstrip().endswith(notation.quote):
            return True
    return False


@pytest.mark.parametrize("name", sorted(NOTATIONS))
@given(arguments=st.dictionaries(st.sampled_from(["old", "new", "path"]), VALUES))
@settings(max_examples=examples(150), deadline=None)
def test_random_call_round_trips(name: str, arguments: dict[str, Any]) -> None:
    """Arguments contain the markers of every format and still arrive unchanged."""
    assume(not is_ambiguous(name, arguments))
    offered = tool("edit", of({key: kind_of(value) for key, value in arguments.items()}))
    calling, text = (
        ToolCallTracker(name, [resolve_types(offered)], "", False),
        written(name, arguments),
    )
    pieces, told = [text[at : at + 3] for at in range(0, len(text), 3)], list[ToolCallUpdate]()
    for count in range(len(pieces) + 1):
        told += calling.update(pieces[:count])
    assert calling.close(CallText(text, pieces=pieces)) == ""
    told += calling.update([])
    assert [one.kind for one in told if one.kind not in ("started", "delta")] == ["finished"]
    assert json.loads(told[-1].text) == arguments
    assert "".join(one.text for one in told if one.kind == "delta") == told[-1].text
