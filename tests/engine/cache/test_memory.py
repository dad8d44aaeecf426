"""Memory use stays within the budget with shared prefixes, evictions and faults."""

from __future__ import annotations

import io
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm.models.cache import KVCache

from engine import Engine, Reply, SamplingParams, Session
from engine.bench.limits import short_prefixes
from engine.cache import cache_file, session_kv, shared_prefix
from engine.cache.cache_file import (
    CacheImage,
    create_image,
    read_contents,
    read_record,
    restore_caches,
)
from engine.cache.cache_objects import iterate_arrays
from engine.cache.ledger import CacheKey
from engine.cache.offload import Offload
from engine.cache.session_kv import SessionKV
from engine.model.sliced_pass import run_to_end
from engine.runtime import admission, preparing
from engine.runtime import commands as reception
from engine.runtime import memory as memory_module
from engine.runtime.memory import Memory, Tally
from engine.runtime.plan import Idle
from engine.stepping import SteppedEngine
from tests.torture import memory as memory_run
from tests.torture.memory import STORY, write_wide

FEW = SamplingParams(max_tokens=4, seed=1)
CALM = {3: -1e9, 4: -1e9, 2: -1e9}  # keep the random model from thinking or ending early
WAIT = 120


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wide(tmp_path_factory.mktemp("wide") / "model")


@pytest.fixture
def soon() -> Iterator[None]:
    with short_prefixes(memory_run.PREFIX):
        yield


def held(engine: Engine) -> int:
    stats = engine.stats()
    return int(stats["weights_bytes"] + stats["kv_bytes"] + stats["prefix_bytes"])


def family(engine: Engine, folder: Path, forks: int) -> list[Session]:
    chat = engine.open_session(engine.load(folder), "first")
    chat.send(STORY, FEW).tokens(WAIT)
    twins = [chat.fork(f"fork {n}") for n in range(forks)]
    for n, twin in enumerate(twins):
        twin.send(f"as {n}?", FEW).tokens(WAIT)
    return [chat, *twins]


def test_shared_prefix_is_freed_with_its_last_holder() -> None:
    """Regression test: three chats were each credited with a third of their shared prefix."""
    idle = [Idle(f"c{n}", 10, n, group=1, shared=90) for n in range(3)]
    assert admission.choose_evictions(110, idle, ()) == (["c0"], 110)
    assert admission.choose_evictions(100, idle, ()) == (["c0", "c1"], 100)
    assert admission.choose_evictions(99, idle, ()) == (["c0", "c1", "c2"], 0)
    assert admission.choose_evictions(0, idle, {1}) == (
        ["c0", "c1", "c2"],
        0,
    )  # the shared 90 stay: another chat has them
    bare = [Idle("twin", 0, 0.0, 1, 90), Idle("own", 5, 1.0)]
    assert admission.choose_evictions(0, bare, {1}) == (
        ["own"],
        0,
    )  # evicting the twin would free nothing


@pytest.mark.usefixtures("soon")
def test_evicting_forks_counts_only_freed_memory(wide: Path) -> None:
    """Regression test: a chat was admitted although evicting a fork hadn't freed the shared
    prefix.
    """
    with Engine() as roomy:
        family(roomy, wide, 7)
        all_of_them = held(roomy)
    budget = all_of_them + (1 << 20)
    with Engine(budget) as engine:
        chats = family(engine, wide, 7)
        running = chats[-1].send("go on", SamplingParams(max_tokens=12, seed=2, logit_bias=CALM))
        next(iter(running))
        running.pause()
        other = engine.open_session(chats[0].model, "other")
        reply = other.send("x " * 300, SamplingParams(max_tokens=4, seed=3))
        for _ in range(60):
            assert held(engine) <= budget
            if reply.done:
                break
        running.resume()
        assert reply.tokens(WAIT)
        assert running.tokens(WAIT)
        assert held(engine) <= budget


def story_of(tokens: int) -> SessionKV:
    kv = SessionKV(lambda: [KVCache() for _ in range(4)], shares_prefix=True)
    kv.reuse_prefix([0])
    for cache in kv.layers:
        cache.update_and_fetch(*mx.random.normal((2, 1, 2, tokens, 16)))
    kv.record_chunk(list(range(tokens)))
    mx.eval(list(iterate_arrays(kv.layers)))
    return kv


@pytest.mark.usefixtures("soon")
def test_shared_prefix_is_written_without_a_copy(tmp_path: Path) -> None:
    """Regression test: to free memory, the prefix and a chat's own tokens were first
    concatenated.
    """
    kv = story_of(4000)
    twin = kv.fork()
    for cache in twin.leave_slots():
        cache.update_and_fetch(*mx.random.normal((2, 1, 2, 50, 16)))
    twin.record_chunk(list(range(50)))
    assert twin.shared_prefix is not None
    mx.eval(list(iterate_arrays(twin.layers)))
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    image = create_image(twin, "kind")
    stream = io.BytesIO()
    image.write(stream)
    assert mx.get_peak_memory() - before < twin.nbytes / 20
    path = tmp_path / "twin.safetensors"
    path.write_bytes(stream.getvalue())
    contents = read_contents(path, read_record(path))
    again = twin.new_empty()
    run_to_end(restore_caches(again, contents))
    for cache, whole in zip(again.layers, twin.copy_prefix(4050, room=False), strict=True):
        assert cache.offset == 4050
        assert mx.array_equal(cache.keys, whole.keys)
        assert mx.array_equal(cache.values, whole.values)


