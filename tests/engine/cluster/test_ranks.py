"""An engine of two ranks returns the same tokens as one process."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import Engine, EngineError, Failed, Finished, Model, SamplingParams
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.cache.estimate import Weights
from engine.cluster import group, leader, rank, relay, sharding
from engine.cluster.group import Operation, TurnRecord
from engine.cluster.link import (
    CommandCancelled,
    CommandResult,
    Link,
    RelayedCommand,
)
from engine.cluster.processes import Rank, dead_rank_text
from engine.cluster.relay import rank_budget, version_difference
from engine.messages import Load
from engine.reply import Reply
from engine.runtime.admission import BUDGET_SHARE
from engine.runtime.candidate import Candidate
from engine.runtime.mailbox import CommandFuture, Mailbox
from tests.waiting import until

LONG = 120.0  # seconds; usually takes one on an idle machine
ARGUMENTS = st.lists(st.integers(0, 2**31 - 1) | st.booleans() | st.text()).map(tuple)
ORDERS = st.lists(st.builds(Operation, st.text(), ARGUMENTS)).map(tuple)


@given(st.builds(TurnRecord, st.integers(0, 2**31 - 1), ORDERS))
def test_record_survives_encoding(record: TurnRecord) -> None:
    data = group.encode(record)
    first, rest = data[: group.FIRST_BYTES], data[group.FIRST_BYTES :]
    assert len(first) == group.FIRST_BYTES
    assert group.remaining_bytes(first) == len(rest)
    assert len(rest) % 4 == 0
    assert group.decode(first + rest) == record


def test_only_long_record_needs_second_collective() -> None:
    step = group.encode(TurnRecord(1, (Operation("pass", (1, True, *range(1000, 1100))),)))
    prompt = group.encode(TurnRecord(1, (Operation("begin", (1, 0, *range(1000))),)))
    assert group.remaining_bytes(step) == 0
    assert group.remaining_bytes(prompt) == len(prompt) - group.FIRST_BYTES > 0


@pytest.mark.parametrize("data", [b"", b"\1\0\0\0", b"\1\0\0\0\x90", b"\3\0\0\0\x92\1\1"])
def test_invalid_record_is_rejected(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"truncated|Expected"):
        group.decode(data)


def test_rank_reports_end_of_loading_immediately(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression test: a rank that hung after a load was only noticed after a minute, which is the
    timeout of loading ranks.
    """
    monkeypatch.setattr(rank, "HEARTBEAT_S", 3600.0)
    told: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    link: Any = SimpleNamespace(send_message=told.put)
    loading = [True]
    pulse = rank.Heartbeat(link)

    def state() -> tuple[int, bool, bool]:
        now = loading[-1:]
        if not now:
            threading.Event().wait()  # forever: its daemon thread ends with the process
        return 0, True, now[0]

    pulse.state = state
    assert told.get(timeout=LONG)["loading"]
    loading.append(False)
    while told.get(timeout=LONG)["loading"]:
        pass  # skip reports sent before the load
    loading.clear()


def test_different_version_is_named() -> None:
    ours = {"protocol": "1", "mlx": "0.32.4"}
    link: Any = Link

    def why(**theirs: str) -> str | None:
        ranks = [
            Rank(0, link, {"versions": ours}),
            Rank(1, link, {"versions": {**ours, **theirs}}),
        ]
        return version_difference(ranks)

    assert why() is None
    said = why(mlx="0.31.0")
    assert said is not None
    assert said.startswith("Rank 1 has mlx 0.31.0, rank 0 has 0.32.4.")


