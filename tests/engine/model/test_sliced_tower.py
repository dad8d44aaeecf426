"""Vision towers computed in pieces give the same result."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine import Engine, SamplingParams
from engine.bench.seeing import FAMILIES, QWEN, write_seeing
from engine.model import loader, sliced_tower, towers, vision, vlm
from tests.engine.model.seeing import image, shown

pytestmark = pytest.mark.usefixtures("all_cores")

FEW = SamplingParams(max_tokens=10, temperature=0.0)


class _Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv = nn.LayerNorm(32), nn.Linear(32, 96)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def __call__(self, x: mx.array, mask: mx.array | None) -> mx.array:
        rows = self.qkv(self.norm(x)).reshape(1, len(x), 3, 2, 16).transpose(2, 0, 3, 1, 4)
        seen = mx.fast.scaled_dot_product_attention(*rows, scale=0.25, mask=mask)
        x = x + seen.transpose(0, 2, 1, 3).reshape(len(x), -1)
        return x + self.mlp(x)


def parts(block: _Block, x: mx.array, mask: mx.array | None, most: float) -> tuple[mx.array, int]:
    known, sliced_tower.PIECE = sliced_tower.PIECE, dict.fromkeys(sliced_tower.PIECE, most)
    slice_, sliced_tower.SLICE = sliced_tower.SLICE, 0.0
    count = 0
    try:
        running = sliced_tower.evaluate_in_pieces(block.modules(), lambda: [block(x, mask)])
        while True:
            next(running)
            count += 1
    except StopIteration as end:
        return end.value[0], count
    finally:
        sliced_tower.PIECE, sliced_tower.SLICE = known, slice_


@pytest.mark.parametrize("masked", [False, True])
def test_pieces_match_the_whole(engine: Engine, masked: bool) -> None:
    mx.random.seed(1)
    block, x = _Block(), mx.random.normal((200, 32))
    mask = mx.arange(200)[:, None] // 50 == mx.arange(200)[None] // 50 if masked else None
    whole, few = parts(block, x, mask, 1e12)
    cut, many = parts(block, x, mask, 1e6)
    assert few < 20
    assert many > 5 * few
    assert mx.abs(whole - cut).max().item() < 1e-4
    assert mx.abs(whole - block(x, mask)).max().item() < 1e-4
    again, _ = parts(block, x, mask, 1e6)
    assert mx.array_equal(cut, again)


def test_small_pieces_encode_the_same_image(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(write_seeing(tmp_path / "qwen"))
    asked = shown("What is it?", image(64, 64, 1))
    said = engine.open_session(model).send(asked, FEW).tokens(60)
    engine.relieve_later().result(60)
    monkeypatch.setattr(sliced_tower, "PIECE", dict.fromkeys(sliced_tower.PIECE, 1e5))
    assert engine.open_session(model).send(asked, FEW).tokens(60) == said
    assert engine.stats()["images"][model.id]["encoded"] == 2


@pytest.mark.turns(6)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_tower_of_each_family_gives_the_same_in_small_pieces(
    engine: Engine, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_seeing(tmp_path / name, name)
    net, config = loader.load_net(folder)
    look = towers.load_preprocessor(folder, config, loader.load_tokenizer(folder, None))
    sight = look.preprocess(image(64, 44, 3))
    pixels, cut, parts = sight.pixels, sliced_tower._RecordedPieces.split_call, Counter[str]()
    assert pixels is not None

    def counted(noted: Any, kind: str, *given: Any) -> list[mx.array]:
        found = cut(noted, kind, *given)
        parts[kind] = sum(known == kind for known, _, _ in noted.pieces)
        return found

    def seen(most: float) -> list[mx.array]:
        parts.clear()
        monkeypatch.setattr(sliced_tower, "PIECE", dict.fromkeys(sliced_tower.PIECE, most))
        found = vision.VisionModel(net, look.kind, look.placeholder)
        for _ in found.encode(sight, pixels):
            pass
        return found.cached[sight.digest].features

    monkeypatch.setattr(sliced_tower._RecordedPieces, "split_call", counted)
    whole, few = seen(1e12), Counter(parts)
    for array, again in zip(whole, seen(1e5), strict=True):
        assert mx.abs(array - again).max().item() < 1e-3
    assert parts["_ByRowsLinear"] > few["_ByRowsLinear"]
    turned, placed = parts["rotary"] > few["rotary"] > 0, parts["places"] > few["places"] > 0
    assert turned == (name not in {"lfm2_vl", "gemma4_unified"})
    assert placed == (name.startswith("qwen") or name == "muse_glimmer")


@pytest.mark.parametrize("size", [(2, 2), (4, 26), (18, 10)])
def test_tower_positions_match_the_models(size: tuple[int, int]) -> None:
    mx.random.seed(1)
    for config in (QWEN, FAMILIES["qwen3_vl_moe"].config):
        tower = vlm.build(config).vision_tower
        grid = mx.array([[1, *size]])
        own = type(tower).fast_pos_embed_interpolate(tower, grid)
        ours = towers._PositionsByRows.fast_pos_embed_interpolate(tower, grid)
        assert mx.array_equal(own, ours)
    muse = vlm.build(FAMILIES["muse_glimmer"].config).vision_tower.patch_embedder
    own = type(muse)._position_embeddings(muse, [[1, *size]])
    ours = towers._MusePositionsByRows._position_embeddings(muse, [[1, *size]])
    assert mx.abs(own - ours).max().item() < 1e-6
    gemma = vlm.build(FAMILIES["gemma4"].config).vision_tower.patch_embedder
    gemma.position_embedding_table = mx.random.normal(gemma.position_embedding_table.shape)
    places = mx.array([[[3, 1], [0, 7], [-1, -1]]])
    padding = mx.all(places == -1, axis=-1)
    own = type(gemma)._position_embeddings(gemma, places, padding)
    assert mx.array_equal(own, towers._PositionLookup._position_embeddings(gemma, places, padding))
