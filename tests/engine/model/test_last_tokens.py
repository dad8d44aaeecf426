"""The last prompt token is fed with the rest of the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine import Engine, EngineError, Finished, SamplingParams, TextDelta
from engine.bench.random_models import write_model
from engine.cache.session_kv import SessionKV
from engine.model import backend, loader, output_rows, runner
from engine.model.runner import PrefillChunk
from engine.runtime import scheduler as together
from engine.runtime.executor import Executor, PlanResult
from engine.runtime.loop import Loop
from engine.runtime.plan import Status, StepPlan
from engine.runtime.request import Request
from tests.engine.families import FAMILIES

pytestmark = pytest.mark.usefixtures("all_cores")

SYSTEM = "You tell the weather at sea, in few words, and never lie about the wind. " * 2
TURNS = ("Where does the wind come from today?", "And tomorrow?", "Ah.")
ALL = ("plain", "sliding window", "MLA", "MoE", "hybrid recurrent", "attention sinks", "shared KV")


def params(seed: int, **more: Any) -> SamplingParams:
    calm = {3: -1e9, 4: -1e9, 2: -1e9}  # keep the random model from ending or thinking
    return SamplingParams(
        **{"max_tokens": 10, "temperature": 0.9, "seed": seed, "logit_bias": calm, **more}
    )


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    seen: list[int] = []
    decode = runner.decode

    def watched(model: Any, rows: Any, shared: bool, readings: Sequence[PrefillChunk] = ()) -> Any:
        if any(reading.ends for reading in readings):
            seen.append(len(rows))
        return decode(model, rows, shared, readings)

    monkeypatch.setattr(runner, "decode", watched)
    return seen


def conversation(folder: Path, **more: Any) -> tuple[list[list[int]], list[int]]:
    said, read = [], []
    with Engine() as engine:
        model = engine.load(folder)
        for turns in (TURNS, TURNS[2:]):
            chat = engine.open_session(model, system=SYSTEM)
            for seed, text in enumerate(turns):
                reply = chat.send(text, params(seed, **more))
                said.append(reply.tokens(60))
                read.append(reply.stats.prompt_tokens - reply.stats.reused_tokens)
    return said, read


@pytest.mark.parametrize("family", ALL)
@pytest.mark.turns(6)
def test_joining_last_tokens_changes_no_reply(
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    ended: list[int],
    family: str,
) -> None:
    folder = model_folder(family)
    found = conversation(folder)
    assert ended == [1] * 4
    monkeypatch.setattr(together, "with_last_tokens", lambda view, order, plan, *ready: plan)
    assert conversation(folder) == found
    assert len(ended) == 4


@pytest.mark.parametrize(
    "more", [{"regex": "(ab|cd)*ef"}, {"logprobs": 2}, {"repetition_penalty": 1.3}]
)
def test_feeding_the_last_token_early_changes_no_reply(
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    ended: list[int],
    more: dict[str, Any],
) -> None:
    folder = model_folder("plain")
    found = conversation(folder, **more)
    assert ended
    monkeypatch.setattr(together, "with_last_tokens", lambda view, order, plan, *ready: plan)
    assert conversation(folder, **more) == found


def test_reproducible_chats_keep_to_their_chunks(
    engine: Engine, model_folder: Callable[[str], Path], ended: list[int]
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")), reproducible=True)
    assert chat.send("hello", params(1)).tokens(60)
    assert not ended


def test_prompt_ending_in_a_step_starts_decoding_with_it(
    engine: Engine, model_folder: Callable[[str], Path], ended: list[int]
) -> None:
    folder = model_folder("plain")
    model = engine.load(folder)
    first = engine.open_session(model).send("hello", params(7, max_tokens=6000))
    texts = (event for event in first if isinstance(event, TextDelta))
    next(texts), next(texts)
    ended.clear()
    late = engine.open_session(model, system=SYSTEM).send(TURNS[0], params(0)).tokens(60)
    first.cancel()
    said = first.tokens(60)
    assert ended == [2]
    assert late == conversation(folder)[0][0]
    with Engine() as other:
        alone = other.open_session(other.load(folder))
        assert alone.send("hello", params(7, max_tokens=len(said))).tokens(60) == said


def test_fault_in_mixed_pass_ends_only_its_own_chat(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    forward = runner.forward_mixed
    monkeypatch.setattr(runner, "forward_mixed", lambda *given: 1 / 0)
    with pytest.raises(EngineError, match="division"):
        chat.send("hello", params(1)).tokens(60)
    monkeypatch.setattr(runner, "forward_mixed", forward)
    fresh = engine.open_session(model).send("hello", params(1)).tokens(60)
    assert chat.send("hello", params(1)).tokens(60) == fresh


def test_fault_in_reporting_ends_only_its_own_chat(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = engine.load(model_folder("plain"))
    first = engine.open_session(model).send("hello", params(7, max_tokens=6000))
    texts = (event for event in first if isinstance(event, TextDelta))
    next(texts), next(texts)
    progress, turns_that_failed = Request.progress, []

    def failing(reply: Request, done: int, position: int) -> None:
        if reply.status == Status.DECODING:
            raise RuntimeError("nobody can be told")
        progress(reply, done, position)

    monkeypatch.setattr(Request, "progress", failing)
    monkeypatch.setattr(Loop, "_recover", lambda self, error: turns_that_failed.append(error))
    late = engine.open_session(model, system=SYSTEM).send(TURNS[0], params(0))
    with pytest.raises(EngineError, match="nobody can be told"):
        late.tokens(60)
    next(texts)
    first.cancel()
    assert first.tokens(60)
    assert not turns_that_failed


def test_prompt_is_empty_after_its_last_token(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    execute = Executor.run

    def watched(execution: Executor, plan: StepPlan) -> PlanResult:
        results = execute(execution, plan)
        left.extend(results.timing.left for chunk in plan.chunks if chunk.ends)
        return results

    monkeypatch.setattr(Executor, "run", watched)
    engine.open_session(engine.load(model_folder("plain"))).send("hello", params(1)).tokens(60)
    assert left == [0]


def test_reply_of_one_token_ends_with_length(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    reply = chat.send("hello", params(1, max_tokens=1))
    assert len(reply.tokens(60)) == 1
    assert [e.reason for e in reply if isinstance(e, Finished)] == ["length"]


# ---------------------------------------------------------------- the output layer


def test_unknown_model_feeds_the_last_token_separately(
    engine: Engine,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    ended: list[int],
) -> None:
    monkeypatch.setattr(output_rows, "install", lambda net, ids: lambda: None)
    chat = engine.open_session(engine.load(model_folder("plain")))
    assert chat.send("hello", params(1)).tokens(60)
    assert not ended  # otherwise the output layer would run on the whole prompt


class Counting(nn.Module):
    def __init__(self, weight: mx.array) -> None:
        super().__init__()
        self.weight = weight
        self.rows: list[int] = []

    def __call__(self, x: mx.array) -> mx.array:
        self.rows.append(x.size // x.shape[-1])
        return x @ self.weight.T


@pytest.mark.parametrize("shape", [(6, 1), (1, 6)])
@pytest.mark.parametrize("rows", [[0, 1], [5], [0, 1, 3, 5], list(range(6))])
@pytest.mark.parametrize("kind", ["linear", "tied", "4 bits"])
@pytest.mark.turns(4)
def test_output_layer_gets_only_wanted_rows(
    tmp_path: Path, kind: str, rows: list[int], shape: tuple[int, int]
) -> None:
    backend.start()
    config = {**FAMILIES["plain"], "hidden_size": 64, "tie_word_embeddings": kind == "tied"}
    config["intermediate_size"] = config["vocab_size"] = 320  # wide, but no output layer
    model = loader.load_blocking(write_model(tmp_path / "model", config, scale=1.0), wide=True)
    if kind == "4 bits":
        nn.quantize(model.net, group_size=64, bits=4)
        output_rows.install(model.net, 320)
    ids = mx.array([5, 9, 30, 7, 200, 11]).reshape(shape)
    caches = model.new_caches()
    whole = model.net(ids, cache=caches).reshape(6, -1)
    with output_rows.restrict_rows(rows):
        logits = model.net(ids, cache=model.new_caches())
    assert logits.size // logits.shape[-1] == len(rows)
    found = output_rows.extract_logits(logits, rows)
    assert mx.allclose(found, whole[mx.array(rows)], atol=1e-4)


def test_unknown_output_layer_computes_all_rows(tmp_path: Path) -> None:
    backend.start()
    config = {**FAMILIES["plain"], "tie_word_embeddings": False}
    model = loader.load_blocking(write_model(tmp_path / "model", config), wide=True)
    model.net.lm_head = head = Counting(model.net.lm_head.weight)
    ids = mx.array([[5], [9], [30]])
    whole = model.net(ids, cache=model.new_caches())
    with output_rows.restrict_rows([2, 0]):
        logits = model.net(ids, cache=model.new_caches())
    assert head.rows == [3, 3]
    assert mx.array_equal(output_rows.extract_logits(logits, [2, 0]), whole[mx.array([2, 0]), 0])


def test_layer_of_equal_width_keeps_all_rows(tmp_path: Path) -> None:
    backend.start()
    family = {**FAMILIES["shared KV"], "hidden_size_per_layer_input": 50}  # 6 * 50 = VOCAB
    model = loader.load_blocking(write_model(tmp_path / "model", family, scale=1.5), wide=True)
    tokens = [5, 9, 30, 7, 200, 11]
    whole = model.net(mx.array([tokens]), cache=model.new_caches())[:, -1]
    kv = SessionKV(model.new_caches)
    kv.reuse_prefix(tokens)
    logits = runner.forward_mixed(model, (), (), [PrefillChunk(kv, tokens, True)])
    assert mx.allclose(logits, whole, atol=1e-3)