def stuck_disk(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Hold back each cache file until the returned event is set."""
    go_on, write = threading.Event(), CacheImage.write

    def stuck(image: CacheImage, stream: Any) -> None:
        assert go_on.wait(WAIT)
        write(image, stream)

    monkeypatch.setattr(cache_file.CacheImage, "write", stuck)
    return go_on


@pytest.mark.usefixtures("soon")
def test_admission_waits_for_the_disk(
    wide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Caches that are being written count, so the next chat waits until they are freed."""
    with Engine() as roomy:
        family(roomy, wide, 0)
        # Chunk sizes follow the machine's speed and caches grow in chunks, so two of these caches
        # can differ by 1.8 MB. A cache larger than the budget isn't written to disk.
        budget = held(roomy) + (3 << 20)
    go_on = stuck_disk(monkeypatch)
    with Engine(budget, tmp_path) as engine:
        family(engine, wide, 0)
        other = engine.open_session(engine.load(wide), "other")
        reply = other.send(STORY, FEW)
        end = time.monotonic() + WAIT
        while not (stats := engine.stats())["writing_bytes"]:
            assert not reply.done, "it had room"
            assert time.monotonic() < end, stats["queue"]
        assert stats["writing_bytes"] > 4 << 20
        for _ in range(20):
            assert engine.stats()["queue"] == ["other"]
        go_on.set()
        assert reply.tokens(WAIT)
        assert engine.stats()["writing_bytes"] == 0  # freed without any other command


def test_relief_reports_only_freed_memory(
    wide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report only memory that's already free, not caches still being written."""
    go_on = stuck_disk(monkeypatch)
    with Engine(cache_dir=tmp_path) as engine:
        family(engine, wide, 0)
        before = engine.stats()["memory_in_use"]
        told = engine.relieve_later().result(WAIT)
        assert told <= before - engine.stats()["memory_in_use"] + (1 << 18)
        go_on.set()


@pytest.mark.parametrize("work", ["a prompt", "a count", "texts"])
def test_unloaded_model_is_freed_while_a_worker_prepares(
    wide: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    """Regression test: a worker kept the model alive, so unloading freed nothing."""
    go_on, begun = threading.Event(), threading.Event()

    def slow(known: Callable[..., Any]) -> Callable[..., Any]:
        def slowly(*given: Any) -> Any:
            begun.set()
            assert go_on.wait(WAIT)
            return known(*given)

        return slowly

    from engine.runtime import embedder as embedding

    monkeypatch.setattr(reception, "prepare", slow(preparing.prepare))
    monkeypatch.setattr(reception, "count", slow(preparing.count))
    monkeypatch.setattr(embedding, "_tokens", slow(embedding._tokens))
    with Engine() as engine:
        before = engine.stats()["memory_in_use"]
        model = engine.load(wide)
        if work == "a prompt":
            engine.open_session(model).send("hello", FEW)
        elif work == "a count":
            engine.count_later(model, "hello")
        else:
            engine.embed_later(model, ["hello"])
        assert begun.wait(WAIT)
        assert engine.stats()["memory_in_use"] - before >= model.nbytes
        engine.unload(model)
        try:
            assert engine.stats()["memory_in_use"] - before < model.nbytes / 20
        finally:
            go_on.set()


@pytest.mark.usefixtures("soon")
def test_admission_respects_memory_after_a_fault(wide: Path) -> None:
    """Regression test: after their shared pass failed, the forks all started together, and each of
    them read the whole story.
    """
    params = SamplingParams(max_tokens=24, seed=1, logit_bias=CALM)

    def begun(engine: Engine) -> list[Reply]:
        chats = family(engine, wide, 7)
        replies = [twin.send("go on", params) for twin in chats[1:]]
        for reply in replies:
            next(iter(reply))
        chats[0].close()
        return replies

    with SteppedEngine() as roomy:
        replies = begun(roomy)
        said = [reply.tokens(WAIT) for reply in replies]
        needed = held(roomy)
    budget = needed + needed // 2
    with memory_run.watched() as seen, SteppedEngine(budget) as engine:
        replies = begun(engine)
        assert not any(reply.done for reply in replies)
        seen.faults = 1
        assert [reply.tokens(WAIT) for reply in replies] == said
        assert seen.faults == 0
    assert seen.promised <= budget + memory_run.SLACK
    assert seen.counted <= budget + memory_run.SLACK


def test_thousand_idle_chats_are_not_visited(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression test: each message and each stats call measured the caches of every chat."""
    first = engine.open_session(engine.load(model_folder("plain")))
    first.send("hello", FEW).tokens(WAIT)
    chats = [first, *(first.fork() for _ in range(999))]
    assert len(engine.stats()["sessions"]) == 1000
    measured = [0]

    def counted_leaves(value: Any) -> Any:
        measured[0] += 1
        return iterate_arrays(value)

    monkeypatch.setattr(session_kv, "iterate_arrays", counted_leaves)
    chats[500].send("and now?", FEW).tokens(WAIT)
    assert measured[0] < 20
    measured[0] = 0
    stats = engine.stats()
    assert measured[0] < 5
    assert stats["sessions"][chats[500].id]["kv_tokens"] > stats["sessions"][first.id]["kv_tokens"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_running_sum_of_bytes_equals_a_recount(seed: int) -> None:
    pick = random.Random(seed)
    before, shared_prefix.MIN_TOKENS = shared_prefix.MIN_TOKENS, 64
    try:
        tally, kvs = Tally(), [story_of(100)]
        used: set[SessionKV] = set()
        kvs[0].dirty = tally.dirty
        kvs[0].mark_size_changed()
        for _ in range(30):
            kv, action = pick.choice(kvs), pick.random()
            if action < 0.4:
                twin = kv.fork() if action < 0.3 else kv.new_empty()
                if action >= 0.3 and kv.length:
                    twin.copy_from(kv, pick.randint(1, kv.length))
                twin.dirty = tally.dirty
                twin.mark_size_changed()
                kvs.append(twin)
            elif action < 0.6 and kv.length:
                for cache in kv.leave_slots():
                    cache.update_and_fetch(*mx.random.normal((2, 1, 2, 20, 16)))
                kv.record_chunk(list(range(20)))
            elif action < 0.7 and kv.length > 1:
                kv.trim_to(pick.randint(1, kv.length))
            elif action < 0.8:
                kv.drop()
            elif action < 0.9:
                (used.discard if kv in used else used.add)(kv)
                kv.mark_size_changed()
            else:
                kvs.remove(kv)
                kv.drop()
                tally.forget(kv)
                used.discard(kv)
                kvs = kvs or [story_of(10)]
            tally.refresh(used)
            parts = [kv.cache_bytes for kv in kvs if kv not in used and kv.dirty is not None]
            groups = {p.group: p.shared for p in parts if p.group}
            assert tally.nbytes == sum(p.own for p in parts) + sum(groups.values())
            assert set(tally.groups) == set(groups)
    finally:
        shared_prefix.MIN_TOKENS = before


def test_shared_cache_being_written_is_not_free_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Regression test: memory shared by a chat and its fork counted as free before it was."""
    go_on, write = threading.Event(), CacheImage.write

    def slow(image: CacheImage, stream: io.BufferedIOBase) -> None:
        assert go_on.wait(WAIT)
        write(image, stream)

    monkeypatch.setattr(CacheImage, "write", slow)
    budget = 12 * 10**6
    offload = Offload(tmp_path / "disk", 10 * budget)
    sessions: dict[str, Any] = {}
    memory = Memory(budget, offload, {}, sessions, {})
    monkeypatch.setattr(memory_module, "PENDING_SHARE", 1.0)
    first = story_of(9000)
    for name, kv in (("first", first), ("fork", first.fork())):
        sessions[name] = SimpleNamespace(
            id=name,
            key=CacheKey("session", name),
            kind=(),
            kv=kv,
            used_at=0.0,
            fingerprint="f",
            file=name,
        )
        sessions[name].is_running = False
        memory.add(sessions[name])
    nbytes = first.nbytes
    del first, kv
    assert memory.view((), 0, False).idle_bytes == nbytes > 9 * 10**6
    try:
        room = find_room(memory, 8 * 10**6)
        assert room is not None
        assert room.evict
        memory.evict(room.evict)
        assert find_room(memory, 8 * 10**6) == admission.Room(False)  # it waits
        assert memory.writing_bytes == nbytes
    finally:
        go_on.set()
    offload.close()
    assert find_room(memory, 8 * 10**6) == admission.Room(True)


def find_room(memory: Memory, nbytes: int) -> admission.Room | None:
    return admission.MemoryBudget((), memory.view((), nbytes, False)).find_room(nbytes)


BUDGET = 18 * 10**6


# `python -m tests.torture memory` runs many of these.
def test_memory_stays_within_the_budget(wide: Path) -> None:
    roomy = memory_run.run(wide, 1, None, None, 40)  # without memory pressure
    assert roomy.counted > 1.3 * BUDGET
    beside = roomy.beside  # bytes of passes that aren't counted
    seen = memory_run.run(wide, 0, BUDGET, wide.parent / "disk", 20, slow_disk=0.01)
    assert seen.counted <= BUDGET + memory_run.SLACK
    assert seen.peak <= BUDGET + memory_run.SLACK + 1.5 * beside
