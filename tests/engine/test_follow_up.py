"""Follow-up messages only prefill what is new."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import pre_tokenizers

from engine import (
    Engine,
    EngineError,
    Finished,
    FinishReason,
    PromptProgress,
    SamplingParams,
    TextDelta,
)
from engine.bench.random_models import SPECIAL, write_model
from tests.engine.families import FAMILIES

# Keep the random model from thinking, because the template drops reasoning from the history.
NO_THINKING = {3: -1e9, 4: -1e9}
FEW = SamplingParams(max_tokens=12, temperature=0.0, logit_bias=NO_THINKING)
TURN = 30  # tokens added by the template and a short message, including the last generated token


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.turns(6)
def test_the_second_turn_reads_only_the_new_tokens(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    model = engine.load(model_folder(family))
    chat = engine.open_session(model)
    first = chat.send("word " * 300, FEW)
    first.tokens(120)
    assert first.stats.prompt_tokens > 1500
    assert first.stats.reused_tokens == 0

    second = chat.send("go on", FEW)
    second.tokens(120)
    assert second.stats.prompt_tokens > first.stats.prompt_tokens
    assert second.stats.prompt_tokens - second.stats.reused_tokens <= TURN
    assert not second.stats.rebuilt
    progress = [e for e in second if isinstance(e, PromptProgress)]
    assert all(e.reused == second.stats.reused_tokens for e in progress)
    assert progress[-1].done == progress[-1].total == second.stats.prompt_tokens


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.turns(6)
def test_also_after_a_cancelled_reply(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    model = engine.load(model_folder(family))
    chat = engine.open_session(model)
    chat.send("word " * 200, FEW).tokens(120)
    endless = SamplingParams(max_tokens=5000, seed=3, logit_bias={2: -1e9, **NO_THINKING})
    reply = chat.send("go on", endless)
    next(event for event in reply if isinstance(event, TextDelta))
    reply.cancel()
    reply.tokens(120)
    third = chat.send("and?", FEW)
    third.tokens(120)
    assert third.stats.prompt_tokens - third.stats.reused_tokens <= TURN


def test_canceled_prefill_keeps_its_cache(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    reply = chat.send("word " * 400, FEW)
    for event in reply:
        if isinstance(event, PromptProgress) and event.done:
            break
    reply.cancel()
    reply.tokens(60)
    again = chat.send([{"role": "user", "content": "word " * 400}], FEW)
    again.tokens(60)
    assert again.stats.reused_tokens > 0


def test_edited_message_keeps_the_prefix_before_it(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    answer = chat.send("word " * 100, FEW).text(60)
    chat.send("first wording", FEW).text(60)
    conversation = [
        {"role": "user", "content": "word " * 100},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "other wording"},
    ]
    edited = chat.send(conversation, FEW)
    fresh = engine.open_session(model)
    fresh.send(conversation[:1], FEW).tokens(60)
    assert edited.tokens(60) == fresh.send(conversation, FEW).tokens(60)
    assert edited.stats.reused_tokens > 500


def test_untrimmable_cache_keeps_the_turn_boundary(
    engine: Engine, model_folder: Callable[[str], Path]
) -> None:
    """Regenerating with recurrent layers restores the copy from before the reply."""
    model = engine.load(model_folder("hybrid recurrent"))
    chat = engine.open_session(model)
    conversation = [{"role": "user", "content": "word " * 100}]
    first = chat.send(conversation, FEW)
    first.tokens(60)
    second = chat.send(conversation, FEW)
    assert second.tokens(60) == first.tokens()
    assert second.stats.reused_tokens >= first.stats.prompt_tokens - TURN


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.turns(6)
def test_a_chat_takes_no_more_memory_than_was_reckoned(
    model_folder: Callable[[str], Path], family: str
) -> None:
    tokens = 1200
    with Engine() as engine:
        model = engine.load(model_folder(family))
        chat = engine.open_session(model)
        chat.send("x" * tokens, FEW).tokens(60)
        chat.send("go on", FEW).tokens(60)
        held = engine.stats()["sessions"][chat.id]
    with Engine(memory_budget=model.nbytes + int(held["kv_bytes"] * 0.9)) as engine:
        model = engine.load(model_folder(family))
        chat = engine.open_session(model)
        with pytest.raises(EngineError, match="capacity_exhausted"):
            chat.send("x" * held["kv_tokens"], FEW).tokens(60)


def test_dropped_cache_is_recomputed_with_a_notice(model_folder: Callable[[str], Path]) -> None:

    with Engine() as probe:
        weights = probe.load(model_folder("plain")).nbytes
    # Enough for the weights and one long chat.
    with Engine(memory_budget=weights + 1_400_000) as engine:
        model = engine.load(model_folder("plain"))
        old, new = engine.open_session(model), engine.open_session(model)
        few = SamplingParams(max_tokens=4, temperature=0.0)
        first = old.send("word " * 300, few)
        first.tokens(60)
        new.send("other " * 300, few).tokens(60)
        sessions = engine.stats()["sessions"]
        assert sessions[old.id]["kv_bytes"] == 0
        assert sessions[new.id]["kv_bytes"] > 0
        again = old.send("go on", few)
        again.tokens(60)
        assert again.stats.rebuilt
        assert again.stats.reused_tokens == 0


DROPS_REASONING = (
    "{% for m in messages %}{% set content = m['content'] %}"
    "{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}"
    "<|im_start|>{{ m['role'] }}\n{{ content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)


@pytest.mark.parametrize("family", ["plain", "sliding window", "hybrid recurrent"])
@pytest.mark.turns(3)
def test_dropped_reasoning_costs_only_last_answer(
    engine: Engine, tmp_path: Path, family: str
) -> None:
    """Text before the last reply is never read again, for any cache type."""
    folder = write_model(tmp_path / "thinks", FAMILIES[family], template=DROPS_REASONING)
    chat = engine.open_session(engine.load(folder))
    # It reasons up to the token limit. The next prompt doesn't include the reasoning.
    thinking = SamplingParams(max_tokens=60, temperature=0.8, seed=1, logit_bias={2: -1e9, 4: -1e9})
    first = chat.send("word " * 60, thinking)
    first.tokens(120)
    assert {e.kind for e in first if isinstance(e, TextDelta)} == {"reasoning"}
    for _ in range(2):
        before = first.stats.prompt_tokens
        second = chat.send("go on", thinking)
        second.tokens(120)
        assert second.stats.prompt_tokens < before + 60  # without the reasoning
        assert second.stats.prompt_tokens - second.stats.reused_tokens <= 2 * TURN
        first = second


@pytest.mark.parametrize("family", ["plain", "sliding window", "hybrid recurrent"])
@pytest.mark.turns(3)
def test_steering_prefills_nothing_again(
    engine: Engine, model_folder: Callable[[str], Path], family: str
) -> None:
    """A reply interrupted at a complete character continues from its last token."""
    places = sorted(pre_tokenizers.ByteLevel.alphabet())
    ids = [len(SPECIAL) + places.index(shown) for shown in ("\u00c3", "\u00a9", "a")]
    # Replies consist of a one-token letter and a two-token letter ("\u00e9").
    bias = dict.fromkeys(ids, 1e6)
    model = engine.load(model_folder(family))
    chat = engine.open_session(model)
    for seed in range(12):
        params = SamplingParams(max_tokens=2_000, temperature=5.0, seed=seed, logit_bias=bias)
        reply = chat.send("go on", params)
        next(event for event in reply if isinstance(event, TextDelta))
        reply.cancel(whole=True)
        text = reply.text(60)
        last = list(reply)[-1]
        assert isinstance(last, Finished)
        assert last.reason == FinishReason.CANCELLED
        assert not text.endswith("\ufffd")
        first = reply.stats
        after = chat.send("and", SamplingParams(max_tokens=1))
        after.tokens(60)
        # All but the last token, whose step may not have run.
        assert after.stats.reused_tokens >= first.prompt_tokens + first.generated_tokens - 1
