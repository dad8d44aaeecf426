"""Continuing truncated replies, and dropping old turns of long chats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineError, SamplingParams, TextDelta
from engine.errors import CONTEXT_OVERFLOW, MESSAGE_TOO_LONG
from engine.runtime.preparing import dropped_messages, slide, without
from tests.engine.families import FAMILIES

Folder = Callable[[str], Path]
NO_END = {2: -1e9, 3: -1e9, 4: -1e9}


def params(tokens: int, **more: Any) -> SamplingParams:
    given = {"temperature": 0.8, "top_p": 0.9, "seed": 11, "logit_bias": NO_END, **more}
    return SamplingParams(max_tokens=tokens, **given)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.turns(6)
def test_continued_reply_equals_the_uncut_reply(
    engine: Engine, model_folder: Folder, family: str
) -> None:
    model = engine.load(model_folder(family))
    whole = engine.open_session(model).send("hello there", params(60))
    expected, text = whole.tokens(60), whole.text()
    chat = engine.open_session(model)
    cut = chat.send("hello there", params(23))
    begun = cut.text(60)
    more = chat.send([user("hello there"), assistant(begun)], params(37))
    assert cut.tokens() + more.tokens(60) == expected
    # A character split between the two replies shows one replacement mark in each.
    assert (begun + more.text()).replace("\ufffd", "") == text.replace("\ufffd", "")
    assert more.stats.generated_tokens == 37
    # Only the tokens that weren't fed by the last step are read.
    assert more.stats.prompt_tokens - more.stats.reused_tokens <= 2
    follow = chat.send("and then?", params(5))
    follow.tokens(60)
    assert follow.stats.prompt_tokens > more.stats.prompt_tokens + 37


def test_foreign_answer_is_continued(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    letters = {"regex": "one, two,[a-z ]{20}"}  # so that the text encodes to the generated tokens
    more = chat.send([user("count"), assistant("one, two,")], params(20, **letters))
    text = more.text(60)
    assert len(text) == 20
    # Later turns see the whole answer.
    history = [user("count"), assistant("one, two," + text), user("go on")]
    follow, whole = (
        chat.send("go on", params(8)),
        engine.open_session(model).send(history, params(8)),
    )
    assert follow.tokens(60) == whole.tokens(60)
    assert follow.stats.prompt_tokens == whole.stats.prompt_tokens
    assert follow.stats.reused_tokens >= more.stats.prompt_tokens


def test_grammar_continues_after_truncation(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    form = {"regex": "[ab]{30}c{10}"}
    whole = engine.open_session(model).send("x", params(60, **form)).text(60)
    chat = engine.open_session(model)
    begun = chat.send("x", params(7, **form)).text(60)
    more = chat.send([user("x"), assistant(begun)], params(60, **form)).text(60)
    assert begun + more == whole
    assert len(whole) == 40


def test_answer_of_another_format_is_refused(engine: Engine, model_folder: Folder) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")))
    with pytest.raises(EngineError, match="invalid_request"):
        chat.send([user("x"), assistant("zzz")], params(5, regex="[ab]+")).text(60)
    assert chat.send("x", params(5)).tokens(60)


def test_truncated_reasoning_continues_as_reasoning(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model)
    thought = {"role": "assistant", "content": "", "reasoning_content": "let me see"}
    reply = chat.send([user("why?"), thought], params(30, logit_bias={2: -1e9, 4: -1e9}))
    reply.text(60)
    kinds = {e.kind for e in reply if isinstance(e, TextDelta)}
    assert kinds == {"reasoning"}


def test_empty_answer_starts_a_new_reply(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    asked = engine.open_session(model).send([user("hi"), assistant("")], params(12)).tokens(60)
    assert asked == engine.open_session(model).send("hi", params(12)).tokens(60)


def test_fewest_whole_turns_are_dropped() -> None:
    system = {"role": "system", "content": "s"}
    turns = [m for n in range(10) for m in (user(f"q{n}"), assistant(f"a{n}"))]
    messages = [system, *turns, user("last")]
    result = slide(messages, 9, 20, len)
    assert result is not None
    kept, count = result
    assert kept == [system, *turns[14:], user("last")]
    assert count == 14
    assert slide(messages, 1, 20, len) == ([system, user("last")], 20)
    assert slide(messages, 1, 1, len) is None
    assert slide([system, user("alone")], 1, 1, len) is None


def called(number: int) -> list[dict[str, Any]]:
    function = {"name": "look", "arguments": {"at": number}}
    call = {"id": f"c{number}", "type": "function", "function": function}
    result = {"role": "tool", "tool_call_id": f"c{number}", "content": f"r{number} " + "word " * 99}
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, result]


def test_call_is_never_separated_from_its_result() -> None:
    system = {"role": "system", "content": "s"}
    before = [user("q"), *called(0), assistant("a")]
    work = [message for number in range(1, 9) for message in called(number)]
    messages = [system, *before, user("go on"), *work]
    for target in range(1, len(messages)):
        found = slide(messages, target, len(messages), len)
        assert found is not None
        assert found[0] == [system, user("go on"), *work]  # whole turns are dropped first
        torn = slide(messages, target, min(target, 17), len)
        if torn is None:
            assert target < 4  # the last step and its question must remain
            continue
        kept, count = torn
        assert kept[:2] == [system, user("go on")]
        assert [m["role"] for m in kept[2:]] == ["assistant", "tool"] * (len(kept) // 2 - 1)
        assert kept[-2:] == work[-2:]
        assert count == len(dropped_messages(messages, kept)) == len(messages) - len(kept)
        # If the whole conversation is sent again, the same messages are dropped.
        later = [*messages, *called(9)]
        assert without(later, dropped_messages(messages, kept)) == [*kept, *called(9)]


def test_sliding_chat_continues_and_reports_dropped_turns(
    engine: Engine, model_folder: Folder
) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model, system="Be brief.", on_overflow="slide", context=2048)
    strict = engine.open_session(model, system="Be brief.", context=2048)
    messages: list[dict[str, Any]] = []
    dropped, reused = [], []
    for turn in range(16):
        messages.append(user(f"turn {turn}: " + "word " * 46))
        reply = chat.send(messages, params(20))
        messages.append(assistant(reply.text(60)))
        dropped.append(reply.stats.dropped_messages)
        reused.append(reply.stats.prompt_tokens - reply.stats.reused_tokens)
        assert reply.stats.prompt_tokens < 2048
    assert dropped[0] == 0
    assert dropped[-1] > 0
    assert dropped == sorted(dropped)
    assert all(d % 2 == 0 for d in dropped)
    # Messages are dropped in batches, so most turns can still reuse their cache.
    assert len(set(dropped)) <= 6
    assert sum(r < 300 for r in reused) >= 10
    with pytest.raises(EngineError, match="context_overflow"):
        strict.send([*messages, user("and?")], params(20)).text(60)
    # A single message continues after the turns that were kept.
    follow = chat.send("and?", params(20))
    follow.text(60)
    assert follow.stats.dropped_messages >= dropped[-1]


def test_sliding_context_refuses_one_oversized_message(
    engine: Engine, model_folder: Folder
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")), on_overflow="slide")
    with pytest.raises(EngineError, match="context_overflow"):
        chat.send("word " * 2000, params(5)).text(60)
    assert chat.send("hello", params(5)).tokens(60)


def test_an_unknown_policy_is_refused(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    with pytest.raises(ValueError, match="on_overflow"):
        engine.open_session(model, on_overflow="truncate")  # type: ignore[arg-type]


def test_sliding_chat_count_equals_sent_tokens(engine: Engine, model_folder: Folder) -> None:
    model = engine.load(model_folder("plain"))
    chat = engine.open_session(model, session_id="one", on_overflow="slide", context=512)
    messages: list[dict[str, Any]] = []
    for turn in range(8):
        messages.append(user(f"turn {turn}: " + "word " * 20))
        told = engine.count_later(model, messages, slides_in=512, session_id="one").result(60)
        reply = chat.send(messages, params(64))
        reply.text(60)
        messages.append(assistant("yes " * 12))
        assert told == reply.stats.prompt_tokens
    assert reply.stats.dropped_messages
    assert engine.count_later(model, messages).result(60) > 512
    long = user("word " * 200)
    alone = engine.count_later(model, [long]).result(60)
    assert engine.count_later(model, [*messages, long], slides_in=512).result(60) == alone > 512


@pytest.mark.parametrize("words", [200, 20_000])  # the second is too long to be tokenized
def test_overflow_error_says_if_dropping_turns_fails(
    engine: Engine, model_folder: Folder, words: int
) -> None:
    chat = engine.open_session(engine.load(model_folder("plain")), context=512)
    older = [user("hello"), assistant("yes")]
    with pytest.raises(EngineError) as alone:
        chat.send([*older, user("word " * words)], params(5)).text(60)
    assert (alone.value.code, alone.value.reason) == (CONTEXT_OVERFLOW, MESSAGE_TOO_LONG)
    older = [user("word " * words), assistant("yes")]
    with pytest.raises(EngineError) as together:
        chat.send([*older, user("word " * 50)], params(5)).text(60)
    assert (together.value.code, together.value.reason) == (CONTEXT_OVERFLOW, "")
