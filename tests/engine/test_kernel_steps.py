"""Decode steps whose attention is the kernels', run as C++, beside steps without them."""

from __future__ import annotations

import logging
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.kv.session_kv import SessionKV
from engine.kv.slot_policy import ON_CPU, ON_GPU, SlotPolicy
from engine.kv.slots import Slots
from engine.messages import Command, WorkDone
from engine.model import backend, quantised, runner
from engine.model.kernel.attention import Approved, RaggedAttention
from engine.model.kernel.program import Geometry
from engine.model.loaded import LoadedModel
from engine.model.loader import load_at_once
from engine.runtime.models import KernelProbe, packed
from engine.runtime.workers import Mailbox, Workers
from tests.engine import kernel_shim

SIZES = {"num_hidden_layers": 2, "head_dim": 64, "sliding_window": 12}
LENGTHS = (9, 70, 12, 71, 400)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], LoadedModel]:
    made: dict[str, LoadedModel] = {}

    def load(family: str) -> LoadedModel:
        if family not in made:
            known = small_config(family)
            config = {**known, **{k: v for k, v in SIZES.items() if k in known}}
            folder = write_model(tmp_path_factory.mktemp(family) / "model", config, scale=1.0)
            made[family] = load_at_once(folder, wide=backend.start().prefers_float32)
        return made[family]

    return load


def session(model: LoadedModel, make: Callable[[], Any], length: int) -> SessionKV:
    kv = SessionKV(make)
    kv.begin([0])
    model.net(mx.array([[(5 * i + length) % 100 for i in range(length)]]), cache=kv.layers)
    kv.note_read([0] * length)
    return kv


def steps(
    model: LoadedModel, policy: SlotPolicy | None, make: Callable[[], Any], count: int = 3
) -> list[mx.array]:
    """The logits of some steps of chats of `LENGTHS`, row by row."""
    model.slots = None if policy is None else Slots(policy)
    kvs, found = [session(model, make, length) for length in LENGTHS], []
    for number in range(count):
        order = [*range(len(kvs))] if model.slots is None else model.slots.assign(kvs)
        feeds = [mx.array([[7 + number + row]]) for row in order]
        logits = runner.forward(model, feeds, [kvs[row].layers for row in order], alone=False)
        found.append(logits[mx.array([order.index(row) for row in range(len(kvs))])])
        mx.eval(found)
        for kv in kvs:
            kv.note_fed(0)
    for kv in kvs:
        kv.drop()
    return found


@pytest.mark.parametrize(
    ("family", "policy", "bits"),
    [
        ("llama", None, 0),
        ("llama", ON_CPU, 0),
        ("llama", ON_GPU, 0),
        ("llama", None, 8),
        ("gpt_oss", ON_GPU, 0),
        ("gemma3_text", None, 0),
        ("gemma3_text", ON_GPU, 0),
        ("llama", ON_GPU, 8),
    ],
)
def test_steps_by_the_kernels_have_the_same_logits(
    loaded: Callable[[str], LoadedModel],
    shim: kernel_shim.Shim,
    family: str,
    policy: SlotPolicy | None,
    bits: int,
) -> None:
    """Slots and own caches, windows that have wrapped and not, sinks, keys in 8 bits."""
    model = loaded(family)
    assert model.can.ways.asks, "the probe has noted nothing"
    make = quantised.kept_in(model, bits).make if bits else model.new_caches
    model.kernels = None
    wanted = steps(model, policy, make)
    assert not shim.ran
    attend = kernel_shim.attention(shim, whole=64, least=64)
    model.kernels = Approved(attend, {*model.can.ways.asks, *packed(model.can.ways.asks)})
    got = steps(model, policy, make)
    model.kernels = None
    # Each layer's attention is one launch of each step, or two where rows are cut; five buffers
    # of packed keys are too many for one.
    times = 3 * len(model.new_caches()) * (2 if bits and policy is None else 1)
    assert 0 < shim.ran["join"] <= times
    assert shim.ran.get("whole", 0) + shim.ran["pieces"] == times
    for ours, plain in zip(got, wanted, strict=True):
        assert mx.abs(ours - plain).max().item() < 2e-3 * mx.abs(plain).max().item()


