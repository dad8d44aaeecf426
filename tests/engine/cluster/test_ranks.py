"""An engine as two ranks on the loopback: the same tokens as one, and nobody left waiting."""

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
from engine.cluster.group import Order, Record
from engine.cluster.link import Answered, Asked, Called, Link, Unasked
from engine.cluster.processes import Rank, died
from engine.cluster.relay import budget_of, differing
from engine.messages import Load, UnloadIdle
from engine.reply import Reply
from engine.runtime.admission import BUDGET_SHARE
from engine.runtime.examining import Candidate
from engine.runtime.workers import Answer, Mailbox
from tests.waiting import until

LONG = 120.0  # seconds for what takes one on a machine with nothing else to do
ARGUMENTS = st.lists(st.integers(0, 2**31 - 1) | st.booleans() | st.text()).map(tuple)
ORDERS = st.lists(st.builds(Order, st.text(), ARGUMENTS)).map(tuple)


@given(st.builds(Record, st.integers(0, 2**31 - 1), ORDERS))
def test_record_is_decoded_as_it_was_encoded(record: Record) -> None:
    data = group.encode(record)
    first, rest = data[: group.SIZE], data[group.SIZE :]
    assert len(first) == group.SIZE
    assert group.bytes_after(first) == len(rest)
    assert len(rest) % 4 == 0
    assert group.decode(first + rest) == record


def test_only_a_long_prompt_takes_a_second_collective() -> None:
    step = group.encode(Record(1, (Order("pass", (1, True, *range(1000, 1100))),)))
    prompt = group.encode(Record(1, (Order("begin", (1, 0, *range(1000))),)))
    assert group.bytes_after(step) == 0
    assert group.bytes_after(prompt) == len(prompt) - group.SIZE > 0


@pytest.mark.parametrize("data", [b"", b"\1\0\0\0", b"\1\0\0\0\x90", b"\3\0\0\0\x92\1\1"])
def test_other_bytes_are_no_record(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"truncated|Expected"):
        group.decode(data)


