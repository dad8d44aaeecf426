"""Decoding of several sessions from one buffer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ChunkedKVCache, KVCache, RotatingKVCache
from msgspec.structs import replace

from engine import Engine, Event, SamplingParams, TextDelta
from engine.cache import slot_policy
from engine.cache.session_kv import SessionKV
from engine.cache.slot_buffer import SlotBuffer
from engine.cache.slot_policy import ON_CPU, ON_GPU, SlotPolicy
from engine.cache.slots import Slots
from engine.cache.state_stack import StateStack
from tests.engine.cache import slotted
from tests.engine.cache.slotted import BOTH, DIM, HEADS, same_caches, step

pytestmark = pytest.mark.stepped

chat = partial(slotted.chat, "plain")


def test_long_chats_and_other_caches_get_no_slot() -> None:
    assert ON_CPU.below is not None
    where, long = Slots(ON_CPU), chat(ON_CPU.below)
    ring = SessionKV(lambda: [RotatingKVCache(8)])
    ring.reuse_prefix([0])
    ring.layers[0].update_and_fetch(*mx.random.normal((2, 1, HEADS, 3, DIM)))
    short = [chat(3), chat(4)]
    order = where.assign([long, short[0], ring, short[1]])
    assert where.occupants == short
    assert order == [1, 3, 0, 2]
    assert where.assign([long, short[0]]) == [0, 1]  # a lone session doesn't need a slot
    assert where.occupants == []


def test_chat_with_much_to_copy_keeps_its_own_caches() -> None:
    """Entering may copy the whole buffer, and no chat gets a token during the copy."""
    each = 3 * HEADS * DIM * 4 * 2  # bytes per token in three layers
    where, chats = Slots(replace(ON_CPU, max_bytes=46 * each)), [chat(50), chat(40), chat(45)]
    order = where.assign(chats)
    assert where.occupants == chats[1:]
    assert order == [1, 2, 0]
    assert where.assign(chats) == order  # no further attempts for it
    alone = Slots(replace(ON_CPU, max_bytes=44 * each))
    fresh = [chat(50), chat(40), chat(45)]
    assert alone.assign(fresh) == [0, 1, 2]  # a lone session doesn't need a slot
    assert alone.occupants == []


@BOTH
def test_leftovers_of_a_failed_step_are_dropped(
    policy: SlotPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, chats = Slots(policy), [chat(3), chat(4), chat(5), chat(6)]
    where.assign(chats)

    def fail(*_: Any) -> None:
        raise RuntimeError("the device has gone")

    monkeypatch.setattr(mx, "eval", fail)
    assert not chats[1].leave_slots()
    assert chats[1].length == 0
    chats[0].drop()
    assert where.occupants == []
    assert where.arrays == []


def test_buffer_shrinks_when_half_of_its_slots_are_used() -> None:
    where, chats = Slots(ON_CPU), [chat(3) for _ in range(8)]
    where.assign(chats)
    (buffer,), slots = where.buffers, []
    for kv in chats[:0:-1]:
        kv.drop()
        slots.append(len(buffer.split_slots(buffer.layers[0][0])))
    assert slots == [10, 10, 6, 6, 3, 3, 1]


def test_chats_sit_with_others_of_similar_length() -> None:
    """Group sessions by similar length and bound the padding. Outliers keep their own caches."""
    where, twins = Slots(ON_GPU), {}
    chats = [chat(n) for n in (5, 200, 1500, 3000, 1400, 1700, 9)]
    for kv in chats:
        twins[id(kv)] = kv.fork()
    for _ in range(3):
        step(where, chats, twins)
    assert [sorted(buffer.lengths) for buffer in where.buffers] == [
        [1403, 1503, 1703],
        [8, 12, 203],
    ]
    assert chats[3].slot_buffer is None
    for buffer in where.buffers:
        shortest, longest = min(buffer.lengths), max(buffer.lengths)
        assert longest - shortest <= max(256, shortest / 3)
    late = chat(3100)
    twins[id(late)] = late.fork()
    step(where, [*chats, late], twins)
    assert late.slot_buffer is chats[3].slot_buffer is not None
    for kv in (*chats, late):
        assert same_caches(kv, twins[id(kv)])
    assert where.arrays == []


def test_model_may_have_plain_caches_in_some_layers() -> None:
    """Plain layers use slots if the policy allows it, while other layers stay with their
    session.
    """

    def mixed(length: int) -> SessionKV:
        kv = SessionKV(lambda: [ChunkedKVCache(8), KVCache(), KVCache()])
        kv.reuse_prefix([0])
        for cache in kv.layers:
            cache.update_and_fetch(*mx.random.normal((2, 1, HEADS, length, DIM)))
        kv.record_chunk([0] * length)
        return kv

    chats = [mixed(20), mixed(3), mixed(40)]
    twins = {id(kv): kv.fork() for kv in chats}
    assert Slots(ON_CPU).assign(chats) == [0, 1, 2]
    assert [kv.slot_buffer for kv in chats] == [None, None, None]
    where = Slots(ON_GPU)
    for _ in range(12):
        step(where, chats, twins)
    assert len(where.arrays) == 2
    for kv in chats:
        assert same_caches(kv, twins[id(kv)])


def test_neighbors_in_a_buffer_may_stay_together() -> None:
    """Moving a chat copies its keys, so two chats that grow by a token per step must never be
    parted.
    """
    for shortest in (1, 100, 767, 768, 5000):
        longest = ON_GPU.max_length_with(shortest)
        for more in (1, 63, 1000, 9000):
            assert ON_GPU.max_length_with(shortest + more) >= longest + more


def test_long_buffers_grow_rarely_and_by_a_bounded_share() -> None:
    for length in (1, 1000, 8000, 100_000):
        assert (
            slot_policy.BLOCK <= ON_GPU.growth_tokens(length) <= max(slot_policy.BLOCK, length / 16)
        )
    where, chats = Slots(ON_GPU), [chat(2100), chat(2200)]
    where.assign(chats)
    capacity = {keys.shape[1] for keys, _ in where.arrays}
    assert all(2201 <= c <= 2201 + 2 * ON_GPU.growth_tokens(2201) for c in capacity)


def test_failure_while_entering_affects_only_entrants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The entering chats lose their caches but can be sent again, and the slots are unchanged."""
    where, chats = Slots(ON_GPU), [chat(1500), chat(1600)]
    real, calls = mx.eval, []

    def fail(*arrays: Any) -> None:
        calls.append(arrays)
        if len(calls) == 2:
            raise RuntimeError("no memory")
        real(*arrays)

    monkeypatch.setattr(mx, "eval", fail)
    with pytest.raises(RuntimeError, match="no memory"):
        where.assign(chats)
    for kv in chats:
        kv.drop()
    assert where.occupants == []
    assert where.arrays == []


