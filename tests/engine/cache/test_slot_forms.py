"""Slots for each cache layout: full, windowed, quantized, latent and recurrent."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache
from msgspec.structs import replace

from engine import Engine, SamplingParams, TextDelta
from engine.bench.alone import compare
from engine.bench.random_models import write_model
from engine.bench.schedules import Schedule
from engine.bench.small_configs import small_config
from engine.cache import slot_policy
from engine.cache.cache_objects import clone, iterate_arrays
from engine.cache.session_kv import SessionKV
from engine.cache.slot_policy import ON_GPU, SlotPolicy
from engine.cache.slots import Slots
from engine.messages import RawPrompt
from engine.model import attention, backend
from engine.model.loader import load_blocking
from engine.model.probe import logit_difference
from engine.model.quantized_kv import quantized_caches
from engine.model.ragged import SlotScores, combine_caches
from tests.engine.cache.slotted import BOTH, KINDS, WINDOW, chat, same, same_caches, step
from tests.engine.families import FAMILIES

pytestmark = pytest.mark.stepped

EVERY = pytest.mark.parametrize("kind", KINDS)


@BOTH
def test_keys_survive_others_entering_and_leaving(policy: SlotPolicy) -> None:
    """Let windows wrap several times, with half-full rings next to wrapped ones."""
    choose, where, twins = random.Random(3), Slots(policy), {}
    chats: list[SessionKV] = []
    together: set[tuple[str, ...]] = set()
    for turn in range(70):
        if len(chats) < 8 and choose.random() < 0.35:
            chunks = [choose.choice((1, 5, WINDOW - 1, WINDOW, 40, 64)) for _ in range(2)]
            kv = chat(choose.choice(list(KINDS)), *chunks)
            twins[id(kv)] = kv.fork()
            chats.append(kv)
        some = [kv for kv in chats if choose.random() < 0.85]
        choose.shuffle(some)
        if len(some) > 1:
            step(where, some, twins)
            for buffer in where.buffers:
                forms = {tuple(type(c).__name__ for c in kv.layers) for kv in buffer.occupants}
                assert len(forms) == 1
                together |= forms
        if chats and turn % 9 == 8:
            gone = chats.pop(choose.randrange(len(chats)))
            assert same_caches(gone, twins[id(gone)])
            assert gone not in where.occupants
    assert len(together) == (len(KINDS) if policy.classes else 1)
    for kv in chats:
        assert same_caches(kv, twins[id(kv)])
    assert where.occupants == []
    assert where.arrays == []


@BOTH
@EVERY
def test_a_slot_is_overwritten_for_the_next_session(policy: SlotPolicy, kind: str) -> None:
    where, ill, well = Slots(policy), chat(kind, 40), chat(kind, 9)
    for array in iterate_arrays(ill.layers):
        if array.dtype == mx.float32:
            array[:] = float("nan")
    where.assign([well, ill])
    ill.drop()
    where.assign([well, chat(kind, 3), chat(kind, 5)])
    held = [array for arrays in where.arrays for array in arrays]
    assert len(held) == (14 if kind == "bits" else 6)
    assert all(bool(mx.isfinite(a).all()) for a in held if a.dtype == mx.float32)


@EVERY
def test_trimming_matches_in_and_after_a_slot(kind: str) -> None:
    """A ring that hasn't wrapped yet can be trimmed, the same as without slots."""
    where, kvs = Slots(ON_GPU), [chat(kind, 6), chat(kind, 9)]
    twins = {id(kv): kv.fork() for kv in kvs}
    for _ in range(4):
        step(where, kvs, twins)
    for kv in kvs:
        assert kv.trim_to(8) is twins[id(kv)].trim_to(8) is True
        assert same_caches(kv, twins[id(kv)])


def test_window_takes_only_its_size() -> None:
    where = Slots(ON_GPU)
    where.assign([chat("windows", 300), chat("windows", 310)])
    assert [keys.shape[1] for keys, _ in where.arrays[:2]] == [WINDOW, WINDOW]


def test_excluded_layers_keep_their_own_caches() -> None:
    kvs = [chat("windows", 9), chat("windows", 5), chat("bits", 9), chat("bits", 4)]
    where = Slots(replace(ON_GPU, bits=False))
    where.assign(kvs)
    assert [kv.slot_buffer is not None for kv in kvs] == [True, True, False, False]
    assert len(where.arrays) == 3
    where.policy = ON_GPU  # takes effect at the next step
    where.assign(kvs)
    assert all(kv.slot_buffer is not None for kv in kvs)
    assert len(where.arrays) == 6
    where.assign([])


