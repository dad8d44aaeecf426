"""Sessions for tests of slots, and one step of several sessions in slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache, QuantizedKVCache, RotatingKVCache

from engine.cache.cache_objects import iterate_arrays
from engine.cache.session_kv import SessionKV
from engine.cache.slot_policy import ON_CPU, ON_GPU
from engine.cache.slots import Slots
from engine.model.ragged import combine_caches

HEADS, DIM, WINDOW = 2, 32, 24
KINDS: dict[str, Callable[[], list[Any]]] = {
    "plain": lambda: [KVCache(), KVCache(), KVCache()],
    "windows": lambda: [RotatingKVCache(WINDOW), RotatingKVCache(WINDOW, keep=4), KVCache()],
    "bits": lambda: [RotatingKVCache(WINDOW), *(QuantizedKVCache(32, 8) for _ in range(2))],
}
BOTH = pytest.mark.parametrize("policy", [ON_CPU, ON_GPU], ids=["one buffer", "classes"])


def chat(kind: str, *chunks: int) -> SessionKV:
    kv = SessionKV(KINDS[kind])
    kv.reuse_prefix([0])
    for count in chunks:
        for cache in kv.layers:
            cache.update_and_fetch(*mx.random.normal((2, 1, HEADS, count, DIM)))
        kv.record_chunk([0] * count)
    return kv


def step(where: Slots, kvs: list[SessionKV], twins: dict[int, SessionKV]) -> None:
    """Write a token for each session in its slot, and the same token to its unslotted twin."""
    rows = [kvs[row] for row in where.assign(kvs)]
    for layer, shared in enumerate(combine_caches([kv.layers for kv in rows], where)):
        keys, values = mx.random.normal((2, len(rows), HEADS, 1, DIM))
        got = shared.update_and_fetch(keys, values)
        for row, kv in enumerate(rows):
            place = slice(row, row + 1)
            cache = twins[id(kv)].layers[layer]
            own = cache.update_and_fetch(keys[place], values[place])
            assert same([half.rows[row] for half in got], own)
    for kv in kvs:
        kv.record_token(0)
        twins[id(kv)].record_token(0)


def same(one: Any, other: Any) -> bool:
    pairs = list(zip(iterate_arrays(one), iterate_arrays(other), strict=True))
    return bool(pairs) and all(bool(mx.array_equal(a, b)) for a, b in pairs)


def same_caches(one: SessionKV, other: SessionKV) -> bool:
    assert one.layers
    assert other.layers
    for cache, twin in zip(one.leave_slots(), other.leave_slots(), strict=True):
        assert type(cache) is type(twin)
        for count in (1, 3):
            new = mx.random.normal((2, 1, HEADS, count, DIM))
            if not same(cache.update_and_fetch(*new), twin.update_and_fetch(*new)):
                return False
    return True