def params(seed: int, tokens: int = 40) -> SamplingParams:
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed)


@pytest.mark.parametrize(
    "policy",
    [SlotPolicy(90, classes=False), SlotPolicy(None, classes=True, together=8)],
    ids=["one buffer", "classes"],
)
@pytest.mark.turns(2)
def test_chats_in_slots_say_what_they_say_alone(
    policy: SlotPolicy,
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    assign = Slots.assign

    def watched(self: Slots, *rows: Any) -> list[int]:
        self.policy = policy
        order = assign(self, *rows)
        seen.append(len(self.occupants))
        return order

    model = engine.load(model_folder("plain"))
    prompts = ["hello " * n for n in (1, 10, 3, 7)]

    def alone(number: int) -> list[int]:
        return engine.open_session(model).send(prompts[number], params(number, 160)).tokens(60)

    expected = [alone(n) for n in range(4)]
    monkeypatch.setattr(Slots, "assign", watched)
    sessions = [engine.open_session(model) for _ in prompts]
    late = sessions[3].send(prompts[3], params(3, 160))
    late.pause()

    def join(event: Event) -> None:
        if isinstance(event, TextDelta):
            late.resume()

    listeners = (None, None, join)
    replies = [sessions[n].send(prompts[n], params(n, 160), listeners[n]) for n in range(3)]
    replies.append(late)
    assert [reply.tokens(60) for reply in replies] == expected
    assert max(seen) >= 3
    assert engine.stats()["kv_bytes"] > 0


@pytest.mark.parametrize("family", ["plain", "hybrid recurrent"])
def test_reproducible_chat_leaves_other_slots_alone(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    family: str,
) -> None:
    left: list[Any] = []
    for place in (SlotBuffer, StateStack):

        def leave(self: Any, kv: Any, inner: Any = place.leave) -> None:
            left.append(kv)
            inner(self, kv)

        monkeypatch.setattr(place, "leave", leave)
    model = engine.load(model_folder(family))
    chats = [engine.open_session(model, reproducible=number == 0) for number in range(3)]
    replies = [chats[n].send("hello", params(n, 30)) for n in range(3)]
    assert all(reply.tokens(60) for reply in replies)
    assert 0 < len(left) < 15