def test_killed_rank_is_named_before_exited_ones() -> None:
    """Regression test: rank 0, which exits when its peer is gone, was reported as the lost rank."""
    ended = [subprocess.Popen([sys.executable, "-Sc", "raise SystemExit(1)"])]
    ended.append(subprocess.Popen([sys.executable, "-Sc", "input()"], stdin=subprocess.PIPE))
    link: Any = Link
    ranks = [Rank(number, link, {}, process) for number, process in enumerate(ended)]
    with ended[0], ended[1]:
        ended[0].wait()
        assert dead_rank_text(ranks) == "Rank 0 of 2 has died: it exited with status 1."
        ended[1].kill()
        assert dead_rank_text(ranks, LONG) == "Rank 1 of 2 has died: it was killed by signal 9."


def test_indivisible_model_is_refused_before_reading() -> None:
    llama = {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2}
    sharding.check_divisible("It", llama, 2)
    with pytest.raises(EngineError, match=r"4 attention heads.*3 ranks\. Use 2 or 4\.") as told:
        sharding.check_divisible("It", llama, 3)
    assert told.value.code == "unsupported_session"
    with pytest.raises(EngineError, match=r"type 'mamba2', which cannot be spread"):
        sharding.check_divisible("It", {"model_type": "mamba2"}, 2)


class Pair:
    rank, size = 0, 2

    def __init__(self) -> None:
        import mlx.core as mx

        self.mlx = mx.distributed.init()


