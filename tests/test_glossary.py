"""The texts of the program follow the glossary in every language."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache

import pytest

from tests.texts import ROOT, Translated, all_texts, languages, translations

FOLDER = ROOT / "resources" / "languages"
CODES = tuple(languages().CODES)
Glossary = dict[str, dict[str, list[str]]]
GLOSSARY: Glossary = tomllib.loads((FOLDER / "glossary.toml").read_text("utf-8"))


compiled = cache(re.compile)  # re remembers fewer patterns than the glossary has


@cache
def folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().replace("'", "’")


def bare_words(text: str) -> str:
    return folded(re.sub(r"\{[^{}]*\}|\b[\w-]+\.json\b", "{}", text))


def has(text: str, words: str) -> bool:
    if words not in text:
        return False
    if not words.isascii() and not re.match(r"[\u0000-\u024f]", words):
        return True
    return bool(compiled(rf"(?<!\w){re.escape(words)}(?!\w)").search(text))


def terms_in(text: str, glossary: Glossary) -> Iterator[str]:
    left = bare_words(text)
    forms = [(folded(form), term) for term, entry in glossary.items() for form in entry["en"]]
    for form, term in sorted(
        (one for one in forms if one[0] in left), key=lambda one: -len(one[0])
    ):
        word = compiled(rf"(?<![\w./-]){re.escape(form)}(?![\w/]|:\w)")
        found, times = word.subn("·", left)
        if times:
            left = found
            yield term


def faults_in_english(text: str, glossary: Glossary = GLOSSARY) -> Iterator[str]:
    plain = bare_words(text)
    for term, entry in glossary.items():
        for twin in entry.get("not", []):
            if has(plain, folded(twin)):
                yield f"{text!r}: “{term}”, not “{twin}”"


def faults_in_translation(
    entry: Translated, code: str, glossary: Glossary = GLOSSARY
) -> Iterator[str]:
    forms = " | ".join(entry.forms)
    plain = bare_words(forms)
    for term in terms_in(entry.text, glossary):
        allowed = glossary[term][code]
        if not any(folded(stem) in plain for stem in allowed):
            yield f"{entry.text!r}: “{term}” is “{allowed[0]}”: {forms}"
    for term, words in glossary.items():
        for twin in words.get(f"not_{code}", []):
            if has(plain, folded(twin)):
                yield f"{entry.text!r}: “{term}” is “{words[code][0]}”, not “{twin}”: {forms}"


def test_glossary_entries_cover_all_languages() -> None:
    assert len(GLOSSARY) >= 75
    for term, entry in GLOSSARY.items():
        assert {"en", *CODES} <= set(entry), term
        assert all(entry.values()), term
        known = {"en", "not", *CODES, *(f"not_{code}" for code in CODES)}
        assert set(entry) <= known, term


def test_english_texts_follow_the_glossary() -> None:
    texts = sorted({t for text in all_texts() for t in _english(text)})
    found = [f for t in texts for f in faults_in_english(t)]
    assert found == []


def _english(text: object) -> Iterator[str]:
    yield getattr(text, "text")  # noqa: B009 - a script's class, unknown here
    if getattr(text, "counts"):  # noqa: B009
        yield getattr(text, "comment")  # noqa: B009


@pytest.mark.parametrize("code", CODES)
def test_translations_follow_the_glossary(code: str) -> None:
    entries = translations(FOLDER / languages().file_name(code))
    found = [
        fault for entry in entries if entry.finished for fault in faults_in_translation(entry, code)
    ]
    assert found == []


SMALL: Glossary = {
    "tool": {"en": ["tool", "tools"], "de": ["Tool"], "not_de": ["Werkzeug"]},
    "tool server": {"en": ["tool servers"], "not": ["servers of tools"], "de": ["Tool-Server"]},
}


@pytest.mark.parametrize(
    ("text", "german", "faults"),
    [
        ("Tool Servers…", "Tool-Server…", 0),
        ("Tool Servers…", "Server…", 1),
        ("Tools", "Werkzeug", 2),
        ("The toolbox", "Der Kasten", 0),
        ("{tool} is off", "{tool} ist aus", 0),
        ("Servers of Tools", "Tool-Server", 1),
        ("Read tools.json", "tools.json lesen", 0),
    ],
)
def test_glossary_violations_are_found(text: str, german: str, faults: int) -> None:
    entry = Translated(text, "", False, True, (german,))
    found = [*faults_in_english(text, SMALL), *faults_in_translation(entry, "de", SMALL)]
    assert len(found) == faults
