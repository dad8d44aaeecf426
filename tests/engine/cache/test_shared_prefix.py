"""Chats with the same beginning store it once."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache

from engine import Engine, Session
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.cache import shared_prefix
from engine.cache.cache_objects import clone
from engine.cache.session_kv import SessionKV
from engine.cache.shared_prefix import SharedPrefixKV, Split
from engine.cache.slot_policy import ON_CPU, ON_GPU, SlotPolicy
from engine.cache.slots import Slots
from engine.model import attention, backend
from engine.model.attention_parts import (
    PartialAttention,
    attend_with_score,
    combined_score,
    merge_by_score,
)
from engine.model.patches import dense
from engine.model.ragged import combine_caches
from tests.engine.cache.prompts import params
from tests.engine.families import FAMILIES

pytestmark = pytest.mark.usefixtures("all_cores")

STORY = "Listen to this story, all of you, and say how it goes on. " * 5
LAYERS, HEADS, DIM = 2, 2, 8


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_prefix, "MIN_TOKENS", 64)


def kv_bytes(engine: Engine, *sessions: Session) -> int:
    known = engine.stats()["sessions"]
    return sum(known[s.id]["kv_bytes"] for s in sessions)


@functools.cache
def alone(folder: Path, *turns: tuple[str, int]) -> list[list[int]]:
    with Engine() as engine:
        chat = engine.open_session(engine.load(folder))
        return [chat.send(text, params(seed)).tokens(60) for text, seed in turns]


@pytest.mark.usefixtures("soon")
def test_forks_share_memory_and_reply_as_alone(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    folder = model_folder("plain")
    chat = engine.open_session(engine.load(folder))
    first = chat.send(STORY, params(1)).tokens(60)
    before = kv_bytes(engine, chat)
    twins = [chat.fork() for _ in range(6)]
    replies = [twin.send(f"as {seed}?", params(seed)) for seed, twin in enumerate(twins)]
    said = [reply.tokens(60) for reply in replies]
    per_token = before / engine.stats()["sessions"][chat.id]["kv_tokens"]
    # At most 256 tokens per chat: its own tokens and unused allocated space.
    assert kv_bytes(engine, chat, *twins) < before + 6 * 256 * per_token
    for seed in (0, 3, 5):
        assert alone(folder, (STORY, 1), (f"as {seed}?", seed)) == [first, said[seed]]
    chat.close()
    twins[0].close()
    again = twins[3].send("and then?", params(9)).tokens(60)
    assert again == alone(folder, (STORY, 1), ("as 3?", 3), ("and then?", 9))[-1]


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "family",
    [  # in similar pairs
        *("sliding window", "attention sinks", "hybrid recurrent", "plamo2"),
        *("MLA", "longcat_flash", "falcon_h1", "baichuan_m1", "plamo", "afm7"),
    ],
)
@pytest.mark.turns(6)
def test_layers_that_grow_share_beside_those_that_do_not(
    family: str, engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """Windows and recurrent states belong to each chat, also at the end of the prompt.

    This includes layers with both kinds of state, and models that use keys outside of attention.
    """
    if family in FAMILIES:
        folder = model_folder(family)
    else:
        folder = write_model(tmp_path / family, small_config(family), scale=3.0)
    chat = engine.open_session(engine.load(folder))
    first = chat.send(STORY, params(1)).tokens(60)
    twins = [chat.fork() for _ in range(4)]
    known = engine.stats()["sessions"]
    assert {known[s.id]["kv_sharers"] for s in (chat, *twins)} == {5}
    replies = [twin.send(f"as {seed}?", params(seed)) for seed, twin in enumerate(twins)]
    said = [reply.tokens(60) for reply in replies]
    for seed in (0, 3):
        assert alone(folder, (STORY, 1), (f"as {seed}?", seed)) == [first, said[seed]]
    told = [{"role": "user", "content": STORY}]
    other = engine.open_session(chat.model)
    assert other.send(told, params(7)).tokens(60) == alone(folder, (STORY, 7))[0]
    assert engine.stats()["sessions"][other.id]["kv_sharers"] > 1


@pytest.mark.usefixtures("soon")
def test_edit_before_end_of_shared_prefix_works(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    folder = model_folder("plain")
    chat = engine.open_session(engine.load(folder))
    chat.send(STORY, params(1)).tokens(60)
    twin = chat.fork()
    for text in (STORY[:200], "short", STORY):
        told = [{"role": "user", "content": text}]
        assert twin.send(told, params(2)).tokens(60) == alone(folder, (text, 2))[0]
    went_on = alone(folder, (STORY, 1), ("and then?", 3))[-1]
    assert chat.send("and then?", params(3)).tokens(60) == went_on


@pytest.mark.usefixtures("soon")
def test_fork_on_disk_is_complete(tmp_path: Path, model_folder: Callable[[str], Path]) -> None:
    folder = model_folder("plain")
    with Engine(cache_dir=tmp_path) as engine:
        chat = engine.open_session(engine.load(folder), session_id="one")
        first = chat.send(STORY, params(1)).text(60)
        said = chat.fork("two").send("as who?", params(2)).text(60)
    with Engine(cache_dir=tmp_path) as engine:
        twin = engine.open_session(engine.load(folder), session_id="two")
        told = [
            {"role": "user", "content": STORY},
            {"role": "assistant", "content": first},
            {"role": "user", "content": "as who?"},
            {"role": "assistant", "content": said},
            {"role": "user", "content": "and then?"},
        ]
        reply = twin.send(told, params(3))
        turns = [(STORY, 1), ("as who?", 2), ("and then?", 3)]
        assert reply.tokens(60) == alone(folder, *turns)[-1]
        assert reply.stats.prompt_tokens - reply.stats.reused_tokens < 40


@pytest.mark.usefixtures("soon")
def test_reproducible_chat_shares_no_prefix(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model, reproducible=True)
    chat.send(STORY, params(1)).tokens(60)
    twins = [chat.fork() for _ in range(2)]
    for twin in twins:
        twin.send("as who?", params(2)).tokens(60)
    known = engine.stats()["sessions"]
    assert {known[s.id]["kv_sharers"] for s in (chat, *twins)} == {1}


def drawn(rows: int, length: int, latent: bool = False) -> list[mx.array]:
    shapes = [(1, DIM), (1, DIM // 2)] if latent else [(HEADS, DIM)] * 2
    return [mx.random.normal((rows, heads, length, width)) for heads, width in shapes]


def session(length: int, latent: bool = False) -> SessionKV:
    kv = SessionKV(lambda: [KVCache() for _ in range(LAYERS)], shares_prefix=True)
    kv.reuse_prefix([0])
    for cache in kv.layers:
        cache.update_and_fetch(*drawn(1, length, latent))
    kv.record_chunk(list(range(length)))
    return kv


def grown(kv: SessionKV, more: int, latent: bool = False) -> None:
    for cache in kv.leave_slots():
        cache.update_and_fetch(*drawn(1, more, latent))
    kv.record_chunk(list(range(more)))


def attended(queries: mx.array, shared: Any, keys: mx.array, values: mx.array) -> mx.array:
    """Attend like a model would. With latents, which act as keys and values, the positional part is
    added to the scores.
    """
    k, v = shared.update_and_fetch(keys, values)
    if keys.shape[1] == HEADS:
        return attention.attention(queries, k, v, shared, scale=0.5)
    scores = queries[..., : values.shape[3]] @ v.swapaxes(-1, -2)
    return attention.attention(queries, k, k, shared, scale=0.5, mask=scores)


@pytest.mark.usefixtures("soon")
def test_shared_bytes_are_counted_once_and_freed_last() -> None:
    kv = session(100)
    whole = kv.nbytes
    twins = [kv.fork() for _ in range(3)]
    everyone = [kv, *twins]
    assert sum(k.attributed_bytes for k in everyone) == pytest.approx(whole, abs=4)
    assert kv.sharer_count == 4
    for twin in twins[:2]:
        twin.drop()
    assert kv.sharer_count == 2
    del everyone, twin
    twins.clear()
    assert kv.sharer_count == 1
    assert kv.attributed_bytes == whole


@pytest.mark.usefixtures("soon")
def test_only_unwritten_forks_are_replaced_for_free() -> None:
    """Regression test: chats after a shared prefix counted as unwritten forever."""
    kv = session(100)
    twin = kv.fork()
    assert twin.is_fully_shared
    grown(twin, 5)
    assert not twin.is_fully_shared
    plain = SessionKV(kv.make)
    plain.replace_caches(kv.copy_prefix(20, room=True), kv.tokens[:20], [])
    twin = plain.fork()
    assert plain.is_fully_shared
    assert twin.is_fully_shared
    grown(twin, 1)
    assert not plain.is_fully_shared
    assert not twin.is_fully_shared


@pytest.mark.usefixtures("soon")
def test_copy_keeps_no_buffer_of_a_shared_prefix() -> None:
    before = mx.get_active_memory()
    kv = session(100)
    assert kv.make_shared_prefix()
    copy = kv.new_empty()
    copy.copy_from(kv, 40, room=False)
    kv.drop()
    assert mx.get_active_memory() - before == copy.nbytes


@pytest.mark.usefixtures("soon")
def test_fork_of_a_fork_shares_both_prefixes() -> None:
    kv = session(100)
    twin = kv.fork()
    grown(twin, 30)
    short = twin.fork()
    assert short.shared_prefix is twin.shared_prefix is kv.shared_prefix
    grown(twin, 100)
    deep = twin.fork()
    assert deep.shared_prefix is twin.shared_prefix is not kv.shared_prefix
    length = len(twin.tokens)
    whole = [kv.copy_prefix(length, room=False) for kv in (twin, deep)]
    for a, b in zip(*whole, strict=True):
        assert a.offset == b.offset == 230
        assert mx.array_equal(a.keys, b.keys)
        assert mx.array_equal(a.values, b.values)
    whole = [kv.copy_prefix(len(kv.tokens), room=False) for kv in (short, twin)]
    for a, b in zip(*whole, strict=True):
        assert mx.array_equal(a.keys[:, :, :130], b.keys[:, :, :130])
    assert kv.length == 100


@pytest.fixture(params=[False, True], ids=["as it is", "engaged"])
def ways(request: pytest.FixtureRequest) -> Iterator[None]:
    backend.start()
    if not request.param:
        yield
    else:
        with dense.engage():
            yield


def check(caches: list[SharedPrefixKV], n: int, mask: object) -> None:
    queries = mx.random.normal((len(caches), 4, n, DIM))
    keys: list[Split] = []
    values: list[Split] = []
    wanted = []
    for row, cache in enumerate(caches):
        k, v = cache.update_and_fetch(*mx.random.normal((2, 1, HEADS, n, DIM)))
        keys.append(k)
        values.append(v)
        whole = cache.concatenate(cache.offset, 0)
        wanted.append(
            mx.fast.scaled_dot_product_attention(
                queries[row : row + 1], *whole, scale=0.5, mask=mask
            )
        )
    got = attention.prefix_attention(queries, keys, values, 0.5, mask)
    assert mx.allclose(got, mx.concatenate(wanted), rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("soon", "ways")
def test_attention_over_two_pieces_equals_the_whole() -> None:
    mx.random.seed(3)
    first, second = session(100), session(3000)
    rows = [first, second, first.fork(), second.fork(), first.fork()]
    rows[1].make_shared_prefix()
    cut = first.fork()
    cut.reuse_prefix(list(range(70)))  # shares a shorter part of the same prefix
    for kv in (*rows, cut):
        grown(kv, 7)
    caches = [kv.layers[0] for kv in (*rows, cut)]
    assert all(type(b) is SharedPrefixKV for b in caches)
    check(caches, 1, None)
    check(caches[1:2], 1, None)
    check(caches[:1], 9, "causal")
    check(caches[1:2], 40, "causal")
    offset = caches[0].offset
    window = mx.arange(offset, offset + 5)[:, None] - mx.arange(offset + 5)
    # The window excludes the whole shared prefix.
    check(caches[:1], 5, (window >= 0) & (window < 4))


@pytest.mark.parametrize("sink", [None, 8.0])
@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
def test_one_score_has_the_weight_of_all_own_tokens(dtype: mx.Dtype, sink: float | None) -> None:
    """The combined score stays exact even after rounding to 16 bits. Prefix tokens all score 0."""
    tokens, shape = 4000, (1, 1, 1, 1)
    queries, keys = mx.zeros((1, 1, 1, 4), dtype), mx.zeros((1, 1, tokens + 1, 4), dtype)
    sinks = None if sink is None else mx.full(shape, sink, dtype)
    for weight in (-1e30, 0.0, 8.27, 8.28, 8.29, 8.3, 8.31, 40.0):
        own = PartialAttention(mx.ones(queries.shape, dtype), mx.full(shape, weight, mx.float32))
        score = combined_score(own, sinks, queries)
        found = attend_with_score([(queries, keys)], keys[:, :, :-1], 1, None, score)
        got = merge_by_score(found, own, score, sinks)
        others = tokens + (0 if sink is None else math.exp(sink))
        assert got.tolist()[0][0][0] == pytest.approx(
            [math.exp(weight) / (math.exp(weight) + others)] * 4, abs=2e-3
        )


def _repeated(keys: mx.array) -> mx.array:
    return mx.repeat(keys, 4 // keys.shape[1], axis=1).swapaxes(2, 3)


@pytest.mark.usefixtures("soon", "ways")
@pytest.mark.parametrize("latent", [False, True], ids=["plain", "latent"])
@pytest.mark.parametrize("policy", [ON_CPU, ON_GPU], ids=["one buffer", "classes"])
def test_slots_attend_to_own_prefix_and_tokens(policy: SlotPolicy, latent: bool) -> None:
    """Attention in slots matches each session on its own, as sessions come, go and fork at random.

    They use two different prefixes or none.
    """
    choose, where = random.Random(5), Slots(policy)
    mx.random.seed(5)
    begun = [session(length, latent) for length in (100, 300, 7)]
    twins: dict[int, SessionKV] = {}  # copies with the same content that never enter slots
    chats: list[SessionKV] = []
    together = 0
    for turn in range(60):
        if len(chats) < 7 and choose.random() < 0.5:
            kv = choose.choice(begun).fork()
            grown(kv, choose.choice((1, 4, 70)), latent)
            chats.append(kv)
            twins[id(kv)] = kv.fork()
        if len(chats) > 2 and turn % 8 == 7:
            fork = chats[0].fork()
            grown(fork, 1, latent)
            chats[0] = fork
            twins[id(fork)] = fork.fork()
        some = [kv for kv in chats if choose.random() < 0.8]
        if not some:
            continue
        rows = [some[row] for row in where.assign(some)]
        together = max(together, sum(bool(kv.slot_buffer and kv.shared_prefix) for kv in chats))
        for layer, shared in enumerate(combine_caches([kv.layers for kv in rows], where)):
            keys, values = drawn(len(rows), 1, latent)
            queries = mx.random.normal((len(rows), 4, 1, DIM))
            got = attended(queries, shared, keys, values)
            for row, kv in enumerate(rows):
                this = slice(row, row + 1)
                alone = twins[id(kv)].layers[layer]
                if latent:  # a single session with its prefix
                    held = clone(alone)
                    by_itself = attended(queries[this], held, keys[this], values[this])
                    assert mx.allclose(got[this], by_itself, rtol=1e-4, atol=1e-5)
                alone.update_and_fetch(keys[this], values[this])
                if isinstance(alone, SharedPrefixKV):
                    whole = alone.concatenate(alone.offset, 0)
                else:
                    whole = alone.keys_and_values()
                q, k, v = queries[this], *whole
                if latent:  # both products concatenated
                    q = mx.concatenate([q, q[..., : v.shape[3]] / 0.5], axis=-1)
                    k, v = mx.concatenate([k, v], axis=-1), k
                wanted = mx.softmax(0.5 * q @ _repeated(k), axis=-1) @ _repeated(v).swapaxes(2, 3)
                assert mx.allclose(got[this], wanted, rtol=1e-4, atol=1e-5)
        for kv in rows:
            kv.record_token(0)
            twins[id(kv)].record_token(0)
    assert together > 3
    for kv in chats:
        for a, b in zip(
            kv.copy_prefix(kv.length, room=False),
            twins[id(kv)].copy_prefix(kv.length, room=False),
            strict=True,
        ):
            assert mx.array_equal(a.keys, b.keys)
            assert mx.array_equal(a.values, b.values)
    assert where.occupants == []