def test_a_rank_tells_at_once_that_it_no_longer_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then it may be silent for a minute: one that hung just after a load was waited for."""
    monkeypatch.setattr(rank, "BEAT", 3600.0)
    told: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    link: Any = SimpleNamespace(tell=told.put)
    loading = [True]
    pulse = rank.Pulse(link)

    def state() -> tuple[int, bool, bool]:
        now = loading[-1:]
        if not now:
            threading.Event().wait()  # for ever: its thread ends with the process
        return 0, True, now[0]

    pulse.state = state
    assert told.get(timeout=LONG)["loading"]
    loading.append(False)
    while told.get(timeout=LONG)["loading"]:
        pass  # those that it had told before
    loading.clear()


def test_other_versions_are_named() -> None:
    ours = {"protocol": "1", "mlx": "0.32.4"}
    link: Any = Link

    def why(**theirs: str) -> str | None:
        ranks = [
            Rank(0, link, {"versions": ours}),
            Rank(1, link, {"versions": {**ours, **theirs}}),
        ]
        return differing(ranks)

    assert why() is None
    said = why(mlx="0.31.0")
    assert said is not None
    assert said.startswith("Rank 1 has mlx 0.31.0, rank 0 has 0.32.4.")


def test_of_ranks_that_are_gone_the_one_that_was_killed_is_named() -> None:
    """Rank 0 had ended because its peer had gone, and was told as the one that was lost."""
    ended = [subprocess.Popen([sys.executable, "-Sc", "raise SystemExit(1)"])]
    ended.append(subprocess.Popen([sys.executable, "-Sc", "input()"], stdin=subprocess.PIPE))
    link: Any = Link
    ranks = [Rank(number, link, {}, process) for number, process in enumerate(ended)]
    with ended[0], ended[1]:
        ended[0].wait()
        assert died(ranks) == "Rank 0 of 2 has died: it has ended with status 1."
        ended[1].kill()
        assert died(ranks, LONG) == "Rank 1 of 2 has died: it was ended by signal 9."


def test_what_cannot_be_divided_is_refused_before_it_is_read() -> None:
    llama = {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2}
    sharding.check("It", llama, 2)
    with pytest.raises(EngineError, match=r"4 attention heads.*3 ranks\. Take 2 or 4\.") as told:
        sharding.check("It", llama, 3)
    assert told.value.code == "unsupported_session"
    with pytest.raises(EngineError, match=r"type 'mamba2', which cannot be spread"):
        sharding.check("It", {"model_type": "mamba2"}, 2)


class Pair:
    """The group of two ranks as one of them sees it, whose other one is played by a test."""

    rank, size = 0, 2

    def __init__(self) -> None:
        import mlx.core as mx

        self.mlx = mx.distributed.init()


def test_other_weights_and_other_plans_are_refused_at_the_hand_shake(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    engine.stats()  # MLX is imported by an engine first
    from engine.cluster.follower import Files, Follower
    from engine.cluster.leader import Leader
    from engine.model import loader

    pair: Any = Pair()
    folder = model_folder("plain")
    said: list[dict[str, Any]] = []  # by rank 1, to each question that it is asked

    def tell(message: dict[str, Any]) -> None:
        if "question" in message:
            leading.hear({**said.pop(0), "question": message["question"], "rank": 1})

    leading = Leader(pair, tell)
    examined = loader.examine(folder, "It", {}, 0, None)

    def load(*answers: dict[str, Any]) -> None:
        """Load it on rank 0; rank 1 answers so."""
        said.extend(answers)
        for _ in leading.load(examined, wide=True):
            pass

    # What a follower says whose folder has other weights, and what comes of it.
    answers: list[dict[str, Any]] = []
    follower = Follower(pair, answers.append, Files(None, 0, answers.append))
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    asked = {"do": "load", "model": 1, "path": str(folder), "name": "It", "wide": True}
    asked["question"] = 1
    messages.put({**asked, "contents": "those of another"})
    messages.put({})
    with pytest.raises(KeyError):
        follower.run(messages)
    assert [answer["refused"] for answer in answers] == ["its model folder has other contents"]
    with pytest.raises(EngineError, match=r"on rank 1: its model folder has other contents"):
        load(*answers)
    with pytest.raises(EngineError, match=r"rank 1 would carry out plans in another way.*versions"):
        load({}, {"plans": -1})


# ---------------------------------------------------------------- two ranks


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the ranks keep caches of chats that were closed."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def spread(kept: Path) -> Iterator[Engine]:
    with Engine(ranks=2, cache_dir=kept) as engine:
        yield engine


def scene(engine: Engine, model: Model) -> list[list[int]]:
    """The tokens of chats that join, are forked, stopped and asked again."""

    def ask(seed: int, most: int = 10) -> SamplingParams:
        return SamplingParams(max_tokens=most, temperature=0.8, seed=seed)

    first, second = engine.open_session(model), engine.open_session(model, system="Be brief.")
    begun = first.send("Count the stars, please.", ask(1))
    joins = second.send("A longer question, " * 12, ask(2))  # is read while the first decodes
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


def test_two_ranks_give_the_tokens_of_one(
    spread: Engine, engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    folder = model_folder("plain")
    model = spread.load(folder)
    alone = engine.load(folder)
    assert model.nbytes < alone.nbytes  # each rank has its part of the weights
    assert scene(spread, model) == scene(engine, alone)


def test_memory_is_planned_with_the_rank_that_has_least(spread: Engine) -> None:
    def ranks(*told: tuple[str, int]) -> list[Rank]:
        link: Any = Link
        return [Rank(n, link, {"machine": m, "memory": b}) for n, (m, b) in enumerate(told)]

    assert budget_of(ranks(("here", 1000), ("there", 400)), None) == 340
    assert budget_of(ranks(("here", 1000), ("here", 1000), ("there", 800)), None) == 425
    assert budget_of(ranks(("here", 1000), ("here", 1000)), 600) == 300
    assert budget_of(ranks(("here", 1000), ("there", 400)), 600) == 340
    assert budget_of(ranks(("here", 400), ("there", 1000)), 600) == 600
    stats = spread.stats()
    least = min(rank["memory"] for rank in stats["ranks"])
    assert stats["memory_budget"] == int(least * BUDGET_SHARE) // 2


def test_what_cannot_be_spread_says_so(spread: Engine, model_folder: Callable[[str], Path]) -> None:
    for ask in (spread.load, spread.estimate):
        with pytest.raises(EngineError) as refused:
            ask(model_folder("pure recurrent"))
        assert refused.value.code == "unsupported_session"


def test_the_estimate_is_what_each_rank_holds(
    spread: Engine, engine: Engine, tmp_path: Path
) -> None:
    """Its embeddings are most of this model, and whole on each rank."""
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
    until(lambda: held() == pytest.approx(each, abs=model.nbytes / 50), LONG)  # as MLX counts
    chat = spread.open_session(model)
    chat.send("a" * 900, SamplingParams(max_tokens=50, temperature=0.0)).tokens(timeout=LONG)
    assert told.caches == pytest.approx(spread.stats()["sessions"][chat.id]["kv_bytes"], rel=0.2)
    spread.unload(model)


def test_a_load_asks_for_what_the_part_takes(model_folder: Callable[[str], Path]) -> None:
    from engine.model import loader

    examined: Any = loader.examine(model_folder("plain"), "It", {}, 8_000, None)
    candidate = Candidate(examined, checked=None)  # type: ignore[arg-type]
    part = replace(candidate, share=Weights(5_000, 9_000))
    assert part.request("", None, float32=False).nbytes == 5_000
    assert part.request("", None, float32=True).wide == 9_000
    assert replace(candidate, wide=16_000).request("", None, float32=True).wide == 16_000


def test_chats_on_ranks_come_back_from_disk_and_keep_keys_in_few_bits(
    spread: Engine, engine: Engine, tmp_path: Path, kept: Path
) -> None:
    folder = write_model(tmp_path / "model", {**small_config("llama"), "head_dim": 32}, scale=3.0)
    question = "Count all the stars in the sky tonight, please. " * 3

    def scene(engine: Engine, closes: bool) -> list[list[int]]:
        model, tokens = engine.load(folder), []
        for bits in (None, 8):
            params = SamplingParams(max_tokens=9, temperature=0.8, seed=3)
            session = engine.open_session(model, f"in {bits}", kv_bits=bits)
            first = session.send(question, params)
            tokens.append(first.tokens(timeout=LONG))
            if closes:
                session.close()
                until(
                    lambda: len({path.parent for path in kept.glob("*/*.safetensors")}) == 2, LONG
                )
                session = engine.open_session(model, f"in {bits}", kv_bits=bits)
            told = [
                {"role": "user", "content": question},
                {"role": "assistant", "content": first.text()},
                {"role": "user", "content": "And then?"},
            ]
            second = session.send(told, params)
            tokens.append(second.tokens(timeout=LONG))
            assert second.stats.reused_tokens > len(question) / 2
            session.close(forget=closes)
        return tokens

    assert scene(spread, True) == scene(engine, False)
    until(lambda: not list(kept.glob("*/*.safetensors")), LONG)


def test_a_rank_that_hangs_ends_every_reply_once_and_the_next_start_works(
    model_folder: Callable[[str], Path],
) -> None:
    with Engine(ranks=2) as engine:
        model = engine.load(model_folder("plain"))
        pids = [rank["pid"] for rank in engine.stats()["ranks"]]
        told: dict[int, list[Any]] = {n: [] for n in range(3)}
        replies: list[Reply] = []
        for number in told:
            session = engine.open_session(model)
            params = SamplingParams(max_tokens=8000, temperature=1.0, seed=number)
            replies.append(session.send("Go on.", params, told[number].append))
        for reply in replies:
            next(iter(reply))
        os.kill(pids[1], signal.SIGSTOP)
        for reply in replies:
            with pytest.raises(EngineError, match=r"Rank 1 of 2 has not answered") as lost:
                reply.text(timeout=LONG)
            assert lost.value.code == "engine_stopped"
        assert all(
            sum(isinstance(e, (Failed, Finished)) for e in each) == 1 for each in told.values()
        )
        again = engine.load(model_folder("plain"))
        short = SamplingParams(max_tokens=4, temperature=0.0)
        assert len(engine.open_session(again).send("Hello", short).tokens()) <= 4
        until(lambda: not any(_runs(pid) for pid in pids), LONG)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class QuietRanks:
    """Stands for the processes: rank 0 is the test, at the other end of a pipe."""

    def __init__(self, far: list[Link]) -> None:
        self._far = far

    def __call__(self, *_: Any) -> QuietRanks:
        return self

    def start(self) -> list[Rank]:
        near, far = Pipe()
        self._far.append(Link(far))
        return [Rank(0, Link(near), {})]

    def begin(self, _: dict[str, Any]) -> None:
        pass

    def kill(self) -> None:
        pass

    def close(self) -> None:
        for link in self._far:
            link.close()


@pytest.fixture
def relayed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[relay.Relay, Link]]:
    far: list[Link] = []
    monkeypatch.setattr(relay, "Processes", QuietRanks(far))
    monkeypatch.setattr(relay, "differing", lambda _: None)
    monkeypatch.setattr(relay, "budget_of", lambda *_: 1)
    monkeypatch.setattr(relay, "_LEAVING", 0.0)
    made = relay.Relay(Mailbox(), ())
    try:
        yield made, far[0]
    finally:
        made.end("the test is over")


def test_nobody_is_kept_who_no_longer_waits_for_a_rank(
    relayed: tuple[relay.Relay, Link],
) -> None:
    """The relay held every command that says who hears of idle models, and all that were
    cancelled: a program that sets its patience now and then never let go of them.
    """
    made, far = relayed
    heard: list[tuple[int, str]] = []
    for number in range(50):
        made._ask(UnloadIdle(1.0, lambda model, number=number: heard.append((number, model))))
    asked = [far.take(True)[0] for _ in range(50)]
    assert len(made._waiting) == 1
    made._take(Called(asked[-1].number, ("a model",)))
    made._take(Called(asked[0].number, ("another",)))  # on its way when the next one was asked
    assert heard == [(49, "a model"), (49, "another")]
    loads = [Load("here", Answer(can_be_cancelled=True)) for _ in range(20)]
    for load in loads:
        made._ask(load)
        load.answer.cancel()
    assert len(made._waiting) == 1
    kept = Load("here", Answer(can_be_cancelled=True))
    made._ask(kept)
    far_end = [far.take(True)[0] for _ in range(41)]
    assert [type(m) for m in far_end[:4]] == [Asked, Unasked, Asked, Unasked]
    made._take(Answered(far_end[-1].number, "the model"))
    assert kept.answer.result(0) == "the model"
    assert len(made._waiting) == 1


def test_journal_keeps_orders_of_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that was added while orders were taken was lost: followers kept those caches."""
    made, taken = leader.Journal(), list[Order]()

    def order(name: str, arguments: tuple[int, ...]) -> Order:
        taken.extend(made.take())  # the engine thread, just then
        return Order(name, arguments)

    monkeypatch.setattr(leader, "Order", order)
    for number in range(10):
        made.add("free", number)
    taken.extend(made.take())
    assert [o.arguments for o in taken] == [(n,) for n in range(10)]
