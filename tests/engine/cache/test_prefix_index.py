"""The prefix index finds the same prefixes as a linear search."""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm.models.cache import ArraysCache, KVCache

from engine.cache import prefix_index
from engine.cache.ledger import MIN_GAIN, CacheKey, CacheOffer
from engine.cache.prefix_index import PrefillingSession, PrefixIndex, _Node
from engine.cache.session_kv import DirtySets, SessionKV
from tests.slices import examples

KIND = ("model",)


class States(ArraysCache):
    def __init__(self) -> None:
        super().__init__(1)
        self[0] = mx.zeros((1, 4))


def caches(index: PrefixIndex, moved: set[Any], name: str, recurrent: bool) -> SessionKV:
    kv = SessionKV(lambda: [States()] if recurrent else [KVCache()])
    kv.dirty = DirtySets()
    kv.dirty.tokens = moved
    index.add(CacheKey("session", name), KIND, kv)
    return kv


def feed(kv: SessionKV, tokens: list[int]) -> None:
    for layer in kv.layers:
        if isinstance(layer, KVCache):
            keys = mx.zeros((1, 1, len(tokens), 1))
            layer.update_and_fetch(keys, keys)
    kv.record_chunk(tokens)


def linear(index: PrefixIndex, reader: PrefillingSession) -> int:
    others = [h.kv for h in index._holders.values() if h.kv is not reader.kv]
    best = max((kv.reusable_length(reader.tokens) for kv in others), default=0)
    least = reader.kv.length + MIN_GAIN
    return best if best >= least else 0


def nodes(index: PrefixIndex) -> list[_Node]:
    found, pending = [], list(index._roots.values())
    while pending:
        node = pending.pop()
        found.append(node)
        for key, child in node.children.items():
            assert child.parent is node
            assert child.edge[:4] == key
            assert child.depth == node.depth + len(child.edge)
            assert child.holders or len(child.children) > 1, "a node that nobody needs"
        pending += node.children.values()
    return found


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32))
def test_prefix_tree_agrees_with_linear_search(seed: int) -> None:
    chance = random.Random(seed)
    moved: set[Any] = set()
    index = PrefixIndex(0, moved)
    roots = [[chance.randint(0, 3) for _ in range(120)] for _ in range(2)]
    held = {str(n): caches(index, moved, str(n), chance.random() < 0.3) for n in range(6)}

    def prompt() -> list[int]:
        start = chance.choice(roots)[: chance.randint(0, 120)]
        return [*start, *(chance.randint(4, 9) for _ in range(chance.randint(1, 40)))]

    for _ in range(30):
        kv = chance.choice(list(held.values()))
        match chance.randint(0, 6):
            case 0 | 1:
                tokens = prompt()
                kv.reuse_prefix(tokens)
                if rest := tokens[kv.length : chance.randint(kv.length, len(tokens))]:
                    feed(kv, rest)
            case 2:
                if kv.layers and kv.length:
                    kv.snapshot()
            case 3:
                kv.drop()
            case 4:
                if kv.length and kv.is_trimmable:
                    kv.trim_to(chance.randint(0, kv.length))
            case 5:
                if kv.length:
                    kv.finish_reply()
            case 6:
                index.remove(kv)
                name = next(name for name, other in held.items() if other is kv)
                held[name] = caches(index, moved, name, chance.random() < 0.3)
        index.refresh()
        known = nodes(index)
        assert {h for node in known for h in node.holders} == {
            h for h in index._holders.values() if h.kv.length
        }
        asks = prompt()
        for own in (SessionKV(lambda: [KVCache()]), kv):
            reader = PrefillingSession(KIND, own, asks, len(asks) - 1, 0, False)
            if own.sharer_count > 1:
                continue
            offer = index.find_offer(reader)
            assert (offer.length if offer else 0) == linear(index, reader)
    for kv in held.values():
        index.remove(kv)
    index.refresh()
    assert len(nodes(index)) <= 1


def test_thousand_idle_chats_do_not_slow_a_turn() -> None:
    moved: set[Any] = set()
    index = PrefixIndex(0, moved)
    system = list(range(1000))
    for name in range(200):
        kv = caches(index, moved, str(name), False)
        kv.reuse_prefix([0])
        feed(kv, [*system, *([name] * 500)])
    index.refresh()
    asked: list[object] = []
    prompt = [*system, *([199] * 400), 7]
    reader = PrefillingSession(KIND, SessionKV(list), prompt, len(prompt) - 1, 0, False)
    reach = SessionKV.reusable_length

    def counting(self: SessionKV, *given: Any) -> int:
        asked.append(self)
        return reach(self, *given)

    SessionKV.reusable_length = counting  # type: ignore[method-assign]
    try:
        offer = index.find_offer(reader)
    finally:
        SessionKV.reusable_length = reach  # type: ignore[method-assign]
    assert offer is not None
    assert (offer.donor.name, offer.length) == ("199", 1400)
    assert len(asked) == 1
    version = index.version
    index.refresh()
    assert index.version == version


@pytest.mark.parametrize("how", ["cleared", "removed", "after a fault"])
def test_caches_are_freed_by_reference_count(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Release caches by reference count. A garbage collection could run much later, on any
    thread.
    """
    moved: set[Any] = set()
    index = PrefixIndex(0, moved)
    for name in range(3):
        kv = caches(index, moved, str(name), False)
        kv.reuse_prefix([0])
        feed(kv, [*range(50), name, *range(20)])
    index.refresh()
    held = [weakref.ref(kv) for kv in index._holders]
    gc.disable()
    try:
        if how == "after a fault":
            moved.add(kv)
            feed(kv, [1])
            with monkeypatch.context() as patched:
                patched.setattr(prefix_index, "_find_or_add_node", failing)
                index.refresh()
        for kv in index._holders:
            kv.dirty = None
        if how == "cleared":
            index.clear()
        else:
            for kv in list(index._holders):
                index.remove(kv)
        del kv
        assert [ref() for ref in held] == [None, None, None]
        assert not index._roots
    finally:
        gc.enable()


def test_session_whose_removal_failed_is_not_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moved: set[Any] = set()
    index = PrefixIndex(0, moved)
    prompt = list(range(100))
    for name in "one", "other":
        kv = caches(index, moved, name, name == "one")
        kv.reuse_prefix([0])
        feed(kv, prompt)
        if name == "one":
            kv.snapshot()
            feed(kv, [7] * 9)  # now twice in the tree
            gone = kv
    index.refresh()
    with monkeypatch.context() as patched:
        patched.setattr(prefix_index, "_prune", failing)
        with pytest.raises(RuntimeError):
            index.remove(gone)
    index.refresh()
    assert {h.key.name for node in nodes(index) for h in node.holders} == {"other"}
    own = SessionKV(lambda: [KVCache()])
    reader = PrefillingSession(KIND, own, prompt, len(prompt) - 1, 0, False)
    assert index.find_offer(reader) == CacheOffer(CacheKey("session", "other"), 99)


def failing(*_: object) -> Any:
    raise RuntimeError("[injected]")
