"""Tokens that span a marker and the start of constrained text."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llguidance
import numpy as np
import pytest
from mlx_lm.tokenizer_utils import load
from tokenizers import AddedToken, Tokenizer

from engine.bench.random_models import SPECIAL, write_tokenizer
from engine.model.constraint import Constraint, constrain
from engine.params import SamplingParams
from engine.text import recognition, tool_grammars
from engine.text.reply_text import ReplyText
from tests.engine.speaking import write_folder

END, THOUGHT = "</think>", "Let me see."
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
    "{% for t in tools %}<tool_call>{{ t | tojson }}</tool_call>{% endfor %}"
    "<|im_start|>assistant\n<think>\n{% if false %}</think>{{ m.tool_calls }}{% endif %}"
)
OPENED = "<|im_start|>assistant\n<think>\n"
BEHIND = (
    *("", "\n", "\n\n", " ", "{", "\n\n{", " {", '{"a', "\n {\n", "y", "\nyes", "[1", "Hello"),
    *("}", "<answer>{", "<think>", "<tool_call>", "\n<tool_call>\n{", "<tool_call>x", "</think>"),
)
"""Text that follows the marker within its last token."""
TOOL = {
    "type": "function",
    "function": {
        "name": "go",
        "parameters": {
            "type": "object",
            "properties": {"to": {"enum": ["up", "down"]}},
            "required": ["to"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"a": {"enum": [1, 2]}},
    "required": ["a"],
    "additionalProperties": False,
}
FORMS: dict[str, dict[str, Any]] = {
    "schema": {"json_schema": SCHEMA},
    "choices": {"choices": ("yes", "no")},
    "regex": {"regex": "\\\n?[a-z]{2}"},
    "required call": {"tools": [TOOL], "tool_choice": "required"},
}


def borders() -> Iterator[tuple[str, str, str]]:
    for behind in BEHIND:
        for cut in (0, 2, len(END) - 1):
            yield END[cut:] + behind, END[cut:], behind


@pytest.fixture(scope="module", params=["text", "token"])
def codec(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Create what a constraint needs from a model, with `</think>` as plain text or as a token."""
    folder = tmp_path_factory.mktemp("borders")
    write_tokenizer(folder, TEMPLATE)
    file = folder / "tokenizer.json"
    if request.param == "text":
        text = file.read_text()
        for number, marker in enumerate(SPECIAL[3:]):
            text = text.replace(json.dumps(marker), f'"<|other{number}|>"')
        file.write_text(text)
    tokenizer = Tokenizer.from_file(str(file))
    calls = [f"<tool_call>{behind}" for behind in BEHIND]
    words = [
        *(token for token, _, _ in borders()),
        *(call[cut:] for call in calls for cut in (0, 9)),
    ]
    tokenizer.add_tokens([AddedToken(w, normalized=False) for w in dict.fromkeys(words) if w])
    tokenizer.save(str(file))
    return codec_of(folder)


def codec_of(folder: Path) -> Any:
    tokenizer = load(folder)
    forms = llguidance.LLTokenizer(
        (folder / "tokenizer.json").read_text(), eos_token=tokenizer.eos_token_id, slices=[]
    )
    return SimpleNamespace(
        tokenizer=tokenizer,
        eos={tokenizer.eos_token_id},
        forms=forms,
        forms_lock=threading.Lock(),
        costly_forms=set(),
    )


def begun(codec: Any, kind: str) -> tuple[ReplyText, Constraint]:
    params = SamplingParams(**FORMS[kind])
    calls = bool(params.tools)
    if calls:
        params = tool_grammars.add_grammar(params, codec.tokenizer, "json_tools")
    text = ReplyText(codec.tokenizer, OPENED, (), OPENED, params.offered)
    assert text.splitter.kind == "reasoning"
    constraint = constrain(codec, params, text, True, calls)
    assert constraint is not None
    return text, constraint


def spelled(codec: Any, text: str) -> list[int]:
    return [codec.tokenizer.convert_tokens_to_ids({" ": "Ġ", "\n": "Ċ"}.get(c, c)) for c in text]


