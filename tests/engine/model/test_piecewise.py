"""Towers computed in pieces: small ones, and the same however many there are."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine import Engine, SamplingParams
from engine.bench.seeing import write_seeing
from engine.model import piecewise
from tests.engine.model.seeing import image, shown

FEW = SamplingParams(max_tokens=10, temperature=0.0)


class _Block(nn.Module):
    """Attention and a feed-forward layer, as a tower has them."""

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
    """What the block gives where pieces are so large, and in how many it was computed."""
    known, piecewise.PIECE = piecewise.PIECE, dict.fromkeys(piecewise.PIECE, most)
    slice_, piecewise.SLICE = piecewise.SLICE, 0.0
    count = 0
    try:
        running = piecewise.in_pieces(block.modules(), lambda: [block(x, mask)])
        while True:
            next(running)
            count += 1
    except StopIteration as end:
        return end.value[0], count
    finally:
        piecewise.PIECE, piecewise.SLICE = known, slice_


@pytest.mark.parametrize("masked", [False, True])
def test_pieces_give_what_the_whole_gives(engine: Engine, masked: bool) -> None:
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


def test_an_image_is_seen_alike_in_small_pieces(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(write_seeing(tmp_path / "qwen"))
    asked = shown("What is it?", image(64, 64, 1))
    said = engine.open_session(model).send(asked, FEW).tokens(60)
    engine.relieve_later().result(60)
    monkeypatch.setattr(piecewise, "PIECE", dict.fromkeys(piecewise.PIECE, 1e5))
    assert engine.open_session(model).send(asked, FEW).tokens(60) == said
    assert engine.stats()["images"][model.id]["encoded"] == 2
