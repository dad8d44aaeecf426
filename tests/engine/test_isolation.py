"""Replies don't depend on other chats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.utils import load_model

from engine import Engine, EngineError, Finished, FinishReason, Model, Reply, SamplingParams
from engine.model import sampling
from engine.model.probe import attention_modules
from engine.model.ragged import RaggedArrays, run_by_rows
from tests.engine.families import FAMILIES

pytestmark = pytest.mark.usefixtures("all_cores")

EVERY_FAMILY = pytest.mark.parametrize("family", FAMILIES)
# Shorter and longer than the tiny sliding windows, all different.
PROMPTS = ["hello " * n for n in (1, 3, 7, 20, 2, 11, 50, 5)]
FOLLOW_UPS = [f"and {n} more" for n in range(8)]
CANCELLED = (2, 5)  # chats stopped in their first turn


def params(seed: int, tokens: int = 12) -> SamplingParams:
    return SamplingParams(max_tokens=tokens, temperature=0.9, top_p=0.95, top_k=200, seed=seed)


def stop_after(reply: Reply, tokens: int) -> None:
    for _ in reply:
        if len(reply._tokens) >= tokens:
            break
    reply.cancel()
    assert reply.tokens(60) is not None


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_eight_chats_answer_as_if_alone(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    model = engine.load(model_folder(family))

    def alone(number: int) -> list[list[int]]:
        chat = engine.open_session(model)
        first = chat.send(PROMPTS[number], params(number)).tokens(60)
        second = chat.send(FOLLOW_UPS[number], params(number + 100)).tokens(60)
        chat.close()
        return [first, second]

    expected = {n: alone(n) for n in range(8) if n not in CANCELLED}

    chats = [engine.open_session(model) for _ in PROMPTS]
    replies: dict[int, Reply] = {}
    for number in range(8):
        if number in CANCELLED:
            replies[number] = chats[number].send(PROMPTS[number], params(number, 2000))
        else:
            replies[number] = chats[number].send(PROMPTS[number], params(number))
        if number % 3 == 2:  # staggered: later chats join while these stream
            next(iter(replies[number - 1]))
    for number in CANCELLED:
        stop_after(replies[number], 5)
    firsts = {n: replies[n].tokens(60) for n in range(8)}
    again = {n: chats[n].send(FOLLOW_UPS[n], params(n + 100)) for n in reversed(range(8))}
    seconds = {n: again[n].tokens(60) for n in range(8)}

    for number, (first, second) in expected.items():
        assert firsts[number] == first, f"chat {number}, first turn"
        assert seconds[number] == second, f"chat {number}, second turn"
    # If all chats said the same, this test couldn't fail.
    assert len({tuple(tokens) for tokens in firsts.values()}) >= 7


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_canceled_chat_continues_like_one_with_equal_text(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    """The cache of a canceled reply contains exactly what it said."""
    model = engine.load(model_folder(family))
    chat = engine.open_session(model)
    reply = chat.send(PROMPTS[3], params(1, 2000))
    stop_after(reply, 9)
    said = reply.tokens()
    twin = engine.open_session(model)
    twin.send(PROMPTS[3], params(1, max(1, len(said)))).tokens(60)
    assert chat.send("go on", params(7)).tokens(60) == twin.send("go on", params(7)).tokens(60)


@EVERY_FAMILY
@pytest.mark.turns(6)
def test_reproducible_logits_are_the_same_bits_in_company(
    engine: Engine,
    model_folder: Callable[[str], Path],
    family: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[int, list[Any]] = {}
    choose = sampling.draw

    def spy(samplers: list[Any], logits: Any, indices: list[int]) -> Any:
        if samplers[0].params.seed == 4242:
            seen.setdefault(run, []).append(np.array(logits))
        return choose(samplers, logits, indices)

    monkeypatch.setattr(sampling, "draw", spy)
    model = engine.load(model_folder(family))

    def answer() -> list[int]:
        chat = engine.open_session(model, reproducible=True)
        first = chat.send("hello " * 40, params(4242)).tokens(60)
        return first + chat.send("and then", params(4242)).tokens(60)

    run = 0
    alone = answer()
    run = 1
    neighbours = [engine.open_session(model) for _ in range(3)]
    running = [
        chat.send(prompt, params(n, 2000))
        for n, (chat, prompt) in enumerate(zip(neighbours, PROMPTS, strict=False))
    ]
    # Another prompt is being read throughout, which keeps the chunks as small as possible.
    busy = engine.open_session(model).send("word " * 600, params(9, 2000))
    together = answer()
    for reply in (*running, busy):
        reply.cancel()
        reply.tokens(60)

    assert together == alone
    assert len(seen[0]) == len(seen[1]) >= 2
    engine.stats()  # all queued work has finished
    for mine, theirs in zip(seen[0], seen[1], strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.usefixtures("untried")
def test_step_mode_is_probed(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    steps = {family: engine.load(model_folder(family)).step for family in FAMILIES}
    assert steps.pop("sparse MLA") == steps.pop("own attention") == "rows"
    assert steps.pop("chunked mask") == "alone"
    assert set(steps.values()) == {"shared"}


@pytest.mark.usefixtures("untried")
def test_unshareable_model_steps_alone(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.model import probe

    monkeypatch.setattr(probe, "TOLERANCE", -1.0)
    model = engine.load(model_folder("plain"))
    assert model.step == "alone"
    chats = [engine.open_session(model) for _ in range(3)]
    replies = [chat.send("hello", params(5)) for chat in chats]
    first, *others = [reply.tokens(60) for reply in replies]
    assert others == [first, first]


def test_argument_as_long_as_rows_is_not_split() -> None:
    class Table:
        def __call__(self, x: Any, table: Any, cache: Any) -> Any:
            assert table.shape == (2, 4)
            return x

    def ragged(n: int) -> Any:
        return RaggedArrays([None] * n)

    module = Table()
    table = mx.zeros((2, 4))
    run_by_rows([module])
    assert module(mx.zeros((3, 1, 8)), table, ragged(3)).shape == (3, 1, 8)
    assert module(mx.zeros((2, 1, 8)), table, ragged(2)).shape == (2, 1, 8)


def test_sharing_rows_can_be_undone(model_folder: Callable[[str], Path]) -> None:
    """Undoing the patch restores the original modules."""
    net, _ = load_model(model_folder("own attention"))
    kinds = [type(m) for _, m in net.named_modules()]
    undo = run_by_rows(attention_modules(net))
    assert [type(m) for _, m in net.named_modules()] != kinds
    undo()
    assert [type(m) for _, m in net.named_modules()] == kinds


@pytest.mark.usefixtures("untried")
def test_shared_mode_with_nan_is_rejected(
    engine: Engine, model_folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.model.ragged import RaggedKV

    update = RaggedKV.update_and_fetch

    def faulty(self: RaggedKV, keys: Any, values: Any) -> Any:
        return update(self, keys, values * float("nan"))

    monkeypatch.setattr(RaggedKV, "update_and_fetch", faulty)
    assert engine.load(model_folder("plain")).step == "rows"


def test_fork_continues_separately(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    for family in ("plain", "sliding window", "hybrid recurrent"):
        model = engine.load(model_folder(family))
        chat = engine.open_session(model)
        chat.send("hello " * 20, params(1)).tokens(60)
        twin = chat.fork()
        theirs = [twin.send("left", params(2)), chat.send("right", params(3))]
        both = [reply.tokens(60) for reply in theirs]
        assert all(reply.stats.reused_tokens >= 100 for reply in theirs)

        def fresh(model: Model, word: str, seed: int) -> list[int]:
            other = engine.open_session(model)
            other.send("hello " * 20, params(1)).tokens(60)
            return other.send(word, params(seed)).tokens(60)

        assert both == [fresh(model, "left", 2), fresh(model, "right", 3)]


def test_message_may_mention_reasoning_marker(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    calm = SamplingParams(max_tokens=8, seed=1, logit_bias={2: -1e9, 3: -1e9})
    assert chat.send("What does the <think> tag mean?", calm).text(60)


def test_message_may_be_edited_after_sending(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    message = {"role": "user", "content": "hello"}
    conversation = [message]
    reply = engine.open_session(model).send(conversation, params(1))
    message["content"] = "something else"
    conversation.clear()
    other = engine.open_session(model).send("hello", params(1))
    assert reply.tokens(60) == other.tokens(60)


def test_cancel_before_first_token_leaves_no_trace(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    chat, twin = engine.open_session(model), engine.open_session(model)
    reply = chat.send("word " * 1000, params(1))
    reply.cancel()
    assert reply.tokens(60) == []
    after = chat.send("hello", params(2))
    assert after.tokens(60) == twin.send("hello", params(2)).tokens(60)


def test_seeds(engine: Engine, model_folder: Callable[[str], Path]) -> None:
    model = engine.load(model_folder("plain"))

    def say(seed: int | None) -> list[int]:
        return (
            engine.open_session(model)
            .send("hi", SamplingParams(max_tokens=24, temperature=1.5, seed=seed))
            .tokens(60)
        )

    assert say(1) == say(1)
    assert say(1) != say(2)
    assert len({tuple(say(None)) for _ in range(4)}) > 1


def test_final_event_is_unique_and_last(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    reply = chat.send("hello", params(1, 500))
    for _ in range(5):
        reply.cancel()
    events = list(reply)
    assert [type(e) for e in events].count(Finished) == 1
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.reason in (FinishReason.CANCELLED, FinishReason.STOP)
    reply.cancel()  # no effect after the end
    engine.stats()
    assert list(reply) == events
    assert {e.session_id for e in events} == {chat.id}
    chat.close()
    with pytest.raises(EngineError, match="session_closed"):
        chat.send("there?").text(60)
