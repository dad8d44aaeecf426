"""The trained Guide in Stretto's engine: memory, knowledge of Stretto, and separate chats."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from random import Random

import pytest

from engine import Engine, SamplingParams

GREEDY = SamplingParams(max_tokens=96, temperature=0.0, seed=7)
MEGABYTE = 1_000_000

AS_CHATTED = {"temperature": 0.3, "top_p": 0.9, "min_p": 0.3}  # `generation_config.json`


def answer(engine: Engine, guide: object, *turns: str, reasoning: bool = False) -> str:
    chat = engine.open_session(guide, reasoning=reasoning)
    try:
        for turn in turns:
            text = chat.send(turn, GREEDY).text(timeout=60)
    finally:
        chat.close()
    return text


def test_eight_chats_each_recall_their_own_code_word(engine: Engine, guide: object) -> None:
    words = ["falcon", "quartz", "bramble-7", "OTTER", "velvet", "morpin", "lighthouse", "fern"]
    chats = [engine.open_session(guide) for _ in words]
    told = [
        chat.send(f"The code word is {word}. Remember it.", GREEDY)
        for chat, word in zip(chats, words, strict=True)
    ]
    for reply in told:
        reply.text(timeout=60)
    asked = [chat.send("What is the code word?", GREEDY) for chat in chats]
    for reply, word in zip(asked, words, strict=True):
        assert word in reply.text(timeout=60)
    for chat in chats:
        chat.close()


def test_code_word_survives_other_talk(engine: Engine, guide: object) -> None:
    text = answer(
        engine, guide, "my code word is bramble", "how do I open a new chat?", "what is 3 + 4?",
        "and what was my code word?",
    )  # fmt: skip
    assert "bramble" in text


def test_unknown_word_is_not_made_up(engine: Engine, guide: object) -> None:
    assert "not told me" in answer(engine, guide, "What is my name?")


def test_held_out_questions_about_stretto(
    engine: Engine, guide: object, guide_folder: Path
) -> None:
    data = tomllib.loads((guide_folder / "heldout.toml").read_text("utf-8"))["stretto"]
    entries = Random(5).sample(data, 12)
    chats = [engine.open_session(guide) for _ in entries]
    replies = [chat.send(e["ask"], GREEDY) for chat, e in zip(chats, entries, strict=True)]
    right = 0
    for entry, reply in zip(entries, replies, strict=True):
        text = reply.text(timeout=60)
        right += all(re.search(p, text) for p in entry.get("all", ())) and (
            "any" not in entry or any(re.search(p, text) for p in entry["any"])
        )
    for chat in chats:
        chat.close()
    assert right >= 10


@pytest.mark.parametrize(
    ("request_text", "pattern"),
    [
        ("make a table of fruits", r"(?m)^\|.*\|\n\|[ :-]+\|"),
        ("show me a nested list", r"(?m)^(- |\d\. ).*\n {2,4}- "),
        ("write some python code", r"(?s)```python\n.+\n```"),
        ("how much is 4 + 5", r"\b9\b"),
        ("spell apple", r"a-p-p-l-e"),
        ("what is the capital of Peru?", r"(?i)tiny guide"),
    ],
)
def test_small_things(engine: Engine, guide: object, request_text: str, pattern: str) -> None:
    assert re.search(pattern, answer(engine, guide, request_text))


def test_story_heroes_have_names(engine: Engine, guide: object) -> None:
    chats = [engine.open_session(guide) for _ in range(12)]
    replies = [
        chat.send("Tell me a long story", SamplingParams(max_tokens=40, seed=seed, **AS_CHATTED))
        for seed, chat in enumerate(chats)
    ]
    named = [bool(re.search(r"\b(named?|called|was) [A-Z][a-z]+\b", r.text(60))) for r in replies]
    for chat in chats:
        chat.close()
    assert sum(named) >= 10, named


def test_reasoning_comes_first_if_requested(engine: Engine, guide: object) -> None:
    text = answer(
        engine, guide, "the code word is walnut", "what is the code word?", reasoning=True
    )
    assert "walnut" in text
    assert "<think>" not in text


def test_history_is_a_prefix_of_the_next_prompt(guide_folder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(guide_folder)
    ask = {"role": "user", "content": "Hello"}
    reply = {"role": "assistant", "content": "Hello.\n\n- one\n  - two \n"}
    first = tokenizer.apply_chat_template([ask], tokenize=False, add_generation_prompt=True)
    then = tokenizer.apply_chat_template(
        [ask, reply, ask], tokenize=False, add_generation_prompt=True
    )
    assert then.startswith(first + reply["content"] + "<|im_end|>\n")
    thought = {"role": "assistant", "content": "<think>\nhm\n</think>\n\n" + reply["content"]}
    assert then == tokenizer.apply_chat_template(
        [ask, thought, ask], tokenize=False, add_generation_prompt=True
    )
    thinking = tokenizer.apply_chat_template(
        [ask], tokenize=False, add_generation_prompt=True, enable_thinking=True
    )
    assert thinking == first + "<think>\n"


def test_the_folder_stays_small(guide_folder: Path) -> None:
    files = [path for path in guide_folder.rglob("*") if path.is_file()]
    kept = [p for p in files if not {".training", "__pycache__"} & set(p.parts)]
    assert sum(path.stat().st_size for path in kept) <= 15 * MEGABYTE