WIDE = {"hidden_size": 128, "head_dim": 32}
ASKED: dict[str, tuple[dict[str, Any], tuple[int | None, ...]]] = {
    "sliding window": (FAMILIES["sliding window"], (None,)),
    "attention sinks": (FAMILIES["attention sinks"], (None,)),
    "MLA": (FAMILIES["MLA"], (None,)),
    "hybrid": (FAMILIES["hybrid recurrent"], (None,)),
    "bits": (FAMILIES["plain"] | WIDE, (8, None, 8, 8, None)),
    "windows and bits": (FAMILIES["sliding window"] | WIDE | {"query_pre_attn_scalar": 32}, ()),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("forms")

    def folder(name: str) -> Path:
        path = root / name.replace(" ", "-")
        return path if path.exists() else write_model(path, ASKED[name][0], scale=3.0)

    return folder


@pytest.fixture
def as_on_a_gpu(untried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(slot_policy.STARTING, "cpu", ON_GPU)


@pytest.fixture
def most(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    assign = Slots.assign

    def watched(self: Slots, *rows: Any) -> list[int]:
        order = assign(self, *rows)
        found.append(len(self.occupants))
        return order

    monkeypatch.setattr(Slots, "assign", watched)
    return found


def params(seed: int, tokens: int = 16) -> SamplingParams:
    return SamplingParams(max_tokens=tokens, temperature=0.9, seed=seed)


@pytest.mark.usefixtures("as_on_a_gpu")
@pytest.mark.parametrize("name", ["sliding window", "attention sinks", "MLA", "bits", "hybrid"])
@pytest.mark.turns(5)
def test_chats_in_slots_say_what_they_say_alone(
    engine: Engine,
    folders: Callable[[str], Path],
    most: list[int],
    name: str,
) -> None:
    model, bits = engine.load(folders(name)), ASKED[name][1]
    prompts = ["hello " * n for n in (1, 10, 3, 7, 4)]

    def session(number: int) -> Any:
        return engine.open_session(model, kv_bits=bits[number % len(bits)])

    alone = [session(n) for n in range(5)]
    expected = [alone[n].send(prompts[n], params(n)).tokens(60) for n in range(5)]
    then = [alone[n].send("and then?", params(n, 5)).tokens(60) for n in range(5)]
    most.clear()
    sessions = [session(n) for n in range(5)]
    replies = [sessions[n].send(prompts[n], params(n)) for n in range(3)]
    stopped = session(0).send("stop me " * 3, params(9, 200))
    next(iter(replies[2]))
    twin = sessions[2].fork()
    stopped.cancel()
    replies += [sessions[n].send(prompts[n], params(n)) for n in (3, 4)]
    assert [reply.tokens(60) for reply in replies] == expected
    again = [chat.send("and then?", params(n, 5)) for n, chat in enumerate(sessions)]
    assert [reply.tokens(60) for reply in again] == then
    assert twin.send("and then?", params(2, 5)).tokens(60)
    assert max(most) >= 2


@pytest.mark.usefixtures("as_on_a_gpu")
def test_random_schedules_with_slots_at_every_length(
    engine: Engine, folders: Callable[[str], Path]
) -> None:
    folder = folders("windows and bits")
    schedule = Schedule(engine, folder, 4)
    schedule.run(24)
    with Engine() as judge:
        found = compare(judge, folder, schedule.done, schedule.logits)
    assert found.faults == []
    assert found.ties <= 1
    assert found.replies >= 5


def test_latent_attention_multiplies_the_whole_buffer(folders: Callable[[str], Path]) -> None:
    model = load_blocking(folders("MLA"), wide=backend.start().prefers_float32)
    where, kvs = Slots(ON_GPU), []
    for length in (5, 9, 12):
        kv = SessionKV(model.new_caches)
        kv.set_caches(model.new_caches())
        model.net(mx.array([[7] * length]), cache=kv.layers)
        kvs.append(kv)
    rows = [kvs[row] for row in where.assign(kvs)]
    shared = combine_caches([kv.layers for kv in rows], where)[0]
    attention = model.net.layers[0].self_attn
    latent, rope = attention.kv_lora_rank, attention.qk_rope_head_dim
    given = [mx.random.normal((3, 1, 1, width)) for width in (latent, rope)]
    _, keys = shared.update_and_fetch(*given)
    left = mx.random.normal((3, 4, 1, rope))
    scores: Any = left @ keys.swapaxes(-1, -2)
    assert isinstance(scores, SlotScores)
    ((_, found),) = scores.parts
    assert found.shape == (3, 4, 1, 13)
    for row, kv in enumerate(rows):
        length = kv.layers[0].offset
        assert bool((found[row, :, :, length:] == float("-inf")).all())
        own = left[row] @ keys.rows[row][0].swapaxes(-1, -2)
        assert mx.allclose(scores.rows[row][0], own, atol=1e-5)
    for kv in kvs:
        kv.drop()


@pytest.mark.parametrize(
    ("name", "widens"),
    [
        ("sliding window", False),
        ("attention sinks", False),
        ("MLA", False),
        ("bits", False),
        ("bits", True),
    ],
)
def test_logits_with_mlx_attention_equal_chats_alone(
    folders: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, name: str, widens: bool
) -> None:
    """Use MLX's attention as on a GPU, without the engine's CPU implementations."""
    model = load_blocking(folders(name), wide=backend.start().prefers_float32)
    make = quantized_caches(model, 8).make if name == "bits" else model.new_caches
    where, kvs = Slots(ON_GPU), []
    for length in (5, 30, 12, 18):
        kv = SessionKV(make)
        kv.set_caches(make())
        model.net(mx.array([[(7 * i) % 250 for i in range(length)]]), cache=kv.layers)
        kvs.append(kv)
    twins = [clone(kv.layers) for kv in kvs]
    for token in (9, 4, 11):
        order = where.assign(kvs)
        assert len(where.occupants) == len(kvs)
        shared = combine_caches([kvs[row].layers for row in order], where)
        with monkeypatch.context() as patch:
            patch.setattr(attention, "_dequantizes", widens)  # as on CUDA
            got = model.net(mx.array([[token + row] for row in order]), cache=shared)
        for place, row in enumerate(order):
            own = model.net(mx.array([[token + row]]), cache=twins[row])
            assert logit_difference(got[place], own[0]) < 1e-3
    for kv in kvs:
        kv.drop()


# Recurrent state


def remembering(seed: int) -> SessionKV:
    kv = SessionKV(lambda: [ArraysCache(2), ArraysCache(2)])
    kv.reuse_prefix([0])
    mx.random.seed(seed)
    for cache in kv.layers:
        cache[0], cache[1] = mx.random.normal((1, 3, 4)), mx.random.normal((1, 5))
    kv.record_chunk([0])
    return kv


def move_on(caches: Sequence[Any], rows: int) -> None:
    for cache in caches:
        for index, shape in enumerate([(rows, 3, 4), (rows, 5)]):
            state = cache[index]
            assert state.shape == shape
            cache[index] = 0.5 * state + mx.arange(state[0].size).reshape(state.shape[1:])


def states(kv: SessionKV) -> list[Any]:
    return [state.tolist() for cache in kv.leave_slots() for state in cache.cache]


def holds(cache: Any) -> Any:
    return cache.cache if isinstance(cache, ArraysCache) else cache.keys_and_values()


def test_stacked_states_return_to_their_chats() -> None:
    choose, where = random.Random(2), Slots(ON_GPU)
    chats = [remembering(seed) for seed in range(6)]
    twins = {id(kv): kv.fork() for kv in chats}
    before: list[SessionKV] = []
    for turn in range(60):
        if turn % 3 == 0:  # keep the same rows for a few steps
            some = [kv for kv in chats if choose.random() < 0.7]
            choose.shuffle(some)
        rows = [some[row] for row in where.assign(some)]
        stacks = [state for layer in where.arrays for state in layer]
        shared = combine_caches([kv.layers for kv in rows], where)
        if len(rows) > 1:
            assert where.stack.members == rows
            read = [layer[index] for layer in shared for index in range(2)]
            assert all(a is b for a, b in zip(read, stacks, strict=True))  # no copies
            if rows == before:
                assert all(a.shape[0] == len(rows) for a in stacks)
        if rows:
            move_on(shared, len(rows))
        for kv in rows:
            move_on(twins[id(kv)].layers, 1)
        before = rows
        if turn % 7 == 6:
            kv = choose.choice(chats)
            assert states(kv) == states(twins[id(kv)])
            assert kv not in where.stack.members
    for kv in chats:
        assert states(kv) == states(twins[id(kv)])
    assert where.arrays == []


@pytest.mark.parametrize("name", ["array", "contiguous", "eval"])
@pytest.mark.parametrize("drops", [False, True])
def test_leaving_without_memory_keeps_other_states(
    monkeypatch: pytest.MonkeyPatch, name: str, drops: bool
) -> None:
    """Each session, including the one that leaves, keeps its states or loses them entirely."""

    def fail(*_: Any) -> None:
        raise RuntimeError("no memory")

    for make in (remembering, lambda length: chat("plain", length)):
        where, kvs = Slots(ON_GPU), [make(number) for number in (3, 4, 5, 6)]
        twins = [kv.fork() for kv in kvs]
        where.assign(kvs)
        with monkeypatch.context() as patch:
            patch.setattr(mx, name, fail)
            with contextlib.suppress(RuntimeError):
                kvs[0].drop() if drops else kvs[0].leave_slots()
        assert kvs[0].slot_buffer is None
        assert kvs[0].stack is None
        for kv, twin in zip(kvs, twins, strict=True):
            pairs = zip(kv.leave_slots(), twin.leave_slots(), strict=False)
            assert all(same(holds(cache), holds(own)) for cache, own in pairs)
        assert not drops or not kvs[0].leave_slots()


def test_missing_state_is_not_stacked() -> None:
    where, kvs = Slots(ON_GPU), [remembering(1), remembering(2)]
    kvs[1].layers[0].cache[1] = None
    where.assign(kvs)
    assert where.arrays == []
    assert kvs[0].layers[0].cache[0] is not None


def test_states_of_different_shapes_are_not_stacked() -> None:
    """Short chats can have smaller states, e.g. when a state holds the last few tokens."""
    where, kvs = Slots(ON_GPU), [remembering(seed) for seed in range(4)]
    where.assign(kvs[:2])
    kvs[2].layers[0].cache[0] = kvs[2].layers[0].cache[0][:, 1:]
    kvs[3].layers[0].cache[0] = None
    before = [kv.layers[0].cache[0] for kv in kvs[2:]]
    first, second = (kv.fork().layers[0].cache[0] for kv in kvs[:2])
    where.assign(kvs[:2])
    assert where.stack.members == kvs[:2]
    rows = [kvs[row] for row in where.assign(kvs)]
    assert where.stack.members == []
    read = combine_caches([kv.layers for kv in rows], where)[0][0]
    short = mx.concatenate([mx.zeros((1, 1, 4)), before[0]], axis=1)
    whole = mx.concatenate([first, second, short, mx.zeros((1, 3, 4))])
    assert bool(mx.array_equal(read, whole))


@pytest.mark.parametrize("family", ["hybrid recurrent", "pure recurrent"])
def test_one_token_prompt_leaves_other_states(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    model = engine.load(model_folder(family))
    asked = ["hello " * 3, RawPrompt("h"), "hello " * 7]

    def ask(number: int, tokens: int) -> Any:
        return engine.open_session(model).send(asked[number], params(number, tokens))

    alone = [ask(number, 80).tokens(60) for number in range(3)]
    others = [ask(0, 80), ask(2, 80)]
    for reply in others:
        next(event for event in reply if isinstance(event, TextDelta))
    short = ask(1, 80)
    assert [others[0].tokens(60), short.tokens(60), others[1].tokens(60)] == alone


def test_special_first_token_is_stepped_alone(engine: Engine, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "griffin", small_config("recurrent_gemma"), scale=3.0)
    model = engine.load(folder)

    def first() -> float:
        one = SamplingParams(max_tokens=1, temperature=0.0, logprobs=1)
        reply = engine.open_session(model).send(RawPrompt("h"), one)
        return next(e for e in reply if isinstance(e, TextDelta) and e.odds).odds[0].logprob

    alone = first()
    other = engine.open_session(model).send("hello " * 3, params(0, 2000))
    next(event for event in other if isinstance(event, TextDelta))
    assert abs(first() - alone) < 1e-3
    assert not other.done
    other.cancel()


def test_stacked_states_are_counted_and_freed_with_their_chat() -> None:
    where, kvs = Slots(ON_GPU), [remembering(seed) for seed in range(3)]
    each, kept = kvs[0].nbytes, states(kvs[2].fork())
    where.assign(kvs)
    assert [kv.nbytes for kv in kvs] == [each] * 3
    kvs[0].drop()
    assert where.stack.members == kvs[1:]
    assert states(kvs[2]) == kept
    kvs[1].drop()
    assert where.arrays == []


def test_unmovable_states_are_lost_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("no memory")

    where, kvs = Slots(ON_GPU), [remembering(seed) for seed in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(mx, "eval", fail)
        with pytest.raises(RuntimeError, match="no memory"):
            where.assign(kvs)
    for kv in kvs:  # as after a failed step
        assert not kv.leave_slots()
    assert where.stack.members == []
    kvs = [remembering(seed) for seed in range(2)]
    where.assign(kvs)
    with monkeypatch.context() as patch:
        patch.setattr(mx, "eval", fail)
        assert not kvs[0].leave_slots()
    assert where.stack.members == kvs[1:]
    assert states(kvs[1]) == states(remembering(1))
