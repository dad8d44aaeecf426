"""llguidance's tokenizer built in parts equals the tokenizer from JSON."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llguidance
import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.trainers import BpeTrainer

from engine import Engine, SamplingParams
from engine.bench.random_models import SHAPES, write_model
from engine.sandbox.confined import Sandbox
from engine.text import form_tokens

GUIDE = Path(__file__).parents[3] / "resources" / "guide" / "tokenizer.json"
TEXTS = [
    'the theory of these others {"name": "value", "number": 12} <|x|>',
    "Grüße, 日本語 and 👋🏽 again and again, the number of the names",
] * 4
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"enum": ["the theory", "the others", "Grüße 👋🏽", "<|stop|> it"]},
        "number": {"type": "integer"},
    },
    "required": ["name", "number"],
    "additionalProperties": False,
}


def guide() -> Tokenizer:
    return Tokenizer.from_file(str(GUIDE))


def with_metaspace() -> Tokenizer:
    """Create a sentencepiece-like tokenizer: a space before each text, and bytes for unknown
    text.
    """
    made = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=False)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence(steps)
    bytes_ = [f"<0x{i:02X}>" for i in range(256)]
    trainer = BpeTrainer(vocab_size=420, special_tokens=["<unk>", "<s>", "</s>", *bytes_])
    made.train_from_iterator(TEXTS, trainer)
    # Byte tokens aren't special in sentencepiece vocabularies.
    whole = json.loads(made.to_str())
    whole["added_tokens"] = whole["added_tokens"][:3]
    return Tokenizer.from_str(json.dumps(whole))


def with_normalizer() -> Tokenizer:
    made = with_metaspace()
    prepend, replace = normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")
    made.normalizer = normalizers.Sequence([prepend, replace])
    made.pre_tokenizer = None
    return made


def with_added() -> Tokenizer:
    """Create a byte-level tokenizer that prefers whole words and has every type of added token."""
    made = Tokenizer(models.BPE(ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(vocab_size=380, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made.train_from_iterator(TEXTS, trainer)
    made.add_special_tokens(["<|stop|>"])
    made.add_tokens(
        [AddedToken(" again", lstrip=True), "<mark>", AddedToken("the", normalized=True)]
    )
    made.add_special_tokens(["[END]", "</s>"])
    return made


def walk(one: Any, other: Any, grammar: str, seed: int) -> int:
    """Follow random allowed tokens with both matchers and return the number of steps with equal
    masks.
    """
    rng = random.Random(seed)
    left, right = (llguidance.LLMatcher(made, grammar, log_level=0) for made in (one, other))
    for step in range(40):
        mask = left.compute_bitmask()
        assert mask == right.compute_bitmask(), step
        assert left.compute_ff_tokens() == right.compute_ff_tokens()
        allowed = [
            8 * n + bit for n, byte in enumerate(mask) for bit in range(8) if byte >> bit & 1
        ]
        token = rng.choice(allowed)
        assert left.consume_token(token) == right.consume_token(token)
        if left.is_stopped():
            assert right.is_stopped()
            return step
    return 40


@pytest.mark.parametrize("make", [guide, with_metaspace, with_normalizer, with_added])
def test_extracted_tokenizer_gives_equal_tokens_and_masks(make: Callable[[], Tokenizer]) -> None:
    text = make().to_str()
    end = make().token_to_id("</s>") or 0
    whole = llguidance.LLTokenizer(text, eos_token=[end, 1], slices=[])
    told = form_tokens.extract(whole, text)
    assert told is not None
    facts = json.loads(json.dumps(told[0]))  # as if sent through a pipe
    parts = form_tokens.assemble((facts, told[1]), [end, 1])
    assert (parts.vocab_size, parts.eos_tokens) == (whole.vocab_size, whole.eos_tokens)
    for i in range(whole.vocab_size):
        assert parts.decode_bytes([i]) == whole.decode_bytes([i])
        assert parts.is_special_token(i) == whole.is_special_token(i)
    for some in [*TEXTS[:2], " a  b", "the", "<|stop|>", "<mark> again", "\n\n\t x", "ÿ\x00"]:
        assert parts.tokenize_str(some) == whole.tokenize_str(some), some
        assert parts.greedy_tokenize(some) == whole.greedy_tokenize(some)
    assert parts.tokenize_bytes(b"the \xff\xc3") == whole.tokenize_bytes(b"the \xff\xc3")
    write = llguidance.LLMatcher
    grammars = [
        write.grammar_from_json_schema(SCHEMA),
        write.grammar_from_regex("(the (others|theory) ){2,4}again"),
        write.grammar_from_lark('start: "the number of" (" names" | " 日本語")+ /[a-z0-9 ]*/'),
    ]
    steps = sum(walk(whole, parts, one, seed) for one in grammars for seed in range(4))
    assert steps > 40


def test_other_tokenizers_are_built_from_json() -> None:
    made = Tokenizer(models.WordPiece({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    made.decoder = decoders.ByteLevel()
    text = made.to_str()
    assert form_tokens.extract(llguidance.LLTokenizer(text, eos_token=[0], slices=[]), text) is None


def test_an_added_token_with_another_id_is_refused() -> None:
    text = with_added().to_str()
    facts, blobs = form_tokens.extract(
        llguidance.LLTokenizer(text, eos_token=[0], slices=[]), text
    ) or (
        {},
        (),
    )
    facts["added"][0]["id"] += 1
    with pytest.raises(ValueError, match="unexpected id"):
        form_tokens.assemble((facts, blobs), [0])


def test_engine_builds_tokenizer_in_parts_or_from_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model(tmp_path / "model", SHAPES["tiny"])
    form = SamplingParams(max_tokens=12, temperature=0.0, choices=("maybe", "certainly"))
    made: list[bool] = []
    make = form_tokens.assemble

    def watched(told: form_tokens.TokenizerData, ends: list[int]) -> Any:
        made.append(True)
        return make(told, ends)

    monkeypatch.setattr(form_tokens, "assemble", watched)
    with Engine() as engine:
        model = engine.load(str(folder))
        said = engine.open_session(model).send("hello", form).text(timeout=60)
        assert made == [True]
        engine.unload(model)
        monkeypatch.setattr(Sandbox, "form_tokens", lambda *_: None)
        model = engine.load(str(folder))
        assert engine.open_session(model).send("hello", form).text(timeout=60) == said
        assert made == [True]
