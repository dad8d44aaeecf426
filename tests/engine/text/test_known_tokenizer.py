"""Replacement for a tokenizer in the engine process."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from engine import Engine, SamplingParams
from engine.bench.random_models import SHAPES, write_model
from engine.messages import Message, RawPrompt
from engine.model import loader
from engine.sandbox.prompts import load_wrapper
from engine.text.known_tokenizer import KnownTokenizer, describe
from tests.engine.hostile import change_tokenizer

SPM = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}
FACTS = (
    *("eos_token_id", "eos_token_ids", "bos_token", "bos_token_id", "has_chat_template"),
    *("think_start", "think_end", "chat_template", "model_max_length"),
    *("tool_call_start", "tool_call_end", "has_tool_calling", "tool_parser"),
)
TOOLS = "{% if tools %}<tool_call>{{ tool_call.name }}{% endif %}{{ messages[0]['content'] }}"


def never():
    raise AssertionError("the whole tokenizer was loaded")


def as_it_is(_: object) -> None: ...


def with_spm(tokenizer) -> None:
    tokenizer["decoder"] = SPM
    tokenizer["model"]["vocab"] |= {"▁there": 261, "<0x0A>": 262, "<0xE4>": 263}


def without_strip(tokenizer) -> None:
    with_spm(tokenizer)
    tokenizer["decoder"] = {"type": "Sequence", "decoders": SPM["decoders"][:3]}


@pytest.mark.parametrize("change", [as_it_is, with_spm, without_strip])
def test_known_tokenizer_equals_original(tmp_path: Path, change):
    change_tokenizer(tmp_path, change)
    (tmp_path / "chat_template.jinja").write_text(TOOLS)
    wrapper = load_wrapper(str(tmp_path), [2], None)
    vocabulary = wrapper.get_vocab()
    told = describe(wrapper, max(vocabulary.values()))
    assert told is not None
    facts = json.loads(json.dumps(told[0]))  # as if sent through a pipe
    known = KnownTokenizer(facts, told[1], b"", never)
    for name in FACTS:
        assert getattr(known, name) == getattr(wrapper, name), name
    assert known.has_tool_calling
    assert len(known) == len(wrapper)
    assert known.get_vocab() == vocabulary
    assert known.get_added_vocab() == wrapper.get_added_vocab()
    for text in ("a", wrapper.think_start, wrapper.tool_call_end):
        for special in (True, False):
            ids = wrapper.encode(text, add_special_tokens=special)
            assert known.encode(text, add_special_tokens=special) == ids
    one, other = known.detokenizer, wrapper.detokenizer
    assert known.detokenizer is not one
    for token in random.Random(1).choices(range(len(wrapper)), k=300):
        one.add_token(token)
        other.add_token(token)
        assert one.last_segment == other.last_segment
    one.finalize()
    other.finalize()
    assert one.text == other.text


def test_unknown_facts_come_from_the_tokenizer(tmp_path: Path):
    change_tokenizer(tmp_path, as_it_is)
    wrapper = load_wrapper(str(tmp_path), [2], None)
    told = describe(wrapper, 260)
    assert told is not None
    known = KnownTokenizer(*told, b"", lambda: wrapper)
    assert known.encode("hello there") == wrapper.encode("hello there")
    assert known.decode([100, 101]) == wrapper.decode([100, 101])
    with pytest.raises(AttributeError):
        _ = known._tokenizer


def test_tokenizer_with_custom_decoder_is_loaded_whole(tmp_path: Path):
    change_tokenizer(tmp_path, lambda t: t.update(decoder={"type": "Fuse"}))
    wrapper = load_wrapper(str(tmp_path), [2], None)
    assert describe(wrapper, 260) is None


def test_engine_process_loads_no_tokenizer(tmp_path: Path, monkeypatch):
    folder = write_model(tmp_path / "model", SHAPES["tiny"])
    monkeypatch.setattr(loader, "load_tokenizer", lambda *_: never())
    few = SamplingParams(max_tokens=4, temperature=0.0)
    hello: list[Message] = [{"role": "user", "content": "hello"}]
    with Engine() as engine:
        model = engine.load(str(folder))
        chat = engine.open_session(model)
        assert chat.send(hello, few).tokens(60)
        assert chat.fork().send([*hello, {"role": "user", "content": "more"}], few).tokens(60)
        assert engine.open_session(model).send(RawPrompt("once"), few).tokens(60)
        form = SamplingParams(max_tokens=9, choices=("yes", "no"))
        straight = engine.open_session(model, reasoning=False)
        assert straight.send(hello, form).text(60) in ("yes", "no")
        assert engine.count_later(model, hello).result(60) > 0
        assert engine.embed_later(model, ["hello"]).result(60)
