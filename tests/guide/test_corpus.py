"""The corpus is deterministic and contains no held-out phrases."""

from __future__ import annotations

import tomllib
from itertools import islice
from pathlib import Path

from corpus import conversation, heldout
from corpus.conversation import conversations, segments

from tests.slices import examples


def text(seed: int, count: int) -> str:
    chats = islice(conversations(seed), count)
    return "".join(part for chat in chats for part, _ in segments(chat))


def test_same_seed_gives_the_same_corpus() -> None:
    assert text(3, 300) == text(3, 300)
    assert text(3, 300) != text(4, 300)


def test_corpus_contains_no_held_out_phrase() -> None:
    for chat in islice(conversations(1), examples(8000)):
        for turn in chat.turns:
            assert not heldout.is_held_out(turn.user), turn.user


def test_held_out_phrase_is_recognized_in_any_spelling() -> None:
    assert heldout.is_held_out("whats the hotkey, that gives me a FRESH chat???")
    assert heldout.is_held_out("btw the codeword is now green falcon, don't lose it")
    assert not heldout.is_held_out("how do i open a new chat")


def test_conversation_with_held_out_phrase_is_dropped(monkeypatch) -> None:
    monkeypatch.setattr(conversation, "is_held_out", lambda message: "a" in message)
    for chat in islice(conversations(2), 20):
        assert all("a" not in turn.user for turn in chat.turns)


def test_every_held_out_question_is_refused(guide_folder: Path) -> None:
    data = tomllib.loads((guide_folder / "heldout.toml").read_text("utf-8"))
    kinds = data.keys() - {"not_date"}  # plain questions, which the corpus may ask too
    asked = [entry["ask"] for kind in kinds for entry in data[kind] if "ask" in entry]
    assert not [ask for ask in asked if not heldout.is_held_out(ask)]


def test_held_out_set_is_large_enough(guide_folder: Path) -> None:
    data = tomllib.loads((guide_folder / "heldout.toml").read_text("utf-8"))
    assert len(data["stretto"]) >= 60
    assert len(data["tell"]) + len(data["ask"]) >= 40
    assert len(data["date"]) >= 40


def test_held_out_set_covers_every_fact(guide_folder: Path) -> None:
    facts = tomllib.loads((guide_folder / "facts.toml").read_text("utf-8"))
    data = tomllib.loads((guide_folder / "heldout.toml").read_text("utf-8"))
    asked = data["stretto"] + data["stretto_new"]
    assert len(asked) >= len(facts["key"]) + len(facts["topic"])