def test_what_steps_alone_never_comes_to_the_kernels(
    loaded: Callable[[str], LoadedModel],
) -> None:
    """A reproducible chat is stepped so."""

    def refused(*_: Any) -> mx.array:
        raise AssertionError("a kernel ran")

    model = loaded("llama")
    kvs = [session(model, model.new_caches, length) for length in (5, 9)]
    model.kernels = Approved(RaggedAttention(refused), model.can.ways.asks)
    feeds = [mx.array([[3]]), mx.array([[4]])]
    mx.eval(runner.forward(model, feeds, [kv.layers for kv in kvs], alone=True))
    with pytest.raises(AssertionError, match="a kernel ran"):
        runner.forward(model, feeds, [kv.layers for kv in kvs], alone=False)
    model.kernels = None


# Who gives a model its kernels


class Probing:
    """A probe whose child is a function; what the engine thread would do is done by `finish`."""

    def __init__(self, device: str, faults: Callable[[Sequence[Geometry], str], list[str]]) -> None:
        self._mailbox = Mailbox()
        self._workers = Workers(self._mailbox)
        self.asked: list[list[Geometry]] = []

        def noted(geometries: Sequence[Geometry], device: str) -> list[str]:
            self.asked.append(list(geometries))
            return faults(geometries, device)

        self.probe = KernelProbe(self._workers, device, noted).probe

    def finish(self) -> None:
        inbox: deque[Command] = deque()
        self._mailbox.take(inbox, block=True, patience=60)
        (message,) = inbox
        assert isinstance(message, WorkDone)
        self._workers.done(message)

    def close(self) -> None:
        self._workers.close()


def test_a_model_gets_the_kernels_that_are_right_and_the_log_says_why_not_the_others(
    loaded: Callable[[str], LoadedModel], caplog: pytest.LogCaptureFixture
) -> None:
    model = loaded("gpt_oss")
    caplog.set_level(logging.INFO)

    def faults(geometries: Sequence[Geometry], _device: str) -> list[str]:
        return ["it took longer than 120 seconds" if g.bits == 4 else "" for g in geometries]

    probing = Probing("metal", faults)
    llama = loaded("llama")
    try:
        probing.probe(model)
        probing.finish()
        assert isinstance(model.kernels, Approved)
        assert (
            model.kernels.geometries == model.can.ways.asks
        )  # it has sinks, so none with packed keys
        probing.probe(llama)
        probing.finish()
        assert isinstance(llama.kernels, Approved)
        assert {g.bits for g in llama.kernels.geometries} == {0, 8}
        assert "bits=4" in caplog.text
        assert "it took longer than 120 seconds" in caplog.text
        assert not set(probing.asked[0]) & set(probing.asked[1])
    finally:
        model.kernels = llama.kernels = None
        probing.close()


def test_a_model_whose_kernels_are_wrong_attends_in_the_plain_way(
    loaded: Callable[[str], LoadedModel],
) -> None:
    model = loaded("llama")
    probing = Probing("cuda", lambda geometries, _: ["it is off"] * len(geometries))
    try:
        probing.probe(model)
        probing.finish()
        assert model.kernels is None
    finally:
        probing.close()


def test_on_a_cpu_nothing_is_probed(loaded: Callable[[str], LoadedModel]) -> None:
    probing = Probing("cpu", lambda *_: [])
    probing.probe(loaded("llama"))
    assert not probing.asked
    probing.close()


def test_a_model_that_was_unloaded_meanwhile_is_not_held(tmp_path: Path) -> None:
    model = load_at_once(write_model(tmp_path / "m", {**small_config("llama"), **SIZES}), True)
    held = weakref.ref(model)
    probing = Probing("metal", lambda geometries, _: [""] * len(geometries))
    try:
        probing.probe(model)
        del model
        assert held() is None
        probing.finish()  # finds nobody
    finally:
        probing.close()
