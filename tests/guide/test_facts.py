"""Facts taught to the Guide match the program's shortcuts, menus and texts."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from corpus import limits, skills, stretto, talk
from corpus.conversation import conversations

import app.ui.window.main_window  # noqa: F401  registers every command
from app.settings.settings import ROWS
from app.ui.window.commands import FOCUS_KEYS, MENUS, REGISTRY
from tests.test_glossary import GLOSSARY, has

ELSEWHERE = {
    "the Up arrow in an empty message": "Up, in an empty message",
    "Delete in the sidebar": "Delete, in the sidebar",
}
GET = "Ctrl+Shift+O"


def said() -> list[str]:
    facts = stretto.facts()
    keys = [text for fact in facts["key"] for text in (fact["does"], fact.get("note", ""))]
    return keys + [text for fact in facts["topic"] + facts["tour"] for text in fact["say"]]


def places() -> set[str]:
    menus = {f"{m} > {REGISTRY[n].text}" for m, names in MENUS.items() for n in names if n != "-"}
    pages = {f"Settings > {row.page}" for row in ROWS.values()}
    return menus | pages


def test_guide_names_only_existing_keys() -> None:
    keys = {key for made in REGISTRY.values() for key in made.keys} | {k for _, k in FOCUS_KEYS}
    for fact in stretto.facts()["key"]:
        told = ELSEWHERE.get(fact["keys"], fact["keys"])
        assert told in keys, fact["id"]


def test_named_menus_and_settings_pages_exist() -> None:
    titles = "|".join((*MENUS, "Settings"))
    known = sorted(places(), key=len, reverse=True)
    for text in [*said(), *limits.OPEN, *talk.HELLO, skills.BIGGER]:
        for match in re.finditer(rf"\b({titles}) > ", text):
            assert any(text.startswith(place, match.start()) for place in known), text


def test_facts_use_glossary_terms() -> None:
    names = ("reply", "tool server", "computer", "Local API", "instructions")
    wrong = [word for name in names for word in GLOSSARY[name].get("not", ())]
    wrong.remove("system prompt")  # users ask for it under this name and get an explanation
    for text in said():
        assert not [word for word in wrong if has(text.casefold(), word)], text


def test_limits_mention_get_model(guide_folder: Path) -> None:
    assert all(GET in text for text in [*limits.OPEN, skills.BIGGER, talk.MORE])
    topics = {fact["id"]: fact["say"] for fact in stretto.facts()["topic"]}
    for name in ("start", "bigger_model", "download", "how_big", "what_can_you_do"):
        assert all(GET in text for text in topics[name]), name
    for chat in islice(conversations(5), 1500):
        assert not any("ask me anything" in turn.answer.casefold() for turn in chat.turns)


def test_features_topic_describes_the_window(guide_folder: Path) -> None:
    (features,) = [fact for fact in stretto.facts()["topic"] if fact["id"] == "features"]
    words = ("side by side", "compare", "broadcast", "tools", "files", "this computer")
    for text in features["say"]:
        assert all(word in text.casefold() for word in words)
        assert not re.search(r"\b(I|me|my)\b", text)


def test_guide_says_it_speaks_only_english() -> None:
    answers = [text for _, says in talk.TALK for text in says]
    for own in ("nur Englisch", "Solo hablo inglés", "parle qu’anglais", "英語しか", "只会说英语"):
        (text,) = [text for text in answers if own in text]
        assert "I only speak English." in text
