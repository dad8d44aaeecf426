"""Copies of caches are detached, and the reported cache sizes are right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, QuantizedKVCache, RotatingKVCache

from engine.bench.families import write_family
from engine.cache.cache_objects import clone, iterate_arrays, measure, nbytes
from engine.cache.ledger import Ledger, common_length
from engine.cache.session_kv import SessionKV, Snapshot
from engine.model import backend
from engine.model.loader import load_blocking


def feed(cache: Any, n: int, value: float = 1.0) -> None:
    if isinstance(cache, ArraysCache):
        cache[0] = mx.full((1, 4, 8), value)
    elif isinstance(cache, CacheList):
        for inner in cache.caches:
            feed(inner, n, value)
    else:
        cache.update_and_fetch(mx.full((1, 2, n, 64), value), mx.full((1, 2, n, 64), value))


def content(cache: Any) -> list[float]:
    if isinstance(cache, CacheList):
        return [x for inner in cache.caches for x in content(inner)]
    arrays = cache.cache if isinstance(cache, ArraysCache) else [cache.keys, cache.values]
    flat: list[float] = []
    for array in arrays:
        for part in array if isinstance(array, (tuple, list)) else [array]:
            flat += part.flatten().tolist()
    return flat


@pytest.mark.parametrize(
    "make",
    [
        KVCache,
        lambda: RotatingKVCache(max_size=8),
        lambda: QuantizedKVCache(group_size=64, bits=8),
        lambda: ArraysCache(1),
        lambda: CacheList(KVCache(), RotatingKVCache(max_size=8)),
    ],
    ids=["plain", "rotating", "quantized", "recurrent", "list"],
)
def test_copy_does_not_see_later_tokens(make) -> None:
    original = make()
    feed(original, 5)
    copy = clone(original)
    before = content(copy)
    feed(original, 1, value=9.0)
    assert content(copy) == before
    assert content(original) != before
    feed(copy, 1, value=7.0)
    assert 7.0 not in content(original) or isinstance(original, QuantizedKVCache)


def test_copy_costs_nothing_until_written() -> None:
    cache = KVCache()
    cache.update_and_fetch(mx.zeros((1, 8, 4096, 64)), mx.zeros((1, 8, 4096, 64)))
    mx.eval(cache.state[:2])
    before = mx.get_active_memory()
    copies = [clone(cache) for _ in range(10)]
    mx.eval([c.state[:2] for c in copies])
    assert mx.get_active_memory() - before < nbytes(cache) / 10


def test_begin_keeps_common_prefix_but_one_token() -> None:
    kv = SessionKV(lambda: [KVCache()])
    assert kv.reuse_prefix([1, 2, 3]) == 0
    feed(kv.leave_slots()[0], 4)
    kv.tokens = [1, 2, 3, 4]
    assert kv.reuse_prefix([1, 2, 3, 4, 5]) == 4
    assert kv.reuse_prefix([1, 2, 9, 9]) == 2
    assert kv.leave_slots()[0].offset == 2
    assert kv.reuse_prefix([1, 2]) == 1
    assert kv.reuse_prefix([7]) == 0
    assert kv.tokens == []


def test_untrimmable_cache_returns_to_its_snapshot() -> None:
    kv = SessionKV(lambda: [ArraysCache(1)])
    kv.reuse_prefix([1, 2, 3, 4])
    feed(kv.leave_slots()[0], 2)
    kv.tokens = [1, 2]
    kv.snapshot()
    feed(kv.leave_slots()[0], 2, value=5.0)
    kv.tokens += [3, 4]
    assert kv.reuse_prefix([1, 2, 3, 8]) == 2
    assert set(content(kv.leave_slots()[0])) == {1.0}
    assert kv.reuse_prefix([1, 9]) == 0


@pytest.mark.parametrize("whole", [False, True], ids=["as kept now", "as files had it"])
def test_only_state_of_hybrid_layer_is_copied(whole: bool) -> None:
    kv = SessionKV(lambda: [CacheList(ArraysCache(1), KVCache())])
    kv.reuse_prefix([1, 2, 3, 4])
    feed(kv.leave_slots()[0], 2)
    kv.tokens = [1, 2]
    before = kv.nbytes
    if whole:
        kv.replace_caches(kv.layers, kv.tokens, [], Snapshot(clone(kv.layers), 2))
    else:
        kv.snapshot()
        assert kv.nbytes == before + 4 * 4 * 8
    feed(kv.leave_slots()[0], 2, value=5.0)
    kv.tokens += [3, 4]
    assert kv.reuse_prefix([1, 2, 3, 8]) == 2
    state, keys = kv.leave_slots()[0].caches
    assert set(content(state)) == {1.0}
    assert keys.offset == 2
    assert set(keys.keys_and_values()[0].flatten().tolist()) == {1.0}


def test_wrapped_ring_buffer_is_not_trimmed() -> None:
    kv = SessionKV(lambda: [RotatingKVCache(max_size=4)])
    kv.reuse_prefix([0] * 6)
    for _ in range(6):
        feed(kv.leave_slots()[0], 1)
    kv.tokens = [1, 2, 3, 4, 5, 6]
    assert kv.reuse_prefix([1, 2, 3, 4, 5, 9]) == 0


def test_ledger_finds_last_common_boundary() -> None:
    ledger = Ledger("prompt answer more", [1, 2, 3, 4], ((7, 1), (14, 2), (18, 4)))
    assert ledger.match("prompt answer more and more")[-1] == (18, 4)
    assert ledger.match("prompt answer less")[-1] == (14, 2)
    assert ledger.match("prompt other") == ((7, 1),)
    assert ledger.match("else") == ()


def test_estimate_equals_cache_sizes() -> None:
    caches = [KVCache(), ArraysCache(1)]
    for cache in caches:
        feed(cache, 9)
    need = measure(caches)
    for tokens in (10, 300, 1000):
        fresh = [KVCache(), ArraysCache(1)]
        for cache in fresh:
            feed(cache, tokens)
        # Layers that can't be trimmed keep a copy from the turn boundary.
        assert need.bytes(tokens) == nbytes(fresh) + nbytes(fresh[1])


@pytest.mark.filterwarnings("ignore:`rope_scaling` is deprecated")  # transformers' advice
def test_caches_of_unknown_shape_are_measured(tmp_path: Path) -> None:
    wide = backend.start().prefers_float32
    model = load_blocking(write_family(tmp_path, "deepseek_v41"), wide)
    for tokens in (300, 2000):
        caches = model.new_caches()
        model.net(mx.array([[(7 * i + 3) % 300 for i in range(tokens)]]), cache=caches)
        mx.eval(list(iterate_arrays(caches)))
        # Doubled because untrimmable layers keep a copy from the turn boundary.
        held = 2 * nbytes(caches)
        assert held <= model.abilities.estimate.bytes(tokens) < 2 * held


def test_matching_long_ledger_reads_text_few_times() -> None:
    class Counted(str):
        read = 0

        def __getitem__(self, part: Any) -> str:
            cut = super().__getitem__(part)
            Counted.read += len(cut)
            return cut

    text = "a question and an answer " * 2000
    boundaries = tuple((25 * turn, turn) for turn in range(1, 2001))
    ledger = Ledger(Counted(text), range(2000), boundaries)
    assert ledger.match("an answer " * 5000) == boundaries[:0]
    assert ledger.match(text[:20_010] + "else") == boundaries[:800]
    assert ledger.match(text + "more") == boundaries
    assert Counted.read < 3 * 4 * len(text)


def test_common_prefix() -> None:
    assert common_length([1, 2, 3], [1, 2, 4]) == 2
    assert common_length([1, 2], [1, 2, 4]) == 2
    assert common_length([], [1]) == 0
    assert common_length([3], [1]) == 0


def test_chunked_cache_that_dropped_its_front_is_untrimmable() -> None:
    from mlx_lm.models.cache import ChunkedKVCache

    kv = SessionKV(lambda: [ChunkedKVCache(8)])
    kv.reuse_prefix([1, 2])
    assert kv.layers
    kv.leave_slots()[0].update_and_fetch(mx.zeros((1, 1, 12, 4)), mx.zeros((1, 1, 12, 4)))
    assert kv.is_trimmable
    kv.leave_slots()[0].maybe_trim_front()
    assert not kv.is_trimmable


def test_window_is_kept_without_rest_of_last_chunk() -> None:
    """Trimming a window after the last chunk doesn't change what follows."""
    kv = SessionKV(lambda: [RotatingKVCache(max_size=8, keep=2)])
    kv.reuse_prefix([0] * 50)
    assert kv.layers
    kv.leave_slots()[0].update_and_fetch(*(mx.random.normal((1, 1, 40, 4)) for _ in range(2)))
    kv.record_chunk([0] * 40)
    kv.snapshot()
    assert kv.nbytes == kv.leave_slots()[0].nbytes + 2 * 8 * 4 * 4
    for length in (1, 3):
        more = mx.random.normal((1, 1, length, 4))
        whole, cut = clone(kv.leave_slots()[0]), clone(kv.last_snapshot.caches[0])
        assert mx.array_equal(
            whole.update_and_fetch(more, more)[0], cut.update_and_fetch(more, more)[0]
        )


def test_snapshot_keeps_only_its_recurrent_state() -> None:
    mx.clear_cache()  # MLX reuses freed buffers for slightly smaller arrays
    before = mx.get_active_memory()
    kv = SessionKV(lambda: [ArraysCache(1)])
    kv.reuse_prefix([0])
    kv.layers[0][0] = mx.random.normal((1, 64, 5000))[:, -1]
    mx.eval(kv.layers[0][0])
    kv.record_chunk([0])
    assert mx.get_active_memory() - before >= 64 * 5000 * 4
    kv.snapshot()
    kv.finish_reply()
    assert mx.get_active_memory() - before < 3 * 5000 * 4
    assert kv.nbytes == 2 * 5000 * 4


def test_unknown_cache_class_is_not_cloned() -> None:
    """Raise for unknown caches instead of sharing them, or both chats would write to the same
    cache.
    """

    class Window:
        def __init__(self) -> None:
            self.kept = mx.zeros((1, 4))

    with pytest.raises(TypeError, match="Window"):
        clone([KVCache(), Window()])