def say(codec: Any, kind: str, tokens: list[int], seed: int) -> tuple[ReplyText, list[Any]]:
    """Feed these tokens, then random allowed tokens until the reply is complete."""
    text, constraint = begun(codec, kind)
    pick, deltas = random.Random(seed), list[Any]()
    size = len(codec.tokenizer)
    while not constraint.complete:
        if tokens:
            token, *tokens = tokens
        else:
            mask = constraint.mask(size)
            assert mask is not None
            allowed = np.flatnonzero(mask).tolist()
            if codec.tokenizer.eos_token_id in allowed:
                break
            token = pick.choice(allowed)
        deltas += text.add(token)
        constraint.accept(token)
    deltas += text.finish()
    return text, deltas


def check(text: ReplyText, kind: str, what: object) -> None:
    parts, (call,) = text.parts, text.splitter.calls if kind == "required call" else [""]
    if kind == "schema":
        assert json.loads(parts["answer"])["a"] in (1, 2), what
    elif kind == "choices":
        assert parts["answer"] in ("yes", "no"), what
    elif kind == "regex":
        assert len(parts["answer"].strip()) == 2, what
    else:
        assert json.loads(call)["arguments"]["to"] in ("up", "down"), what


@pytest.mark.parametrize("kind", FORMS)
def test_any_token_may_end_the_reasoning(codec: Any, kind: str) -> None:
    for seed, (token, marker, behind) in enumerate(borders()):
        before = spelled(codec, THOUGHT + END[: len(END) - len(marker)])
        last = codec.tokenizer.convert_tokens_to_ids(token)
        if "</think>" in codec.tokenizer.get_vocab() and marker != END:
            continue  # the marker has its own token, so its text doesn't count
        text, deltas = say(codec, kind, [*before, last], seed)
        check(text, kind, (token, behind))
        said = text.parts
        thought, dropped = said["reasoning"][: len(THOUGHT)], said["reasoning"][len(THOUGHT) :]
        assert thought == THOUGHT
        # No letter is lost on either side of the marker.
        assert dropped.strip() in ("", behind.strip()), (token, behind)
        for shown in ("reasoning", "answer"):
            told = "".join(part for part, of in deltas if of == shown)
            assert told.rstrip("\n") == said[shown].rstrip("\n"), (token, behind)


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.turns(4)
def test_any_token_may_open_a_call(codec: Any, behind: str) -> None:
    params = SamplingParams(tools=[TOOL])
    params = tool_grammars.add_grammar(params, codec.tokenizer, "json_tools")
    for cut in (0, 9):
        text = ReplyText(codec.tokenizer, "", (), "", params.offered)
        constraint = constrain(codec, params, text, False, True)
        assert constraint is not None
        word = f"<tool_call>{behind}"
        for token in (
            *spelled(codec, word[:cut]),
            codec.tokenizer.convert_tokens_to_ids(word[cut:]),
        ):
            text.add(token)
            constraint.accept(token)
        assert word.strip() in text.raw


def test_calls_may_begin_within_the_reasoning(tmp_path: Path) -> None:
    """Kimi K2 calls tools without ending its reasoning first."""
    codec = codec_of(write_folder(tmp_path, "kimi-k2"))
    known = recognition.of(codec.tokenizer)
    assert known.markers.calls_end_reasoning
    start, end = known.markers.think_start, known.markers.call[0]
    params = SamplingParams(tools=[TOOL], tool_choice="required")
    params = tool_grammars.add_grammar(params, codec.tokenizer, known.tool_format)
    text = ReplyText(codec.tokenizer, start, (), start, params.offered)
    assert text.splitter.kind == "reasoning"
    constraint = constrain(codec, params, text, True, True)
    assert constraint is not None
    call = '<|tool_call_begin|>functions.go:0<|tool_call_argument_begin|>{"to": "up"}'
    for token in codec.tokenizer.encode(f"{THOUGHT}{end}{call}", add_special_tokens=False):
        text.add(token)
        constraint.accept(token)
    assert text.parts["reasoning"] == THOUGHT
    assert text.raw_after_reasoning.startswith(end)