def test_different_weights_or_plans_are_refused(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    engine.stats()  # the engine imports MLX first
    from engine.cluster.follower import Follower
    from engine.cluster.leader import Leader
    from engine.model import loader

    pair: Any = Pair()
    folder = model_folder("plain")
    said: list[dict[str, Any]] = []  # rank 1's replies to successive questions

    def tell(message: dict[str, Any]) -> None:
        if "question" in message:
            leading.handle_answer({**said.pop(0), "question": message["question"], "rank": 1})

    leading = Leader(pair, tell)
    checked_model = loader.check_model(folder, "It", {}, 0, None)

    def load(*answers: dict[str, Any]) -> None:
        said.extend(answers)
        for _ in leading.load(checked_model, wide=True):
            pass

    # A follower whose folder has other weights reports it and fails.
    answers: list[dict[str, Any]] = []
    follower = Follower(pair, answers.append)
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    asked = {"do": "load", "model": 1, "path": str(folder), "name": "It", "wide": True}
    asked["question"] = 1
    messages.put({**asked, "contents": "those of another"})
    messages.put({})
    with pytest.raises(KeyError):
        follower.follow(messages)
    assert [answer["refused"] for answer in answers] == ["the model folder has different contents"]
    with pytest.raises(EngineError, match=r"on rank 1: the model folder has different contents"):
        load(*answers)
    with pytest.raises(EngineError, match=r"rank 1 executes plans differently.*versions"):
        load({}, {"plans": -1})


# ---------------------------------------------------------------- two ranks


@pytest.fixture(scope="module")
def spread() -> Iterator[Engine]:
    with Engine(ranks=2) as engine:
        yield engine


def scene(engine: Engine, model: Model) -> list[list[int]]:
    def ask(seed: int, most: int = 10) -> SamplingParams:
        return SamplingParams(max_tokens=most, temperature=0.8, seed=seed)

    first, second = engine.open_session(model), engine.open_session(model, system="Be brief.")
    begun = first.send("Count the stars, please.", ask(1))
    joins = second.send("A longer question, " * 12, ask(2))  # prefills while the first decodes
    told = [begun, joins]
    for reply in told:
        reply.text(timeout=LONG)
    stopped = first.send("Go on and on.", ask(3, 5000))
    for event in stopped:
        if not isinstance(event, Finished) and len(stopped.tokens()) >= 4:
            stopped.cancel()
            break
    stopped.text(timeout=LONG)
    twin = second.fork()
    alone = engine.open_session(model, reproducible=True)
    both = [second.send("Left.", ask(4)), twin.send("Right.", ask(5))]
    both.append(alone.send("By myself, beside the others.", ask(6)))
    for reply in both:
        reply.text(timeout=LONG)
    second.close()
    form = SamplingParams(max_tokens=10, temperature=0.8, seed=7, grammar='start: "a" /[bc]{3,9}/')
    last = [twin.send("In a form.", form), alone.send("And again.", ask(8))]
    for reply in last:
        reply.text(timeout=LONG)
    return [r.tokens() for r in [*told, *both, *last]] + [stopped.tokens()[:4]]


def test_two_ranks_have_tokens_of_one(
    spread: Engine, engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    folder = model_folder("plain")
    model = spread.load(folder)
    alone = engine.load(folder)
    assert model.nbytes < alone.nbytes  # each rank holds a share of the weights
    assert scene(spread, model) == scene(engine, alone)


def test_budget_is_that_of_smallest_rank(spread: Engine) -> None:
    def ranks(*told: tuple[str, int]) -> list[Rank]:
        link: Any = Link
        return [Rank(n, link, {"machine": m, "memory": b}) for n, (m, b) in enumerate(told)]

    assert rank_budget(ranks(("here", 1000), ("there", 400)), None) == 340
    assert rank_budget(ranks(("here", 1000), ("here", 1000), ("there", 800)), None) == 425
    assert rank_budget(ranks(("here", 1000), ("here", 1000)), 600) == 300
    assert rank_budget(ranks(("here", 1000), ("there", 400)), 600) == 340
    assert rank_budget(ranks(("here", 400), ("there", 1000)), 600) == 600
    stats = spread.stats()
    least = min(rank["memory"] for rank in stats["ranks"])
    assert stats["memory_budget"] == int(least * BUDGET_SHARE) // 2


def test_unsupported_spread_is_reported(
    spread: Engine, model_folder: Callable[[str], Path]
) -> None:
    for ask in (spread.load, spread.estimate):
        with pytest.raises(EngineError) as refused:
            ask(model_folder("pure recurrent"))
        assert refused.value.code == "unsupported_session"


def test_estimate_is_of_one_rank(spread: Engine, engine: Engine, tmp_path: Path) -> None:
    """The embeddings, most of this model, are replicated on each rank."""
    config = {**small_config("qwen3"), "vocab_size": 4096, "hidden_size": 256}
    folder = write_model(tmp_path / "model", config, scale=3.0)

    def held() -> list[int]:
        return [rank["held"] for rank in spread.stats()["ranks"]]

    until(lambda: all(held()), LONG)
    before = held()
    alone, told = engine.estimate(folder, 1024), spread.estimate(folder, 1024)
    assert alone.weights / 2 < 0.8 * told.weights < told.weights < alone.weights
    assert 2 * told.caches == alone.caches
    model = spread.load(folder)
    assert told.weights == model.nbytes
    each = [was + model.nbytes for was in before]
    until(lambda: held() == pytest.approx(each, abs=model.nbytes / 50), LONG)  # as reported by MLX
    chat = spread.open_session(model)
    chat.send("a" * 900, SamplingParams(max_tokens=8, temperature=0.0)).tokens(timeout=LONG)
    assert told.caches == pytest.approx(spread.stats()["sessions"][chat.id]["kv_bytes"], rel=0.2)
    spread.unload(model)


def test_load_reserves_size_of_one_part(model_folder: Callable[[str], Path]) -> None:
    from engine.model import loader

    checked_model: Any = loader.check_model(model_folder("plain"), "It", {}, 8_000, None)
    candidate = Candidate(checked_model, checked_tokenizer=None)  # type: ignore[arg-type]
    part = replace(candidate, share=Weights(5_000, 9_000))
    assert part.request("", None, float32=False).min_bytes == 5_000
    assert part.request("", None, float32=True).preferred_bytes == 9_000
    assert replace(candidate, wide=16_000).request("", None, float32=True).preferred_bytes == 16_000


def test_spread_chats_use_quantized_caches(spread: Engine, engine: Engine, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", {**small_config("llama"), "head_dim": 32}, scale=3.0)
    params = SamplingParams(max_tokens=9, temperature=0.8, seed=3)

    def answer(engine: Engine) -> list[int]:
        session = engine.open_session(engine.load(folder), kv_bits=8)
        return session.send("Count all the stars, please. " * 3, params).tokens(timeout=LONG)

    assert answer(spread) == answer(engine)


def test_hung_rank_fails_each_reply_once(
    spread: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = spread.load(model_folder("plain"))
    pids = [rank["pid"] for rank in spread.stats()["ranks"]]
    told: dict[int, list[Any]] = {n: [] for n in range(3)}
    replies: list[Reply] = []
    for number in told:
        session = spread.open_session(model)
        params = SamplingParams(max_tokens=8000, temperature=1.0, seed=number, logit_bias={2: -1e9})
        replies.append(session.send("Go on.", params, told[number].append))
    for reply in replies:
        next(iter(reply))
    os.kill(pids[1], signal.SIGSTOP)
    for reply in replies:
        with pytest.raises(EngineError, match=r"Rank 1 of 2 has not answered") as lost:
            reply.text(timeout=LONG)
        assert lost.value.code == "engine_stopped"
    assert all(sum(isinstance(e, (Failed, Finished)) for e in each) == 1 for each in told.values())
    again = spread.load(model_folder("plain"))
    short = SamplingParams(max_tokens=4, temperature=0.0)
    assert len(spread.open_session(again).send("Hello", short).tokens()) <= 4
    until(lambda: not any(_runs(pid) for pid in pids), LONG)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class QuietRanks:
    def __init__(self, far: list[Link]) -> None:
        self._far = far

    def __call__(self, *_: Any) -> QuietRanks:
        return self

    def start(self) -> list[Rank]:
        near, far = Pipe()
        self._far.append(Link(far))
        return [Rank(0, Link(near), {})]

    def send_setup(self, _: dict[str, Any]) -> None:
        pass

    def kill(self) -> None:
        pass

    def close(self) -> None:
        for link in self._far:
            link.close()


@pytest.fixture
def relayed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[relay.Relay, Link]]:
    far: list[Link] = []
    monkeypatch.setattr(relay, "RankProcesses", QuietRanks(far))
    monkeypatch.setattr(relay, "version_difference", lambda _: None)
    monkeypatch.setattr(relay, "rank_budget", lambda *_: 1)
    monkeypatch.setattr(relay, "_SHUTDOWN_TIMEOUT_S", 0.0)
    made = relay.Relay(Mailbox(), ())
    try:
        yield made, far[0]
    finally:
        made.end("the test is over")


def test_relay_forgets_finished_commands(
    relayed: tuple[relay.Relay, Link],
) -> None:
    """Regression test: the relay kept each cancelled command."""
    made, far = relayed
    loads = [Load("here", CommandFuture(can_be_cancelled=True)) for _ in range(20)]
    for load in loads:
        made._relay_command(load)
        load.answer.cancel()
    assert not made._pending
    kept = Load("here", CommandFuture(can_be_cancelled=True))
    made._relay_command(kept)
    far_end = [far.receive(True)[0] for _ in range(41)]
    assert [type(m) for m in far_end[:4]] == [
        RelayedCommand,
        CommandCancelled,
        RelayedCommand,
        CommandCancelled,
    ]
    made._handle_message(CommandResult(far_end[-1].number, "the model"))
    assert kept.answer.result(0) == "the model"
    assert not made._pending


def test_journal_keeps_operations_of_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression test: operations added during a drain were lost, so followers kept those
    caches.
    """
    made, taken = leader.Journal(), list[Operation]()

    def order(name: str, arguments: tuple[int, ...]) -> Operation:
        taken.extend(made.drain())  # simulates the engine thread draining concurrently
        return Operation(name, arguments)

    monkeypatch.setattr(leader, "Operation", order)
    for number in range(10):
        made.add("free", number)
    taken.extend(made.drain())
    assert [o.arguments for o in taken] == [(n,) for n in range(10)]
