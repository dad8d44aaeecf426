"""Refuse token ids outside the embedding before MLX reads out of bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model, load_tokenizer

from engine import EngineError
from engine.model.probe import embedding_rows
from engine.model.vocabulary import check_tokenizer
from engine.sandbox.bounds import check_ids
from tests.engine.families import FAMILIES, VOCAB


def test_ids_beyond_the_embedding_are_refused() -> None:
    check_ids(300, [])
    check_ids(300, [0, 299])
    for wrong in (300, 2_000_000, -1):
        with pytest.raises(
            EngineError, match=f"token {wrong:,}, but this model has only 300"
        ) as caught:
            check_ids(300, [5, wrong, 7])
        assert caught.value.code == "invalid_request"


def spoilt(folder: Path, tmp_path: Path, token: str, added: bool) -> Path:
    for file in folder.glob("*token*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    known = json.loads((folder / "tokenizer.json").read_text())
    if added:
        same = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        entry = {"id": 2_000_000, "content": token, "special": True, **same}
        known["added_tokens"].append(entry)
    known["model"]["vocab"][token] = 2_000_000
    (tmp_path / "tokenizer.json").write_text(json.dumps(known))
    return tmp_path


def test_tokenizer_with_ids_beyond_the_embedding_is_refused(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = model_folder("plain")
    check_tokenizer(VOCAB, load_tokenizer(folder), "A")
    other = load_tokenizer(spoilt(folder, tmp_path, "hello", added=False))
    with pytest.raises(
        EngineError, match=r"2,000,000 \('hello'\), but the model has only 300"
    ) as bad:
        check_tokenizer(VOCAB, other, "A")
    assert bad.value.code == "model_load_failed"


def test_an_added_token_beyond_the_embedding_is_accepted(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Some text models' tokenizers have a token for images."""
    other = load_tokenizer(spoilt(model_folder("plain"), tmp_path, "<image>", added=True))
    assert other.encode("<image>", add_special_tokens=False) == [2_000_000]
    check_tokenizer(VOCAB, other, "A")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_embeddings_rows_are_found(model_folder: Callable[[str], Path], family: str) -> None:
    net, _ = load_model(model_folder(family))
    kinds = [type(module) for module in net.modules()]
    assert embedding_rows(net, lambda: make_prompt_cache(net)) == VOCAB
    assert [type(module) for module in net.modules()] == kinds


def test_quantized_embedding_rows_are_counted() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.QuantizedEmbedding(VOCAB, 64, group_size=64, bits=4)
            self.positions = nn.Embedding(16, 64)

        def __call__(self, ids: mx.array, cache: Any) -> mx.array:
            return self.tokens(ids) + self.positions(mx.arange(ids.shape[1]))

    assert embedding_rows(Net(), list) == VOCAB
