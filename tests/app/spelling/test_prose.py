"""Detection of prose in messages."""

from __future__ import annotations

import pytest

from app.spelling.speller import script, words
from app.spelling.systems import pick_dictionary


def found(text: str, begin: int = 0, end: int | None = None) -> list[str]:
    return [word.text for word in words(text, begin, end)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Helo there, “wrold”!", ["Helo", "there", "wrold"]),
        ("It’s a well-known don't.", ["It’s", "well", "known", "don't"]),
        ("**bold** and _soft_ text…", ["bold", "and", "soft", "text"]),
        ("see `helo wrold` here", ["see", "here"]),
        ("see ``a ` helo`` here", ["see", "here"]),
        ("a lone ` mark stays prose", ["lone", "mark", "stays", "prose"]),
        ("one ` in one\n\nand ` in another", ["one", "in", "one", "and", "in", "another"]),
        ("before\n```py\nhelo = wrold\n```\nafter", ["before", "after"]),
        ("before\n~~~\nhelo\n```\nwrold", ["before"]),
        ("before\n\n    helo wrold\n\nafter", ["before", "after"]),
        ("at https://exmple.org/helo or me@exmple.org", ["at", "or"]),
        ("in ~/helo/wrold and C:\\helo", ["in", "and"]),
        ("call doTheThing, do_it, HTTP, v2x, foo.bar()", ["call"]),
        ("fill {{topc}} and @reesource", ["fill", "and"]),
        ("Größe und Ähre", ["Größe", "und", "Ähre"]),
    ],
)
def test_words_of_prose(text: str, expected: list[str]):
    assert found(text) == expected


def test_part_is_checked_like_the_whole():
    text = "intro\n\n```\n" + "helo wrold\n" * 500 + "```\n\nprose at the end of it"
    inside = text.index("wrold", 2000)
    assert found(text, inside, inside + 40) == []
    assert found(text, len(text) - 5) == ["prose", "at", "the", "end", "of", "it"]
    span = "some `code that begins\nhere and ends` in the next line"
    assert found(span, span.index("and")) == ["in", "the", "next", "line"]


def test_word_has_its_position():
    text = "a “quoted” word"
    assert all(text[word.start : word.end] == word.text for word in words(text))


def test_dictionary_follows_keyboard():
    there = ["de_AT", "de_DE", "en_GB", "en_US", "fr", "pt_BR"]
    assert pick_dictionary(["en_GB", "de_DE"], there) == "en_GB"
    assert pick_dictionary(["en_AU"], there) == "en_US"
    assert pick_dictionary(["de"], there) == "de_DE"
    assert pick_dictionary(["fr-CA"], there) == "fr"
    assert pick_dictionary(["pt_PT"], there) == "pt_BR"
    assert pick_dictionary(["ja_JP", "en_US"], there) == "en_US"
    assert pick_dictionary(["ja_JP"], there) == ""


def test_script_of_a_word_is_recognized():
    assert [script(word) for word in ("word", "слово", "λόγος")] == ["LATIN", "CYRILLIC", "GREEK"]
