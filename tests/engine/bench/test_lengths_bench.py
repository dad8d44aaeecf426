"""What a step costs by the length of its chats: the measurement runs and compares what it says."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx

from engine.bench import lengths
from engine.bench.graph_steps import filled
from engine.bench.random_models import SHAPES, write_model
from engine.model.loader import load_at_once


def test_each_way_is_measured_at_both_lengths() -> None:
    said: list[str] = []
    found = lengths.run("random:tiny", [2], (16, 300), 1, said.append)
    assert [(one["chats"], one["tokens"]) for one in found] == [(2, 16), (2, 300)]
    assert all(one[way] > 0 for one in found for way in ("slots", "own", "batch", "attention"))
    assert sum("BatchGenerator" in line for line in said) == 1


def test_caches_that_are_made_up_keep_the_models_type(tmp_path: Path) -> None:
    """On a GPU models compute in 16 bits: caches of 32 would be read at half the speed."""
    folder = write_model(tmp_path / "m", SHAPES["tiny"], dtype="bfloat16")
    model = load_at_once(folder, wide=False)
    for cache in filled(model.net, model.new_caches(), 300):
        assert cache.offset == 300
        assert cache.keys.dtype == mx.bfloat16
